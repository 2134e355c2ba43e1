//! The result of a run.

use super::finished::FinishedTransfer;
use super::net::NetStats;
use onramp_net::LinkStats;

/// The result of a run.
#[derive(Debug)]
pub(crate) struct RunResult {
    /// The measured transfers, in the order of their starts.
    pub finished: Vec<FinishedTransfer>,
    /// Meter readings at the plan's times, ascending: the time, and the payload bytes that traffic
    /// had delivered by then. If the run ended before the last time, the last reading is at
    /// [`until_ns`](RunResult::until_ns).
    pub meter: Vec<(u64, u64)>,
    /// End of the observed time.
    pub until_ns: u64,
    /// Counters of the links when the last measured transfer finished. Later events do not concern
    /// the transfers.
    pub links_at_completion: Vec<LinkStats>,
    /// Counters of links and packets.
    pub net: NetStats,
    /// Number of flows that started.
    pub flows: u32,
    /// Number of active flows at the end.
    pub active_flows: u32,
    /// Number of events.
    pub events: u64,
    /// Simulated time at the end.
    pub end_ns: u64,
}
