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
//! recommends and Linux does. The states are Linux's:
//!
//! ```text
//!                segment lost                          timeout
//!   open ------------------------> recovery      any ----------> repair of a timeout
//!    ^                              |    ^                        |            |
//!    |  all of the flight acked,    |    |  a retransmission      |            |
//!    |  or undone                   |    +--- is lost again ------+            |
//!    +------------------------------+------------------------------------------+
//! ```
//!
//! Where a segment is marked lost when a repair ends, the next recovery begins, with a reduction of
//! its own, even if the segment was retransmitted already.
//!
//! A recovery or a timeout that was spurious is undone: cwnd and ssthresh are what they were before
//! ([`undo`] has the signs; `tcp_try_undo_recovery()`, `_partial()`, `_loss()` and `_dsack()` of
//! Linux). If the path is known to reorder by more than DupThresh segments, cwnd grows with
//! selective acknowledgements too.

mod frto;
mod reordering;
mod undo;

use super::prr::Reduction;
use super::{Arrived, Context, MarkResponse, Recovery, Scoreboard, Sent, Timeout};
use crate::congestion::LossKind;
use frto::{Frto, Verdict};
use reordering::Reordering;
use undo::Undo;

/// State of RACK, with the names of the RFC.
#[derive(Clone, Debug, Default)]
pub struct Rack {
    newest: Option<Arrived>,
    rtt_ns: u64,
    min_rtt_ns: Option<u64>,
    reordering: Reordering,
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
    undo: Undo,
    frto: Frto,
    /// The last acknowledgement ended one recovery and began another.
    began_another: bool,
    /// Until the next acknowledgement, new data is sent and no retransmission.
    defers: bool,
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
        if let Some(start) = cx.delivery.reordered {
            self.see_reordering(cx, start);
        }
        self.reordering.report(cx);
        self.undo.report(cx.dsack);
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

    /// A segment that starts here arrived after one that was sent later.
    fn see_reordering(&mut self, cx: &Context<'_>, start: u64) {
        let highest = cx.scoreboard.highest_sacked().max(cx.delivery.prior_fack);
        let mss_bytes = cx.congestion.window.mss_bytes;
        self.reordering.see(start, highest, mss_bytes);
    }

    /// Section 6.2, step 5: marks lost segments.
    fn detect(&mut self, cx: &mut Context<'_>) -> bool {
        self.timer_ns = None;
        self.retransmission_lost = false;
        let Some(newest) = self.newest else {
            return false;
        };
        let is_repairing = self.is_recovering || self.repairs_timeout;
        let min_rtt_ns = self.min_rtt_ns.unwrap_or(0);
        let allowance = self.rtt_ns + self.reordering.window_ns(cx, min_rtt_ns, is_repairing);
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
        self.repairs_timeout = false;
        self.undo.begin(cx.scoreboard);
        let flight = cx.reduce(LossKind::Acknowledgements);
        // As in Linux, a recovery takes over the reduction for a mark as it is.
        let response = cx.mark_response.unwrap_or(MarkResponse {
            high: cx.scoreboard.nxt(),
            reduction: Reduction::begin(flight),
        });
        self.recovery_point = response.high;
        self.reduction = response.reduction;
        *cx.restart_timer = true;
    }

    /// Restores cwnd and ssthresh, and leaves the repair. `nothing_is_lost`: no segment counts as
    /// lost any more.
    fn undo(&mut self, cx: &mut Context<'_>, nothing_is_lost: bool) {
        if nothing_is_lost {
            cx.scoreboard.unmark_lost();
        }
        cx.congestion.undo();
        self.undo.end();
        self.is_recovering = false;
        self.repairs_timeout = false;
    }

    /// Everything that was in flight when the repair began is acknowledged.
    fn end_repair(&mut self, cx: &mut Context<'_>) {
        let is_undone = self.undo.may_undo(cx);
        if is_undone {
            self.undo(cx, false);
        } else if self.is_recovering {
            cx.congestion.window.cwnd_bytes = cx.congestion.reduced_bytes();
        }
        self.is_recovering = false;
        self.repairs_timeout = false;
        self.reordering.end_of_repair(is_undone);
    }

    /// The receiver has reported every retransmission as a duplicate.
    fn undo_after_dsacks(&mut self, cx: &mut Context<'_>) {
        if self.undo.all_are_duplicates() {
            self.undo(cx, false);
        }
    }

    /// An acknowledgement during a recovery, before loss detection. Returns whether there is
    /// nothing to detect, because an original arrived while retransmissions are in flight.
    fn continue_recovery(&mut self, cx: &mut Context<'_>) -> bool {
        if cx.delivery.acked_bytes > 0 && self.undo.original_arrived(cx) {
            self.see_reordering(cx, cx.prior_una);
            if cx.scoreboard.retransmitted_bytes() > 0 {
                self.defers = true;
                return true;
            }
            self.undo(cx, true);
        } else {
            self.undo_after_dsacks(cx);
        }
        false
    }

    /// An acknowledgement during the repair of a timeout, before loss detection.
    fn continue_timeout(&mut self, cx: &mut Context<'_>) {
        if cx.delivery.acked_bytes > 0 && self.undo.may_undo(cx) {
            return self.undo(cx, true);
        }
        let is_over = cx.scoreboard.una() >= self.recovery_point;
        match self.frto.on_ack(cx, &mut self.recovery_point) {
            Verdict::Spurious => self.undo(cx, true),
            Verdict::SendNew => self.defers = true,
            Verdict::Repair if is_over => self.end_repair(cx),
            Verdict::Repair => {}
        }
    }

    /// Reduces cwnd proportionally.
    fn reduce_window(&mut self, cx: &mut Context<'_>, found_loss: bool) {
        let shows_no_loss = cx.delivery.acked_bytes > 0 && !found_loss;
        self.reduction.on_ack(
            cx.congestion,
            cx.scoreboard,
            cx.delivery.delivered_bytes,
            shows_no_loss,
        );
    }
}

impl Recovery for Rack {
    fn on_ack(&mut self, cx: &mut Context<'_>) {
        let was_recovering = self.is_recovering;
        self.began_another = false;
        self.defers = false;
        self.update(cx);
        if self.is_recovering && cx.scoreboard.una() >= self.recovery_point {
            self.end_repair(cx);
        }
        if self.is_recovering {
            if self.continue_recovery(cx) {
                return self.reduce_window(cx, false);
            }
        } else if self.repairs_timeout {
            self.continue_timeout(cx);
        } else {
            self.undo_after_dsacks(cx);
        }
        let found_loss = self.detect(cx);
        let may_enter = !self.is_recovering && (!self.repairs_timeout || self.retransmission_lost);
        if may_enter && cx.scoreboard.lost_bytes() > 0 {
            self.enter(cx);
            self.began_another = was_recovering;
        } else if may_enter {
            self.undo.forget_first_sent(cx.scoreboard);
        }
        if self.is_recovering {
            self.reduce_window(cx, found_loss);
        }
    }

    fn on_established(&mut self, rtt_ns: u64) {
        self.min_rtt_ns = Some(rtt_ns);
    }

    /// Section 6.3: marks the first segment lost, and those whose acknowledgement is overdue.
    fn on_timeout(&mut self, timeout: &Timeout, scoreboard: &mut Scoreboard) {
        let is_new = !self.is_recovering && !self.repairs_timeout;
        self.frto.begin(is_new, timeout.is_repeated);
        if is_new {
            self.reordering.timed_out(scoreboard.sacked_segments());
        }
        self.is_recovering = false;
        self.repairs_timeout = true;
        self.defers = false;
        self.timer_ns = None;
        self.recovery_point = scoreboard.nxt();
        let min_rtt_ns = self.min_rtt_ns.unwrap_or(0);
        let allowance = self.rtt_ns + self.reordering.widened_ns(min_rtt_ns);
        for index in 0..scoreboard.len() {
            if index == 0 || timeout.now_ns >= scoreboard.segment(index).sent_ns + allowance {
                scoreboard.mark_lost(index);
            }
        }
        if timeout.reduces {
            self.undo.begin(scoreboard);
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

    fn began_another(&self) -> bool {
        self.began_another
    }

    fn on_retransmission(&mut self, now_ns: u64) {
        self.undo.retransmitted(now_ns);
    }

    fn defers_retransmissions(&self) -> bool {
        self.defers
    }

    /// F-RTO ends if no new data has left.
    fn cannot_send_new(&mut self, nxt: u64) {
        if self.repairs_timeout && nxt <= self.recovery_point {
            self.frto.end();
            self.defers = false;
        }
    }

    fn times_copy_of_first(&self) -> bool {
        true
    }

    fn raises_on_any_delivery(&self) -> bool {
        self.reordering.is_high()
    }

    fn timer_ns(&self) -> Option<u64> {
        self.timer_ns
    }

    fn on_timer(&mut self, cx: &mut Context<'_>) {
        if self.detect(cx) {
            self.defers = false;
            if !self.is_recovering {
                self.enter(cx);
            }
            self.reduce_window(cx, true);
        }
    }

    fn probes(&self) -> bool {
        true
    }

    fn uses_sack(&self) -> bool {
        true
    }
}
