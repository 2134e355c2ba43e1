//! SACK-based loss recovery (RFC 6675), with cwnd at half throughout, or reduced proportionally
//! (RFC 6937).
//!
//! ```text
//!   IsLost(s): three separate ranges above s are sacked, or more than two segments   (section 4)
//!   NextSeg:   1. the first lost segment that is not retransmitted   2. new data     (section 4)
//!              3. an unsacked segment below the highest sacked one
//!              4. the last segment, once (rescue)
//! ```

use super::prr::Reduction;
use super::{Context, Recovery, Scoreboard, Timeout, DUP_THRESHOLD};
use crate::congestion::LossKind;

/// State of the recovery.
#[derive(Clone, Debug, Default)]
pub struct Sack {
    uses_prr: bool,
    duplicates: u32,
    is_recovering: bool,
    /// RecoveryPoint: SND.NXT when the last recovery or timeout began.
    recovery_point: u64,
    /// RescueRxt: a rescue retransmission is permitted when all bytes below are acknowledged.
    rescue: u64,
    /// All bytes below have been checked by IsLost.
    checked_below: u64,
    /// HighRxt: rules 3 and 4 continue here.
    high_rxt: u64,
    reduction: Reduction,
}

// Section 5, step 3 (limited transmit) needs no code: segments reported by duplicate ACKs have
// already left the pipe.
impl Sack {
    /// Recovery with cwnd at half (RFC 6675), or with Proportional Rate Reduction.
    pub fn new(uses_prr: bool) -> Sack {
        Sack {
            uses_prr,
            ..Sack::default()
        }
    }

    /// Marks segments lost according to IsLost. Returns whether there were new ones.
    fn detect_losses(&mut self, scoreboard: &mut Scoreboard, mss_bytes: u32) -> bool {
        let offset = lost_below(scoreboard, mss_bytes);
        let mut found_loss = false;
        let mut index = scoreboard.index_of(self.checked_below);
        while index < scoreboard.len() && scoreboard.segment(index).start < offset {
            // HighRxt covers what rule 3 has retransmitted meanwhile.
            if !(scoreboard.segment(index).is_lost()
                || scoreboard.segment(index).is_retransmitted())
            {
                found_loss |= scoreboard.mark_lost(index);
            }
            index += 1;
        }
        self.checked_below = self.checked_below.max(offset);
        found_loss
    }

    /// Starts a recovery (section 5, step 4).
    fn enter(&mut self, cx: &mut Context<'_>) {
        self.is_recovering = true;
        self.recovery_point = cx.scoreboard.nxt();
        self.high_rxt = cx.scoreboard.una();
        self.rescue = cx.scoreboard.una();
        // Step 4.3: the first segment is retransmitted in any case.
        if !cx.scoreboard.segment(0).is_lost() {
            cx.scoreboard.mark_lost(0);
        }
        let flight = cx.reduce(LossKind::Acknowledgements);
        *cx.force_retransmit = true;
        *cx.restart_timer = true;
        self.reduction = Reduction::begin(flight);
        if !self.uses_prr {
            cx.congestion.window.cwnd_bytes = cx.congestion.reduced_bytes();
        }
    }
}

/// The offset below which all unsacked segments are lost (IsLost of section 4).
fn lost_below(scoreboard: &Scoreboard, mss_bytes: u32) -> u64 {
    let (mut ranges, mut bytes) = (0, 0);
    for &(start, end) in scoreboard.sacked_ranges().iter().rev() {
        ranges += 1;
        bytes += end - start;
        if ranges >= DUP_THRESHOLD || bytes > u64::from((DUP_THRESHOLD - 1) * mss_bytes) {
            return start;
        }
    }
    scoreboard.una()
}

impl Recovery for Sack {
    fn on_ack(&mut self, cx: &mut Context<'_>) {
        let mss = cx.congestion.window.mss_bytes;
        if cx.delivery.acked_bytes > 0 {
            self.duplicates = 0;
        } else if cx.delivery.sacked_bytes > 0 {
            // Section 2: only an ACK with new SACK information is a duplicate.
            self.duplicates += 1;
        }
        let found_loss = self.detect_losses(cx.scoreboard, mss);
        if self.is_recovering && cx.scoreboard.una() >= self.recovery_point {
            self.is_recovering = false;
            cx.congestion.window.cwnd_bytes = cx.congestion.reduced_bytes();
        }
        if !self.is_recovering {
            // Steps 1 and 2, but not for losses that a timeout is repairing (section 5.1).
            let is_lost = self.duplicates >= DUP_THRESHOLD || found_loss;
            if !is_lost || cx.scoreboard.is_empty() || cx.scoreboard.una() < self.recovery_point {
                return;
            }
            self.enter(cx);
        }
        if self.uses_prr {
            let shows_no_loss = cx.delivery.acked_bytes > 0 && !found_loss;
            self.reduction.on_ack(
                cx.congestion,
                cx.scoreboard,
                cx.delivery.delivered_bytes,
                shows_no_loss,
            );
        }
    }

    fn on_timeout(&mut self, _timeout: &Timeout, scoreboard: &mut Scoreboard) {
        self.duplicates = 0;
        self.is_recovering = false;
        self.recovery_point = scoreboard.nxt();
        self.checked_below = scoreboard.nxt();
        scoreboard.mark_all_lost();
    }

    fn is_recovering(&self) -> bool {
        self.is_recovering
    }

    fn on_sent(&mut self, bytes: u32) {
        if self.is_recovering {
            self.reduction.sent(bytes);
        }
    }

    fn next_retransmission(
        &mut self,
        scoreboard: &mut Scoreboard,
        new_data: bool,
    ) -> Option<usize> {
        if let Some(index) = scoreboard.next_lost() {
            self.high_rxt = self.high_rxt.max(scoreboard.segment(index).end());
            return Some(index);
        }
        if !self.is_recovering || new_data {
            return None;
        }
        // NextSeg, rule 3.
        let highest = scoreboard.highest_sacked();
        let is_open = |scoreboard: &Scoreboard, index: usize| {
            let segment = scoreboard.segment(index);
            !(segment.is_sacked() || segment.is_lost() || segment.was_ever_retransmitted())
        };
        let mut index = scoreboard.index_of(self.high_rxt);
        while index < scoreboard.len() && scoreboard.segment(index).end() <= highest {
            if is_open(scoreboard, index) {
                self.high_rxt = scoreboard.segment(index).end();
                return Some(index);
            }
            index += 1;
        }
        // NextSeg, rule 4. If the last segment is sacked, all others are below the highest sacked
        // one.
        let last = scoreboard.len().checked_sub(1)?;
        if scoreboard.una() >= self.rescue && is_open(scoreboard, last) {
            self.rescue = self.recovery_point;
            return Some(last);
        }
        None
    }

    fn uses_sack(&self) -> bool {
        true
    }
}
