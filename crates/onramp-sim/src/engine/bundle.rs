//! A transfer that is made of several connections, and how far it is.
//!
//! ```text
//!              lane 0:  hop 0 ----> hop 1 ----> hop 2
//!   payload <  lane 1:  hop 0 ----> hop 1 ----> hop 2  >  what was received
//!              ...
//! ```

use super::adaptive::Adaptation;
use super::finished::FinishedTransfer;
use super::payload::Payload;
use super::startup::StartupLog;
use onramp_results::StartupEvent;
use onramp_tcp::{Failure, Stats};
use std::collections::VecDeque;

/// Which connection of which transfer a flow is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Place of the transfer among those of several connections.
    pub bundle: u32,
    /// Number of the transfer's first flow.
    pub transfer: u32,
    /// Side by side.
    pub lane: u32,
    /// In series: 0 begins at the sender.
    pub hop: u32,
    /// It ends at the receiver.
    pub is_last: bool,
}

/// One of the connections in series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hop {
    /// The relay has not opened it yet.
    Unopened,
    /// It has this slot.
    Open(u32),
    /// It is over.
    Over,
}

/// Connections in series.
#[derive(Debug)]
pub(super) struct Lane {
    /// From the sender to the receiver.
    pub hops: Vec<Hop>,
    pub received_bytes: u64,
}

impl Lane {
    /// The slot of a connection under way.
    pub fn slot(&self, hop: u32) -> Option<u32> {
        match self.hops[hop as usize] {
            Hop::Open(slot) => Some(slot),
            Hop::Unopened | Hop::Over => None,
        }
    }
}

/// The transfer.
pub(super) struct Bundle {
    /// Kind of transfer, and which copy of it.
    pub group: u32,
    pub copy: u64,
    /// Number of its first flow.
    pub transfer: u32,
    pub lanes: Vec<Lane>,
    /// Connections under way.
    pub active_connections: u32,
    /// What its lanes share; `None`: there is one, whose sender has it.
    pub payload: Option<Payload>,
    /// Every lane has been told that it is empty.
    pub end_was_signalled: bool,
    /// Where the number of lanes changes.
    pub adaptation: Option<Adaptation>,
    /// Lanes that the receiver is to open when it has read beyond these places of the first one.
    pub pending_opens: VecDeque<(u64, u32)>,
    pub size_bytes: u64,
    /// Payload that the receiver has read.
    pub received_bytes: u64,
    pub started_ns: u64,
    /// The slowest link of the whole way, and a flow of the first lane that crosses it.
    pub bottleneck: u32,
    pub traced_flow: u32,
    /// What the first end met that met something.
    pub failure: Option<Failure>,
    /// Counters of the senders of connections that are over, and what the sender itself sent again
    /// of it.
    pub stats: Stats,
    pub sender_retransmitted_segments: u64,
    /// What the first sender's start-up decided, until the last byte has been read.
    pub startup_log: Option<StartupLog>,
}

impl Bundle {
    /// The last byte has been read.
    pub fn is_complete(&self) -> bool {
        self.received_bytes == self.size_bytes
    }

    /// It has failed, and its connections are to end.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some() && !self.is_complete()
    }

    /// An end has met something.
    pub fn record_failure(&mut self, failure: Option<Failure>) {
        if !self.is_complete() {
            self.failure = self.failure.or(failure);
        }
    }

    /// The slots of all its connections under way.
    pub fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.lanes
            .iter()
            .flat_map(|lane| (0..lane.hops.len() as u32).filter_map(|hop| lane.slot(hop)))
    }

    /// Notes how many lanes there are from now on, with the window of the first one.
    pub fn log_connection_count(&mut self, now_ns: u64, number: u32, why: &str, cwnd_bytes: u64) {
        let Some(startup_log) = &mut self.startup_log else {
            return;
        };
        startup_log.events.push(StartupEvent {
            time_s: (now_ns - self.started_ns) as f64 / 1e9,
            kind: "connections".to_owned(),
            what: format!("{number}, {why}"),
            estimate_bytes_per_s: 0,
            cwnd_bytes,
            ssthresh_bytes: 0,
            pacing_bytes_per_s: 0,
            remembered_bytes: 0,
        });
    }

    /// What is to be told of it, with these counters of what is under way; `None` if that has been
    /// taken.
    pub fn take_finished(
        &mut self,
        completed_ns: Option<u64>,
        active_stats: Stats,
    ) -> Option<FinishedTransfer> {
        let startup = self.startup_log.take()?;
        Some(FinishedTransfer {
            flow: self.transfer,
            traced_flow: self.traced_flow,
            traffic: None,
            bottleneck: self.bottleneck,
            size_bytes: self.size_bytes,
            delivered_bytes: self.received_bytes,
            started_ns: self.started_ns,
            completed_ns,
            failure: self.failure,
            sender: sum(self.stats, active_stats),
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
