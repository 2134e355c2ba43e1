//! A plain link: a rate, a delay, a drop-tail queue, and possibly random loss.
//!
//! No later event changes when a packet leaves it, so the arrival time at the far end is known when
//! the packet is offered. A packet is stored once, with that time, and stays where it is until it
//! leaves. The arrival times tell where it is:
//!
//! ```text
//!              due - delay of the packet before it         due - delay          due
//!   waits in the queue   |          in service                  |  propagates    |  far end
//! ```

use super::Departure;
use crate::loss::Loss;
use crate::queue::Limit;
use crate::serialiser::{Instant, Serialiser};
use crate::{Config, Count, LinkStats, Packet, QueueConfig, Service, Verdict};
use std::collections::VecDeque;

/// A plain link. [`Link`](super::Link) describes its functions.
#[derive(Clone, Debug)]
pub(super) struct Plain<P> {
    /// The packets in the link, each with the time at which it reaches the far end.
    packets: VecDeque<(u64, P)>,
    /// Time at which the serialiser finishes, or finished, the last packet.
    busy_until: Instant,
    /// The packets in the queue at the last update: the last ones of `packets`.
    waiting: Count,
    /// Time at which the first of them leaves the queue.
    first_leaves_ns: u64,
    delay_ns: u64,
    limit: Limit,
    serialiser: Serialiser,
    loss: Loss,
    stats: LinkStats,
}

impl<P: Packet> Plain<P> {
    /// Builds an idle link of a correct configuration; `None` if the link has other elements.
    pub fn new(config: &Config) -> Option<Plain<P>> {
        // All fields are named, so that a new element is decided on here.
        let Config {
            rate_bits_per_s,
            framing,
            delay_ns,
            service: Service::Steady,
            steps: None,
            recorded_delay: None,
            recorded_loss: None,
            changes,
            queue: QueueConfig::DropTail(limit),
            shaper: None,
            policer: None,
            expedited: None,
            loss,
            duplicate_ppm: 0,
            jitter: None,
            aggregation: None,
            late: None,
            begin_ns: _,
            seed,
        } = config
        else {
            return None;
        };
        changes.is_empty().then(|| Plain {
            packets: VecDeque::new(),
            busy_until: Instant::default(),
            waiting: Count::default(),
            first_leaves_ns: 0,
            delay_ns: *delay_ns,
            limit: *limit,
            serialiser: Serialiser::new(*rate_bits_per_s, *framing),
            loss: Loss::new(loss, *seed),
            stats: LinkStats::default(),
        })
    }

    pub fn reserve(&mut self, packets: usize) {
        self.packets
            .reserve(packets + self.limit.packets_of(packets));
    }

    #[inline(always)]
    pub fn offer(&mut self, now_ns: u64, packet: P) -> Verdict {
        let bytes = packet.wire_bytes();
        self.stats.offered.add(bytes);
        if self.loss.loses(bytes) {
            self.stats.lost.add(bytes);
            return Verdict::LostRandom;
        }
        let start = if self.busy_until.ns <= now_ns {
            // The last packet has left the serialiser, so none waits.
            self.waiting = Count::default();
            self.busy_until.max(Instant::at(now_ns))
        } else {
            self.advance(now_ns);
            if !self.limit.admits(self.waiting, bytes) {
                self.stats.dropped.add(bytes);
                return Verdict::DroppedFull;
            }
            if self.waiting.packets == 0 {
                self.first_leaves_ns = self.busy_until.ns;
            }
            self.waiting.add(bytes);
            self.stats.peak_queue.raise_to(self.waiting);
            self.busy_until
        };
        self.busy_until = self.serialiser.end(start, bytes);
        let due_ns = self.busy_until.ns.saturating_add(self.delay_ns);
        self.packets.push_back((due_ns, packet));
        Verdict::Queued
    }

    #[inline(always)]
    pub fn next_departure_ns(&self) -> Option<u64> {
        self.packets.front().map(|(due_ns, _)| *due_ns)
    }

    #[inline(always)]
    pub fn poll(&mut self, now_ns: u64) -> Option<Departure<P>> {
        if self.packets.front()?.0 > now_ns {
            return None;
        }
        if self.packets.len() as u64 == self.waiting.packets {
            // All packets count as waiting, but this one has left the queue.
            self.advance(now_ns);
        }
        let (due_ns, packet) = self.packets.pop_front()?;
        self.stats.delivered.add(packet.wire_bytes());
        Some(Departure {
            due_ns,
            packet,
            is_copy: false,
        })
    }

    /// The packets in the link, the oldest first, each with the time at which it reaches the far
    /// end.
    pub fn packets(&self) -> impl Iterator<Item = &(u64, P)> {
        self.packets.iter()
    }

    pub fn newest_mut(&mut self) -> Option<&mut (u64, P)> {
        self.packets.back_mut()
    }

    #[inline(always)]
    pub fn stats(&self) -> &LinkStats {
        &self.stats
    }

    pub fn queue(&mut self, now_ns: u64) -> Count {
        self.advance(now_ns);
        self.waiting
    }

    /// Removes from `waiting` the packets that have left the queue by `now_ns`.
    #[inline(always)]
    fn advance(&mut self, now_ns: u64) {
        while self.waiting.packets > 0 && self.first_leaves_ns <= now_ns {
            let first = self.packets.len() - self.waiting.packets as usize;
            let (due_ns, packet) = &self.packets[first];
            self.waiting.packets -= 1;
            self.waiting.bytes -= u64::from(packet.wire_bytes());
            self.first_leaves_ns = due_ns - self.delay_ns;
        }
    }
}
