//! Packets that leave: how they are paced, and what an idle time takes from cwnd.

use super::{Owner, Pacing, Sender};
use onramp_core::Decision;

/// The RTO of idle times: Linux's minimum, and about what RFC 6298 has for a steady RTT and delayed
/// ACKs.
const MIN_RTO_NS: u64 = 200_000_000;
const RTO_RTTS: u64 = 2;
/// After an idle time or a loss, cwnd leaves at this multiple of cwnd / RTT, as Linux paces slow
/// start.
const RESTART_GAIN: u64 = 2;

impl Sender {
    /// A packet of this size leaves.
    pub fn on_sent(&mut self, now_ns: u64, bytes: u64) {
        if self.inflight_bytes == 0 {
            self.resume(now_ns);
            self.is_restarting = self.cwnd_bytes > self.initial_window_bytes;
        }
        self.inflight_bytes += bytes;
        self.last_event_ns = now_ns;
        self.unpaced_bytes = self.unpaced_bytes.saturating_sub(bytes);
    }

    /// Sending resumes after an idle time. While the start-up owns cwnd, cwnd is halved for each
    /// RTO of it, down to the initial window (RFC 2861, as in Linux). Afterwards the host's
    /// congestion avoidance does as it would.
    fn resume(&mut self, now_ns: u64) {
        let is_held = self.record().is_some_and(Decision::is_reserved);
        if self.owner() == Owner::Avoidance || is_held {
            return;
        }
        let rto_ns = MIN_RTO_NS.max(RTO_RTTS * self.srtt_ns);
        let halvings = now_ns.saturating_sub(self.last_event_ns) / rto_ns;
        if self.last_event_ns > 0 && self.cwnd_bytes > self.initial_window_bytes {
            let halved_bytes = self.cwnd_bytes >> halvings.min(63);
            let idle_ns = now_ns.saturating_sub(self.last_event_ns);
            let kept = self
                .record()
                .map(|decision| decision.host_restart_bytes(idle_ns, 0));
            let least_bytes = self.initial_window_bytes.max(self.min_window_bytes());
            let least_bytes = least_bytes.max(kept.unwrap_or(0));
            self.cwnd_bytes = halved_bytes.max(least_bytes).min(self.cwnd_bytes);
        }
    }

    /// How the host paces.
    ///
    /// Without a rate of the start-up, ACKs clock the sender, because the ACKs of packets that left
    /// back to back show the rate of the path. The initial window may leave at once (RFC 9002,
    /// section 7.7). After an idle time there are no ACKs: a larger window is paced. After a loss
    /// cwnd rises at once, where TCP's recovery raises it with each ACK: it is paced as well.
    pub fn pacing(&self) -> Pacing {
        let Some(decision) = self.record() else {
            return Pacing::None;
        };
        if self.unpaced_bytes > 0 && !decision.is_over() {
            return Pacing::None;
        }
        let resumed_bytes = if self.is_restarting {
            0
        } else {
            self.cwnd_bytes
        };
        if decision.host_paces(self.cwnd_bytes, self.ssthresh_bytes, resumed_bytes) {
            return Pacing::BytesPerS(decision.pacing_bytes_per_s);
        }
        if decision.is_over() {
            return Pacing::Host;
        }
        let lacks_acks = self.is_restarting
            || self.recovery_start_ns.is_some()
            || (self.inflight_bytes == 0 && self.cwnd_bytes > self.initial_window_bytes);
        match (lacks_acks, self.srtt_ns) {
            (false, _) | (true, 0) => Pacing::None,
            (true, srtt_ns) => {
                let bytes = RESTART_GAIN * self.cwnd_bytes;
                Pacing::BytesPerS(onramp_core::mul_div(bytes, 1_000_000_000, srtt_ns).max(1))
            }
        }
    }
}
