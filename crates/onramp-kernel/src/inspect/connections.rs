//! The connections that use a congestion control of Onramp: the rows of `onramp ss`.

use super::loaded::found;
use super::sockets::Sockets;
use crate::records::{name_text, socket_address};
use crate::Result;
use onramp_bpf::bindings::{self, maps, Socket, SocketNow};
use onramp_core::{PHASE_RESERVED, UNLIMITED};
use serde::Serialize;
use std::net::SocketAddr;

/// TCP_INFINITE_SSTHRESH of the kernel: no ssthresh is set.
const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

/// The names of the TCP states in the output of `ss`, by the kernel's numbers.
const STATES: [&str; 13] = [
    "UNKNOWN",
    "ESTAB",
    "SYN-SENT",
    "SYN-RECV",
    "FIN-WAIT-1",
    "FIN-WAIT-2",
    "TIME-WAIT",
    "UNCONN",
    "CLOSE-WAIT",
    "LAST-ACK",
    "LISTEN",
    "CLOSING",
    "SYN-RECV",
];

/// A connection that a congestion control of Onramp has started.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Connection {
    /// The congestion control of Onramp.
    pub congestion_control: String,
    /// The congestion control that the kernel's own `ss` shows: another one after the hand-over.
    pub controlled_by: String,
    /// When it was handed over to the kernel's own congestion avoidance, since it was established.
    pub handed_over_time_s: Option<f64>,
    /// This host's end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// TCP state, as `ss` writes it.
    pub state: &'static str,
    /// Inode number of its network namespace.
    pub network_namespace: u32,
    /// The phase of the start-up.
    pub phase: &'static str,
    /// Why the start-up ended for the first time; `none`: it has not.
    pub exit_reason: &'static str,
    /// When it ended for the first time, since the connection was established.
    pub exit_time_s: Option<f64>,
    /// cwnd at that time.
    pub exit_cwnd_bytes: Option<u64>,
    /// Time since it was established, or since its socket chose this congestion control.
    pub age_s: f64,
    /// The path's rate as the start-up measured it (payload).
    pub estimate_bytes_per_s: Option<u64>,
    /// Pacing rate, if the connection is paced now.
    pub pacing_bytes_per_s: Option<u64>,
    /// Congestion window.
    pub cwnd_bytes: u64,
    /// Slow-start threshold, if one is set.
    pub ssthresh_bytes: Option<u64>,
    /// Smoothed RTT.
    pub srtt_s: f64,
    /// Bytes acknowledged so far.
    pub acked_bytes: u64,
    /// Segments retransmitted so far.
    pub retransmitted_segments: u32,
    /// Its packet pairs, if both ends know the option.
    pub pairs: Option<Pairs>,
}

/// Packet pairs of a connection, so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Pairs {
    /// Pairs that were sent.
    pub sent: u32,
    /// Intervals that the peer reported and the start-up was given.
    pub reported: u32,
    /// Pairs of the peer that were measured.
    pub measured: u32,
    /// Options with an invalid length or type.
    pub malformed: u32,
    /// Options that were repeated, or that match nothing that was sent or requested.
    pub ignored: u32,
    /// The latest interval that the peer reported.
    pub reported_interval_s: Option<f64>,
    /// The latest interval that this end measured.
    pub measured_interval_s: Option<f64>,
}

impl From<&bindings::Pairs> for Pairs {
    fn from(raw: &bindings::Pairs) -> Pairs {
        let seconds = |ns: u32| (ns != 0).then_some(f64::from(ns) / 1e9);
        Pairs {
            sent: raw.counts.pairs,
            reported: raw.counts.replies,
            measured: raw.counts.answers,
            malformed: raw.counts.malformed,
            ignored: raw.counts.ignored,
            reported_interval_s: seconds(raw.reported_ns),
            measured_interval_s: seconds(raw.measured_ns),
        }
    }
}

/// All connections that a congestion control of Onramp has started, in all network namespaces, the
/// oldest first. They include those that were handed over to the kernel's own congestion avoidance.
///
/// # Errors
/// [`crate::Error::NotPermitted`], or the kernel's refusal.
pub fn connections() -> Result<Vec<Connection>> {
    let mut all = Vec::new();
    let mut sockets = Sockets::default();
    for loaded in found()? {
        let Some(map) = loaded.map_id(maps::CONNS) else {
            continue;
        };
        for socket in sockets.read(map, loaded.map_id(maps::PAIRS))? {
            all.push(connection(&loaded.name, &socket));
        }
    }
    all.sort_by(|a, b| b.age_s.total_cmp(&a.age_s));
    Ok(all)
}

fn connection(congestion_control: &str, socket: &Socket) -> Connection {
    let Socket {
        connection: startup,
        now,
        ..
    } = socket;
    let decision = &startup.decision;
    let seconds = |from: u64, to: u64| to.saturating_sub(from) as f64 / 1e9;
    let mss_bytes = u64::from(now.mss_bytes);
    let has_ended = startup.exit_ns != 0;
    Connection {
        congestion_control: congestion_control.to_owned(),
        controlled_by: name_text(&now.congestion_control),
        handed_over_time_s: (startup.handed_over_ns != 0)
            .then(|| seconds(startup.start_ns, startup.handed_over_ns)),
        local: socket_address(&now.local),
        remote: socket_address(&now.remote),
        state: STATES
            .get(now.tcp_state as usize)
            .copied()
            .unwrap_or("UNKNOWN"),
        network_namespace: now.network_namespace,
        phase: onramp_core::phase_name(decision.phase),
        exit_reason: onramp_core::exit_name(startup.exit),
        exit_time_s: has_ended.then(|| seconds(startup.start_ns, startup.exit_ns)),
        exit_cwnd_bytes: has_ended.then_some(startup.exit_cwnd_bytes),
        age_s: seconds(startup.start_ns, now.now_ns),
        estimate_bytes_per_s: (decision.estimate_bytes_per_s != 0)
            .then_some(decision.estimate_bytes_per_s),
        pacing_bytes_per_s: pacing_bytes_per_s(decision, now),
        cwnd_bytes: u64::from(now.cwnd_segments) * mss_bytes,
        ssthresh_bytes: (now.ssthresh_segments < INFINITE_SSTHRESH)
            .then(|| u64::from(now.ssthresh_segments) * mss_bytes),
        srtt_s: f64::from(now.srtt_us) / 1e6,
        acked_bytes: now.bytes_acked,
        retransmitted_segments: now.retransmitted_segments,
        pairs: (now.has_pairs != 0).then(|| Pairs::from(&socket.pairs)),
    }
}

fn pacing_bytes_per_s(decision: &onramp_core::Decision, now: &SocketNow) -> Option<u64> {
    if decision.phase == PHASE_RESERVED {
        // The kernel's pacing rate is that of the next packet alone: the token bucket sets it.
        return Some(decision.pacing_bytes_per_s);
    }
    (now.pacing_bytes_per_s != UNLIMITED).then_some(now.pacing_bytes_per_s)
}
