//! Who can use the socket option TCP_QOS: a cgroup's processes, or the whole host.

use super::reservations::Reservations;
use super::socket::Reservation;
use crate::cgroup::{cgroup2_mount, link, load, open, WATCHING};
use crate::object::adopted_and_refused;
use crate::records::{name_chars, Plain};
use crate::{Error, Result};
use libbpf_rs::libbpf_sys::{
    bpf_prog_attach, bpf_prog_detach2, BPF_CGROUP_GETSOCKOPT, BPF_CGROUP_SETSOCKOPT,
    BPF_F_ALLOW_MULTI,
};
use libbpf_rs::query::{ProgInfoIter, ProgInfoQueryOptions};
use libbpf_rs::{Link, Object, Program};
use nix::libc;
use nix::unistd::geteuid;
use onramp_bpf::bindings::{self, maps, programs, LIMIT_LEVELS, RESERVATION_ASKED};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;

/// The programs of the option, and their attachment types.
const OPTION_PROGRAMS: [(&str, u32); 2] = [
    (programs::SET_QOS, BPF_CGROUP_SETSOCKOPT),
    (programs::GET_QOS, BPF_CGROUP_GETSOCKOPT),
];

/// While it lives, the sockets of a cgroup's processes have the option TCP_QOS.
pub struct QosOption {
    _links: Vec<Link>,
    object: Object,
}

impl QosOption {
    /// Attaches to a cgroup's directory. With `asked`, each connection of the cgroup whose
    /// application has not asked for a reservation asks for this one. It counts against the limits
    /// of the cgroup and of its ancestors.
    ///
    /// # Errors
    /// The directory cannot be opened, or the kernel's refusal.
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

    /// Gives the option to all programs of the host, until [`crate::unload`].
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

    /// For how many connections `asked` was granted, and for how many it was refused.
    pub fn counts(&self) -> (u64, u64) {
        adopted_and_refused(&self.object)
    }
}

fn load_programs<T>(
    cgroup: &Path,
    reservations: &Reservations,
    asked: Option<Reservation>,
    attach: impl Fn(&mut Object, i32) -> libbpf_rs::Result<T>,
) -> Result<(Object, T)> {
    let mut config = bindings::QosConfig {
        congestion_control: name_chars(&reservations.congestion_control),
        ..Default::default()
    };
    if let Some(Reservation {
        rate_bytes_per_s,
        burst_bytes,
    }) = asked
    {
        let mut limits = [0; LIMIT_LEVELS as usize];
        let enclosing = reservations.limits_around(Some(cgroup))?;
        for (level, id) in limits.iter_mut().zip(enclosing) {
            *level = id;
        }
        config.asked = bindings::Reservation {
            owner: reservations.owner(cgroup, geteuid().as_raw())?,
            rate_bytes_per_s,
            burst_bytes,
            state: RESERVATION_ASKED,
            limits,
            ..config.asked
        };
    }
    let shared = [
        (maps::RESERVED, &reservations.reserved),
        (maps::LIMITS, &reservations.limits),
        (maps::USAGE, &reservations.usage),
        (maps::USERS, &reservations.users),
        (maps::BROKEN, &reservations.penalties),
    ];
    load(
        onramp_bpf::QOS,
        cgroup,
        WATCHING,
        |program| program != programs::RESERVE || asked.is_some(),
        |map| {
            if map.name() == maps::RODATA_QOS {
                map.set_initial_value(config.as_bytes())?;
            } else if let Some((_, handle)) = shared.iter().find(|(name, _)| map.name() == *name) {
                map.reuse_fd(handle.as_fd())?;
            }
            Ok(())
        },
        attach,
    )
}

/// Takes the option of these reservations from the host's programs. Sockets keep the reservations
/// that they have.
pub(crate) fn detach(reserved_map: u32) -> Result<()> {
    let directory = open(&cgroup2_mount()?)?;
    let loaded =
        ProgInfoIter::with_query_opts(ProgInfoQueryOptions::default().include_map_ids(true));
    for program in loaded.filter(|program| program.map_ids.contains(&reserved_map)) {
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
        // ENOENT: an `onramp exec` has attached this program to a cgroup of its own.
        if result != 0 && -result != libc::ENOENT {
            return Err(Error::io(
                "detach the programs of TCP_QOS from the root cgroup",
                io::Error::from_raw_os_error(-result),
            ));
        }
    }
    Ok(())
}
