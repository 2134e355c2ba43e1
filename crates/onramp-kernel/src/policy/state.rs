//! What a service remembers beside the kernel's own maps, and shows to other processes.
//!
//! It is in a map of one element, as JSON. A BPF file system holds no ordinary files, and this
//! state has to live and to end with the maps beside it.

use crate::object::only_bytes;
use crate::{Error, Result};
use libbpf_rs::libbpf_sys::bpf_map_create_opts;
use libbpf_rs::{MapCore, MapFlags, MapHandle, MapType};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of the map.
pub(super) const STATE_MAP: &str = "onramp_state";

/// Room for the text, which ends with a zero.
const MAX_BYTES: usize = 256 * 1024;

/// How often a reader tries again if the service is just writing.
const READS: usize = 5;

/// The state of a service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServiceState {
    /// The version of Onramp that wrote it.
    pub version: String,
    /// The service's process; 0: it has not said so.
    pub pid: u32,
    /// When that process began to serve, in seconds since 1970.
    pub started_s: f64,
    /// Configurations that were read again and put into force.
    pub reloads: u64,
    /// Configurations that were read again and refused.
    pub reloads_refused: u64,
    /// Policies that the service switched off.
    pub switched_off: u64,
    /// The policies in force, in their order.
    pub policies: Vec<PolicyState>,
    /// The slot of each policy that has counts, also of those that are no longer in force.
    pub(crate) slots: BTreeMap<String, Slot>,
    /// Raised each time that a slot is given to a policy.
    pub(crate) epoch: u32,
    /// The version of the records (`ONRAMP_CONFIG_VERSION`).
    pub(crate) records: u32,
}

/// Where the counts of a policy are. The connections of an earlier epoch belong to another policy,
/// or to the policy's start-up from before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Slot {
    pub number: u32,
    pub epoch: u32,
    /// A hash of the start-up's options, the same for all builds.
    pub options: u64,
}

/// A policy in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyState {
    /// Its name.
    pub name: String,
    /// The start-up; `None`: the policy leaves its connections alone.
    pub startup: Option<String>,
    /// The congestion avoidance that follows the start-up.
    pub avoidance: String,
    /// The name that its connections' sockets have as their congestion control.
    pub congestion_control: Option<String>,
    /// The share of connections that get the start-up by the configuration, from 0 to 1.
    pub share: f64,
    /// Why and when the service switched the start-up off. Then no connection gets it.
    pub switched_off: Option<SwitchedOff>,
    /// What the service notes about the policy for its next process.
    pub memo: serde_json::Value,
}

/// Why and when a policy was switched off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SwitchedOff {
    /// A sentence with the measured values.
    pub reason: String,
    /// When, in seconds since 1970.
    pub time_s: f64,
}

impl ServiceState {
    /// The policy of this name.
    pub fn policy(&self, name: &str) -> Option<&PolicyState> {
        self.policies.iter().find(|policy| policy.name == name)
    }

    pub(super) fn make_map() -> Result<MapHandle> {
        let options = bpf_map_create_opts {
            sz: size_of::<bpf_map_create_opts>() as _,
            ..Default::default()
        };
        MapHandle::create(
            MapType::Array,
            Some(STATE_MAP),
            size_of::<u32>() as u32,
            MAX_BYTES as u32,
            1,
            &options,
        )
        .map_err(|error| Error::unreadable(STATE_MAP, "the service", &error))
    }

    /// Reads it; the default if there is none yet.
    pub(super) fn read(map: &MapHandle) -> Result<ServiceState> {
        let mut failed = String::new();
        for _ in 0..READS {
            let bytes = only_bytes(map).unwrap_or_default();
            let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
            if text.is_empty() {
                return Ok(ServiceState::default());
            }
            // The kernel copies the value while others may read it, so a text may be half new.
            match serde_json::from_slice(text) {
                Ok(state) => return Ok(state),
                Err(error) => failed = error.to_string(),
            }
        }
        Err(Error::refused("reading the state of the service", failed))
    }

    pub(super) fn write(&self, map: &MapHandle) -> Result<()> {
        let mut bytes = serde_json::to_vec(self).expect("its keys are strings");
        if bytes.len() >= MAX_BYTES {
            let cause = format!("{} B are more than {MAX_BYTES} B", bytes.len());
            return Err(Error::refused("writing the state of the service", cause));
        }
        bytes.resize(MAX_BYTES, 0);
        map.update(&0u32.to_ne_bytes(), &bytes, MapFlags::ANY)
            .map_err(|error| Error::unreadable(STATE_MAP, "the service", &error))
    }
}
