//! Drop-tail: a FIFO that drops arriving packets when it is full.

use super::discipline::{Discipline, Evicted};
use super::limit::Limit;
use crate::{Count, Packet, Verdict};
use std::collections::VecDeque;

/// A FIFO queue that drops an arriving packet if it does not fit.
#[derive(Clone, Debug)]
pub(crate) struct DropTail<P> {
    limit: Limit,
    bytes: u64,
    packets: VecDeque<P>,
}

impl<P> DropTail<P> {
    pub fn new(limit: Limit) -> DropTail<P> {
        DropTail {
            limit,
            bytes: 0,
            packets: VecDeque::new(),
        }
    }
}

impl<P: Packet> Discipline<P> for DropTail<P> {
    #[inline(always)]
    fn enqueue(&mut self, _now_ns: u64, packet: P, _evicted: &mut Evicted<P>) -> Verdict {
        let bytes = packet.wire_bytes();
        if !self.limit.admits(self.waiting(), bytes) {
            return Verdict::DroppedFull;
        }
        self.bytes += u64::from(bytes);
        self.packets.push_back(packet);
        Verdict::Queued
    }

    #[inline(always)]
    fn dequeue(&mut self, _now_ns: u64, _evicted: &mut Evicted<P>) -> Option<P> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.wire_bytes());
        Some(packet)
    }

    fn reserve(&mut self, packets: usize) {
        self.packets.reserve(self.limit.packets_of(packets));
    }

    #[inline(always)]
    fn waiting(&self) -> Count {
        Count {
            packets: self.packets.len() as u64,
            bytes: self.bytes,
        }
    }
}
