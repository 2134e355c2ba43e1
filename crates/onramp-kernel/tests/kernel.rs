//! Against the kernel that runs this test. As root; without, it says so and passes, but fails where
//! CI=true.

mod common;

use common::{decisions_match, root};
use nix::libc;
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::{TcpCongestion, TcpMaxSeg};
use onramp_core::{exit_name, Decision};
use onramp_kernel::{
    connections, loaded, registered_names, unload, Avoidance, Error, Input, Lifetime, Options,
    Registration,
};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Names are global to the machine: one test at a time looks at them.
static MACHINE: Mutex<()> = Mutex::new(());

/// Send bytes over loopback from a socket on this congestion control; both ends stay open until the
/// call returns.
fn transfer(congestion_control: &str, bytes: usize, while_open: impl FnOnce(&TcpStream)) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    setsockopt(
        &listener,
        TcpCongestion,
        &OsString::from(congestion_control),
    )
    .unwrap();
    let address = listener.local_addr().unwrap();
    let reader = std::thread::spawn(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        let mut received = vec![0; bytes];
        stream.read_exact(&mut received).unwrap();
        assert!(received
            .iter()
            .enumerate()
            .all(|(i, &b)| b == (i % 251) as u8));
        stream
    });
    let (mut stream, _) = listener.accept().unwrap();
    let data: Vec<u8> = (0..bytes).map(|i| (i % 251) as u8).collect();
    stream.write_all(&data).unwrap();
    let _open = reader.join().unwrap();
    while_open(&stream);
}

#[test]
fn every_startup_carries_traffic_with_every_avoidance_and_decides_as_its_native_build() {
    if !root() {
        return;
    }
    let _machine = MACHINE.lock().unwrap_or_else(|p| p.into_inner());
    // What reserves a rate needs one: tests/qos.rs.
    for &startup in onramp_core::startup_names()
        .iter()
        .filter(|name| !onramp_core::reserves(name))
    {
        for &avoidance in Avoidance::ALL {
            let registration = match Registration::new(&Options {
                avoidance,
                record: true,
                ..Options::new(startup)
            }) {
                Err(Error::NoAvoidance {
                    avoidance: "bbr", ..
                }) => continue,
                result => result.unwrap(),
            };
            assert!(registered_names()
                .unwrap()
                .iter()
                .any(|name| name == registration.name()));
            transfer(registration.name(), 3_000_000, |stream| {
                let local = stream.local_addr().unwrap();
                let row = connections()
                    .unwrap()
                    .into_iter()
                    .find(|c| c.local == local)
                    .expect("ss shows it");
                assert_eq!(row.congestion_control, registration.name());
                assert_eq!(row.acked_bytes, 3_000_000);
            });
            let events = registration.take_events();
            let compared = decisions_match(startup, &events);
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

fn window_segments(socket: &TcpStream) -> u32 {
    let mut info = std::mem::MaybeUninit::<libc::tcp_info>::zeroed();
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes, and any bytes are a tcp_info.
    let info = unsafe {
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
    };
    info.tcpi_snd_cwnd
}

/// The window after eight megabytes, and after the first byte that follows a pause of six
/// retransmission time-outs.
fn windows_around_a_pause(congestion_control: &str) -> (u32, u32) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    setsockopt(
        &listener,
        TcpCongestion,
        &OsString::from(congestion_control),
    )
    .unwrap();
    let mut receiver = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut sender, _) = listener.accept().unwrap();
    let reader = std::thread::spawn(move || {
        receiver.read_exact(&mut vec![0; 8_000_000]).unwrap();
        receiver.read_exact(&mut [0]).unwrap();
    });
    sender.write_all(&vec![0; 8_000_000]).unwrap();
    let window = || window_segments(&sender);
    std::thread::sleep(std::time::Duration::from_millis(1300));
    let before = window();
    (&sender).write_all(&[0]).unwrap();
    let after = window();
    reader.join().unwrap();
    (before, after)
}

#[test]
fn the_window_shrinks_in_a_pause_as_it_does_for_the_kernels_own() {
    if !root() {
        return;
    }
    let _machine = MACHINE.lock().unwrap_or_else(|p| p.into_inner());
    let registration = Registration::new(&Options::new("standard")).unwrap();
    for congestion_control in ["cubic", registration.name()] {
        let (before, after) = windows_around_a_pause(congestion_control);
        let wanted = (before >> 6..=before >> 5).contains(&after) || after == 10;
        assert!(
            before > 10 && wanted,
            "{congestion_control}: {before} segments, then {after}"
        );
    }
}

/// Drop what arrives at a socket, or no longer: a filter of one instruction, "keep nothing".
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
fn the_exit_of_a_connection_is_its_first_one() {
    if !root() {
        return;
    }
    let _machine = MACHINE.lock().unwrap_or_else(|p| p.into_inner());
    let registration = Registration::new(&Options {
        avoidance: Avoidance::Reno,
        ..Options::new("gamma")
    })
    .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    setsockopt(
        &listener,
        TcpCongestion,
        &OsString::from(registration.name()),
    )
    .unwrap();
    setsockopt(&listener, TcpMaxSeg, &1000).unwrap(); // ten of them fit into the receiver's window
    let mut receiver = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut sender, _) = listener.accept().unwrap();
    let local = sender.local_addr().unwrap();
    let row = || {
        connections()
            .unwrap()
            .into_iter()
            .find(|row| row.local == local)
            .expect("ss shows it")
    };
    assert_eq!(
        (row().exit_reason, row().exit_time_s, row().exit_cwnd_bytes),
        ("none", None, None)
    );

    set_deaf(&receiver, true);
    let writer = std::thread::spawn(move || {
        sender.write_all(&vec![0; 1_000_000]).unwrap();
        sender
    });
    let deadline = Instant::now() + Duration::from_secs(20);
    while row().exit_reason == "none" {
        assert!(Instant::now() < deadline, "no time-out");
        std::thread::sleep(Duration::from_millis(10));
    }
    let first = row();
    set_deaf(&receiver, false);
    receiver.read_exact(&mut vec![0; 1_000_000]).unwrap();
    let _open = writer.join().unwrap();

    let decisions: Vec<Decision> = registration
        .take_events()
        .iter()
        .map(|event| event.decision)
        .collect();
    let exits = decisions
        .iter()
        .map(|decision| exit_name(decision.exit))
        .filter(|&exit| exit != "none");
    let mut exits: Vec<_> = exits.collect();
    exits.dedup(); // the timer may expire more than once
    assert_eq!(exits, ["timeout", "ssthresh"]);
    let last = row();
    assert_eq!(first.exit_reason, "timeout");
    assert_eq!(last.exit_reason, "timeout");
    assert_eq!(
        (last.exit_time_s, last.exit_cwnd_bytes),
        (first.exit_time_s, first.exit_cwnd_bytes)
    );
    assert!(last.exit_time_s.is_some_and(|time| time > 0.0) && last.exit_cwnd_bytes.is_some());
}

#[test]
fn what_changes_with_each_acknowledgement_is_told_once_a_millisecond() {
    if !root() {
        return;
    }
    let _machine = MACHINE.lock().unwrap_or_else(|p| p.into_inner());
    let mut counts = Vec::new();
    for record in [false, true] {
        let registration = Registration::new(&Options {
            record,
            ..Options::new("astart")
        })
        .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        setsockopt(
            &listener,
            TcpCongestion,
            &OsString::from(registration.name()),
        )
        .unwrap();
        setsockopt(&listener, TcpMaxSeg, &1000).unwrap();
        let mut receiver = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut sender, _) = listener.accept().unwrap();
        let reader =
            std::thread::spawn(move || receiver.read_exact(&mut vec![0; 20 * 300_000]).unwrap());
        for _ in 0..20 {
            sender.write_all(&[0; 300_000]).unwrap();
            std::thread::sleep(Duration::from_millis(2));
        }
        reader.join().unwrap();
        let events = registration.take_events();
        let times = events.iter().filter_map(|event| match event.input {
            Input::Ack(ack) if !event.decision.is_over() => Some(ack.now_ns),
            _ => None,
        });
        let times: Vec<u64> = times.collect();
        if !record {
            assert!(
                times.windows(2).all(|pair| pair[1] - pair[0] >= 1_000_000),
                "{times:?}"
            );
        }
        counts.push(times.len());
    }
    let [told, all] = counts[..] else {
        panic!("two registrations")
    };
    assert!(told >= 10, "only {told} events");
    assert!(all > 2 * told, "{all} acknowledgements, {told} events");
}

#[test]
fn a_second_registration_of_a_process_gets_a_number() {
    if !root() {
        return;
    }
    let _machine = MACHINE.lock().unwrap_or_else(|p| p.into_inner());
    let first = Registration::new(&Options::new("paced")).unwrap();
    let second = Registration::new(&Options::new("paced")).unwrap();
    assert_ne!(first.name(), second.name());
    assert!(
        second.name().starts_with("onramp_paced."),
        "{}",
        second.name()
    );
    let until_unloaded = Options {
        lifetime: Lifetime::UntilUnloaded,
        ..Options::new("paced")
    };
    let Err(error) = Registration::new(&until_unloaded) else {
        panic!("the name is taken")
    };
    assert!(
        matches!(error, Error::NameTaken { .. }) && error.to_string().contains("by process"),
        "{error}"
    );
    assert!(
        matches!(unload(second.name()), Err(Error::OwnedByProcess { pid, .. }) if pid == std::process::id())
    );
}

#[test]
fn unloading_leaves_live_connections_running() {
    if !root() {
        return;
    }
    let _machine = MACHINE.lock().unwrap_or_else(|p| p.into_inner());
    let options = Options {
        lifetime: Lifetime::UntilUnloaded,
        ..Options::new("paced")
    };
    let _ = unload("paced"); // where an earlier run of this test failed
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let name = loop {
        match Registration::new(&options) {
            // Another process of this machine has it, for a while.
            Err(Error::NameTaken { .. }) if std::time::Instant::now() < deadline => {
                std::thread::sleep(std::time::Duration::from_millis(200));
            }
            result => break result.unwrap().name().to_owned(),
        }
    };
    assert!(
        registered_names().unwrap().contains(&name),
        "it outlives its Registration"
    );

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    setsockopt(&listener, TcpCongestion, &OsString::from(&name)).unwrap();
    let mut pairs: Vec<(TcpStream, TcpStream)> = (0..1000)
        .map(|_| {
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            (client, listener.accept().unwrap().0)
        })
        .collect();
    let ours = || {
        loaded()
            .unwrap()
            .into_iter()
            .filter(|loaded| loaded.owner_pid.is_none())
            .collect::<Vec<_>>()
    };
    // The listener chose it too, but only connections have a start-up.
    assert_eq!((ours().len(), ours()[0].connections), (1, 1000));
    drop(listener);

    unload("paced").unwrap();
    assert!(!registered_names().unwrap().contains(&name));
    let left = ours();
    assert_eq!(
        (left.len(), left[0].registered, left[0].connections),
        (1, false, 1000)
    );
    for (client, server) in &mut pairs {
        server.write_all(&[7; 100_000]).unwrap();
        client.read_exact(&mut [0; 100_000]).unwrap();
    }
    assert!(matches!(unload("paced"), Err(Error::NotLoaded { .. })));
    drop(pairs);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while !ours().is_empty() {
        assert!(
            std::time::Instant::now() < deadline,
            "the programs go with their last connection"
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn without_links_a_killed_process_is_cleaned_up_by_the_next() {
    if !root() {
        return;
    }
    if std::env::var_os("ONRAMP_TEST_HOLD").is_some() {
        let _held = Registration::new(&Options {
            without_link: true,
            ..Options::new("standard")
        })
        .unwrap();
        println!("held");
        std::thread::sleep(std::time::Duration::from_secs(60));
        return;
    }
    let _machine = MACHINE.lock().unwrap_or_else(|p| p.into_inner());
    let mut holder = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "without_links_a_killed_process_is_cleaned_up_by_the_next",
            "--nocapture",
        ])
        .env("ONRAMP_TEST_HOLD", "1")
        .spawn()
        .unwrap();
    let registered = || {
        registered_names()
            .unwrap()
            .iter()
            .any(|name| name == "onramp_standard")
    };
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !registered() {
        assert!(
            std::time::Instant::now() < deadline,
            "the other process registers"
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(
        registered(),
        "the kernel keeps a registration without a link"
    );
    drop(Registration::new(&Options::new("paced")).unwrap());
    assert!(!registered());
}
