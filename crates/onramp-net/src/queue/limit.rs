//! The limit of a queue.

use crate::Count;

/// The limit of a queue. The packet in service is not in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Maximum number of packets in the queue, whatever their sizes.
    Packets(u32),
    /// Maximum number of wire bytes in the queue. A packet is dropped unless all its bytes fit.
    Bytes(u64),
}

impl Limit {
    /// Whether a packet of this size fits into a queue that already holds `waiting`.
    #[inline]
    pub(crate) fn admits(self, waiting: Count, wire_bytes: u32) -> bool {
        match self {
            Limit::Packets(packets) => waiting.packets < u64::from(packets),
            Limit::Bytes(bytes) => waiting.bytes + u64::from(wire_bytes) <= bytes,
        }
    }

    /// Maximum number of packets, of at most `packets`, that can be in the queue at once. A limit
    /// in bytes allows for packets of one byte.
    pub(crate) fn packets_of(self, packets: usize) -> usize {
        match self {
            Limit::Packets(limit) => packets.min(limit as usize),
            Limit::Bytes(limit) => packets.min(usize::try_from(limit).unwrap_or(packets)),
        }
    }
}
