//! A FIFO that stores the arrival time of each packet, from which CoDel and DualPI2 compute the
//! sojourn time.

use crate::{Count, Packet};
use std::collections::VecDeque;

/// A FIFO of packets with their arrival times.
#[derive(Clone, Debug)]
pub(super) struct TimestampedFifo<P> {
    bytes: u64,
    packets: VecDeque<(u64, P)>,
}

impl<P: Packet> TimestampedFifo<P> {
    pub fn new() -> TimestampedFifo<P> {
        TimestampedFifo {
            bytes: 0,
            packets: VecDeque::new(),
        }
    }

    pub fn reserve(&mut self, packets: usize) {
        self.packets.reserve(packets);
    }

    pub fn push(&mut self, now_ns: u64, packet: P) {
        self.bytes += u64::from(packet.wire_bytes());
        self.packets.push_back((now_ns, packet));
    }

    /// Removes the oldest packet and returns it with its arrival time.
    pub fn pop(&mut self) -> Option<(u64, P)> {
        let (enqueued_ns, packet) = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.wire_bytes());
        Some((enqueued_ns, packet))
    }

    /// Arrival time of the oldest packet.
    pub fn head_ns(&self) -> Option<u64> {
        self.packets.front().map(|(enqueued_ns, _)| *enqueued_ns)
    }

    pub fn waiting(&self) -> Count {
        Count {
            packets: self.packets.len() as u64,
            bytes: self.bytes,
        }
    }
}
