//! RACK (RFC 8985): a segment is lost if one that was sent sufficiently later has arrived.
//!
//! ```text
//!   on an ACK:  the latest sending time of all that arrived (RACK.xmit_ts), and its RTT (RACK.rtt)
//!   lost:       sent before that, and now >= sent + RACK.rtt + reo_wnd
//!   reo_wnd:    0 if no reordering was ever seen and either a recovery is in progress or
//!               DupThresh segments are sacked;
//!               otherwise min(reo_wnd_mult * min_RTT / 4, SRTT), the factor learnt from DSACKs
//! ```
//!
//! Lost segments are retransmitted under Proportional Rate Reduction (RFC 6937), as section 9.3
//! recommends and Linux does. As in Linux, if a segment that was retransmitted after a timeout is
//! lost again, that slow start ends: it is a new loss with a reduction of its own.

use super::prr::Reduction;
use super::{Arrived, Context, Recovery, Scoreboard, Sent, DUP_THRESHOLD};
use crate::congestion::LossKind;

/// Section 6.2, step 4: number of recoveries for which a reordering window widened by DSACKs is
/// kept.
const PERSIST_ROUNDS: u32 = 16;

/// State of RACK, with the names of the RFC.
#[derive(Debug)]
pub struct Rack {
    newest: Option<Arrived>,
    rtt_ns: u64,
    min_rtt_ns: Option<u64>,
    reordering_seen: bool,
    reo_wnd_mult: u64,
    reo_wnd_persist: u32,
    /// RACK.dsack_round: DSACKs below this offset do not widen the window again.
    dsack_round: Option<u64>,
    /// When the next segment that is late becomes late enough to be marked lost.
    timer_ns: Option<u64>,
    is_recovering: bool,
    /// SND.NXT when the last recovery or timeout began.
    recovery_point: u64,
    /// The losses of a timeout are being repaired.
    repairs_timeout: bool,
    /// The last loss detection found a loss of a retransmitted segment.
    retransmission_lost: bool,
    reduction: Reduction,
}

impl Default for Rack {
    fn default() -> Rack {
        Rack {
            newest: None,
            rtt_ns: 0,
            min_rtt_ns: None,
            reordering_seen: false,
            reo_wnd_mult: 1,
            reo_wnd_persist: 0,
            dsack_round: None,
            timer_ns: None,
            is_recovering: false,
            recovery_point: 0,
            repairs_timeout: false,
            retransmission_lost: false,
            reduction: Reduction::default(),
        }
    }
}

impl Rack {
    /// Section 6.2, steps 1 to 3.
    fn update(&mut self, cx: &Context<'_>) {
        let sample = cx
            .delivery
            .acked_sent_ns
            .map(|(_, newest)| newest)
            .or(cx.delivery.sacked_sent_ns);
        if let Some(sent_ns) = sample {
            let rtt = cx.now_ns - sent_ns;
            self.min_rtt_ns = Some(self.min_rtt_ns.map_or(rtt, |min| min.min(rtt)));
        }
        self.reordering_seen |= cx.delivery.reordered.is_some();
        // The acknowledgement of a retransmitted segment may belong to the first copy.
        let is_clear = |arrived: &Arrived| {
            !arrived.was_retransmitted
                || self
                    .min_rtt_ns
                    .is_none_or(|rtt| cx.now_ns - arrived.sent_ns >= rtt)
        };
        let Some(arrived) = cx
            .delivery
            .newest
            .filter(is_clear)
            .or(cx.delivery.newest_sent_once)
        else {
            return;
        };
        self.rtt_ns = cx.now_ns - arrived.sent_ns;
        arrived.keep_newest(&mut self.newest);
    }

    /// Section 6.2, step 4.
    fn reordering_window_ns(&mut self, cx: &Context<'_>) -> u64 {
        if self
            .dsack_round
            .is_some_and(|round| cx.scoreboard.una() >= round)
        {
            self.dsack_round = None;
        }
        if cx.has_dsack && self.dsack_round.is_none() {
            self.dsack_round = Some(cx.scoreboard.nxt());
            self.reo_wnd_mult += 1;
            self.reo_wnd_persist = PERSIST_ROUNDS;
        }
        let sacked_enough = cx.scoreboard.sacked_segments() >= DUP_THRESHOLD;
        if !self.reordering_seen && (self.is_recovering || self.repairs_timeout || sacked_enough) {
            return 0;
        }
        let quarter = self.min_rtt_ns.unwrap_or(0) / 4;
        (quarter * self.reo_wnd_mult).min(cx.srtt_ns)
    }

    /// Section 6.2, step 5: marks lost segments. Returns whether there were any.
    fn detect(&mut self, cx: &mut Context<'_>) -> bool {
        self.timer_ns = None;
        self.retransmission_lost = false;
        let Some(newest) = self.newest else {
            return false;
        };
        let allowance = self.rtt_ns + self.reordering_window_ns(cx);
        let (now, mut timer, mut retransmission_lost) = (cx.now_ns, None, false);
        let found_loss = cx.scoreboard.mark_late(|segment: &Sent| {
            if !newest.was_sent_after(segment) {
                return false;
            }
            let late_ns = segment.sent_ns + allowance;
            if now < late_ns {
                timer = Some(timer.map_or(late_ns, |earlier: u64| earlier.min(late_ns)));
            }
            retransmission_lost |= now >= late_ns && segment.was_ever_retransmitted();
            now >= late_ns
        });
        self.timer_ns = timer;
        self.retransmission_lost = retransmission_lost;
        found_loss
    }

    fn enter(&mut self, cx: &mut Context<'_>) {
        self.is_recovering = true;
        self.recovery_point = cx.scoreboard.nxt();
        let flight = cx.reduce(LossKind::Acknowledgements);
        self.reduction = Reduction::begin(flight);
        *cx.restart_timer = true;
    }

    /// Starts, continues or ends a recovery, after loss detection.
    fn update_state(&mut self, cx: &mut Context<'_>, found_loss: bool) {
        let is_over = cx.scoreboard.una() >= self.recovery_point;
        if is_over && self.is_recovering {
            self.is_recovering = false;
            cx.congestion.window.cwnd_bytes = cx.congestion.reduced_bytes();
            self.end_of_recovery();
        }
        if is_over && self.repairs_timeout {
            self.repairs_timeout = false;
            self.end_of_recovery();
        }
        if self.repairs_timeout && self.retransmission_lost {
            self.repairs_timeout = false;
            self.enter(cx);
        }
        let awaits_retransmission = cx.scoreboard.pending_retransmit_bytes() > 0;
        if !self.is_recovering && !self.repairs_timeout {
            if !(found_loss || awaits_retransmission) {
                return;
            }
            self.enter(cx);
        }
        if self.is_recovering {
            let shows_no_loss = cx.delivery.acked_bytes > 0 && !found_loss;
            self.reduction.on_ack(
                cx.congestion,
                cx.scoreboard,
                cx.delivery.delivered_bytes,
                shows_no_loss,
            );
        }
    }

    /// Section 6.2, step 4: resets a widened window after 16 recoveries without a further DSACK.
    fn end_of_recovery(&mut self) {
        self.reo_wnd_persist = self.reo_wnd_persist.saturating_sub(1);
        if self.reo_wnd_persist == 0 {
            self.reo_wnd_mult = 1;
        }
    }
}

impl Recovery for Rack {
    fn on_ack(&mut self, cx: &mut Context<'_>) {
        self.update(cx);
        let found_loss = self.detect(cx);
        self.update_state(cx, found_loss);
    }

    fn on_established(&mut self, rtt_ns: u64) {
        self.min_rtt_ns = Some(rtt_ns);
    }

    /// Section 6.3: marks the first segment lost, and those whose acknowledgement is overdue.
    fn on_timeout(&mut self, now_ns: u64, scoreboard: &mut Scoreboard) {
        self.is_recovering = false;
        self.repairs_timeout = true;
        self.timer_ns = None;
        self.recovery_point = scoreboard.nxt();
        let allowance = self.rtt_ns + self.min_rtt_ns.unwrap_or(0) / 4 * self.reo_wnd_mult;
        for index in 0..scoreboard.len() {
            if index == 0 || now_ns >= scoreboard.segment(index).sent_ns + allowance {
                scoreboard.mark_lost(index);
            }
        }
    }

    fn is_recovering(&self) -> bool {
        self.is_recovering
    }

    fn on_sent(&mut self, bytes: u32) {
        if self.is_recovering {
            self.reduction.sent(bytes);
        }
    }

    fn timer_ns(&self) -> Option<u64> {
        self.timer_ns
    }

    fn on_timer(&mut self, cx: &mut Context<'_>) {
        let found_loss = self.detect(cx);
        if found_loss {
            self.update_state(cx, true);
        }
    }

    fn probes(&self) -> bool {
        true
    }

    fn uses_sack(&self) -> bool {
        true
    }
}
