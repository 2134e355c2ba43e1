//! The policy program (`bpf/policy.bpf.c`): loading, attaching, replacing.

use super::pins::{pin, Pins};
use super::state::{ServiceState, STATE_MAP};
use crate::cgroup::{cgroup2_mount, open};
use crate::object::{hash, map_named, only_value, with_log};
use crate::records::Plain;
use crate::registration::{map_of, Shared};
use crate::{Error, Result};
use libbpf_rs::{Link, MapCore, MapHandle, Object, ObjectBuilder};
use onramp_bpf::bindings::{self, maps, programs};
use std::ops::Index;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};

/// The maps of the policy program by their names, with the state of the service as the last one.
pub(super) struct Maps(Vec<(&'static str, MapHandle)>);

/// The maps that are pinned, beside the state, and the sizes of their values.
const PINNED: [(&str, usize); 11] = [
    (maps::ACTIVE, size_of::<u32>()),
    (maps::TABLES, size_of::<bindings::Table>()),
    (maps::PREFIXES, size_of::<u64>()),
    (maps::MATCHES, size_of::<u64>()),
    (maps::CGROUPS, size_of::<u64>()),
    (maps::LEVELS, size_of::<u32>()),
    (maps::TAGS, size_of::<bindings::Tag>()),
    (maps::GROUPS, size_of::<bindings::GroupCounts>()),
    (maps::POLICIED, size_of::<bindings::PolicyTotals>()),
    (maps::LIFTS, size_of::<bindings::ReceiverCounts>()),
    (maps::LIFTED, size_of::<bindings::Lift>()),
];

/// The name of the pin of the program's read-only data: its hash.
const BUILD: &str = "build";

impl Maps {
    /// Those of an earlier service, if they are complete and of this version.
    pub fn pinned(pins: &Pins) -> Option<Maps> {
        let state = pins.map(STATE_MAP)?;
        let records = ServiceState::read(&state).ok()?.records;
        if records != bindings::CONFIG_VERSION {
            return None;
        }
        Maps::with(state, |name, size| {
            pins.map(name)
                .filter(|map| map.value_size() as usize == size)
        })
    }

    fn of(object: &Object) -> Result<Maps> {
        let found = |name: &str, _| map_named(object, name, "the policy program").ok().flatten();
        let maps = Maps::with(ServiceState::make_map()?, found);
        Ok(maps.expect("policy.bpf.c has these maps"))
    }

    fn with(state: MapHandle, map: impl Fn(&str, usize) -> Option<MapHandle>) -> Option<Maps> {
        let found = PINNED.map(|(name, size)| Some((name, map(name, size)?)));
        let all = found.into_iter().chain([Some((STATE_MAP, state))]);
        all.collect::<Option<_>>().map(Maps)
    }

    /// Those that a registration shares with the policy program.
    pub fn shared(&self) -> &Shared {
        &self.0
    }

    /// Policies that can have counts.
    pub fn slots(&self) -> usize {
        self[maps::GROUPS].max_entries() as usize / 2
    }
}

impl Index<&str> for Maps {
    type Output = MapHandle;

    fn index(&self, name: &str) -> &MapHandle {
        map_of(&self.0, name).expect("PINNED has the name")
    }
}

/// A policy program that is loaded and not attached yet.
pub(super) struct Program {
    object: Object,
    /// Its programs that note cgroups which are made or removed, by their names.
    watchers: Vec<(String, Link)>,
}

impl Program {
    /// Loads it with maps of its own, with room for so many slots.
    pub fn with_new_maps(slots: usize) -> Result<(Program, Maps)> {
        let object = load(|name, map| match name {
            maps::GROUPS => map.set_max_entries(slots as u32 * 2),
            _ => Ok(()),
        })?;
        let maps = Maps::of(&object)?;
        Ok((Program::loaded(object), maps))
    }

    /// Loads it with the maps of an earlier one.
    pub fn with_maps(shared: &Maps) -> Result<Program> {
        let object = load(|name, map| match map_of(&shared.0, name) {
            Some(shared) => map.reuse_fd(shared.as_fd()),
            None => Ok(()),
        })?;
        Ok(Program::loaded(object))
    }

    fn loaded(object: Object) -> Program {
        Program {
            object,
            watchers: Vec::new(),
        }
    }

    /// Notes new cgroups from now on, beside the program that is in force and whose maps may be
    /// others: no cgroup that is made while policies are written is missed by either.
    pub fn watch_cgroups(&mut self) -> Result<()> {
        self.watchers.clear();
        for program in self.object.progs_mut() {
            let name = program.name().to_string_lossy().into_owned();
            if name != programs::POLICY {
                let link = attaching(&name, || program.attach())?;
                self.watchers.push((name, link));
            }
        }
        Ok(())
    }

    /// Attaches it, or puts it in the place of the one that is attached. No connection is missed:
    /// the kernel replaces a program of a cgroup at once.
    pub fn attach(self, pins: &Pins, shared: &mut Maps) -> Result<()> {
        for (name, map) in &mut shared.0 {
            if !pins.map(name).is_some_and(|pinned| is_same(&pinned, map)) {
                pins.pin_map(name, map)?;
            }
        }
        let mut programs = self.object.progs_mut();
        let policy = programs.find(|program| program.name() == programs::POLICY);
        let policy = policy.expect("policy.bpf.c has it");
        let path = link_path(pins, programs::POLICY);
        if let Some(mut earlier) = link(&path) {
            attaching(programs::POLICY, || earlier.update_prog(&policy))?;
        } else {
            let root = open(&cgroup2_mount()?)?;
            let link = attaching(programs::POLICY, || policy.attach_cgroup(root.as_raw_fd()));
            pin_link(&path, link?)?;
        }
        // In the place of those of the program that was in force until now.
        for (name, link) in self.watchers {
            pin_link(&link_path(pins, &name), link)?;
        }
        let mut build = map_named(&self.object, maps::RODATA_POLICY, "the policy program")?
            .expect("policy.bpf.c has it");
        pins.pin_map(BUILD, &mut build)
    }
}

fn attaching<T>(name: &str, work: impl FnOnce() -> libbpf_rs::Result<T>) -> Result<T> {
    with_log(work).map_err(|failed| failed.refused(format!("attaching {name}")))
}

fn link_path(pins: &Pins, program: &str) -> PathBuf {
    pins.link_path(program.trim_start_matches("onramp_"))
}

fn pin_link(path: &Path, mut link: Link) -> Result<()> {
    pin(path, |path| link.pin(path))
}

/// Is the program of this build attached?
pub(super) fn is_attached(pins: &Pins) -> bool {
    let build: Option<u64> = pins.map(BUILD).and_then(|map| only_value(&map));
    build == Some(hash(onramp_bpf::POLICY)) && is_any_attached(pins)
}

/// Is the program of any build attached?
pub(super) fn is_any_attached(pins: &Pins) -> bool {
    link(&pins.link_path("policy")).is_some()
}

/// Detaches it from the root cgroup: the kernel calls it no more, neither for new connections nor
/// for those that it measures.
pub(super) fn detach(pins: &Pins) -> Result<()> {
    match link(&pins.link_path("policy")) {
        Some(link) => link
            .detach()
            .map_err(|error| Error::refused("detaching the policy program", error)),
        None => Ok(()),
    }
}

/// A link that is pinned.
fn link(path: &Path) -> Option<Link> {
    // libbpf would print a warning where there is none.
    path.exists().then(|| Link::open(path).ok()).flatten()
}

fn is_same(one: &MapHandle, other: &MapHandle) -> bool {
    let id = |map: &MapHandle| map.info().map(|info| info.info.id);
    matches!((id(one), id(other)), (Ok(one), Ok(other)) if one == other)
}

fn load(
    set_up: impl Fn(&str, &mut libbpf_rs::OpenMapMut<'_>) -> libbpf_rs::Result<()>,
) -> Result<Object> {
    let object = with_log(|| {
        let mut open = ObjectBuilder::default().open_memory(onramp_bpf::POLICY)?;
        for mut map in open.maps_mut() {
            let name = map.name().to_string_lossy().into_owned();
            match name == maps::RODATA_POLICY {
                true => map.set_initial_value(hash(onramp_bpf::POLICY).as_bytes())?,
                false => set_up(&name, &mut map)?,
            }
        }
        open.load()
    });
    object.map_err(|failed| failed.refused("the policy program"))
}
