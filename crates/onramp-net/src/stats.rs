//! The counters of a link.

/// A number of packets and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Number of packets.
    pub packets: u64,
    /// Sum of their wire bytes.
    pub bytes: u64,
}

impl Count {
    /// Counts a packet.
    #[inline]
    pub fn add(&mut self, wire_bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(wire_bytes);
    }

    /// The count without one of its packets.
    #[must_use]
    pub fn without(self, wire_bytes: u32) -> Count {
        Count {
            packets: self.packets - 1,
            bytes: self.bytes - u64::from(wire_bytes),
        }
    }

    /// Raises each of the two to that of `other`, if it is larger there.
    #[inline]
    pub(crate) fn raise_to(&mut self, other: Count) {
        self.packets = self.packets.max(other.packets);
        self.bytes = self.bytes.max(other.bytes);
    }
}

/// The counters of a link since it was built. At every moment this holds, for packets and for
/// bytes: `offered + duplicated = policed + lost + dropped + evicted + thinned + delivered + in the
/// queue + in service + propagating`. Packets held for aggregation count as propagating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStats {
    /// Packets passed to [`Link::offer`](crate::Link::offer).
    pub offered: Count,
    /// Packets dropped by the policer, and expedited packets that exceeded their flow's profile.
    pub policed: Count,
    /// Packets dropped by the loss process, before the queue.
    pub lost: Count,
    /// Packets dropped by the queue on arrival, because it was full or early by RED.
    pub dropped: Count,
    /// Packets that the queue accepted and dropped later: by CoDel, or from the longest queue of
    /// FQ-CoDel. [`Link::take_dropped`](crate::Link::take_dropped) returns them.
    pub evicted: Count,
    /// Queued ACKs that were dropped because a later ACK superseded them.
    /// [`Link::take_dropped`](crate::Link::take_dropped) returns them too.
    pub thinned: Count,
    /// Packets that the queue marked instead of dropping them early (ECN). They stay in the queue,
    /// so they are in none of the sums above.
    pub marked: Count,
    /// Copies, delivered in addition to their originals.
    pub duplicated: Count,
    /// Packets returned by [`Link::poll`](crate::Link::poll), copies included.
    pub delivered: Count,
    /// Maximum number of packets in the queue, and maximum number of bytes. The two maxima can be
    /// of different times.
    pub peak_queue: Count,
}
