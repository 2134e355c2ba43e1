//! BBR, version 3.
//!
//! N. Cardwell, I. Swett, J. Beshay: BBR Congestion Control, draft-ietf-ccwg-bbr. Names and
//! constants are the draft's. No kernel of Linux has this version, so there is nothing to compare
//! it with but the text.
//!
//! ```text
//!   state      pacing  cwnd   bounds of cwnd                        ends
//!   STARTUP    2.77    2      none                                  3 rounds without 25 % growth,
//!                                                                   or losses above 2 %
//!   DRAIN      0.5     2      inflight_shortterm                    inflight <= BDP
//!   DOWN       0.9     2      inflight_longterm, _shortterm         inflight <= BDP and headroom
//!   CRUISE     1       2      85 % of inflight_longterm, _shortterm 2 to 3 s, or Reno's time
//!   REFILL     1       2      inflight_longterm                     a round
//!   UP         1.25    2.25   inflight_longterm, which grows        no growth, or losses above 2 %
//!   PROBE_RTT  1       0.5    85 % of inflight_longterm, _shortterm 200 ms and a round
//! ```
//!
//! - The long-term model is the maximum rate of two cycles, and `inflight_longterm`: what was in
//!   flight when a probe (REFILL, UP) lost more than 2 % ([`cycle`]).
//! - The short-term model, `bw_shortterm` and `inflight_shortterm`, follows what is delivered in
//!   rounds with a loss that was no probe's, by a factor of 0.7 at most. A probe forgets it
//!   ([`congestion`]).
//! - PROBE_RTT comes every 5 s without a lower RTT, and keeps half of the BDP in flight
//!   ([`min_rtt`]).
//!
//! Differences from the draft:
//! - No ECN, which the draft leaves out too.
//! - An acknowledgement whose interval is shorter than the min RTT is no sample at all: it ends no
//!   round.
//! - Segments leave one by one. The room for three bursts in cwnd is the draft's.

mod congestion;
mod cycle;
mod min_rtt;
mod packets;
#[cfg(test)]
mod tests;

use super::bbr::{paced, DeliveryRate, RateSample, RecentMax, TimeoutRepair};
use super::{AckSample, Arrival, Avoidance, Control};
use crate::window::UNLIMITED;
use crate::Window;
use congestion::Congestion;
use cycle::Cycle;
use min_rtt::MinRtt;
use onramp_core::SplitMix64;
use packets::Packets;

const MS_NS: u64 = 1_000_000;
const SECOND_NS: u64 = 1_000_000_000;

/// Gains are in percent.
const STARTUP_PACING_GAIN: u64 = 277;
const DRAIN_PACING_GAIN: u64 = 50;
const DOWN_PACING_GAIN: u64 = 90;
const UP_PACING_GAIN: u64 = 125;
const CWND_GAIN: u64 = 200;
const UP_CWND_GAIN: u64 = 225;
const PROBE_RTT_CWND_GAIN: u64 = 50;
const UNIT: u64 = 100;
/// The rate grows if it is 25 % above the one before. Three rounds without growth fill the pipe.
const GROWTH: u64 = 125;
const FULL_ROUNDS: u32 = 3;
/// DRAIN lasts so many rounds at most.
const DRAIN_ROUNDS: u64 = 3;
/// BBR.MinPipeCwnd
const MIN_SEGMENTS: u64 = 4;
/// A burst is what leaves in 1 ms, between 2 segments and 64 KiB. cwnd has room for three.
const MAX_BURST_BYTES: u64 = 64 << 10;
const BURSTS: u64 = 3;
/// BBR.ExtraAckedFilterLen, in rounds; 1 in STARTUP.
const EXTRA_ACKED_ROUNDS: u64 = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl State {
    fn is_in_probe_bw(self) -> bool {
        matches!(
            self,
            State::Down | State::Cruise | State::Refill | State::Up
        )
    }

    /// IsProbingBW()
    fn is_probing(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }

    /// Gains of pacing and of cwnd, in percent.
    fn gains(self) -> (u64, u64) {
        match self {
            State::Startup => (STARTUP_PACING_GAIN, CWND_GAIN),
            State::Drain => (DRAIN_PACING_GAIN, CWND_GAIN),
            State::Down => (DOWN_PACING_GAIN, CWND_GAIN),
            State::Cruise | State::Refill => (UNIT, CWND_GAIN),
            State::Up => (UP_PACING_GAIN, UP_CWND_GAIN),
            State::ProbeRtt => (UNIT, PROBE_RTT_CWND_GAIN),
        }
    }
}

/// The rate sample RS of the draft.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    now_ns: u64,
    bytes_per_s: u64,
    delivered_bytes: u64,
    prior_delivered_bytes: u64,
    newly_acked_bytes: u64,
    /// In flight when the newest segment left, including it.
    tx_in_flight_bytes: u64,
    /// Lost since it left.
    lost_bytes: u64,
    is_app_limited: bool,
    is_cwnd_limited: bool,
    rtt_ns: Option<u64>,
    /// In flight now.
    inflight_bytes: u64,
}

/// BBR.full_bw and its flags: whether the pipe is full.
#[derive(Clone, Copy, Debug, Default)]
struct FullPipe {
    bytes_per_s: u64,
    rounds: u32,
    is_full_now: bool,
    was_reached: bool,
}

impl FullPipe {
    /// ResetFullBW(), with a new baseline.
    fn restart(&mut self, bytes_per_s: u64) {
        self.bytes_per_s = bytes_per_s;
        self.rounds = 0;
        self.is_full_now = false;
    }

    /// CheckFullBWReached()
    fn check(&mut self, sample: &Sample, round_begins: bool) {
        if self.is_full_now || !round_begins || sample.is_app_limited {
            return;
        }
        let rate = u128::from(sample.bytes_per_s) * u128::from(UNIT);
        if rate >= u128::from(self.bytes_per_s) * u128::from(GROWTH) {
            return self.restart(sample.bytes_per_s);
        }
        self.rounds += 1;
        self.is_full_now = self.rounds >= FULL_ROUNDS;
        self.was_reached |= self.is_full_now;
    }
}

/// Congestion control of BBR version 3.
#[derive(Clone, Debug, Default)]
pub struct Bbr3 {
    state: State,
    rate: DeliveryRate,
    packets: Packets,
    mss_bytes: u64,
    initial_cwnd_bytes: u64,
    cwnd_bytes: u64,
    /// cwnd before a recovery or PROBE_RTT.
    prior_cwnd_bytes: u64,
    pacing_bytes_per_s: u64,
    has_rtt: bool,
    /// Maxima of the previous cycle and the present one.
    max_bw: [u64; 2],
    /// BBR.bw: the maximum, bounded by the short-term model.
    bw: u64,
    min_rtt: MinRtt,
    congestion: Congestion,
    cycle: Cycle,
    full: FullPipe,
    rounds: u64,
    round_begins: bool,
    round_end_bytes: u64,
    drain_round: u64,
    extra_acked: RecentMax,
    extra_begin_ns: u64,
    extra_acked_bytes: u64,
    restarts_from_idle: bool,
    repairs: bool,
    timeout_repair: TimeoutRepair,
    lost_bytes: u64,
    random: SplitMix64,
}

impl Bbr3 {
    fn max_bw(&self) -> u64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    fn min_cwnd_bytes(&self) -> u64 {
        MIN_SEGMENTS * self.mss_bytes
    }

    /// BDPMultiple(): gain * rate * min RTT.
    fn bdp_bytes(&self, bytes_per_s: u64, gain: u64) -> u64 {
        let Some(min_rtt_ns) = self.min_rtt.min_rtt_ns() else {
            return self.initial_cwnd_bytes;
        };
        let bytes = u128::from(bytes_per_s) * u128::from(min_rtt_ns) * u128::from(gain)
            / u128::from(SECOND_NS * UNIT);
        u64::try_from(bytes).unwrap_or(u64::MAX >> 20)
    }

    /// QuantizationBudget()
    fn with_room(&self, inflight_bytes: u64) -> u64 {
        let burst = (self.pacing_bytes_per_s / 1000).min(MAX_BURST_BYTES);
        let burst = burst.max(2 * self.mss_bytes);
        let probe = if self.state == State::Up {
            2 * self.mss_bytes
        } else {
            0
        };
        inflight_bytes
            .max(BURSTS * burst)
            .max(self.min_cwnd_bytes())
            + probe
    }

    /// TargetInflight(): the BDP, unless congestion cut cwnd.
    fn target_inflight_bytes(&self) -> u64 {
        self.bdp_bytes(self.bw, UNIT).min(self.cwnd_bytes)
    }

    /// StartRound()
    fn start_round(&mut self) {
        self.round_end_bytes = self.rate.delivered_bytes;
    }

    fn is_repairing(&self) -> bool {
        self.repairs || self.timeout_repair.is_active()
    }

    fn save_cwnd(&mut self) {
        self.prior_cwnd_bytes = match !self.is_repairing() && self.state != State::ProbeRtt {
            true => self.cwnd_bytes,
            false => self.prior_cwnd_bytes.max(self.cwnd_bytes),
        };
    }

    fn restore_cwnd(&mut self) {
        self.cwnd_bytes = self.cwnd_bytes.max(self.prior_cwnd_bytes);
    }

    /// UpdateMaxBw(), with UpdateRound().
    fn update_max_bw(&mut self, sample: &Sample) {
        self.round_begins = sample.prior_delivered_bytes >= self.round_end_bytes;
        if self.round_begins {
            self.start_round();
            self.rounds += 1;
            self.cycle.rounds_since_probe += 1;
        }
        let rate = sample.bytes_per_s;
        if rate > 0 && (rate >= self.max_bw() || !sample.is_app_limited) {
            self.max_bw[1] = self.max_bw[1].max(rate);
        }
    }

    /// UpdateACKAggregation()
    fn update_aggregation(&mut self, sample: &Sample) {
        let expected = |begin_ns: u64| {
            let time_ns = u128::from(sample.now_ns - begin_ns);
            let bytes = u128::from(self.bw) * time_ns / u128::from(SECOND_NS);
            u64::try_from(bytes).unwrap_or(u64::MAX)
        };
        let mut expected_bytes = expected(self.extra_begin_ns);
        if self.extra_acked_bytes <= expected_bytes {
            self.extra_acked_bytes = 0;
            self.extra_begin_ns = sample.now_ns;
            expected_bytes = 0;
        }
        self.extra_acked_bytes += sample.newly_acked_bytes;
        let extra = self.extra_acked_bytes.saturating_sub(expected_bytes);
        let rounds = if self.full.was_reached {
            EXTRA_ACKED_ROUNDS
        } else {
            1
        };
        self.extra_acked
            .add(self.rounds, rounds, extra.min(self.cwnd_bytes));
    }

    fn check_startup(&mut self, sample: &Sample) {
        if self.state != State::Startup {
            return;
        }
        if self.congestion.has_many_losses(self.repairs) && sample.is_inflight_too_high() {
            self.congestion.undo.state = Some(State::Startup);
            self.full.was_reached = true;
            let bdp_bytes = self.bdp_bytes(self.bw, UNIT);
            self.cycle.inflight_longterm = bdp_bytes.max(self.congestion.inflight_latest);
        }
        if self.full.was_reached {
            self.state = State::Drain;
            self.drain_round = self.rounds;
        }
    }

    fn check_drain(&mut self, sample: &Sample) {
        let bdp_bytes = self.with_room(self.bdp_bytes(self.bw, UNIT));
        let is_drained = sample.inflight_bytes <= bdp_bytes;
        let is_late = self.rounds > self.drain_round + DRAIN_ROUNDS;
        if self.state == State::Drain && (is_drained || is_late) {
            self.start_down(sample.now_ns);
        }
    }

    /// UpdateModelAndState()
    fn update_model(&mut self, sample: &Sample) {
        self.congestion
            .update_latest(sample, self.rate.delivered_bytes);
        self.update_max_bw(sample);
        self.adapt_to_congestion();
        self.update_aggregation(sample);
        self.full.check(sample, self.round_begins);
        self.check_startup(sample);
        self.check_drain(sample);
        self.update_cycle(sample);
        self.min_rtt.update(sample.now_ns, sample.rtt_ns);
        self.check_probe_rtt(sample);
        self.congestion.advance_latest(sample);
        self.bw = self.max_bw().min(self.congestion.bw_shortterm);
    }

    /// InitPacingRate()
    fn pace_from_rtt(&mut self, srtt_ns: u64) {
        self.has_rtt = srtt_ns > 0;
        let rtt_ns = if srtt_ns > 0 { srtt_ns } else { MS_NS };
        let rate = u128::from(self.initial_cwnd_bytes)
            * u128::from(STARTUP_PACING_GAIN * SECOND_NS)
            / u128::from(UNIT * rtt_ns);
        self.pacing_bytes_per_s = u64::try_from(rate).unwrap_or(UNLIMITED - 1).max(1);
    }

    fn set_pacing(&mut self, srtt_ns: u64) {
        if !self.has_rtt && srtt_ns > 0 {
            self.pace_from_rtt(srtt_ns);
        }
        let rate = paced(self.bw, self.state.gains().0, UNIT);
        if self.full.was_reached || rate > self.pacing_bytes_per_s {
            self.pacing_bytes_per_s = rate;
        }
    }

    /// SetCwnd()
    fn set_cwnd(&mut self, newly_acked_bytes: u64) {
        let gain = self.state.gains().1;
        let max_inflight = self.bdp_bytes(self.bw, gain) + self.extra_acked.get();
        let max_inflight = self.with_room(max_inflight);
        let is_early = self.rate.delivered_bytes < self.initial_cwnd_bytes;
        if self.full.was_reached {
            self.cwnd_bytes = (self.cwnd_bytes + newly_acked_bytes).min(max_inflight);
        } else if self.cwnd_bytes < max_inflight || is_early {
            self.cwnd_bytes += newly_acked_bytes;
        }
        self.cwnd_bytes = self.cwnd_bytes.max(self.min_cwnd_bytes());
        if self.state == State::ProbeRtt {
            self.cwnd_bytes = self.cwnd_bytes.min(self.probe_rtt_cwnd_bytes());
        }
        self.bound_cwnd();
    }

    /// BoundCwndForModel()
    fn bound_cwnd(&mut self) {
        let cap = match self.state {
            State::Startup | State::Drain => UNLIMITED,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Down | State::Refill | State::Up => self.cycle.inflight_longterm,
        };
        let cap = cap.min(self.congestion.inflight_shortterm);
        self.cwnd_bytes = self.cwnd_bytes.min(cap.max(self.min_cwnd_bytes()));
    }

    /// The end of a recovery or of the repair of a timeout restores cwnd.
    fn update_repair(&mut self, arrival: &Arrival<'_>) {
        let was_repairing = self.is_repairing();
        self.timeout_repair.update(arrival.ack);
        self.repairs = arrival.is_recovering;
        if was_repairing && !self.is_repairing() {
            self.restore_cwnd();
        }
    }

    fn sample(&mut self, ack: &AckSample, rate: RateSample, sent_ns: u64) -> Sample {
        let packet = self.packets.of(sent_ns).unwrap_or_default();
        Sample {
            now_ns: ack.now_ns,
            bytes_per_s: rate.bytes_per_s(),
            delivered_bytes: rate.delivered_bytes,
            prior_delivered_bytes: rate.prior_delivered_bytes,
            newly_acked_bytes: ack.delivered_bytes,
            tx_in_flight_bytes: packet.tx_in_flight_bytes,
            lost_bytes: ack.lost_bytes.saturating_sub(packet.lost_bytes),
            is_app_limited: rate.is_app_limited,
            is_cwnd_limited: ack.cwnd_limited,
            rtt_ns: ack.rtt_ns,
            inflight_bytes: ack.inflight_bytes,
        }
    }
}

impl Avoidance for Bbr3 {
    /// [`arrived`](Avoidance::arrived) does everything.
    fn raise(&mut self, _window: &mut Window, _ack: &AckSample) {}

    /// OnEnterFastRecovery(), and OnEnterRTO() before [`timeout`](Avoidance::timeout).
    fn ssthresh(&mut self, window: &Window, _now_ns: u64, _flight_bytes: u64) -> u64 {
        self.save_state_upon_loss();
        window.ssthresh_bytes
    }

    fn timeout(&mut self) {
        self.timeout_repair.begin();
        self.cwnd_bytes = self.mss_bytes;
    }

    fn undo(&mut self, cwnd_bytes: u64, _prior_bytes: u64) -> u64 {
        self.timeout_repair.cancel();
        self.handle_spurious_loss();
        cwnd_bytes.max(self.cwnd_bytes)
    }

    /// HandleRestartFromIdle()
    fn resume(&mut self, _idle_since_ns: u64, now_ns: u64) {
        if !self.rate.is_app_limited() {
            return;
        }
        self.restarts_from_idle = true;
        self.extra_begin_ns = now_ns;
        if self.state.is_in_probe_bw() {
            self.pacing_bytes_per_s = paced(self.bw, UNIT, UNIT);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done(now_ns);
        }
    }

    fn control(&self) -> Option<Control> {
        Some(Control {
            cwnd_bytes: self.cwnd_bytes,
            pacing_bytes_per_s: self.pacing_bytes_per_s,
        })
    }

    fn established(&mut self, now_ns: u64, srtt_ns: u64, window: &Window, random: u32) {
        self.mss_bytes = u64::from(window.mss_bytes.max(1));
        self.cwnd_bytes = window.cwnd_bytes;
        self.initial_cwnd_bytes = window.cwnd_bytes;
        self.min_rtt = MinRtt::new(now_ns, Some(srtt_ns).filter(|&rtt_ns| rtt_ns > 0));
        self.random = SplitMix64::new(random.into());
        self.extra_begin_ns = now_ns;
        self.pace_from_rtt(srtt_ns);
    }

    fn follow(&mut self, cwnd_bytes: u64) {
        self.cwnd_bytes = cwnd_bytes;
    }

    fn sent(&mut self, now_ns: u64, flight_is_empty: bool, inflight_bytes: u64) {
        let is_app_limited = self.rate.is_app_limited();
        self.rate.sent(now_ns, flight_is_empty);
        let inflight_bytes = inflight_bytes + self.mss_bytes;
        self.packets
            .sent(now_ns, inflight_bytes, self.lost_bytes, is_app_limited);
    }

    fn starved(&mut self, inflight_bytes: u64) {
        self.rate.limit(inflight_bytes);
    }

    fn arrived(&mut self, arrival: &Arrival<'_>) {
        let ack = arrival.ack;
        for lost in arrival.lost {
            self.handle_lost_segment(lost, ack);
        }
        self.lost_bytes = ack.lost_bytes;
        self.update_repair(arrival);
        let rate = self.rate.sample(ack, arrival.newest_sent_ns);
        if let (Some(rate), Some(sent_ns)) = (rate, arrival.newest_sent_ns) {
            let sample = self.sample(ack, rate, sent_ns);
            self.update_model(&sample);
            self.restarts_from_idle = false;
            self.packets.forget_before(sent_ns);
        }
        if ack.delivered_bytes > 0 {
            self.set_pacing(ack.srtt_ns);
            self.set_cwnd(ack.delivered_bytes);
        }
    }
}
