//! Expedited forwarding: flows with a guaranteed rate go first. RFC 3246 (Davie et al. 2002), in a
//! router of differentiated services (RFC 2475).
//!
//! Each expedited flow has a profile, a token bucket of its own: what exceeds it is dropped. What
//! conforms waits in a FIFO that is served before the queue of all others, strictly and without
//! preemption: an expedited packet waits for other expedited ones and for at most one other packet,
//! which is in service when it comes.
//!
//! While the guaranteed rates of the flows add up to no more than the link's rate C, the FIFO never
//! holds more than their bursts and what comes while one other packet of L bytes is in service: a
//! flow with bucket (rho, sigma) brings at most `sigma + rho t` in a time t, the link serves at
//! least `C t - L` of it, and a flow whose bucket is full again has brought at most `rho t`. The
//! FIFO has exactly that room, sigma for each flow whose bucket is not full and the largest IP
//! packet: so an expedited packet that conforms is dropped only where more was guaranteed than
//! there is.

use super::drop_tail::DropTail;
use super::{Discipline, Evicted, Limit, PureAck, Queue};
use crate::bucket::Bucket;
use crate::{Count, Packet, TokenBucket, Verdict};
use std::collections::HashMap;

/// Flows that have a bucket at the same time. One whose bucket is full again is forgotten, which
/// makes no difference to it; while none is, a further flow has no guarantee, and its expedited
/// packets exceed it.
pub(crate) const MOST_FLOWS: usize = 4096;

/// The largest IP packet: what may be in service when the first expedited packet comes.
const LARGEST_PACKET_BYTES: u64 = 65_535;

#[derive(Debug)]
pub(crate) struct Expedited<P> {
    profile: TokenBucket,
    buckets: HashMap<u32, Bucket>,
    /// No bucket is full again before, so that nobody need look.
    none_full_before_ns: u64,
    first: DropTail<P>,
    others: Queue<P>,
}

impl<P: Packet> Expedited<P> {
    pub fn new(profile: TokenBucket, others: Queue<P>) -> Expedited<P> {
        let (buckets, first) = (HashMap::new(), DropTail::new(Limit::Bytes(u64::MAX)));
        Expedited {
            profile,
            buckets,
            none_full_before_ns: 0,
            first,
            others,
        }
    }

    /// Whether an expedited packet is within its flow's profile, whose tokens it takes.
    fn conforms(&mut self, now_ns: u64, packet: &P) -> bool {
        let flow = packet.flow_hash();
        if !self.buckets.contains_key(&flow) {
            if self.buckets.len() == MOST_FLOWS && self.active_flows(now_ns) == MOST_FLOWS {
                return false;
            }
            self.none_full_before_ns = now_ns;
        }
        let bucket = self
            .buckets
            .entry(flow)
            .or_insert_with(|| Bucket::new(&self.profile));
        bucket.take(now_ns, packet.wire_bytes())
    }

    /// Flows whose buckets are not full; forgets the others.
    fn active_flows(&mut self, now_ns: u64) -> usize {
        if now_ns >= self.none_full_before_ns {
            self.buckets.retain(|_, bucket| !bucket.is_full(now_ns));
            self.none_full_before_ns = self
                .buckets
                .values()
                .map(Bucket::full_at_ns)
                .min()
                .unwrap_or(now_ns);
        }
        self.buckets.len()
    }

    fn has_room(&mut self, now_ns: u64, wire_bytes: u32) -> bool {
        let needed = self.first.waiting().bytes + u64::from(wire_bytes);
        let burst_bytes = u64::from(self.profile.burst_bytes);
        let room_for = |flows: usize| flows as u64 * burst_bytes + LARGEST_PACKET_BYTES;
        // The flows need be counted only where it matters.
        match needed {
            needed if needed <= room_for(1) => true,
            needed if needed > room_for(self.buckets.len()) => false,
            needed => needed <= room_for(self.active_flows(now_ns)),
        }
    }
}

impl<P: Packet> Discipline<P> for Expedited<P> {
    #[inline(never)]
    fn enqueue(&mut self, now_ns: u64, packet: P, evicted: &mut Evicted<P>) -> Verdict {
        if !packet.expedited() {
            return self.others.enqueue(now_ns, packet, evicted);
        }
        if !self.conforms(now_ns, &packet) {
            return Verdict::Policed;
        }
        if !self.has_room(now_ns, packet.wire_bytes()) {
            return Verdict::DroppedFull;
        }
        self.first.enqueue(now_ns, packet, evicted)
    }

    #[inline(never)]
    fn enqueue_ack(
        &mut self,
        now_ns: u64,
        packet: P,
        ack: &PureAck,
        evicted: &mut Evicted<P>,
    ) -> Verdict {
        match packet.expedited() {
            false => self.others.enqueue_ack(now_ns, packet, ack, evicted),
            true => self.enqueue(now_ns, packet, evicted),
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now_ns: u64, evicted: &mut Evicted<P>) -> Option<P> {
        self.first
            .dequeue(now_ns, evicted)
            .or_else(|| self.others.dequeue(now_ns, evicted))
    }

    #[inline(never)]
    fn pass(&mut self, now_ns: u64, packet: P, evicted: &mut Evicted<P>) -> Result<P, Verdict> {
        if !packet.expedited() {
            return self.others.pass(now_ns, packet, evicted);
        }
        match self.conforms(now_ns, &packet) {
            true => Ok(packet),
            false => Err(Verdict::Policed),
        }
    }

    fn reserve(&mut self, packets: usize) {
        self.others.reserve(packets);
    }

    fn waiting(&self) -> Count {
        let (first, others) = (self.first.waiting(), self.others.waiting());
        Count {
            packets: first.packets + others.packets,
            bytes: first.bytes + others.bytes,
        }
    }
}

#[cfg(test)]
mod tests;
