//! The parameters of a new flow.

use super::bundle::Member;
use crate::plan::{Group, Path};
use onramp_tcp::{Config, Ticks};

/// The parameters of a new flow.
pub(super) struct FlowParams<'a> {
    /// Number of the flow.
    pub number: u32,
    /// Slot of the flow.
    pub slot: u32,
    /// Which copy of the transfer it is, counted from 0.
    pub copy: u64,
    /// Number of its group.
    pub group_number: u32,
    /// Its group.
    pub group: &'a Group,
    /// Its path.
    pub path: Path,
    /// Payload in bytes, or [`ENDLESS`](onramp_scenario::ENDLESS).
    pub size_bytes: u64,
    /// Seed of the case.
    pub seed: u64,
    /// Its place in a transfer with several connections.
    pub member: Option<Member>,
}

/// A group's configuration for one end of one flow, with the values that differ from end to end.
pub(super) fn randomised_config(config: &Config, path: &Path, random_bits: u32) -> Config {
    // Any numbers will do if they differ from end to end. The offset of the timestamp clock must
    // differ from the ISN. The ticks of a host can lie anywhere in the second.
    Config {
        mss_bytes: path.mss_bytes.min(config.mss_bytes),
        isn: random_bits,
        timestamp_offset: random_bits.rotate_left(16) ^ 0x5bd1_e995,
        memory: config
            .memory
            .as_ref()
            .map(|memory| memory.of_path(path.memory_key())),
        ensembles: config
            .ensembles
            .as_ref()
            .map(|ensembles| ensembles.of_host(path.from.into()))
            .map(|host| host.of_path(path.memory_key(), path.to.into())),
        ticks: Ticks {
            phase_ns: (u64::from(random_bits.rotate_left(8)) * 1_000_000_000) >> 32,
            ..config.ticks
        },
        ..config.clone()
    }
}
