//! noq's CUBIC, as the start-up sees it.

use crate::path_control::{methods_of_both_libraries, AckedPacket, Avoidance, CongestionEvent};
use noq_proto::congestion::{Controller, Cubic, CubicConfig};
use noq_proto::RttEstimator;
use onramp_core::UNLIMITED;
use std::sync::Arc;
use std::time::{Duration, Instant};

impl Avoidance for Cubic {
    methods_of_both_libraries!();

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
}
