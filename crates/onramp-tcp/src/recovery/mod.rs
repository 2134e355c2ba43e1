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
pub use scoreboard::{Arrived, Delivery, Scoreboard, Sent};

use crate::congestion::{Congestion, LossKind};
use std::fmt::Debug;

/// Number of duplicate ACKs, or of segments reported by SACK, that indicates a loss and not
/// reordering (RFC 5681).
pub const DUP_THRESHOLD: u32 = 3;

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
    pub has_dsack: bool,
    /// Smoothed RTT.
    pub srtt_ns: u64,
    /// Set it to retransmit one lost segment regardless of the window.
    pub force_retransmit: &'a mut bool,
    /// Set it to restart the retransmission timer. An acknowledgement of new data sets it, unless
    /// the recovery [holds](Recovery::holds_timer) the timer.
    pub restart_timer: &'a mut bool,
}

impl Context<'_> {
    /// Reduces ssthresh after a loss whose segments are already marked. Returns the flight size.
    fn reduce(&mut self, kind: LossKind) -> u64 {
        let flight_bytes = self.scoreboard.flight_size_bytes();
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
pub trait Recovery: Debug + Send {
    /// Processes an acknowledgement.
    fn on_ack(&mut self, cx: &mut Context<'_>);

    /// Reports the RTT of the handshake.
    fn on_established(&mut self, rtt_ns: u64) {
        let _ = rtt_ns;
    }

    /// The retransmission timer expired. The recovery marks lost segments; its caller then sets
    /// ssthresh and cwnd.
    fn on_timeout(&mut self, now_ns: u64, scoreboard: &mut Scoreboard);

    /// Is a recovery in progress? Then it sets cwnd, and congestion avoidance must not.
    fn is_recovering(&self) -> bool;

    /// Reports a segment that was sent.
    fn on_sent(&mut self, bytes: u32) {
        let _ = bytes;
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

/// The chosen recovery. `sack`: the connection has negotiated SACK.
pub fn new(choice: crate::Recovery, sack: bool, limited_transmit: bool) -> Box<dyn Recovery> {
    use crate::Recovery::*;
    match choice {
        Tahoe => Box::new(tahoe::Tahoe::default()),
        Reno => Box::new(reno::Reno::new(limited_transmit, false)),
        CarefulReno => Box::new(reno::Reno::new(limited_transmit, true)),
        Sack if sack => Box::new(sack::Sack::new(false)),
        Prr if sack => Box::new(sack::Sack::new(true)),
        Rack if sack => Box::new(rack::Rack::default()),
        SteadyNewReno => Box::new(newreno::NewReno::steady(limited_transmit)),
        NewReno | Sack | Prr | Rack => Box::new(newreno::NewReno::new(limited_transmit)),
    }
}
