//! How far a path reorders segments, and how long RACK therefore waits (RFC 8985, section 6.2,
//! steps 3 and 4).

use super::super::{Context, DUP_THRESHOLD};

/// Section 6.2, step 4: number of recoveries for which a reordering window widened by DSACKs is
/// kept.
const PERSIST_ROUNDS: u32 = 16;
/// Maximum of `degree`: `tcp_max_reordering` of Linux.
const MAX_DEGREE: u32 = 300;

/// What is known of reordering.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reordering {
    is_seen: bool,
    /// By how many segments one was late at most: `tp->reordering` of Linux.
    degree: u32,
    /// RACK.reo_wnd_mult
    factor: u64,
    /// RACK.reo_wnd_persist
    persist: u32,
    /// RACK.dsack_round: DSACKs below this offset do not widen the window again.
    dsack_round: Option<u64>,
}

impl Default for Reordering {
    fn default() -> Reordering {
        Reordering {
            is_seen: false,
            degree: DUP_THRESHOLD,
            factor: 1,
            persist: 0,
            dsack_round: None,
        }
    }
}

impl Reordering {
    /// A segment that starts at `start` arrived after one that ends at `highest`, which was sent
    /// later.
    pub fn see(&mut self, start: u64, highest: u64, mss_bytes: u32) {
        if start >= highest {
            return;
        }
        let segments = (highest - start).div_ceil(u64::from(mss_bytes));
        let segments = u32::try_from(segments).unwrap_or(MAX_DEGREE);
        self.degree = self.degree.max(segments.min(MAX_DEGREE));
        self.is_seen = true;
    }

    /// Is the path known to reorder by more than DupThresh segments?
    pub fn is_high(&self) -> bool {
        self.degree > DUP_THRESHOLD
    }

    /// A timeout although the peer had reported enough segments for a fast retransmit: reordering
    /// was over-estimated.
    pub fn timed_out(&mut self, sacked_segments: u32) {
        if sacked_segments >= DUP_THRESHOLD {
            self.degree = self.degree.min(DUP_THRESHOLD);
        }
    }

    /// The receiver's DSACKs widen the window, once in a round trip.
    pub fn report(&mut self, cx: &Context<'_>) {
        let una = cx.scoreboard.una();
        if self.dsack_round.is_some_and(|round| una >= round) {
            self.dsack_round = None;
        }
        if cx.dsack.is_some() && self.dsack_round.is_none() {
            self.dsack_round = Some(cx.scoreboard.nxt());
            self.factor += 1;
            self.persist = PERSIST_ROUNDS;
        }
    }

    /// RACK.reo_wnd: how long a segment may be late. `is_repairing`: losses are being repaired.
    pub fn window_ns(&self, cx: &Context<'_>, min_rtt_ns: u64, is_repairing: bool) -> u64 {
        let sacked_enough = cx.scoreboard.sacked_segments() >= DUP_THRESHOLD;
        if !self.is_seen && (is_repairing || sacked_enough) {
            return 0;
        }
        self.widened_ns(min_rtt_ns).min(cx.srtt_ns)
    }

    /// A quarter of the min RTT, widened by DSACKs.
    pub fn widened_ns(&self, min_rtt_ns: u64) -> u64 {
        min_rtt_ns / 4 * self.factor
    }

    /// A recovery or a repair after a timeout is over. Section 6.2, step 4: resets a widened window
    /// after 16 of them without a further DSACK. One that was undone keeps the window.
    pub fn end_of_repair(&mut self, is_undone: bool) {
        if !is_undone {
            self.persist = self.persist.saturating_sub(1);
        }
        if self.persist == 0 {
            self.factor = 1;
        }
    }
}
