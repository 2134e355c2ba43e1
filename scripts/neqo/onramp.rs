// SPDX-License-Identifier: MIT OR Apache-2.0
//! Onramp's start-up as a slow start of neqo: neqo's events become those of [`Sender`], and neqo's
//! cwnd and ssthresh become those that the start-up has decided.
//!
//! `scripts/neqo/edits.py` puts this file into neqo's folder `cc`, as a module of `classic_cc.rs`,
//! and adds the calls of [`ClassicCongestionController::report`].
//!
//! | neqo | what the start-up is told |
//! |---|---|
//! | a packet leaves | the start, behind the handshake; bytes in flight |
//! | an ACK frame | the sum of its packets |
//! | lost packets | their bytes |
//! | a congestion event | the ssthresh that neqo's CUBIC has chosen |
//! | persistent congestion | the same |
//! | a spurious congestion event | the same |
//!
//! neqo detects the losses that an ACK frame shows before it reports the frame. So no bytes of the
//! frame are acknowledged yet when its losses are reported.
//!
//! neqo does not report that cwnd held the sender back. It is inferred: there was no room for a
//! datagram in cwnd.

use std::{
    fmt::{self, Display, Formatter},
    time::{Duration, Instant},
};

use onramp_quic::{Acked, Cause, Congestion, Owner, Pacing, Sender, Settings, Startup};

use super::{ClassicCongestionController, Phase, SlowStart};
use crate::{
    cc::CongestionTrigger, packet, recovery::sent, rtt::RttEstimate, stats::CongestionControlStats,
};

/// More datagrams than these are not only a handshake (RFC 9000, section 8.1).
const HANDSHAKE_DATAGRAMS: usize = 4;

/// What neqo's pacer multiplies cwnd / RTT with (`Pacer::SPEEDUP`).
const PACER_SPEEDUP: u64 = 2;

/// A window for which neqo's pacer holds nothing back.
const UNPACED_BYTES: usize = 1 << 40;

/// What a slow start is told.
#[derive(Debug)]
pub enum Event<'a> {
    Sent(&'a sent::Packet),
    /// An ACK frame newly acknowledges these packets, the newest first.
    Acked {
        packets: &'a [sent::Packet],
        rtt: &'a RttEstimate,
        is_app_limited: bool,
        now: Instant,
    },
    Lost(&'a [sent::Packet]),
    /// neqo's congestion control has reduced cwnd from these bytes.
    Congestion {
        newest: &'a sent::Packet,
        trigger: CongestionTrigger,
        reduced_from_bytes: usize,
        now: Instant,
    },
    PersistentCongestion(Instant),
    Spurious,
}

/// neqo's state at an event.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    pub cwnd_bytes: usize,
    pub inflight_bytes: usize,
    pub mtu: usize,
}

/// What a slow start decides that controls cwnd by itself.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub cwnd_bytes: usize,
    pub ssthresh_bytes: Option<usize>,
    /// Congestion avoidance goes on from here.
    pub is_over: bool,
}

impl<S: SlowStart, T> ClassicCongestionController<S, T> {
    /// Reports an event to the slow start, and carries out what it decides. Returns true if the
    /// slow start controls cwnd.
    pub(super) fn report(&mut self, event: &Event) -> bool {
        let host = Host {
            cwnd_bytes: self.current.congestion_window,
            inflight_bytes: self.bytes_in_flight,
            mtu: self.max_datagram_size(),
        };
        let Some(window) = self.slow_start.on_event(event, host) else {
            return false;
        };
        self.current.congestion_window = window.cwnd_bytes;
        self.current.ssthresh = window.ssthresh_bytes;
        let is_avoidance = window
            .ssthresh_bytes
            .is_some_and(|ssthresh_bytes| ssthresh_bytes <= window.cwnd_bytes);
        if window.is_over && is_avoidance && self.current.phase.in_slow_start() {
            self.current.phase = Phase::CongestionAvoidance;
        }
        !window.is_over
    }

    /// The window by which neqo's pacer paces.
    pub(super) fn pacer_window(&self, rtt: Duration) -> usize {
        self.slow_start
            .pacer_window(rtt)
            .unwrap_or(self.current.congestion_window)
    }
}

/// The start-up of a path.
#[derive(Debug)]
pub struct Onramp {
    sender: Sender,
    /// The start-up sets the pacing rate too. Otherwise neqo's pacer does as ever.
    sets_rate: bool,
    mtu: usize,
    /// The clock of the start-up begins here.
    begin: Option<Instant>,
    /// When the first packet behind the handshake left.
    started: Option<Instant>,
    handshake_bytes: usize,
    handshake_rtt: Option<Duration>,
    /// The start-up controlled cwnd after the last event.
    owns_cwnd: bool,
    largest_acked: Option<packet::Number>,
    /// Bytes acknowledged or lost since the start.
    settled_bytes: u64,
    /// Bytes sent since the start when cwnd last held the sender back.
    limited_at_bytes: u64,
    /// Bytes of the packets that were reported lost last.
    lost_bytes: u64,
}

impl Onramp {
    pub fn new(mtu: usize, sets_rate: bool) -> Self {
        Self {
            sender: Sender::new(Settings::new(Startup::Onramp), bytes(mtu)),
            sets_rate,
            mtu,
            begin: None,
            started: None,
            handshake_bytes: 0,
            handshake_rtt: None,
            owns_cwnd: false,
            largest_acked: None,
            settled_bytes: 0,
            limited_at_bytes: 0,
            lost_bytes: 0,
        }
    }

    /// The time on the clock of the start-up, for which 0 is never.
    fn ns(&self, at: Instant) -> u64 {
        let since = self
            .begin
            .map_or(Duration::ZERO, |begin| at.saturating_duration_since(begin));
        u64::try_from(since.as_nanos()).map_or(u64::MAX, |ns| ns + 1)
    }

    /// Starts with the first large packet behind the handshake: its RTT is known, or more is sent
    /// than a handshake has. neqo ends the handshake with a small packet, whose ACK the peer holds
    /// back for up to a quarter of the RTT.
    fn on_sent(&mut self, packet: &sent::Packet, cwnd_bytes: usize) {
        self.begin.get_or_insert(packet.time_sent());
        if packet.packet_type() != packet::Type::Short {
            return;
        }
        let now_ns = self.ns(packet.time_sent());
        if self.started.is_none() {
            self.handshake_bytes += packet.len();
            let is_behind_handshake = self.handshake_rtt.is_some()
                || self.handshake_bytes > HANDSHAKE_DATAGRAMS * self.mtu;
            if !is_behind_handshake || packet.len() < self.mtu / 2 {
                return;
            }
            self.started = Some(packet.time_sent());
            self.owns_cwnd = true;
            self.sender.follow_avoidance(bytes(cwnd_bytes));
            self.sender
                .start(now_ns, self.handshake_rtt.map(nanoseconds));
        }
        self.sender.on_sent(now_ns, bytes(packet.len()));
    }

    fn on_acked(
        &mut self,
        packets: &[sent::Packet],
        rtt: &RttEstimate,
        is_app_limited: bool,
        now: Instant,
        host: Host,
    ) {
        let Some(started) = self.started else {
            self.handshake_rtt = Some(rtt.estimate());
            return;
        };
        let ours = || {
            packets.iter().filter(|packet| {
                packet.packet_type() == packet::Type::Short
                    && packet.cc_outstanding()
                    && packet.time_sent() >= started
            })
        };
        let Some(newest) = ours().next() else {
            return;
        };
        let acked_bytes = bytes(ours().map(sent::Packet::len).sum());
        let inflight_bytes = bytes(host.inflight_bytes);
        let prior_inflight_bytes = inflight_bytes + acked_bytes;
        if prior_inflight_bytes + bytes(self.mtu) >= bytes(host.cwnd_bytes) {
            self.limited_at_bytes = self.settled_bytes + prior_inflight_bytes;
        }
        let mut acked = Acked::default();
        acked.now_ns = self.ns(now);
        acked.newest_sent_ns = self.ns(newest.time_sent());
        acked.bytes = acked_bytes;
        acked.inflight_bytes = inflight_bytes;
        acked.srtt_ns = nanoseconds(rtt.estimate());
        acked.rtt_ns = (Some(newest.pn()) > self.largest_acked)
            .then(|| nanoseconds(now.saturating_duration_since(newest.time_sent())).max(1));
        acked.is_app_limited = is_app_limited;
        acked.is_cwnd_limited = self.limited_at_bytes > self.settled_bytes;
        self.largest_acked = self.largest_acked.max(Some(newest.pn()));
        self.settled_bytes += acked_bytes;
        self.sender.on_ack(&acked);
    }

    fn on_lost(&mut self, packets: &[sent::Packet]) {
        let Some(started) = self.started else {
            return;
        };
        let lost = packets.iter().filter(|packet| {
            packet.packet_type() == packet::Type::Short
                && packet.cc_in_flight()
                && !packet.is_pmtud_probe()
                && packet.time_sent() >= started
        });
        self.lost_bytes = bytes(lost.map(sent::Packet::len).sum());
        self.settled_bytes += self.lost_bytes;
        self.sender.count_lost(self.lost_bytes);
    }

    fn on_congestion(&mut self, cause: Cause, newest_sent_ns: u64, now: Instant, host: Host) {
        let mut event = Congestion::default();
        event.now_ns = self.ns(now);
        event.newest_sent_ns = newest_sent_ns;
        event.avoidance_ssthresh_bytes = bytes(host.cwnd_bytes);
        if cause == Cause::Loss {
            event.lost_bytes = self.lost_bytes;
        }
        event.cause = cause;
        self.sender.on_congestion(&event);
    }
}

impl SlowStart for Onramp {
    fn on_event(&mut self, event: &Event, host: Host) -> Option<Window> {
        if self.sender.is_done() {
            return None;
        }
        if self.mtu != host.mtu {
            self.mtu = host.mtu;
            self.sender.set_mtu(bytes(host.mtu));
        }
        if self.started.is_some() && !self.owns_cwnd {
            let cwnd_bytes = match event {
                Event::Congestion {
                    reduced_from_bytes, ..
                } => *reduced_from_bytes,
                _ => host.cwnd_bytes,
            };
            self.sender.follow_avoidance(bytes(cwnd_bytes));
        }
        match event {
            Event::Sent(packet) => self.on_sent(packet, host.cwnd_bytes),
            Event::Acked {
                packets,
                rtt,
                is_app_limited,
                now,
            } => self.on_acked(packets, rtt, *is_app_limited, *now, host),
            Event::Lost(packets) => self.on_lost(packets),
            Event::Congestion {
                newest,
                trigger,
                now,
                ..
            } => {
                let cause = match trigger {
                    CongestionTrigger::Loss(_) => Cause::Loss,
                    CongestionTrigger::Ecn => Cause::Mark,
                };
                self.on_congestion(cause, self.ns(newest.time_sent()), *now, host);
            }
            Event::PersistentCongestion(now) => {
                self.on_congestion(Cause::PersistentCongestion, self.ns(*now), *now, host);
            }
            Event::Spurious => self.sender.on_spurious_congestion(),
        }
        let owned_cwnd = self.owns_cwnd;
        self.owns_cwnd = self.started.is_some() && self.sender.owner() == Owner::Startup;
        (owned_cwnd || self.owns_cwnd).then(|| Window {
            cwnd_bytes: host_bytes(self.sender.cwnd_bytes()),
            ssthresh_bytes: self.sender.ssthresh_bytes().map(host_bytes),
            is_over: !self.owns_cwnd,
        })
    }

    fn pacer_window(&self, rtt: Duration) -> Option<usize> {
        if !self.sets_rate || self.started.is_none() || self.sender.is_done() {
            return None;
        }
        match self.sender.pacing() {
            Pacing::None => Some(UNPACED_BYTES),
            Pacing::BytesPerS(rate) => {
                let per_rtt = u128::from(rate) * rtt.as_nanos() / 1_000_000_000;
                let window = u64::try_from(per_rtt).unwrap_or(u64::MAX) / PACER_SPEEDUP;
                Some(host_bytes(window).clamp(1, UNPACED_BYTES))
            }
            _ => None,
        }
    }

    /// Where the start-up does not control cwnd, slow start is that of RFC 9002.
    fn on_packets_acked(
        &mut self,
        _rtt_est: &RttEstimate,
        _largest_acked: packet::Number,
        _curr_cwnd: usize,
        _cc_stats: &mut CongestionControlStats,
        _now: Instant,
    ) -> Option<usize> {
        None
    }
}

impl Display for Onramp {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "Onramp")
    }
}

fn bytes(host: usize) -> u64 {
    host.try_into().expect("a usize has at most 64 bits")
}

fn host_bytes(bytes: u64) -> usize {
    bytes.try_into().unwrap_or(usize::MAX)
}

fn nanoseconds(duration: Duration) -> u64 {
    duration.as_nanos().try_into().unwrap_or(u64::MAX)
}
