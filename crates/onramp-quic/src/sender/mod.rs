//! The congestion control of one path of a QUIC connection, while a start-up controls it.
//!
//! `core/host.h` says who owns cwnd, ssthresh and pacing in each phase. This module carries it out
//! for a sender whose loss recovery is that of RFC 9002:
//!
//! | TCP, as `core/host.h` has it | QUIC |
//! |---|---|
//! | one record for each ACK | one for each ACK frame: the sum of its packets |
//! | recovery ends when the flight of the loss is acknowledged | with a later packet |
//! | recovery leads cwnd to ssthresh | cwnd is ssthresh at once |
//! | RTO | persistent congestion: cwnd falls to two datagrams |
//! | cumulatively acknowledged | acknowledged before the first loss of the frame |
//! | the receiver's window | unknown |

mod pace;
mod records;
mod recovery;

#[cfg(test)]
mod pacing_host;
#[cfg(test)]
mod tests;

pub use records::{Acked, Cause, Congestion, Owner, Pacing};

use crate::decision::{self, Decision, Status};
use crate::settings::{initial_window_bytes, Settings};
use onramp_core::{
    Ack, Clock, HostedStartup, Start, Startup, ACK_APP_LIMITED, ACK_CWND_LIMITED, ACK_RECOVERING,
    OPTION_TIMESTAMPS, UNLIMITED,
};

/// cwnd after persistent congestion, in datagrams (RFC 9002, section 7.2).
const MIN_WINDOW_DATAGRAMS: u64 = 2;

/// The congestion control of one path of a QUIC connection, while a start-up controls it.
#[derive(Clone, Debug)]
pub struct Sender {
    settings: Settings,
    startup: Option<HostedStartup>,
    mss_bytes: u64,
    /// The MSS in the records of the start-up. A new one voids the flight that is being measured,
    /// so it waits until a round trip leaves nothing in flight.
    recorded_mss_bytes: u64,
    initial_window_bytes: u64,
    cwnd_bytes: u64,
    ssthresh_bytes: u64,
    srtt_ns: u64,
    delivered_bytes: u64,
    lost_bytes: u64,
    inflight_bytes: u64,
    /// When the last packet left or was acknowledged; 0: never.
    last_event_ns: u64,
    /// The most that was in flight in this round trip.
    max_inflight_bytes: u64,
    /// `delivered_bytes` at the end of this round trip.
    round_end_bytes: u64,
    /// When the last reduction happened. Packets sent until then belong to the recovery.
    recovery_start_ns: Option<u64>,
    /// Packets that were sent after the last reduction have not been acknowledged yet, or in
    /// [`recovery::ACKS_OF_REPAIR`] frames only.
    is_recovering: bool,
    /// ACK frames of packets that were sent after the last reduction, while it is recovering.
    acks_beyond_recovery: u32,
    /// cwnd and ssthresh before the last reduction, which a spurious loss restores.
    prior: Option<(u64, u64)>,
    /// The first time of the receiver's clock, in microseconds; `None`: there is no such clock.
    receiver_begin_us: Option<u64>,
    /// What an earlier connection has measured: the BDP in bytes and the minimum RTT.
    remembered: Option<(u64, u64)>,
    /// Nothing was in flight when the last packets were sent, and this much of cwnd has left since.
    is_restarting: bool,
    /// What may still leave at once, before the rate of the start-up paces.
    unpaced_bytes: u64,
}

impl Sender {
    /// A sender that has not started: its window is the initial window. `mtu_bytes` is the size of
    /// a full datagram.
    pub fn new(settings: Settings, mtu_bytes: u64) -> Sender {
        let initial_window_bytes = settings
            .initial_window_bytes
            .unwrap_or_else(|| initial_window_bytes(mtu_bytes));
        Sender {
            settings,
            startup: None,
            mss_bytes: mtu_bytes,
            recorded_mss_bytes: mtu_bytes,
            initial_window_bytes,
            cwnd_bytes: initial_window_bytes,
            ssthresh_bytes: UNLIMITED,
            srtt_ns: 0,
            delivered_bytes: 0,
            lost_bytes: 0,
            inflight_bytes: 0,
            last_event_ns: 0,
            max_inflight_bytes: 0,
            round_end_bytes: 0,
            recovery_start_ns: None,
            is_recovering: false,
            acks_beyond_recovery: 0,
            prior: None,
            receiver_begin_us: None,
            remembered: None,
            is_restarting: false,
            unpaced_bytes: 0,
        }
    }

    /// The receiver reports when packets arrived ([`Acked::receiver_us`]), as with QUIC timestamps
    /// (draft-huitema-quic-ts). `receiver_us` is the time of that clock now, estimated. Called
    /// before the start.
    ///
    /// The return path then spoils no rate: a start-up that uses TCP's timestamps uses this clock.
    pub fn use_receiver_clock(&mut self, receiver_us: u64) {
        self.receiver_begin_us = Some(receiver_us);
    }

    /// An earlier connection has measured this BDP, with this minimum RTT. For a host with a memory
    /// of its own, in place of [`Settings::path`]. Called before the start.
    pub fn remember(&mut self, bdp_bytes: u64, min_rtt_ns: u64) {
        self.remembered = Some((bdp_bytes, min_rtt_ns));
    }

    /// Starts the start-up: the handshake is over, and data is about to leave. `srtt_ns` is the RTT
    /// of the handshake, if it is known.
    pub fn start(&mut self, now_ns: u64, srtt_ns: Option<u64>) {
        let srtt_ns = srtt_ns.unwrap_or(0);
        self.recorded_mss_bytes = self.mss_bytes;
        let clock_option = self.receiver_begin_us.map_or(0, |_| OPTION_TIMESTAMPS);
        let (remembered_bytes, remembered_rtt_ns) = self.remembered.unwrap_or_default();
        let start = Start {
            now_ns,
            clock: Clock {
                measure_ns: 1,
                event_ns: 1,
            },
            cwnd_bytes: self.cwnd_bytes,
            ssthresh_bytes: self.ssthresh_bytes,
            mss_bytes: self.recorded_mss_u32(),
            options: self.settings.quic_options() | clock_option,
            srtt_ns,
            pace_bytes_per_s: self.settings.pace_bytes_per_s.unwrap_or(0),
            tsval: tsval(self.receiver_begin_us.unwrap_or_default()),
            remembered_bytes,
            remembered_rtt_ns,
            initial_bytes_per_s: self.settings.initial_rate.bytes_per_s(),
            variant: self.settings.variant,
            ..Start::default()
        };
        let (memory, ensembles) = self.settings.known();
        self.srtt_ns = srtt_ns;
        let startup = Startup::with(self.settings.startup, self.settings.parameters)
            .expect("settings have a start-up of the registry");
        self.startup = Some(HostedStartup::begin(
            startup, now_ns, start, memory, ensembles,
        ));
        self.apply_decision();
        let decision = self.record().filter(|decision| !decision.is_reserved());
        self.unpaced_bytes = decision.map_or(0, |decision| decision.burst_bytes.into());
    }

    /// The start-up has started.
    pub fn has_started(&self) -> bool {
        self.startup.is_some()
    }

    /// Reports an ACK frame.
    pub fn on_ack(&mut self, acked: &Acked) {
        let prior_inflight_bytes = acked.inflight_bytes + acked.bytes;
        let no_flight_is_measured = self.delivered_bytes == self.round_end_bytes;
        if no_flight_is_measured {
            self.recorded_mss_bytes = self.mss_bytes;
        }
        self.delivered_bytes += acked.bytes;
        self.inflight_bytes = acked.inflight_bytes;
        self.last_event_ns = acked.now_ns;
        self.is_restarting &= acked.bytes == 0;
        self.srtt_ns = acked.srtt_ns;
        self.continue_recovery(acked.newest_sent_ns);
        self.max_inflight_bytes = self.max_inflight_bytes.max(prior_inflight_bytes);
        let is_cwnd_limited = acked.is_cwnd_limited || self.cwnd_was_half_used();
        if self.delivered_bytes >= self.round_end_bytes {
            self.round_end_bytes = self.delivered_bytes + acked.inflight_bytes;
            self.max_inflight_bytes = prior_inflight_bytes;
        }
        let mss_bytes = self.recorded_mss_u32();
        let Some(startup) = &mut self.startup else {
            return;
        };
        startup.keep_memory(acked.now_ns);
        let decision = *startup.decision();
        if !decision.host_reports_ack(self.cwnd_bytes, self.ssthresh_bytes, self.is_recovering) {
            return;
        }
        let flags = [
            (is_cwnd_limited, ACK_CWND_LIMITED),
            (acked.is_app_limited, ACK_APP_LIMITED),
            (self.is_recovering, ACK_RECOVERING),
        ];
        let ack = Ack {
            now_ns: acked.now_ns,
            acked_bytes: acked.bytes,
            delivered_bytes: self.delivered_bytes,
            lost_bytes: self.lost_bytes,
            inflight_bytes: acked.inflight_bytes,
            srtt_ns: acked.srtt_ns,
            rtt_ns: acked.rtt_ns.unwrap_or(0),
            cwnd_bytes: self.cwnd_bytes,
            ssthresh_bytes: self.ssthresh_bytes,
            tsval: match (self.receiver_begin_us, acked.receiver_us) {
                (None, _) => 0,
                // A time before the first one is unknown.
                (Some(begin_us), None) => tsval(begin_us.wrapping_sub(1)),
                (Some(_), Some(receiver_us)) => tsval(receiver_us),
            },
            siblings: startup.count_siblings(acked.now_ns),
            mss_bytes,
            flags: flags
                .iter()
                .filter(|(is_set, _)| *is_set)
                .fold(0, |all, (_, flag)| all | flag),
            ..Ack::default()
        };
        let avoidance_owns = decision.host_owns_cwnd(self.cwnd_bytes, self.ssthresh_bytes);
        if startup.report_ack(acked.now_ns, &ack) && !avoidance_owns {
            self.apply_decision();
        }
    }

    /// Sets the bytes in flight, for a host that does not report each packet that leaves.
    pub fn set_inflight(&mut self, bytes: u64) {
        self.inflight_bytes = bytes;
    }

    /// The size of a full datagram has changed. The start-up learns of it when no flight is
    /// measured.
    pub fn set_mtu(&mut self, mtu_bytes: u64) {
        self.mss_bytes = mtu_bytes;
        self.cwnd_bytes = self.cwnd_bytes.max(self.min_window_bytes());
    }

    /// The same, and the start-up learns of it with the next ACK frame. The flight that is being
    /// measured is void. Two more of picoquic's tests pass so: its MTU is known early, and an old
    /// MSS is too small to leave out a flight's last segment, whose ACK is late.
    #[cfg(feature = "c")]
    pub(crate) fn set_mtu_at_once(&mut self, mtu_bytes: u64) {
        self.set_mtu(mtu_bytes);
        self.recorded_mss_bytes = mtu_bytes;
    }

    /// cwnd and ssthresh of the host's congestion avoidance, where it is the [owner](Self::owner).
    /// Called before events are reported.
    pub fn follow_avoidance(&mut self, cwnd_bytes: u64) {
        self.cwnd_bytes = cwnd_bytes;
    }

    /// Who controls cwnd.
    pub fn owner(&self) -> Owner {
        let owns = |decision: &onramp_core::Decision| {
            decision.host_owns_cwnd(self.cwnd_bytes, self.ssthresh_bytes)
        };
        match self.record().is_some_and(owns) {
            true => Owner::Avoidance,
            false => Owner::Startup,
        }
    }

    /// The congestion window.
    pub fn cwnd_bytes(&self) -> u64 {
        self.cwnd_bytes
    }

    /// The slow-start threshold; `None`: there is none.
    pub fn ssthresh_bytes(&self) -> Option<u64> {
        decision::limited(self.ssthresh_bytes)
    }

    /// The same; [`UNLIMITED`] if there is none.
    #[cfg(any(test, feature = "c", feature = "noq", feature = "quinn"))]
    pub(crate) fn recorded_ssthresh_bytes(&self) -> u64 {
        self.ssthresh_bytes
    }

    /// The initial window.
    pub fn initial_window_bytes(&self) -> u64 {
        self.initial_window_bytes
    }

    /// The smoothed RTT at the latest ACK frame; `None`: unknown so far.
    pub fn srtt_ns(&self) -> Option<u64> {
        Some(self.srtt_ns).filter(|srtt_ns| *srtt_ns > 0)
    }

    /// The last decision of the start-up; `None` before the start.
    pub fn decision(&self) -> Option<Decision> {
        self.record().map(Decision::of)
    }

    /// The same as a record of `onramp-core`.
    pub(crate) fn record(&self) -> Option<&onramp_core::Decision> {
        self.startup.as_ref().map(HostedStartup::decision)
    }

    /// The BDP in bytes that the path memory gave to the start-up; `None`: none.
    pub fn remembered_bytes(&self) -> Option<u64> {
        let bytes = self.startup.as_ref().map(HostedStartup::remembered_bytes);
        bytes.filter(|bytes| *bytes > 0)
    }

    /// The state of the start-up.
    pub fn status(&self) -> Status {
        Status {
            decision: self.decision(),
            remembered_bytes: self.remembered_bytes(),
        }
    }

    /// The start-up is over for good: the host's congestion avoidance goes on alone.
    pub fn is_done(&self) -> bool {
        self.record().is_some_and(onramp_core::Decision::is_done)
    }

    /// In slow start, a cwnd of which more than half was used counts as the limit, as in Linux
    /// (`tcp_is_cwnd_limited()`): a paced or aggregated flight never fills all of it.
    fn cwnd_was_half_used(&self) -> bool {
        self.cwnd_bytes < self.ssthresh_bytes && self.cwnd_bytes < 2 * self.max_inflight_bytes
    }

    /// Takes cwnd and ssthresh from the decision of the start-up.
    fn apply_decision(&mut self) {
        let Some(decision) = self.record().copied() else {
            return;
        };
        self.ssthresh_bytes = decision.ssthresh_bytes.max(self.min_window_bytes());
        self.cwnd_bytes = match decision.is_retreating() {
            // Loss recovery leads cwnd to ssthresh: in QUIC, at once.
            true => self.ssthresh_bytes,
            false => decision.cwnd_bytes.max(self.min_window_bytes()),
        };
        if decision.is_over() && self.is_recovering {
            // The end of a repair by the algorithm is a reduction.
            self.cwnd_bytes = self.cwnd_bytes.min(self.ssthresh_bytes);
        }
    }

    fn min_window_bytes(&self) -> u64 {
        MIN_WINDOW_DATAGRAMS * self.mss_bytes
    }

    fn recorded_mss_u32(&self) -> u32 {
        u32::try_from(self.recorded_mss_bytes).expect("a datagram has at most 65,527 bytes")
    }
}

/// The receiver's clock as the 32 bits of a TSval, which counts microseconds too.
fn tsval(receiver_us: u64) -> u64 {
    receiver_us & u64::from(u32::MAX)
}
