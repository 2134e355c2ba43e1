//! One direction of a path: the elements in a row, and what passes between them.

use crate::aggregation::Aggregator;
use crate::bucket::Bucket;
use crate::duplication::Duplication;
use crate::line::Line;
use crate::loss::Loss;
use crate::queue::{Discipline, Evicted, Queue};
use crate::serialiser::{Instant, Serialiser};
use crate::{Config, Count, LinkStats, Packet, PureAck, QueueConfig};
use changes::Changes;

mod changes;
mod exit;

/// What became of an offered packet. The link has it after [`Verdict::Queued`], and returns it
/// later by [`Link::poll`] or [`Link::take_dropped`]; after the others it is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is on its way: waiting, in service or propagating.
    Queued,
    /// It exceeded the rate and burst of the policer, or of its flow's profile where it is
    /// expedited.
    Policed,
    /// The loss process took it.
    LostRandom,
    /// The queue had no room for it, or the shaper's bucket is too small to ever let it pass.
    DroppedFull,
    /// RED chose it.
    DroppedEarly,
}

/// A packet at the far end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure<P> {
    /// When it arrived there: at the whole nanosecond in which its last bit did.
    pub due_ns: u64,
    /// The packet.
    pub packet: P,
    /// This is a clone of a packet that is still in the link and is the next to leave. Where
    /// packets are handles, the driver makes another of what this one stands for, now.
    pub copy: bool,
}

/// A link: packets go in by [`offer`](Link::offer) and come out by [`poll`](Link::poll), in the
/// same order unless flows are queued apart, some are [expedited](Config::expedited) or
/// [jitter](crate::Jitter) reorders. Where the queue is CoDel or FQ-CoDel, or filters
/// acknowledgements, packets also come out by [`take_dropped`](Link::take_dropped).
///
/// Ties: a packet offered in the same nanosecond in which another's serialisation ends finds the
/// serialiser free. A change of the link comes before a packet that is offered in the same
/// nanosecond.
#[derive(Debug)]
pub struct Link<P> {
    policer: Option<Bucket>,
    loss: Loss,
    queue: Queue<P>,
    shaper: Option<Bucket>,
    serialiser: Serialiser,
    /// When the serialiser ends, or ended, its last packet.
    busy_until: Instant,
    /// In the serialiser, or next to be and waiting for the shaper's tokens.
    in_service: Option<P>,
    changes: Changes,
    line: Line<P>,
    /// Packets leave as they come from the line, in order: nothing of what follows is there.
    plain_exit: bool,
    filters_acks: bool,
    aggregator: Option<Box<Aggregator<P>>>,
    duplication: Option<Box<Duplication>>,
    evicted: Evicted<P>,
    stats: LinkStats,
}

impl<P: Packet> Link<P> {
    /// An idle link.
    ///
    /// # Panics
    /// Where [`Config::check`] fails.
    pub fn from_config(config: &Config) -> Link<P> {
        if let Err(error) = config.check() {
            panic!("{error}");
        }
        let duplication = || Box::new(Duplication::new(config.duplicate_ppm, config.seed));
        let line = Line::new(config);
        Link {
            policer: config.policer.as_ref().map(Bucket::new),
            loss: Loss::new(&config.loss, config.seed),
            queue: Queue::new(config),
            shaper: config.shaper.as_ref().map(Bucket::new),
            serialiser: Serialiser::new(config.rate_bits_per_s),
            busy_until: Instant::default(),
            in_service: None,
            changes: Changes::new(&config.changes),
            plain_exit: line.keeps_order()
                && config.aggregation.is_none()
                && config.duplicate_ppm == 0,
            filters_acks: matches!(config.queue, QueueConfig::AckFilter(_)),
            line,
            aggregator: config
                .aggregation
                .map(|aggregation| Box::new(Aggregator::new(aggregation))),
            duplication: (config.duplicate_ppm > 0).then(duplication),
            evicted: Evicted::new(),
            stats: LinkStats::default(),
        }
    }

    /// Makes room for so many packets in the queue, as far as its limit lets them in, and for as
    /// many between serialiser and far end, so that the link does not allocate later.
    pub fn reserve(&mut self, packets: usize) {
        self.queue.reserve(packets);
        self.line.reserve(packets);
    }

    /// A packet arrives at the link's entrance.
    #[inline]
    pub fn offer(&mut self, now_ns: u64, packet: P) -> Verdict {
        self.offer_reading(now_ns, packet, |_| None)
    }

    /// Whether pure acknowledgements are looked at, and [thrown out](Link::take_dropped).
    #[inline]
    pub fn filters_acks(&self) -> bool {
        self.filters_acks
    }

    /// The same as [`offer`](Link::offer). On a link that [filters](Link::filters_acks) them, a
    /// packet that has to wait is read, and where it is a pure acknowledgement, those of its
    /// [flow](Packet::flow_hash) that wait and that it makes superfluous are taken out.
    #[inline(always)]
    pub fn offer_reading(
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

    /// When to call [`poll`](Link::poll) next, as things stand: never later than the next packet
    /// reaches the far end, and exactly then unless rate or delay change, packets are aggregated or
    /// jitter is added; then it may be earlier, and a poll may find nothing. `None` while the link
    /// is empty.
    #[inline]
    pub fn next_departure_ns(&self) -> Option<u64> {
        if !self.plain_exit {
            return self.earliest_ns();
        }
        match self.line.front_in_order() {
            Some((due_ns, _)) => Some(*due_ns),
            None => self.in_service_ns(),
        }
    }

    /// Takes out the next packet that has reached the far end, with the time at which it did.
    #[inline]
    pub fn poll(&mut self, now_ns: u64) -> Option<Departure<P>> {
        if !self.plain_exit {
            return self.leave(now_ns);
        }
        if self.line.front_in_order().is_none() {
            self.advance(now_ns);
        }
        if self.line.front_in_order()?.0 > now_ns {
            return None;
        }
        let (due_ns, packet) = self.line.pop_in_order()?;
        self.stats.delivered.add(packet.wire_bytes());
        Some(Departure {
            due_ns,
            packet,
            copy: false,
        })
    }

    /// Takes back a packet that the queue dropped after it had accepted it, the earliest first. A
    /// driver with a CoDel or FQ-CoDel queue, or one that filters acknowledgements, calls this
    /// until it returns `None` after each `offer` and `poll`: the link keeps these packets until
    /// then. The other queues drop packets on arrival only.
    #[inline]
    pub fn take_dropped(&mut self) -> Option<P> {
        self.evicted.packets.pop_front()
    }

    /// Counters since the link was made.
    pub fn stats(&self) -> LinkStats {
        LinkStats {
            evicted: self.evicted.count,
            thinned: self.evicted.thinned,
            ..self.stats
        }
    }

    /// How much waits in the queue at this moment.
    pub fn queue(&mut self, now_ns: u64) -> Count {
        self.advance(now_ns);
        self.queue.waiting()
    }

    /// The packet goes into service, or waits.
    #[inline(always)]
    fn enter(
        &mut self,
        now_ns: u64,
        packet: P,
        read: impl FnOnce(&P) -> Option<PureAck>,
    ) -> Verdict {
        if self.in_service.is_none() {
            match self.queue.pass(now_ns, packet, &mut self.evicted) {
                Ok(packet) => self.serve(Instant::at(now_ns).max(self.busy_until), packet),
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

    /// Does what the link has done up to and including `now_ns`. Late calls lose nothing: each
    /// packet starts when its predecessor ended, not when somebody looked.
    #[inline(always)]
    fn advance(&mut self, now_ns: u64) {
        if self.changes.next_ns() <= now_ns {
            self.advance_over_changes(now_ns);
        }
        while self.busy_until.ns <= now_ns && self.end_service() {}
    }

    /// The packet in service leaves the serialiser, and the next one follows; whether there was
    /// one.
    #[inline(always)]
    fn end_service(&mut self) -> bool {
        let Some(packet) = self.in_service.take() else {
            return false;
        };
        self.line.push(self.busy_until.ns, packet);
        if let Some(next) = self.queue.dequeue(self.busy_until.ns, &mut self.evicted) {
            self.serve(self.busy_until, next);
        }
        true
    }

    #[inline(always)]
    fn serve(&mut self, mut start: Instant, packet: P) {
        let bytes = packet.wire_bytes();
        if let Some(shaper) = &mut self.shaper {
            let conforms_ns = shaper.take_at(start.ns, bytes);
            start = start.max(Instant::at(conforms_ns));
        }
        self.busy_until = self.serialiser.end(start, bytes);
        self.in_service = Some(packet);
    }

    /// When the packet in service reaches the far end at the earliest, or when a change decides
    /// that.
    #[inline]
    fn in_service_ns(&self) -> Option<u64> {
        self.in_service
            .as_ref()
            .map(|_| match self.changes.next_ns() {
                change_ns if change_ns <= self.busy_until.ns => change_ns,
                _ => self.busy_until.ns + self.line.delay_ns(),
            })
    }
}

#[cfg(test)]
mod tests;
