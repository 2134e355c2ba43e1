//! Expedited forwarding: flows with a guaranteed rate are served first. RFC 3246 (Davie et al.
//! 2002), in a router with differentiated services (RFC 2475).
//!
//! Each expedited flow has a profile, which is a token bucket of its own. Packets that exceed it
//! are dropped. Packets that conform wait in a FIFO, which has strict, non-preemptive priority over
//! the queue of all other packets. An expedited packet therefore waits for other expedited packets
//! and for at most one other packet: the one in service when it arrives.
//!
//! Assume that the guaranteed rates of the flows add up to at most the link's rate C. A flow with
//! the token bucket (rho, sigma) sends at most `sigma + rho t` in a time t. A flow whose bucket is
//! full again has sent at most `rho t`. The link serves at least `C t - L` of this, where L is the
//! size of the other packet in service. So the FIFO never holds more than the bursts of the flows
//! whose buckets are not full, plus L bytes. Its limit is exactly this: sigma for each such flow,
//! plus the largest IP packet. A conforming expedited packet is therefore dropped only if more was
//! guaranteed than the link can carry.

use super::discipline::{Discipline, Evicted};
use super::drop_tail::DropTail;
use super::limit::Limit;
use super::pure_ack::PureAck;
use crate::token_bucket::{Bucket, TokenBucket};
use crate::{Count, Packet, Verdict};
use std::collections::HashMap;

/// Maximum number of flows with a token bucket at the same time. A flow whose bucket is full again
/// is removed, which makes no difference to it. While there is no such flow, a further flow has no
/// guarantee, and its expedited packets are dropped.
pub(crate) const MAX_FLOWS: usize = 4096;

/// Size of the largest IP packet, which may be in service when the first expedited packet arrives.
const LARGEST_PACKET_BYTES: u64 = 65_535;

/// The FIFO of expedited packets, before the queue `Q` of all other packets.
#[derive(Clone, Debug)]
pub(crate) struct Expedited<P, Q> {
    profile: TokenBucket,
    buckets: HashMap<u32, Bucket>,
    /// No bucket is full before this time, so the buckets need not be searched before.
    none_full_before_ns: u64,
    expedited: DropTail<P>,
    others: Q,
}

impl<P: Packet, Q: Discipline<P>> Expedited<P, Q> {
    pub fn new(profile: TokenBucket, others: Q) -> Expedited<P, Q> {
        let (buckets, expedited) = (HashMap::new(), DropTail::new(Limit::Bytes(u64::MAX)));
        Expedited {
            profile,
            buckets,
            none_full_before_ns: 0,
            expedited,
            others,
        }
    }

    /// Whether an expedited packet conforms to its flow's profile. If it does, it takes its tokens.
    fn conforms(&mut self, now_ns: u64, packet: &P) -> bool {
        let flow = packet.flow_hash();
        if !self.buckets.contains_key(&flow) {
            if self.buckets.len() == MAX_FLOWS && self.active_flows(now_ns) == MAX_FLOWS {
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

    /// Number of flows whose buckets are not full. Removes the other flows.
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
        let needed = self.expedited.waiting().bytes + u64::from(wire_bytes);
        let burst_bytes = u64::from(self.profile.burst_bytes);
        let room_for = |flows: usize| flows as u64 * burst_bytes + LARGEST_PACKET_BYTES;
        // Count the active flows only if the result depends on their number.
        match needed {
            needed if needed <= room_for(1) => true,
            needed if needed > room_for(self.buckets.len()) => false,
            needed => needed <= room_for(self.active_flows(now_ns)),
        }
    }
}

impl<P: Packet, Q: Discipline<P>> Discipline<P> for Expedited<P, Q> {
    #[inline(never)]
    fn enqueue(&mut self, now_ns: u64, packet: P, evicted: &mut Evicted<P>) -> Verdict {
        if !packet.is_expedited() {
            return self.others.enqueue(now_ns, packet, evicted);
        }
        if !self.conforms(now_ns, &packet) {
            return Verdict::Policed;
        }
        if !self.has_room(now_ns, packet.wire_bytes()) {
            return Verdict::DroppedFull;
        }
        self.expedited.enqueue(now_ns, packet, evicted)
    }

    #[inline(never)]
    fn enqueue_ack(
        &mut self,
        now_ns: u64,
        packet: P,
        ack: &PureAck,
        evicted: &mut Evicted<P>,
    ) -> Verdict {
        match packet.is_expedited() {
            false => self.others.enqueue_ack(now_ns, packet, ack, evicted),
            true => self.enqueue(now_ns, packet, evicted),
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now_ns: u64, evicted: &mut Evicted<P>) -> Option<P> {
        self.expedited
            .dequeue(now_ns, evicted)
            .or_else(|| self.others.dequeue(now_ns, evicted))
    }

    #[inline(never)]
    fn pass(&mut self, now_ns: u64, packet: P, evicted: &mut Evicted<P>) -> Result<P, Verdict> {
        if !packet.is_expedited() {
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
        let (expedited, others) = (self.expedited.waiting(), self.others.waiting());
        Count {
            packets: expedited.packets + others.packets,
            bytes: expedited.bytes + others.bytes,
        }
    }
}

#[cfg(test)]
mod tests;
