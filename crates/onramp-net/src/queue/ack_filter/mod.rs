//! A drop-tail queue that thins acknowledgements: as a pure acknowledgement comes, those of its
//! flow that wait and that it makes superfluous are taken out. What is worth keeping is decided as
//! in the `ack-filter` of CAKE (Linux, net/sched/sch_cake.c: Høiland-Jørgensen, Täht & Morton
//! 2018); of those that are not, none is kept, as in its `ack-filter-aggressive`.

use super::{Discipline, Evicted, Limit};
use crate::{Count, Packet, Verdict};
use std::collections::VecDeque;

/// A TCP segment that acknowledges and does nothing else: it has no payload, of the control bits
/// ACK and perhaps those of ECN, and of the options timestamps and SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PureAck {
    ack: u32,
    ecn: u8,
    timestamps: Option<(u32, u32)>,
    blocks: [(u32, u32); 4],
    block_count: u8,
}

impl PureAck {
    /// One that acknowledges everything before `ack`, with these control bits of ECN, these
    /// timestamps (TSval and TSecr) and these SACK blocks, of which the first four count.
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

    /// Whether a sender that gets this one misses nothing of an older one of the same flow. It
    /// misses a duplicate, the number of which tells of losses; what that one says of ECN, and this
    /// one does not; a duplicate SACK (RFC 2883); and SACK blocks that are in none of this one's.
    pub fn makes_superfluous(&self, older: &PureAck) -> bool {
        let are_older = match (older.timestamps, self.timestamps) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(older), Some(own)) => !is_after(older.0, own.0) && !is_after(older.1, own.1),
        };
        if older.ecn != self.ecn || is_after(older.ack, self.ack) || !are_older {
            return false;
        }
        let holds = |(left, right)| {
            self.sack()
                .iter()
                .any(|own| !is_after(own.0, left) && !is_after(right, own.1))
        };
        let is_held = |block: &(u32, u32)| !is_after(older.ack, block.0) && holds(*block);
        older.sack().iter().all(is_held)
            && (older.ack != self.ack || bytes_of(self.sack()) > bytes_of(older.sack()))
    }
}

/// One sequence number, or timestamp, comes after another (RFC 9293, section 3.4).
fn is_after(one: u32, other: u32) -> bool {
    (other.wrapping_sub(one) as i32) < 0
}

fn bytes_of(blocks: &[(u32, u32)]) -> u64 {
    blocks
        .iter()
        .map(|(left, right)| u64::from(right.wrapping_sub(*left)))
        .sum()
}

/// A first-in first-out queue that refuses what does not fit, and thins acknowledgements.
#[derive(Debug)]
pub(crate) struct AckFilter<P> {
    limit: Limit,
    bytes: u64,
    packets: VecDeque<Waiting<P>>,
}

#[derive(Debug)]
struct Waiting<P> {
    packet: P,
    /// Of a pure acknowledgement, with its flow.
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
        let is_superfluous = |waiting: &Waiting<P>| {
            waiting
                .ack
                .is_some_and(|(other, older)| other == flow && ack.makes_superfluous(&older))
        };
        let mut left = self.waiting();
        for superfluous in self
            .packets
            .iter()
            .filter(|waiting| is_superfluous(waiting))
        {
            left.packets -= 1;
            left.bytes -= u64::from(superfluous.packet.wire_bytes());
        }
        // Nothing makes room for what does not fit then either, and would be missed.
        if !self.limit.admits(left, packet.wire_bytes()) {
            return Verdict::DroppedFull;
        }
        while self.waiting().packets > left.packets {
            let place = self.packets.iter().position(is_superfluous);
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
