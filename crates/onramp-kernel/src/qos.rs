//! The socket option TCP_QOS: who may reserve how much, for whom the option is there, and the
//! option itself.

use crate::adopt::{cgroup2_mount, counts, WATCHING};
use crate::cgroup_program::{link, load, open};
use crate::shared::{
    name_bytes, Plain, QosConfig, RawLimit, RawReservation, RawUsage, LIMITS_MAP, LIMIT_LEVELS,
    RESERVATION_ASKED, RESERVED_MAP, USAGE_MAP,
};
use crate::{Error, Result};
use libbpf_rs::libbpf_sys::{
    bpf_prog_attach, bpf_prog_detach2, BPF_CGROUP_GETSOCKOPT, BPF_CGROUP_SETSOCKOPT,
    BPF_F_ALLOW_MULTI,
};
use libbpf_rs::query::{ProgInfoIter, ProgInfoQueryOptions};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, Object, Program};
use nix::libc;
use serde::Serialize;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};

const QOS_CONFIG_MAP: &str = ".rodata.qos";
/// The programs of the option, and what each is attached as.
const OPTION_PROGRAMS: [(&str, u32); 2] = [
    ("onramp_set_qos", BPF_CGROUP_SETSOCKOPT),
    ("onramp_get_qos", BPF_CGROUP_GETSOCKOPT),
];
/// The program that asks for others.
const ASKING_PROGRAM: &str = "onramp_reserve";

/// The option's number at level IPPROTO_TCP, as in bpf/include/onramp/tcp_qos.h.
const TCP_QOS: libc::c_int = 0x4f51;

/// What a socket reserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Reservation {
    /// Bytes of payload a second.
    pub rate_bytes_per_s: u64,
    /// What may leave at once; 0: as core/algorithms/qos.h has it.
    pub burst_bytes: u32,
}

/// struct tcp_qos of bpf/include/onramp/tcp_qos.h.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct TcpQos {
    rate_bytes_per_s: u64,
    burst_bytes: u32,
    reserved: u32,
}

/// Reserve a rate for a socket, as any program does by `setsockopt(TCP_QOS)`; `None` clears it.
///
/// # Errors
/// The errno of the call: docs/algorithms/qos.md lists them.
pub fn reserve(socket: BorrowedFd<'_>, reservation: Option<Reservation>) -> io::Result<()> {
    let Reservation {
        rate_bytes_per_s,
        burst_bytes,
    } = reservation.unwrap_or(Reservation {
        rate_bytes_per_s: 0,
        burst_bytes: 0,
    });
    let qos = TcpQos {
        rate_bytes_per_s,
        burst_bytes,
        reserved: 0,
    };
    let length = size_of::<TcpQos>() as libc::socklen_t;
    // SAFETY: the kernel reads `length` bytes of a record that lives until the call returns.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            TCP_QOS,
            (&raw const qos).cast(),
            length,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// What is in force for a socket.
///
/// # Errors
/// The errno of the call.
pub fn reservation(socket: BorrowedFd<'_>) -> io::Result<Option<Reservation>> {
    let mut qos = TcpQos::default();
    let mut length = size_of::<TcpQos>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes, and any bytes are a record.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            TCP_QOS,
            (&raw mut qos).cast(),
            &mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    let TcpQos {
        rate_bytes_per_s,
        burst_bytes,
        ..
    } = qos;
    Ok((rate_bytes_per_s != 0).then_some(Reservation {
        rate_bytes_per_s,
        burst_bytes,
    }))
}

/// The reservations of a registered start-up, and how much it may reserve.
pub struct Reservations {
    congestion_control: String,
    reserved: MapHandle,
    limits: MapHandle,
    usage: MapHandle,
}

/// A limit, and what of it is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LimitInForce {
    /// Path of the cgroup; `None` if it is gone.
    pub cgroup: Option<PathBuf>,
    /// How much may be reserved in it and the cgroups within it.
    pub limit_bytes_per_s: u64,
    /// How much is.
    pub reserved_bytes_per_s: u64,
    /// Reservations that were granted so far.
    pub granted: u64,
    /// That were refused because of this limit.
    pub refused: u64,
    /// That were granted and did not hold.
    pub broken: u64,
}

impl Reservations {
    /// Of these maps, where there are all three.
    pub(crate) fn of(
        congestion_control: &str,
        [reserved, limits, usage]: [Option<MapHandle>; 3],
    ) -> Option<Reservations> {
        let congestion_control = congestion_control.to_owned();
        Some(Reservations {
            congestion_control,
            reserved: reserved?,
            limits: limits?,
            usage: usage?,
        })
    }

    /// So much may be reserved by the processes of a cgroup and of those within it, beside what
    /// other limits say. It holds for what is asked from now on.
    ///
    /// # Errors
    /// [`Error::NotACgroup`], [`Error::TooManyLimits`], or the kernel's refusal.
    pub fn set_limit(&self, cgroup: &Path, bytes_per_s: u64) -> Result<()> {
        let id = cgroup_id(cgroup)?;
        let around = self.limits_around(cgroup.parent())?;
        if around.len() >= LIMIT_LEVELS {
            return Err(Error::TooManyLimits {
                path: cgroup.to_owned(),
                found: around.len(),
            });
        }
        match self.usage.update(
            &id.to_ne_bytes(),
            RawUsage::default().as_bytes(),
            MapFlags::NO_EXIST,
        ) {
            Err(error) if error.kind() != libbpf_rs::ErrorKind::AlreadyExists => {
                return Err(self.refused(&error))
            }
            _ => {}
        }
        let outer = around.first().copied().unwrap_or(0);
        self.write_limit(id, &RawLimit { bytes_per_s, outer })?;
        // Those within it whose next one outwards it is now.
        let cgroups = all_cgroups()?;
        for (inner, limit) in self
            .raw_limits()?
            .into_iter()
            .filter(|(inner, _)| *inner != id)
        {
            let Some(path) = cgroups.get(&inner) else {
                self.forget(inner);
                continue;
            };
            let around = self.limits_around(path.parent())?;
            if around.first() == Some(&id) && limit.outer != id {
                self.write_limit(inner, &RawLimit { outer: id, ..limit })?;
            }
        }
        Ok(())
    }

    /// The most that a process of a cgroup can reserve; 0 where there is no limit at all, and so no
    /// permission.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn most_bytes_per_s(&self, cgroup: &Path) -> Result<u64> {
        let around = self.limits_around(Some(cgroup))?;
        let limits = around
            .into_iter()
            .filter_map(|id| lookup::<RawLimit>(&self.limits, id));
        Ok(limits.map(|limit| limit.bytes_per_s).min().unwrap_or(0))
    }

    /// All limits, the outermost first.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn limits(&self) -> Result<Vec<LimitInForce>> {
        let mut cgroups = all_cgroups()?;
        let mut all = Vec::new();
        for (id, limit) in self.raw_limits()? {
            let usage = lookup::<RawUsage>(&self.usage, id).unwrap_or_default();
            all.push(LimitInForce {
                cgroup: cgroups.remove(&id),
                limit_bytes_per_s: limit.bytes_per_s,
                reserved_bytes_per_s: usage.bytes_per_s,
                granted: usage.granted,
                refused: usage.refused,
                broken: usage.broken,
            });
        }
        all.sort_by(|a, b| a.cgroup.cmp(&b.cgroup));
        Ok(all)
    }

    /// The limit of a cgroup that is gone, unless a connection still counts against it.
    fn forget(&self, id: u64) {
        if lookup::<RawUsage>(&self.usage, id).is_some_and(|usage| usage.bytes_per_s == 0) {
            // Either may have gone in the meantime.
            let _ = self.limits.delete(&id.to_ne_bytes());
            let _ = self.usage.delete(&id.to_ne_bytes());
        }
    }

    fn raw_limits(&self) -> Result<Vec<(u64, RawLimit)>> {
        let ids = self
            .limits
            .keys()
            .filter_map(|key| Some(u64::from_ne_bytes(key.try_into().ok()?)));
        Ok(ids
            .filter_map(|id| Some((id, lookup(&self.limits, id)?)))
            .collect())
    }

    fn write_limit(&self, id: u64, limit: &RawLimit) -> Result<()> {
        let written = self
            .limits
            .update(&id.to_ne_bytes(), limit.as_bytes(), MapFlags::ANY);
        written.map_err(|error| self.refused(&error))
    }

    /// The ids of a cgroup and of those around it that have a limit, the innermost first.
    fn limits_around(&self, cgroup: Option<&Path>) -> Result<Vec<u64>> {
        let mount = cgroup2_mount()?;
        let around = cgroup
            .into_iter()
            .flat_map(Path::ancestors)
            .take_while(|path| path.starts_with(&mount));
        let ids = around.filter_map(|path| cgroup_id(path).ok());
        Ok(ids
            .filter(|id| lookup::<RawLimit>(&self.limits, *id).is_some())
            .collect())
    }

    fn refused(&self, error: &libbpf_rs::Error) -> Error {
        Error::Refused {
            what: format!("setting a limit of {}", self.congestion_control),
            cause: error.to_string(),
            log: String::new(),
        }
    }
}

fn lookup<T: Plain>(map: &MapHandle, id: u64) -> Option<T> {
    T::from_bytes(
        &map.lookup(&id.to_ne_bytes(), MapFlags::ANY)
            .ok()
            .flatten()?,
    )
}

/// A cgroup's id: its directory's inode number.
fn cgroup_id(path: &Path) -> Result<u64> {
    let mount = cgroup2_mount()?;
    let (directory, root) = (fs::metadata(path), fs::metadata(&mount));
    match (directory, root) {
        (Ok(directory), Ok(root)) if directory.is_dir() && directory.dev() == root.dev() => {
            Ok(directory.ino())
        }
        _ => Err(Error::NotACgroup {
            path: path.to_owned(),
            mount,
        }),
    }
}

/// Every cgroup, by its id.
fn all_cgroups() -> Result<HashMap<u64, PathBuf>> {
    let root = cgroup2_mount()?;
    let mut all = HashMap::from([(cgroup_id(&root)?, root.clone())]);
    let mut left = vec![root];
    while let Some(path) = left.pop() {
        let entries = fs::read_dir(&path).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            all.insert(entry.ino(), entry.path());
            left.push(entry.path());
        }
    }
    Ok(all)
}

/// While it lives, TCP_QOS is there for the sockets of a cgroup's processes.
pub struct QosOption {
    _links: Vec<Link>,
    object: Object,
}

impl QosOption {
    /// Attach to a cgroup's directory. With `asked`, each of its connections whose program has not
    /// asked itself has that reservation; it counts against the limits of that cgroup and those
    /// around it.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn new(
        cgroup: &Path,
        reservations: &Reservations,
        asked: Option<Reservation>,
    ) -> Result<QosOption> {
        let (object, links) = load_programs(cgroup, reservations, asked, link)?;
        Ok(QosOption {
            _links: links,
            object,
        })
    }

    /// The same for all programs of the host, until [`crate::unload`].
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn for_the_host(reservations: &Reservations) -> Result<()> {
        load_programs(&cgroup2_mount()?, reservations, None, |object, cgroup| {
            for (name, kind) in OPTION_PROGRAMS {
                let program = object
                    .progs()
                    .find(|program| program.name() == name)
                    .expect("it is in qos.bpf.c");
                // SAFETY: both descriptors are open.
                let result = unsafe {
                    bpf_prog_attach(program.as_fd().as_raw_fd(), cgroup, kind, BPF_F_ALLOW_MULTI)
                };
                if result != 0 {
                    return Err(io::Error::from_raw_os_error(-result).into());
                }
            }
            Ok(())
        })
        .map(drop)
    }

    /// Connections for which it reserved, and connections for which it could not.
    pub fn counts(&self) -> (u64, u64) {
        counts(&self.object)
    }
}

fn load_programs<T>(
    cgroup: &Path,
    reservations: &Reservations,
    asked: Option<Reservation>,
    attach: impl Fn(&mut Object, i32) -> libbpf_rs::Result<T>,
) -> Result<(Object, T)> {
    let mut config = QosConfig {
        congestion_control: name_bytes(&reservations.congestion_control),
        asked: RawReservation::default(),
    };
    if let Some(Reservation {
        rate_bytes_per_s,
        burst_bytes,
    }) = asked
    {
        let mut limits = [0; LIMIT_LEVELS];
        for (place, id) in limits
            .iter_mut()
            .zip(reservations.limits_around(Some(cgroup))?)
        {
            *place = id;
        }
        config.asked = RawReservation {
            rate_bytes_per_s,
            burst_bytes,
            state: RESERVATION_ASKED,
            limits,
            ..config.asked
        };
    }
    let shared = [
        (RESERVED_MAP, &reservations.reserved),
        (LIMITS_MAP, &reservations.limits),
        (USAGE_MAP, &reservations.usage),
    ];
    load(
        onramp_bpf::QOS,
        cgroup,
        WATCHING,
        |program| program != ASKING_PROGRAM || asked.is_some(),
        |map| {
            if map.name() == QOS_CONFIG_MAP {
                map.set_initial_value(config.as_bytes())?;
            } else if let Some((_, handle)) = shared.iter().find(|(name, _)| map.name() == *name) {
                map.reuse_fd(handle.as_fd())?;
            }
            Ok(())
        },
        attach,
    )
}

/// Take the option of these reservations away from the host. Who has reserved, keeps it.
pub(crate) fn detach(reserved_map: u32) -> Result<()> {
    let directory = open(&cgroup2_mount()?)?;
    let programs =
        ProgInfoIter::with_query_opts(ProgInfoQueryOptions::default().include_map_ids(true));
    for program in programs.filter(|program| program.map_ids.contains(&reserved_map)) {
        let name = program.name.to_string_lossy();
        let Some((_, kind)) = OPTION_PROGRAMS.iter().find(|(option, _)| *option == name) else {
            continue;
        };
        let Ok(descriptor) = Program::fd_from_id(program.id) else {
            continue;
        };
        // SAFETY: both descriptors are open.
        let result =
            unsafe { bpf_prog_detach2(descriptor.as_raw_fd(), directory.as_raw_fd(), *kind) };
        // One that is not attached there serves an `onramp exec`.
        if result != 0 && -result != libc::ENOENT {
            return Err(Error::io(
                "take TCP_QOS away",
                io::Error::from_raw_os_error(-result),
            ));
        }
    }
    Ok(())
}
