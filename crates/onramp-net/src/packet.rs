//! The packets that links carry.

/// The properties of a packet that a link uses. The packet itself can be a simulator's handle into
/// a pool, or a buffer of bytes.
///
/// A link clones a packet only to duplicate it. [`Departure::is_copy`](crate::Departure::is_copy)
/// marks the clone.
pub trait Packet: Clone {
    /// Size of the IP packet in bytes, headers included. The serialiser and every limit in bytes
    /// use this size. It must be below 2^30.
    fn wire_bytes(&self) -> u32;

    /// A number that all packets of one flow share. FQ-CoDel, the ACK filter and the profiles of
    /// expedited flows tell flows apart by it.
    fn flow_hash(&self) -> u32 {
        0
    }

    /// Whether the packet belongs to a flow with a guaranteed rate. Only a link with
    /// [`Config::expedited`](crate::Config::expedited) uses this.
    fn is_expedited(&self) -> bool {
        false
    }

    /// Whether both ends of the packet's connection understand marks (ECT or CE, RFC 3168). A queue
    /// with ECN marks such a packet where it would drop another one early.
    fn is_ecn_capable(&self) -> bool {
        false
    }

    /// Whether the packet belongs to the low-latency queue of L4S: ECT(1) or CE (RFC 9331, section
    /// 5.1). Such a packet [is capable](Packet::is_ecn_capable) of ECN. Only DualPI2 uses this.
    fn is_l4s(&self) -> bool {
        false
    }

    /// Marks the packet: congestion experienced (CE, RFC 3168). A link calls this only for a packet
    /// that [is capable](Packet::is_ecn_capable) of ECN.
    fn mark_ce(&mut self) {}
}
