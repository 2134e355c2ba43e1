//! Reductions of cwnd: losses, retransmission timeouts and idle times.

use super::Congestion;
use crate::avoidance::Avoidance;
use crate::window::{Window, UNLIMITED};
use onramp_core as core;

/// How a loss was detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// By acknowledgements.
    Acknowledgements,
    /// By the retransmission timer. Slow start follows.
    Timeout,
    /// By acknowledgements, but slow start follows as after a timeout.
    Tahoe,
    /// None: a queue marked data (ECN).
    Mark,
}

impl LossKind {
    /// `LOSS_*` of the start-up interface.
    fn code(self) -> u32 {
        match self {
            LossKind::Acknowledgements | LossKind::Mark => core::LOSS_RECOVERY,
            LossKind::Timeout => core::LOSS_TIMEOUT,
            LossKind::Tahoe => core::LOSS_TAHOE,
        }
    }
}

impl Congestion {
    /// Reduces ssthresh after a loss or a mark (ECN). Loss recovery, or the response to the mark,
    /// then sets cwnd. After a timeout, [`restart_after_timeout`](Self::restart_after_timeout)
    /// follows.
    ///
    /// The flight size is halved (RFC 5681, equation 4). 4.4BSD and ns halve min(cwnd, the peer's
    /// window) instead (Wright & Stevens, "TCP/IP Illustrated, Volume 2", sections 25.11 and 29.4),
    /// with cwnd inflated or deflated as recovery left it. A reservation's cwnd is larger than it
    /// needs, so only its flight size counts.
    ///
    /// `lost_bytes`: bytes marked lost since the start, including this loss.
    pub fn reduce(&mut self, now_ns: u64, kind: LossKind, flight_bytes: u64, lost_bytes: u64) {
        self.restore_held_window();
        if self.fixed_rate.is_some() {
            self.reduced_bytes = self.window.cwnd_bytes;
            return;
        }
        let mut window = self.window;
        self.prior = Some(Window {
            ssthresh_bytes: window.current_ssthresh_bytes(),
            ..window
        });
        if self.is_reserved() {
            window.cwnd_bytes = window
                .cwnd_bytes
                .min(flight_bytes.max(u64::from(window.mss_bytes)));
        }
        let halved_bytes = match self.is_lite {
            true => window.cwnd_bytes.min(self.peer_window_bytes),
            false => flight_bytes,
        };
        if self.is_starting() {
            self.avoidance.follow(self.window.cwnd_bytes);
        }
        let mut ssthresh_bytes = match kind {
            LossKind::Mark => self
                .avoidance
                .ssthresh_after_mark(&window, now_ns, halved_bytes),
            _ => self.avoidance.ssthresh(&window, now_ns, halved_bytes),
        };
        if let Some(startup) = &mut self.startup {
            let loss = core::Loss {
                now_ns: self.measurement.current_time(now_ns),
                inflight_bytes: flight_bytes,
                cwnd_bytes: self.window.cwnd_bytes,
                ssthresh_bytes,
                acknowledged_bytes: self.acknowledged_bytes,
                lost_bytes,
                mss_bytes: self.window.mss_bytes,
                kind: kind.code(),
            };
            ssthresh_bytes = startup.report_loss(now_ns, &loss);
        }
        if self.avoidance.control().is_some() && self.is_following_recovery() {
            if let Some(startup) = &mut self.startup {
                startup.finish_at_loss(kind.code());
            }
        }
        if self.control().is_some() {
            self.reduced_bytes = self.window.cwnd_bytes;
            self.restore_held_window();
            return;
        }
        if self.is_reserved() {
            self.restore_held_window();
            self.reduced_bytes = self.window.cwnd_bytes;
            return;
        }
        self.restore_held_window();
        self.window.ssthresh_bytes = ssthresh_bytes.max(2 * u64::from(self.window.mss_bytes));
        self.reduced_bytes = self.window.ssthresh_bytes.min(self.window.cwnd_bytes);
    }

    /// The last reduction was for nothing: restores cwnd and ssthresh, as in Linux
    /// (`tcp_undo_cwnd_reduction()`). A start-up algorithm sees both at the next acknowledgement
    /// that is reported to it. The avoidance keeps what it learnt from the loss.
    pub fn undo(&mut self) {
        self.undone += 1;
        let Some(prior) = self.prior else { return };
        let cwnd_bytes = self.window.cwnd_bytes;
        self.window.cwnd_bytes = self.avoidance.undo(cwnd_bytes, prior.cwnd_bytes);
        self.window.ssthresh_bytes = self.window.ssthresh_bytes.max(prior.ssthresh_bytes);
        self.restore_held_window();
    }

    /// The last reduction was for a mark, or the peer has reported one since: it must not be undone
    /// (`prior_ssthresh = 0` in Linux).
    pub fn forbid_undo(&mut self) {
        self.prior = None;
    }

    /// The cwnd to which the last reduction leads: ssthresh, but at most cwnd before the loss. (A
    /// measured ssthresh, as Westwood's, may exceed cwnd.)
    pub fn reduced_bytes(&self) -> u64 {
        self.reduced_bytes
    }

    /// Restarts slow start with one segment more than is in flight: after a timeout, and after a
    /// loss that Tahoe treats as an early timeout.
    pub fn restart_slow_start(&mut self, inflight_bytes: u64) {
        if self.is_held() {
            return;
        }
        self.window.cwnd_bytes = inflight_bytes + u64::from(self.window.mss_bytes);
        self.counting.restart();
    }

    /// Restarts slow start after a retransmission timeout. ssthresh does not change.
    pub fn restart_after_timeout(&mut self, inflight_bytes: u64) {
        if self.control().is_some() {
            self.avoidance.timeout();
        } else if !self.is_held() {
            self.restart_slow_start(inflight_bytes);
            self.avoidance.timeout();
        }
    }

    /// Reports that sending resumes after nothing was in flight since `idle_since_ns`.
    ///
    /// `timeouts`: duration of the idle time in RTOs; `None` if it was too short or if the
    /// connection does not restart after idle times. cwnd is halved for each RTO, down to the
    /// initial window (RFC 2861, as in Linux), or to what the start-up keeps.
    pub fn resume(&mut self, idle_since_ns: u64, now_ns: u64, timeouts: Option<u64>) {
        self.avoidance.resume(idle_since_ns, now_ns);
        self.resumed_at_bytes = self.delivered_bytes;
        let cwnd = self.window.cwnd_bytes;
        let Some(timeouts) =
            timeouts.filter(|_| !self.is_held() && cwnd > self.initial_window_bytes)
        else {
            return;
        };
        let restart_bytes = self.startup.as_ref().map_or(0, |startup| {
            startup.restart_bytes(now_ns - idle_since_ns, self.delivered_bytes)
        });
        let window = &mut self.window;
        if window.ssthresh_bytes != UNLIMITED {
            window.ssthresh_bytes = window.ssthresh_bytes.max(cwnd / 4 * 3);
        }
        window.cwnd_bytes = (cwnd >> timeouts.min(63))
            .max(self.initial_window_bytes)
            .max(restart_bytes.min(cwnd));
    }
}
