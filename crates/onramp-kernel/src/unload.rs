//! Ending registrations that other processes made, and taking them back everywhere.

use crate::defaults::{namespaces_with, put_back, successors, PreviousDefaults, RestoredDefault};
use crate::inspect::{found, loaded, Loaded, DEFAULTS_MAP};
use crate::live::{check_exists, move_sockets, Moved};
use crate::namespaces::Search;
use crate::{qos, Error, Result};
use libbpf_rs::{MapCore, MapHandle};
use serde::Serialize;

/// What becomes of the live connections of a registration that ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Connections {
    /// They keep it.
    #[default]
    Keep,
    /// They get what was the default of their network namespace before.
    ToPreviousDefault,
    /// They get the congestion control of this name.
    To(String),
}

/// What was done to end a registration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unloaded {
    /// The registration, as it was before.
    #[serde(flatten)]
    pub loaded: Loaded,
    /// The network namespaces that had it as their default.
    pub restored_defaults: Vec<RestoredDefault>,
    /// What became of its sockets; null if they keep it.
    pub moved: Option<Moved>,
    /// Sockets and network namespaces that still use it.
    pub references_left: u64,
}

/// Ends a registration that stays until it is unloaded. `name` is its start-up or its own name.
/// Network namespaces whose default it is get the default from before.
///
/// A registration that has ended before, and is still in use, is an answer too where this can
/// change something: it is a default, or its connections are to be moved.
///
/// # Errors
/// [`Error::NotLoaded`], [`Error::OwnedByProcess`], [`Error::HeldByService`],
/// [`Error::NoControl`], or the kernel's refusal.
pub fn unload(name: &str, connections: &Connections) -> Result<Unloaded> {
    let target = find(name, connections)?;
    if let (Some(pid), true) = (target.owner_pid, target.owner_is_running) {
        return Err(Error::OwnedByProcess {
            name: target.name,
            pid,
        });
    }
    if target.service && target.registered {
        return Err(Error::HeldByService { name: target.name });
    }
    if let Connections::To(other) = connections {
        check_exists(other)?;
    }
    let previous = PreviousDefaults::before(&target)?;
    // First the defaults: after them no new socket gets it.
    let restored_defaults = put_back(&target.name, previous.as_ref())?;
    if let Some(previous) = &previous {
        forget(&target, previous)?;
    }
    if target.registered {
        if let Some(reserved) = target.map_ids.reserved() {
            qos::detach(reserved)?;
        }
        unregister(&target)?;
    }
    let moved = match connections {
        Connections::Keep => None,
        Connections::ToPreviousDefault => Some(move_sockets(&target.name, |cookie| {
            let names = successors(previous.as_ref(), cookie, &target.name)?;
            Ok(names
                .into_iter()
                .next()
                .unwrap_or_else(|| "reno".to_owned()))
        })?),
        Connections::To(other) => Some(move_sockets(&target.name, |_| Ok(other.clone()))?),
    };
    let references_left = references_of(&target)?;
    Ok(Unloaded {
        loaded: target,
        restored_defaults,
        moved,
        references_left,
    })
}

/// The registration that is meant; rather one that still is registered.
fn find(name: &str, connections: &Connections) -> Result<Loaded> {
    let (registered, ended): (Vec<Loaded>, Vec<Loaded>) =
        loaded()?.into_iter().partition(|loaded| loaded.registered);
    let wanted = |loaded: &&Loaded| {
        loaded.name == name || onramp_core::congestion_control(name) == loaded.name
    };
    if let Some(target) = registered.iter().find(wanted) {
        return Ok(target.clone());
    }
    if let Some(target) = ended.iter().find(wanted) {
        let can_change = *connections != Connections::Keep
            || !namespaces_with(&target.name, Search::Thorough)?.is_empty();
        if can_change {
            return Ok(target.clone());
        }
    }
    Err(Error::NotLoaded {
        name: name.to_owned(),
        loaded: registered.into_iter().map(|loaded| loaded.name).collect(),
    })
}

/// Replaces a registration that ends in what others would put back.
fn forget(gone: &Loaded, before: &PreviousDefaults) -> Result<()> {
    for other in found()?.iter().filter(|other| other.name != gone.name) {
        if let Some(previous) = PreviousDefaults::before(other)? {
            previous
                .replace(&gone.name, before)
                .map_err(|error| Error::unreadable(DEFAULTS_MAP, &other.name, &error))?;
        }
    }
    Ok(())
}

/// How much still uses a registration that has ended.
fn references_of(ended: &Loaded) -> Result<u64> {
    let all = found()?;
    let same = all
        .iter()
        .filter(|other| !other.registered && other.name == ended.name);
    Ok(same.map(|other| other.references).sum())
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
