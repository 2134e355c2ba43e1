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
use super::{Context, Recovery, Scoreboard, DUP_THRESHOLD};
use crate::congestion::LossKind;

/// State of the recovery.
#[derive(Debug)]
pub struct Sack {
    proportional: bool,
    duplicates: u32,
    recovering: bool,
    /// RecoveryPoint: all bytes that were in flight when the last recovery or timeout began are
    /// below.
    recovery_point: u64,
    /// RescueRxt: a rescue retransmission is permitted when all bytes below are acknowledged.
    rescue: u64,
    /// All bytes below have been checked by IsLost.
    judged: u64,
    /// HighRxt: rules 3 and 4 continue here.
    high_resent: u64,
    reduction: Reduction,
}

// Section 5, step 3 (limited transmit) needs no code: segments reported by duplicate ACKs have
// already left the pipe.
impl Sack {
    /// Recovery with cwnd at half (RFC 6675), or with Proportional Rate Reduction.
    pub fn new(proportional: bool) -> Sack {
        Sack {
            proportional,
            duplicates: 0,
            recovering: false,
            recovery_point: 0,
            rescue: 0,
            judged: 0,
            high_resent: 0,
            reduction: Reduction::default(),
        }
    }

    /// Marks segments lost according to IsLost. Returns whether there were new ones.
    fn judge(&mut self, board: &mut Scoreboard, mss_bytes: u32) -> bool {
        let place = lost_below(board, mss_bytes);
        let mut found = false;
        let mut index = board.index_of(self.judged);
        while index < board.len() && board.segment(index).start < place {
            // HighRxt covers what rule 3 has retransmitted meanwhile.
            if !(board.segment(index).is_lost() || board.segment(index).is_resent()) {
                found |= board.mark_lost(index);
            }
            index += 1;
        }
        self.judged = self.judged.max(place);
        found
    }

    /// Starts a recovery (section 5, step 4).
    fn enter(&mut self, cx: &mut Context<'_>) {
        self.recovering = true;
        self.recovery_point = cx.board.nxt();
        self.high_resent = cx.board.una();
        self.rescue = cx.board.una();
        // Step 4.3: the first segment is retransmitted in any case.
        if !cx.board.segment(0).is_lost() {
            cx.board.mark_lost(0);
        }
        let flight = cx.reduce(LossKind::Acknowledgements);
        *cx.force = true;
        *cx.restart_timer = true;
        self.reduction = Reduction::begin(flight);
        if !self.proportional {
            cx.congestion.window.cwnd_bytes = cx.congestion.reduced_bytes();
        }
    }
}

/// The offset below which all unsacked segments are lost (IsLost of section 4).
fn lost_below(board: &Scoreboard, mss_bytes: u32) -> u64 {
    let (mut ranges, mut bytes) = (0, 0);
    for &(start, end) in board.sacked_ranges().iter().rev() {
        ranges += 1;
        bytes += end - start;
        if ranges >= DUP_THRESHOLD || bytes > u64::from((DUP_THRESHOLD - 1) * mss_bytes) {
            return start;
        }
    }
    board.una()
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
        let found = self.judge(cx.board, mss);
        if self.recovering && cx.board.una() >= self.recovery_point {
            self.recovering = false;
            cx.congestion.window.cwnd_bytes = cx.congestion.reduced_bytes();
        }
        if !self.recovering {
            // Steps 1 and 2, but not for losses that a timeout is repairing (section 5.1).
            let is_lost = self.duplicates >= DUP_THRESHOLD || found;
            if !is_lost || cx.board.is_empty() || cx.board.una() < self.recovery_point {
                return;
            }
            self.enter(cx);
        }
        if self.proportional {
            let safe = cx.delivery.acked_bytes > 0 && !found;
            self.reduction
                .on_ack(cx.congestion, cx.board, cx.delivery.delivered_bytes, safe);
        }
    }

    fn on_timeout(&mut self, _now_ns: u64, board: &mut Scoreboard) {
        self.duplicates = 0;
        self.recovering = false;
        self.recovery_point = board.nxt();
        self.judged = board.nxt();
        board.mark_all_lost();
    }

    fn is_recovering(&self) -> bool {
        self.recovering
    }

    fn on_sent(&mut self, bytes: u32) {
        if self.recovering {
            self.reduction.sent(bytes);
        }
    }

    fn next_resend(&mut self, board: &mut Scoreboard, new_data: bool) -> Option<usize> {
        if let Some(index) = board.next_lost() {
            self.high_resent = self.high_resent.max(board.segment(index).end());
            return Some(index);
        }
        if !self.recovering || new_data {
            return None;
        }
        // NextSeg, rule 3.
        let highest = board.highest_sacked();
        let is_open = |board: &Scoreboard, index: usize| {
            let segment = board.segment(index);
            !(segment.is_sacked() || segment.is_lost() || segment.is_repeated())
        };
        let mut index = board.index_of(self.high_resent);
        while index < board.len() && board.segment(index).end() <= highest {
            if is_open(board, index) {
                self.high_resent = board.segment(index).end();
                return Some(index);
            }
            index += 1;
        }
        // NextSeg, rule 4. If the last segment is sacked, all others are below the highest sacked
        // one.
        let last = board.len().checked_sub(1)?;
        if board.una() >= self.rescue && is_open(board, last) {
            self.rescue = self.recovery_point;
            return Some(last);
        }
        None
    }

    fn uses_sack(&self) -> bool {
        true
    }
}
