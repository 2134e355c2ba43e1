//! The sockets of a run: making them, and ending all threads that wait for one.

use crate::error::Error;
use nix::sys::socket::{
    bind, listen, setsockopt, shutdown, socket, sockopt, AddressFamily, Backlog, Shutdown,
    SockFlag, SockProtocol, SockType, SockaddrStorage,
};
use nix::{libc, setsockopt_impl, sockopt_impl};
use onramp_host::{now_ns, sleep_until, Namespace};
use onramp_scenario::{Dscp, IpVersion};
use parking_lot::Mutex;
use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::{Arc, Weak};

/// All sockets on which a thread may be blocked. They are held weakly.
#[derive(Clone, Default)]
pub struct OpenSockets(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    is_shut: bool,
    sockets: Vec<Weak<dyn Shut>>,
    /// At this number of sockets, closed ones are removed from the list.
    cleanup_at: usize,
}

/// Minimum number of sockets, with closed ones, at which the list is cleaned up.
const MIN_CLEANUP: usize = 100;

trait Shut: Send + Sync {
    fn shut(&self);
}

impl<T: AsFd + Send + Sync> Shut for T {
    fn shut(&self) {
        let _ = shutdown(self.as_fd().as_raw_fd(), Shutdown::Both);
    }
}

impl OpenSockets {
    /// Adds a socket. It is shut at once if all have been shut.
    pub fn add<T: AsFd + Send + Sync + 'static>(&self, socket: &Arc<T>) {
        let mut state = self.0.lock();
        if state.is_shut {
            socket.shut();
        }
        if state.sockets.len() >= state.cleanup_at.max(MIN_CLEANUP) {
            state.sockets.retain(|socket| socket.strong_count() > 0);
            state.cleanup_at = 2 * state.sockets.len();
        }
        let socket = Arc::downgrade(socket);
        state.sockets.push(socket);
    }

    /// Ends every blocked connect, accept, read and write, now and in the future.
    pub fn shut_all(&self) {
        let mut state = self.0.lock();
        state.is_shut = true;
        state
            .sockets
            .iter()
            .filter_map(Weak::upgrade)
            .for_each(|socket| socket.shut());
    }

    /// Whether all sockets have been shut.
    pub fn is_shut(&self) -> bool {
        self.0.lock().is_shut
    }

    /// Sleeps until a time; returns at once if it has passed. Returns `false` if all sockets have
    /// been shut, which also ends the sleep.
    pub fn sleep_until(&self, at_ns: u64) -> bool {
        loop {
            if self.is_shut() {
                return false;
            }
            let now = now_ns();
            if at_ns <= now {
                return true;
            }
            sleep_until(at_ns.min(now + MAX_SLEEP_NS));
        }
    }
}

/// Maximum sleep: a thread notices after this time that all sockets have been shut.
const MAX_SLEEP_NS: u64 = 20_000_000;

/// Makes an error from the operation that failed and the error of the kernel.
pub fn failed<E: Into<std::io::Error>>(what: &'static str) -> impl FnOnce(E) -> Error {
    move |error| Error::Socket {
        what,
        source: error.into(),
    }
}

/// Makes a listening socket. Its connections have this congestion control and this DSCP, and send
/// IP packets of at most `packet_bytes`.
///
/// # Errors
/// A socket call failed, or the kernel has no such congestion control.
pub fn listener(
    at: &Namespace,
    address: SocketAddr,
    control: &str,
    packet_bytes: Option<u32>,
    dscp: Dscp,
) -> Result<TcpListener, Error> {
    at.run(|| {
        let socket = tcp_socket(address)?;
        set_control(&socket, control)?;
        if let Some(bytes) = packet_bytes {
            // TCP_MAXSEG does not count the headers. Options reduce the payload.
            let mss_bytes = u32::from(IpVersion::of(&address.ip()).mss_bytes(bytes));
            setsockopt(&socket, sockopt::TcpMaxSeg, &mss_bytes)
                .map_err(failed("setting the maximum segment size"))?;
        }
        if dscp != Dscp::BestEffort {
            let tos = i32::from(dscp.tos());
            let marked = match address {
                SocketAddr::V4(_) => setsockopt(&socket, sockopt::Ipv4Tos, &tos),
                SocketAddr::V6(_) => setsockopt(&socket, sockopt::Ipv6TClass, &tos),
            };
            marked.map_err(failed("marking the sender's packets"))?;
        }
        bind(socket.as_raw_fd(), &SockaddrStorage::from(address))
            .map_err(failed("binding the sender's socket"))?;
        let backlog = Backlog::new(1).expect("1 is a backlog");
        listen(&socket, backlog).map_err(failed("listening on the sender's socket"))?;
        Ok(TcpListener::from(socket))
    })?
}

/// Sets the congestion control of a socket.
///
/// # Errors
/// The kernel has no such congestion control.
pub fn set_control(socket: &impl AsFd, control: &str) -> Result<(), Error> {
    setsockopt(socket, sockopt::TcpCongestion, &OsString::from(control))
        .map_err(|errno| unknown(control, errno))
}

/// Makes a socket that is not connected yet.
///
/// # Errors
/// A socket call failed.
pub fn client(
    at: &Namespace,
    address: SocketAddr,
    receive_buffer: Option<u64>,
) -> Result<TcpStream, Error> {
    at.run(|| {
        let socket = tcp_socket(address)?;
        if let Some(bytes) = receive_buffer {
            // The kernel doubles the value to account for its own overhead, and offers half of the
            // doubled value as the window.
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
            setsockopt(&socket, sockopt::RcvBufForce, &bytes)
                .map_err(failed("setting the receive buffer"))?;
        }
        bind(socket.as_raw_fd(), &SockaddrStorage::from(address))
            .map_err(failed("binding the receiver's socket"))?;
        Ok(TcpStream::from(socket))
    })?
}

/// Buffers of a UDP socket. noq reads and writes it from one thread, which may wait for a CPU.
const UDP_BUFFER_BYTES: usize = 8 << 20;

/// Makes a UDP socket with a port that the kernel chooses.
///
/// # Errors
/// A socket call failed.
pub fn udp(at: &Namespace, address: IpAddr) -> Result<UdpSocket, Error> {
    at.run(|| {
        let socket = UdpSocket::bind((address, 0)).map_err(failed("making a UDP socket"))?;
        setsockopt(&socket, sockopt::RcvBufForce, &UDP_BUFFER_BYTES)
            .map_err(failed("setting the receive buffer"))?;
        setsockopt(&socket, sockopt::SndBufForce, &UDP_BUFFER_BYTES)
            .map_err(failed("setting the send buffer"))?;
        Ok(socket)
    })?
}

/// Sets the size of the send buffer.
///
/// # Errors
/// The socket call failed.
pub fn set_send_buffer(socket: &impl AsFd, bytes: u64) -> Result<(), Error> {
    // The kernel doubles the value, to account for its own overhead.
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    setsockopt(socket, sockopt::SndBufForce, &bytes).map_err(failed("setting the send buffer"))
}

/// Sets the number of bytes at which the kernel wakes a reader (SO_RCVLOWAT).
///
/// # Errors
/// The socket call failed.
pub fn wake_reader_at(socket: impl AsFd, bytes: u64) -> Result<(), Error> {
    let bytes = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
    setsockopt(&socket, RcvLowat, &bytes).map_err(failed("setting when the receiver wakes"))
}

sockopt_impl!(
    RcvLowat,
    SetOnly,
    libc::SOL_SOCKET,
    libc::SO_RCVLOWAT,
    libc::c_int
);

/// Resets the connection of a socket, even if other threads hold the socket.
///
/// # Errors
/// The socket call failed.
pub fn reset(socket: impl AsFd) -> Result<(), Error> {
    let unspecified = libc::sockaddr {
        sa_family: libc::AF_UNSPEC as libc::sa_family_t,
        sa_data: [0; 14],
    };
    // SAFETY: the address outlives the call, and its size is given.
    let result = unsafe {
        libc::connect(
            socket.as_fd().as_raw_fd(),
            &raw const unspecified,
            size_of::<libc::sockaddr>() as libc::socklen_t,
        )
    };
    match result {
        0 => Ok(()),
        _ => Err(failed("resetting a connection")(
            std::io::Error::last_os_error(),
        )),
    }
}

/// A TCP socket for an address. Closing it resets its connection, so that no socket stays in
/// FIN_WAIT or TIME_WAIT after a run.
fn tcp_socket(address: SocketAddr) -> Result<OwnedFd, Error> {
    let protocol = SockProtocol::Tcp;
    let socket = socket(
        match address {
            SocketAddr::V4(_) => AddressFamily::Inet,
            SocketAddr::V6(_) => AddressFamily::Inet6,
        },
        SockType::Stream,
        SockFlag::SOCK_CLOEXEC,
        protocol,
    )
    .map_err(failed("making a socket"))?;
    let linger = libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    setsockopt(&socket, sockopt::Linger, &linger).map_err(failed("setting a socket's option"))?;
    Ok(socket)
}

fn unknown(control: &str, errno: nix::Error) -> Error {
    let available = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    Error::NoCongestionControl {
        name: control.into(),
        available: available.map_or_else(|_| "unknown".into(), |list| list.trim().to_string()),
        source: errno.into(),
    }
}
