//! What is told of a measured transfer.

use super::startup::StartupLog;
use onramp_tcp::{Failure, Stats};

/// The flow of a transfer whose start came after the end of the run.
pub(crate) const NOT_STARTED: u32 = u32::MAX;

/// A measured transfer when it was complete, or when the run ended.
#[derive(Debug)]
pub(crate) struct FinishedTransfer {
    /// Its flow, [`NOT_STARTED`] if it has none.
    pub flow: u32,
    /// The flow of which a trace tells: where there are several, one over the slowest link.
    pub traced_flow: u32,
    /// The scenario's `[[traffic]]` table that it belongs to; `None`: it is a copy of the transfer.
    pub traffic: Option<u32>,
    /// The slowest link of its data's way.
    pub bottleneck: u32,
    /// Payload that was asked for, or [`ENDLESS`](onramp_scenario::ENDLESS).
    pub size_bytes: u64,
    /// Payload that was read.
    pub delivered_bytes: u64,
    /// When its receiver connected, or was to.
    pub started_ns: u64,
    /// When the last byte had been read, if it was.
    pub completed_ns: Option<u64>,
    /// Why it gave up, if it did.
    pub failure: Option<Failure>,
    /// The sender's counters at that time.
    pub sender: Stats,
    /// What its start-up decided.
    pub startup: StartupLog,
}

impl FinishedTransfer {
    /// Of a copy of the transfer whose start, at this time, came after the end of the run.
    pub fn not_started(bottleneck: u32, size_bytes: u64, started_ns: u64) -> FinishedTransfer {
        FinishedTransfer {
            flow: NOT_STARTED,
            traced_flow: NOT_STARTED,
            traffic: None,
            bottleneck,
            size_bytes,
            delivered_bytes: 0,
            started_ns,
            completed_ns: None,
            failure: None,
            sender: Stats::default(),
            startup: StartupLog::new(started_ns),
        }
    }
}
