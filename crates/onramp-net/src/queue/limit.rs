//! How much room a queue has.

use crate::Count;

/// Room of a queue. The packet in service is not in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// At most so many packets wait, whatever their size.
    Packets(u32),
    /// At most so many wire bytes wait; a packet that does not fit whole is refused.
    Bytes(u64),
}

impl Limit {
    /// Whether a packet fits in beside those that wait.
    #[inline]
    pub(crate) fn admits(self, waiting: Count, wire_bytes: u32) -> bool {
        match self {
            Limit::Packets(packets) => waiting.packets < u64::from(packets),
            Limit::Bytes(bytes) => waiting.bytes + u64::from(wire_bytes) <= bytes,
        }
    }

    /// How many packets it lets in, of so many; small ones where it is in bytes.
    pub(crate) fn packets_of(self, packets: usize) -> usize {
        match self {
            Limit::Packets(limit) => packets.min(limit as usize),
            Limit::Bytes(limit) => packets.min(usize::try_from(limit).unwrap_or(packets)),
        }
    }
}
