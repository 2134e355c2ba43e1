//! The sockets of a run: how they are made, and how everybody who waits on one is sent home.

use crate::clock::{self, now_ns};
use crate::host::Namespace;
use crate::Error;
use nix::libc;
use nix::sys::socket::{
    bind, listen, setsockopt, shutdown, socket, sockopt, AddressFamily, Backlog, Shutdown,
    SockFlag, SockProtocol, SockType, SockaddrIn,
};
use onramp_scenario::Dscp;
use std::ffi::OsString;
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::{Arc, Mutex, Weak};

/// Everything a thread may be blocked on, as long as others hold it.
#[derive(Clone, Default)]
pub struct OpenSockets(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    shut: bool,
    sockets: Vec<Weak<dyn Shut>>,
    /// At so many it is time to forget those that are closed.
    many: usize,
}

/// How many sockets, closed ones among them, are never too many.
const FEW: usize = 100;

trait Shut: Send + Sync {
    fn shut(&self);
}

impl<T: AsFd + Send + Sync> Shut for T {
    fn shut(&self) {
        let _ = shutdown(self.as_fd().as_raw_fd(), Shutdown::Both);
    }
}

impl OpenSockets {
    /// Adds one; it is shut at once where all have been.
    pub fn add<T: AsFd + Send + Sync + 'static>(&self, socket: &Arc<T>) {
        let mut state = self.0.lock().expect("nobody panics with the lock");
        if state.shut {
            socket.shut();
        }
        if state.sockets.len() >= state.many.max(FEW) {
            state.sockets.retain(|socket| socket.strong_count() > 0);
            state.many = 2 * state.sockets.len();
        }
        let socket = Arc::downgrade(socket);
        state.sockets.push(socket);
    }

    /// Ends every blocked connect, accept, read and write, now and from now on.
    pub fn shut_all(&self) {
        let mut state = self.0.lock().expect("nobody panics with the lock");
        state.shut = true;
        state
            .sockets
            .iter()
            .filter_map(Weak::upgrade)
            .for_each(|socket| socket.shut());
    }

    /// Sleeps until a moment, or returns at once where it has passed. Whether it is still to be
    /// done what was to be done then: not where all sockets have been shut, which ends the sleep.
    pub fn sleep_until(&self, at_ns: u64) -> bool {
        loop {
            if self.0.lock().expect("nobody panics with the lock").shut {
                return false;
            }
            let now = now_ns();
            if at_ns <= now {
                return true;
            }
            clock::sleep_until(at_ns.min(now + NAP_NS));
        }
    }
}

/// Longest sleep: how long it may go unnoticed that all has been shut.
const NAP_NS: u64 = 20_000_000;

/// A socket error with what was being done.
pub fn failed<E: Into<std::io::Error>>(what: &'static str) -> impl FnOnce(E) -> Error {
    move |error| Error::Socket {
        what,
        source: error.into(),
    }
}

/// Headers of IP and TCP that TCP_MAXSEG leaves out: those without options, which take their room
/// from the payload.
const PLAIN_HEADERS_BYTES: u32 = 40;

/// A listening socket whose connections run a congestion control and send IP packets marked so, of
/// so many bytes at most.
pub fn listener(
    at: &Namespace,
    address: SocketAddrV4,
    control: &str,
    packet_bytes: Option<u32>,
    dscp: Dscp,
) -> Result<TcpListener, Error> {
    at.run(|| {
        let socket = tcp_socket()?;
        set_control(&socket, control)?;
        if let Some(bytes) = packet_bytes {
            setsockopt(
                &socket,
                sockopt::TcpMaxSeg,
                &bytes.saturating_sub(PLAIN_HEADERS_BYTES),
            )
            .map_err(failed("setting the largest segment"))?;
        }
        if dscp != Dscp::BestEffort {
            let tos = i32::from(dscp.tos());
            setsockopt(&socket, sockopt::Ipv4Tos, &tos)
                .map_err(failed("marking the sender's packets"))?;
        }
        bind(socket.as_raw_fd(), &SockaddrIn::from(address))
            .map_err(failed("binding the sender's socket"))?;
        let backlog = Backlog::new(1).expect("1 is a backlog");
        listen(&socket, backlog).map_err(failed("listening on the sender's socket"))?;
        Ok(TcpListener::from(socket))
    })?
}

/// Puts a socket on a congestion control.
pub fn set_control(socket: &impl AsFd, control: &str) -> Result<(), Error> {
    setsockopt(socket, sockopt::TcpCongestion, &OsString::from(control))
        .map_err(|errno| unknown(control, errno))
}

/// A socket that has yet to connect.
pub fn client(
    at: &Namespace,
    address: SocketAddrV4,
    receive_buffer: Option<u64>,
) -> Result<TcpStream, Error> {
    at.run(|| {
        let socket = tcp_socket()?;
        if let Some(bytes) = receive_buffer {
            // The kernel doubles the value for its own bookkeeping and offers half of the double as
            // the window.
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
            setsockopt(&socket, sockopt::RcvBufForce, &bytes)
                .map_err(failed("setting the receive buffer"))?;
        }
        bind(socket.as_raw_fd(), &SockaddrIn::from(address))
            .map_err(failed("binding the receiver's socket"))?;
        Ok(TcpStream::from(socket))
    })?
}

/// Has the kernel wake a reader only once so many bytes wait for it.
pub fn wake_reader_at(socket: impl AsFd, bytes: u64) -> Result<(), Error> {
    let bytes = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
    // SAFETY: the value is an int that outlives the call, and its size is given.
    let result = unsafe {
        let (value, length) = (
            (&raw const bytes).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        );
        libc::setsockopt(
            socket.as_fd().as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_RCVLOWAT,
            value,
            length,
        )
    };
    match result {
        0 => Ok(()),
        _ => Err(failed("setting when the receiver wakes")(
            std::io::Error::last_os_error(),
        )),
    }
}

/// Resets a socket's connection, whoever else holds the socket.
pub fn reset(socket: impl AsFd) -> Result<(), Error> {
    let nowhere = libc::sockaddr {
        sa_family: libc::AF_UNSPEC as libc::sa_family_t,
        sa_data: [0; 14],
    };
    // SAFETY: the address outlives the call, and its size is given.
    let result = unsafe {
        libc::connect(
            socket.as_fd().as_raw_fd(),
            &raw const nowhere,
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

/// Closing it resets the connection: no socket outlives a run in FIN_WAIT or TIME_WAIT.
fn tcp_socket() -> Result<OwnedFd, Error> {
    let protocol = SockProtocol::Tcp;
    let socket = socket(
        AddressFamily::Inet,
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
