//! Ending registrations that other processes made, and taking them back everywhere.

use crate::defaults::{namespaces_with, put_back, successors, PreviousDefaults, RestoredDefault};
use crate::inspect::{default_in_this_namespace, found, loaded, Loaded, DEFAULTS_MAP};
use crate::live::{check_exists, move_sockets, Moved};
use crate::namespaces::Search;
use crate::{qos, Error, Result};
use libbpf_rs::libbpf_sys::{bpf_link_detach, bpf_link_get_fd_by_id};
use libbpf_rs::{MapCore, MapHandle};
use nix::libc::ENOENT;
use serde::Serialize;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// What becomes of the live connections of a registration that ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Connections {
    /// They keep it.
    #[default]
    Keep,
    /// They get the default of their network namespace, as it is without the registration.
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
/// [`Error::OfOtherVersion`], [`Error::NoControl`], or the kernel's refusal.
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
    if target.other_version && target.registered {
        return Err(Error::OfOtherVersion { name: target.name });
    }
    if let Connections::To(other) = connections {
        check_exists(other)?;
    }
    end(target, connections)
}

/// Ends a registration, whoever made it, and takes it back everywhere.
pub(crate) fn end(target: Loaded, connections: &Connections) -> Result<Unloaded> {
    let previous = PreviousDefaults::before(&target)?;
    // First the defaults: after them no new socket gets it.
    let restored_defaults = put_back(&target.name, previous.as_ref())?;
    if let Some(previous) = &previous {
        forget(&target, previous)?;
    }
    let unregistered = match (target.registered, target.map_ids.reserved()) {
        (false, _) => Ok(()),
        (true, None) => unregister(&target),
        (true, Some(reserved)) => qos::detach(reserved).and_then(|()| unregister(&target)),
    };
    let moved = match connections {
        Connections::Keep => None,
        Connections::ToPreviousDefault => Some(move_sockets(&target.name, |cookie| {
            // It is put back already, where it may be.
            let default = default_in_this_namespace().filter(|default| *default != target.name);
            let others = successors(previous.as_ref(), cookie, &target.name)?;
            let mut names = default.into_iter().chain(others);
            Ok(names.next().unwrap_or_else(|| "reno".to_owned()))
        })?),
        Connections::To(other) => Some(move_sockets(&target.name, |_| Ok(other.clone()))?),
    };
    // Its connections moved all the same.
    unregistered?;
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
    if let Some(link) = loaded.map_ids.link {
        return detach_link(link).map_err(|error| refused(error.to_string()));
    }
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

/// Ends what a link does, while a process or a pin holds it. Links of struct_ops can do that since
/// Linux 6.11, those of cgroups in all kernels that Onramp supports.
pub(crate) fn detach_link(id: u32) -> io::Result<()> {
    // SAFETY: a plain system call that returns a descriptor or an error.
    let link = match unsafe { bpf_link_get_fd_by_id(id) } {
        // It has ended in the meantime.
        errno if errno == -ENOENT => return Ok(()),
        errno if errno < 0 => return Err(io::Error::from_raw_os_error(-errno)),
        // SAFETY: the descriptor is new, and nobody else owns it.
        descriptor => unsafe { OwnedFd::from_raw_fd(descriptor) },
    };
    // SAFETY: the descriptor is open.
    match unsafe { bpf_link_detach(link.as_raw_fd()) } {
        0 => Ok(()),
        errno => Err(io::Error::from_raw_os_error(-errno)),
    }
}
