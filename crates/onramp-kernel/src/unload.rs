//! Ending registrations that other processes made, and taking them back everywhere.

use crate::defaults::{
    namespaces_with, put_back, successors, Going, PreviousDefaults, RestoredDefault,
};
use crate::inspect::{default_in_this_namespace, found, loaded, Loaded, DEFAULTS_MAP};
use crate::live::{check_exists, move_sockets, Moved};
use crate::namespaces::{network_namespaces, Found, Search};
use crate::{qos, Error, Result};
use libbpf_rs::libbpf_sys::{bpf_link_detach, bpf_link_get_fd_by_id};
use libbpf_rs::{MapCore, MapHandle};
use nix::libc::ENOENT;
use onramp_bpf::bindings::maps;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
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
fn end(target: Loaded, connections: &Connections) -> Result<Unloaded> {
    let ending = Ending::of(vec![target])?;
    let restored = ending.put_back_defaults();
    ending.forget()?;
    let unregistered = ending.unregister();
    let (moved, _) = ending.move_sockets(connections)?;
    // Its connections moved all the same.
    unregistered?;
    let mut ended = ending.ended(restored, moved)?;
    Ok(ended.pop().expect("one was to end"))
}

/// Registrations that end together. One search for network namespaces and one walk over their
/// sockets serves all of them.
pub(crate) struct Ending {
    targets: Vec<(Loaded, Option<PreviousDefaults>)>,
    namespaces: Vec<Found>,
}

/// What became of the sockets of each name; `None`: they were left alone.
type MovedByName = Option<BTreeMap<String, Moved>>;

impl Ending {
    pub fn of(targets: Vec<Loaded>) -> Result<Ending> {
        let with_previous = |target: Loaded| {
            // Its map cannot be opened if it has ended meanwhile: the kernel's own default follows.
            let previous = PreviousDefaults::before(&target).ok().flatten();
            (target, previous)
        };
        Ok(Ending {
            targets: targets.into_iter().map(with_previous).collect(),
            namespaces: network_namespaces(Search::Thorough)?,
        })
    }

    fn going(&self) -> Vec<Going<'_>> {
        let going = self.targets.iter().map(|(target, previous)| Going {
            name: &target.name,
            previous: previous.as_ref(),
        });
        going.collect()
    }

    /// The first step: after it no new socket gets one of them by default.
    pub fn put_back_defaults(&self) -> Vec<(String, RestoredDefault)> {
        put_back(&self.going(), &self.namespaces)
    }

    /// Replaces registrations that end in what others would put back.
    fn forget(&self) -> Result<()> {
        let going = self.going();
        let is_going = |name: &str| going.iter().any(|going| going.name == name);
        for other in found()?.iter().filter(|other| !is_going(&other.name)) {
            let Some(others) = PreviousDefaults::before(other)? else {
                continue;
            };
            for Going { name, previous } in &going {
                let Some(before) = previous else { continue };
                others
                    .replace(name, before)
                    .map_err(|error| Error::unreadable(DEFAULTS_MAP, &other.name, &error))?;
            }
        }
        Ok(())
    }

    /// Ends those that are registered. One that does not end keeps none of the others; the first
    /// failure is returned.
    pub fn unregister(&self) -> Result<()> {
        let registered = self.targets.iter().map(|(target, _)| target);
        let ended = registered.filter(|target| target.registered).map(|target| {
            let detached = target.map_id(maps::RESERVED).map_or(Ok(()), qos::detach);
            detached.and_then(|()| unregister(target))
        });
        ended.fold(Ok(()), Result::and)
    }

    /// Moves their sockets. Returns the number of walks over all sockets too.
    pub fn move_sockets(&self, connections: &Connections) -> Result<(MovedByName, usize)> {
        let going = self.going();
        let names: BTreeSet<&str> = going.iter().map(|going| going.name).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let follows = |cookie, gone: &str| -> Result<String> {
            if let Connections::To(other) = connections {
                return Ok(other.clone());
            }
            // It is put back already, where it may be.
            let default = default_in_this_namespace();
            let default = default.filter(|default| !names.contains(&default.as_str()));
            let others = successors(&going, cookie, gone)?;
            let mut all = default.into_iter().chain(others);
            Ok(all.next().unwrap_or_else(|| "reno".to_owned()))
        };
        match connections {
            Connections::Keep => Ok((None, 0)),
            _ if names.is_empty() => Ok((Some(BTreeMap::new()), 0)),
            _ => {
                let (moved, walks) = move_sockets(&names, &self.namespaces, follows)?;
                Ok((Some(moved), walks))
            }
        }
    }

    /// What was done.
    pub fn ended(
        self,
        restored: Vec<(String, RestoredDefault)>,
        mut moved: MovedByName,
    ) -> Result<Vec<Unloaded>> {
        let left = found()?;
        let ended = self.targets.into_iter().map(|(target, _)| {
            let of_it = restored.iter().filter(|(name, _)| *name == target.name);
            let same = left
                .iter()
                .filter(|other| !other.registered && other.name == target.name);
            Unloaded {
                restored_defaults: of_it.map(|(_, default)| default.clone()).collect(),
                moved: moved
                    .as_mut()
                    .map(|moved| moved.remove(&target.name).unwrap_or_default()),
                references_left: same.map(|other| other.references).sum(),
                loaded: target,
            }
        });
        Ok(ended.collect())
    }
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
    let refused = |cause: String| Error::refused(format!("unregistering {}", loaded.name), cause);
    if let Some(link) = loaded.link {
        return detach_link(link).map_err(|error| refused(error.to_string()));
    }
    let map = loaded
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
