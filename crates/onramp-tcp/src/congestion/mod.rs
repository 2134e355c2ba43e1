//! Congestion control of one sender: a start-up algorithm of `core/`, if there is one, and then
//! congestion avoidance.
//!
//! `core/host.h` defines who owns cwnd, ssthresh and pacing after each decision of a start-up
//! algorithm, and which events are reported to it. This module asks the functions of that file, as
//! [`Decision`](core::Decision) offers them.

mod loss;
mod pacing;
mod startup;

pub use loss::LossKind;
pub use pacing::Pacing;

use crate::avoidance::{self, AckSample, AnyAvoidance, Arrival, Avoidance, Control};
use crate::byte_counting::Counting;
use crate::timing::Measurement;
use crate::window::{Window, UNLIMITED};
use crate::{Config, Stack};
use onramp_core as core;
use onramp_core::pairs::Report;
use onramp_core::HostedStartup;
use pacing::FixedRate;

/// cwnd, ssthresh and pacing of a sender.
#[derive(Clone, Debug)]
pub struct Congestion {
    /// The window, which loss recovery may set.
    pub window: Window,
    avoidance: AnyAvoidance,
    startup: Option<HostedStartup>,
    /// The clock of the start-up algorithm.
    measurement: Measurement,
    initial_window_bytes: u64,
    delivered_bytes: u64,
    /// `delivered_bytes` when data last left while nothing was in flight.
    resumed_at_bytes: u64,
    /// SND.UNA, as a stream offset.
    acknowledged_bytes: u64,
    peer_window_bytes: u64,
    /// TSval of the peer's newest segment; `None`: the connection has no timestamps.
    peer_tsval: Option<u32>,
    /// Header bytes of a full segment, including IP.
    header_bytes: u32,
    is_lite: bool,
    counting: Counting,
    /// The last pair report of the peer, until an acknowledgement passes it on to the start-up
    /// algorithm; zero: none.
    pair_report: Report,
    /// The cwnd to which the last reduction leads.
    reduced_bytes: u64,
    /// cwnd before the last reduction, and the ssthresh that an undo restores.
    prior: Option<Window>,
    /// Reductions that were undone.
    pub undone: u64,
    /// The rate of the configuration, which replaces congestion control.
    fixed_rate: Option<FixedRate>,
}

impl Congestion {
    /// Congestion control before the connection is established.
    ///
    /// `mss_bytes`: payload of a full segment. `header_bytes`: its headers, including IP.
    pub fn new(config: &Config, mss_bytes: u32, header_bytes: u32) -> Congestion {
        let initial_window_bytes = config.initial_window.bytes(u64::from(mss_bytes));
        Congestion {
            window: Window {
                cwnd_bytes: initial_window_bytes,
                ssthresh_bytes: config.initial_ssthresh_bytes.unwrap_or(UNLIMITED),
                mss_bytes,
            },
            avoidance: avoidance::new(config),
            startup: None,
            measurement: config.ticks.measurement(),
            initial_window_bytes,
            delivered_bytes: 0,
            resumed_at_bytes: 0,
            acknowledged_bytes: 0,
            peer_window_bytes: UNLIMITED,
            peer_tsval: None,
            header_bytes,
            is_lite: config.stack == Stack::Lite,
            counting: Counting::new(config.byte_counting),
            pair_report: Report::default(),
            reduced_bytes: initial_window_bytes,
            prior: None,
            undone: 0,
            fixed_rate: None,
        }
    }

    /// Reports a new window of the peer.
    pub fn set_peer_window(&mut self, bytes: u64) {
        self.peer_window_bytes = bytes;
    }

    /// Reports the TSval of a segment from the peer (RFC 7323).
    pub fn set_peer_tsval(&mut self, tsval: u32) {
        self.peer_tsval = Some(tsval);
    }

    /// Reduces the initial window to one segment, because SYNs were lost.
    pub fn start_with_one_segment(&mut self) {
        self.window.cwnd_bytes = u64::from(self.window.mss_bytes);
    }

    /// Does a reserved rate, a fixed rate or a start-up algorithm that controls the repair
    /// determine cwnd? Then loss recovery does not change it.
    fn is_held(&self) -> bool {
        self.held_cwnd_bytes().is_some()
    }

    /// The cwnd that loss recovery does not change.
    fn held_cwnd_bytes(&self) -> Option<u64> {
        let fixed_bytes = self.fixed_rate.map(|fixed_rate| fixed_rate.cwnd_bytes);
        let held_bytes = fixed_bytes.or_else(|| {
            let control = self.control()?;
            Some(self.whole_segments(control.cwnd_bytes))
        });
        held_bytes.or_else(|| {
            let decision = self
                .decision()
                .filter(|decision| decision.is_reserved() || decision.is_repairing())?;
            Some(self.whole_segments(decision.cwnd_bytes))
        })
    }

    /// Restores a held cwnd, which loss recovery may have changed. Called before anything is sent
    /// or decided.
    pub fn restore_held_window(&mut self) {
        let Some(cwnd_bytes) = self.held_cwnd_bytes() else {
            return;
        };
        self.window.cwnd_bytes = cwnd_bytes;
        if !self.is_repairing() {
            self.window.ssthresh_bytes = UNLIMITED;
        }
    }

    /// How to pace; `None`: segments are not paced.
    pub fn pacing(&self) -> Option<Pacing> {
        self.fixed_rate
            .map(|fixed_rate| fixed_rate.pacing)
            .or_else(|| self.control().map(Pacing::of_control))
            .or_else(|| Pacing::of(self.decision()?, &self.window, self.resumed_bytes()))
            .or_else(|| self.pacing_of_avoidance())
    }

    /// The pacing of an avoidance that paces, after the start-up.
    fn pacing_of_avoidance(&self) -> Option<Pacing> {
        let rate = self.avoidance.pacing_bytes_per_s(&self.window);
        rate.filter(|_| !self.is_starting()).map(Pacing::one_by_one)
    }

    /// Does a mark that is reported now belong to the last reduction?
    pub fn ignores_mark(&self, now_ns: u64) -> bool {
        self.avoidance.ignores_mark(now_ns)
    }

    /// Does the avoidance reduce cwnd at once after a mark?
    pub fn reduces_at_once(&self) -> bool {
        self.avoidance.reduces_at_once()
    }

    /// Delivered since the latest segment that left while nothing was in flight.
    fn resumed_bytes(&self) -> u64 {
        self.delivered_bytes - self.resumed_at_bytes
    }

    /// What the avoidance decides, if it controls recovery and paces (BBR), and the start-up is
    /// over.
    fn control(&self) -> Option<Control> {
        self.avoidance
            .control()
            .filter(|_| self.fixed_rate.is_none() && !self.is_starting())
    }

    /// A segment is about to leave. `flight_is_empty`: nothing is outstanding. `inflight_bytes`:
    /// bytes in flight without it.
    pub fn sent(&mut self, now_ns: u64, flight_is_empty: bool, inflight_bytes: u64) {
        self.avoidance.sent(now_ns, flight_is_empty, inflight_bytes);
    }

    /// The application has nothing to send, although cwnd has room.
    pub fn starved(&mut self, inflight_bytes: u64) {
        self.avoidance.starved(inflight_bytes);
    }

    /// An acknowledgement has arrived, and losses are marked. Called before [`raise`](Self::raise).
    pub fn arrived(&mut self, arrival: &Arrival<'_>) {
        if self.is_starting() {
            self.avoidance.follow(self.window.cwnd_bytes);
        }
        self.avoidance.arrived(arrival);
    }

    /// Measures an acknowledgement. Called for each one, before cwnd changes.
    pub fn measure(&mut self, ack: &AckSample) {
        self.delivered_bytes += ack.delivered_bytes;
        self.acknowledged_bytes = ack.una;
        if let Some(startup) = &mut self.startup {
            startup.keep_memory(ack.now_ns);
        }
        self.avoidance.measure(&mut self.window, ack);
    }

    /// Raises cwnd for an acknowledgement.
    ///
    /// `is_recovering`: losses are being repaired. Then the call is needed only if
    /// [`reports_recovery`](Self::reports_recovery). Otherwise the acknowledgement must be of new
    /// data.
    pub fn raise(&mut self, ack: &AckSample, app_limited: bool, is_recovering: bool) {
        if self.fixed_rate.is_some() || self.control().is_some() {
            return;
        }
        if self.decision().is_some_and(core::Decision::is_retreating) {
            self.retreat(ack, app_limited, is_recovering);
        }
        let was_held = self.is_held();
        if is_recovering && !was_held {
            return;
        }
        self.restore_held_window();
        let counted_bytes = match self.is_repairing() {
            true => ack.delivered_bytes,
            false => self.counting.counted(ack.delivered_bytes, &self.window),
        };
        let (cwnd, ssthresh) = (self.window.cwnd_bytes, self.window.ssthresh_bytes);
        let (owns_cwnd, reports_ack) = self.decision().map_or((true, false), |decision| {
            (
                decision.host_owns_cwnd(cwnd, ssthresh),
                decision.host_reports_ack(cwnd, ssthresh, is_recovering),
            )
        });
        if reports_ack && !self.report_ack(ack, counted_bytes, app_limited, is_recovering) {
            return;
        }
        if !reports_ack {
            if let Some(startup) = &mut self.startup {
                startup.end_if_busy(self.delivered_bytes);
            }
        }
        if owns_cwnd {
            let counted = AckSample {
                delivered_bytes: counted_bytes,
                ..*ack
            };
            return self.avoidance.raise(&mut self.window, &counted);
        }
        self.apply_decision();
        if was_held && !self.is_held() && (is_recovering || !self.is_starting()) {
            // The end of a reservation, or of the algorithm's own repair, is a reduction, from
            // which a recovery continues.
            self.window.cwnd_bytes = self.window.cwnd_bytes.min(self.window.ssthresh_bytes);
            self.reduced_bytes = self.window.cwnd_bytes;
        }
        self.avoidance.follow(self.window.cwnd_bytes);
    }

    /// Lets the start-up algorithm change ssthresh during a recovery, or at its end.
    fn retreat(&mut self, ack: &AckSample, app_limited: bool, is_recovering: bool) {
        self.report_ack(ack, ack.delivered_bytes, app_limited, is_recovering);
        let min_bytes = 2 * u64::from(self.window.mss_bytes);
        if let Some(decision) = self.decision() {
            self.window.ssthresh_bytes = decision.ssthresh_bytes.max(min_bytes);
            self.reduced_bytes = self.window.ssthresh_bytes;
        }
    }

    /// Takes cwnd and ssthresh from the decision of the start-up algorithm.
    fn apply_decision(&mut self) {
        let Some(decision) = self.decision().copied() else {
            return;
        };
        let mss = u64::from(self.window.mss_bytes);
        self.window.cwnd_bytes = self.whole_segments(decision.cwnd_bytes);
        self.window.ssthresh_bytes = match decision.ssthresh_bytes {
            UNLIMITED => UNLIMITED,
            bytes => (bytes / mss).max(2) * mss,
        };
    }

    /// Rounds a window down to whole segments as the kernel does, but at least to one.
    fn whole_segments(&self, cwnd_bytes: u64) -> u64 {
        let mss = u64::from(self.window.mss_bytes);
        (cwnd_bytes / mss).max(1) * mss
    }
}
