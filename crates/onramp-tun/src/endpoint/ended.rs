//! What an endpoint tells of its connections and packets.

use crate::Application;
use onramp_tcp::wire::Endpoints;
use onramp_tcp::{Failure, PairCounts, Stats};

/// A connection whose application is done, or that is over.
#[derive(Debug)]
pub struct Ended<A: Application> {
    /// Of the packets that we sent.
    pub ends: Endpoints,
    /// Its application.
    pub application: A,
    /// When its SYN was sent, or arrived.
    pub started_ns: u64,
    /// What its connection counted.
    pub stats: Stats,
    /// What became of packet pairs, where both ends know them.
    pub pairs: Option<PairCounts>,
    /// Smoothed round-trip time; 0 if none was measured.
    pub srtt_ns: u64,
    /// Why the connection ended early, if it did.
    pub failure: Option<Failure>,
    /// Why the application gave up, if it did.
    pub error: Option<A::Error>,
}

/// Packets, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// That arrived.
    pub received: u64,
    /// Of these, not TCP in IPv4, or for another address: passed over.
    pub foreign: u64,
    /// Of these, with a wrong checksum, cut off, or malformed: passed over.
    pub damaged: u64,
    /// Of these, for no connection and no listener: answered by a reset.
    pub refused: u64,
}
