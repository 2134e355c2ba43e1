//! Fast retransmit and fast recovery (RFC 5681, section 3.2).
//!
//! The third duplicate acknowledgement sends the first outstanding segment again and halves the window; each further
//! duplicate stands for a segment that has left the network, and inflates the window by one. The first
//! acknowledgement of something new ends it, whether all losses are repaired or not.

use super::{Context, Recovery, Scoreboard, DUP_THRESHOLD};
use crate::congestion::LossKind;

/// Reno's state.
#[derive(Debug)]
pub struct Reno {
    limited_transmit: bool,
    duplicates: u32,
    recovering: bool,
}

impl Reno {
    /// With or without limited transmit (RFC 3042).
    pub fn new(limited_transmit: bool) -> Reno {
        Reno { limited_transmit, duplicates: 0, recovering: false }
    }
}

/// RFC 5681, section 3.2, steps 2 and 3: halve the window, send the first segment again, inflate by the three
/// segments that have left the network.
pub(super) fn enter(cx: &mut Context<'_>) {
    cx.congestion.reduce(cx.now_ns, LossKind::Acknowledgements, cx.board.outstanding_bytes());
    let inflation_bytes = u64::from(DUP_THRESHOLD * cx.congestion.window.mss_bytes);
    cx.congestion.window.cwnd_bytes = cx.congestion.reduced_bytes() + inflation_bytes;
    cx.board.mark_lost(0);
    *cx.force = true;
    *cx.restart_timer = true;
}

/// Steps 4: each further duplicate is a segment that has left the network.
pub(super) fn inflate(cx: &mut Context<'_>) {
    let window = &mut cx.congestion.window;
    window.cwnd_bytes += u64::from(window.mss_bytes);
}

/// Limited transmit (RFC 3042): new data for each of the first two duplicates, until a recovery begins.
pub(super) fn limited_transmit_bytes(duplicates: u32, recovering: bool, mss_bytes: u32) -> u64 {
    match recovering {
        true => 0,
        false => u64::from(duplicates.min(2) * mss_bytes),
    }
}

impl Recovery for Reno {
    fn on_ack(&mut self, cx: &mut Context<'_>) {
        if cx.delivery.acked_bytes > 0 {
            self.duplicates = 0;
            if std::mem::take(&mut self.recovering) {
                // Step 6: deflate.
                cx.congestion.window.cwnd_bytes = cx.congestion.reduced_bytes();
            }
        } else if cx.duplicate {
            self.duplicates += 1;
            if self.recovering {
                inflate(cx);
            } else if self.duplicates == DUP_THRESHOLD {
                self.recovering = true;
                enter(cx);
            }
        }
    }

    fn on_timeout(&mut self, _now_ns: u64, board: &mut Scoreboard) {
        self.duplicates = 0;
        self.recovering = false;
        board.mark_all_lost();
    }

    fn is_recovering(&self) -> bool {
        self.recovering
    }

    fn extra_bytes(&self, mss_bytes: u32) -> u64 {
        match self.limited_transmit {
            true => limited_transmit_bytes(self.duplicates, self.recovering, mss_bytes),
            false => 0,
        }
    }
}
