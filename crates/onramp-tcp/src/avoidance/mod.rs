//! Congestion avoidance: how the window grows once the start-up is over, and what is left of it
//! after a loss.

mod cubic;
mod hystart;
#[cfg(test)]
mod path;
mod pipe;
mod reno;
mod segments;
#[cfg(test)]
mod tests;
mod vegas;
mod westwood;

pub use cubic::Cubic;
pub use pipe::Pipe;
pub use reno::Reno;
pub use vegas::Vegas;
pub use westwood::Westwood;

use crate::{Stack, Window};

/// An acknowledgement as congestion avoidance sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckSample {
    /// When it arrived.
    pub now_ns: u64,
    /// Newly delivered by it: acknowledged cumulatively or selectively, and not before.
    pub delivered_bytes: u64,
    /// Taken for lost since the start, by what this one told too; what was sent again and lost
    /// again each time.
    pub lost_bytes: u64,
    /// Everything below this place in the stream is acknowledged.
    pub una: u64,
    /// Everything below this place has been sent.
    pub nxt: u64,
    /// Outstanding after it, without what is known to be lost or received (RFC 6675's pipe).
    pub inflight_bytes: u64,
    /// Round-trip time of the newest segment that it acknowledges, if none was ever sent twice.
    pub rtt_ns: Option<u64>,
    /// Smoothed round-trip time; 0 before the first sample.
    pub srtt_ns: u64,
    /// The window, not the application or the receiver, held the sender back in the last round
    /// trip.
    pub cwnd_limited: bool,
    /// A start-up of `core/` is in charge: a threshold may be set, the window is not yet ours.
    pub startup: bool,
}

/// Grows and reduces a window. It has its own slow start, for connections without a start-up of
/// `core/` and after timeouts.
pub trait Avoidance: std::fmt::Debug + Send {
    /// Looks at any acknowledgement, before the window changes: during recovery and start-up as
    /// well. May lower the threshold to end a slow start.
    fn measure(&mut self, window: &mut Window, ack: &AckSample) {
        let _ = (window, ack);
    }

    /// Raises the window for an acknowledgement outside of recovery: slow start below the
    /// threshold, congestion avoidance above. Not called while a start-up of `core/` is in charge.
    /// Below the threshold `delivered_bytes` is what counts of them, by the connection's
    /// [`ByteCounting`](crate::ByteCounting).
    fn raise(&mut self, window: &mut Window, ack: &AckSample);

    /// A loss was found: the new threshold. The window is as it was before. Called once for each
    /// reduction, by timeouts as well.
    fn ssthresh(&mut self, window: &Window, now_ns: u64, flight_bytes: u64) -> u64;

    /// A start-up of `core/` ends with a window that holds what the path does: there is nothing
    /// more to look for.
    fn path_is_full(&mut self, window: &Window) {
        let _ = window;
    }

    /// The retransmission timer expired, after [`ssthresh`](Avoidance::ssthresh).
    fn timeout(&mut self) {}

    /// Data leaves after the connection had nothing outstanding since `idle_since_ns`.
    fn resume(&mut self, idle_since_ns: u64, now_ns: u64) {
        let _ = (idle_since_ns, now_ns);
    }
}

/// The avoidance of this name as the stack's hosts have it: Linux's, or that of the papers' time,
/// which counts ACKs and, with Vegas, starts slowly as published.
pub fn new(choice: crate::Avoidance, stack: Stack) -> Box<dyn Avoidance> {
    let reno = match stack {
        Stack::Linux => Reno::default(),
        Stack::Lite => Reno::per_ack(),
    };
    match (choice, stack) {
        (crate::Avoidance::Reno, _) => Box::new(reno),
        (crate::Avoidance::Cubic, _) => Box::new(Cubic::default()),
        (crate::Avoidance::Vegas, Stack::Linux) => Box::new(Vegas::default()),
        (crate::Avoidance::Vegas, Stack::Lite) => Box::new(Vegas::as_in_ns()),
        (crate::Avoidance::Westwood, _) => Box::new(Westwood::new(reno)),
        (crate::Avoidance::Pipe, _) => Box::new(Pipe::new(reno)),
    }
}
