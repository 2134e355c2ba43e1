//! quinn's CUBIC, as the start-up sees it.

use crate::path_control::{methods_of_both_libraries, AckedPacket, Avoidance, CongestionEvent};
use onramp_core::UNLIMITED;
use quinn_proto::congestion::{Controller, Cubic, CubicConfig};
use quinn_proto::RttEstimator;
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
            packet.is_app_limited,
            rtt,
        );
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        self.on_congestion_event(event.now, event.sent, event.is_persistent, event.lost_bytes);
    }
}
