//! The fate of an offered packet.

/// The fate of an offered packet. After [`Verdict::Queued`] the link owns the packet and returns it
/// later through [`Link::poll`](crate::Link::poll) or
/// [`Link::take_dropped`](crate::Link::take_dropped). After every other verdict the packet no
/// longer exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The packet was accepted: it is queued, in service or propagating.
    Queued,
    /// The packet exceeded the token bucket of the policer, or that of its flow if it is expedited.
    Policed,
    /// The loss process dropped the packet.
    LostRandom,
    /// The queue was full, or the packet is larger than the shaper's token bucket.
    DroppedFull,
    /// RED dropped the packet early.
    DroppedEarly,
}
