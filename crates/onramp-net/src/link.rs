//! One direction of a path: loss, queue, serialiser and delay in a row.

use crate::{Bernoulli, Discipline, DropTail, Instant, LinkStats, LossProcess, Packet, Serialiser};
use std::collections::VecDeque;
use std::num::NonZeroU64;

/// What became of an offered packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is on its way: waiting, in service or propagating.
    Queued,
    /// The queue refused it, and it is gone.
    DroppedFull,
    /// The loss process took it.
    LostRandom,
}

/// A link: packets go in by [`offer`](Link::offer) and come out, in the same order, by [`poll`](Link::poll).
///
/// Ties: a packet offered in the same nanosecond in which another's serialisation ends finds the serialiser free.
/// A departure is due at the whole nanosecond in which its last bit arrives.
#[derive(Debug)]
pub struct Link<P, Q = DropTail<P>, L = Bernoulli> {
    loss: L,
    queue: Q,
    serialiser: Serialiser,
    delay_ns: u64,
    /// When the serialiser ends, or ended, its last packet.
    busy_until: Instant,
    in_service: Option<P>,
    propagating: VecDeque<(u64, P)>,
    stats: LinkStats,
}

impl<P: Packet, Q: Discipline<P>, L: LossProcess> Link<P, Q, L> {
    /// An idle link.
    pub fn new(rate_bits_per_s: NonZeroU64, delay_ns: u64, queue: Q, loss: L) -> Link<P, Q, L> {
        Link {
            loss,
            queue,
            serialiser: Serialiser::new(rate_bits_per_s),
            delay_ns,
            busy_until: Instant::default(),
            in_service: None,
            propagating: VecDeque::new(),
            stats: LinkStats::default(),
        }
    }

    /// Makes room for so many packets between serialiser and far end, so that the link does not allocate later.
    pub fn reserve(&mut self, packets: usize) {
        self.propagating.reserve(packets);
    }

    /// A packet arrives at the link's entrance.
    pub fn offer(&mut self, now_ns: u64, packet: P) -> Verdict {
        self.advance(now_ns);
        let bytes = packet.wire_bytes();
        self.stats.offered.add(bytes);
        if self.loss.loses(now_ns, bytes) {
            self.stats.lost.add(bytes);
            return Verdict::LostRandom;
        }
        if self.in_service.is_none() {
            self.serve(Instant::at(now_ns).max(self.busy_until), packet);
            return Verdict::Queued;
        }
        if self.queue.enqueue(now_ns, packet).is_err() {
            self.stats.dropped.add(bytes);
            return Verdict::DroppedFull;
        }
        let peak = &mut self.stats.peak_queue;
        peak.packets = peak.packets.max(self.queue.packets());
        peak.bytes = peak.bytes.max(self.queue.bytes());
        Verdict::Queued
    }

    /// When the next packet reaches the far end; `None` while the link is empty.
    pub fn next_departure_ns(&self) -> Option<u64> {
        match self.propagating.front() {
            Some((due_ns, _)) => Some(*due_ns),
            None => self.in_service.as_ref().map(|_| self.busy_until.ns + self.delay_ns),
        }
    }

    /// Takes out the next packet that has reached the far end, with the time at which it did.
    pub fn poll(&mut self, now_ns: u64) -> Option<(u64, P)> {
        if self.next_departure_ns()? > now_ns {
            return None;
        }
        self.advance(now_ns);
        let (due_ns, packet) = self.propagating.pop_front()?;
        self.stats.delivered.add(packet.wire_bytes());
        Some((due_ns, packet))
    }

    /// Counters since the link was made.
    pub fn stats(&self) -> &LinkStats {
        &self.stats
    }

    /// The queue as it is at this moment.
    pub fn queue(&mut self, now_ns: u64) -> &Q {
        self.advance(now_ns);
        &self.queue
    }

    /// Does what the serialiser has done up to and including `now_ns`. Late calls lose nothing: each packet
    /// starts when its predecessor ended, not when somebody looked.
    fn advance(&mut self, now_ns: u64) {
        while self.busy_until.ns <= now_ns {
            let Some(packet) = self.in_service.take() else { return };
            self.propagating.push_back((self.busy_until.ns + self.delay_ns, packet));
            if let Some(next) = self.queue.dequeue(self.busy_until.ns) {
                self.serve(self.busy_until, next);
            }
        }
    }

    fn serve(&mut self, start: Instant, packet: P) {
        self.busy_until = self.serialiser.end(start, packet.wire_bytes());
        self.in_service = Some(packet);
    }
}

#[cfg(test)]
mod tests;
