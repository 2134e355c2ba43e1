//! What a flow begins with.

use super::bundle::Member;
use crate::plan::{Group, Way};
use onramp_tcp::{Config, Ticks};

/// What a flow begins with.
pub(super) struct Birth<'a> {
    /// Number of the flow.
    pub number: u32,
    /// Its slot.
    pub slot: u32,
    /// Kind of flow.
    pub group_number: u32,
    /// The same.
    pub group: &'a Group,
    /// Where it runs.
    pub way: Way,
    /// Payload, or [`ENDLESS`](onramp_scenario::ENDLESS).
    pub size_bytes: u64,
    /// Of the case.
    pub seed: u64,
    /// Of which transfer it is a connection, if that has several.
    pub member: Option<Member>,
}

/// A group's configuration for one end of one flow.
pub(super) fn with_keys(config: &Config, way: &Way, key: u32) -> Config {
    // Any number will do as long as it differs from end to end; the clock's offset is another one
    // than the ISN. Hosts' ticks lie anywhere in the second.
    Config {
        mss_bytes: way.mss_bytes.min(config.mss_bytes),
        isn: key,
        timestamp_offset: key.rotate_left(16) ^ 0x5bd1_e995,
        memory: config
            .memory
            .as_ref()
            .map(|memory| memory.of_path(way.path())),
        ticks: Ticks {
            phase_ns: (u64::from(key.rotate_left(8)) * 1_000_000_000) >> 32,
            ..config.ticks
        },
        ..config.clone()
    }
}
