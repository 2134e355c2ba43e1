//! quinn's calls of the congestion controller of a connection.

use crate::decision::Status;
use crate::path_control::{AckedPacket, CongestionEvent, PathControl};
use crate::successor::Successor;
use quinn_proto::congestion::{Controller, ControllerMetrics, Cubic};
use quinn_proto::RttEstimator;
use std::any::Any;
use std::time::Instant;

/// The controller of a connection's path: a start-up, and then quinn's CUBIC or BBR.
#[derive(Clone)]
pub(super) struct Startup {
    control: PathControl<Cubic>,
    /// quinn's BBR.
    bbr: Successor<dyn Controller>,
    /// cwnd before the ACK frame whose packets are being reported.
    cwnd_before_frame_bytes: Option<u64>,
}

impl Clone for Successor<dyn Controller> {
    fn clone(&self) -> Self {
        self.copied(|controller| controller.clone_box())
    }
}

impl Startup {
    /// `bbr` goes on after the start-up; `None`: CUBIC does.
    pub fn new(control: PathControl<Cubic>, bbr: Option<Box<dyn Controller>>) -> Startup {
        Startup {
            control,
            bbr: Successor::new(bbr),
            cwnd_before_frame_bytes: None,
        }
    }

    pub fn status(&self) -> Status {
        self.control.status()
    }
}

impl Controller for Startup {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        if !self
            .bbr
            .report(|bbr| bbr.on_sent(now, bytes, last_packet_number))
        {
            self.control.on_sent(now, bytes);
        }
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        if self
            .bbr
            .report(|bbr| bbr.on_ack(now, sent, bytes, app_limited, rtt))
        {
            return;
        }
        let cwnd_bytes = self.window();
        self.cwnd_before_frame_bytes.get_or_insert(cwnd_bytes);
        let packet = AckedPacket {
            now,
            sent,
            bytes,
            number: self.control.number_by_time(sent),
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
        if let Some(cwnd_bytes) = self.cwnd_before_frame_bytes.take() {
            self.control.infer_cwnd_limit(in_flight, cwnd_bytes);
        }
        self.control
            .on_end_acks(now, in_flight, app_limited, largest_packet_num_acked);
        self.bbr.begin(self.control.is_over());
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        let is_persistent = is_persistent_congestion;
        if self
            .bbr
            .report(|bbr| bbr.on_congestion_event(now, sent, is_persistent, lost_bytes))
        {
            return;
        }
        if self.bbr.exists() && self.control.sender().has_started() {
            self.control.end_at_loss(now, is_persistent);
            return self.bbr.begin(self.control.is_over());
        }
        let number = self.control.number_by_time(sent);
        let is_ecn = lost_bytes == 0;
        if !is_ecn {
            self.control.on_lost(lost_bytes, number);
        }
        self.control.on_congestion(&CongestionEvent {
            now,
            sent,
            is_persistent,
            is_ecn,
            lost_bytes,
            number,
        });
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.bbr.report(|bbr| bbr.on_mtu_update(new_mtu));
        self.control.set_mtu(new_mtu);
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
        // No pacing rate: it would appear in qlog, and quinn does not carry it out.
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.window();
        metrics.ssthresh = Some(self.control.ssthresh_bytes());
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
