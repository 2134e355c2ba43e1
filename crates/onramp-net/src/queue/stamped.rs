//! Packets with the time at which they came: what CoDel needs in order to know how long they stood.

use crate::{Count, Packet};
use std::collections::VecDeque;

/// A first-in first-out store.
#[derive(Debug)]
pub(super) struct Stamped<P> {
    bytes: u64,
    packets: VecDeque<(u64, P)>,
}

impl<P: Packet> Stamped<P> {
    pub fn new() -> Stamped<P> {
        Stamped {
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

    /// The oldest packet and when it came.
    pub fn pop(&mut self) -> Option<(u64, P)> {
        let (came_ns, packet) = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.wire_bytes());
        Some((came_ns, packet))
    }

    pub fn waiting(&self) -> Count {
        Count {
            packets: self.packets.len() as u64,
            bytes: self.bytes,
        }
    }
}
