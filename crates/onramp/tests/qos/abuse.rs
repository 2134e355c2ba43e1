//! A program that wants more than its path has: each new connection reserves a rate again.

use super::path::{path, PORT};
use super::programs::loaded;
use crate::common::machine;
use onramp_kernel::{reserve, Reservation};
use onramp_lab::Path;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// How long the attack lasts, and how often it opens a connection.
const ATTACK: Duration = Duration::from_secs(8);
const INTERVAL: Duration = Duration::from_millis(100);
const PATH: &str = "rate = \"100 Mbit/s\"\nrtt = \"20 ms\"\npolicer_rate = \"10 Mbit/s\"\n\
                    policer_burst = \"30 kB\"";

/// Bytes that the sending end has put on the path, retransmissions and headers included.
fn offered_bytes(path: &Path) -> u64 {
    let read = || std::fs::read_to_string("/proc/thread-self/net/dev").unwrap();
    let devices = path.sender.run(read).unwrap();
    let sent = |line: &str| -> Option<u64> {
        let (name, counts) = line.split_once(':')?;
        let is_path = name.trim() != "lo";
        is_path.then(|| counts.split_whitespace().nth(8).unwrap().parse().unwrap())
    };
    devices.lines().filter_map(sent).sum()
}

/// Opens a connection every tenth of a second, reserves a rate for it, and sends as much as it
/// takes. Returns the rate that this offers to the path, in bits per second, and the
/// number of granted reservations.
fn attack(reservation: Option<Reservation>) -> (f64, usize) {
    let path = path(PATH);
    let address = SocketAddr::from((path.receiver_address, PORT));
    let listener = path
        .receiver
        .run(|| TcpListener::bind(address))
        .unwrap()
        .unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            std::thread::spawn(move || {
                let mut chunk = [0; 1 << 16];
                while matches!(stream.read(&mut chunk), Ok(1..)) {}
            });
        }
    });
    let send = || {
        let start = Instant::now();
        let mut granted = 0;
        while start.elapsed() < ATTACK {
            let opened = Instant::now();
            let mut stream = TcpStream::connect(address).unwrap();
            granted += usize::from(reserve(stream.as_fd(), reservation).is_ok());
            stream.set_nonblocking(true).unwrap();
            while opened.elapsed() < INTERVAL {
                while stream.write(&[0; 1 << 14]).is_ok() {}
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        (granted, start.elapsed())
    };
    let (granted, took) = path.sender.run(send).unwrap();
    let offered = offered_bytes(&path) as f64 * 8.0 / took.as_secs_f64();
    (offered, granted)
}

#[test]
#[ignore = "takes long: make test-kernel"]
fn a_program_that_reserves_anew_each_time_offers_no_more_than_cubic() {
    let without = {
        let Some(_machine) = machine() else { return };
        attack(None).0
    };
    let Some(_loaded) = loaded(&["--per-user", "100 Mbit/s"]) else {
        return;
    };
    let reservation = Reservation {
        rate_bytes_per_s: 90_000_000 / 8,
        burst_bytes: 0,
    };
    let (with, granted) = attack(Some(reservation));
    println!("CUBIC offers {without:.0} bit/s, the attack {with:.0} in {granted} reservations");
    // The penalties are over 1, 3 and 7 seconds after the first break: four reservations, or one
    // more on a machine that is late.
    assert!((2..=5).contains(&granted), "{granted}");
    assert!(
        with <= 1.3 * without,
        "CUBIC offers {without:.0} bit/s, the attack {with:.0}"
    );
}
