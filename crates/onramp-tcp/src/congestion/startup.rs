//! The start-up algorithm of a connection: its start, the acknowledgements that are reported to it,
//! and its last decision.

use super::Congestion;
use crate::avoidance::{AckSample, Avoidance};
use crate::ensemble::EnsembleMember;
use crate::memory::MemoryUser;
use crate::{Config, PacketPair};
use onramp_core as core;
use onramp_core::pairs::Report;

/// A start-up algorithm and its last decision.
#[derive(Clone, Debug)]
pub(super) struct Startup {
    decision: core::Decision,
    /// `None` when the start-up is over for good.
    running: Option<Box<core::Startup>>,
    /// Which segments the peer is to measure (`PAIR_*`), until a pair is sent.
    wanted_pair: u16,
    /// BDP that the path memory gave to the algorithm, in bytes; 0: none.
    remembered_bytes: u64,
    memory: Option<MemoryUser>,
    ensemble: Option<EnsembleMember>,
    /// Other connections to the same destination that were starting up at the latest
    /// acknowledgement.
    siblings: u64,
    /// Successive quiet acknowledgements ([`core::Ack::is_quiet`]) until now.
    quiet_acks: u32,
    /// Round trips that cwnd has not limited.
    limited: core::Limited,
}

impl Startup {
    /// Starts the algorithm of the configuration. `start` does not contain what is remembered of
    /// the path.
    fn new(config: &Config, name: &str, now_ns: u64, mut start: core::Start) -> Startup {
        let mut running = Box::new(
            core::Startup::new(name).expect("a configuration names a start-up that exists"),
        );
        let memory = config
            .memory
            .as_ref()
            .map(|memory| memory.begin(now_ns, &mut start));
        let ensemble = config
            .ensembles
            .as_ref()
            .filter(|_| core::shares(name))
            .map(|ensembles| ensembles.join(now_ns));
        let decision = running.start(&start);
        let mut startup = Startup {
            decision,
            running: Some(running),
            wanted_pair: decision.pair,
            remembered_bytes: start.remembered_bytes,
            memory,
            ensemble,
            siblings: 0,
            quiet_acks: 0,
            limited: core::Limited::default(),
        };
        startup.after_decision(now_ns);
        startup
    }

    fn on_ack(&mut self, now_ns: u64, ack: &core::Ack) {
        if let Some(running) = &mut self.running {
            self.decision = running.ack(ack);
            self.wanted_pair = self.decision.pair;
            self.after_decision(now_ns);
            if self.decision.end_limited_connection(&mut self.limited, ack) {
                self.running = None;
                self.leave_ensemble();
            }
        }
    }

    /// Is this one of successive quiet acknowledgements? Many of them end the start-up.
    fn skips(&mut self, ack: &core::Ack) -> bool {
        if !ack.is_quiet() {
            self.quiet_acks = 0;
            return false;
        }
        self.quiet_acks += 1;
        if !self.decision.host_skips_quiet_ack(self.quiet_acks) {
            return false;
        }
        if self.decision.end_quiet_connection(self.quiet_acks) {
            self.running = None;
            self.leave_ensemble();
        }
        true
    }

    /// Reports a loss. Returns the ssthresh that the algorithm decided.
    pub fn on_loss(&mut self, now_ns: u64, loss: &core::Loss) -> u64 {
        let Some(running) = &mut self.running else {
            return loss.ssthresh_bytes;
        };
        self.wanted_pair = core::PAIR_NONE;
        self.decision = running.loss(loss);
        self.after_decision(now_ns);
        self.decision.ssthresh_bytes
    }

    /// Ends the start-up at a loss, because the host's avoidance repairs it in its own way.
    pub fn finish_at_loss(&mut self, kind: u32) {
        self.decision.phase = core::PHASE_DONE;
        self.decision.exit = match kind {
            core::LOSS_TIMEOUT => core::EXIT_TIMEOUT,
            _ => core::EXIT_LOSS,
        };
        self.running = None;
    }

    /// An acknowledgement has arrived. Returns the number of other connections to the same
    /// destination that are starting up.
    fn siblings(&mut self, now_ns: u64) -> u64 {
        if let Some(ensemble) = &mut self.ensemble {
            self.siblings = ensemble.siblings(now_ns);
        }
        self.siblings
    }

    /// The start-up has ended: others no longer count this connection.
    fn leave_ensemble(&mut self) {
        if let Some(ensemble) = &mut self.ensemble {
            ensemble.leave();
        }
    }

    /// Passes the BDP of the decision to the path memory, leaves the ensemble when the start-up is
    /// over, and frees an algorithm that is done.
    fn after_decision(&mut self, now_ns: u64) {
        if let Some(memory) = &mut self.memory {
            memory.learn(&self.decision, now_ns);
        }
        if self.decision.is_over() {
            self.leave_ensemble();
        }
        if self.decision.is_done() {
            self.running = None;
        }
    }

    /// Keeps the path's entry in the memory, because the peer has answered.
    pub fn keep_memory(&mut self, now_ns: u64) {
        if let Some(memory) = &mut self.memory {
            memory.keep(now_ns);
        }
    }
}

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
        };
        self.startup = Some(Startup::new(config, name, now_ns, start));
        self.apply_decision();
        // After an idle time the window falls to the initial window. That is neither a remembered
        // BDP nor a window that is paced from the beginning.
        if !self.is_reserved() && self.remembered_bytes() == 0 && self.pacing().is_none() {
            self.initial_window_bytes = self.window.cwnd_bytes;
        }
    }

    /// The last decision of the start-up algorithm; `None` without an algorithm.
    pub fn decision(&self) -> Option<&core::Decision> {
        self.startup.as_ref().map(|startup| &startup.decision)
    }

    /// The BDP in bytes that the path memory gave to the start-up algorithm; 0: none.
    pub fn remembered_bytes(&self) -> u64 {
        self.startup
            .as_ref()
            .map_or(0, |startup| startup.remembered_bytes)
    }

    /// The number of other connections to the same destination that were starting up at the
    /// algorithm's latest acknowledgement.
    pub fn siblings(&self) -> u64 {
        self.startup.as_ref().map_or(0, |startup| startup.siblings)
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
            siblings: startup.siblings(ack.now_ns),
            mss_bytes: self.window.mss_bytes,
            flags: flags
                .iter()
                .filter(|(is_set, _)| *is_set)
                .fold(0, |all, (_, flag)| all | flag),
        };
        if startup.skips(&record) {
            return false;
        }
        self.pair_report = Report::default();
        startup.on_ack(ack.now_ns, &record);
        true
    }

    /// The peer has reported the interval of a pair. The next acknowledgement passes it on.
    pub fn set_pair_report(&mut self, report: Report) {
        self.pair_report = report;
    }

    /// Which of the next segments the peer is to measure: `PAIR_*`.
    pub fn wanted_pair(&self) -> u16 {
        self.startup
            .as_ref()
            .map_or(core::PAIR_NONE, |startup| startup.wanted_pair)
    }

    /// A pair was sent.
    pub fn pair_sent(&mut self) {
        if let Some(startup) = &mut self.startup {
            startup.wanted_pair = core::PAIR_NONE;
        }
    }
}
