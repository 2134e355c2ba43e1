//! Retransmission timer, tail loss probe timer and persist timer.

use super::Sender;
use crate::congestion::LossKind;
use crate::recovery::{Delivery, Probe};

/// Number of backoffs of the retransmission timer after which the connection fails (RFC 1122,
/// section 4.2.3.5; 15 in Linux).
const MOST_BACKOFFS: u32 = 15;

/// Maximum interval between window probes (4.4BSD). RFC 1122, section 4.2.2.17, asks for
/// exponential backoff.
const MOST_PERSIST_NS: u64 = 60_000_000_000;

/// What the timer does when it expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// Retransmit, because an acknowledgement is overdue.
    Retransmit,
    /// Send a tail loss probe.
    Probe,
    /// Send a window probe.
    Persist,
}

/// The retransmission timer has expired too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GaveUp;

impl Sender {
    /// Starts the retransmission timer, or the tail loss probe timer if a probe is permitted.
    pub(super) fn start_timer(&mut self, now_ns: u64) {
        self.expires_ns = self.rto.deadline_ns(now_ns);
        self.arm(now_ns);
    }

    /// RFC 8985, section 7.2: the probe timer runs from the last transmission but ends no later
    /// than the retransmission timer. New data does not restart the latter (RFC 6298, section 5.1).
    pub(super) fn arm(&mut self, now_ns: u64) {
        self.timer = Some((Wait::Retransmit, self.expires_ns));
        let may_probe = self.recovery.probes()
            && !self.probe.is_out()
            && !self.recovery.is_recovering()
            && self.board.sacked_bytes() == 0
            && self.board.lost_bytes() == 0;
        if may_probe {
            // Data that waits for tokens must be sent before anything can be overdue.
            let from_ns = now_ns.max(
                self.pacer
                    .has_tokens_ns(self.mss_bytes, self.congestion.pacing()),
            );
            let wanted_ns = from_ns + Probe::timeout_ns(self.rto.srtt_ns(), self.board.len());
            let probe_ns = self.events.at_or_after_ns(wanted_ns);
            self.timer = Some((Wait::Probe, probe_ns.min(self.expires_ns)));
        }
    }

    /// When the next timer expires.
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

    /// Handles the timers that have expired.
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
                // RFC 8985, section 7.3: restart the retransmission timer.
                self.probe_due = true;
                self.expires_ns = self.rto.deadline_ns(now_ns);
                self.timer = Some((Wait::Retransmit, self.expires_ns));
                Ok(())
            }
            Some((Wait::Persist, _)) => self.persist(now_ns),
            Some((Wait::Retransmit, _)) => self.expire(now_ns),
        }
    }

    /// RFC 9293, section 3.8.6.1: probe a closed window.
    fn persist(&mut self, now_ns: u64) -> Result<(), GaveUp> {
        if self.edge > self.board.nxt() {
            // The window is open but small: send what fits.
            self.override_silly = true;
        } else {
            self.ask_window = true;
        }
        // A closed window may stay closed as long as the peer answers (section 3.8.6.1), but no
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

    /// Retransmission timeout (RFC 6298, section 5, and RFC 5681, section 3.1).
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
        // RFC 5681, section 3.1: ssthresh does not change when the same segment times out again. As
        // in Linux (tcp_enter_loss()), it also does not change if a recovery has already lowered it
        // for the same losses, because that recovery may have inflated cwnd since. A reservation
        // does not lower its window, so each timeout is reported as further evidence against it.
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

    /// When the next lost segment may be sent, if it waits for tokens and nothing else is in flight
    /// whose acknowledgement could be overdue.
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
