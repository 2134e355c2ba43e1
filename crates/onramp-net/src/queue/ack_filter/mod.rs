//! A drop-tail queue that thins ACKs. When a pure ACK arrives, the queue drops the waiting ACKs of
//! its flow that it supersedes. The rules for which ACKs to keep are those of the `ack-filter` of
//! CAKE (Linux, net/sched/sch_cake.c: Høiland-Jørgensen, Täht & Morton 2018). All superseded ACKs
//! are dropped, as in its `ack-filter-aggressive`.

use super::{Discipline, Evicted, Limit};
use crate::{Count, Packet, Verdict};
use std::collections::VecDeque;

/// A TCP segment that only acknowledges. It has no payload. Its only control bits are ACK and those
/// of ECN, and its only options are timestamps and SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PureAck {
    ack: u32,
    ecn: u8,
    timestamps: Option<(u32, u32)>,
    blocks: [(u32, u32); 4],
    block_count: u8,
}

impl PureAck {
    /// An ACK of everything before `ack`, with its ECN control bits, its timestamps (TSval, TSecr)
    /// and its SACK blocks. At most four blocks are kept.
    pub fn new(ack: u32, ecn: u8, timestamps: Option<(u32, u32)>, sack: &[(u32, u32)]) -> PureAck {
        let mut blocks = [(0, 0); 4];
        let block_count = sack.len().min(blocks.len());
        blocks[..block_count].copy_from_slice(&sack[..block_count]);
        PureAck {
            ack,
            ecn,
            timestamps,
            blocks,
            block_count: block_count as u8,
        }
    }

    fn sack(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.block_count)]
    }

    /// Whether a sender that receives this ACK loses no information if it does not receive the
    /// `older` ACK of the same flow. It would lose information if the older ACK is a duplicate ACK,
    /// since the number of duplicates signals losses; if its ECN bits differ; if it carries a
    /// duplicate SACK (RFC 2883); or if it has a SACK block that no block of this ACK covers.
    pub fn supersedes(&self, older: &PureAck) -> bool {
        let timestamps_are_older = match (older.timestamps, self.timestamps) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(older), Some(own)) => !is_after(older.0, own.0) && !is_after(older.1, own.1),
        };
        if older.ecn != self.ecn || is_after(older.ack, self.ack) || !timestamps_are_older {
            return false;
        }
        let covers = |(left, right)| {
            self.sack()
                .iter()
                .any(|own| !is_after(own.0, left) && !is_after(right, own.1))
        };
        let is_covered = |block: &(u32, u32)| !is_after(older.ack, block.0) && covers(*block);
        older.sack().iter().all(is_covered)
            && (older.ack != self.ack || sacked_bytes(self.sack()) > sacked_bytes(older.sack()))
    }
}

/// Whether one sequence number or timestamp is after another (RFC 9293, section 3.4).
fn is_after(one: u32, other: u32) -> bool {
    (other.wrapping_sub(one) as i32) < 0
}

fn sacked_bytes(blocks: &[(u32, u32)]) -> u64 {
    blocks
        .iter()
        .map(|(left, right)| u64::from(right.wrapping_sub(*left)))
        .sum()
}

/// A FIFO queue with a limit that drops superseded ACKs.
#[derive(Debug)]
pub(crate) struct AckFilter<P> {
    limit: Limit,
    bytes: u64,
    packets: VecDeque<Waiting<P>>,
}

#[derive(Debug)]
struct Waiting<P> {
    packet: P,
    /// The flow and the ACK, if the packet is a pure ACK.
    ack: Option<(u32, PureAck)>,
}

impl<P: Packet> AckFilter<P> {
    pub fn new(limit: Limit) -> AckFilter<P> {
        AckFilter {
            limit,
            bytes: 0,
            packets: VecDeque::new(),
        }
    }

    fn push(&mut self, packet: P, ack: Option<(u32, PureAck)>) -> Verdict {
        let bytes = packet.wire_bytes();
        if !self.limit.admits(self.waiting(), bytes) {
            return Verdict::DroppedFull;
        }
        self.bytes += u64::from(bytes);
        self.packets.push_back(Waiting { packet, ack });
        Verdict::Queued
    }

    fn remove(&mut self, place: usize) -> Option<P> {
        let packet = self.packets.remove(place)?.packet;
        self.bytes -= u64::from(packet.wire_bytes());
        Some(packet)
    }
}

impl<P: Packet> Discipline<P> for AckFilter<P> {
    #[inline(never)]
    fn enqueue(&mut self, _now_ns: u64, packet: P, _evicted: &mut Evicted<P>) -> Verdict {
        self.push(packet, None)
    }

    #[inline(never)]
    fn enqueue_ack(
        &mut self,
        _now_ns: u64,
        packet: P,
        ack: &PureAck,
        evicted: &mut Evicted<P>,
    ) -> Verdict {
        let flow = packet.flow_hash();
        let is_superseded = |waiting: &Waiting<P>| {
            waiting
                .ack
                .is_some_and(|(other, older)| other == flow && ack.supersedes(&older))
        };
        let mut remaining = self.waiting();
        for superseded in self.packets.iter().filter(|waiting| is_superseded(waiting)) {
            remaining.packets -= 1;
            remaining.bytes -= u64::from(superseded.packet.wire_bytes());
        }
        // If the new ACK does not fit even then, keep the older ones: their information would be
        // lost.
        if !self.limit.admits(remaining, packet.wire_bytes()) {
            return Verdict::DroppedFull;
        }
        while self.waiting().packets > remaining.packets {
            let place = self.packets.iter().position(is_superseded);
            let Some(thinned) = place.and_then(|place| self.remove(place)) else {
                break;
            };
            evicted.push_thinned(thinned);
        }
        self.push(packet, Some((flow, *ack)))
    }

    #[inline(never)]
    fn dequeue(&mut self, _now_ns: u64, _evicted: &mut Evicted<P>) -> Option<P> {
        self.remove(0)
    }

    fn reserve(&mut self, packets: usize) {
        self.packets.reserve(self.limit.packets_of(packets));
    }

    fn waiting(&self) -> Count {
        Count {
            packets: self.packets.len() as u64,
            bytes: self.bytes,
        }
    }
}

#[cfg(test)]
mod tests;
