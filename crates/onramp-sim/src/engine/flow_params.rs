//! What a flow begins with.

use super::bundle::Member;
use crate::plan::{Group, Path};
use onramp_tcp::{Config, Ticks};

/// What a flow begins with.
pub(super) struct FlowParams<'a> {
    /// Number of the flow.
    pub number: u32,
    /// Its slot.
    pub slot: u32,
    /// Kind of flow.
    pub group_number: u32,
    /// The same.
    pub group: &'a Group,
    /// Where it runs.
    pub path: Path,
    /// Payload, or [`ENDLESS`](onramp_scenario::ENDLESS).
    pub size_bytes: u64,
    /// Of the case.
    pub seed: u64,
    /// Of which transfer it is a connection, if that has several.
    pub member: Option<Member>,
}

/// A group's configuration for one end of one flow.
pub(super) fn randomised_config(config: &Config, path: &Path, random_bits: u32) -> Config {
    // Any number will do as long as it differs from end to end; the clock's offset is another one
    // than the ISN. Hosts' ticks lie anywhere in the second.
    Config {
        mss_bytes: path.mss_bytes.min(config.mss_bytes),
        isn: random_bits,
        timestamp_offset: random_bits.rotate_left(16) ^ 0x5bd1_e995,
        memory: config
            .memory
            .as_ref()
            .map(|memory| memory.of_path(path.memory_key())),
        ticks: Ticks {
            phase_ns: (u64::from(random_bits.rotate_left(8)) * 1_000_000_000) >> 32,
            ..config.ticks
        },
        ..config.clone()
    }
}
