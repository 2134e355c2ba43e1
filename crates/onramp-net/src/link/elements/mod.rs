//! A link with any of the elements, in their order, and how packets pass from one to the next.

mod apply_changes;
mod changes;
mod deliveries;
mod exit;
mod recorded;
mod steps;

use super::Departure;
use crate::aggregation::Aggregator;
use crate::duplication::Duplication;
use crate::loss::Loss;
use crate::propagation::Propagation;
use crate::queue::discipline::{Discipline, Evicted};
use crate::queue::Queue;
use crate::serialiser::{Instant, Serialiser};
use crate::token_bucket::Bucket;
use crate::{Config, Count, LinkStats, Packet, PureAck, QueueConfig, Verdict};
use changes::Changes;
use deliveries::Deliveries;
use std::collections::VecDeque;

/// A link with any of the elements. [`Link`](super::Link) describes its functions.
#[derive(Clone, Debug)]
pub(super) struct Elements<P> {
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
    /// The packets whose transmission has begun, each with that time; `None`: nobody asks.
    served: Option<VecDeque<(u64, P)>>,
    stats: LinkStats,
}

impl<P: Packet> Elements<P> {
    /// Builds an idle link of a correct configuration.
    pub fn new(config: &Config) -> Elements<P> {
        let duplication = || Box::new(Duplication::new(config.duplicate_ppm, config.seed));
        let propagation = Propagation::new(config);
        let holds = Aggregator::of(config);
        Elements {
            policer: config.policer.as_ref().map(Bucket::new),
            loss: Loss::new(&config.loss, config.seed),
            queue: Queue::new(
                &config.queue,
                config.expedited,
                config.rate_bits_per_s,
                config.framing,
                config.seed,
            ),
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
            served: None,
            stats: LinkStats::default(),
        }
    }

    /// Notes from now on when the transmission of each packet begins.
    pub fn note_served(&mut self) {
        self.served = Some(VecDeque::new());
    }

    pub fn take_served(&mut self) -> Option<(u64, P)> {
        self.served.as_mut()?.pop_front()
    }

    pub fn reserve(&mut self, packets: usize) {
        self.queue.reserve(packets);
        self.propagation.reserve(packets);
    }

    pub fn filters_acks(&self) -> bool {
        self.filters_acks
    }

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

    pub fn next_departure_ns(&self) -> Option<u64> {
        if !self.exit_is_fifo {
            return self.earliest_departure_ns();
        }
        match self.propagation.front_in_order() {
            Some((due_ns, _)) => Some(*due_ns),
            None => self.in_service_ns(),
        }
    }

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

    pub fn take_dropped(&mut self) -> Option<P> {
        self.evicted.packets.pop_front()
    }

    pub fn stats(&self) -> LinkStats {
        LinkStats {
            evicted: self.evicted.count,
            thinned: self.evicted.thinned,
            marked: self.evicted.marked,
            ..self.stats
        }
    }

    pub fn queue(&mut self, now_ns: u64) -> Count {
        self.advance(now_ns);
        self.queue.waiting()
    }

    /// Packets in the queue, in service and propagating.
    #[cfg(test)]
    pub fn inside(&mut self, now_ns: u64) -> u64 {
        let held: usize = self.holds.iter().map(|hold| hold.len()).sum();
        self.queue(now_ns).packets
            + u64::from(self.in_service.is_some())
            + (self.propagation.len() + held) as u64
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
            self.stats.peak_queue.raise_to(self.queue.waiting());
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
        if let Some(served) = &mut self.served {
            served.push_back((start.ns, packet.clone()));
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
