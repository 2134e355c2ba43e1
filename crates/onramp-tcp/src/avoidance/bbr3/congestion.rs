//! The response to losses: the short-term model, and losses of a probe (draft, section "Updating
//! the Model Upon Packet Loss").

use super::{Bbr3, Sample, State};
use crate::avoidance::{AckSample, LostSegment};
use crate::window::UNLIMITED;

/// BBR.LossThresh, in percent of what was in flight.
const LOSS_PERCENT: u64 = 2;
/// BBR.Beta, in percent.
const BETA: u64 = 70;
/// BBRStartupFullLossCnt: separate ranges that were lost in a round.
const STARTUP_LOSSES: u32 = 6;

/// What a recovery that was spurious restores.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    pub state: Option<State>,
    bw_shortterm: u64,
    inflight_shortterm: u64,
    inflight_longterm: u64,
}

/// The signals of the latest round, and the short-term model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Congestion {
    pub bw_shortterm: u64,
    pub inflight_shortterm: u64,
    bw_latest: u64,
    pub inflight_latest: u64,
    is_loss_in_round: bool,
    round_end_bytes: u64,
    round_begins: bool,
    /// Separate ranges lost in the round, and the end of the last.
    ranges: u32,
    last_end: u64,
    /// The round began in a recovery.
    began_in_recovery: bool,
    pub undo: Undo,
}

impl Default for Congestion {
    fn default() -> Congestion {
        Congestion {
            bw_shortterm: UNLIMITED,
            inflight_shortterm: UNLIMITED,
            bw_latest: 0,
            inflight_latest: 0,
            is_loss_in_round: false,
            round_end_bytes: 0,
            round_begins: false,
            ranges: 0,
            last_end: 0,
            began_in_recovery: false,
            undo: Undo::default(),
        }
    }
}

impl Congestion {
    /// UpdateLatestDeliverySignals()
    pub fn update_latest(&mut self, sample: &Sample, delivered_bytes: u64) {
        self.bw_latest = self.bw_latest.max(sample.bytes_per_s);
        self.inflight_latest = self.inflight_latest.max(sample.delivered_bytes);
        self.round_begins = sample.prior_delivered_bytes >= self.round_end_bytes;
        if self.round_begins {
            self.round_end_bytes = delivered_bytes;
        }
    }

    /// AdvanceLatestDeliverySignals()
    pub fn advance_latest(&mut self, sample: &Sample) {
        if self.round_begins {
            self.bw_latest = sample.bytes_per_s;
            self.inflight_latest = sample.delivered_bytes;
        }
    }

    /// ResetCongestionSignals()
    pub fn reset_signals(&mut self) {
        self.is_loss_in_round = false;
        self.bw_latest = 0;
        self.inflight_latest = 0;
    }

    /// ResetShortTermModel()
    pub fn reset_short_term(&mut self) {
        self.bw_shortterm = UNLIMITED;
        self.inflight_shortterm = UNLIMITED;
    }

    /// Has a round in recovery ended in which many separate ranges were lost? Called once for each
    /// acknowledgement.
    pub fn has_many_losses(&mut self, is_recovering: bool) -> bool {
        if !self.round_begins {
            return false;
        }
        let was_recovering = std::mem::replace(&mut self.began_in_recovery, is_recovering);
        let ranges = std::mem::take(&mut self.ranges);
        was_recovering && is_recovering && ranges >= STARTUP_LOSSES
    }
}

impl Sample {
    /// IsInflightTooHigh(): more than 2 % of what was in flight are lost.
    pub fn is_inflight_too_high(&self) -> bool {
        u128::from(self.lost_bytes) * 100
            > u128::from(self.tx_in_flight_bytes) * u128::from(LOSS_PERCENT)
    }
}

fn beta(value: u64) -> u64 {
    u64::try_from(u128::from(value) * u128::from(BETA) / 100).unwrap_or(u64::MAX)
}

impl Bbr3 {
    /// UpdateCongestionSignals() after UpdateMaxBw(): once in a round, the short-term model follows
    /// what is delivered.
    pub(super) fn adapt_to_congestion(&mut self) {
        if !self.congestion.round_begins {
            return;
        }
        if self.congestion.is_loss_in_round && !self.state.is_probing() {
            let (max_bw, cwnd_bytes) = (self.max_bw(), self.cwnd_bytes);
            let model = &mut self.congestion;
            if model.bw_shortterm == UNLIMITED {
                model.bw_shortterm = max_bw;
            }
            if model.inflight_shortterm == UNLIMITED {
                model.inflight_shortterm = cwnd_bytes;
            }
            model.bw_shortterm = model.bw_latest.max(beta(model.bw_shortterm));
            model.inflight_shortterm = model.inflight_latest.max(beta(model.inflight_shortterm));
        }
        self.congestion.is_loss_in_round = false;
    }

    /// SaveStateUponLoss()
    pub(super) fn save_state_upon_loss(&mut self) {
        self.save_cwnd();
        self.congestion.undo = Undo {
            state: None,
            bw_shortterm: self.congestion.bw_shortterm,
            inflight_shortterm: self.congestion.inflight_shortterm,
            inflight_longterm: self.cycle.inflight_longterm,
        };
    }

    /// HandleLostPacket()
    pub(super) fn handle_lost_segment(&mut self, lost: &LostSegment, ack: &AckSample) {
        if !self.congestion.is_loss_in_round {
            self.congestion.round_end_bytes = self.rate.delivered_bytes;
            self.save_state_upon_loss();
        }
        self.congestion.is_loss_in_round = true;
        self.congestion.ranges += u32::from(lost.start != self.congestion.last_end);
        self.congestion.last_end = lost.start + u64::from(lost.len);
        self.lost_bytes += u64::from(lost.len);
        let Some(packet) = self.packets.of(lost.sent_ns) else {
            return;
        };
        if !self.cycle.is_probe_sample {
            return;
        }
        let mut sample = Sample {
            now_ns: ack.now_ns,
            tx_in_flight_bytes: packet.tx_in_flight_bytes,
            lost_bytes: self.lost_bytes - packet.lost_bytes.min(self.lost_bytes),
            is_app_limited: packet.is_app_limited,
            ..Sample::default()
        };
        if sample.is_inflight_too_high() {
            sample.tx_in_flight_bytes = inflight_at_loss(&sample, lost.len.into());
            self.handle_inflight_too_high(&sample);
        }
    }

    /// HandleInflightTooHigh()
    fn handle_inflight_too_high(&mut self, sample: &Sample) {
        self.cycle.prev_probe_too_high = true;
        self.cycle.is_probe_sample = false;
        if !sample.is_app_limited {
            let least = beta(self.target_inflight_bytes());
            self.cycle.inflight_longterm = sample.tx_in_flight_bytes.max(least);
        }
        if self.state == State::Up {
            self.congestion.undo.state = Some(State::Up);
            self.start_down(sample.now_ns);
        }
    }

    /// HandleSpuriousLossDetection()
    pub(super) fn handle_spurious_loss(&mut self) {
        self.restore_cwnd();
        self.full.restart(0);
        let undo = std::mem::take(&mut self.congestion.undo);
        let model = &mut self.congestion;
        model.is_loss_in_round = false;
        model.bw_shortterm = model.bw_shortterm.max(undo.bw_shortterm);
        model.inflight_shortterm = model.inflight_shortterm.max(undo.inflight_shortterm);
        self.cycle.inflight_longterm = self.cycle.inflight_longterm.max(undo.inflight_longterm);
        let is_in_probe_rtt = self.state == State::ProbeRtt;
        match undo.state {
            Some(State::Startup) if self.state != State::Startup => {
                self.full.was_reached = false;
                if !is_in_probe_rtt {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if self.state != State::Up && !is_in_probe_rtt => self.start_refill(),
            _ => {}
        }
    }
}

/// InflightAtLoss(): how much was in flight when the losses crossed the threshold, within this
/// segment.
fn inflight_at_loss(sample: &Sample, size: u64) -> u64 {
    let inflight_prev = sample.tx_in_flight_bytes.saturating_sub(size);
    let lost_prev = sample.lost_bytes.saturating_sub(size);
    let allowed = inflight_prev * LOSS_PERCENT / 100;
    let lost_prefix = allowed.saturating_sub(lost_prev) * 100 / (100 - LOSS_PERCENT);
    inflight_prev + lost_prefix
}
