//! Losses and marks: one reduction of cwnd in each recovery (RFC 9002, section 7.3.2).

use super::{Cause, Congestion, Sender};
use onramp_core::{Decision, Loss, LOSS_RECOVERY, LOSS_TIMEOUT};

/// The ACK frames beyond the start of a recovery that still belong to it, for the start-up. A
/// library reports the losses that a frame shows behind the frame. The first of these frames shows
/// the last losses, and the second one finds the flight that lost accounted for.
pub(super) const ACKS_OF_REPAIR: u32 = 2;

impl Sender {
    /// Counts lost packets. A [`Congestion`] event may follow.
    pub fn count_lost(&mut self, bytes: u64) {
        self.lost_bytes += bytes;
        self.inflight_bytes = self.inflight_bytes.saturating_sub(bytes);
    }

    /// Is a loss of packets that were sent until `newest_sent_ns` part of the recovery that runs,
    /// or of an earlier one? Then it does not reduce cwnd (RFC 9002, section 7.3.2).
    pub fn is_of_recovery(&self, newest_sent_ns: u64) -> bool {
        self.recovery_start_ns
            .is_some_and(|start_ns| newest_sent_ns <= start_ns)
    }

    /// Reports a congestion event. Nothing happens if it [is part of a
    /// recovery](Self::is_of_recovery), unless the congestion is persistent.
    pub fn on_congestion(&mut self, event: &Congestion) {
        let is_persistent = event.cause == Cause::PersistentCongestion;
        if self.is_of_recovery(event.newest_sent_ns) && !is_persistent {
            return;
        }
        let flight_bytes = self.inflight_bytes + event.lost_bytes + event.acked_behind_bytes;
        let loss = Loss {
            now_ns: event.now_ns,
            inflight_bytes: flight_bytes,
            cwnd_bytes: self.cwnd_bytes,
            ssthresh_bytes: event.avoidance_ssthresh_bytes,
            acknowledged_bytes: self
                .delivered_bytes
                .saturating_sub(event.acked_behind_bytes),
            lost_bytes: self.lost_bytes,
            mss_bytes: self.recorded_mss_u32(),
            kind: match is_persistent {
                true => LOSS_TIMEOUT,
                false => LOSS_RECOVERY,
            },
        };
        self.prior =
            Some((self.cwnd_bytes, self.ssthresh_bytes)).filter(|_| event.cause == Cause::Loss);
        self.recovery_start_ns = Some(event.now_ns);
        self.is_recovering = !is_persistent;
        self.acks_beyond_recovery = 0;
        let mut ssthresh_bytes = event.avoidance_ssthresh_bytes;
        if let Some(startup) = &mut self.startup {
            if startup.decision().host_reports_loss() {
                ssthresh_bytes = startup.report_loss(event.now_ns, &loss);
            }
        }
        if self.record().is_some_and(Decision::is_reserved) {
            return self.apply_decision();
        }
        if !self.has_started() {
            // A lost packet of the handshake makes the initial window smaller, as a lost SYN does.
            self.cwnd_bytes = ssthresh_bytes.clamp(self.min_window_bytes(), self.cwnd_bytes);
            return;
        }
        self.ssthresh_bytes = ssthresh_bytes.max(self.min_window_bytes());
        self.cwnd_bytes = match (self.record(), is_persistent) {
            (_, true) => self.min_window_bytes(),
            (Some(decision), false) if decision.is_repairing() => {
                decision.cwnd_bytes.max(self.min_window_bytes())
            }
            _ => self.ssthresh_bytes.min(self.cwnd_bytes),
        };
    }

    /// The start-up ends at a loss that the host's avoidance repairs in its own way, as BBR does.
    #[cfg(any(feature = "noq", feature = "quinn"))]
    pub(crate) fn end_at_loss(&mut self, is_persistent: bool) {
        if let Some(startup) = &mut self.startup {
            startup.finish_at_loss(match is_persistent {
                true => LOSS_TIMEOUT,
                false => LOSS_RECOVERY,
            });
        }
    }

    /// All packets of the last congestion event have arrived after all: restores cwnd and ssthresh.
    /// A start-up that ended at that event stays ended.
    pub fn on_spurious_congestion(&mut self) {
        let Some((cwnd_bytes, ssthresh_bytes)) = self.prior.take() else {
            return;
        };
        self.is_recovering = false;
        self.cwnd_bytes = self.cwnd_bytes.max(cwnd_bytes);
        self.ssthresh_bytes = self.ssthresh_bytes.max(ssthresh_bytes);
    }

    /// A reduction of cwnd has not been acknowledged yet.
    pub fn is_recovering(&self) -> bool {
        self.is_recovering
    }

    /// An ACK frame whose newest packet was sent then: does it end the recovery?
    pub(super) fn continue_recovery(&mut self, newest_sent_ns: u64) {
        if self.is_recovering && !self.is_of_recovery(newest_sent_ns) {
            self.is_recovering = self.acks_beyond_recovery < ACKS_OF_REPAIR;
            self.acks_beyond_recovery += 1;
        }
    }
}
