//! The congestion controls of Onramp in this kernel.

use super::operations::{operations, Operations};
use super::sockets::sockets;
use crate::memory::PathsMap;
use crate::object::only_value;
use crate::pairs::PairsMap;
use crate::process;
use crate::qos::Reservations;
use crate::records::{name_text, Plain};
use crate::{probe, Avoidance, Error, Memory, Result};
use libbpf_rs::query::{ProgInfoIter, ProgInfoQueryOptions, ProgramInfo};
use libbpf_rs::{MapCore, MapHandle};
use onramp_bpf::bindings::{self, maps, programs, Config, CONFIG_VERSION};
use serde::Serialize;

/// A congestion control of Onramp in this kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Loaded {
    /// The name that sockets choose.
    pub name: String,
    /// Its algorithm.
    pub startup: String,
    /// The congestion avoidance that follows.
    pub avoidance: &'static str,
    /// It starts with the initial window of RFC 3390 instead of the host's.
    pub paper_initial_window: bool,
    /// It sends packet pairs to peers that know the option.
    pub packet_pairs: bool,
    /// How its connections use what earlier ones measured on the same path: `off`, `careful` or
    /// `at-once`.
    pub memory: &'static str,
    /// How long a measurement is used, if any is.
    pub memory_lifetime_s: Option<f64>,
    /// The process that it belongs to, if it does not stay until it is unloaded.
    pub owner_pid: Option<u32>,
    /// New connections can choose it. Otherwise it only serves the connections that it has.
    pub registered: bool,
    /// Connections that use it, in all network namespaces.
    pub connections: usize,
    #[serde(skip)]
    pub(crate) owner_is_running: bool,
    #[serde(skip)]
    memory_lifetime_ns: u64,
    #[serde(skip)]
    pub(crate) map_ids: MapIds,
}

/// Ids of the maps of a registration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MapIds {
    /// The struct_ops map with its `tcp_congestion_ops`.
    pub operations: Option<u32>,
    pub connections: Option<u32>,
    pub memory: Option<u32>,
    pub pairs: Option<u32>,
    pub reserved: Option<u32>,
    pub limits: Option<u32>,
    pub usage: Option<u32>,
}

impl Loaded {
    /// The map with its packet pairs, if it sends any.
    ///
    /// # Errors
    /// The kernel's refusal: it may have been unloaded.
    pub fn pairs(&self) -> Result<Option<PairsMap>> {
        Ok(self.map(maps::PAIRS, self.map_ids.pairs)?.map(PairsMap))
    }

    /// Its reservations, if it can have any.
    ///
    /// # Errors
    /// The kernel's refusal: it may have been unloaded.
    pub fn reservations(&self) -> Result<Option<Reservations>> {
        let handles = [
            self.map(maps::RESERVED, self.map_ids.reserved)?,
            self.map(maps::LIMITS, self.map_ids.limits)?,
            self.map(maps::USAGE, self.map_ids.usage)?,
        ];
        Ok(Reservations::new(&self.name, handles))
    }

    /// Its path memory, if it has one.
    ///
    /// # Errors
    /// The kernel's refusal: it may have been unloaded.
    pub fn memory(&self) -> Result<Option<PathsMap>> {
        let map = self.map(maps::MEMORY, self.map_ids.memory)?;
        Ok(map.map(|map| PathsMap::new(&self.name, map, self.memory_lifetime_ns)))
    }

    /// The Lifetime of its path memory; 0: it has none.
    pub fn memory_lifetime_ns(&self) -> u64 {
        self.memory_lifetime_ns
    }

    fn map(&self, name: &str, id: Option<u32>) -> Result<Option<MapHandle>> {
        let handle = id.map(MapHandle::from_map_id).transpose();
        handle.map_err(|error| Error::unreadable(name, &self.name, &error))
    }
}

/// Every congestion control of Onramp in this kernel, whoever loaded it.
///
/// # Errors
/// [`Error::NotPermitted`], or the kernel's refusal.
pub fn loaded() -> Result<Vec<Loaded>> {
    probe::check_permission()?;
    let operations = operations()?;
    let mut all = Vec::new();
    let options = ProgInfoQueryOptions::default().include_map_ids(true);
    for program in ProgInfoIter::with_query_opts(options).filter(is_init) {
        if let Some((config, map_ids)) = config_and_maps(&program, &operations) {
            all.push(describe(&config, map_ids, &operations)?);
        }
    }
    // A program that is neither registered nor in use is about to disappear.
    all.retain(|loaded| loaded.registered || loaded.connections > 0);
    Ok(all)
}

/// Does the program implement `init`? Every start-up program has one.
fn is_init(program: &ProgramInfo) -> bool {
    program.name.to_string_lossy() == programs::INIT
}

/// The configuration and the maps that a program uses; `None` if it is no program of this version
/// of Onramp.
fn config_and_maps(program: &ProgramInfo, operations: &[Operations]) -> Option<(Config, MapIds)> {
    let mut config = None;
    let mut ids = MapIds::default();
    for &id in &program.map_ids {
        let Ok(map) = MapHandle::from_map_id(id) else {
            continue;
        };
        let value_bytes = map.value_size() as usize;
        match map.name().to_string_lossy().as_ref() {
            maps::RODATA_ONRAMP => {
                config = only_value(&map).and_then(|bytes| Config::from_bytes(&bytes));
            }
            // A value of another size belongs to another version.
            maps::CONNS if value_bytes == size_of::<bindings::Connection>() => {
                ids.connections = Some(id);
            }
            maps::PAIRS if value_bytes == size_of::<bindings::Pairs>() => ids.pairs = Some(id),
            maps::MEMORY => ids.memory = Some(id),
            maps::RESERVED => ids.reserved = Some(id),
            maps::LIMITS => ids.limits = Some(id),
            maps::USAGE => ids.usage = Some(id),
            _ => {}
        }
    }
    let own = operations
        .iter()
        .find(|operations| operations.init_program == program.id);
    ids.operations = own.map(|operations| operations.map);
    Some((
        config.filter(|config| config.version == CONFIG_VERSION)?,
        ids,
    ))
}

fn describe(config: &Config, map_ids: MapIds, operations: &[Operations]) -> Result<Loaded> {
    let is_registered = |id| {
        operations
            .iter()
            .any(|operations| operations.map == id && operations.registered)
    };
    let lifetime_ns = config.memory_lifetime_ns;
    Ok(Loaded {
        name: name_text(&config.congestion_control),
        startup: name_text(&config.startup),
        avoidance: Avoidance::from_repr(config.avoidance).map_or("unknown", Avoidance::name),
        paper_initial_window: config.options & onramp_core::OPTION_PAPER_INITIAL_WINDOW != 0,
        packet_pairs: map_ids.pairs.is_some(),
        memory: memory_of(config).name(),
        memory_lifetime_s: (lifetime_ns != 0).then_some(lifetime_ns as f64 / 1e9),
        owner_pid: (config.owner_pid != 0).then_some(config.owner_pid),
        registered: map_ids.operations.is_some_and(is_registered),
        connections: match map_ids.connections {
            Some(id) => sockets(id, None)?.len(),
            None => 0,
        },
        owner_is_running: process::is_running(config.owner_pid, config.owner_start_ticks),
        memory_lifetime_ns: lifetime_ns,
        map_ids,
    })
}

fn memory_of(config: &Config) -> Memory {
    match (
        config.memory_lifetime_ns,
        config.options & onramp_core::OPTION_RESUME_AT_ONCE,
    ) {
        (0, _) => Memory::Off,
        (_, 0) => Memory::Careful,
        _ => Memory::AtOnce,
    }
}

/// Whose a registered name is, for a message.
pub(crate) fn owner_of(name: &str) -> Option<String> {
    let loaded = loaded()
        .ok()?
        .into_iter()
        .find(|loaded| loaded.name == name && loaded.registered)?;
    Some(match loaded.owner_pid {
        Some(pid) => format!("by process {pid}, a running `onramp exec` or `onramp lab`"),
        None => format!(
            "start-up {}, then {}; `onramp unload {}` removes it",
            loaded.startup, loaded.avoidance, loaded.startup
        ),
    })
}
