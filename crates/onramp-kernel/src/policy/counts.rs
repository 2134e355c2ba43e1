//! What the kernel counted for policies, read from the maps.

use super::state::{ServiceState, Slot, STATE_MAP};
use super::{Maps, Pins};
use crate::object::only_value;
use crate::records::Plain;
use crate::totals::sum_of;
use crate::{Error, Result};
use libbpf_rs::{MapCore, MapFlags, MapHandle};
use onramp_bpf::bindings::maps;
use std::path::Path;

/// What the connections of a group did, as the kernel has it (`bpf/intf.h`).
pub use onramp_bpf::bindings::GroupCounts;
/// What the policy program did beside the groups.
pub use onramp_bpf::bindings::PolicyTotals;
/// What the connections gained whose receive buffers were raised.
pub use onramp_bpf::bindings::ReceiverCounts;
/// Times in a histogram, as the kernel has it.
pub use onramp_bpf::bindings::Times;

/// The policies of a service at one time.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The service's state, with its policies.
    pub state: ServiceState,
    /// What the two groups of each policy did: with the start-up, and the control group. `None`:
    /// the policy leaves its connections alone.
    pub groups: Vec<Option<[GroupCounts; 2]>>,
    /// The rest.
    pub totals: PolicyTotals,
    /// Connections whose receive buffers policies raised.
    pub lifts: ReceiverCounts,
}

impl Snapshot {
    /// Reads the maps of the service whose pins are here. The service need not run.
    ///
    /// # Errors
    /// [`Error::NoService`], or the kernel's refusal.
    pub fn read(directory: &Path) -> Result<Snapshot> {
        let maps = Maps::pinned(&Pins::open(directory)?).ok_or(Error::NoService)?;
        let state = ServiceState::read(&maps[STATE_MAP])?;
        Snapshot::of(&maps, state)
    }

    pub(super) fn of(maps: &Maps, state: ServiceState) -> Result<Snapshot> {
        let groups = state.policies.iter().map(|policy| {
            let slot = policy.startup.as_ref().and(state.slots.get(&policy.name));
            slot.map(|slot| {
                Ok([
                    group(maps, slot.number * 2)?,
                    group(maps, slot.number * 2 + 1)?,
                ])
            })
            .transpose()
        });
        Ok(Snapshot {
            groups: groups.collect::<Result<_>>()?,
            totals: read(maps, maps::POLICIED, 0)?,
            lifts: only_value(&maps[maps::LIFTS]).unwrap_or_default(),
            state,
        })
    }
}

fn group(maps: &Maps, index: u32) -> Result<GroupCounts> {
    read(maps, maps::GROUPS, index)
}

fn read<T: Plain>(maps: &Maps, name: &str, index: u32) -> Result<T> {
    let processors = maps[name]
        .lookup_percpu(&index.to_ne_bytes(), MapFlags::ANY)
        .map_err(|error| Error::unreadable(name, "the service", &error))?;
    Ok(sum_of(&processors.unwrap_or_default()))
}

/// Begins the counts of a slot anew, for the connections of its epoch.
pub(super) fn clear(groups: &MapHandle, slot: Slot) -> Result<()> {
    let processors = libbpf_rs::num_possible_cpus()
        .map_err(|error| Error::unreadable(maps::GROUPS, "the service", &error))?;
    let empty = GroupCounts {
        epoch: slot.epoch.into(),
        ..GroupCounts::default()
    };
    let empty = vec![empty.as_bytes().to_vec(); processors];
    for index in [slot.number * 2, slot.number * 2 + 1] {
        groups
            .update_percpu(&index.to_ne_bytes(), &empty, MapFlags::ANY)
            .map_err(|error| Error::unreadable(maps::GROUPS, "the service", &error))?;
    }
    Ok(())
}
