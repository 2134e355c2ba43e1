//! The timer: sending again, probing, and asking for a window.

use super::Sender;
use crate::congestion::LossKind;
use crate::recovery::{Delivery, Probe};

/// Doublings of the retransmission timer after which the peer is given up (RFC 1122, section
/// 4.2.3.5; Linux's 15).
const MOST_BACKOFFS: u32 = 15;

/// The longest pause between two window probes (4.4BSD; RFC 1122, section 4.2.2.17 asks for
/// exponential pauses).
const MOST_PERSIST_NS: u64 = 60_000_000_000;

/// What the timer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// An acknowledgement: then send again.
    Retransmit,
    /// An acknowledgement: then probe.
    Probe,
    /// A window: then ask for it.
    Persist,
}

/// The retransmission timer has expired too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GaveUp;

impl Sender {
    /// Starts the retransmission timer, or that of a probe where one is permitted.
    pub(super) fn start_timer(&mut self, now_ns: u64) {
        self.expires_ns = self.rto.deadline_ns(now_ns);
        self.arm(now_ns);
    }

    /// RFC 8985, section 7.2: a probe comes some time after what was sent last, but no later than
    /// the retransmission timer, which new data does not start again (RFC 6298, section 5.1).
    pub(super) fn arm(&mut self, now_ns: u64) {
        self.timer = Some((Wait::Retransmit, self.expires_ns));
        let may_probe = self.recovery.probes()
            && !self.probe.is_out()
            && !self.recovery.is_recovering()
            && self.board.sacked_bytes() == 0
            && self.board.lost_bytes() == 0;
        if may_probe {
            // What waits for tokens is sent before anything is taken for late.
            let from_ns = now_ns.max(
                self.pacer
                    .has_tokens_ns(self.mss_bytes, self.congestion.pacing()),
            );
            let wanted_ns = from_ns + Probe::timeout_ns(self.rto.srtt_ns(), self.board.len());
            let probe_ns = self.events.at_or_after_ns(wanted_ns);
            self.timer = Some((Wait::Probe, probe_ns.min(self.expires_ns)));
        }
    }

    /// When something is due.
    pub fn next_timer_ns(&self) -> Option<u64> {
        let recovery_ns = self
            .recovery
            .timer_ns()
            .map(|wanted_ns| self.events.at_or_after_ns(wanted_ns));
        [
            self.timer.map(|(_, at)| at),
            recovery_ns,
            self.pacer.wakes_ns(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Does what is due.
    pub fn on_timer(&mut self, now_ns: u64) -> Result<(), GaveUp> {
        if self.recovery.timer_ns().is_some_and(|at| at <= now_ns) {
            let mut restart_timer = false;
            let was_recovering = self.recovery.is_recovering();
            let nothing = Delivery::default();
            self.recover(
                now_ns,
                &nothing,
                false,
                false,
                &mut restart_timer,
                |recovery, cx| recovery.on_timer(cx),
            );
            self.note_recovery(was_recovering);
            self.after_ack(now_ns, restart_timer);
        }
        match self.timer.filter(|&(_, at)| at <= now_ns) {
            None => Ok(()),
            Some((Wait::Probe, _)) => {
                // Section 7.3: the retransmission timer starts again.
                self.probe_due = true;
                self.expires_ns = self.rto.deadline_ns(now_ns);
                self.timer = Some((Wait::Retransmit, self.expires_ns));
                Ok(())
            }
            Some((Wait::Persist, _)) => self.persist(now_ns),
            Some((Wait::Retransmit, _)) => self.expire(now_ns),
        }
    }

    /// RFC 9293, section 3.8.6.1: ask whether the window is open.
    fn persist(&mut self, now_ns: u64) -> Result<(), GaveUp> {
        if self.edge > self.board.nxt() {
            // It is, but small: send what fits.
            self.override_silly = true;
        } else {
            self.ask_window = true;
        }
        // A closed window is waited for as long as somebody answers (section 3.8.6.1), and no
        // longer.
        self.unanswered += 1;
        if self.unanswered > MOST_BACKOFFS {
            return Err(GaveUp);
        }
        self.asked += 1;
        let pause_ns = (self.rto.timeout_ns() << self.asked.min(16)).min(MOST_PERSIST_NS);
        self.timer = Some((Wait::Persist, self.events.at_or_after_ns(now_ns + pause_ns)));
        Ok(())
    }

    /// RFC 6298, section 5, and RFC 5681, section 3.1.
    fn expire(&mut self, now_ns: u64) -> Result<(), GaveUp> {
        self.timer = None;
        if self.board.is_empty() {
            return Ok(());
        }
        if let Some(deadline_ns) = self
            .lost_leaves_ns()
            .map(|at_ns| self.rto.deadline_ns(at_ns.max(now_ns)))
        {
            self.expires_ns = deadline_ns;
            self.timer = Some((Wait::Retransmit, deadline_ns));
            return Ok(());
        }
        self.backoffs += 1;
        if self.backoffs > MOST_BACKOFFS {
            return Err(GaveUp);
        }
        self.timeouts += 1;
        if self.board.segment(0).is_sacked() {
            self.board.forget_sacked();
        }
        // RFC 5681, section 3.1: the threshold stays when the same segment times out again. As in
        // Linux it also stays where a recovery has lowered it for the same losses
        // (tcp_enter_loss()), which may have inflated the window since. While a reservation holds
        // the window is not lowered, and every timeout is one more reason to doubt it.
        let reduces = self.is_lite
            || self.backoffs == 1 && !self.recovery.is_recovering()
            || self.congestion.is_reserved();
        self.recovery.on_timeout(now_ns, &mut self.board);
        if reduces {
            let (flight_bytes, lost_bytes) = (
                self.board.outstanding_bytes(),
                self.board.total_lost_bytes(),
            );
            self.congestion
                .reduce(now_ns, LossKind::Timeout, flight_bytes, lost_bytes);
        } else {
            self.congestion.begin_again();
        }
        self.rto.back_off();
        self.probe.forget();
        self.timed = None;
        self.force = true;
        self.expires_ns = self.rto.deadline_ns(now_ns);
        self.timer = Some((Wait::Retransmit, self.expires_ns));
        Ok(())
    }

    /// When the lost segment that is to be sent next may leave, where tokens are wanting and
    /// nothing else is under way whose acknowledgement could be late.
    fn lost_leaves_ns(&self) -> Option<u64> {
        let is_lost =
            self.board.waiting_bytes() > 0 && (self.force || self.board.pipe_bytes() == 0);
        let pacing = self
            .congestion
            .pacing()
            .filter(|pacing| is_lost && pacing.burst_bytes > 0);
        self.pacer.wakes_ns().filter(|_| pacing.is_some())
    }
}
