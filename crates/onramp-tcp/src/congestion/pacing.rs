//! Pacing rates: that of a start-up algorithm's decision, and the fixed rate of a configuration.

use super::Congestion;
use crate::avoidance::Control;
use crate::window::{Window, UNLIMITED};
use crate::Config;
use onramp_core::Decision;

/// How segments are paced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pacing {
    /// Rate of payload.
    pub bytes_per_s: u64,
    /// Depth of a token bucket that limits every segment; 0: segments are sent one by one.
    pub burst_bytes: u32,
}

impl Pacing {
    /// The pacing of a decision; `None` if the host paces as it would without a start-up.
    /// `resumed_bytes` are delivered since the latest segment that left while nothing was in
    /// flight.
    pub(super) fn of(decision: &Decision, window: &Window, resumed_bytes: u64) -> Option<Pacing> {
        let paces = decision.host_paces(window.cwnd_bytes, window.ssthresh_bytes, resumed_bytes);
        paces.then_some(Pacing {
            bytes_per_s: decision.pacing_bytes_per_s,
            burst_bytes: decision.burst_bytes,
        })
    }

    /// The pacing of an avoidance that controls recovery too.
    pub(super) fn of_control(control: Control) -> Pacing {
        Pacing::one_by_one(control.pacing_bytes_per_s)
    }

    /// Segments that are sent one by one.
    pub(super) fn one_by_one(bytes_per_s: u64) -> Pacing {
        Pacing {
            bytes_per_s,
            burst_bytes: 0,
        }
    }
}

/// A rate and a cwnd that replace congestion control.
#[derive(Clone, Copy, Debug)]
pub(super) struct FixedRate {
    pub cwnd_bytes: u64,
    pub pacing: Pacing,
}

impl Congestion {
    /// Takes over the fixed rate of the configuration, if there is one.
    pub fn apply_fixed_rate(&mut self, config: &Config) {
        let Some(rate_bits_per_s) = config.fixed_rate_bits_per_s else {
            return;
        };
        self.fixed_rate = Some(FixedRate {
            cwnd_bytes: config
                .send_buffer_bytes
                .max(u64::from(self.window.mss_bytes)),
            pacing: Pacing {
                bytes_per_s: self.payload_bytes_per_s(rate_bits_per_s),
                burst_bytes: 0,
            },
        });
        self.restore_held_window();
    }

    /// Payload rate in bytes per second of full IP packets at this rate; at least 1.
    pub(super) fn payload_bytes_per_s(&self, bits_per_s: u64) -> u64 {
        let mss_bytes = u128::from(self.window.mss_bytes);
        let rate =
            u128::from(bits_per_s) * mss_bytes / (8 * (mss_bytes + u128::from(self.header_bytes)));
        u64::try_from(rate).unwrap_or(UNLIMITED - 1).max(1)
    }
}
