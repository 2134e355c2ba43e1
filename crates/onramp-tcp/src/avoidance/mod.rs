//! Congestion avoidance: how cwnd grows after the start-up, and the ssthresh after a loss.

mod bbr;
mod bbr3;
mod cubic;
mod dctcp;
mod hystart;
#[cfg(test)]
mod path;
mod pipe;
mod prague;
mod reno;
mod segments;
#[cfg(test)]
mod tests;
mod vegas;
mod westwood;

pub use bbr::Bbr;
pub use bbr3::Bbr3;
pub use cubic::Cubic;
pub use dctcp::Dctcp;
pub use pipe::Pipe;
pub use prague::Prague;
pub use reno::Reno;
pub use vegas::Vegas;
pub use westwood::Westwood;

use crate::{Config, Stack, Window};
use auto_impl::auto_impl;
use enum_dispatch::enum_dispatch;

/// An acknowledgement, as reported to congestion avoidance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckSample {
    /// When it arrived.
    pub now_ns: u64,
    /// Bytes newly delivered, that is acknowledged cumulatively or selectively.
    pub delivered_bytes: u64,
    /// It reports a mark: the ECE bit, on a connection with ECN.
    pub has_ece: bool,
    /// Bytes marked lost since the start, including those of this acknowledgement. A retransmission
    /// that is lost counts again.
    pub lost_bytes: u64,
    /// SND.UNA, as a stream offset.
    pub una: u64,
    /// SND.NXT, as a stream offset.
    pub nxt: u64,
    /// Bytes in flight after it, without those marked lost or sacked (pipe of RFC 6675).
    pub inflight_bytes: u64,
    /// RTT of the newest segment that it acknowledges; `None` if one of them was retransmitted.
    pub rtt_ns: Option<u64>,
    /// Smoothed RTT; 0 before the first sample.
    pub srtt_ns: u64,
    /// In the last round trip, cwnd limited the sender, not the application or the receiver.
    pub cwnd_limited: bool,
    /// A start-up algorithm of `core/` controls cwnd. Only ssthresh may be set.
    pub startup: bool,
}

/// An acknowledgement, after loss detection, for an avoidance that controls recovery too.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// The acknowledgement. Its bytes in flight and lost are those after loss detection.
    pub ack: &'a AckSample,
    /// When the newest segment that it delivers left, retransmitted or not; `None`: it delivers
    /// none.
    pub newest_sent_ns: Option<u64>,
    /// Bytes in flight before it.
    pub prior_inflight_bytes: u64,
    /// Segments that were marked lost since the last acknowledgement.
    pub lost: &'a [LostSegment],
    /// Losses are being repaired.
    pub is_recovering: bool,
}

/// A segment that was marked lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostSegment {
    /// Stream offset of the first byte.
    pub start: u64,
    /// Length in the stream.
    pub len: u32,
    /// When it last left.
    pub sent_ns: u64,
}

/// What an avoidance decides that controls recovery too and paces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// cwnd, also during recovery.
    pub cwnd_bytes: u64,
    /// Rate of payload.
    pub pacing_bytes_per_s: u64,
}

/// Grows cwnd, and chooses ssthresh after a loss. Loss recovery reduces cwnd. ([`Vegas`] also
/// reduces cwnd without a loss.) It has its own slow start, for connections without a start-up
/// algorithm of `core/` and after timeouts.
#[enum_dispatch]
#[auto_impl(Box)]
pub trait Avoidance: std::fmt::Debug + Send {
    /// Measures. Called for every acknowledgement before cwnd changes, also during recovery and
    /// start-up. May lower ssthresh to end slow start.
    fn measure(&mut self, _window: &mut Window, _ack: &AckSample) {}

    /// Grows cwnd for an acknowledgement outside recovery: slow start below ssthresh, congestion
    /// avoidance above. Not called while a start-up algorithm of `core/` controls cwnd. Below
    /// ssthresh, `delivered_bytes` is limited by the connection's
    /// [`ByteCounting`](crate::ByteCounting).
    fn raise(&mut self, window: &mut Window, ack: &AckSample);

    /// Returns the new ssthresh after a loss. cwnd is not yet reduced. Called once for each
    /// reduction, also for timeouts.
    fn ssthresh(&mut self, window: &Window, now_ns: u64, flight_bytes: u64) -> u64;

    /// Returns the new ssthresh after a mark (ECN). cwnd is not yet reduced. Called once for the
    /// data of a round trip.
    fn ssthresh_after_mark(&mut self, window: &Window, now_ns: u64, flight_bytes: u64) -> u64 {
        self.ssthresh(window, now_ns, flight_bytes)
    }

    /// Is cwnd reduced at once after a mark, and may grow again with the next ACK? Otherwise it is
    /// led there in a round trip, by Proportional Rate Reduction.
    fn reduces_at_once(&self) -> bool {
        false
    }

    /// Does a mark that is reported now belong to the last reduction? Then cwnd is not reduced.
    fn ignores_mark(&self, _now_ns: u64) -> bool {
        false
    }

    /// Rate of payload at which to pace after the start-up; `None`: not paced.
    fn pacing_bytes_per_s(&self, _window: &Window) -> Option<u64> {
        None
    }

    /// The last loss was none. Returns the cwnd that is restored; `prior_bytes` was cwnd before the
    /// reduction.
    fn undo(&mut self, cwnd_bytes: u64, prior_bytes: u64) -> u64 {
        cwnd_bytes.max(prior_bytes)
    }

    /// The retransmission timer expired. Called after [`ssthresh`](Avoidance::ssthresh).
    fn timeout(&mut self) {}

    /// Sending resumes after nothing was in flight since `idle_since_ns`.
    fn resume(&mut self, _idle_since_ns: u64, _now_ns: u64) {}

    /// cwnd and pacing rate of an avoidance that controls recovery too and paces ([`Bbr`],
    /// [`Bbr3`]); `None` for all others, for which the functions below are not called.
    fn control(&self) -> Option<Control> {
        None
    }

    /// The connection is established. `srtt_ns`: RTT of the handshake, 0 if unknown. `random`: the
    /// source of the connection's random choices.
    fn established(&mut self, _now_ns: u64, _srtt_ns: u64, _window: &Window, _random: u32) {}

    /// A start-up algorithm has set cwnd.
    fn follow(&mut self, _cwnd_bytes: u64) {}

    /// A segment is about to leave. `flight_is_empty`: nothing is outstanding. `inflight_bytes`:
    /// bytes in flight without it (pipe of RFC 6675).
    fn sent(&mut self, _now_ns: u64, _flight_is_empty: bool, _inflight_bytes: u64) {}

    /// The application has nothing to send, although cwnd has room.
    fn starved(&mut self, _inflight_bytes: u64) {}

    /// An acknowledgement has arrived, and losses are marked.
    fn arrived(&mut self, _arrival: &Arrival<'_>) {}
}

/// One of the avoidances. BBR is in a box, because a connection would be a fifth larger with it.
#[enum_dispatch(Avoidance)]
#[derive(Clone, Debug)]
pub enum AnyAvoidance {
    /// Reno.
    Reno,
    /// CUBIC.
    Cubic,
    /// BBR.
    Bbr(Box<Bbr>),
    /// BBR, version 3.
    Bbr3(Box<Bbr3>),
    /// Vegas.
    Vegas,
    /// Westwood.
    Westwood,
    /// The pipe of Aron & Druschel.
    Pipe,
    /// DCTCP.
    Dctcp,
    /// Prague.
    Prague,
}

/// The chosen congestion avoidance as the hosts of its stack implement it. [`Stack::Linux`] is
/// Linux. [`Stack::Lite`] is a host of the papers' time, which counts ACKs and whose Vegas has the
/// published slow start.
pub fn new(config: &Config) -> AnyAvoidance {
    let reno = match config.stack {
        Stack::Linux => Reno::default(),
        Stack::Lite => Reno::per_ack(),
    };
    match (config.avoidance, config.stack) {
        (crate::Avoidance::Reno, _) => reno.into(),
        (crate::Avoidance::Bbr, _) => Box::<Bbr>::default().into(),
        (crate::Avoidance::Bbr3, _) => Box::<Bbr3>::default().into(),
        (crate::Avoidance::Cubic, _) => Cubic::new(config.hystart).into(),
        (crate::Avoidance::Vegas, Stack::Linux) => Vegas::default().into(),
        (crate::Avoidance::Vegas, Stack::Lite) => Vegas::as_in_ns().into(),
        (crate::Avoidance::Westwood, _) => Westwood::new(reno).into(),
        (crate::Avoidance::Pipe, _) => Pipe::new(reno).into(),
        (crate::Avoidance::Dctcp, _) => Dctcp::new(reno).into(),
        (crate::Avoidance::Prague, _) => Prague::new(reno).into(),
    }
}
