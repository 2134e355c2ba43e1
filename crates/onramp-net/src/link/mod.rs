//! One direction of a path: the elements of a link in their order, and how packets pass from one to
//! the next.

use crate::aggregation::Aggregator;
use crate::duplication::Duplication;
use crate::loss::Loss;
use crate::opportunities::Deliveries;
use crate::propagation::Propagation;
use crate::queue::discipline::{Discipline, Evicted};
use crate::queue::Queue;
use crate::serialiser::{Instant, Serialiser};
use crate::token_bucket::Bucket;
use crate::{Config, Count, LinkStats, Packet, PureAck, QueueConfig, Verdict};
use changes::Changes;

mod apply_changes;
mod changes;
mod exit;
mod recorded;
mod steps;

/// A packet that reached the far end of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure<P> {
    /// Arrival time of its last bit at the far end, rounded down to a whole nanosecond.
    pub due_ns: u64,
    /// The packet.
    pub packet: P,
    /// Whether this is a clone made by duplication. The original is still in the link and leaves
    /// next. Where packets are handles, the driver must now duplicate the object that the handle
    /// refers to.
    pub is_copy: bool,
}

/// A link. Packets enter through [`offer`](Link::offer) and leave through [`poll`](Link::poll).
/// They keep their order, with three exceptions: FQ-CoDel queues flows separately,
/// [expedited](Config::expedited) packets are served first, and [jitter](crate::Jitter) may
/// reorder. With CoDel, FQ-CoDel or the ACK filter, packets also leave through
/// [`take_dropped`](Link::take_dropped).
///
/// Events at the same nanosecond: a packet that is offered when another packet's serialisation ends
/// finds the serialiser free. A change of the link precedes a packet that is offered at the same
/// time.
#[derive(Debug)]
pub struct Link<P> {
    policer: Option<Bucket>,
    loss: Loss,
    queue: Queue<P>,
    shaper: Option<Bucket>,
    serialiser: Serialiser,
    /// The moments at which a link carries bytes that has no steady service.
    deliveries: Option<Box<Deliveries>>,
    /// Time at which the serialiser finishes, or finished, its last packet.
    busy_until: Instant,
    /// The packet in the serialiser, or the packet that waits for the shaper's tokens before it.
    in_service: Option<P>,
    changes: Changes,
    propagation: Propagation<P>,
    /// Packets leave in the order in which they propagate: the link neither reorders, aggregates
    /// nor duplicates.
    exit_is_fifo: bool,
    filters_acks: bool,
    /// Aggregation, then a late timer, as far as the link has them.
    holds: Vec<Aggregator<P>>,
    duplication: Option<Box<Duplication>>,
    evicted: Evicted<P>,
    stats: LinkStats,
}

impl<P: Packet> Link<P> {
    /// Builds an idle link.
    ///
    /// # Panics
    /// If [`Config::check`] returns an error.
    pub fn from_config(config: &Config) -> Link<P> {
        if let Err(error) = config.check() {
            panic!("{error}");
        }
        let duplication = || Box::new(Duplication::new(config.duplicate_ppm, config.seed));
        let propagation = Propagation::new(config);
        let holds = Aggregator::of(config);
        Link {
            policer: config.policer.as_ref().map(Bucket::new),
            loss: Loss::new(&config.loss, config.seed),
            queue: Queue::new(config),
            shaper: config.shaper.as_ref().map(Bucket::new),
            serialiser: Serialiser::new(config.rate_bits_per_s, config.framing),
            deliveries: Deliveries::new(config).map(Box::new),
            busy_until: Instant::default(),
            in_service: None,
            changes: Changes::new(config),
            exit_is_fifo: propagation.keeps_order()
                && holds.is_empty()
                && config.duplicate_ppm == 0,
            filters_acks: matches!(config.queue, QueueConfig::AckFilter(_)),
            propagation,
            holds,
            duplication: (config.duplicate_ppm > 0).then(duplication),
            evicted: Evicted::new(),
            stats: LinkStats::default(),
        }
    }

    /// Allocates memory for this many packets in the queue, as far as its limit allows, and for as
    /// many propagating packets. The link then does not allocate later.
    pub fn reserve(&mut self, packets: usize) {
        self.queue.reserve(packets);
        self.propagation.reserve(packets);
    }

    /// Offers a packet at the entrance of the link.
    #[inline]
    pub fn offer(&mut self, now_ns: u64, packet: P) -> Verdict {
        self.offer_with_parser(now_ns, packet, |_| None)
    }

    /// Whether the link inspects pure ACKs and [drops](Link::take_dropped) superseded ones.
    #[inline]
    pub fn filters_acks(&self) -> bool {
        self.filters_acks
    }

    /// The same as [`offer`](Link::offer), with a parser for ACKs. A link that [filters
    /// ACKs](Link::filters_acks) calls `read` for a packet that has to wait. If the packet is a
    /// pure ACK, the link drops the queued ACKs of the same [flow](Packet::flow_hash) that it
    /// supersedes.
    #[inline(always)]
    pub fn offer_with_parser(
        &mut self,
        now_ns: u64,
        packet: P,
        read: impl FnOnce(&P) -> Option<PureAck>,
    ) -> Verdict {
        self.advance(now_ns);
        let bytes = packet.wire_bytes();
        self.stats.offered.add(bytes);
        if self
            .policer
            .as_mut()
            .is_some_and(|policer| !policer.take(now_ns, bytes))
        {
            self.stats.policed.add(bytes);
            return Verdict::Policed;
        }
        if self.loss.loses(bytes) {
            self.stats.lost.add(bytes);
            return Verdict::LostRandom;
        }
        let verdict = match &self.shaper {
            Some(shaper) if !shaper.could_hold(bytes) => Verdict::DroppedFull,
            _ => self.enter(now_ns, packet, read),
        };
        match verdict {
            Verdict::Queued => {}
            Verdict::Policed => self.stats.policed.add(bytes),
            _ => self.stats.dropped.add(bytes),
        }
        verdict
    }

    /// Time at which to call [`poll`](Link::poll) next. It is never later than the arrival of the
    /// next packet at the far end. It can be earlier, and a poll can then find nothing, if rate or
    /// delay change, or if the link aggregates or adds jitter. Otherwise it is exact. `None` means
    /// that the link is empty.
    #[inline]
    pub fn next_departure_ns(&self) -> Option<u64> {
        if !self.exit_is_fifo {
            return self.earliest_departure_ns();
        }
        match self.propagation.front_in_order() {
            Some((due_ns, _)) => Some(*due_ns),
            None => self.in_service_ns(),
        }
    }

    /// Removes and returns the next packet that has reached the far end.
    #[inline]
    pub fn poll(&mut self, now_ns: u64) -> Option<Departure<P>> {
        if !self.exit_is_fifo {
            return self.leave(now_ns);
        }
        if self.propagation.front_in_order().is_none() {
            self.advance(now_ns);
        }
        if self.propagation.front_in_order()?.0 > now_ns {
            return None;
        }
        let (due_ns, packet) = self.propagation.pop_in_order()?;
        self.stats.delivered.add(packet.wire_bytes());
        Some(Departure {
            due_ns,
            packet,
            is_copy: false,
        })
    }

    /// Returns a packet that the queue dropped after it had accepted it, the earliest first. Only
    /// CoDel, FQ-CoDel and the ACK filter do this; the other queues drop packets on arrival only.
    /// The link keeps such packets until they are taken. A driver with one of these queues
    /// therefore calls this after each `offer` and `poll`, until it returns `None`.
    #[inline]
    pub fn take_dropped(&mut self) -> Option<P> {
        self.evicted.packets.pop_front()
    }

    /// Counters since the link was built.
    pub fn stats(&self) -> LinkStats {
        LinkStats {
            evicted: self.evicted.count,
            thinned: self.evicted.thinned,
            marked: self.evicted.marked,
            ..self.stats
        }
    }

    /// Packets and bytes in the queue at `now_ns`.
    pub fn queue(&mut self, now_ns: u64) -> Count {
        self.advance(now_ns);
        self.queue.waiting()
    }

    /// Puts the packet into service or into the queue.
    #[inline(always)]
    fn enter(
        &mut self,
        now_ns: u64,
        packet: P,
        read: impl FnOnce(&P) -> Option<PureAck>,
    ) -> Verdict {
        if self.in_service.is_none() {
            match self.queue.pass(now_ns, packet, &mut self.evicted) {
                Ok(packet) => self.serve(Instant::at(now_ns).max(self.busy_until), packet, false),
                Err(verdict) => return verdict,
            }
            return Verdict::Queued;
        }
        let ack = if self.filters_acks {
            read(&packet)
        } else {
            None
        };
        let verdict = match ack {
            None => self.queue.enqueue(now_ns, packet, &mut self.evicted),
            Some(ack) => self
                .queue
                .enqueue_ack(now_ns, packet, &ack, &mut self.evicted),
        };
        if verdict == Verdict::Queued {
            let (peak, waiting) = (&mut self.stats.peak_queue, self.queue.waiting());
            peak.packets = peak.packets.max(waiting.packets);
            peak.bytes = peak.bytes.max(waiting.bytes);
        }
        verdict
    }

    /// Processes all events up to and including `now_ns`. A late call changes nothing: each packet
    /// starts when the packet before it ended, not when the link was called.
    #[inline(always)]
    fn advance(&mut self, now_ns: u64) {
        if self.changes.next_ns() <= now_ns {
            self.advance_over_changes(now_ns);
        }
        while self.busy_until.ns <= now_ns && self.end_service() {}
    }

    /// Moves the packet in service from the serialiser to propagation, and starts the next one.
    /// Returns whether there was a packet in service.
    #[inline(always)]
    fn end_service(&mut self) -> bool {
        let Some(packet) = self.in_service.take() else {
            return false;
        };
        self.propagation.push(self.busy_until.ns, packet);
        if let Some(next) = self.queue.dequeue(self.busy_until.ns, &mut self.evicted) {
            self.serve(self.busy_until, next, true);
        }
        true
    }

    /// Puts a packet into service. `waited`: it comes from the queue.
    #[inline(always)]
    fn serve(&mut self, mut start: Instant, packet: P, waited: bool) {
        let bytes = packet.wire_bytes();
        if let Some(shaper) = &mut self.shaper {
            let conforms_ns = shaper.take_at(start.ns, bytes);
            start = start.max(Instant::at(conforms_ns));
        }
        self.busy_until = match &mut self.deliveries {
            None => self.serialiser.end(start, bytes),
            Some(deliveries) => Instant::at(deliveries.end_ns(start.ns, bytes, waited)),
        };
        self.in_service = Some(packet);
    }

    /// Earliest arrival of the packet in service at the far end. If a change of the link comes
    /// before the end of its serialisation, the time of that change.
    #[inline]
    fn in_service_ns(&self) -> Option<u64> {
        self.in_service
            .as_ref()
            .map(|_| match self.changes.next_ns() {
                change_ns if change_ns <= self.busy_until.ns => change_ns,
                _ => self.busy_until.ns + self.propagation.delay_ns(),
            })
    }
}

#[cfg(test)]
mod tests;
