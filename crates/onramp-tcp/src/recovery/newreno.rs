//! NewReno: fast recovery that lasts until everything in flight at its start is acknowledged (RFC
//! 6582).
//!
//! A partial acknowledgement shows the next loss, which is retransmitted immediately: one per round
//! trip. Only the first partial acknowledgement restarts the retransmission timer, so the timer
//! ends a recovery from many losses ("impatient"). With [`NewReno::steady`] every partial
//! acknowledgement restarts the timer, and a recovery takes as many round trips as there are losses
//! ("slow but steady": RFC 2582, section 4, and the default of ns until May 2003).

use super::{reno, Context, Recovery, Scoreboard, Timeout, DUP_THRESHOLD};

/// State of NewReno.
#[derive(Clone, Debug, Default)]
pub struct NewReno {
    limited_transmit: bool,
    is_steady: bool,
    duplicates: u32,
    is_recovering: bool,
    /// A partial acknowledgement has arrived in this recovery.
    had_partial_ack: bool,
    /// SND.NXT when the last recovery or timeout began; `None` before the first.
    recover: Option<u64>,
}

impl NewReno {
    /// NewReno with or without limited transmit (RFC 3042).
    pub fn new(limited_transmit: bool) -> NewReno {
        NewReno {
            limited_transmit,
            ..NewReno::default()
        }
    }

    /// The slow but steady variant.
    pub fn steady(limited_transmit: bool) -> NewReno {
        NewReno {
            is_steady: true,
            ..NewReno::new(limited_transmit)
        }
    }

    /// An acknowledgement of new data during recovery (RFC 6582, section 3.2, step 3).
    fn acknowledged(&mut self, cx: &mut Context<'_>) {
        let mss = u64::from(cx.congestion.window.mss_bytes);
        let reduced_bytes = cx.congestion.reduced_bytes();
        let window = &mut cx.congestion.window;
        if self
            .recover
            .is_none_or(|recover| cx.scoreboard.una() >= recover)
        {
            // Full acknowledgement: the first of the two windows that the RFC offers, which sends
            // no burst.
            self.is_recovering = false;
            window.cwnd_bytes = reduced_bytes.min(cx.scoreboard.flight_size_bytes().max(mss) + mss);
            *cx.restart_timer = true;
            return;
        }
        // Partial acknowledgement: deflate cwnd by the acknowledged bytes, add back one segment,
        // and repair the next loss.
        window.cwnd_bytes = window
            .cwnd_bytes
            .saturating_sub(cx.delivery.acked_bytes)
            .max(mss);
        if cx.delivery.acked_bytes >= mss {
            window.cwnd_bytes += mss;
        }
        cx.scoreboard.mark_lost(0);
        *cx.force_retransmit = true;
        *cx.restart_timer = self.is_steady || !self.had_partial_ack;
        self.had_partial_ack = true;
    }
}

impl Recovery for NewReno {
    fn on_ack(&mut self, cx: &mut Context<'_>) {
        if cx.delivery.acked_bytes > 0 {
            self.duplicates = 0;
            if self.is_recovering {
                self.acknowledged(cx);
            }
        } else if cx.is_duplicate {
            self.duplicates += 1;
            if self.is_recovering {
                reno::inflate(cx);
            } else if self.duplicates == DUP_THRESHOLD
                && self
                    .recover
                    .is_none_or(|recover| cx.scoreboard.una() > recover)
            {
                // Step 2: no new recovery if these may be duplicates of segments that were sent
                // twice. Such duplicates acknowledge exactly `recover`.
                self.is_recovering = true;
                self.had_partial_ack = false;
                self.recover = Some(cx.scoreboard.nxt());
                reno::enter(cx);
            }
        }
    }

    fn on_timeout(&mut self, _timeout: &Timeout, scoreboard: &mut Scoreboard) {
        self.duplicates = 0;
        self.is_recovering = false;
        // Section 3.2, step 4.
        self.recover = Some(scoreboard.nxt());
        scoreboard.mark_all_lost();
    }

    fn is_recovering(&self) -> bool {
        self.is_recovering
    }

    fn extra_bytes(&self, mss_bytes: u32) -> u64 {
        match self.limited_transmit {
            true => reno::limited_transmit_bytes(self.duplicates, self.is_recovering, mss_bytes),
            false => 0,
        }
    }

    fn holds_timer(&self) -> bool {
        self.is_recovering && self.had_partial_ack
    }
}
