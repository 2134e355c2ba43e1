//! The congestion control of one path without its QUIC library: which events reach the start-up,
//! and who owns cwnd. A library's adapter forwards the calls of the library.

mod avoidance;
mod cubic;
mod frame;
mod rise;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use avoidance::{methods_of_both_libraries, AckedPacket, Avoidance, CongestionEvent};

use crate::decision::{Decision, Status};
use crate::paths::Clock;
use crate::sender::{Acked, Cause, Congestion, Owner, Sender};
use cubic::Cubic;
use frame::Frame;
use onramp_core::EXIT_LOSS;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// A server may send three times what an unknown client has sent (RFC 9000, section 8.1), which is
/// one datagram at least. A fifth one shows that this is not only a handshake.
const HANDSHAKE_DATAGRAMS: u64 = 4;

/// What is called after each event that changed the decision of a start-up.
pub type Observer = dyn Fn(Instant, &Decision) + Send + Sync;

/// The control of a path: a start-up, and then the library's CUBIC.
#[derive(Clone)]
pub(crate) struct PathControl<A: Avoidance> {
    sender: Sender,
    /// Where congestion avoidance owns cwnd.
    cubic: Option<Cubic<A>>,
    /// W_max of CUBIC: cwnd before the last loss that the start-up has answered; 0 without one.
    w_max_bytes: u64,
    clock: Clock,
    mtu: u16,
    frame: Frame,
    rtt: Option<A::Rtt>,
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
    observed: onramp_core::Decision,
    observer: Option<Arc<Observer>>,
}

impl<A: Avoidance> PathControl<A> {
    pub fn new(
        sender: Sender,
        clock: Clock,
        mtu: u16,
        observer: Option<Arc<Observer>>,
    ) -> PathControl<A> {
        PathControl {
            sender,
            cubic: None,
            w_max_bytes: 0,
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
            observed: onramp_core::Decision::default(),
            observer,
        }
    }

    /// One or more packets leave.
    pub fn on_sent(&mut self, now: Instant, bytes: u64) {
        if self.started.is_none() {
            self.start_behind_handshake(now, bytes);
        }
        if self.started.is_some() && !self.sender.is_done() {
            self.sent_bytes += bytes;
            self.sender.on_sent(self.clock.ns(now), bytes);
        }
    }

    /// cwnd holds the sender back.
    #[cfg(feature = "noq")]
    pub fn on_cwnd_limited(&mut self) {
        self.limited_at_bytes = self.sent_bytes;
    }

    /// For a library that does not report when cwnd holds the sender back. Called behind the calls
    /// of [`PathControl::on_ack`] for a frame, with cwnd before them: was there no room in cwnd for
    /// a full datagram? `sent_bytes` does not serve here, because quinn does not report MTU probes
    /// that leave, only their ACKs.
    #[cfg(feature = "quinn")]
    pub fn infer_cwnd_limit(&mut self, inflight_bytes: u64, cwnd_bytes: u64) {
        let prior_inflight_bytes = inflight_bytes + self.frame.bytes();
        if prior_inflight_bytes + u64::from(self.mtu) >= cwnd_bytes {
            self.limited_at_bytes = self.settled_bytes + prior_inflight_bytes;
        }
    }

    /// A packet is acknowledged.
    pub fn on_ack(&mut self, packet: &AckedPacket, rtt: &A::Rtt) {
        if let Some(cubic) = &mut self.cubic {
            cubic.on_ack(packet, rtt);
            if self.sender.is_done() {
                return;
            }
        }
        if self.started.is_none_or(|started| packet.sent >= started) {
            self.frame.add(packet.sent, packet.bytes, packet.number);
            self.rtt = Some(*rtt);
        }
    }

    /// The number of a packet for a library that does not tell packet numbers: the time of sending,
    /// which packets of one burst share.
    #[cfg(feature = "quinn")]
    pub fn number_by_time(&self, sent: Instant) -> u64 {
        self.clock.ns(sent)
    }

    /// The number of the newest packet that [`PathControl::on_ack`] has reported for the frame.
    #[cfg(feature = "noq")]
    pub fn newest_acked(&self) -> Option<u64> {
        self.frame.newest().map(|(number, _)| number)
    }

    /// All packets of an ACK frame have been reported. `largest` is the largest packet number that
    /// is acknowledged now. The frame has an RTT sample only if `largest` rises.
    pub fn on_end_acks(
        &mut self,
        now: Instant,
        inflight_bytes: u64,
        is_app_limited: bool,
        largest: Option<u64>,
    ) {
        let (Some((_, newest_sent)), Some(rtt)) = (self.frame.newest(), &self.rtt) else {
            return;
        };
        let rtt_ns = self.frame.rtt_ns(self.clock, now, largest);
        let srtt_ns = match self.handshake_rtt_ns {
            0 => rtt_ns,
            _ => A::srtt(rtt).as_nanos() as u64,
        };
        if self.handshake_rtt_ns == 0 {
            self.handshake_rtt_ns = rtt_ns;
        }
        if self.started.is_some() {
            let is_cwnd_limited = self.limited_at_bytes > self.settled_bytes;
            self.settled_bytes += self.frame.bytes();
            if let Some(cubic) = &self.cubic {
                self.sender.follow_avoidance(cubic.cwnd_bytes());
            }
            self.sender.on_ack(&Acked {
                now_ns: self.clock.ns(now),
                newest_sent_ns: self.clock.ns(newest_sent),
                bytes: self.frame.bytes(),
                inflight_bytes,
                srtt_ns,
                rtt_ns: Some(rtt_ns).filter(|ns| *ns > 0),
                receiver_us: None,
                is_app_limited,
                is_cwnd_limited,
            });
            self.after_event(now);
        }
        self.frame.close(largest);
    }

    /// Packets are lost, the first of which has this number. A congestion event may follow.
    pub fn on_lost(&mut self, bytes: u64, number: u64) {
        if self.started.is_some() && !self.sender.is_done() {
            self.sender.count_lost(bytes);
            self.settled_bytes += bytes;
            self.first_lost = Some(self.first_lost.map_or(number, |first| first.min(number)));
        }
    }

    /// A congestion event, whose lost packets have been reported.
    pub fn on_congestion(&mut self, event: &CongestionEvent) {
        let first_lost = self.first_lost.take();
        let sent_ns = self.clock.ns(event.sent);
        let is_part_of_recovery = self.sender.is_of_recovery(sent_ns) && !event.is_persistent;
        if is_part_of_recovery && !self.sender.is_done() {
            return;
        }
        let mut cubic = self.cubic_before_loss(event.now);
        let cwnd_bytes = cubic.cwnd_bytes();
        cubic.on_congestion(event);
        if self.sender.is_done() {
            self.cubic = Some(cubic);
            return;
        }
        // As RFC 9438 has it (section 4.7): a loss below the last W_max means that another flow
        // needs room. A timeout forgets W_max.
        self.w_max_bytes = match cwnd_bytes {
            _ if event.is_persistent => 0,
            cwnd_bytes if cwnd_bytes < self.w_max_bytes => cwnd_bytes * 17 / 20,
            cwnd_bytes => cwnd_bytes,
        };
        let ssthresh_bytes = cubic.ssthresh_bytes();
        self.sender.on_congestion(&Congestion {
            now_ns: self.clock.ns(event.now),
            newest_sent_ns: sent_ns,
            lost_bytes: event.lost_bytes,
            acked_behind_bytes: first_lost.map_or(0, |first| self.frame.bytes_behind(first)),
            avoidance_ssthresh_bytes: ssthresh_bytes,
            cause: match (event.is_persistent, event.is_ecn) {
                (true, _) => Cause::PersistentCongestion,
                (false, true) => Cause::Mark,
                (false, false) => Cause::Loss,
            },
        });
        // CUBIC goes on from its own reduction, unless the start-up knows better.
        let is_its_own = self.sender.recorded_ssthresh_bytes() == ssthresh_bytes;
        let cwnd_bytes = self.sender.cwnd_bytes();
        self.cubic = Some(cubic).filter(|cubic| is_its_own && cubic.cwnd_bytes() == cwnd_bytes);
        self.after_event(event.now);
    }

    /// The start-up ends at a loss, or a mark, that BBR answers.
    pub fn end_at_loss(&mut self, now: Instant, is_persistent: bool) {
        self.sender.end_at_loss(is_persistent);
        self.after_event(now);
    }

    /// The start-up runs no more, or its avoidance owns cwnd.
    pub fn is_over(&self) -> bool {
        self.sender.owner() == Owner::Avoidance
    }

    /// The packets of the last congestion event have arrived after all.
    #[cfg(feature = "noq")]
    pub fn on_spurious_congestion(&mut self) {
        match &mut self.cubic {
            Some(cubic) => cubic.on_spurious_congestion(),
            None => self.sender.on_spurious_congestion(),
        }
    }

    pub fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.sender.set_mtu(mtu.into());
        if let Some(cubic) = &mut self.cubic {
            cubic.set_mtu(mtu);
        }
    }

    pub fn cwnd_bytes(&self) -> u64 {
        match &self.cubic {
            Some(cubic) => cubic.cwnd_bytes(),
            None => self.sender.cwnd_bytes(),
        }
    }

    pub fn ssthresh_bytes(&self) -> u64 {
        match &self.cubic {
            Some(cubic) => cubic.ssthresh_bytes(),
            None => self.sender.recorded_ssthresh_bytes(),
        }
    }

    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    pub fn status(&self) -> Status {
        self.sender.status()
    }

    /// Packets leave before the start. Starts with the first one behind the handshake: the RTT is
    /// known, or more is sent than a handshake has.
    fn start_behind_handshake(&mut self, now: Instant, bytes: u64) {
        self.handshake_bytes += bytes;
        let most_bytes = HANDSHAKE_DATAGRAMS * u64::from(self.mtu);
        if self.handshake_rtt_ns == 0 && self.handshake_bytes <= most_bytes {
            return;
        }
        let srtt_ns = Some(self.handshake_rtt_ns).filter(|ns| *ns > 0);
        self.sender.start(self.clock.ns(now), srtt_ns);
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
        let (Some(observer), Some(decision)) = (&self.observer, self.sender.record()) else {
            return;
        };
        let facts = |one: &onramp_core::Decision| (one.phase, one.exit, one.estimate_bytes_per_s);
        if facts(decision) != facts(&self.observed) {
            observer(now, &Decision::of(decision));
            self.observed = *decision;
        }
    }

    fn begin_avoidance(&mut self, now: Instant) {
        let (cwnd, ssthresh) = (
            self.sender.cwnd_bytes(),
            self.sender.recorded_ssthresh_bytes(),
        );
        let was_lost = self
            .sender
            .record()
            .is_some_and(|decision| decision.exit == EXIT_LOSS);
        self.cubic = Some(match (&self.rtt, was_lost && ssthresh <= cwnd) {
            (_, true) => Cubic::after_loss(now, self.mtu, cwnd, self.w_max_bytes),
            (Some(rtt), false) => Cubic::without_loss(now, self.mtu, cwnd, ssthresh, rtt),
            (None, false) => Cubic::in_slow_start(now, self.mtu, cwnd),
        });
    }

    /// CUBIC as it was before this event: with the cwnd of the start-up where that is the owner.
    fn cubic_before_loss(&mut self, now: Instant) -> Cubic<A> {
        match self.cubic.take() {
            Some(cubic) => {
                self.sender.follow_avoidance(cubic.cwnd_bytes());
                cubic
            }
            None => Cubic::in_slow_start(now, self.mtu, self.sender.cwnd_bytes()),
        }
    }
}

impl<A: Avoidance> fmt::Debug for PathControl<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PathControl")
            .field("sender", &self.sender)
            .field("cubic", &self.cubic)
            .finish_non_exhaustive()
    }
}
