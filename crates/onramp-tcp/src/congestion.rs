//! Congestion control of one sender: a start-up of `core/`, if there is one, then the avoidance.

use crate::avoidance::{self, AckSample, Avoidance};
use crate::byte_counting::Counting;
use crate::timing::Measurement;
use crate::window::{Window, UNLIMITED};
use crate::{Config, InitialWindow, Stack};
use onramp_core as core;

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
    /// What the peer has reported of a pair since the last acknowledgement that the start-up heard of; 0: nothing.
    pair_interval_ns: u64,
    /// Where the last reduction leads.
    reduced_bytes: u64,
    /// In place of all of it.
    fixed: Option<Fixed>,
}

/// A rate and a window that nothing changes.
#[derive(Clone, Copy, Debug)]
struct Fixed {
    pacing_bytes_per_s: u64,
    cwnd_bytes: u64,
}

#[derive(Debug)]
struct Startup {
    decision: core::Decision,
    /// Given up when it is over for good.
    running: Option<Box<core::Startup>>,
    /// The pair that it last asked for has not left yet.
    is_pair_due: bool,
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
    /// A connection's before it is established, for segments of so much payload behind headers of so much.
    pub fn new(config: &Config, mss_bytes: u32, header_bytes: u32) -> Congestion {
        let mss = u64::from(mss_bytes);
        let initial_window_bytes = match config.initial_window {
            InitialWindow::Segments(segments) => u64::from(segments.max(1)) * mss,
            InitialWindow::Rfc3390 => (4 * mss).min((2 * mss).max(4380)),
        };
        let ssthresh_bytes = config.initial_ssthresh_bytes.unwrap_or(UNLIMITED);
        Congestion {
            window: Window { cwnd_bytes: initial_window_bytes, ssthresh_bytes, mss_bytes },
            avoidance: avoidance::new(config.avoidance, config.stack),
            startup: None,
            measurement: config.ticks.measurement(),
            initial_window_bytes,
            delivered_bytes: 0,
            acknowledged_bytes: 0,
            peer_window_bytes: UNLIMITED,
            is_lite: config.stack == Stack::Lite,
            counting: Counting::new(config.byte_counting),
            pair_interval_ns: 0,
            reduced_bytes: initial_window_bytes,
            header_bytes,
            fixed: None,
        }
    }

    /// Where the configuration names a rate, sends at it.
    pub fn fix(&mut self, config: &Config) {
        let Some(rate_bits_per_s) = config.fixed_rate_bits_per_s else { return };
        let pacing_bytes_per_s = self.payload_rate(rate_bits_per_s);
        let cwnd_bytes = config.send_buffer_bytes.max(u64::from(self.window.mss_bytes));
        self.fixed = Some(Fixed { pacing_bytes_per_s, cwnd_bytes });
        self.hold();
    }

    /// Bytes of payload a second where full IP packets leave at this rate; at least 1.
    fn payload_rate(&self, bits_per_s: u64) -> u64 {
        let mss_bytes = u128::from(self.window.mss_bytes);
        let rate = u128::from(bits_per_s) * mss_bytes / (8 * (mss_bytes + u128::from(self.header_bytes)));
        u64::try_from(rate).unwrap_or(UNLIMITED - 1).max(1)
    }

    /// Before anything is sent: recoveries and timeouts set the window, and must not where it is fixed.
    pub fn hold(&mut self) {
        if let Some(fixed) = &self.fixed {
            (self.window.cwnd_bytes, self.window.ssthresh_bytes) = (fixed.cwnd_bytes, UNLIMITED);
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

    /// The connection is established.
    pub fn start(&mut self, config: &Config, now_ns: u64) {
        let Some(name) = config.startup else { return };
        let mut running = Box::new(core::Startup::new(name).expect("a configuration names a start-up that exists"));
        let decision = running.start(&core::Start {
            now_ns: self.measurement.current_time(now_ns),
            clock: config.ticks.clock(),
            cwnd_bytes: self.window.cwnd_bytes,
            ssthresh_bytes: self.window.ssthresh_bytes,
            mss_bytes: self.window.mss_bytes,
            options: config.startup_options,
            pace_bytes_per_s: config.pace_bits_per_s.map_or(0, |rate| self.payload_rate(rate)),
            gamma_ppm: config.gamma_ppm.unwrap_or(0),
            ..core::Start::default()
        });
        self.startup = Some(Startup { decision, running: Some(running), is_pair_due: decision.pair != 0 });
        self.apply();
        self.initial_window_bytes = self.window.cwnd_bytes;
    }

    /// What the start-up decided last.
    pub fn decision(&self) -> Option<&core::Decision> {
        self.startup.as_ref().map(|startup| &startup.decision)
    }

    /// Is a start-up of `core/` in charge?
    pub fn is_starting(&self) -> bool {
        self.decision().is_some_and(|decision| !decision.is_over())
    }

    /// The rate at which to pace, if any.
    pub fn pacing_bytes_per_s(&self) -> Option<u64> {
        match &self.fixed {
            Some(fixed) => Some(fixed.pacing_bytes_per_s),
            None => self.decision().map(|decision| decision.pacing_bytes_per_s).filter(|&rate| rate != UNLIMITED),
        }
    }

    /// An acknowledgement arrived: measure.
    pub fn measure(&mut self, ack: &AckSample) {
        self.delivered_bytes += ack.delivered_bytes;
        self.acknowledged_bytes = ack.una;
        self.avoidance.measure(&mut self.window, ack);
    }

    /// It acknowledged new data outside of recovery: raise the window.
    pub fn raise(&mut self, ack: &AckSample, app_limited: bool) {
        if self.fixed.is_some() {
            return;
        }
        let counted_bytes = self.counting.counted(ack.delivered_bytes, &self.window);
        let decides = self.startup.as_ref().is_some_and(|startup| startup.decides(&self.window));
        if decides || self.startup.as_ref().is_some_and(Startup::spaces) {
            self.tell(ack, counted_bytes, app_limited);
        }
        if decides {
            self.apply();
        } else {
            self.avoidance.raise(&mut self.window, &AckSample { delivered_bytes: counted_bytes, ..*ack });
        }
    }

    /// The start-up hears of an acknowledgement.
    fn tell(&mut self, ack: &AckSample, acked_bytes: u64, app_limited: bool) {
        let Some(Startup { decision, running: Some(running), is_pair_due }) = &mut self.startup else { return };
        let mut flags = 0;
        if ack.cwnd_limited {
            flags |= core::ACK_CWND_LIMITED;
        }
        if app_limited {
            flags |= core::ACK_APP_LIMITED;
        }
        *decision = running.ack(&core::Ack {
            now_ns: self.measurement.current_time(ack.now_ns),
            acked_bytes,
            delivered_bytes: self.delivered_bytes,
            inflight_bytes: ack.inflight_bytes,
            srtt_ns: ack.srtt_ns,
            rtt_ns: ack.rtt_ns.map_or(0, |rtt_ns| self.measurement.elapsed_ns(ack.now_ns - rtt_ns, ack.now_ns)),
            cwnd_bytes: self.window.cwnd_bytes,
            ssthresh_bytes: self.window.ssthresh_bytes,
            pair_interval_ns: std::mem::take(&mut self.pair_interval_ns),
            mss_bytes: self.window.mss_bytes,
            flags,
        });
        *is_pair_due = decision.pair != 0;
    }

    /// The peer has reported how far apart a pair arrived.
    pub fn note_pair(&mut self, interval_ns: u64) {
        self.pair_interval_ns = interval_ns;
    }

    /// Are the next two segments to leave at once, as a pair?
    pub fn wants_pair(&self) -> bool {
        self.startup.as_ref().is_some_and(|startup| startup.is_pair_due)
    }

    /// They have left.
    pub fn pair_sent(&mut self) {
        if let Some(startup) = &mut self.startup {
            startup.is_pair_due = false;
        }
    }

    /// Slow start begins again with one segment: after a timeout, and after what Tahoe takes for an early one.
    pub fn restart(&mut self) {
        self.window.cwnd_bytes = u64::from(self.window.mss_bytes);
        self.counting.restart();
    }

    /// The retransmission timer has ended: slow start begins again, with the threshold that there is.
    pub fn begin_again(&mut self) {
        self.restart();
        self.avoidance.timeout();
    }

    /// A loss was found: lower the threshold. The window is the recovery's business.
    ///
    /// What is halved is what was outstanding (RFC 5681, equation 4); by 4.4BSD, and by ns, the lesser of cwnd and
    /// the peer's window (Wright & Stevens, "TCP/IP Illustrated, Volume 2", sections 25.11 and 29.4), inflated or
    /// deflated as recovery left it.
    pub fn reduce(&mut self, now_ns: u64, kind: LossKind, flight_bytes: u64) {
        if let Some(fixed) = &self.fixed {
            self.reduced_bytes = fixed.cwnd_bytes;
            return;
        }
        let halved_bytes = match self.is_lite {
            true => self.window.cwnd_bytes.min(self.peer_window_bytes),
            false => flight_bytes,
        };
        let mut ssthresh_bytes = self.avoidance.ssthresh(&self.window, now_ns, halved_bytes);
        if let Some(Startup { decision, running: Some(running), is_pair_due }) = &mut self.startup {
            *is_pair_due = false;
            let loss = core::Loss {
                now_ns: self.measurement.current_time(now_ns),
                inflight_bytes: flight_bytes,
                cwnd_bytes: self.window.cwnd_bytes,
                ssthresh_bytes,
                acknowledged_bytes: self.acknowledged_bytes,
                mss_bytes: self.window.mss_bytes,
                kind: match kind {
                    LossKind::Acknowledgements => core::LOSS_RECOVERY,
                    LossKind::Timeout => core::LOSS_TIMEOUT,
                    LossKind::Tahoe => core::LOSS_TAHOE,
                },
            };
            *decision = running.loss(&loss);
            ssthresh_bytes = decision.ssthresh_bytes;
            self.end_startup_if_done();
        }
        self.window.ssthresh_bytes = ssthresh_bytes.max(2 * u64::from(self.window.mss_bytes));
        self.reduced_bytes = self.window.ssthresh_bytes.min(self.window.cwnd_bytes);
        if kind == LossKind::Timeout {
            self.begin_again();
        }
    }

    /// The window that a reduction leads to: the threshold, but no more than the window was. (A threshold that was
    /// measured, as Westwood's, may be above.)
    pub fn reduced_bytes(&self) -> u64 {
        self.reduced_bytes
    }

    /// Data is about to leave after nothing was outstanding since `idle_since_ns` (RFC 2861, as Linux does it): half
    /// the window for each timeout of it, down to the initial window. `None`: it was too short, or that is not to be.
    pub fn resume(&mut self, idle_since_ns: u64, now_ns: u64, timeouts: Option<u64>) {
        self.avoidance.resume(idle_since_ns, now_ns);
        let window = &mut self.window;
        let Some(timeouts) = timeouts.filter(|_| window.cwnd_bytes > self.initial_window_bytes) else { return };
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
        // Whole segments, as the kernel counts.
        self.window.cwnd_bytes = (decision.cwnd_bytes / mss).max(1) * mss;
        self.window.ssthresh_bytes = match decision.ssthresh_bytes {
            UNLIMITED => UNLIMITED,
            bytes => (bytes / mss).max(2) * mss,
        };
        self.end_startup_if_done();
    }

    fn end_startup_if_done(&mut self) {
        if let Some(startup) = &mut self.startup {
            if startup.decision.phase == core::PHASE_DONE {
                startup.running = None;
            }
        }
    }
}
