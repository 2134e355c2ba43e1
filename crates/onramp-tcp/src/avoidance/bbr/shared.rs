//! What the versions of BBR have in common.

use super::super::AckSample;
use crate::window::UNLIMITED;

/// Pace at 99 %.
const MARGIN_PERCENT: u64 = 99;

/// The pacing rate for a bandwidth, where `unit` is a gain of 1.
pub fn paced(bytes_per_s: u64, gain: u64, unit: u64) -> u64 {
    let rate = u128::from(bytes_per_s) * u128::from(gain * MARGIN_PERCENT) / u128::from(unit * 100);
    u64::try_from(rate).unwrap_or(UNLIMITED - 1).max(1)
}

/// The repair of a timeout. It lasts until what was outstanding at the first acknowledgement after
/// the timeout is acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeoutRepair {
    is_active: bool,
    end: Option<u64>,
}

impl TimeoutRepair {
    pub fn begin(&mut self) {
        *self = TimeoutRepair {
            is_active: true,
            end: None,
        };
    }

    pub fn cancel(&mut self) {
        self.is_active = false;
    }

    pub fn update(&mut self, ack: &AckSample) {
        if self.is_active {
            self.is_active = ack.una < *self.end.get_or_insert(ack.nxt);
        }
    }

    pub fn is_active(&self) -> bool {
        self.is_active
    }
}
