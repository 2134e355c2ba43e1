//! Fast retransmit without fast recovery (Jacobson 1988; the TCP of 4.3BSD-Tahoe).
//!
//! The third duplicate acknowledgement counts as a timeout that came early: half the window becomes
//! the threshold, slow start begins again with one segment, and everything outstanding is sent
//! again from the first hole on, as far as acknowledgements do not show that it had arrived.
//!
//! Losses of one window reduce it once: until everything that was outstanding is acknowledged,
//! duplicates are those of the segments sent twice, and ask for nothing (ns v1: `bugFix_`).

use super::{Context, Recovery, Scoreboard, DUP_THRESHOLD};
use crate::congestion::LossKind;

/// Tahoe's state.
#[derive(Debug, Default)]
pub struct Tahoe {
    duplicates: u32,
    /// Duplicates of this place and those below are no news; `None` before the first reduction.
    recover: Option<u64>,
}

impl Recovery for Tahoe {
    fn on_ack(&mut self, cx: &mut Context<'_>) {
        if cx.delivery.acked_bytes > 0 {
            self.duplicates = 0;
        } else if cx.duplicate {
            self.duplicates += 1;
            if self.duplicates == DUP_THRESHOLD
                && self.recover.is_none_or(|recover| cx.board.una() > recover)
            {
                self.recover = Some(cx.board.nxt());
                cx.board.mark_lost(0);
                cx.board.go_back();
                cx.reduce(LossKind::Tahoe);
                cx.congestion.restart();
                *cx.force = true;
                *cx.restart_timer = true;
            }
        }
    }

    fn on_timeout(&mut self, _now_ns: u64, board: &mut Scoreboard) {
        self.duplicates = 0;
        self.recover = Some(board.nxt());
        board.mark_all_lost();
    }

    fn is_recovering(&self) -> bool {
        false
    }
}
