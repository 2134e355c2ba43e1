//! The congestion controller of one path.

use super::avoidance;
use super::config::Observer;
use super::frame::Frame;
use crate::paths::Clock;
use crate::sender::{Acked, Cause, Congestion, Owner, Pacing, Sender};
use noq_proto::congestion::{Controller, ControllerMetrics, Cubic};
use noq_proto::RttEstimator;
use onramp_core::{Decision, EXIT_LOSS, UNLIMITED};
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// The rate that stands for "not paced": noq's pacer takes a rate, or makes one from cwnd. At
/// higher rates it would ask for delays that round to zero, and its driver would spin.
const UNPACED_BYTES_PER_S: u64 = 1 << 30;
/// A server may send three times what an unknown client has sent (RFC 9000, section 8.1), which is
/// one datagram at least. A fifth one shows that this is not only a handshake.
const HANDSHAKE_DATAGRAMS: u64 = 4;

/// The state of a start-up, for people and statistics.
#[derive(Clone, Debug)]
pub struct Status {
    /// The last decision; `None` before the start.
    pub decision: Option<Decision>,
    /// The BDP in bytes that the path memory gave to the start-up; 0: none.
    pub remembered_bytes: u64,
}

/// The state of the start-up of a path, from `Connection::congestion_state()`; `None` if the path
/// has another controller.
pub fn status(controller: &dyn Controller) -> Option<Status> {
    let any = controller.clone_box().into_any();
    let startup = any.downcast::<Startup>().ok()?;
    Some(Status {
        decision: startup.sender.decision().copied(),
        remembered_bytes: startup.sender.remembered_bytes(),
    })
}

/// The controller of a path: a start-up, and then noq's CUBIC.
#[derive(Clone)]
pub(super) struct Startup {
    sender: Sender,
    /// Where congestion avoidance owns cwnd.
    cubic: Option<Cubic>,
    clock: Clock,
    mtu: u16,
    frame: Frame,
    rtt: Option<RttEstimator>,
    /// When the start-up started. Packets sent before belong to the handshake.
    started: Option<Instant>,
    /// The RTT of the handshake; 0: none so far.
    handshake_rtt_ns: u64,
    handshake_bytes: u64,
    /// Bytes sent since the start.
    sent_bytes: u64,
    /// Bytes acknowledged or lost since the start.
    settled_bytes: u64,
    /// `sent_bytes` when cwnd last held the sender back.
    limited_at_bytes: u64,
    /// The first packet that was lost since the last congestion event.
    first_lost: Option<u64>,
    /// The decision that the observer knows.
    observed: Decision,
    observer: Option<Arc<Observer>>,
}

impl Startup {
    pub fn new(sender: Sender, clock: Clock, mtu: u16, observer: Option<Arc<Observer>>) -> Startup {
        Startup {
            sender,
            cubic: None,
            clock,
            mtu,
            frame: Frame::default(),
            rtt: None,
            started: None,
            handshake_rtt_ns: 0,
            handshake_bytes: 0,
            sent_bytes: 0,
            settled_bytes: 0,
            limited_at_bytes: 0,
            first_lost: None,
            observed: Decision::default(),
            observer,
        }
    }

    /// A packet leaves before the start. Starts with the first one behind the handshake: the RTT is
    /// known, or more is sent than a handshake has.
    fn start_behind_handshake(&mut self, now: Instant, bytes: u64) {
        self.handshake_bytes += bytes;
        let most_bytes = HANDSHAKE_DATAGRAMS * u64::from(self.mtu);
        if self.handshake_rtt_ns == 0 && self.handshake_bytes <= most_bytes {
            return;
        }
        self.sender.start(self.clock.ns(now), self.handshake_rtt_ns);
        self.started = Some(now);
        self.frame = Frame::default();
        self.after_event(now);
    }

    /// Gives cwnd to its owner after an event that was reported to the start-up.
    fn after_event(&mut self, now: Instant) {
        match (self.sender.owner(), &self.cubic) {
            (Owner::Startup, Some(_)) => self.cubic = None,
            (Owner::Avoidance, None) => self.begin_avoidance(now),
            _ => {}
        }
        let (Some(observer), Some(decision)) = (&self.observer, self.sender.decision()) else {
            return;
        };
        let facts = |one: &Decision| (one.phase, one.exit, one.estimate_bytes_per_s);
        if facts(decision) != facts(&self.observed) {
            observer(now, decision);
            self.observed = *decision;
        }
    }

    fn begin_avoidance(&mut self, now: Instant) {
        let (cwnd, ssthresh) = (self.sender.cwnd_bytes(), self.sender.ssthresh_bytes());
        let was_lost = self
            .sender
            .decision()
            .is_some_and(|decision| decision.exit == EXIT_LOSS);
        self.cubic = Some(match (&self.rtt, was_lost && ssthresh <= cwnd) {
            (_, true) => avoidance::after_loss(now, self.mtu, cwnd),
            (Some(rtt), false) => avoidance::without_loss(now, self.mtu, cwnd, ssthresh, rtt),
            (None, false) => avoidance::in_slow_start(now, self.mtu, cwnd),
        });
    }

    /// CUBIC as it was before this event: with the cwnd of the start-up where that is the owner.
    fn cubic_before_loss(&mut self, now: Instant) -> Cubic {
        match self.cubic.take() {
            Some(cubic) => {
                self.sender.follow_avoidance(cubic.window());
                cubic
            }
            None => avoidance::in_slow_start(now, self.mtu, self.sender.cwnd_bytes()),
        }
    }
}

impl Controller for Startup {
    fn on_packet_sent(&mut self, now: Instant, bytes: u16, _pn: u64) {
        if self.started.is_none() {
            self.start_behind_handshake(now, bytes.into());
        }
        if self.started.is_some() && !self.sender.is_done() {
            self.sent_bytes += u64::from(bytes);
            self.sender.on_sent(self.clock.ns(now), bytes.into());
        }
    }

    fn on_cwnd_limited(&mut self) {
        self.limited_at_bytes = self.sent_bytes;
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
        if let Some(cubic) = &mut self.cubic {
            cubic.on_ack(now, sent, bytes, pn, app_limited, rtt);
            if self.sender.is_done() {
                return;
            }
        }
        if self.started.is_none_or(|started| sent >= started) {
            self.frame.add(sent, bytes, pn);
            self.rtt = Some(*rtt);
        }
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        app_limited: bool,
        _largest_packet_num_acked: Option<u64>,
    ) {
        let (Some(newest_sent), Some(rtt)) = (self.frame.newest_sent(), &self.rtt) else {
            return;
        };
        let rtt_ns = self.frame.rtt_ns(self.clock, now);
        let srtt_ns = match self.handshake_rtt_ns {
            0 => rtt_ns,
            _ => rtt.get().as_nanos() as u64,
        };
        if self.handshake_rtt_ns == 0 {
            self.handshake_rtt_ns = rtt_ns;
        }
        if self.started.is_some() {
            let is_cwnd_limited = self.limited_at_bytes > self.settled_bytes;
            self.settled_bytes += self.frame.bytes();
            if let Some(cubic) = &self.cubic {
                self.sender.follow_avoidance(cubic.window());
            }
            self.sender.on_ack(&Acked {
                now_ns: self.clock.ns(now),
                newest_sent_ns: self.clock.ns(newest_sent),
                bytes: self.frame.bytes(),
                inflight_bytes: in_flight,
                srtt_ns,
                rtt_ns,
                receiver_us: 0,
                is_app_limited: app_limited,
                is_cwnd_limited,
            });
            self.after_event(now);
        }
        self.frame.close();
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, pn: u64, _now: Instant) {
        if self.started.is_some() && !self.sender.is_done() {
            self.sender.count_lost(lost_bytes.into());
            self.settled_bytes += u64::from(lost_bytes);
            self.first_lost = Some(self.first_lost.map_or(pn, |first| first.min(pn)));
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
        let first_lost = self.first_lost.take();
        let sent_ns = self.clock.ns(sent);
        let is_part_of_recovery = self.sender.is_of_recovery(sent_ns) && !is_persistent_congestion;
        if is_part_of_recovery && !self.sender.is_done() {
            return;
        }
        let mut cubic = self.cubic_before_loss(now);
        cubic.on_congestion_event(
            now,
            sent,
            is_persistent_congestion,
            is_ecn,
            lost_bytes,
            largest_lost_pn,
        );
        if self.sender.is_done() {
            self.cubic = Some(cubic);
            return;
        }
        let ssthresh_bytes = cubic.metrics().ssthresh.unwrap_or(UNLIMITED);
        self.sender.on_congestion(&Congestion {
            now_ns: self.clock.ns(now),
            newest_sent_ns: sent_ns,
            lost_bytes,
            acked_behind_bytes: first_lost.map_or(0, |first| self.frame.bytes_behind(first)),
            avoidance_ssthresh_bytes: ssthresh_bytes,
            cause: match (is_persistent_congestion, is_ecn) {
                (true, _) => Cause::PersistentCongestion,
                (false, true) => Cause::Mark,
                (false, false) => Cause::Loss,
            },
        });
        // CUBIC goes on from its own reduction, unless the start-up knows better.
        let is_its_own = self.sender.ssthresh_bytes() == ssthresh_bytes;
        self.cubic =
            Some(cubic).filter(|cubic| is_its_own && cubic.window() == self.sender.cwnd_bytes());
        self.after_event(now);
    }

    fn on_spurious_congestion_event(&mut self) {
        if let Some(cubic) = &mut self.cubic {
            cubic.on_spurious_congestion_event();
        } else {
            self.sender.on_spurious_congestion();
        }
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.mtu = new_mtu;
        self.sender.set_mtu(new_mtu.into());
        if let Some(cubic) = &mut self.cubic {
            cubic.on_mtu_update(new_mtu);
        }
    }

    fn window(&self) -> u64 {
        match &self.cubic {
            Some(cubic) => cubic.window(),
            None => self.sender.cwnd_bytes(),
        }
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.window();
        metrics.ssthresh = match &self.cubic {
            Some(cubic) => cubic.metrics().ssthresh,
            None => Some(self.sender.ssthresh_bytes()),
        };
        metrics.pacing_rate = match self.sender.pacing() {
            Pacing::None => Some(UNPACED_BYTES_PER_S),
            Pacing::BytesPerS(rate) => Some(rate),
            Pacing::Host => None,
        };
        let estimate = self
            .sender
            .decision()
            .map(|decision| decision.estimate_bytes_per_s);
        metrics.bandwidth_estimate = estimate
            .filter(|bytes_per_s| *bytes_per_s > 0)
            .map(|bytes_per_s| bytes_per_s.saturating_mul(8));
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.sender.initial_window_bytes()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl fmt::Debug for Startup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Startup")
            .field("sender", &self.sender)
            .field("cubic", &self.cubic)
            .finish_non_exhaustive()
    }
}
