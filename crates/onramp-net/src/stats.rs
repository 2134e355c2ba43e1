//! What a link counted.

/// Packets and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Packets.
    pub packets: u64,
    /// Sum of their wire bytes.
    pub bytes: u64,
}

impl Count {
    pub(crate) fn add(&mut self, wire_bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(wire_bytes);
    }
}

/// A link's counters since it was made. At every moment, for packets and for bytes,
/// `offered = lost + dropped + delivered + in the queue + in service + propagating`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStats {
    /// Passed to [`Link::offer`](crate::Link::offer).
    pub offered: Count,
    /// Lost at random, before the queue.
    pub lost: Count,
    /// Refused by the queue.
    pub dropped: Count,
    /// Handed out by [`Link::poll`](crate::Link::poll).
    pub delivered: Count,
    /// The most packets that ever stood in the queue, and the most bytes (not necessarily at the same time).
    pub peak_queue: Count,
}
