//! The congestion controls of Onramp in this kernel.

use super::operations::{operations, Operations};
use super::sockets::Sockets;
use crate::governor::Governor;
use crate::memory::PathsMap;
use crate::object::only_value;
use crate::pairs::PairsMap;
use crate::process::{self, now_ns};
use crate::qos::{self, Reservations};
use crate::records::{name_chars, name_text, Plain};
use crate::totals::Totals;
use crate::{probe, Avoidance, Error, Memory, Result, Timers};
use libbpf_rs::query::{ProgInfoIter, ProgInfoQueryOptions};
use libbpf_rs::{MapCore, MapFlags, MapHandle, ProgramType};
use nix::time::ClockId;
use onramp_bpf::bindings::{self, maps, Config, CONFIG_VERSION};
use onramp_core::{FirstRound, InitialRate};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;

/// The beginning of the names of our BPF programs and maps.
pub(crate) const NAME_PREFIX: &str = "onramp_";

/// The map with what was the default of network namespaces before a registration. User space makes
/// it and binds it to the programs.
pub(crate) const DEFAULTS_MAP: &str = "onramp_defaults";

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
    /// The rate at which payload of new connections leaves behind the initial window before any
    /// ACK; 0: none does.
    pub initial_bytes_per_s: u64,
    /// That rate is learned from earlier connections.
    pub initial_rate_is_learned: bool,
    /// The prefixes of addresses whose connections start at a learned rate of their own.
    pub initial_rate_prefixes: usize,
    /// What its connections change in the kernel's timers.
    #[serde(flatten)]
    pub timers: Timers,
    /// The process that it belongs to, if it does not stay until it is unloaded.
    pub owner_pid: Option<u32>,
    /// It belongs to `onramp serve`, and ends with the service or with a configuration that does
    /// not need it.
    pub service: bool,
    /// New connections can choose it. Otherwise it only serves the connections that it has.
    pub registered: bool,
    /// Connections that use it, in all network namespaces. Those that were handed over to the
    /// kernel's own congestion avoidance do not use it any more.
    pub connections: usize,
    /// Only processes with CAP_NET_ADMIN may choose it.
    pub restricted: bool,
    /// Sockets that have chosen it, connected or not, and network namespaces whose default it is.
    pub references: u64,
    /// Another version of Onramp made it. Nothing is known but its name and its references.
    #[serde(skip)]
    pub other_version: bool,
    #[serde(skip)]
    pub(crate) owner_is_running: bool,
    #[serde(skip)]
    memory_lifetime_ns: u64,
    #[serde(skip)]
    governor_bound_ppm: u32,
    #[serde(skip)]
    memory_jump_bytes: u64,
    #[serde(skip)]
    pub(crate) configured_initial_bytes_per_s: u64,
    /// The ids of its maps, by their names.
    #[serde(skip)]
    pub(crate) map_ids: MapIds,
    /// The id of the struct_ops map with its `tcp_congestion_ops`.
    #[serde(skip)]
    pub(crate) operations: Option<u32>,
    /// The id of the link that registers it, if one does.
    #[serde(skip)]
    pub(crate) link: Option<u32>,
}

type MapIds = BTreeMap<String, u32>;

impl Loaded {
    /// The map with its packet pairs, if it sends any.
    ///
    /// # Errors
    /// The kernel's refusal: it may have been unloaded.
    pub fn pairs(&self) -> Result<Option<PairsMap>> {
        Ok(self.map(maps::PAIRS)?.map(PairsMap))
    }

    /// Its reservations, if it can have any.
    ///
    /// # Errors
    /// The kernel's refusal: it may have been unloaded.
    pub fn reservations(&self) -> Result<Option<Reservations>> {
        let [reserved, limits, usage, users, penalties] = qos::MAPS.map(|name| self.map(name));
        let maps = [reserved?, limits?, usage?, users?, penalties?];
        Ok(Reservations::new(&self.name, maps))
    }

    /// Its path memory, if it has one.
    ///
    /// # Errors
    /// The kernel's refusal: it may have been unloaded.
    pub fn memory(&self) -> Result<Option<PathsMap>> {
        let map = self.map(maps::MEMORY)?;
        Ok(map.map(|map| PathsMap::new(&self.name, map, self.memory_lifetime_ns)))
    }

    /// The Lifetime of its path memory; 0: it has none.
    pub fn memory_lifetime_ns(&self) -> u64 {
        self.memory_lifetime_ns
    }

    /// What its connections did so far.
    ///
    /// # Errors
    /// The kernel's refusal: it may have been unloaded.
    pub fn totals(&self) -> Result<Totals> {
        match self.map(maps::TOTALS)? {
            Some(map) => Totals::read(&map, &self.name),
            None => Ok(Totals::default()),
        }
    }

    /// Its governor, unless it is off.
    ///
    /// # Errors
    /// The kernel's refusal: it may have been unloaded.
    pub fn governor(&self) -> Result<Option<Governor>> {
        let maps = self.map(maps::GOVERNOR)?.zip(self.map(maps::DESTS)?);
        maps.map(|(host, destinations)| {
            Governor::read(self.governor_bound_ppm, &host, &destinations, &self.name)
        })
        .transpose()
    }

    /// The bound of its governor, in parts per million; 0: the governor is off.
    pub fn governor_bound_ppm(&self) -> u32 {
        self.governor_bound_ppm
    }

    /// The cap of a jump at once; 0: the default.
    pub fn memory_jump_bytes(&self) -> u64 {
        self.memory_jump_bytes
    }

    pub(crate) fn map_id(&self, name: &str) -> Option<u32> {
        self.map_ids.get(name).copied()
    }

    pub(crate) fn map(&self, name: &str) -> Result<Option<MapHandle>> {
        let handle = self.map_id(name).map(MapHandle::from_map_id).transpose();
        handle.map_err(|error| Error::unreadable(name, &self.name, &error))
    }
}

/// Every congestion control of Onramp in this kernel, whoever loaded it.
///
/// # Errors
/// [`Error::NotPermitted`], [`Error::NoBtf`], or the kernel's refusal.
pub fn loaded() -> Result<Vec<Loaded>> {
    let mut all = found()?;
    let mut sockets = Sockets::default();
    for loaded in &mut all {
        if let Some(map) = loaded.map_id(maps::CONNS) {
            let sockets = sockets.read(map, None)?.into_iter();
            let own = sockets.filter(|socket| socket.connection.handed_over_ns == 0);
            loaded.connections = own.count();
        }
    }
    // A program that is neither registered nor in use is about to disappear.
    all.retain(|loaded| loaded.registered || loaded.connections > 0 || loaded.references > 0);
    Ok(all)
}

/// Those that new connections can choose, without their numbers of connections.
///
/// # Errors
/// [`Error::NotPermitted`] or [`Error::NoBtf`].
pub fn registered() -> Result<Vec<Loaded>> {
    let mut all = found()?;
    all.retain(|loaded| loaded.registered);
    Ok(all)
}

/// All, without their numbers of connections, and with programs that are about to disappear:
/// reading the sockets takes longer than all else.
///
/// # Errors
/// [`Error::NotPermitted`] or [`Error::NoBtf`].
pub(crate) fn found() -> Result<Vec<Loaded>> {
    probe::check_permission()?;
    probe::check_btf()?;
    let objects = objects();
    if objects.is_empty() {
        return Ok(Vec::new());
    }
    let operations = operations(&objects.keys().copied().collect());
    let described = objects.into_iter().filter_map(|(object, map_ids)| {
        let operations = operations.iter().find(|of| of.object == object);
        let (config, map_ids) = config_and_maps(&map_ids);
        let config = config.or_else(|| of_other_version(operations?))?;
        Some(describe(&config, map_ids, operations))
    });
    Ok(described.collect())
}

/// What is known about a registration of another version of Onramp: its name. Reading the kernel's
/// BTF takes tens of milliseconds, so it is read for such a registration only.
fn of_other_version(operations: &Operations) -> Option<Config> {
    let name = operations.name(&probe::kernel_btf().ok()?)?;
    Some(Config {
        avoidance: u32::MAX,
        startup: name_chars("unknown"),
        congestion_control: name_chars(&name),
        ..Config::default()
    })
}

/// The maps of the struct_ops programs that have our names, by the BTF of the object that they were
/// loaded with: an object is one registration.
fn objects() -> BTreeMap<u32, BTreeSet<u32>> {
    let options = ProgInfoQueryOptions::default().include_map_ids(true);
    let ours = ProgInfoIter::with_query_opts(options).filter(|program| {
        program.ty == ProgramType::StructOps
            && program.name.as_bytes().starts_with(NAME_PREFIX.as_bytes())
    });
    let mut objects: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for program in ours {
        objects
            .entry(program.btf_id)
            .or_default()
            .extend(program.map_ids);
    }
    objects
}

/// The configuration and the maps that an object's programs use. An object of another version of
/// Onramp has no configuration, and only the maps whose records do not depend on the version.
fn config_and_maps(map_ids: &BTreeSet<u32>) -> (Option<Config>, MapIds) {
    let mut config: Option<Config> = None;
    let mut ids = MapIds::new();
    for &id in map_ids {
        let Ok(map) = MapHandle::from_map_id(id) else {
            continue;
        };
        let name = map.name().to_string_lossy().into_owned();
        let value_bytes = map.value_size() as usize;
        // A value of another size belongs to another version.
        let is_of_this_version = match name.as_str() {
            // The state of the algorithm follows the connection.
            maps::CONNS => value_bytes >= size_of::<bindings::Connection>(),
            maps::PAIRS => value_bytes == size_of::<bindings::Pairs>(),
            maps::TOTALS => value_bytes == size_of::<bindings::Totals>(),
            _ => true,
        };
        if name == maps::RODATA_ONRAMP {
            config = only_value(&map);
        }
        if is_of_this_version {
            ids.insert(name, id);
        }
    }
    let config = config.filter(|config| config.version == CONFIG_VERSION);
    if config.is_none() {
        ids.retain(|name, _| name == DEFAULTS_MAP || qos::MAPS.contains(&name.as_str()));
    }
    (config, ids)
}

fn describe(config: &Config, map_ids: MapIds, operations: Option<&Operations>) -> Loaded {
    let lifetime_ns = config.memory_lifetime_ns;
    Loaded {
        name: name_text(&config.congestion_control),
        startup: name_text(&config.startup),
        avoidance: Avoidance::from_repr(config.avoidance).map_or("unknown", Avoidance::name),
        paper_initial_window: config.options & onramp_core::OPTION_PAPER_INITIAL_WINDOW != 0,
        packet_pairs: map_ids.contains_key(maps::PAIRS),
        memory: memory_of(config).name(),
        memory_lifetime_s: (lifetime_ns != 0).then_some(lifetime_ns as f64 / 1e9),
        owner_pid: (config.owner_pid != 0).then_some(config.owner_pid),
        service: config.service != 0,
        registered: operations.is_some_and(|operations| operations.registered),
        restricted: config.restricted != 0,
        references: operations.map_or(0, |operations| operations.references),
        connections: 0,
        other_version: config.version != CONFIG_VERSION,
        owner_is_running: process::is_running(config.owner_pid, config.owner_start_ticks),
        memory_lifetime_ns: lifetime_ns,
        governor_bound_ppm: config.governor_bound_ppm,
        memory_jump_bytes: config.memory_jump_bytes,
        initial_bytes_per_s: initial_bytes_per_s(config, map_ids.get(maps::FIRST)),
        initial_rate_is_learned: config.initial_bytes_per_s == InitialRate::Auto.bytes_per_s(),
        initial_rate_prefixes: known_prefixes(map_ids.get(maps::RATES)).unwrap_or(0),
        configured_initial_bytes_per_s: config.initial_bytes_per_s,
        timers: Timers::of(config.timers),
        map_ids,
        operations: operations.map(|operations| operations.map),
        link: operations.and_then(|operations| operations.link),
    }
}

/// The initial rate of new connections. `first` is the map of what was learned.
fn initial_bytes_per_s(config: &Config, first: Option<&u32>) -> u64 {
    if config.initial_bytes_per_s != InitialRate::Auto.bytes_per_s() {
        return config.initial_bytes_per_s;
    }
    let map = first.and_then(|id| MapHandle::from_map_id(*id).ok());
    let learned: FirstRound = map.and_then(|map| only_value(&map)).unwrap_or_default();
    // Without a clock, what was learned counts as new.
    learned.rate(now_ns(ClockId::CLOCK_MONOTONIC).unwrap_or(0))
}

/// How many prefixes have a rate of their own, from the map of these rates. `None`: there is none.
fn known_prefixes(rates: Option<&u32>) -> Option<usize> {
    let map = MapHandle::from_map_id(*rates?).ok()?;
    let now_ns = now_ns(ClockId::CLOCK_MONOTONIC).ok()?;
    let rates = map.lookup_batch(map.max_entries(), MapFlags::ANY, MapFlags::ANY);
    let learned = rates
        .ok()?
        .filter_map(|(_, rate)| FirstRound::from_bytes(&rate));
    Some(learned.filter(|rate| rate.is_known(now_ns)).count())
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
    let loaded = found()
        .ok()?
        .into_iter()
        .find(|loaded| loaded.name == name && loaded.registered)?;
    Some(match loaded.owner_pid {
        None if loaded.service => "by `onramp serve`".to_owned(),
        Some(pid) => format!("by process {pid}, a running `onramp exec` or `onramp lab`"),
        None if loaded.other_version => {
            "by another version of Onramp; `onramp off` removes it".to_owned()
        }
        None => format!(
            "start-up {}, then {}; `onramp unload {}` removes it",
            loaded.startup, loaded.avoidance, loaded.startup
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_bpf::bindings::programs;

    #[test]
    fn every_member_of_a_registration_has_the_prefix_of_our_programs() {
        for name in [programs::INIT, programs::SSTHRESH, programs::SET_STATE] {
            assert!(name.starts_with(NAME_PREFIX), "{name}");
        }
    }
}
