//! noq's calls of the congestion controller of a path.

use crate::decision::Status;
use crate::path_control::{AckedPacket, CongestionEvent, PathControl};
use crate::sender::Pacing;
use crate::successor::Successor;
use noq_proto::congestion::{Controller, ControllerMetrics, Cubic};
use noq_proto::RttEstimator;
use std::any::Any;
use std::time::{Duration, Instant};

/// The rate that stands for "not paced": noq's pacer takes a rate, or makes one from cwnd. At
/// higher rates it would ask for delays that round to zero, and its driver would spin.
const UNPACED_BYTES_PER_S: u64 = 1 << 30;

/// The controller of a path: a start-up, and then noq's CUBIC or BBR.
#[derive(Clone, Debug)]
pub(super) struct Startup {
    control: PathControl<Cubic>,
    /// noq's BBR.
    bbr: Successor<dyn Controller>,
}

impl Clone for Successor<dyn Controller> {
    fn clone(&self) -> Self {
        self.copied(|controller| controller.clone_box())
    }
}

impl Startup {
    /// `bbr` goes on after the start-up; `None`: CUBIC does.
    pub fn new(control: PathControl<Cubic>, bbr: Option<Box<dyn Controller>>) -> Startup {
        let bbr = Successor::new(bbr);
        Startup { control, bbr }
    }

    pub fn status(&self) -> Status {
        self.control.status()
    }
}

impl Controller for Startup {
    fn on_packet_sent(&mut self, now: Instant, bytes: u16, pn: u64) {
        if !self.bbr.report(|bbr| bbr.on_packet_sent(now, bytes, pn)) {
            self.control.on_sent(now, bytes.into());
        }
    }

    fn on_cwnd_limited(&mut self) {
        if !self.bbr.report(|bbr| bbr.on_cwnd_limited()) {
            self.control.on_cwnd_limited();
        }
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
        if self
            .bbr
            .report(|bbr| bbr.on_ack(now, sent, bytes, pn, app_limited, rtt))
        {
            return;
        }
        let packet = AckedPacket {
            now,
            sent,
            bytes,
            number: pn,
            is_app_limited: app_limited,
        };
        self.control.on_ack(&packet, rtt);
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        app_limited: bool,
        largest_packet_num_acked: Option<u64>,
    ) {
        let acked = largest_packet_num_acked;
        if self
            .bbr
            .report(|bbr| bbr.on_end_acks(now, in_flight, app_limited, acked))
        {
            return;
        }
        let largest = self.control.newest_acked();
        self.control
            .on_end_acks(now, in_flight, app_limited, largest);
        self.bbr.begin(self.control.is_over());
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, pn: u64, now: Instant) {
        if !self
            .bbr
            .report(|bbr| bbr.on_packet_lost(lost_bytes, pn, now))
        {
            self.control.on_lost(lost_bytes.into(), pn);
        }
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
        let has_begun = self.bbr.report(|bbr| {
            bbr.on_congestion_event(
                now,
                sent,
                is_persistent_congestion,
                is_ecn,
                lost_bytes,
                largest_lost_pn,
            );
        });
        if has_begun {
            return;
        }
        if self.bbr.exists() && self.control.sender().has_started() {
            self.control.end_at_loss(now, is_persistent_congestion);
            return self.bbr.begin(self.control.is_over());
        }
        self.control.on_congestion(&CongestionEvent {
            now,
            sent,
            is_persistent: is_persistent_congestion,
            is_ecn,
            lost_bytes,
            number: largest_lost_pn,
        });
    }

    fn on_spurious_congestion_event(&mut self) {
        if !self.bbr.report(|bbr| bbr.on_spurious_congestion_event()) {
            self.control.on_spurious_congestion();
        }
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.bbr.report(|bbr| bbr.on_mtu_update(new_mtu));
        self.control.set_mtu(new_mtu);
    }

    fn on_ack_frequency_update(&mut self, ack_eliciting_threshold: u64, max_ack_delay: Duration) {
        self.bbr
            .report(|bbr| bbr.on_ack_frequency_update(ack_eliciting_threshold, max_ack_delay));
    }

    fn window(&self) -> u64 {
        self.bbr
            .begun()
            .map_or_else(|| self.control.cwnd_bytes(), |bbr| bbr.window())
    }

    fn metrics(&self) -> ControllerMetrics {
        if let Some(bbr) = self.bbr.begun() {
            return bbr.metrics();
        }
        let sender = self.control.sender();
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.window();
        metrics.ssthresh = Some(self.control.ssthresh_bytes());
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
        self.control.sender().initial_window_bytes()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
