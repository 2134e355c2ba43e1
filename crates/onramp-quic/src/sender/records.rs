//! The events that a host reports to a [`Sender`](super::Sender), and what it does then.

/// The sum of the packets that an ACK frame newly acknowledges.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Acked {
    /// The time of the ACK frame.
    pub now_ns: u64,
    /// When the newest of the packets was sent.
    pub newest_sent_ns: u64,
    /// Bytes of the packets.
    pub bytes: u64,
    /// Bytes in flight without the packets.
    pub inflight_bytes: u64,
    /// Smoothed RTT.
    pub srtt_ns: u64,
    /// RTT sample of the newest packet, with the peer's delay: it says when the packet left.
    /// `None`: the packet is not newer than all that were acknowledged before.
    pub rtt_ns: Option<u64>,
    /// When the newest of the packets arrived, by the receiver's clock in microseconds, if it is
    /// known. See [`Sender::use_receiver_clock`](super::Sender::use_receiver_clock).
    pub receiver_us: Option<u64>,
    /// The application had nothing to send.
    pub is_app_limited: bool,
    /// cwnd held the sender back, while packets were in flight that were unacknowledged before this
    /// frame.
    pub is_cwnd_limited: bool,
}

/// Why cwnd is to be reduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// Packets were lost.
    #[default]
    Loss,
    /// An ECN mark was reported.
    Mark,
    /// All packets of a long time were lost (RFC 9002, section 7.6).
    PersistentCongestion,
}

/// A congestion event: packets were lost, or marked.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Congestion {
    /// The time of the event.
    pub now_ns: u64,
    /// When the newest of the packets was sent.
    pub newest_sent_ns: u64,
    /// Bytes of the lost packets; 0 for a mark. [`count_lost`](super::Sender::count_lost) has
    /// counted them.
    pub lost_bytes: u64,
    /// Bytes that the latest ACK frame acknowledged behind the first of the lost packets.
    pub acked_behind_bytes: u64,
    /// The ssthresh that the host's congestion avoidance would set.
    pub avoidance_ssthresh_bytes: u64,
    /// Why.
    pub cause: Cause,
}

/// Who controls cwnd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Owner {
    /// The start-up: [`Sender::cwnd_bytes`](super::Sender::cwnd_bytes).
    Startup,
    /// The host's congestion avoidance, from cwnd and ssthresh of the sender on. The start-up
    /// may still pace, and may own cwnd again after persistent congestion.
    Avoidance,
}

/// How the host paces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pacing {
    /// Not at all: ACKs clock the sender.
    None,
    /// At this rate.
    BytesPerS(u64),
    /// As it would without a start-up.
    Host,
}
