//! Fast retransmit without fast recovery (Jacobson 1988; the TCP of 4.3BSD-Tahoe).
//!
//! The third duplicate ACK counts as an early timeout. Half the window becomes ssthresh, slow start
//! restarts with one segment, and everything in flight is retransmitted from the first hole on, as
//! far as acknowledgements do not show that it had arrived.
//!
//! Losses of one window reduce it once. Until everything in flight at the reduction is
//! acknowledged, duplicate ACKs come from segments that were sent twice, and are ignored (ns v1:
//! `bugFix_`).

use super::{Context, Recovery, Scoreboard, Timeout, DUP_THRESHOLD};
use crate::congestion::LossKind;

/// State of Tahoe.
#[derive(Clone, Debug, Default)]
pub struct Tahoe {
    duplicates: u32,
    /// Duplicate ACKs at or below this offset are ignored; `None` before the first reduction.
    recover: Option<u64>,
}

impl Recovery for Tahoe {
    fn on_ack(&mut self, cx: &mut Context<'_>) {
        if cx.delivery.acked_bytes > 0 {
            self.duplicates = 0;
        } else if cx.is_duplicate {
            self.duplicates += 1;
            if self.duplicates == DUP_THRESHOLD
                && self
                    .recover
                    .is_none_or(|recover| cx.scoreboard.una() > recover)
            {
                self.recover = Some(cx.scoreboard.nxt());
                cx.scoreboard.mark_lost(0);
                cx.scoreboard.go_back_n();
                cx.reduce(LossKind::Tahoe);
                cx.congestion.restart_slow_start(0);
                *cx.force_retransmit = true;
                *cx.restart_timer = true;
            }
        }
    }

    fn on_timeout(&mut self, _timeout: &Timeout, scoreboard: &mut Scoreboard) {
        self.duplicates = 0;
        self.recover = Some(scoreboard.nxt());
        scoreboard.mark_all_lost();
    }

    fn is_recovering(&self) -> bool {
        false
    }
}
