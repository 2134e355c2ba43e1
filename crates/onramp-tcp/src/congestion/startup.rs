//! The start-up algorithm of a connection: its start, the acknowledgements that are reported to it,
//! and its last decision.

use super::Congestion;
use crate::avoidance::{AckSample, Avoidance};
use crate::{Config, PacketPair};
use onramp_core as core;
use onramp_core::pairs::Report;
use onramp_core::HostedStartup;

impl Congestion {
    /// Starts the start-up algorithm of the configuration, if there is one, when the connection is
    /// established. `srtt_ns`: RTT of the handshake; 0 if it is unknown.
    pub fn start(&mut self, config: &Config, now_ns: u64, srtt_ns: u64) {
        self.avoidance
            .established(now_ns, srtt_ns, &self.window, config.isn);
        let Some(name) = config.startup.filter(|_| self.fixed_rate.is_none()) else {
            return;
        };
        let reservation = config.reservation;
        let reserved_bytes_per_s = reservation.map(|reservation| reservation.bytes_per_s);
        let paced_bytes_per_s = config
            .pace_bits_per_s
            .map(|rate| self.payload_bytes_per_s(rate));
        let pair_option = match config.packet_pair {
            PacketPair::None => 0,
            PacketPair::Answer | PacketPair::AnswerAtOnce | PacketPair::Probe => core::OPTION_PAIRS,
        };
        let timestamps_option = self.peer_tsval.map_or(0, |_| core::OPTION_TIMESTAMPS);
        let start = core::Start {
            now_ns: self.measurement.current_time(now_ns),
            clock: config.ticks.clock(),
            cwnd_bytes: self.window.cwnd_bytes,
            ssthresh_bytes: self.window.ssthresh_bytes,
            mss_bytes: self.window.mss_bytes,
            options: config.startup_options | pair_option | timestamps_option,
            srtt_ns,
            pace_bytes_per_s: reserved_bytes_per_s.or(paced_bytes_per_s).unwrap_or(0),
            gamma_ppm: config.gamma_ppm.unwrap_or(0),
            burst_bytes: reservation
                .and_then(|reservation| reservation.burst_bytes)
                .unwrap_or(0),
            excess_bytes: 0,
            remembered_bytes: 0,
            remembered_rtt_ns: 0,
            jump_bytes: 0,
            tsval: self.peer_tsval.map_or(0, u64::from),
            peer_window_bytes: self.peer_window_bytes,
            initial_bytes_per_s: config.initial_rate.bytes_per_s(),
            siblings: 0,
            variant: config.startup_variant,
        };
        let (memory, ensembles) = (config.memory.as_ref(), config.ensembles.as_ref());
        let parameters = config.startup_parameters.as_deref().copied();
        let startup = core::Startup::with(name, parameters.unwrap_or_default())
            .expect("the host has checked the start-up's name");
        self.startup = Some(HostedStartup::begin(
            startup, now_ns, start, memory, ensembles,
        ));
        self.apply_decision();
        // After an idle time the window falls to the initial window, which is neither a remembered
        // BDP nor a window that is paced from the beginning.
        if !self.is_reserved() && self.remembered_bytes() == 0 && self.pacing().is_none() {
            self.initial_window_bytes = self.window.cwnd_bytes;
        }
    }

    /// The last decision of the start-up algorithm; `None` without an algorithm.
    pub fn decision(&self) -> Option<&core::Decision> {
        self.startup.as_ref().map(HostedStartup::decision)
    }

    /// The BDP in bytes that the path memory gave to the start-up algorithm; 0: none.
    pub fn remembered_bytes(&self) -> u64 {
        self.startup
            .as_ref()
            .map_or(0, HostedStartup::remembered_bytes)
    }

    /// The number of other connections to the same destination that were starting up at the
    /// algorithm's latest acknowledgement.
    pub fn siblings(&self) -> u64 {
        self.startup.as_ref().map_or(0, HostedStartup::siblings)
    }

    /// Does the start-up algorithm control cwnd?
    pub fn is_starting(&self) -> bool {
        self.decision().is_some_and(|decision| !decision.is_over())
    }

    /// Is a rate reserved, so that the start-up algorithm owns cwnd even after a loss?
    pub fn is_reserved(&self) -> bool {
        self.decision().is_some_and(core::Decision::is_reserved)
    }

    /// Does the start-up algorithm control cwnd while losses are repaired?
    pub fn is_repairing(&self) -> bool {
        self.decision().is_some_and(core::Decision::is_repairing)
    }

    /// Does the start-up algorithm follow the repair of a loss?
    pub fn is_following_recovery(&self) -> bool {
        self.is_repairing() || self.decision().is_some_and(core::Decision::is_retreating)
    }

    /// Must acknowledgements be reported to [`raise`](Self::raise) during a recovery too?
    pub fn reports_recovery(&self) -> bool {
        self.decision()
            .is_some_and(core::Decision::host_reports_recovery)
    }

    /// Reports an acknowledgement to the start-up algorithm. False: it is one of successive quiet
    /// ones, which are not reported.
    pub(super) fn report_ack(
        &mut self,
        ack: &AckSample,
        acked_bytes: u64,
        app_limited: bool,
        is_recovering: bool,
    ) -> bool {
        let Some(startup) = &mut self.startup else {
            return true;
        };
        let report = self.pair_report;
        let flags = [
            (ack.cwnd_limited, core::ACK_CWND_LIMITED),
            (app_limited, core::ACK_APP_LIMITED),
            (is_recovering, core::ACK_RECOVERING),
        ];
        let clock = &self.measurement;
        let record = core::Ack {
            now_ns: clock.current_time(ack.now_ns),
            acked_bytes,
            delivered_bytes: self.delivered_bytes,
            lost_bytes: ack.lost_bytes,
            inflight_bytes: ack.inflight_bytes,
            srtt_ns: ack.srtt_ns,
            rtt_ns: ack.rtt_ns.map_or(0, |rtt_ns| {
                clock.elapsed_ns(ack.now_ns - rtt_ns, ack.now_ns)
            }),
            cwnd_bytes: self.window.cwnd_bytes,
            ssthresh_bytes: self.window.ssthresh_bytes,
            pair_interval_ns: report.interval_ns.into(),
            pair_bytes: report.bytes.into(),
            peer_window_bytes: self.peer_window_bytes,
            tsval: self.peer_tsval.map_or(0, u64::from),
            siblings: startup.count_siblings(ack.now_ns),
            mss_bytes: self.window.mss_bytes,
            flags: flags
                .iter()
                .filter(|(is_set, _)| *is_set)
                .fold(0, |all, (_, flag)| all | flag),
        };
        let is_reported = startup.report_ack(ack.now_ns, &record);
        if is_reported {
            self.pair_report = Report::default();
        }
        is_reported
    }

    /// The peer has reported the interval of a pair. The next acknowledgement passes it on.
    pub fn set_pair_report(&mut self, report: Report) {
        self.pair_report = report;
    }

    /// Which of the next segments the peer is to measure: `PAIR_*`.
    pub fn wanted_pair(&self) -> u16 {
        self.startup
            .as_ref()
            .map_or(core::PAIR_NONE, HostedStartup::wanted_pair)
    }

    /// A pair was sent.
    pub fn pair_sent(&mut self) {
        if let Some(startup) = &mut self.startup {
            startup.pair_sent();
        }
    }
}
