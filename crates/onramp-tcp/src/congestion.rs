//! Congestion control of one sender: a start-up of `core/`, if there is one, then the avoidance.

use crate::avoidance::{self, AckSample, Avoidance};
use crate::byte_counting::Counting;
use crate::memory::Remembering;
use crate::timing::Measurement;
use crate::window::{Window, UNLIMITED};
use crate::{Config, PacketPair, Stack};
use onramp_core as core;
use onramp_core::pairs::Report;

/// How a loss was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// By acknowledgements.
    Acknowledgements,
    /// By the retransmission timer: slow start follows.
    Timeout,
    /// By acknowledgements, and slow start follows as after a timeout.
    Tahoe,
}

/// Window, avoidance and start-up.
#[derive(Debug)]
pub struct Congestion {
    /// The window, which recoveries may set.
    pub window: Window,
    avoidance: Box<dyn Avoidance>,
    startup: Option<Startup>,
    /// By which start-ups measure.
    measurement: Measurement,
    initial_window_bytes: u64,
    delivered_bytes: u64,
    /// Cumulatively.
    acknowledged_bytes: u64,
    /// What the peer permits to be outstanding.
    peer_window_bytes: u64,
    /// Of a full segment, IP's among them.
    header_bytes: u32,
    is_lite: bool,
    counting: Counting,
    /// What the peer has reported of a pair since the last acknowledgement that the start-up heard
    /// of; zero: nothing.
    pair: Report,
    /// Where the last reduction leads.
    reduced_bytes: u64,
    /// While there is one, losses, timeouts and idle times change nothing.
    held: Option<Held>,
}

/// A rate and a window that are given: the configuration's, for good, or a reservation's, while the
/// start-up says so.
#[derive(Clone, Copy, Debug)]
struct Held {
    cwnd_bytes: u64,
    pacing: Pacing,
}

/// How segments are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pacing {
    /// At this rate.
    pub bytes_per_s: u64,
    /// By a token bucket of this depth, which nothing passes by; 0: one by one.
    pub burst_bytes: u32,
}

impl Pacing {
    /// What a start-up decided, if it spaces.
    fn of(decision: &core::Decision) -> Option<Pacing> {
        let pacing = Pacing {
            bytes_per_s: decision.pacing_bytes_per_s,
            burst_bytes: decision.burst_bytes,
        };
        (pacing.bytes_per_s != UNLIMITED).then_some(pacing)
    }
}

#[derive(Debug)]
struct Startup {
    decision: core::Decision,
    /// Given up when it is over for good.
    running: Option<Box<core::Startup>>,
    /// Which segments the peer is to measure: what it asked for last, until a pair has left.
    pair: u16,
    /// What it was told is remembered of the path; 0: nothing.
    remembered_bytes: u64,
    /// Where what it learns is kept.
    memory: Option<Remembering>,
}

impl Startup {
    /// What the decision says of the path is to be remembered.
    fn learn(&mut self, now_ns: u64) {
        if let Some(memory) = &mut self.memory {
            memory.learn(&self.decision, now_ns);
        }
    }
}

impl Startup {
    /// Does congestion avoidance have the window, while what it permits is spaced?
    fn spaces(&self) -> bool {
        self.decision.phase == core::PHASE_SAFE
    }

    /// Does it raise the window? One that is over for now does again in the next slow start.
    fn decides(&self, window: &Window) -> bool {
        let begins_again = self.decision.phase == core::PHASE_AVOIDANCE && window.in_slow_start();
        !self.decision.is_over() || begins_again
    }
}

impl Congestion {
    /// A connection's before it is established, for segments of so much payload behind headers of
    /// so much.
    pub fn new(config: &Config, mss_bytes: u32, header_bytes: u32) -> Congestion {
        let mss = u64::from(mss_bytes);
        let initial_window_bytes = config.initial_window.bytes(mss);
        let ssthresh_bytes = config.initial_ssthresh_bytes.unwrap_or(UNLIMITED);
        Congestion {
            window: Window {
                cwnd_bytes: initial_window_bytes,
                ssthresh_bytes,
                mss_bytes,
            },
            avoidance: avoidance::new(config.avoidance, config.stack),
            startup: None,
            measurement: config.ticks.measurement(),
            initial_window_bytes,
            delivered_bytes: 0,
            acknowledged_bytes: 0,
            peer_window_bytes: UNLIMITED,
            is_lite: config.stack == Stack::Lite,
            counting: Counting::new(config.byte_counting),
            pair: Report::default(),
            reduced_bytes: initial_window_bytes,
            header_bytes,
            held: None,
        }
    }

    /// Where the configuration names a rate, sends at it.
    pub fn fix(&mut self, config: &Config) {
        let Some(rate_bits_per_s) = config.fixed_rate_bits_per_s else {
            return;
        };
        let pacing = Pacing {
            bytes_per_s: self.payload_rate(rate_bits_per_s),
            burst_bytes: 0,
        };
        let cwnd_bytes = config
            .send_buffer_bytes
            .max(u64::from(self.window.mss_bytes));
        self.held = Some(Held { cwnd_bytes, pacing });
        self.hold();
    }

    /// Does the configuration's rate stand in place of all of it?
    fn is_fixed(&self) -> bool {
        self.held.is_some() && self.startup.is_none()
    }

    /// Is the start-up to hear of acknowledgements during recovery too?
    pub fn hears_all(&self) -> bool {
        self.is_reserved() || self.is_retreating()
    }

    /// May what arrives while losses are repaired still change the threshold?
    fn is_retreating(&self) -> bool {
        self.decision()
            .is_some_and(|decision| decision.phase == core::PHASE_RETREAT)
    }

    /// Does a reservation hold? Then the start-up is to hear of every acknowledgement and of every
    /// loss.
    pub fn is_reserved(&self) -> bool {
        self.held.is_some() && self.startup.is_some()
    }

    /// Bytes of payload a second where full IP packets leave at this rate; at least 1.
    fn payload_rate(&self, bits_per_s: u64) -> u64 {
        let mss_bytes = u128::from(self.window.mss_bytes);
        let rate =
            u128::from(bits_per_s) * mss_bytes / (8 * (mss_bytes + u128::from(self.header_bytes)));
        u64::try_from(rate).unwrap_or(UNLIMITED - 1).max(1)
    }

    /// Before anything is sent or decided: recoveries set the window, and must not where it is
    /// held.
    pub fn hold(&mut self) {
        if let Some(held) = &self.held {
            (self.window.cwnd_bytes, self.window.ssthresh_bytes) = (held.cwnd_bytes, UNLIMITED);
        }
    }

    /// The peer's window changes.
    pub fn set_peer_window(&mut self, bytes: u64) {
        self.peer_window_bytes = bytes;
    }

    /// SYNs were lost: begin with one segment.
    pub fn start_small(&mut self) {
        self.window.cwnd_bytes = u64::from(self.window.mss_bytes);
    }

    /// The connection is established; the handshake told the round trip, or 0.
    pub fn start(&mut self, config: &Config, now_ns: u64, srtt_ns: u64) {
        let Some(name) = config.startup.filter(|_| !self.is_fixed()) else {
            return;
        };
        let spaced_bytes_per_s = config.pace_bits_per_s.map(|rate| self.payload_rate(rate));
        let reserved_bytes_per_s = config
            .reservation
            .map(|reservation| reservation.bytes_per_s);
        let mut running = Box::new(
            core::Startup::new(name).expect("a configuration names a start-up that exists"),
        );
        let mut start = core::Start {
            now_ns: self.measurement.current_time(now_ns),
            clock: config.ticks.clock(),
            cwnd_bytes: self.window.cwnd_bytes,
            ssthresh_bytes: self.window.ssthresh_bytes,
            mss_bytes: self.window.mss_bytes,
            options: config.startup_options
                | if config.packet_pair == PacketPair::None {
                    0
                } else {
                    core::OPTION_PAIRS
                },
            srtt_ns,
            pace_bytes_per_s: reserved_bytes_per_s.or(spaced_bytes_per_s).unwrap_or(0),
            gamma_ppm: config.gamma_ppm.unwrap_or(0),
            burst_bytes: config
                .reservation
                .and_then(|reservation| reservation.burst_bytes)
                .unwrap_or(0),
            excess_bytes: 0,
            remembered_bytes: 0,
            remembered_rtt_ns: 0,
        };
        let memory = config
            .memory
            .as_ref()
            .map(|memory| memory.begin(now_ns, &mut start));
        let decision = running.start(&start);
        let (remembered_bytes, pair) = (start.remembered_bytes, decision.pair);
        let mut startup = Startup {
            decision,
            running: Some(running),
            pair,
            remembered_bytes,
            memory,
        };
        startup.learn(now_ns);
        self.startup = Some(startup);
        self.apply();
        // What a remembered path lets leave at once is none that an idle time leads back to.
        if !self.is_reserved() && remembered_bytes == 0 {
            self.initial_window_bytes = self.window.cwnd_bytes;
        }
    }

    /// What the start-up decided last.
    pub fn decision(&self) -> Option<&core::Decision> {
        self.startup.as_ref().map(|startup| &startup.decision)
    }

    /// What the start-up was told that is remembered of the path, in bytes in a round trip; 0:
    /// nothing.
    pub fn remembered_bytes(&self) -> u64 {
        self.startup
            .as_ref()
            .map_or(0, |startup| startup.remembered_bytes)
    }

    /// Is a start-up of `core/` in charge?
    pub fn is_starting(&self) -> bool {
        self.decision().is_some_and(|decision| !decision.is_over())
    }

    /// How to pace, if at all.
    pub fn pacing(&self) -> Option<Pacing> {
        self.held
            .map(|held| held.pacing)
            .or_else(|| self.decision().and_then(Pacing::of))
    }

    /// An acknowledgement arrived: measure.
    pub fn measure(&mut self, ack: &AckSample) {
        self.delivered_bytes += ack.delivered_bytes;
        self.acknowledged_bytes = ack.una;
        if let Some(memory) = self
            .startup
            .as_mut()
            .and_then(|startup| startup.memory.as_mut())
        {
            memory.keep(ack.now_ns);
        }
        self.avoidance.measure(&mut self.window, ack);
    }

    /// It acknowledged new data outside of recovery, or [anything](Congestion::hears_all): raise
    /// the window.
    pub fn raise(&mut self, ack: &AckSample, app_limited: bool, recovering: bool) {
        if self.is_fixed() {
            return;
        }
        if self.is_retreating() {
            self.retreat(ack, app_limited, recovering);
        }
        if recovering && !self.is_reserved() {
            return;
        }
        let was_reserved = self.is_reserved();
        self.hold();
        let counted_bytes = self.counting.counted(ack.delivered_bytes, &self.window);
        let decides = self
            .startup
            .as_ref()
            .is_some_and(|startup| startup.decides(&self.window));
        if decides || self.startup.as_ref().is_some_and(Startup::spaces) {
            self.tell(ack, counted_bytes, app_limited, recovering);
        }
        if decides {
            self.apply();
            if was_reserved && !self.is_reserved() {
                // A reduction like any other, from which a recovery goes on.
                self.window.cwnd_bytes = self.window.cwnd_bytes.min(self.window.ssthresh_bytes);
                self.reduced_bytes = self.window.cwnd_bytes;
            }
        } else {
            self.avoidance.raise(
                &mut self.window,
                &AckSample {
                    delivered_bytes: counted_bytes,
                    ..*ack
                },
            );
        }
    }

    /// Losses are being repaired, or have been: the start-up may change where that leads.
    fn retreat(&mut self, ack: &AckSample, app_limited: bool, recovering: bool) {
        self.tell(ack, ack.delivered_bytes, app_limited, recovering);
        let Some(decision) = self.decision() else {
            return;
        };
        let least_bytes = 2 * u64::from(self.window.mss_bytes);
        self.window.ssthresh_bytes = decision.ssthresh_bytes.max(least_bytes);
        self.reduced_bytes = self.window.ssthresh_bytes;
        self.follow_phase();
    }

    /// The start-up hears of an acknowledgement.
    fn tell(&mut self, ack: &AckSample, acked_bytes: u64, app_limited: bool, recovering: bool) {
        let Some(Startup {
            decision,
            running: Some(running),
            pair,
            ..
        }) = &mut self.startup
        else {
            return;
        };
        let report = std::mem::take(&mut self.pair);
        let mut flags = 0;
        if ack.cwnd_limited {
            flags |= core::ACK_CWND_LIMITED;
        }
        if app_limited {
            flags |= core::ACK_APP_LIMITED;
        }
        if recovering {
            flags |= core::ACK_RECOVERING;
        }
        *decision = running.ack(&core::Ack {
            now_ns: self.measurement.current_time(ack.now_ns),
            acked_bytes,
            delivered_bytes: self.delivered_bytes,
            lost_bytes: ack.lost_bytes,
            inflight_bytes: ack.inflight_bytes,
            srtt_ns: ack.srtt_ns,
            rtt_ns: ack.rtt_ns.map_or(0, |rtt_ns| {
                self.measurement.elapsed_ns(ack.now_ns - rtt_ns, ack.now_ns)
            }),
            cwnd_bytes: self.window.cwnd_bytes,
            ssthresh_bytes: self.window.ssthresh_bytes,
            pair_interval_ns: report.interval_ns.into(),
            pair_bytes: report.bytes.into(),
            mss_bytes: self.window.mss_bytes,
            flags,
        });
        *pair = decision.pair;
        self.learn(ack.now_ns);
    }

    /// What the start-up has just decided may say what is to be remembered of the path.
    fn learn(&mut self, now_ns: u64) {
        if let Some(startup) = &mut self.startup {
            startup.learn(now_ns);
        }
    }

    /// The peer has reported how far apart a pair arrived.
    pub fn note_pair(&mut self, report: Report) {
        self.pair = report;
    }

    /// Which of the next segments are to be measured: `PAIR_*`?
    pub fn wanted_pair(&self) -> u16 {
        self.startup
            .as_ref()
            .map_or(core::PAIR_NONE, |startup| startup.pair)
    }

    /// A pair has left.
    pub fn pair_sent(&mut self) {
        if let Some(startup) = &mut self.startup {
            startup.pair = core::PAIR_NONE;
        }
    }

    /// Slow start begins again with one segment: after a timeout, and after what Tahoe takes for an
    /// early one.
    pub fn restart(&mut self) {
        if self.held.is_some() {
            return;
        }
        self.window.cwnd_bytes = u64::from(self.window.mss_bytes);
        self.counting.restart();
    }

    /// The retransmission timer has ended: slow start begins again, with the threshold that there
    /// is.
    pub fn begin_again(&mut self) {
        if self.held.is_none() {
            self.restart();
            self.avoidance.timeout();
        }
    }

    /// A loss was found: lower the threshold. The window is the recovery's business.
    ///
    /// What is halved is what was outstanding (RFC 5681, equation 4); by 4.4BSD, and by ns, the
    /// lesser of cwnd and the peer's window (Wright & Stevens, "TCP/IP Illustrated, Volume 2",
    /// sections 25.11 and 29.4), inflated or deflated as recovery left it. Of a reservation's
    /// window, which is larger than what it is for, only what was outstanding counts.
    ///
    /// `lost_bytes`: taken for lost since the start, by this loss too.
    pub fn reduce(&mut self, now_ns: u64, kind: LossKind, flight_bytes: u64, lost_bytes: u64) {
        self.hold();
        if self.is_fixed() {
            self.reduced_bytes = self.window.cwnd_bytes;
            return;
        }
        let mut window = self.window;
        if self.is_reserved() {
            window.cwnd_bytes = window
                .cwnd_bytes
                .min(flight_bytes.max(u64::from(window.mss_bytes)));
        }
        let halved_bytes = match self.is_lite {
            true => window.cwnd_bytes.min(self.peer_window_bytes),
            false => flight_bytes,
        };
        let mut ssthresh_bytes = self.avoidance.ssthresh(&window, now_ns, halved_bytes);
        if let Some(Startup {
            decision,
            running: Some(running),
            pair,
            ..
        }) = &mut self.startup
        {
            *pair = core::PAIR_NONE;
            let loss = core::Loss {
                now_ns: self.measurement.current_time(now_ns),
                inflight_bytes: flight_bytes,
                cwnd_bytes: self.window.cwnd_bytes,
                ssthresh_bytes,
                acknowledged_bytes: self.acknowledged_bytes,
                lost_bytes,
                mss_bytes: self.window.mss_bytes,
                kind: match kind {
                    LossKind::Acknowledgements => core::LOSS_RECOVERY,
                    LossKind::Timeout => core::LOSS_TIMEOUT,
                    LossKind::Tahoe => core::LOSS_TAHOE,
                },
            };
            *decision = running.loss(&loss);
            ssthresh_bytes = decision.ssthresh_bytes;
            self.learn(now_ns);
            self.follow_phase();
        }
        if self.is_reserved() {
            self.hold();
            self.reduced_bytes = self.window.cwnd_bytes;
            return;
        }
        self.window.ssthresh_bytes = ssthresh_bytes.max(2 * u64::from(self.window.mss_bytes));
        self.reduced_bytes = self.window.ssthresh_bytes.min(self.window.cwnd_bytes);
        if kind == LossKind::Timeout {
            self.begin_again();
        }
    }

    /// The window that a reduction leads to: the threshold, but no more than the window was. (A
    /// threshold that was measured, as Westwood's, may be above.)
    pub fn reduced_bytes(&self) -> u64 {
        self.reduced_bytes
    }

    /// Data is about to leave after nothing was outstanding since `idle_since_ns` (RFC 2861, as
    /// Linux does it): half the window for each timeout of it, down to the initial window. `None`:
    /// it was too short, or that is not to be.
    pub fn resume(&mut self, idle_since_ns: u64, now_ns: u64, timeouts: Option<u64>) {
        self.avoidance.resume(idle_since_ns, now_ns);
        let (window, is_held) = (&mut self.window, self.held.is_some());
        let Some(timeouts) =
            timeouts.filter(|_| !is_held && window.cwnd_bytes > self.initial_window_bytes)
        else {
            return;
        };
        let cwnd = window.cwnd_bytes;
        if window.ssthresh_bytes != UNLIMITED {
            window.ssthresh_bytes = window.ssthresh_bytes.max(cwnd / 4 * 3);
        }
        window.cwnd_bytes = (cwnd >> timeouts.min(63)).max(self.initial_window_bytes);
    }

    fn apply(&mut self) {
        let Some(startup) = &self.startup else { return };
        let mss = u64::from(self.window.mss_bytes);
        let decision = &startup.decision;
        self.window.cwnd_bytes = whole_segments(decision.cwnd_bytes, mss);
        self.window.ssthresh_bytes = match decision.ssthresh_bytes {
            UNLIMITED => UNLIMITED,
            bytes => (bytes / mss).max(2) * mss,
        };
        if decision.is_full != 0 {
            self.avoidance.path_is_full(&self.window);
        }
        self.follow_phase();
    }

    /// What the start-up's phase means beside window and threshold.
    fn follow_phase(&mut self) {
        let Some(startup) = &mut self.startup else {
            return;
        };
        let decision = &startup.decision;
        let cwnd_bytes = whole_segments(decision.cwnd_bytes, u64::from(self.window.mss_bytes));
        let reserved = Pacing::of(decision).filter(|_| decision.phase == core::PHASE_RESERVED);
        self.held = reserved.map(|pacing| Held { cwnd_bytes, pacing });
        if decision.phase == core::PHASE_DONE {
            startup.running = None;
        }
    }
}

/// As the kernel counts, and at least one.
fn whole_segments(cwnd_bytes: u64, mss_bytes: u64) -> u64 {
    (cwnd_bytes / mss_bytes).max(1) * mss_bytes
}
