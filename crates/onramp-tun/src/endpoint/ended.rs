//! The results of connections, and counts of packets.

use crate::application::Application;
use onramp_tcp::wire::Endpoints;
use onramp_tcp::{Failure, PairCounts, Stats};
use serde::Serialize;

/// A connection that has ended, or whose application is done.
#[derive(Debug)]
pub struct Ended<A: Application> {
    /// The addresses and ports of the packets that we sent.
    pub ends: Endpoints,
    /// The application.
    pub application: A,
    /// When the SYN was sent, or arrived.
    pub started_ns: u64,
    /// The counters of the connection.
    pub stats: Stats,
    /// Both ends used ECN (RFC 3168).
    pub has_ecn: bool,
    /// Counts of packet pairs; `None` if one of the ends does not support them.
    pub pairs: Option<PairCounts>,
    /// Smoothed round-trip time; 0 if none was measured.
    pub srtt_ns: u64,
    /// Why the connection ended early, if it did.
    pub failure: Option<Failure>,
    /// Why the application could not go on, if it could not.
    pub error: Option<A::Error>,
}

/// Packets that arrived. The serialised names are an interface, as those of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All packets.
    pub received: u64,
    /// Packets that were ignored: not TCP, or for another address.
    pub foreign: u64,
    /// Packets that were ignored: wrong checksum, truncated, or malformed.
    pub damaged: u64,
    /// Segments for no connection and no listener, which were answered by a reset.
    pub refused: u64,
}
