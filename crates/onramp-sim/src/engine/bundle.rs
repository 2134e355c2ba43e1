//! A transfer that is made of several connections, and how far it is.

use super::finished::Finished;
use super::startup::Watched;
use onramp_tcp::{Failure, Stats};

/// Which connection of which transfer a flow is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Place of the transfer among those of several connections.
    pub bundle: u32,
    /// Number of the transfer's first flow.
    pub transfer: u32,
    /// In series: 0 begins at the sender.
    pub hop: u32,
    /// It ends at the receiver.
    pub is_last: bool,
}

/// One of the connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hop {
    /// The relay has not opened it yet.
    Unopened,
    /// It has this slot.
    Open(u32),
    /// It is over.
    Over,
}

/// The transfer.
pub(super) struct Bundle {
    /// Kind of transfer, and which copy of it.
    pub group: u32,
    pub copy: u64,
    /// Number of its first flow.
    pub transfer: u32,
    /// Its connections, from the sender to the receiver.
    pub hops: Vec<Hop>,
    pub size_bytes: u64,
    /// Payload that the receiver has read.
    pub received_bytes: u64,
    pub started_ns: u64,
    /// The slowest link of the whole way, and a flow that crosses it.
    pub bottleneck: u32,
    pub traced_flow: u32,
    /// What the first end met that met something.
    pub failure: Option<Failure>,
    /// Counters of the senders of connections that are over.
    pub stats: Stats,
    /// What the first sender's start-up decided, until the last byte has been read.
    pub watch: Option<Watched>,
}

impl Bundle {
    /// The slot of a connection under way.
    pub fn slot(&self, hop: u32) -> Option<u32> {
        match self.hops[hop as usize] {
            Hop::Open(slot) => Some(slot),
            Hop::Unopened | Hop::Over => None,
        }
    }

    /// The last byte has been read.
    pub fn is_complete(&self) -> bool {
        self.received_bytes == self.size_bytes
    }

    /// No connection is under way.
    pub fn is_over(&self) -> bool {
        !self.hops.iter().any(|hop| matches!(hop, Hop::Open(_)))
    }

    /// An end has met something.
    pub fn note(&mut self, failure: Option<Failure>) {
        if !self.is_complete() {
            self.failure = self.failure.or(failure);
        }
    }

    /// What is to be told of it, with these counters of what is under way; `None` if that has been taken.
    pub fn take_finished(&mut self, completed_ns: Option<u64>, under_way: Stats) -> Option<Finished> {
        let startup = self.watch.take()?;
        Some(Finished {
            flow: self.transfer,
            traced_flow: self.traced_flow,
            traffic: None,
            bottleneck: self.bottleneck,
            size_bytes: self.size_bytes,
            delivered_bytes: self.received_bytes,
            started_ns: self.started_ns,
            completed_ns,
            failure: self.failure,
            sender: sum(self.stats, under_way),
            startup,
        })
    }
}

/// Both together.
pub(super) fn sum(a: Stats, b: Stats) -> Stats {
    Stats {
        data_segments_sent: a.data_segments_sent + b.data_segments_sent,
        retransmitted_segments: a.retransmitted_segments + b.retransmitted_segments,
        timeouts: a.timeouts + b.timeouts,
        recoveries: a.recoveries + b.recoveries,
        probes: a.probes + b.probes,
        segments_received: a.segments_received + b.segments_received,
        duplicates_received: a.duplicates_received + b.duplicates_received,
    }
}
