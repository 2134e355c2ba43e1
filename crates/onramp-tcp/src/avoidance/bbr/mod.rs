//! BBR, version 1, as in Linux.
//!
//! N. Cardwell, Y. Cheng, C. S. Gunn, S. Hassas Yeganeh, V. Jacobson: BBR: Congestion-Based
//! Congestion Control, ACM Queue 14(5), 2016; Linux `net/ipv4/tcp_bbr.c` (dual BSD/GPL), whose
//! behaviour this follows and whose code is not used.
//!
//! ```text
//!   bw           = maximum of the delivery rates of 10 rounds         (rate.rs)
//!   min RTT      = minimum of 10 s
//!   pacing rate  = pacing gain * bw * 99 %
//!   cwnd         = cwnd gain * bw * min RTT + extra acked + 3 bursts  (aggregation.rs)
//!
//!   STARTUP      gains 2.89 and 2.89, until bw grows by less than 25 % in 3 rounds
//!   DRAIN        gains 1/2.89 and 2.89, until in flight <= BDP
//!   PROBE_BW     cwnd gain 2, pacing gains 5/4, 3/4, 1, 1, 1, 1, 1, 1, each for a min RTT
//!   PROBE_RTT    4 segments for 200 ms and a round, if the min RTT is older than 10 s
//! ```
//!
//! BBR controls cwnd in recovery too: in the first round of it, it sends a segment for each that
//! arrives. Afterwards cwnd grows to its target again. A path whose policer drops a fifth is used
//! at the policer's rate ([`policer`]).
//!
//! Differences from Linux:
//! - cwnd and rates are in bytes, and the maximum of 10 rounds is exact; Linux estimates it from
//!   three samples.
//! - In flight is what is in flight now. Linux subtracts what leaves until the next departure of
//!   the pacer, which is at most a burst.
//! - Segments leave one by one, where Linux sends bursts of a millisecond. The room for three
//!   bursts in cwnd is the same.

mod aggregation;
mod policer;
mod rate;
mod shared;

use super::{AckSample, Arrival, Avoidance, Control};
use crate::window::UNLIMITED;
use crate::Window;
use aggregation::Aggregation;
use onramp_core::SplitMix64;
use policer::{Policer, Totals};
pub(super) use rate::{DeliveryRate, RateSample, RecentMax};
pub(super) use shared::{paced, TimeoutRepair};

const MS_NS: u64 = 1_000_000;
const SECOND_NS: u64 = 1_000_000_000;

/// Gains are in 1/256.
const UNIT: u64 = 256;
/// 2 / ln 2: the least gain with which the rate doubles in a round.
const HIGH_GAIN: u64 = UNIT * 2885 / 1000 + 1;
/// Drains in a round what STARTUP has queued.
const DRAIN_GAIN: u64 = UNIT * 1000 / 2885;
const CWND_GAIN: u64 = 2 * UNIT;
/// Probe, drain, and cruise for six phases.
const CYCLE: [u64; 8] = [
    UNIT * 5 / 4,
    UNIT * 3 / 4,
    UNIT,
    UNIT,
    UNIT,
    UNIT,
    UNIT,
    UNIT,
];
/// PROBE_BW begins with any phase of the cycle but the one that drains.
const FIRST_PHASES: u64 = 7;
/// Rounds of the maximum of the rates: a cycle and two more.
const BW_ROUNDS: u64 = 10;
const MIN_RTT_WINDOW_NS: u64 = 10 * SECOND_NS;
const PROBE_RTT_NS: u64 = 200 * MS_NS;
/// The rate grows if it is 5/4 of the one before. Three rounds without growth fill the pipe.
const GROWTH: u64 = UNIT * 5 / 4;
const FULL_ROUNDS: u32 = 3;
const MIN_SEGMENTS: u64 = 4;
const INITIAL_SEGMENTS: u64 = 10;
/// A burst is what leaves in 1/1024 s, between one segment (two above 1.2 Mbit/s) and 64 KiB.
const BURST_SHIFT: u32 = 10;
const MAX_BURST_BYTES: u64 = 65_535 - 320;
const MIN_BURST_RATE_BYTES_PER_S: u64 = 1_200_000 / 8;
const BURSTS: u64 = 3;
/// extra_acked is at most what is delivered in 100 ms.
const MAX_AGGREGATION_NS: u64 = 100 * MS_NS;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// The state of loss recovery, in Linux's order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Repair {
    #[default]
    None,
    Recovery,
    Timeout,
}

/// PROBE_RTT: when cwnd was reached, and a round since.
#[derive(Clone, Copy, Debug, Default)]
struct ProbeRtt {
    ends_ns: Option<u64>,
    round_is_over: bool,
}

/// Congestion control of BBR.
#[derive(Clone, Debug, Default)]
pub struct Bbr {
    mode: Mode,
    rate: DeliveryRate,
    bw: RecentMax,
    policer: Policer,
    aggregation: Aggregation,
    mss_bytes: u64,
    cwnd_bytes: u64,
    /// cwnd before a recovery or PROBE_RTT.
    prior_cwnd_bytes: u64,
    pacing_bytes_per_s: u64,
    has_rtt: bool,
    pacing_gain: u64,
    min_rtt_ns: Option<u64>,
    min_rtt_at_ns: u64,
    probe_rtt: ProbeRtt,
    rounds: u64,
    round_begins: bool,
    /// The round ends with a segment that leaves after so much was delivered.
    round_end_bytes: u64,
    full_bw: u64,
    full_rounds: u32,
    is_full: bool,
    phase: usize,
    phase_begin_ns: u64,
    restarts_from_idle: bool,
    repair: Repair,
    timeout_repair: TimeoutRepair,
    conserves_packets: bool,
    lost_bytes: u64,
    /// Chooses the first phase of the cycle.
    random: SplitMix64,
}

impl Bbr {
    fn bytes_per_s(&self) -> u64 {
        self.policer.rate().unwrap_or_else(|| self.bw.get())
    }

    /// gain * bw * min RTT in whole segments, rounded up.
    fn bdp_bytes(&self, bytes_per_s: u64, gain: u64) -> u64 {
        let Some(min_rtt_ns) = self.min_rtt_ns else {
            return INITIAL_SEGMENTS * self.mss_bytes;
        };
        let bytes = u128::from(bytes_per_s) * u128::from(min_rtt_ns) * u128::from(gain)
            / u128::from(SECOND_NS * UNIT);
        let segments = bytes.div_ceil(u128::from(self.mss_bytes));
        u64::try_from(segments).unwrap_or(u64::MAX >> 20) * self.mss_bytes
    }

    fn burst_bytes(&self) -> u64 {
        let min = 1 + u64::from(self.pacing_bytes_per_s >= MIN_BURST_RATE_BYTES_PER_S);
        let burst = (self.pacing_bytes_per_s >> BURST_SHIFT).min(MAX_BURST_BYTES);
        (burst / self.mss_bytes).clamp(min, 127) * self.mss_bytes
    }

    /// Room for bursts in the hosts, an even number of segments, and room to probe.
    fn with_room(&self, cwnd_bytes: u64) -> u64 {
        let segments = (cwnd_bytes + BURSTS * self.burst_bytes()) / self.mss_bytes;
        let probes = self.mode == Mode::ProbeBw && self.phase == 0;
        (segments.next_multiple_of(2) + 2 * u64::from(probes)) * self.mss_bytes
    }

    fn inflight_bytes(&self, bytes_per_s: u64, gain: u64) -> u64 {
        self.with_room(self.bdp_bytes(bytes_per_s, gain))
    }

    fn pace_from_rtt(&mut self, srtt_ns: u64) {
        self.has_rtt = srtt_ns > 0;
        let rtt_ns = if srtt_ns > 0 { srtt_ns } else { MS_NS };
        let rate = u128::from(self.cwnd_bytes) * u128::from(SECOND_NS) / u128::from(rtt_ns);
        let rate = u64::try_from(rate).unwrap_or(UNLIMITED - 1);
        self.pacing_bytes_per_s = paced(rate, HIGH_GAIN, UNIT);
    }

    fn save_cwnd(&mut self) {
        self.prior_cwnd_bytes = match self.repair == Repair::None && self.mode != Mode::ProbeRtt {
            true => self.cwnd_bytes,
            false => self.prior_cwnd_bytes.max(self.cwnd_bytes),
        };
    }

    fn begin_probe_bw(&mut self, now_ns: u64) {
        self.mode = Mode::ProbeBw;
        self.phase = CYCLE.len() - 1 - (self.random.draw() % FIRST_PHASES) as usize;
        self.advance_phase(now_ns);
    }

    fn advance_phase(&mut self, now_ns: u64) {
        self.phase = (self.phase + 1) % CYCLE.len();
        self.phase_begin_ns = now_ns;
    }

    fn totals(&self, now_ns: u64) -> Totals {
        Totals {
            now_ns,
            delivered_bytes: self.rate.delivered_bytes,
            lost_bytes: self.lost_bytes,
        }
    }

    fn sample_policer(&mut self, now_ns: u64, found_loss: bool, is_app_limited: bool) {
        let is_probing = self.mode == Mode::ProbeBw;
        let totals = self.totals(now_ns);
        let begins = self.round_begins;
        if self
            .policer
            .sample(totals, found_loss, begins, is_probing, is_app_limited)
        {
            self.begin_probe_bw(now_ns);
        }
    }

    fn update_bw(&mut self, now_ns: u64, sample: Option<RateSample>, found_loss: bool) {
        self.round_begins = false;
        let Some(sample) = sample else { return };
        if sample.prior_delivered_bytes >= self.round_end_bytes {
            self.round_end_bytes = self.rate.delivered_bytes;
            self.rounds += 1;
            self.round_begins = true;
            self.conserves_packets = false;
        }
        self.sample_policer(now_ns, found_loss, sample.is_app_limited);
        let rate = sample.bytes_per_s();
        if !sample.is_app_limited || rate >= self.bw.get() {
            self.bw.add(self.rounds, BW_ROUNDS, rate);
        }
    }

    fn update_phase(&mut self, arrival: &Arrival<'_>, found_loss: bool) {
        let now_ns = arrival.ack.now_ns;
        if self.mode != Mode::ProbeBw {
            return;
        }
        let is_long = now_ns - self.phase_begin_ns > self.min_rtt_ns.unwrap_or(0);
        let (bw, gain) = (self.bw.get(), self.pacing_gain);
        let inflight = arrival.prior_inflight_bytes;
        let is_over = if gain == UNIT {
            is_long
        } else if gain > UNIT {
            let is_full = inflight + self.burst_bytes() >= self.inflight_bytes(bw, gain);
            is_long && (found_loss || is_full)
        } else {
            is_long || inflight <= self.inflight_bytes(bw, UNIT)
        };
        if is_over {
            self.advance_phase(now_ns);
        }
    }

    fn check_full(&mut self, sample: Option<RateSample>) {
        let is_app_limited = sample.is_none_or(|sample| sample.is_app_limited);
        if self.is_full || !self.round_begins || is_app_limited {
            return;
        }
        let bw = self.bw.get();
        if u128::from(bw) * u128::from(UNIT) >= u128::from(self.full_bw) * u128::from(GROWTH) {
            self.full_bw = bw;
            self.full_rounds = 0;
            return;
        }
        self.full_rounds += 1;
        self.is_full = self.full_rounds >= FULL_ROUNDS;
    }

    fn check_drain(&mut self, ack: &AckSample) {
        if self.mode == Mode::Startup && self.is_full {
            self.mode = Mode::Drain;
        }
        let drained_bytes = self.inflight_bytes(self.bw.get(), UNIT);
        if self.mode == Mode::Drain && ack.inflight_bytes <= drained_bytes {
            self.begin_probe_bw(ack.now_ns);
        }
    }

    fn update_min_rtt(&mut self, ack: &AckSample, has_sample: bool) {
        let is_old = ack.now_ns > self.min_rtt_at_ns + MIN_RTT_WINDOW_NS;
        if let Some(rtt_ns) = ack.rtt_ns {
            if is_old || self.min_rtt_ns.is_none_or(|min_ns| rtt_ns <= min_ns) {
                self.min_rtt_ns = Some(rtt_ns);
                self.min_rtt_at_ns = ack.now_ns;
            }
        }
        if is_old && !self.restarts_from_idle && self.mode != Mode::ProbeRtt {
            self.save_cwnd();
            self.mode = Mode::ProbeRtt;
            self.probe_rtt = ProbeRtt::default();
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(ack);
        }
        if has_sample {
            self.restarts_from_idle = false;
        }
    }

    fn probe_rtt(&mut self, ack: &AckSample) {
        // Rates measured with four segments in flight do not count.
        self.rate.limit(ack.inflight_bytes);
        if self.probe_rtt.ends_ns.is_some() {
            self.probe_rtt.round_is_over |= self.round_begins;
            if self.probe_rtt.round_is_over {
                self.check_probe_rtt(ack.now_ns);
            }
        } else if ack.inflight_bytes <= MIN_SEGMENTS * self.mss_bytes {
            self.probe_rtt.ends_ns = Some(ack.now_ns + PROBE_RTT_NS);
            self.probe_rtt.round_is_over = false;
            self.round_end_bytes = self.rate.delivered_bytes;
        }
    }

    fn check_probe_rtt(&mut self, now_ns: u64) {
        if self
            .probe_rtt
            .ends_ns
            .is_none_or(|ends_ns| now_ns <= ends_ns)
        {
            return;
        }
        self.min_rtt_at_ns = now_ns;
        self.cwnd_bytes = self.cwnd_bytes.max(self.prior_cwnd_bytes);
        if self.is_full {
            self.begin_probe_bw(now_ns);
        } else {
            self.mode = Mode::Startup;
        }
    }

    /// The pacing gain and the gain of cwnd.
    fn gains(&self) -> (u64, u64) {
        match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            Mode::ProbeBw if self.policer.rate().is_some() => (UNIT, CWND_GAIN),
            Mode::ProbeBw => (CYCLE[self.phase], CWND_GAIN),
            Mode::ProbeRtt => (UNIT, UNIT),
        }
    }

    fn set_pacing(&mut self, srtt_ns: u64) {
        if !self.has_rtt && srtt_ns > 0 {
            self.pace_from_rtt(srtt_ns);
        }
        let rate = paced(self.bytes_per_s(), self.pacing_gain, UNIT);
        if self.is_full || rate > self.pacing_bytes_per_s {
            self.pacing_bytes_per_s = rate;
        }
    }

    /// The state of the repair at this acknowledgement.
    fn repair_at(&mut self, arrival: &Arrival<'_>) -> Repair {
        self.timeout_repair.update(arrival.ack);
        if arrival.is_recovering {
            Repair::Recovery
        } else if self.timeout_repair.is_active() {
            Repair::Timeout
        } else {
            Repair::None
        }
    }

    /// cwnd as recovery demands. True: this is cwnd, because packets are conserved.
    fn repair_cwnd(&mut self, arrival: &Arrival<'_>, newly_lost_bytes: u64) -> bool {
        let ack = arrival.ack;
        let (before, now) = (self.repair, self.repair_at(arrival));
        let conserved_bytes = ack.inflight_bytes + ack.delivered_bytes;
        if newly_lost_bytes > 0 {
            let left = self.cwnd_bytes.saturating_sub(newly_lost_bytes);
            self.cwnd_bytes = left.max(self.mss_bytes);
        }
        if now == Repair::Recovery && before != Repair::Recovery {
            self.conserves_packets = true;
            self.round_end_bytes = self.rate.delivered_bytes;
            self.cwnd_bytes = conserved_bytes;
        } else if before >= Repair::Recovery && now == Repair::None {
            self.cwnd_bytes = self.cwnd_bytes.max(self.prior_cwnd_bytes);
            self.conserves_packets = false;
        }
        self.repair = now;
        if self.conserves_packets {
            self.cwnd_bytes = self.cwnd_bytes.max(conserved_bytes);
        }
        self.conserves_packets
    }

    fn set_cwnd(&mut self, arrival: &Arrival<'_>, cwnd_gain: u64, newly_lost_bytes: u64) {
        let acked_bytes = arrival.ack.delivered_bytes;
        if acked_bytes > 0 && !self.repair_cwnd(arrival, newly_lost_bytes) {
            let bw = self.bytes_per_s();
            let mut target = self.bdp_bytes(bw, cwnd_gain);
            if self.is_full {
                let most = u128::from(bw) * u128::from(MAX_AGGREGATION_NS) / u128::from(SECOND_NS);
                let most = u64::try_from(most).unwrap_or(u64::MAX);
                target += self.aggregation.extra_bytes().min(most);
            }
            let target = self.with_room(target);
            let initial_bytes = INITIAL_SEGMENTS * self.mss_bytes;
            if self.is_full {
                self.cwnd_bytes = (self.cwnd_bytes + acked_bytes).min(target);
            } else if self.cwnd_bytes < target || self.rate.delivered_bytes < initial_bytes {
                self.cwnd_bytes += acked_bytes;
            }
            self.cwnd_bytes = self.cwnd_bytes.max(MIN_SEGMENTS * self.mss_bytes);
        }
        if self.mode == Mode::ProbeRtt {
            self.cwnd_bytes = self.cwnd_bytes.min(MIN_SEGMENTS * self.mss_bytes);
        }
    }
}

impl Avoidance for Bbr {
    /// [`arrived`](Avoidance::arrived) does everything.
    fn raise(&mut self, _window: &mut Window, _ack: &AckSample) {}

    fn ssthresh(&mut self, window: &Window, _now_ns: u64, _flight_bytes: u64) -> u64 {
        self.save_cwnd();
        window.ssthresh_bytes
    }

    /// cwnd returns to what it was when the repair ends (`repair_cwnd`).
    fn undo(&mut self, cwnd_bytes: u64, _prior_bytes: u64) -> u64 {
        self.full_bw = 0;
        self.full_rounds = 0;
        self.timeout_repair.cancel();
        self.policer.reset(self.totals(self.rate.delivered_ns));
        cwnd_bytes
    }

    fn timeout(&mut self) {
        self.repair = Repair::Timeout;
        self.timeout_repair.begin();
        self.cwnd_bytes = self.mss_bytes;
        self.full_bw = 0;
        self.round_begins = true;
        self.sample_policer(self.rate.delivered_ns, true, false);
    }

    fn resume(&mut self, _idle_since_ns: u64, now_ns: u64) {
        if !self.rate.is_app_limited() {
            return;
        }
        self.restarts_from_idle = true;
        self.aggregation.restart(now_ns);
        match self.mode {
            Mode::ProbeBw => self.pacing_bytes_per_s = paced(self.bytes_per_s(), UNIT, UNIT),
            Mode::ProbeRtt => self.check_probe_rtt(now_ns),
            Mode::Startup | Mode::Drain => {}
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
        self.min_rtt_ns = Some(srtt_ns).filter(|&rtt_ns| rtt_ns > 0);
        self.min_rtt_at_ns = now_ns;
        self.random = SplitMix64::new(random.into());
        self.aggregation.restart(now_ns);
        self.pace_from_rtt(srtt_ns);
    }

    fn follow(&mut self, cwnd_bytes: u64) {
        self.cwnd_bytes = cwnd_bytes;
    }

    fn sent(&mut self, now_ns: u64, flight_is_empty: bool, _inflight_bytes: u64) {
        self.rate.sent(now_ns, flight_is_empty);
    }

    fn starved(&mut self, inflight_bytes: u64) {
        self.rate.limit(inflight_bytes);
    }

    fn arrived(&mut self, arrival: &Arrival<'_>) {
        let ack = arrival.ack;
        let newly_lost_bytes = ack.lost_bytes.saturating_sub(self.lost_bytes);
        self.lost_bytes = ack.lost_bytes;
        let sample = self.rate.sample(ack, arrival.newest_sent_ns);
        self.update_bw(ack.now_ns, sample, newly_lost_bytes > 0);
        if ack.delivered_bytes > 0 && sample.is_some() {
            let (bw, cwnd) = (self.bytes_per_s(), self.cwnd_bytes);
            self.aggregation.add(
                ack.now_ns,
                ack.delivered_bytes,
                bw,
                self.round_begins,
                cwnd,
                self.mss_bytes,
            );
        }
        self.update_phase(arrival, newly_lost_bytes > 0);
        self.check_full(sample);
        self.check_drain(ack);
        self.update_min_rtt(ack, sample.is_some());
        let (pacing_gain, cwnd_gain) = self.gains();
        self.pacing_gain = pacing_gain;
        self.set_pacing(ack.srtt_ns);
        self.set_cwnd(arrival, cwnd_gain, newly_lost_bytes);
    }
}

#[cfg(test)]
mod tests;
