//! A drop-tail queue that thins ACKs. When a pure ACK arrives, the queue drops the waiting ACKs of
//! its flow that it supersedes. The rules for which ACKs to keep are those of the `ack-filter` of
//! CAKE (Linux, net/sched/sch_cake.c: Høiland-Jørgensen, Täht & Morton 2018). All superseded ACKs
//! are dropped, as in its `ack-filter-aggressive`.

use super::discipline::{Discipline, Evicted};
use super::limit::Limit;
use super::pure_ack::PureAck;
use crate::{Count, Packet, Verdict};
use std::collections::VecDeque;

/// A FIFO queue with a limit that drops superseded ACKs.
#[derive(Clone, Debug)]
pub(crate) struct AckFilter<P> {
    limit: Limit,
    bytes: u64,
    packets: VecDeque<Waiting<P>>,
}

#[derive(Clone, Debug)]
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
