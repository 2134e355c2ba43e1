//! Loss recovery: which segments are lost, when they are sent again, and what the window is
//! meanwhile.

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

/// Duplicate acknowledgements, or segments' worth of selective ones, that tell a loss from
/// reordering (RFC 5681).
pub const DUP_THRESHOLD: u32 = 3;

/// An acknowledgement, and what it may change.
#[derive(Debug)]
pub struct Context<'a> {
    /// When it arrived.
    pub now_ns: u64,
    /// The outstanding segments; what the acknowledgement told is in it already.
    pub board: &'a mut Scoreboard,
    /// Window, avoidance and start-up.
    pub congestion: &'a mut Congestion,
    /// What it told.
    pub delivery: &'a Delivery,
    /// It was a duplicate (RFC 5681, section 2).
    pub duplicate: bool,
    /// The peer got something twice (RFC 2883).
    pub dsack: bool,
    /// Smoothed round-trip time.
    pub srtt_ns: u64,
    /// Let one lost segment go whatever the window says.
    pub force: &'a mut bool,
    /// Start the retransmission timer again, which by itself happens at new acknowledgements only
    /// where the recovery does not [hold](Recovery::holds_timer) it.
    pub restart_timer: &'a mut bool,
}

impl Context<'_> {
    /// A loss was found, and what is lost is marked: lower the threshold. Returns what was
    /// outstanding.
    fn reduce(&mut self, kind: LossKind) -> u64 {
        let flight_bytes = self.board.outstanding_bytes();
        self.congestion.reduce(
            self.now_ns,
            kind,
            flight_bytes,
            self.board.total_lost_bytes(),
        );
        flight_bytes
    }
}

/// Finds losses and decides what is sent while they are repaired.
pub trait Recovery: Debug + Send {
    /// An acknowledgement arrived.
    fn on_ack(&mut self, cx: &mut Context<'_>);

    /// The handshake took so long: the first round trip.
    fn on_established(&mut self, rtt_ns: u64) {
        let _ = rtt_ns;
    }

    /// The retransmission timer expired. What is lost is for the recovery to mark; threshold and
    /// window are set next.
    fn on_timeout(&mut self, now_ns: u64, board: &mut Scoreboard);

    /// The recovery sets the window, and the congestion avoidance must not.
    fn is_recovering(&self) -> bool;

    /// A segment was sent while or before it recovers.
    fn on_sent(&mut self, bytes: u32) {
        let _ = bytes;
    }

    /// The segment to send again next, where the window has room. `new_data`: there is new data to
    /// send instead.
    fn next_resend(&mut self, board: &mut Scoreboard, new_data: bool) -> Option<usize> {
        let _ = new_data;
        board.next_lost()
    }

    /// How much new data may be sent beyond the window (RFC 3042, limited transmit).
    fn extra_bytes(&self, mss_bytes: u32) -> u64 {
        let _ = mss_bytes;
        0
    }

    /// A new acknowledgement does not start the retransmission timer again.
    fn holds_timer(&self) -> bool {
        false
    }

    /// When [`on_timer`](Recovery::on_timer) is wanted.
    fn timer_ns(&self) -> Option<u64> {
        None
    }

    /// That moment came.
    fn on_timer(&mut self, cx: &mut Context<'_>) {
        let _ = cx;
    }

    /// Whether tail loss probes belong to it.
    fn probes(&self) -> bool {
        false
    }

    /// Whether it knows selective acknowledgements. The others count duplicates, and must not see
    /// the pipe shrink for the same segments.
    fn uses_sack(&self) -> bool {
        false
    }
}

/// The recovery of this name for a connection that has, or has not, selective acknowledgements.
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
