//! Loss recovery: which segments are lost, when they are retransmitted, and the window meanwhile.

mod newreno;
mod probe;
mod prr;
mod rack;
mod reno;
mod sack;
mod scoreboard;
mod tahoe;

pub use probe::Probe;
pub use prr::Reduction;
pub use scoreboard::{Arrived, Delivery, Scoreboard, Sent};

use crate::congestion::{Congestion, LossKind};
use crate::timing::Measurement;
use enum_dispatch::enum_dispatch;
use newreno::NewReno;
use rack::Rack;
use reno::{Care, Reno};
use sack::Sack;
use std::fmt::Debug;
use tahoe::Tahoe;

/// Number of duplicate ACKs, or of segments reported by SACK, that indicates a loss and not
/// reordering (RFC 5681).
pub const DUP_THRESHOLD: u32 = 3;

const NS_PER_MS: u64 = 1_000_000;

/// An acknowledgement, and the state that a recovery may change.
#[derive(Debug)]
pub struct Context<'a> {
    /// When the acknowledgement arrived.
    pub now_ns: u64,
    /// The segments in flight, already updated by the acknowledgement.
    pub scoreboard: &'a mut Scoreboard,
    /// Window, congestion avoidance and start-up.
    pub congestion: &'a mut Congestion,
    /// What the acknowledgement reported.
    pub delivery: &'a Delivery,
    /// It was a duplicate ACK (RFC 5681, section 2).
    pub is_duplicate: bool,
    /// It reported that something arrived twice (RFC 2883).
    pub dsack: Option<Dsack>,
    /// SND.UNA before it.
    pub prior_una: u64,
    /// Age of the timestamp that it echoes, by the host's clock, in whole milliseconds; `None`
    /// without timestamps.
    pub echo_age_ns: Option<u64>,
    /// The host's clock, from which timestamps are taken.
    pub clock: Measurement,
    /// There is new data that the peer's window permits.
    pub has_new_data: bool,
    /// Smoothed RTT.
    pub srtt_ns: u64,
    /// Set it to retransmit one lost segment regardless of the window.
    pub force_retransmit: &'a mut bool,
    /// Set it to restart the retransmission timer. An acknowledgement of new data sets it, unless
    /// the recovery [holds](Recovery::holds_timer) the timer.
    pub restart_timer: &'a mut bool,
    /// cwnd is being reduced for a mark (ECN), without a loss until now.
    pub mark_response: Option<MarkResponse>,
}

/// A reduction of cwnd for a mark (RFC 3168, section 6.1.2; TCP_CA_CWR in Linux).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkResponse {
    /// SND.NXT when it began. It ends when data above is acknowledged.
    pub high: u64,
    /// How cwnd shrinks meanwhile.
    pub reduction: Reduction,
}

/// A report that something arrived twice (RFC 2883).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dsack {
    /// Offset after the last byte that arrived twice.
    pub end: u64,
    /// Number of retransmitted segments that it reports.
    pub copies: u32,
}

/// A retransmission timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeout {
    /// When the timer expired.
    pub now_ns: u64,
    /// It reduces cwnd. Otherwise a repair that is still in progress has done it.
    pub reduces: bool,
    /// The first segment has timed out before.
    pub is_repeated: bool,
}

impl Context<'_> {
    /// Does the acknowledgement echo a timestamp from before this time? Timestamps are whole
    /// milliseconds. Without one the answer is no.
    fn echoes_before(&self, time_ns: u64) -> bool {
        let milliseconds = |time_ns| self.clock.current_time(time_ns) / NS_PER_MS;
        let age_ms = milliseconds(self.now_ns) - milliseconds(time_ns);
        self.echo_age_ns
            .is_some_and(|echo_age_ns| echo_age_ns / NS_PER_MS > age_ms)
    }

    /// Reduces ssthresh after a loss whose segments are already marked. Returns the flight size. A
    /// mark has reduced ssthresh already, and a loss of the same round trip does not reduce it
    /// again (RFC 3168, section 6.1.2), unless slow start follows.
    fn reduce(&mut self, kind: LossKind) -> u64 {
        let flight_bytes = self.scoreboard.flight_size_bytes();
        if self.mark_response.is_some() && kind == LossKind::Acknowledgements {
            return flight_bytes;
        }
        self.congestion.reduce(
            self.now_ns,
            kind,
            flight_bytes,
            self.scoreboard.total_lost_bytes(),
        );
        flight_bytes
    }
}

/// Detects losses and decides what is sent during their repair.
#[enum_dispatch]
pub trait Recovery: Debug + Send {
    /// Processes an acknowledgement.
    fn on_ack(&mut self, cx: &mut Context<'_>);

    /// Reports the RTT of the handshake.
    fn on_established(&mut self, rtt_ns: u64) {
        let _ = rtt_ns;
    }

    /// The retransmission timer expired. The recovery marks lost segments; its caller then sets
    /// ssthresh and cwnd.
    fn on_timeout(&mut self, timeout: &Timeout, scoreboard: &mut Scoreboard);

    /// Is a recovery in progress? Then it sets cwnd, and congestion avoidance must not.
    fn is_recovering(&self) -> bool;

    /// Did a recovery begin with the last acknowledgement in which another one ended?
    fn began_another(&self) -> bool {
        false
    }

    /// Reports a segment that was sent.
    fn on_sent(&mut self, bytes: u32) {
        let _ = bytes;
    }

    /// Reports that the segment about to be sent is a retransmission, but not a probe.
    fn on_retransmission(&mut self, now_ns: u64) {
        let _ = now_ns;
    }

    /// Is new data to be sent now, and no retransmission?
    fn defers_retransmissions(&self) -> bool {
        false
    }

    /// Retransmissions are deferred, but no new data can be sent now. `nxt`: SND.NXT.
    fn cannot_send_new(&mut self, nxt: u64) {
        let _ = nxt;
    }

    /// Does the retransmission timer run from a retransmission of the first segment, as in Linux?
    /// Otherwise only acknowledgements restart it (RFC 6298, section 5).
    fn times_copy_of_first(&self) -> bool {
        false
    }

    /// May cwnd grow for an acknowledgement that delivers data without advancing SND.UNA?
    fn raises_on_any_delivery(&self) -> bool {
        false
    }

    /// Index of the next segment to retransmit, if the window has room. `new_data`: new data could
    /// be sent instead.
    fn next_retransmission(
        &mut self,
        scoreboard: &mut Scoreboard,
        new_data: bool,
    ) -> Option<usize> {
        let _ = new_data;
        scoreboard.next_lost()
    }

    /// Bytes that may be sent above cwnd, because as many have left the network: an inflation that
    /// is not in cwnd itself.
    fn inflation_bytes(&self, mss_bytes: u32) -> u64 {
        let _ = mss_bytes;
        0
    }

    /// Bytes of new data that may be sent above cwnd (limited transmit, RFC 3042).
    fn extra_bytes(&self, mss_bytes: u32) -> u64 {
        let _ = mss_bytes;
        0
    }

    /// Does an acknowledgement of new data leave the retransmission timer unchanged?
    fn holds_timer(&self) -> bool {
        false
    }

    /// When [`on_timer`](Recovery::on_timer) must be called.
    fn timer_ns(&self) -> Option<u64> {
        None
    }

    /// The time of [`timer_ns`](Recovery::timer_ns) has come.
    fn on_timer(&mut self, cx: &mut Context<'_>) {
        let _ = cx;
    }

    /// Does this recovery use tail loss probes?
    fn probes(&self) -> bool {
        false
    }

    /// Does this recovery use SACK? The others count duplicate ACKs. For them the pipe must not
    /// shrink for the same segments a second time.
    fn uses_sack(&self) -> bool {
        false
    }
}

/// One of the recoveries. A connection asks its recovery many times for each segment, so the calls
/// are to be inlined.
#[enum_dispatch(Recovery)]
#[derive(Clone, Debug)]
pub enum AnyRecovery {
    /// Slow start after every loss.
    Tahoe,
    /// One loss a round trip.
    Reno,
    /// Partial acknowledgements.
    NewReno,
    /// SACK, with or without Proportional Rate Reduction.
    Sack,
    /// Time-based loss detection.
    Rack,
}

/// The chosen recovery. `sack`: the connection has negotiated SACK.
pub fn new(choice: crate::Recovery, sack: bool, limited_transmit: bool) -> AnyRecovery {
    use crate::Recovery as Choice;
    match choice {
        Choice::Tahoe => Tahoe::default().into(),
        Choice::Reno => Reno::new(limited_transmit, Care::None).into(),
        Choice::CarefulReno => Reno::new(limited_transmit, Care::Timeouts).into(),
        Choice::NsReno => Reno::new(limited_transmit, Care::Reductions).into(),
        Choice::Sack if sack => Sack::new(false).into(),
        Choice::Prr if sack => Sack::new(true).into(),
        Choice::Rack if sack => Rack::default().into(),
        Choice::SteadyNewReno => NewReno::steady(limited_transmit).into(),
        Choice::NewReno | Choice::Sack | Choice::Prr | Choice::Rack => {
            NewReno::new(limited_transmit).into()
        }
    }
}
