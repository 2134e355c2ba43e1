//! A bundle: a transfer with several connections, and its progress.
//!
//! A lane is one of several parallel connections, or one of several parallel series of connections.
//! A hop is one of the connections in series.
//!
//! ```text
//!              lane 0:  hop 0 ----> hop 1 ----> hop 2
//!   payload <  lane 1:  hop 0 ----> hop 1 ----> hop 2  >  received bytes
//!              ...
//! ```

use super::adaptive::Adaptation;
use super::finished::FinishedTransfer;
use super::page::Page;
use super::startup::StartupLog;
use crate::payload::Payload;
use onramp_results::StartupEvent;
use onramp_tcp::{Failure, Stats};
use std::collections::VecDeque;

/// The place of a flow in a transfer with several connections.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Index of the transfer among the bundles.
    pub bundle: u32,
    /// Number of the transfer's first flow.
    pub transfer: u32,
    /// Index of the lane.
    pub lane: u32,
    /// Index of the hop. Hop 0 starts at the sender.
    pub hop: u32,
    /// Whether this hop ends at the receiver.
    pub is_last: bool,
}

/// The state of one of the connections in series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hop {
    /// The connection is not open yet.
    Unopened,
    /// The connection is open, in this slot.
    Open(u32),
    /// The connection has ended.
    Over,
}

/// The connections in series of one lane.
#[derive(Debug)]
pub(super) struct Lane {
    /// The connections, from the sender to the receiver.
    pub hops: Vec<Hop>,
    pub received_bytes: u64,
}

impl Lane {
    /// The slot of a hop's connection, if it is open.
    pub fn slot(&self, hop: u32) -> Option<u32> {
        match self.hops[hop as usize] {
            Hop::Open(slot) => Some(slot),
            Hop::Unopened | Hop::Over => None,
        }
    }
}

/// A transfer with several connections.
pub(super) struct Bundle {
    /// Number of its group, and which copy of the transfer it is.
    pub group: u32,
    pub copy: u64,
    /// Number of its first flow.
    pub transfer: u32,
    pub lanes: Vec<Lane>,
    /// Number of open connections.
    pub active_connections: u32,
    /// The payload that the lanes share. `None`: there is one lane, and its sender has the payload.
    pub payload: Option<Payload>,
    /// Whether every lane has been informed that the payload is exhausted.
    pub end_was_signalled: bool,
    /// State of the adaptation, if the number of lanes is adaptive.
    pub adaptation: Option<Adaptation>,
    /// The requests of a page, if the lanes carry the answers to several requests.
    pub page: Option<Page>,
    /// Lanes that the receiver must open: the offset in the first lane that it has to read beyond,
    /// and how many lanes.
    pub pending_opens: VecDeque<(u64, u32)>,
    pub size_bytes: u64,
    /// Payload bytes that the receiver has read.
    pub received_bytes: u64,
    pub started_ns: u64,
    /// The slowest link of the whole path, and a flow of the first lane that crosses it.
    pub bottleneck: u32,
    pub traced_flow: u32,
    /// The first failure of any end.
    pub failure: Option<Failure>,
    /// Counters of the senders of ended connections, and the segments that the first hop's senders
    /// retransmitted.
    pub stats: Stats,
    pub sender_retransmitted_segments: u64,
    /// Log of the first sender's start-up, until the last byte has been read.
    pub startup_log: Option<StartupLog>,
}

impl Bundle {
    /// Whether the last byte has been read.
    pub fn is_complete(&self) -> bool {
        self.received_bytes == self.size_bytes
    }

    /// Whether the transfer has failed, so that its connections must end.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some() && !self.is_complete()
    }

    /// Records the failure of an end, if it is the first.
    pub fn record_failure(&mut self, failure: Option<Failure>) {
        if !self.is_complete() {
            self.failure = self.failure.or(failure);
        }
    }

    /// The slots of all open connections.
    pub fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.lanes
            .iter()
            .flat_map(|lane| (0..lane.hops.len() as u32).filter_map(|hop| lane.slot(hop)))
    }

    /// Logs the new number of lanes, with the cwnd of the first lane.
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

    /// The result of the transfer. `active_stats` are the counters of its open connections. `None`
    /// if the result was already taken.
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
            reports_timeouts: true,
            startup,
            answers: self.page.take().map(|page| page.answers),
        })
    }
}

/// The sum of two sets of counters.
pub(super) fn sum(a: Stats, b: Stats) -> Stats {
    Stats {
        data_segments_sent: a.data_segments_sent + b.data_segments_sent,
        retransmitted_segments: a.retransmitted_segments + b.retransmitted_segments,
        timeouts: a.timeouts + b.timeouts,
        recoveries: a.recoveries + b.recoveries,
        undone: a.undone + b.undone,
        probes: a.probes + b.probes,
        ecn_reductions: a.ecn_reductions + b.ecn_reductions,
        marks_received: a.marks_received + b.marks_received,
        segments_received: a.segments_received + b.segments_received,
        duplicates_received: a.duplicates_received + b.duplicates_received,
    }
}
