//! The cycle of ProbeBW: DOWN, CRUISE, REFILL, UP, and what it learns of the path (draft, section
//! "ProbeBW").

use super::{Bbr3, Sample, State, SECOND_NS, UNIT};
use crate::window::UNLIMITED;

/// BBR.Headroom, in percent of `inflight_longterm`.
const HEADROOM: u64 = 15;
/// BBR waits between this and one second more before it probes.
const MIN_WAIT_NS: u64 = 2 * SECOND_NS;
/// A Reno flow with a larger window has to wait so many round trips at most.
const MAX_RENO_ROUNDS: u64 = 63;
const MAX_GROWTH_SHIFT: u32 = 30;

/// What the acknowledgements mean that arrive now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AckPhase {
    #[default]
    Init,
    Refilling,
    Starting,
    Feedback,
    Stopping,
}

/// State of the cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    pub inflight_longterm: u64,
    ack_phase: AckPhase,
    /// Samples belong to a probe.
    pub is_probe_sample: bool,
    pub prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    begin_ns: u64,
    wait_ns: u64,
    pub rounds_since_probe: u64,
    up_rounds: u32,
    up_acked_bytes: u64,
    acked_per_increase: u64,
}

impl Default for Cycle {
    fn default() -> Cycle {
        Cycle {
            inflight_longterm: UNLIMITED,
            ack_phase: AckPhase::Init,
            is_probe_sample: false,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            begin_ns: 0,
            wait_ns: 0,
            rounds_since_probe: 0,
            up_rounds: 0,
            up_acked_bytes: 0,
            acked_per_increase: UNLIMITED,
        }
    }
}

impl Cycle {
    /// The probe is over; its feedback still arrives.
    pub fn stop_probe(&mut self) {
        self.ack_phase = AckPhase::Stopping;
    }
}

impl Bbr3 {
    /// StartProbeBW_DOWN(), with PickProbeWait()
    pub(super) fn start_down(&mut self, now_ns: u64) {
        self.congestion.reset_signals();
        self.cycle.acked_per_increase = UNLIMITED;
        self.cycle.rounds_since_probe = self.random.draw() % 2;
        self.cycle.wait_ns = MIN_WAIT_NS + self.random.draw() % SECOND_NS;
        self.cycle.begin_ns = now_ns;
        self.cycle.stop_probe();
        self.start_round();
        self.state = State::Down;
    }

    /// StartProbeBW_REFILL()
    pub(super) fn start_refill(&mut self) {
        self.congestion.reset_short_term();
        self.cycle.up_rounds = 0;
        self.cycle.up_acked_bytes = 0;
        self.cycle.prev_probe_precautionary = false;
        self.cycle.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.state = State::Refill;
    }

    /// StartProbeBW_UP()
    pub(super) fn start_up(&mut self, sample: &Sample) {
        self.cycle.ack_phase = AckPhase::Starting;
        self.start_round();
        self.full.restart(sample.bytes_per_s);
        self.state = State::Up;
        self.raise_slope();
    }

    /// UpdateProbeBWCyclePhase()
    pub(super) fn update_cycle(&mut self, sample: &Sample) {
        if !self.full.was_reached || self.adapt_long_term_model(sample) {
            return;
        }
        let goes_down = self.state == State::Up && self.is_time_to_go_down(sample);
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe(sample.now_ns) => {
                self.start_refill();
            }
            State::Down if self.is_time_to_cruise(sample) => self.state = State::Cruise,
            State::Refill if self.round_begins => {
                self.cycle.is_probe_sample = true;
                self.start_up(sample);
            }
            State::Up if goes_down => {
                self.cycle.prev_probe_too_high = false;
                self.start_down(sample.now_ns);
            }
            _ => {}
        }
    }

    /// IsTimeToProbeBW(): after 2 to 3 s, or when a Reno flow would have grown by its BDP.
    pub(super) fn is_time_to_probe(&self, now_ns: u64) -> bool {
        let reno_rounds = self.target_inflight_bytes() / self.mss_bytes;
        now_ns > self.cycle.begin_ns + self.cycle.wait_ns
            || self.cycle.rounds_since_probe >= reno_rounds.min(MAX_RENO_ROUNDS)
    }

    /// IsTimeToCruise()
    pub(super) fn is_time_to_cruise(&self, sample: &Sample) -> bool {
        let bdp_bytes = self.with_room(self.bdp_bytes(self.max_bw(), UNIT));
        sample.inflight_bytes <= self.inflight_with_headroom() && sample.inflight_bytes <= bdp_bytes
    }

    /// IsTimeToGoDown()
    fn is_time_to_go_down(&mut self, sample: &Sample) -> bool {
        let longterm = self.cycle.inflight_longterm;
        if self.cycle.prev_probe_too_high && sample.inflight_bytes >= longterm {
            self.cycle.prev_probe_precautionary = true;
            return true;
        }
        if sample.is_cwnd_limited && self.cwnd_bytes >= longterm {
            self.full.restart(sample.bytes_per_s);
            return false;
        }
        self.full.is_full_now
    }

    /// InflightWithHeadroom()
    pub(super) fn inflight_with_headroom(&self) -> u64 {
        let longterm = self.cycle.inflight_longterm;
        if longterm == UNLIMITED {
            return UNLIMITED;
        }
        let headroom = (longterm * HEADROOM / 100).max(self.mss_bytes);
        longterm.saturating_sub(headroom).max(self.min_cwnd_bytes())
    }

    /// RaiseInflightLongtermSlope()
    fn raise_slope(&mut self) {
        let growth = 1 << self.cycle.up_rounds;
        self.cycle.up_rounds = (self.cycle.up_rounds + 1).min(MAX_GROWTH_SHIFT);
        self.cycle.acked_per_increase = (self.cwnd_bytes / growth).max(self.mss_bytes);
    }

    /// ProbeInflightLongtermUpward()
    fn probe_longterm_upward(&mut self, sample: &Sample) {
        if !sample.is_cwnd_limited || self.cwnd_bytes < self.cycle.inflight_longterm {
            return;
        }
        self.cycle.up_acked_bytes += sample.newly_acked_bytes;
        let delta = self.cycle.up_acked_bytes / self.cycle.acked_per_increase;
        self.cycle.up_acked_bytes -= delta * self.cycle.acked_per_increase;
        self.cycle.inflight_longterm += delta * self.mss_bytes;
        if self.round_begins {
            self.raise_slope();
        }
    }

    /// AdaptLongTermModel(). Returns whether it has decided a transition.
    fn adapt_long_term_model(&mut self, sample: &Sample) -> bool {
        let is_in_probe_bw = self.state.is_in_probe_bw();
        if self.cycle.ack_phase == AckPhase::Starting && self.round_begins {
            self.cycle.ack_phase = AckPhase::Feedback;
        }
        if self.cycle.ack_phase == AckPhase::Stopping && self.round_begins {
            self.cycle.is_probe_sample = false;
            self.cycle.ack_phase = AckPhase::Init;
            if is_in_probe_bw && !sample.is_app_limited {
                self.max_bw = [self.max_bw[1], 0];
            }
            let was_careful =
                self.cycle.prev_probe_precautionary && !self.cycle.prev_probe_too_high;
            if is_in_probe_bw && was_careful {
                self.start_refill();
                return true;
            }
        }
        if sample.is_inflight_too_high() || self.cycle.inflight_longterm == UNLIMITED {
            return false;
        }
        let longterm = self.cycle.inflight_longterm;
        self.cycle.inflight_longterm = longterm.max(sample.tx_in_flight_bytes);
        if self.state == State::Up {
            self.probe_longterm_upward(sample);
        }
        false
    }
}
