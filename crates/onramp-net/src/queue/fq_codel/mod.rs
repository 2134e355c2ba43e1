//! FQ-CoDel: a CoDel queue per flow, served by deficit round robin. RFC 8290 (Hoeiland-Joergensen,
//! McKenney, Taht, Gettys, Dumazet 2018).
//!
//! Flows are hashed to queues. A queue that becomes active is new. It is served before the old
//! queues until it has sent a quantum of bytes or is empty, so a sparse flow never waits for a
//! backlogged one. If the total exceeds the limit, packets are dropped at the head of the longest
//! queue, whichever flow the arriving packet belongs to.
//!
//! The defaults are those of section 5.2. NOTE: CoDel's condition "no more than an MTU waits"
//! applies to the flow's own queue.

use super::codel::{CoDelConfig, Control};
use super::discipline::{Discipline, Evicted};
use super::limit::Limit;
use super::timestamped::TimestampedFifo;
use crate::random::{stream, Element};
use crate::{Count, Packet, Verdict};
use rand_core::Rng;
use std::collections::VecDeque;

/// The configuration of an FQ-CoDel queue.
#[derive(Clone, Debug, PartialEq)]
pub struct FqCoDelConfig {
    /// As [`CoDelConfig::target_ns`](crate::CoDelConfig::target_ns).
    pub target_ns: u64,
    /// As [`CoDelConfig::interval_ns`](crate::CoDelConfig::interval_ns).
    pub interval_ns: u64,
    /// As [`CoDelConfig::mtu_bytes`](crate::CoDelConfig::mtu_bytes).
    pub mtu_bytes: u32,
    /// Number of queues to which flows are hashed, 1 to 2^20.
    pub flows: u32,
    /// Bytes that a queue may send in one round, 1 to 2^30 - 1.
    pub quantum_bytes: u32,
    /// Maximum number of packets in all queues together, at least 1.
    pub limit_packets: u32,
    /// Maximum number of packets dropped at once, at least 1. When the limit is exceeded, half of
    /// the longest queue is dropped, up to this number.
    pub drop_batch_packets: u32,
    /// As [`CoDelConfig::ecn`](crate::CoDelConfig::ecn). Packets beyond the limit are dropped.
    pub ecn: bool,
}

impl Default for FqCoDelConfig {
    fn default() -> FqCoDelConfig {
        let codel = CoDelConfig::default();
        FqCoDelConfig {
            target_ns: codel.target_ns,
            interval_ns: codel.interval_ns,
            mtu_bytes: codel.mtu_bytes,
            flows: 1024,
            quantum_bytes: 1514,
            limit_packets: 10_240,
            drop_batch_packets: 64,
            ecn: codel.ecn,
        }
    }
}

#[derive(Clone, Debug)]
struct Flow<P> {
    queue: TimestampedFifo<P>,
    control: Control,
    /// Bytes that the flow may still send in this round.
    deficit: i64,
    /// Whether the flow is in one of the two lists.
    is_active: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct FqCoDel<P> {
    config: FqCoDelConfig,
    /// What CoDel does in each queue. The limit is that of all together.
    codel: CoDelConfig,
    /// Makes hash collisions differ from seed to seed (section 4.1).
    perturbation: u32,
    flows: Vec<Flow<P>>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    waiting: Count,
}

impl<P: Packet> FqCoDel<P> {
    pub fn new(config: &FqCoDelConfig, seed: u64) -> FqCoDel<P> {
        let flows = config.flows as usize;
        let flow = || Flow {
            queue: TimestampedFifo::new(),
            control: Control::default(),
            deficit: 0,
            is_active: false,
        };
        FqCoDel {
            codel: CoDelConfig {
                target_ns: config.target_ns,
                interval_ns: config.interval_ns,
                mtu_bytes: config.mtu_bytes,
                limit: Limit::Packets(config.limit_packets),
                ecn: config.ecn,
            },
            perturbation: stream(seed, Element::Queue).next_u32(),
            flows: std::iter::repeat_with(flow).take(flows).collect(),
            new: VecDeque::with_capacity(flows),
            old: VecDeque::with_capacity(flows),
            waiting: Count::default(),
            config: config.clone(),
        }
    }

    /// Hashes the flow's number and the perturbation (the finaliser of MurmurHash3), and scales the
    /// result to the number of queues.
    fn flow_of(&self, packet: &P) -> u32 {
        let mut hash = packet.flow_hash() ^ self.perturbation;
        hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
        hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
        hash ^= hash >> 16;
        ((u64::from(hash) * u64::from(self.config.flows)) >> 32) as u32
    }

    /// Section 4.1: drops packets at the head of the queue with the most bytes.
    fn drop_from_longest(&mut self, evicted: &mut Evicted<P>) {
        let bytes = |flow: &&u32| self.flows[**flow as usize].queue.waiting().bytes;
        let Some(&longest) = self.new.iter().chain(&self.old).max_by_key(bytes) else {
            return;
        };
        let queue = &mut self.flows[longest as usize].queue;
        let half = queue.waiting().packets.div_ceil(2);
        for _ in 0..half.min(u64::from(self.config.drop_batch_packets)) {
            let Some((_, packet)) = queue.pop() else {
                return;
            };
            self.waiting.packets -= 1;
            self.waiting.bytes -= u64::from(packet.wire_bytes());
            evicted.push(packet);
        }
    }
}

impl<P: Packet> Discipline<P> for FqCoDel<P> {
    /// Section 4.1. The packet is always accepted. If it is then dropped because the limit is
    /// exceeded, it counts as evicted.
    #[inline(never)]
    fn enqueue(&mut self, now_ns: u64, packet: P, evicted: &mut Evicted<P>) -> Verdict {
        let index = self.flow_of(&packet);
        let flow = &mut self.flows[index as usize];
        self.waiting.add(packet.wire_bytes());
        flow.queue.push(now_ns, packet);
        if !flow.is_active {
            flow.is_active = true;
            flow.deficit = i64::from(self.config.quantum_bytes);
            self.new.push_back(index);
        }
        if self.waiting.packets > u64::from(self.config.limit_packets) {
            self.drop_from_longest(evicted);
        }
        Verdict::Queued
    }

    /// Section 4.2.
    #[inline(never)]
    fn dequeue(&mut self, now_ns: u64, evicted: &mut Evicted<P>) -> Option<P> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let index = *list.front()?;
            let flow = &mut self.flows[index as usize];
            if flow.deficit <= 0 {
                flow.deficit += i64::from(self.config.quantum_bytes);
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            let before = flow.queue.waiting();
            let packet = flow
                .control
                .dequeue(&self.codel, now_ns, &mut flow.queue, evicted);
            let after = flow.queue.waiting();
            self.waiting.packets -= before.packets - after.packets;
            self.waiting.bytes -= before.bytes - after.bytes;
            if let Some(packet) = packet {
                flow.deficit -= i64::from(packet.wire_bytes());
                return Some(packet);
            }
            // An emptied new queue first moves to the list of old queues. Otherwise it could be new
            // again at once and starve the old ones.
            list.pop_front();
            if is_new {
                self.old.push_back(index);
            } else {
                flow.is_active = false;
            }
        }
    }

    /// The packet goes through its flow's queue, so that it counts against the flow's quantum.
    #[inline(never)]
    fn pass(&mut self, now_ns: u64, packet: P, evicted: &mut Evicted<P>) -> Result<P, Verdict> {
        self.enqueue(now_ns, packet, evicted);
        Ok(self
            .dequeue(now_ns, evicted)
            .expect("CoDel does not drop a packet that has just arrived"))
    }

    /// Reserves nothing: the distribution of packets over the flows' queues is unknown.
    fn reserve(&mut self, _packets: usize) {}

    fn waiting(&self) -> Count {
        self.waiting
    }
}

#[cfg(test)]
mod tests;
