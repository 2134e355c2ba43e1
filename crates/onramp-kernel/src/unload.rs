//! Ending registrations that other processes made.

use crate::inspect::{found, loaded, Loaded};
use crate::{qos, Error, Result};
use libbpf_rs::{MapCore, MapHandle};

/// Ends a registration that stays until it is unloaded. `name` is its start-up or its own name.
/// Connections that use it keep it.
///
/// # Errors
/// [`Error::NotLoaded`], [`Error::OwnedByProcess`], or the kernel's refusal.
pub fn unload(name: &str) -> Result<Loaded> {
    let all: Vec<Loaded> = loaded()?
        .into_iter()
        .filter(|loaded| loaded.registered)
        .collect();
    let wanted = |loaded: &&Loaded| {
        loaded.name == name || onramp_core::congestion_control(name) == loaded.name
    };
    let Some(found) = all.iter().find(wanted) else {
        return Err(Error::NotLoaded {
            name: name.to_owned(),
            loaded: all.into_iter().map(|loaded| loaded.name).collect(),
        });
    };
    if let (Some(pid), true) = (found.owner_pid, found.owner_is_running) {
        return Err(Error::OwnedByProcess {
            name: found.name.clone(),
            pid,
        });
    }
    if let Some(reserved) = found.map_ids.reserved() {
        qos::detach(reserved)?;
    }
    unregister(found)?;
    Ok(found.clone())
}

/// Removes registrations whose processes were killed. Linux 6.4 and later do that themselves.
pub(crate) fn sweep() -> Result<()> {
    for stale in found()?.iter().filter(|loaded| {
        loaded.registered && loaded.owner_pid.is_some() && !loaded.owner_is_running
    }) {
        unregister(stale)?;
    }
    Ok(())
}

fn unregister(loaded: &Loaded) -> Result<()> {
    let refused = |cause: String| Error::Refused {
        what: format!("unregistering {}", loaded.name),
        cause,
        log: String::new(),
    };
    let map = loaded
        .map_ids
        .operations
        .ok_or_else(|| refused("its struct_ops map was not found".to_owned()))?;
    match MapHandle::from_map_id(map).and_then(|map| map.delete(&0u32.to_ne_bytes())) {
        // NotFound: another process of Onramp has removed it, or the kernel when its owner ended.
        Err(error) if error.kind() != libbpf_rs::ErrorKind::NotFound => {
            Err(refused(error.to_string()))
        }
        _ => Ok(()),
    }
}
