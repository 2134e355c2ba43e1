//! The default congestion controls of network namespaces: who has ours, and what was there before.
//!
//! A registration that stays until it is unloaded has a map with the defaults from before. The map
//! is bound to its programs, so the kernel keeps it as long as anything uses the registration.

use crate::inspect::{default_in_this_namespace, registered_names, Loaded, DEFAULTS_MAP};
use crate::namespaces::{cookie, in_each, network_namespaces, Found, NetworkNamespace, Search};
use crate::object::value;
use crate::process::read_text;
use crate::records::{name_bytes, name_text, Name};
use crate::{Error, Result};
use libbpf_rs::libbpf_sys::{bpf_map_create_opts, bpf_prog_bind_map, BPF_F_NO_PREALLOC};
use libbpf_rs::{MapCore, MapFlags, MapHandle, MapType, Object};
use onramp_bpf::bindings::NAME_BYTES;
use serde::Serialize;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// Namespaces that the map has room for.
const MAX_NAMESPACES: u32 = 4096;

/// The key of the default of the namespace in which the registration was made. Cookies of
/// namespaces begin with 1.
const WHERE_LOADED: u64 = 0;

/// The controls that a namespace gets if it is unknown what it had: the kernel's usual default, and
/// the one that every kernel has.
const KERNELS_OWN: [&str; 2] = ["cubic", "reno"];

const DEFAULT: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
const ALLOWED: &str = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";

/// A default that was put back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RestoredDefault {
    /// Where.
    pub network_namespace: NetworkNamespace,
    /// The default there now; null if it could not be changed.
    pub default: Option<String>,
    /// Why it could not be changed.
    pub error: Option<String>,
}

/// What was the default of each network namespace before a registration.
pub(crate) struct PreviousDefaults(MapHandle);

impl PreviousDefaults {
    /// Those of a registration, if they were recorded.
    pub fn before(loaded: &Loaded) -> Result<Option<PreviousDefaults>> {
        let map = loaded.map(DEFAULTS_MAP)?;
        Ok(map.map(PreviousDefaults))
    }

    /// Makes the map of a registration whose programs are loaded, and fills it.
    pub fn record(object: &Object) -> libbpf_rs::Result<PreviousDefaults> {
        let options = bpf_map_create_opts {
            sz: size_of::<bpf_map_create_opts>() as _,
            map_flags: BPF_F_NO_PREALLOC,
            ..Default::default()
        };
        let map = MapHandle::create(
            MapType::Hash,
            Some(DEFAULTS_MAP),
            size_of::<u64>() as u32,
            NAME_BYTES,
            MAX_NAMESPACES,
            &options,
        )?;
        for program in object.progs().filter(|program| program.autoload()) {
            let (program, map) = (program.as_fd().as_raw_fd(), map.as_fd().as_raw_fd());
            // SAFETY: both descriptors are open; no options are given.
            let result = unsafe { bpf_prog_bind_map(program, map, std::ptr::null()) };
            if result != 0 {
                return Err(io::Error::from_raw_os_error(-result).into());
            }
        }
        let previous = PreviousDefaults(map);
        if let Some(default) = default_in_this_namespace() {
            previous.set(WHERE_LOADED, &default)?;
        }
        let namespaces = network_namespaces(Search::Thorough).unwrap_or_default();
        for (_, found) in in_each(&namespaces, |_, cookie| {
            Ok((cookie, default_in_this_namespace()))
        }) {
            // A namespace that cannot be entered cannot be changed later either.
            if let Ok((cookie, Some(default))) = found {
                previous.set(cookie, &default)?;
            }
        }
        Ok(previous)
    }

    /// The map, to be pinned.
    pub fn map(&mut self) -> &mut MapHandle {
        &mut self.0
    }

    /// Those in a map that was pinned.
    pub fn pinned(map: MapHandle) -> PreviousDefaults {
        PreviousDefaults(map)
    }

    fn set(&self, cookie: u64, name: &str) -> libbpf_rs::Result<()> {
        self.0
            .update(&cookie.to_ne_bytes(), &name_bytes(name), MapFlags::ANY)
    }

    /// What a namespace had; if that is not known, what the namespace had where `load` ran. New
    /// namespaces inherit the default of the host's first one.
    fn of(&self, cookie: u64) -> Option<String> {
        self.exactly(cookie).or_else(|| self.exactly(WHERE_LOADED))
    }

    fn exactly(&self, cookie: u64) -> Option<String> {
        let name: Option<Name> = value(&self.0, &cookie.to_ne_bytes()).ok()?;
        name.map(|name| name_text(&name))
    }

    /// Replaces a name that is about to go by the one that was there before that.
    pub fn replace(&self, gone: &str, before: &PreviousDefaults) -> libbpf_rs::Result<()> {
        for key in self.0.keys().collect::<Vec<_>>() {
            let Ok(cookie) = key.try_into().map(u64::from_ne_bytes) else {
                continue;
            };
            if self.exactly(cookie).as_deref() == Some(gone) {
                if let Some(name) = before.of(cookie) {
                    self.set(cookie, &name)?;
                }
            }
        }
        Ok(())
    }
}

/// A congestion control that ends, and what was the default before it.
#[derive(Clone, Copy)]
pub(crate) struct Going<'a> {
    pub name: &'a str,
    pub previous: Option<&'a PreviousDefaults>,
}

/// The controls that may follow `gone` in a namespace, the best first: they exist in this thread's
/// namespace, and none of them is going.
pub(crate) fn successors(going: &[Going<'_>], cookie: u64, gone: &str) -> Result<Vec<String>> {
    let existing = registered_names()?;
    let find = |name: &str| going.iter().find(|other| other.name == name);
    let mut recorded = Some(gone.to_owned());
    // What was the default before may be going too. No circle is followed for ever.
    for _ in going {
        if let Some(next) = recorded.as_deref().and_then(find) {
            recorded = next.previous.and_then(|previous| previous.of(cookie));
        }
    }
    let names = recorded.into_iter().chain(KERNELS_OWN.map(str::to_owned));
    let may_follow = |name: &String| existing.contains(name) && find(name).is_none();
    Ok(names.filter(may_follow).collect())
}

/// The network namespaces whose default has this name.
pub(crate) fn namespaces_with(name: &str, search: Search) -> Result<Vec<NetworkNamespace>> {
    let namespaces = network_namespaces(search)?;
    let visited = in_each(&namespaces, |_, _| Ok(default_in_this_namespace()));
    let with_it = visited
        .into_iter()
        .filter(|(_, found)| matches!(found, Ok(Some(default)) if default == name));
    Ok(with_it.map(|(namespace, _)| namespace).collect())
}

/// Makes a congestion control the default of this network namespace, and records what was before.
pub(crate) fn make_default(name: &str, previous: Option<&PreviousDefaults>) -> Result<()> {
    let before = default_in_this_namespace();
    if before.as_deref() == Some(name) {
        return Ok(());
    }
    if let Some((previous, before)) = previous.zip(before) {
        previous
            .set(cookie()?, &before)
            .map_err(|error| Error::unreadable(DEFAULTS_MAP, name, &error))?;
    }
    set_default(name)
}

/// Puts back the default of each of these network namespaces that has a control that is going.
/// Returns the names of these controls, with what was put back.
pub(crate) fn put_back(
    going: &[Going<'_>],
    namespaces: &[Found],
) -> Vec<(String, RestoredDefault)> {
    let visited = in_each(namespaces, |_, cookie| {
        let default = default_in_this_namespace().unwrap_or_default();
        let is_going = going.iter().any(|going| going.name == default);
        Ok(is_going.then(|| (put_back_here(going, cookie, &default), default)))
    });
    let mut restored = Vec::new();
    for (network_namespace, result) in visited {
        // A namespace that cannot be entered is not known to have this default.
        if let Ok(Some((result, gone))) = result {
            let (default, error) = match result {
                Ok(name) => (Some(name), None),
                Err(error) => (None, Some(error.to_string())),
            };
            let default = RestoredDefault {
                network_namespace,
                default,
                error,
            };
            restored.push((gone, default));
        }
    }
    restored
}

/// Puts back the default of this thread's network namespace. Returns its name.
fn put_back_here(going: &[Going<'_>], cookie: u64, gone: &str) -> Result<String> {
    let names = successors(going, cookie, gone)?;
    let mut failed = Error::MayNotBeDefault {
        name: names.join(", "),
    };
    for name in names {
        match set_default(&name) {
            Ok(()) => return Ok(name),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// Writes the sysctl of this thread's network namespace. Outside of the host's first namespace the
/// kernel refuses a control that is not allowed, and then loses a reference to it for ever (up to
/// Linux 6.18 at least). So this asks first.
fn set_default(name: &str) -> Result<()> {
    if !allowed_names()?.iter().any(|allowed| allowed == name) {
        return Err(Error::MayNotBeDefault {
            name: name.to_owned(),
        });
    }
    fs::write(DEFAULT, name).map_err(|error| Error::io(format!("write {name} to {DEFAULT}"), error))
}

/// The congestion controls that every user may choose: `net.ipv4.tcp_allowed_congestion_control`.
///
/// # Errors
/// [`Error::Io`] if /proc cannot be read.
pub fn allowed_names() -> Result<Vec<String>> {
    let text = read_text(ALLOWED)?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}
