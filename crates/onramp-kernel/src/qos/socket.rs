//! The socket option TCP_QOS, as an application uses it.

use nix::sys::socket::setsockopt;
use nix::{libc, setsockopt_impl, sockopt_impl};
use onramp_bpf::bindings::{TcpQos, TCP_QOS};
use serde::Serialize;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

const OPTION: libc::c_int = TCP_QOS as libc::c_int;

/// A socket's reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Reservation {
    /// Bytes of payload per second.
    pub rate_bytes_per_s: u64,
    /// The depth of the token bucket; 0: the algorithm's own choice (core/algorithms/qos.h).
    pub burst_bytes: u32,
}

/// Reserves a rate for a socket by `setsockopt(TCP_QOS)`, as any program can. `None` clears its
/// reservation.
///
/// # Errors
/// The errno of the call: docs/algorithms/qos.md lists them.
pub fn reserve(socket: BorrowedFd<'_>, reservation: Option<Reservation>) -> io::Result<()> {
    let qos = reservation.map_or_else(TcpQos::default, |reservation| TcpQos {
        rate_bytes_per_s: reservation.rate_bytes_per_s,
        burst_bytes: reservation.burst_bytes,
        reserved: 0,
    });
    Ok(setsockopt(&socket, TcpQosOption, &qos)?)
}

sockopt_impl!(TcpQosOption, SetOnly, libc::IPPROTO_TCP, OPTION, TcpQos);

/// The reservation that is in force for a socket.
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
            OPTION,
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
