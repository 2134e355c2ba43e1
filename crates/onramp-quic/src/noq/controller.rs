//! noq's calls of the congestion controller of a path.

use crate::path_control::{AckedPacket, CongestionEvent, PathControl};
use crate::sender::Pacing;
use noq_proto::congestion::{Controller, ControllerMetrics, Cubic};
use noq_proto::RttEstimator;
use std::any::Any;
use std::time::Instant;

/// The rate that stands for "not paced": noq's pacer takes a rate, or makes one from cwnd. At
/// higher rates it would ask for delays that round to zero, and its driver would spin.
const UNPACED_BYTES_PER_S: u64 = 1 << 30;

/// The controller of a path: a start-up, and then noq's CUBIC.
#[derive(Clone, Debug)]
pub(super) struct Startup(pub PathControl<Cubic>);

impl Controller for Startup {
    fn on_packet_sent(&mut self, now: Instant, bytes: u16, _pn: u64) {
        self.0.on_sent(now, bytes.into());
    }

    fn on_cwnd_limited(&mut self) {
        self.0.on_cwnd_limited();
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        pn: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        let packet = AckedPacket {
            now,
            sent,
            bytes,
            number: pn,
            is_app_limited: app_limited,
        };
        self.0.on_ack(&packet, rtt);
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        app_limited: bool,
        _largest_packet_num_acked: Option<u64>,
    ) {
        let largest = self.0.newest_acked();
        self.0.on_end_acks(now, in_flight, app_limited, largest);
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, pn: u64, _now: Instant) {
        self.0.on_lost(lost_bytes.into(), pn);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        is_ecn: bool,
        lost_bytes: u64,
        largest_lost_pn: u64,
    ) {
        self.0.on_congestion(&CongestionEvent {
            now,
            sent,
            is_persistent: is_persistent_congestion,
            is_ecn,
            lost_bytes,
            number: largest_lost_pn,
        });
    }

    fn on_spurious_congestion_event(&mut self) {
        self.0.on_spurious_congestion();
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.0.set_mtu(new_mtu);
    }

    fn window(&self) -> u64 {
        self.0.cwnd_bytes()
    }

    fn metrics(&self) -> ControllerMetrics {
        let sender = self.0.sender();
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.window();
        metrics.ssthresh = Some(self.0.ssthresh_bytes());
        metrics.pacing_rate = match sender.pacing() {
            Pacing::None => Some(UNPACED_BYTES_PER_S),
            Pacing::BytesPerS(rate) => Some(rate),
            Pacing::Host => None,
        };
        let decision = sender.decision();
        let estimate = decision.and_then(|decision| decision.estimate_bytes_per_s());
        metrics.bandwidth_estimate = estimate.map(|bytes_per_s| bytes_per_s.saturating_mul(8));
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.0.sender().initial_window_bytes()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
