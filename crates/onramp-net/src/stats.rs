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
    #[inline]
    pub(crate) fn add(&mut self, wire_bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(wire_bytes);
    }
}

/// A link's counters since it was made. At every moment, for packets and for bytes, `offered +
/// duplicated = policed + lost + dropped + evicted + thinned + delivered + in the queue + in
/// service + propagating`, where those held for aggregation are propagating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStats {
    /// Passed to [`Link::offer`](crate::Link::offer).
    pub offered: Count,
    /// Dropped by the policer, or expedited ones beyond their flow's profile.
    pub policed: Count,
    /// Lost at random, before the queue.
    pub lost: Count,
    /// Refused by the queue on arrival, early or because it was full.
    pub dropped: Count,
    /// Taken out of the queue again after it had accepted them: by CoDel, or from FQ-CoDel's
    /// fattest flow. They are what [`Link::take_dropped`](crate::Link::take_dropped) hands out.
    pub evicted: Count,
    /// Acknowledgements taken out of the queue again because later ones said as much;
    /// `take_dropped` hands them out too.
    pub thinned: Count,
    /// Copies, which are delivered in addition to their originals.
    pub duplicated: Count,
    /// Handed out by [`Link::poll`](crate::Link::poll), copies included.
    pub delivered: Count,
    /// The most packets that ever stood in the queue, and the most bytes (not necessarily at the
    /// same time).
    pub peak_queue: Count,
}
