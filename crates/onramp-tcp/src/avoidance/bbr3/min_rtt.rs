//! The min RTT, and PROBE_RTT, which measures it anew (draft, section "ProbeRTT").

use super::{Bbr3, Sample, State, MS_NS, PROBE_RTT_CWND_GAIN, SECOND_NS};

/// BBR.MinRTTFilterLen
const FILTER_NS: u64 = 10 * SECOND_NS;
/// BBR.ProbeRTTInterval
const INTERVAL_NS: u64 = 5 * SECOND_NS;
/// BBR.ProbeRTTDuration
const DURATION_NS: u64 = 200 * MS_NS;

/// The two minima of the RTT: of 5 s, which schedules PROBE_RTT, and of 10 s, from which the BDP is
/// computed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MinRtt {
    min_ns: Option<u64>,
    min_at_ns: u64,
    recent_ns: Option<u64>,
    recent_at_ns: u64,
    is_expired: bool,
    ends_ns: Option<u64>,
    round_is_over: bool,
}

impl MinRtt {
    pub fn new(now_ns: u64, rtt_ns: Option<u64>) -> MinRtt {
        MinRtt {
            min_ns: rtt_ns,
            min_at_ns: now_ns,
            recent_ns: rtt_ns,
            recent_at_ns: now_ns,
            ..MinRtt::default()
        }
    }

    pub fn min_rtt_ns(&self) -> Option<u64> {
        self.min_ns
    }

    /// UpdateMinRTT()
    pub fn update(&mut self, now_ns: u64, rtt_ns: Option<u64>) {
        self.is_expired = now_ns > self.recent_at_ns + INTERVAL_NS;
        if let Some(rtt_ns) = rtt_ns {
            if self.is_expired || self.recent_ns.is_none_or(|recent_ns| rtt_ns < recent_ns) {
                self.recent_ns = Some(rtt_ns);
                self.recent_at_ns = now_ns;
            }
        }
        let is_old = now_ns > self.min_at_ns + FILTER_NS;
        let is_lower = match (self.recent_ns, self.min_ns) {
            (Some(recent_ns), Some(min_ns)) => recent_ns < min_ns,
            (recent_ns, _) => recent_ns.is_some(),
        };
        if is_lower || is_old {
            self.min_ns = self.recent_ns;
            self.min_at_ns = self.recent_at_ns;
        }
    }
}

impl Bbr3 {
    /// ProbeRTTCwnd()
    pub(super) fn probe_rtt_cwnd_bytes(&self) -> u64 {
        let half = self.bdp_bytes(self.bw, PROBE_RTT_CWND_GAIN);
        half.max(self.min_cwnd_bytes())
    }

    /// CheckProbeRTT()
    pub(super) fn check_probe_rtt(&mut self, sample: &Sample) {
        let begins = self.min_rtt.is_expired && !self.restarts_from_idle;
        if self.state != State::ProbeRtt && begins {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.min_rtt.ends_ns = None;
            self.cycle.stop_probe();
            self.start_round();
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(sample);
        }
    }

    /// HandleProbeRTT()
    fn handle_probe_rtt(&mut self, sample: &Sample) {
        // Rates that are measured meanwhile do not count.
        self.rate.limit(sample.inflight_bytes);
        if self.min_rtt.ends_ns.is_some() {
            self.min_rtt.round_is_over |= self.round_begins;
            if self.min_rtt.round_is_over {
                self.check_probe_rtt_done(sample.now_ns);
            }
        } else if sample.inflight_bytes <= self.probe_rtt_cwnd_bytes() {
            self.min_rtt.ends_ns = Some(sample.now_ns + DURATION_NS);
            self.min_rtt.round_is_over = false;
            self.start_round();
        }
    }

    /// CheckProbeRTTDone()
    pub(super) fn check_probe_rtt_done(&mut self, now_ns: u64) {
        if self.min_rtt.ends_ns.is_none_or(|ends_ns| now_ns <= ends_ns) {
            return;
        }
        self.min_rtt.recent_at_ns = now_ns;
        self.restore_cwnd();
        self.congestion.reset_short_term();
        if self.full.was_reached {
            self.start_down(now_ns);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }
}
