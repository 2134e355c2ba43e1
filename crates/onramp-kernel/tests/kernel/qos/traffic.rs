//! Traffic at a reserved rate.

use super::{ask, in_force, instruction, rate, set_filter, Host, MEGABYTE};
use crate::common::{assert_decisions_match, connection_of, listener, row};
use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::TcpMaxSeg;
use onramp_kernel::{Avoidance, Error, Options, Reservation};
use onramp_testing::{undisturbed, wait_for};
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

/// Lets the sender ask again and again while it sends. Returns the bytes that arrive in a second or
/// more, and the time that they took.
fn received_while_asking(asked: impl Fn(&TcpStream, u32)) -> (usize, Duration) {
    const ENOUGH_BYTES: usize = 600_000;
    let listener = listener();
    setsockopt(&listener, TcpMaxSeg, &1448).unwrap();
    let (sender, mut receiver) = connection_of(&listener);
    ask(&sender, rate(MEGABYTE)).unwrap();
    sender.set_nonblocking(true).unwrap();
    receiver.set_nonblocking(true).unwrap();
    let (start, mut buffer, mut received) = (Instant::now(), vec![0; 1 << 16], 0);
    for times in 0.. {
        if start.elapsed() > Duration::from_secs(1) && received > ENOUGH_BYTES {
            break;
        }
        asked(&sender, times);
        let _ = (&sender).write(&buffer);
        received += receiver.read(&mut buffer).unwrap_or(0);
        std::thread::sleep(Duration::from_millis(2));
    }
    (received, start.elapsed())
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
        let (received, took) = received_while_asking(|sender, times| case(sender, burst(times)));
        // The time at the rate, a bucket, and the segments that Linux does not pace at the start.
        let permitted = took.as_secs_f64() * MEGABYTE as f64 + 250_000.0;
        assert!(
            (received as f64) < permitted,
            "{what}: {received} in {took:?}"
        );
    }
}

/// Drops a quarter of the packets that arrive at a socket, at random.
pub(super) fn set_lossy(socket: &TcpStream) {
    let random = (libc::SKF_AD_OFF + libc::SKF_AD_RANDOM) as u32;
    let mut filter = [
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, random),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, 3 << 30),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, 0),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, u32::MAX),
    ];
    set_filter(socket, &mut filter).unwrap();
}

/// Sends over losses until they break a reservation. Returns what the sender was told when it asked
/// again at once and how long ago the reservation was still in force then, what it was told after
/// some time, and how long ago.
fn ask_after_a_break(host: &Host) -> [(Result<(), Errno>, Duration); 2] {
    let listener = listener();
    setsockopt(&listener, TcpMaxSeg, &1448).unwrap();
    let (sender, mut receiver) = connection_of(&listener);
    ask(&sender, rate(MEGABYTE)).unwrap();
    set_lossy(&receiver);
    let broken_before = host.limit().broken;
    let (mut writer, reader) = (
        sender.try_clone().unwrap(),
        std::thread::spawn(move || {
            let _ = receiver.read_to_end(&mut Vec::new());
        }),
    );
    let writing = std::thread::spawn(move || writer.write_all(&vec![0; 400_000]).unwrap());
    let mut in_force_at = Instant::now();
    let at_once = wait_for("losses break the reservation", || {
        let now = Instant::now();
        if in_force(&sender).is_some() {
            in_force_at = now;
            return None;
        }
        Some((ask(&sender, rate(MEGABYTE)), in_force_at.elapsed()))
    });
    let later = match at_once.0 {
        Ok(()) => at_once,
        Err(_) => {
            let row = row(&sender);
            assert_eq!((row.phase, row.exit_reason), ("done", "broken"));
            assert_eq!(host.limit().broken, broken_before + 1);
            wait_for("it may reserve again", || {
                let result = ask(&sender, rate(MEGABYTE));
                (result != Err(Errno::EAGAIN)).then(|| (result, in_force_at.elapsed()))
            })
        }
    };
    writing.join().unwrap();
    sender.shutdown(std::net::Shutdown::Both).unwrap();
    drop(sender);
    reader.join().unwrap();
    [at_once, later]
}

#[test]
fn a_broken_reservation_can_be_replaced_after_a_second() {
    const WAIT: Duration = Duration::from_secs(1);
    let Some(host) = Host::new(MEGABYTE) else {
        return;
    };
    // A machine that takes a second between two calls does not ask at once.
    let [at_once, later] = undisturbed(
        || ask_after_a_break(&host),
        |[(_, asked_after), _]| *asked_after < WAIT,
    );
    assert_eq!(at_once.0, Err(Errno::EAGAIN), "{:?}", at_once.1);
    assert_eq!(later.0, Ok(()));
    assert!(later.1 >= WAIT, "{:?}", later.1);
}
