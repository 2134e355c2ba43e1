//! The result of a measured transfer.

use super::startup::StartupLog;
use onramp_scenario::Answers;
use onramp_tcp::{Failure, Stats};

/// Flow number of a transfer that was to start after the end of the run.
pub(crate) const NOT_STARTED: u32 = u32::MAX;

/// A measured transfer at its completion, or at the end of the run.
#[derive(Clone, Debug)]
pub(crate) struct FinishedTransfer {
    /// Number of its flow, or [`NOT_STARTED`].
    pub flow: u32,
    /// The flow whose trace represents the transfer. If there are several flows, one over the
    /// slowest link.
    pub traced_flow: u32,
    /// Index of its `[[traffic]]` table. `None` for a copy of the transfer.
    pub traffic: Option<u32>,
    /// The slowest link of the data's route.
    pub bottleneck: u32,
    /// Requested payload in bytes, or [`ENDLESS`](onramp_scenario::ENDLESS).
    pub size_bytes: u64,
    /// Payload bytes that were read.
    pub delivered_bytes: u64,
    /// Time at which its first end connected, or was to connect.
    pub started_ns: u64,
    /// Time at which the last byte was read, if it was.
    pub completed_ns: Option<u64>,
    /// The failure, if the transfer failed.
    pub failure: Option<Failure>,
    /// The sender's counters at this time.
    pub sender: Stats,
    /// Whether the sender counts its retransmission timeouts. A sender of QUIC does not.
    pub reports_timeouts: bool,
    /// Log of its start-up.
    pub startup: StartupLog,
    /// The times of its answers, if there were several requests.
    pub answers: Option<Answers>,
}

impl FinishedTransfer {
    /// The result of a copy of the transfer that was to start at `started_ns`, after the end of the
    /// run.
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
            reports_timeouts: true,
            startup: StartupLog::new(started_ns),
            answers: None,
        }
    }
}
