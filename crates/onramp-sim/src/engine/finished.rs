//! What is told of a measured transfer.

use super::startup::Watched;
use onramp_tcp::Stats;

/// A measured transfer when it was complete, or when the run ended.
#[derive(Debug)]
pub(crate) struct Finished {
    /// Its flow.
    pub flow: u32,
    /// The scenario's `[[traffic]]` table that it belongs to; `None`: it is a copy of the transfer.
    pub traffic: Option<u32>,
    /// The slowest link of its data's way.
    pub bottleneck: u32,
    /// Payload that was asked for, or [`ENDLESS`](super::ENDLESS).
    pub size_bytes: u64,
    /// Payload that was read.
    pub delivered_bytes: u64,
    /// When its receiver connected.
    pub started_ns: u64,
    /// When the last byte had been read, if it was.
    pub completed_ns: Option<u64>,
    /// The sender's counters at that time.
    pub sender: Stats,
    /// What its start-up decided.
    pub startup: Watched,
}
