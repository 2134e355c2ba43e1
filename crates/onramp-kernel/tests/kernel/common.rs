//! What all tests against the kernel share.

use nix::libc;
use nix::sys::socket::sockopt::TcpCongestion;
use nix::sys::socket::{getsockopt, setsockopt};
use onramp_kernel::{connections, Connection, Event, Input};
use std::ffi::OsString;
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::{Mutex, MutexGuard};

/// The machine, for one test; `None` if this process may not load BPF programs.
pub fn machine() -> Option<MutexGuard<'static, ()>> {
    static MACHINE: Mutex<()> = Mutex::new(());
    let root = onramp_kernel::probe::check_permission().is_ok();
    assert!(root || std::env::var_os("CI").is_none(), "CI runs as root");
    if !root {
        eprintln!("skipped: loading BPF programs needs root");
        return None;
    }
    Some(
        MACHINE
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner()),
    )
}

/// A listener on loopback.
pub fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

/// A listener on loopback whose connections use this congestion control.
pub fn listener_on(congestion_control: &str) -> TcpListener {
    let listener = listener();
    choose(&listener, congestion_control);
    listener
}

/// Puts a socket on a congestion control.
pub fn choose(socket: &impl AsFd, congestion_control: &str) {
    setsockopt(socket, TcpCongestion, &OsString::from(congestion_control)).unwrap();
}

/// The congestion control of a socket.
pub fn control_of(socket: &impl AsFd) -> String {
    let name = getsockopt(socket, TcpCongestion).unwrap();
    name.to_string_lossy().trim_end_matches('\0').to_owned()
}

/// The two ends of a new connection: the accepted one, then the one that connected.
pub fn connection_of(listener: &TcpListener) -> (TcpStream, TcpStream) {
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (listener.accept().unwrap().0, client)
}

/// Lets a socket drop this share of the segments that arrive, in 256ths, by a filter of the socket.
pub fn drop_arrivals(socket: &TcpStream, share: u32) {
    let instruction = |code: u32, jt: u8, jf: u8, k: u32| libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    };
    // A random number is at a negative offset of the packet (SKF_AD_RANDOM).
    let random = (libc::SKF_AD_OFF + libc::SKF_AD_RANDOM) as u32;
    let mut filter = [
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, random),
        instruction(
            libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K,
            0,
            1,
            share << 24,
        ),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, u32::MAX),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, 0),
    ];
    let program = libc::sock_fprog {
        len: filter.len() as u16,
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: the kernel copies the program, which lives until the call returns.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_ATTACH_FILTER,
            (&raw const program).cast(),
            size_of_val(&program) as libc::socklen_t,
        )
    };
    assert_eq!(result, 0);
}

/// The row of `onramp ss` for a socket.
pub fn row(socket: &TcpStream) -> Connection {
    let ends = (socket.local_addr().unwrap(), socket.peer_addr().unwrap());
    connections()
        .unwrap()
        .into_iter()
        .find(|row| (row.local, row.remote) == ends)
        .expect("connections() lists the socket")
}

/// Compares the kernel's decisions with those of the native build of a start-up. Returns the number
/// of events.
pub fn assert_decisions_match(startup: &str, events: &[Event]) -> usize {
    let mut native = onramp_core::Startup::new(startup).unwrap();
    for (index, event) in events.iter().enumerate() {
        let decision = match &event.input {
            Input::Start(start) => native.start(start),
            Input::Ack(ack) => native.ack(ack),
            Input::Loss(loss) => native.loss(loss),
            Input::End(_) => continue, // the host's decision
        };
        assert_eq!(
            decision, event.decision,
            "{startup}, event {index}: {:?}",
            event.input
        );
    }
    events.len()
}
