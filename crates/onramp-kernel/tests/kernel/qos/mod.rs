//! TCP_QOS: the socket option, its limits, and traffic at a reserved rate.

mod cgroups;
mod granted;
mod penalties;
mod registrations;
mod requests;
mod traffic;
mod users;

use crate::common::{control_of, machine};
use nix::errno::Errno;
use nix::libc;
use onramp_kernel::{
    own_cgroup, reservation, reserve, Error, LimitInForce, Options, QosOption, Registration,
    Reservation, Reservations,
};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::MutexGuard;

/// The level of the option, and its number.
const TCP_QOS: (libc::c_int, libc::c_int) = (
    libc::IPPROTO_TCP,
    onramp_bpf::bindings::TCP_QOS as libc::c_int,
);

/// A rate of 8 Mbit/s, in bytes per second.
const MEGABYTE: u64 = 1_000_000;

/// This process's cgroup with the option and a limit.
struct Host {
    _option: QosOption,
    reservations: Reservations,
    registration: Registration,
    _machine: MutexGuard<'static, ()>,
}

impl Host {
    /// `None` if this process may not load BPF programs.
    fn new(limit_bytes_per_s: u64) -> Option<Host> {
        Host::with(limit_bytes_per_s, &Options::new("qos")).unwrap()
    }

    fn with(limit_bytes_per_s: u64, options: &Options) -> Result<Option<Host>, Error> {
        let Some(machine) = machine() else {
            return Ok(None);
        };
        let registration = Registration::new(options)?;
        let reservations = registration.reservations().unwrap().expect("qos reserves");
        let cgroup = own_cgroup().unwrap();
        reservations.set_limit(&cgroup, limit_bytes_per_s).unwrap();
        let option = QosOption::new(&cgroup, &reservations, None).unwrap();
        Ok(Some(Host {
            _option: option,
            reservations,
            registration,
            _machine: machine,
        }))
    }

    /// The limit of this process's cgroup.
    fn limit(&self) -> LimitInForce {
        let limits = self.reservations.limits().unwrap();
        limits
            .into_iter()
            .find(|limit| limit.cgroup.as_deref() == Some(&own_cgroup().unwrap()))
            .unwrap()
    }

    fn reserved(&self) -> u64 {
        self.limit().reserved_bytes_per_s
    }
}

fn rate(rate_bytes_per_s: u64) -> Option<Reservation> {
    Some(Reservation {
        rate_bytes_per_s,
        burst_bytes: 0,
    })
}

fn ask(socket: &impl AsFd, wanted: Option<Reservation>) -> Result<(), Errno> {
    reserve(socket.as_fd(), wanted).map_err(|error| Errno::from_raw(error.raw_os_error().unwrap()))
}

fn in_force(socket: &impl AsFd) -> Option<Reservation> {
    reservation(socket.as_fd()).unwrap()
}

/// setsockopt() with any value.
fn set_raw(
    socket: &impl AsFd,
    (level, option): (libc::c_int, libc::c_int),
    value: &[u8],
) -> Result<(), Errno> {
    let (pointer, length) = (value.as_ptr().cast(), value.len() as libc::socklen_t);
    // SAFETY: the kernel reads `length` bytes of a value that lives until the call returns.
    Errno::result(unsafe {
        libc::setsockopt(socket.as_fd().as_raw_fd(), level, option, pointer, length)
    })
    .map(drop)
}

/// getsockopt() with room for this many bytes. Returns the bytes that the kernel wrote.
fn get_raw(
    socket: &impl AsFd,
    (level, option): (libc::c_int, libc::c_int),
    room: usize,
) -> Result<Vec<u8>, Errno> {
    let mut value = vec![0xaa_u8; room];
    let mut length = room as libc::socklen_t;
    let pointer = value.as_mut_ptr().cast();
    // SAFETY: the kernel writes at most `length` bytes into a value of that size.
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            level,
            option,
            pointer,
            &raw mut length,
        )
    };
    Errno::result(result)?;
    value.truncate(length as usize);
    Ok(value)
}

/// Attaches a socket filter, whose classic BPF program is `filter`.
fn set_filter(socket: &impl AsFd, filter: &mut [libc::sock_filter]) -> Result<(), Errno> {
    let program = libc::sock_fprog {
        len: filter.len() as u16,
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: any bytes of the record are bytes.
    let bytes = unsafe {
        std::slice::from_raw_parts((&raw const program).cast::<u8>(), size_of_val(&program))
    };
    set_raw(socket, (libc::SOL_SOCKET, libc::SO_ATTACH_FILTER), bytes)
}

/// An instruction of a classic BPF program.
fn instruction(code: u32, jt: u8, jf: u8, k: u32) -> libc::sock_filter {
    libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    }
}
