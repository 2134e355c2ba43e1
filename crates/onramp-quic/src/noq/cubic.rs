//! noq's CUBIC, as the start-up sees it.

use crate::path_control::{AckedPacket, Avoidance, CongestionEvent};
use noq_proto::congestion::{Controller, Cubic, CubicConfig};
use noq_proto::RttEstimator;
use onramp_core::UNLIMITED;
use std::sync::Arc;
use std::time::{Duration, Instant};

impl Avoidance for Cubic {
    type Rtt = RttEstimator;

    fn srtt(rtt: &RttEstimator) -> Duration {
        rtt.get()
    }

    fn in_slow_start(now: Instant, mtu: u16, cwnd_bytes: u64) -> Cubic {
        let mut config = CubicConfig::default();
        config.initial_window(cwnd_bytes);
        Cubic::new(Arc::new(config), now, mtu)
    }

    fn cwnd_bytes(&self) -> u64 {
        self.window()
    }

    fn ssthresh_bytes(&self) -> u64 {
        self.metrics().ssthresh.unwrap_or(UNLIMITED)
    }

    fn on_ack(&mut self, packet: &AckedPacket, rtt: &RttEstimator) {
        Controller::on_ack(
            self,
            packet.now,
            packet.sent,
            packet.bytes,
            packet.number,
            packet.is_app_limited,
            rtt,
        );
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        self.on_congestion_event(
            event.now,
            event.sent,
            event.is_persistent,
            event.is_ecn,
            event.lost_bytes,
            event.number,
        );
    }

    fn on_spurious_congestion(&mut self) {
        self.on_spurious_congestion_event();
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.on_mtu_update(mtu);
    }
}
