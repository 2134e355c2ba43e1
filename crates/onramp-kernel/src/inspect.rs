//! Finding what is registered, by this process or another, and the connections that use it.
//!
//! Nothing is pinned or written down: the kernel's own lists of maps and programs are the only
//! record, so that it can't go stale. A congestion control of ours is recognised by the map that
//! holds its configuration.

use crate::memory::PathsMap;
use crate::pair::PairsMap;
use crate::process;
use crate::qos::{self, Reservations};
use crate::registration::{only_value, with_log};
use crate::shared::{
    name_text, Config, Plain, RawConnection, RawPairs, RawSocket, CONFIG_MAP, CONFIG_VERSION,
    CONNECTIONS_MAP, LIMITS_MAP, MEMORY_MAP, PAIRS_MAP, RESERVED_MAP, USAGE_MAP,
};
use crate::{probe, Avoidance, Error, Result};
use libbpf_rs::btf::types::{MemberAttr, Struct};
use libbpf_rs::btf::Btf;
use libbpf_rs::query::{
    LinkInfoIter, LinkTypeInfo, MapInfoIter, ProgInfoIter, ProgInfoQueryOptions,
};
use libbpf_rs::{Iter, MapCore, MapHandle, MapType, ObjectBuilder};
use onramp_core::memory::Memory;
use onramp_core::{Decision, PHASE_RESERVED};
use serde::Serialize;
use std::fs;
use std::io::Read;
use std::net::SocketAddr;
use std::os::fd::AsFd;

/// A congestion control of Onramp's in this kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Loaded {
    /// The name that sockets choose.
    pub name: String,
    /// Its algorithm.
    pub startup: String,
    /// What follows it.
    pub avoidance: &'static str,
    /// It starts with the paper's initial window instead of the host's.
    pub paper_initial_window: bool,
    /// It sends packet pairs, where the peer knows them.
    pub packet_pairs: bool,
    /// What its connections make of what earlier ones found of their path: `off`, `careful` or
    /// `at-once`.
    pub memory: &'static str,
    /// How long that counts, where it does.
    pub memory_lifetime_s: Option<f64>,
    /// The process it belongs to, if it does not stay until it is unloaded.
    pub owner_pid: Option<u32>,
    /// New connections can choose it; otherwise it only serves those that it has.
    pub registered: bool,
    /// Connections that use it, in all network namespaces.
    pub connections: usize,
    #[serde(skip)]
    owner_running: bool,
    #[serde(skip)]
    operations_map: Option<u32>,
    #[serde(skip)]
    connections_map: Option<u32>,
    #[serde(skip)]
    memory_lifetime_ns: u64,
    #[serde(skip)]
    memory_map: Option<u32>,
    #[serde(skip)]
    pairs_map: Option<u32>,
    /// Reserved, limits, usage.
    #[serde(skip)]
    reservation_maps: [Option<u32>; 3],
}

impl Loaded {
    /// Where its packet pairs are, if it sends any.
    ///
    /// # Errors
    /// The kernel's refusal: it may have been unloaded.
    pub fn pairs(&self) -> Result<Option<PairsMap>> {
        Ok(self.map(PAIRS_MAP, self.pairs_map)?.map(PairsMap))
    }

    /// Where its reservations are, if it has any.
    ///
    /// # Errors
    /// The kernel's refusal: it may have been unloaded.
    pub fn reservations(&self) -> Result<Option<Reservations>> {
        let [reserved, limits, usage] = self.reservation_maps;
        Ok(Reservations::of(
            &self.name,
            [
                self.map(RESERVED_MAP, reserved)?,
                self.map(LIMITS_MAP, limits)?,
                self.map(USAGE_MAP, usage)?,
            ],
        ))
    }

    /// What it remembers of paths, if that was asked for.
    ///
    /// # Errors
    /// The kernel's refusal: it may have been unloaded.
    pub fn memory(&self) -> Result<Option<PathsMap>> {
        let map = self.map(MEMORY_MAP, self.memory_map)?;
        Ok(map.map(|map| PathsMap::of(&self.name, map, self.memory_lifetime_ns)))
    }

    /// How long what it remembers of paths counts; 0: it remembers nothing.
    pub fn memory_lifetime_ns(&self) -> u64 {
        self.memory_lifetime_ns
    }

    fn map(&self, name: &str, id: Option<u32>) -> Result<Option<MapHandle>> {
        let handle = id.map(MapHandle::from_map_id).transpose();
        handle.map_err(|error| Error::unreadable(name, &self.name, &error))
    }
}

/// The congestion controls that sockets of this network namespace can choose.
///
/// # Errors
/// [`Error::Io`] where /proc cannot be read.
pub fn registered_names() -> Result<Vec<String>> {
    let file = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    let text =
        fs::read_to_string(file).map_err(|error| Error::io(format!("read {file}"), error))?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

/// The congestion control that new sockets of this network namespace have.
pub fn default_in_this_namespace() -> Option<String> {
    fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control")
        .ok()
        .map(|name| name.trim().to_owned())
}

/// Every congestion control of Onramp's in this kernel, whoever loaded it.
///
/// # Errors
/// [`Error::NotPermitted`], or the kernel's refusal.
pub fn loaded() -> Result<Vec<Loaded>> {
    probe::check_permission()?;
    let operations = operations()?;
    let mut all = Vec::new();
    let programs =
        ProgInfoIter::with_query_opts(ProgInfoQueryOptions::default().include_map_ids(true));
    for program in
        programs.filter(|program| program.name.to_string_lossy().starts_with("onramp_control"))
    {
        let mut config = None;
        let (mut connections_map, mut memory_map, mut pairs_map, mut reservation_maps) =
            (None, None, None, [None; 3]);
        for id in program.map_ids {
            let Ok(map) = MapHandle::from_map_id(id) else {
                continue;
            };
            match map.name().to_string_lossy().as_ref() {
                CONFIG_MAP => {
                    config = only_value(&map).and_then(|bytes| Config::from_bytes(&bytes))
                }
                // Of another size it is another version's.
                CONNECTIONS_MAP if map.value_size() as usize == size_of::<RawConnection>() => {
                    connections_map = Some(id);
                }
                PAIRS_MAP if map.value_size() as usize == size_of::<RawPairs>() => {
                    pairs_map = Some(id)
                }
                MEMORY_MAP => memory_map = Some(id),
                RESERVED_MAP => reservation_maps[0] = Some(id),
                LIMITS_MAP => reservation_maps[1] = Some(id),
                USAGE_MAP => reservation_maps[2] = Some(id),
                _ => {}
            }
        }
        let Some(config) = config.filter(|config| config.version == CONFIG_VERSION) else {
            continue;
        };
        let operations = operations
            .iter()
            .find(|operations| operations.control_program == program.id);
        all.push(Loaded {
            name: name_text(&config.congestion_control),
            startup: name_text(&config.startup),
            avoidance: Avoidance::from_repr(config.avoidance).map_or("unknown", Avoidance::name),
            paper_initial_window: config.options & onramp_core::OPTION_PAPER_INITIAL_WINDOW != 0,
            packet_pairs: pairs_map.is_some(),
            memory: memory_of(&config).name(),
            memory_lifetime_s: (config.memory_lifetime_ns != 0)
                .then_some(config.memory_lifetime_ns as f64 / 1e9),
            owner_pid: (config.owner_pid != 0).then_some(config.owner_pid),
            registered: operations.is_some_and(|operations| operations.registered),
            connections: connections_map.map_or(Ok(0), |id| {
                raw_sockets(id, None).map(|sockets| sockets.len())
            })?,
            owner_running: process::is_running(config.owner_pid, config.owner_start_ticks),
            operations_map: operations.map(|operations| operations.map),
            connections_map,
            memory_lifetime_ns: config.memory_lifetime_ns,
            memory_map,
            pairs_map,
            reservation_maps,
        });
    }
    // What is neither registered nor used is about to go.
    all.retain(|loaded| loaded.registered || loaded.connections > 0);
    Ok(all)
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

/// A tcp_congestion_ops in a BPF map, registered or not.
struct Operations {
    map: u32,
    control_program: u32,
    registered: bool,
}

fn operations() -> Result<Vec<Operations>> {
    const STATE_OFFSET: usize = 4; // of bpf_struct_ops_common_value.state, since struct_ops exists
    const STATE_IN_USE: u32 = 1; // registered without a link; with one, the link says it
    let btf = probe::kernel_btf()?;
    let data = member_offset(&btf, "bpf_struct_ops_tcp_congestion_ops", "data")?;
    let control = data + member_offset(&btf, "tcp_congestion_ops", "cong_control")?;
    let linked: Vec<u32> = LinkInfoIter::default()
        .filter_map(|link| match link.info {
            LinkTypeInfo::StructOps(link) => Some(link.map_id),
            _ => None,
        })
        .collect();
    let number = |value: &[u8], at: usize| {
        value
            .get(at..at + 4)
            .map(|b| u32::from_ne_bytes(b.try_into().expect("4")))
    };
    Ok(MapInfoIter::default()
        .filter(|info| info.ty == MapType::StructOps)
        .filter_map(|info| {
            let value = only_value(&MapHandle::from_map_id(info.id).ok()?)?;
            Some(Operations {
                map: info.id,
                // The kernel shows a member that is a function as the id of its program.
                control_program: number(&value, control)?,
                registered: number(&value, STATE_OFFSET)? == STATE_IN_USE
                    || linked.contains(&info.id),
            })
        })
        .collect())
}

fn member_offset(btf: &Btf<'_>, structure: &str, member: &str) -> Result<usize> {
    let found = btf
        .type_by_name::<Struct<'_>>(structure)
        .and_then(|structure| {
            let member = structure
                .iter()
                .find(|m| m.name.is_some_and(|name| name == member))?;
            match member.attr {
                MemberAttr::Normal { offset } => Some(offset as usize / 8),
                MemberAttr::BitField { .. } => None,
            }
        });
    found.ok_or_else(|| Error::Unsupported {
        release: probe::kernel_release(),
        lacks: format!("struct {structure} has no {member}"),
    })
}

/// Who a registered name belongs to, for a message.
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

/// End a registration that stays until it is unloaded, by its start-up's or its own name.
/// Connections that use it keep it and go on.
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
            loaded: all.into_iter().map(|l| l.name).collect(),
        });
    };
    if let (Some(pid), true) = (found.owner_pid, found.owner_running) {
        return Err(Error::OwnedByProcess {
            name: found.name.clone(),
            pid,
        });
    }
    if let Some(reserved) = found.reservation_maps[0] {
        qos::detach(reserved)?;
    }
    unregister(found)?;
    Ok(found.clone())
}

/// Remove what killed processes left registered: before Linux 6.4 the kernel does not do it.
pub(crate) fn sweep() -> Result<()> {
    for stale in loaded()?
        .iter()
        .filter(|l| l.registered && l.owner_pid.is_some() && !l.owner_running)
    {
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
        .operations_map
        .ok_or_else(|| refused("its registration was not found".to_owned()))?;
    match MapHandle::from_map_id(map).and_then(|map| map.delete(&0u32.to_ne_bytes())) {
        // Another process of Onramp's, or the kernel at the end of its owner, was there first.
        Err(error) if error.kind() != libbpf_rs::ErrorKind::NotFound => {
            Err(refused(error.to_string()))
        }
        _ => Ok(()),
    }
}

/// A connection that uses a congestion control of Onramp's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Connection {
    /// The congestion control.
    pub congestion_control: String,
    /// This host's end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// TCP state, as `ss` writes it.
    pub state: &'static str,
    /// Inode number of its network namespace.
    pub network_namespace: u32,
    /// Where the start-up stands.
    pub phase: &'static str,
    /// Why it ended for the first time; `none` before.
    pub exit_reason: &'static str,
    /// When it did, since the connection was established.
    pub exit_time_s: Option<f64>,
    /// The window at that moment.
    pub exit_cwnd_bytes: Option<u64>,
    /// Age since it was established, or since it came to use this congestion control.
    pub age_s: f64,
    /// The path's rate as the start-up measured it (payload).
    pub estimate_bytes_per_s: Option<u64>,
    /// Pacing rate, if the connection is paced now.
    pub pacing_bytes_per_s: Option<u64>,
    /// Congestion window.
    pub cwnd_bytes: u64,
    /// Slow-start threshold, if one is set.
    pub ssthresh_bytes: Option<u64>,
    /// Smoothed round-trip time.
    pub srtt_s: f64,
    /// Acknowledged so far.
    pub acked_bytes: u64,
    /// Segments sent again so far.
    pub retransmitted_segments: u32,
    /// What became of packet pairs, where both ends know the option.
    pub pairs: Option<Pairs>,
}

/// Packet pairs on a connection, so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Pairs {
    /// Pairs that were sent.
    pub sent: u32,
    /// Intervals that the peer reported, and that the start-up was told.
    pub reported: u32,
    /// Pairs of the peer that were measured.
    pub measured: u32,
    /// Options of a length or type that they cannot have.
    pub malformed: u32,
    /// Options that came again, or that fit nothing that was sent or asked.
    pub ignored: u32,
    /// The latest interval that the peer reported.
    pub reported_interval_s: Option<f64>,
    /// The latest interval that was measured.
    pub measured_interval_s: Option<f64>,
}

impl Pairs {
    fn of(raw: &RawPairs) -> Pairs {
        let seconds = |ns: u32| (ns != 0).then_some(f64::from(ns) / 1e9);
        Pairs {
            sent: raw.counts.pairs,
            reported: raw.counts.replies,
            measured: raw.counts.answers,
            malformed: raw.counts.malformed,
            ignored: raw.counts.ignored,
            reported_interval_s: seconds(raw.reported_ns),
            measured_interval_s: seconds(raw.measured_ns),
        }
    }
}

/// All connections that use a congestion control of Onramp's, in all network namespaces, oldest
/// first.
///
/// # Errors
/// [`Error::NotPermitted`], or the kernel's refusal.
pub fn connections() -> Result<Vec<Connection>> {
    let mut all = Vec::new();
    for loaded in loaded()? {
        let sockets = loaded
            .connections_map
            .map_or(Ok(Vec::new()), |id| raw_sockets(id, loaded.pairs_map))?;
        all.extend(
            sockets
                .iter()
                .map(|socket| connection(&loaded.name, socket)),
        );
    }
    all.sort_by(|a, b| b.age_s.total_cmp(&a.age_s));
    Ok(all)
}

fn connection(congestion_control: &str, socket: &RawSocket) -> Connection {
    const STATES: [&str; 13] = [
        "UNKNOWN",
        "ESTAB",
        "SYN-SENT",
        "SYN-RECV",
        "FIN-WAIT-1",
        "FIN-WAIT-2",
        "TIME-WAIT",
        "UNCONN",
        "CLOSE-WAIT",
        "LAST-ACK",
        "LISTEN",
        "CLOSING",
        "SYN-RECV",
    ];
    const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;
    let Decision {
        phase,
        estimate_bytes_per_s,
        ..
    } = socket.connection.decision;
    let RawConnection {
        start_ns,
        exit,
        exit_ns,
        exit_cwnd_bytes,
        ..
    } = socket.connection;
    let seconds = |from: u64, to: u64| to.saturating_sub(from) as f64 / 1e9;
    let now = &socket.now;
    let mss = u64::from(now.mss_bytes);
    let has_ended = exit_ns != 0;
    Connection {
        congestion_control: congestion_control.to_owned(),
        local: now.local.socket_address(),
        remote: now.remote.socket_address(),
        state: STATES
            .get(now.tcp_state as usize)
            .copied()
            .unwrap_or("UNKNOWN"),
        network_namespace: now.network_namespace,
        phase: onramp_core::phase_name(phase),
        exit_reason: onramp_core::exit_name(exit),
        exit_time_s: has_ended.then(|| seconds(start_ns, exit_ns)),
        exit_cwnd_bytes: has_ended.then_some(exit_cwnd_bytes),
        age_s: seconds(start_ns, now.now_ns),
        estimate_bytes_per_s: (estimate_bytes_per_s != 0).then_some(estimate_bytes_per_s),
        pacing_bytes_per_s: match phase == PHASE_RESERVED {
            // The kernel's own is that of the next packet, by which the token bucket is kept.
            true => Some(socket.connection.decision.pacing_bytes_per_s),
            false => (now.pacing_bytes_per_s != u64::MAX).then_some(now.pacing_bytes_per_s),
        },
        cwnd_bytes: u64::from(now.cwnd_segments) * mss,
        ssthresh_bytes: (now.ssthresh_segments < INFINITE_SSTHRESH)
            .then(|| u64::from(now.ssthresh_segments) * mss),
        srtt_s: f64::from(now.srtt_us) / 1e6,
        acked_bytes: now.bytes_acked,
        retransmitted_segments: now.retransmitted_segments,
        pairs: (now.has_pairs != 0).then(|| Pairs::of(&socket.pairs)),
    }
}

/// Walk the sockets that have an entry in a socket-storage map, with what another one has of them.
fn raw_sockets(map_id: u32, pairs_map: Option<u32>) -> Result<Vec<RawSocket>> {
    let Ok(map) = MapHandle::from_map_id(map_id) else {
        return Ok(Vec::new()); // its last connection closed in the meantime
    };
    let (result, log) = with_log(|| {
        let mut open = ObjectBuilder::default().open_memory(onramp_bpf::CONNECTIONS)?;
        if let Some(pairs) = pairs_map {
            let pairs = MapHandle::from_map_id(pairs)?;
            open.maps_mut()
                .filter(|map| map.name() == PAIRS_MAP)
                .try_for_each(|mut map| map.reuse_fd(pairs.as_fd()))?;
        }
        let object = open.load()?;
        let program = object
            .progs_mut()
            .next()
            .expect("connections.bpf.c has a program");
        let link = program.attach_iter(map.as_fd())?;
        let mut bytes = Vec::new();
        Iter::new(&link)?
            .read_to_end(&mut bytes)
            .map_err(libbpf_rs::Error::from)?;
        Ok(bytes)
    });
    let bytes = result.map_err(|error| Error::Refused {
        what: "listing connections".to_owned(),
        cause: error.to_string(),
        log,
    })?;
    Ok(bytes
        .chunks_exact(size_of::<RawSocket>())
        .filter_map(RawSocket::from_bytes)
        .collect())
}
