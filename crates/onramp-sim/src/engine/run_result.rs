//! What a run leaves.

use super::{FinishedTransfer, NetStats};
use onramp_net::LinkStats;

/// What a run leaves.
#[derive(Debug)]
pub(crate) struct RunResult {
    /// The measured transfers, in order of their starts.
    pub finished: Vec<FinishedTransfer>,
    /// The plan's moments that came, ascending, and the payload that other traffic had delivered by
    /// then; where not all came, the last one is [`until_ns`](Ran::until_ns).
    pub meter: Vec<(u64, u64)>,
    /// After that nothing was looked at.
    pub until_ns: u64,
    /// What the links had done when the last measured transfer was over: what comes after is none
    /// of its business.
    pub links_at_completion: Vec<LinkStats>,
    /// What links and packets did.
    pub net: NetStats,
    /// Flows that started.
    pub flows: u32,
    /// Flows that were under way at the end.
    pub active_flows: u32,
    /// Events.
    pub events: u64,
    /// When it ended.
    pub end_ns: u64,
}
