//! Retransmission timer, tail loss probe timer and persist timer.

use super::acks::Report;
use super::{Sender, Timer};
use crate::congestion::LossKind;
use crate::recovery::{Delivery, Probe, Recovery, Timeout};
use crate::rto::Rto;
use crate::timing::earliest;

/// Number of backoffs of the retransmission timer after which the connection fails (RFC 1122,
/// section 4.2.3.5; 15 in Linux).
const MAX_BACKOFFS: u32 = 15;

/// Maximum interval between window probes (4.4BSD). RFC 1122, section 4.2.2.17, asks for
/// exponential backoff.
const MAX_PERSIST_NS: u64 = 60_000_000_000;

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
        self.timer = Some((Timer::Retransmit, self.expires_ns));
        let may_probe = self.recovery.probes()
            && !self.probe.is_in_flight()
            && !self.recovery.is_recovering()
            && self.scoreboard.sacked_bytes() == 0
            && self.scoreboard.lost_bytes() == 0;
        if may_probe {
            // Data that waits for tokens must be sent before anything can be overdue.
            let from_ns = now_ns.max(
                self.pacer
                    .tokens_available_ns(self.mss_bytes, self.congestion.pacing()),
            );
            let wanted_ns = from_ns + Probe::timeout_ns(self.rto.srtt_ns(), self.scoreboard.len());
            let probe_ns = self.events.at_or_after_ns(wanted_ns);
            self.timer = Some((Timer::Probe, probe_ns.min(self.expires_ns)));
        }
    }

    /// When the next timer expires.
    pub fn next_timer_ns(&self) -> Option<u64> {
        let recovery_ns = self
            .recovery
            .timer_ns()
            .map(|wanted_ns| self.events.at_or_after_ns(wanted_ns));
        earliest([
            self.timer.map(|(_, at)| at),
            recovery_ns,
            self.pacer.wake_up_ns(),
        ])
    }

    /// Handles the timers that have expired.
    pub fn on_timer(&mut self, now_ns: u64) -> Result<(), GaveUp> {
        if self.recovery.timer_ns().is_some_and(|at| at <= now_ns) {
            let mut restart_timer = false;
            let was_recovering = self.recovery.is_recovering();
            let nothing = Report {
                now_ns,
                delivery: &Delivery::default(),
                is_duplicate: false,
                dsack: None,
                prior_una: self.scoreboard.una(),
                echo_age_ns: None,
            };
            self.recover(&nothing, &mut restart_timer, |recovery, cx| {
                recovery.on_timer(cx);
            });
            self.count_recovery(was_recovering);
            self.after_ack(now_ns, restart_timer);
        }
        match self.timer.filter(|&(_, at)| at <= now_ns) {
            None => Ok(()),
            Some((Timer::Probe, _)) => {
                // RFC 8985, section 7.3: restart the retransmission timer.
                self.tail_probe_due = true;
                self.expires_ns = self.rto.deadline_ns(now_ns);
                self.timer = Some((Timer::Retransmit, self.expires_ns));
                Ok(())
            }
            Some((Timer::Persist, _)) => self.persist(now_ns),
            Some((Timer::Retransmit, _)) => self.expire(now_ns),
        }
    }

    /// RFC 9293, section 3.8.6.1: probe a closed window.
    fn persist(&mut self, now_ns: u64) -> Result<(), GaveUp> {
        if self.edge > self.scoreboard.nxt() {
            // The window is open but small: send what fits.
            self.overrides_sws_avoidance = true;
        } else {
            self.window_probe_due = true;
        }
        // A closed window may stay closed as long as the peer answers (section 3.8.6.1), but no
        // longer.
        self.unanswered_window_probes += 1;
        if self.unanswered_window_probes > MAX_BACKOFFS {
            return Err(GaveUp);
        }
        self.window_probes_sent += 1;
        let pause_ns =
            (self.rto.timeout_ns() << self.window_probes_sent.min(16)).min(MAX_PERSIST_NS);
        self.timer = Some((
            Timer::Persist,
            self.events.at_or_after_ns(now_ns + pause_ns),
        ));
        Ok(())
    }

    /// Retransmission timeout (RFC 6298, section 5, and RFC 5681, section 3.1).
    fn expire(&mut self, now_ns: u64) -> Result<(), GaveUp> {
        self.timer = None;
        if self.scoreboard.is_empty() {
            return Ok(());
        }
        if let Some(deadline_ns) = self
            .lost_leaves_ns()
            .map(|at_ns| self.rto.deadline_ns(at_ns.max(now_ns)))
        {
            self.expires_ns = deadline_ns;
            self.timer = Some((Timer::Retransmit, deadline_ns));
            return Ok(());
        }
        self.backoffs += 1;
        if self.backoffs > MAX_BACKOFFS {
            return Err(GaveUp);
        }
        self.timeouts += 1;
        if self.scoreboard.segment(0).is_sacked() {
            self.scoreboard.forget_sacked();
        }
        // RFC 5681, section 3.1: ssthresh does not change when the same segment times out again. As
        // in Linux (tcp_enter_loss()), it also does not change if a recovery has already lowered it
        // for the same losses, because that recovery may have inflated cwnd since. A reservation
        // does not lower its window, so each timeout is reported as further evidence against it.
        // A timeout also ends a repair that the start-up algorithm controls.
        let reduces = self.is_lite
            || self.backoffs == 1 && !self.is_reducing()
            || self.congestion.is_reserved()
            || self.congestion.is_repairing();
        let timeout = Timeout {
            now_ns,
            reduces,
            is_repeated: self.backoffs > 1,
        };
        self.recovery.on_timeout(&timeout, &mut self.scoreboard);
        self.ecn.timed_out(self.scoreboard.nxt());
        if reduces {
            let (flight_bytes, lost_bytes) = (
                self.scoreboard.flight_size_bytes(),
                self.scoreboard.total_lost_bytes(),
            );
            self.congestion
                .reduce(now_ns, LossKind::Timeout, flight_bytes, lost_bytes);
        }
        let inflight_bytes = self.scoreboard.pipe_bytes();
        self.congestion.restart_after_timeout(inflight_bytes);
        self.rto.back_off();
        self.probe.forget();
        self.timed = None;
        self.force_retransmit = true;
        self.expires_ns = self.rto.deadline_ns(now_ns);
        self.timer = Some((Timer::Retransmit, self.expires_ns));
        Ok(())
    }

    /// When the next lost segment may be sent, if it waits for tokens and nothing else is in flight
    /// whose acknowledgement could be overdue.
    fn lost_leaves_ns(&self) -> Option<u64> {
        let is_lost = self.scoreboard.pending_retransmit_bytes() > 0
            && (self.force_retransmit || self.scoreboard.pipe_bytes() == 0);
        let pacing = self
            .congestion
            .pacing()
            .filter(|pacing| is_lost && pacing.burst_bytes > 0);
        self.pacer.wake_up_ns().filter(|_| pacing.is_some())
    }
}
