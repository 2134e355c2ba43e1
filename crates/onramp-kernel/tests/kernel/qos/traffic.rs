//! Traffic at a reserved rate.

use super::{ask, in_force, instruction, rate, set_filter, Host, MEGABYTE};
use crate::common::{assert_decisions_match, connection_of, listener, row, wait_until};
use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::TcpMaxSeg;
use onramp_kernel::{Avoidance, Error, Options, Reservation};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

#[test]
fn it_carries_traffic_at_its_rate_with_every_avoidance_and_decides_as_its_native_build() {
    for &avoidance in Avoidance::ALL {
        let options = Options {
            avoidance,
            record: true,
            ..Options::new("qos")
        };
        let host = match Host::with(u64::MAX, &options) {
            Err(Error::NoAvoidance {
                avoidance: "bbr", ..
            }) => continue,
            host => host.unwrap(),
        };
        let Some(host) = host else { return };
        let listener = listener();
        setsockopt(&listener, TcpMaxSeg, &1448).unwrap();
        let (mut sender, mut receiver) = connection_of(&listener);
        ask(&sender, rate(MEGABYTE)).unwrap();
        let start = Instant::now();
        let reader = std::thread::spawn(move || {
            receiver.read_exact(&mut vec![0; 1_000_000]).unwrap();
            receiver
        });
        sender.write_all(&vec![0; 1_000_000]).unwrap();
        let _open = reader.join().unwrap();
        // The rate permits it after a second, less the burst. A busy machine may take longer.
        assert!(
            start.elapsed() > Duration::from_millis(900),
            "{}: {:?}",
            avoidance.name(),
            start.elapsed()
        );
        assert_eq!(
            (row(&sender).phase, in_force(&sender)),
            ("reserved", rate(MEGABYTE))
        );
        let compared = assert_decisions_match("qos", &host.registration.take_events());
        assert!(
            compared > 50,
            "{}: only {compared} events",
            avoidance.name()
        );
    }
}

/// The bytes that arrive in a second while the sender asks again and again.
fn received_while_asking(asked: impl Fn(&TcpStream, u32)) -> usize {
    let listener = listener();
    setsockopt(&listener, TcpMaxSeg, &1448).unwrap();
    let (sender, mut receiver) = connection_of(&listener);
    ask(&sender, rate(MEGABYTE)).unwrap();
    sender.set_nonblocking(true).unwrap();
    receiver.set_nonblocking(true).unwrap();
    let (start, mut buffer, mut received) = (Instant::now(), vec![0; 1 << 16], 0);
    for times in 0.. {
        if start.elapsed() > Duration::from_secs(1) {
            break;
        }
        asked(&sender, times);
        let _ = (&sender).write(&buffer);
        received += receiver.read(&mut buffer).unwrap_or(0);
        std::thread::sleep(Duration::from_millis(2));
    }
    received
}

#[test]
fn asking_again_does_not_refill_the_bucket() {
    let Some(_host) = Host::new(2 * MEGABYTE) else {
        return;
    };
    let burst = |times: u32| Reservation {
        rate_bytes_per_s: MEGABYTE,
        burst_bytes: 90_000 + times % 2,
    };
    type Asking = fn(&TcpStream, Reservation);
    let cases: [(&str, Asking); 3] = [
        ("once", |_, _| {}),
        ("another burst", |sender, burst| {
            ask(sender, Some(burst)).unwrap()
        }),
        ("a rate that is refused", |sender, _| {
            assert_eq!(ask(sender, rate(3 * MEGABYTE)), Err(Errno::EPERM))
        }),
    ];
    for (what, case) in cases {
        let received = received_while_asking(|sender, times| case(sender, burst(times)));
        // A second at the rate, a bucket, and the segments that Linux does not pace at the start.
        assert!(received < 1_250_000, "{what}: {received}");
        assert!(received > 300_000, "{what}: {received}");
    }
}

/// Drops a quarter of the packets that arrive at a socket, at random.
fn set_lossy(socket: &TcpStream) {
    let random = (libc::SKF_AD_OFF + libc::SKF_AD_RANDOM) as u32;
    let mut filter = [
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, random),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, 3 << 30),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, 0),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, u32::MAX),
    ];
    set_filter(socket, &mut filter).unwrap();
}

#[test]
fn a_broken_reservation_can_be_replaced_after_a_second() {
    let Some(host) = Host::new(MEGABYTE) else {
        return;
    };
    let listener = listener();
    setsockopt(&listener, TcpMaxSeg, &1448).unwrap();
    let (sender, mut receiver) = connection_of(&listener);
    ask(&sender, rate(MEGABYTE)).unwrap();
    set_lossy(&receiver);
    let (mut writer, reader) = (
        sender.try_clone().unwrap(),
        std::thread::spawn(move || {
            let _ = receiver.read_to_end(&mut Vec::new());
        }),
    );
    let writing = std::thread::spawn(move || writer.write_all(&vec![0; 400_000]).unwrap());
    wait_until(
        "losses break the reservation",
        Duration::from_secs(20),
        || in_force(&sender).is_none(),
    );
    assert_eq!(
        (
            row(&sender).phase,
            row(&sender).exit_reason,
            host.limit().broken
        ),
        ("done", "broken", 1)
    );
    assert_eq!(ask(&sender, rate(MEGABYTE)), Err(Errno::EAGAIN));
    std::thread::sleep(Duration::from_millis(1050));
    ask(&sender, rate(MEGABYTE)).unwrap();
    writing.join().unwrap();
    sender.shutdown(std::net::Shutdown::Both).unwrap();
    drop(sender);
    reader.join().unwrap();
}
