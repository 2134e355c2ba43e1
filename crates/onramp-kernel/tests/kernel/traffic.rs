//! Start-ups that carry traffic over loopback.

use crate::common::{
    assert_decisions_match, choose, connection_of, listener, listener_on, machine, row,
};
use nix::libc;
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::TcpMaxSeg;
use onramp_core::exit_name;
use onramp_kernel::{loaded, registered_names, Avoidance, Error, Options, Registration};
use onramp_testing::wait_until;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::Instant;

/// Sends bytes over loopback from a socket on this congestion control. Both ends stay open until
/// `while_open`, which gets the sender, has returned.
fn transfer(congestion_control: &str, bytes: usize, while_open: impl FnOnce(&TcpStream)) {
    let listener = listener_on(congestion_control);
    let (mut sender, mut receiver) = connection_of(&listener);
    let reader = std::thread::spawn(move || {
        let mut received = vec![0; bytes];
        receiver.read_exact(&mut received).unwrap();
        assert!(received
            .iter()
            .enumerate()
            .all(|(i, &byte)| byte == (i % 251) as u8));
        receiver
    });
    let data: Vec<u8> = (0..bytes).map(|i| (i % 251) as u8).collect();
    sender.write_all(&data).unwrap();
    let _open = reader.join().unwrap();
    while_open(&sender);
}

#[test]
fn every_startup_carries_traffic_with_every_avoidance_and_decides_as_its_native_build() {
    let Some(_machine) = machine() else { return };
    // An algorithm that reserves needs a reservation: qos/traffic.rs.
    let startups = onramp_core::startup_names()
        .iter()
        .filter(|name| !onramp_core::reserves(name));
    for &startup in startups {
        for &avoidance in Avoidance::ALL {
            let options = Options {
                avoidance,
                record: true,
                ..Options::new(startup)
            };
            let registration = match Registration::new(&options) {
                Err(Error::NoAvoidance {
                    avoidance: "bbr", ..
                }) => continue,
                result => result.unwrap(),
            };
            let name = registration.name();
            assert!(registered_names()
                .unwrap()
                .iter()
                .any(|registered| registered == name));
            transfer(name, 3_000_000, |sender| {
                let row = row(sender);
                assert_eq!(row.congestion_control, name);
                assert_eq!(row.acked_bytes, 3_000_000);
            });
            let compared = assert_decisions_match(startup, &registration.take_events());
            assert!(
                compared > 2,
                "{startup}, {}: only {compared} events",
                avoidance.name()
            );
        }
    }
    let own = Some(std::process::id());
    assert!(loaded()
        .unwrap()
        .iter()
        .all(|loaded| !loaded.registered || loaded.owner_pid != own));
}

fn tcp_info(socket: &TcpStream) -> libc::tcp_info {
    let mut info = std::mem::MaybeUninit::<libc::tcp_info>::zeroed();
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes, and any bytes are a tcp_info.
    unsafe {
        let value = info.as_mut_ptr().cast();
        let result = libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            value,
            &mut length,
        );
        assert_eq!(result, 0);
        info.assume_init()
    }
}

/// cwnd after a pause: halved for each RTO of it, down to the initial window (RFC 2861).
fn cwnd_after(pause_ms: u64, rto_ms: u64, cwnd_segments: u32) -> u32 {
    const INITIAL_WINDOW: u32 = 10;
    let halvings = (pause_ms.div_ceil(rto_ms) - 1).min(31);
    (cwnd_segments >> halvings).max(INITIAL_WINDOW)
}

/// cwnd after 8 MB and a pause of some RTOs, after the first byte that follows, and the windows
/// that are right then.
fn cwnd_around_a_pause(congestion_control: &str) -> (u32, u32, Vec<u32>) {
    let listener = listener_on(congestion_control);
    let (mut sender, mut receiver) = connection_of(&listener);
    let reader = std::thread::spawn(move || {
        receiver.read_exact(&mut vec![0; 8_000_000]).unwrap();
        receiver.read_exact(&mut [0]).unwrap();
    });
    sender.write_all(&vec![0; 8_000_000]).unwrap();
    /// The kernel counts the pause in its ticks, of at most 10 ms.
    const TICKS_MS: u64 = 20;
    let mut before = tcp_info(&sender);
    wait_until("a pause of six RTOs", || {
        before = tcp_info(&sender);
        before.tcpi_last_data_sent > 6 * before.tcpi_rto / 1000
    });
    let (asked, min_ms) = (Instant::now(), u64::from(before.tcpi_last_data_sent));
    sender.write_all(&[0]).unwrap();
    let after = tcp_info(&sender).tcpi_snd_cwnd;
    let max_ms = min_ms + asked.elapsed().as_millis() as u64 + TICKS_MS;
    reader.join().unwrap();
    let (before, rto_ms) = (before.tcpi_snd_cwnd, u64::from(before.tcpi_rto) / 1000);
    let pauses = min_ms.saturating_sub(TICKS_MS).max(1)..=max_ms;
    let mut right: Vec<u32> = pauses.map(|ms| cwnd_after(ms, rto_ms, before)).collect();
    right.dedup();
    (before, after, right)
}

#[test]
fn cwnd_shrinks_in_a_pause_as_it_does_for_the_kernels_own() {
    let Some(_machine) = machine() else { return };
    let registration = Registration::new(&Options::new("standard")).unwrap();
    for congestion_control in ["cubic", registration.name()] {
        let (before, after, right) = cwnd_around_a_pause(congestion_control);
        assert!(
            before > 10 && after < before && right.contains(&after),
            "{congestion_control}: {before} segments, then {after}; right: {right:?}"
        );
    }
}

/// Drops everything that arrives at a socket, or no longer. The filter has one instruction: keep
/// nothing.
fn set_deaf(socket: &TcpStream, deaf: bool) {
    let mut instruction = libc::sock_filter {
        code: (libc::BPF_RET | libc::BPF_K) as u16,
        jt: 0,
        jf: 0,
        k: 0,
    };
    let program = libc::sock_fprog {
        len: 1,
        filter: &mut instruction,
    };
    let option = if deaf {
        libc::SO_ATTACH_FILTER
    } else {
        libc::SO_DETACH_FILTER
    };
    let length = size_of_val(&program) as libc::socklen_t;
    // SAFETY: the kernel copies the program, which lives until the call returns.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            option,
            (&raw const program).cast(),
            length,
        )
    };
    assert_eq!(result, 0);
}

#[test]
fn the_listing_keeps_the_first_exit_of_a_connection() {
    let Some(_machine) = machine() else { return };
    let options = Options {
        avoidance: Avoidance::Reno,
        ..Options::new("gamma")
    };
    let registration = Registration::new(&options).unwrap();
    let listener = listener();
    choose(&listener, registration.name());
    // Ten such segments fit into the receive window.
    setsockopt(&listener, TcpMaxSeg, &1000).unwrap();
    let (sender, mut receiver) = connection_of(&listener);
    let before = row(&sender);
    assert_eq!(
        (
            before.exit_reason,
            before.exit_time_s,
            before.exit_cwnd_bytes
        ),
        ("none", None, None)
    );

    set_deaf(&receiver, true);
    let mut writing = sender.try_clone().unwrap();
    let writer = std::thread::spawn(move || writing.write_all(&vec![0; 1_000_000]).unwrap());
    wait_until("an RTO ends the start-up", || {
        row(&sender).exit_reason != "none"
    });
    let first = row(&sender);
    set_deaf(&receiver, false);
    receiver.read_exact(&mut vec![0; 1_000_000]).unwrap();
    writer.join().unwrap();

    let events = registration.take_events();
    let exits = events.iter().map(|event| exit_name(event.decision.exit));
    let mut exits: Vec<_> = exits.filter(|&exit| exit != "none").collect();
    exits.dedup(); // The retransmission timer may expire more than once.
    assert_eq!(exits, ["timeout", "ssthresh"]);
    let last = row(&sender);
    assert_eq!(
        (first.exit_reason, last.exit_reason),
        ("timeout", "timeout")
    );
    assert_eq!(
        (last.exit_time_s, last.exit_cwnd_bytes),
        (first.exit_time_s, first.exit_cwnd_bytes)
    );
    assert!(last.exit_time_s.is_some_and(|time| time > 0.0) && last.exit_cwnd_bytes.is_some());
}
