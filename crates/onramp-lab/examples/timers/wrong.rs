//! What is retransmitted over a path that loses nothing, with the kernel's minimum of the RTO and
//! with a shorter one: each timeout is wrong.

use crate::pair::{Link, Pair};
use crate::tails::{listener, timers, with_timers, MINIMA_MS};
use crate::{ping, Result};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::{sleep, spawn};
use std::time::Duration;

const RTT_MS: u64 = 20;

/// Messages of a connection that the receiver's program does not answer, so that it delays their
/// ACKs
const MESSAGES: usize = 20;
/// Exchanges before each of them, whose ACKs are not delayed
const EXCHANGES: usize = 5;
/// Longer than the delay of an ACK and the RTT, so each message is alone on the path
const PAUSE: Duration = Duration::from_millis(100);

/// A transfer
const BYTES: usize = 300_000;

/// Counters of the sender's host (`/proc/net/netstat`, and of `/proc/net/snmp` the last two)
const COUNTERS: [&str; 6] = [
    "TCPTimeouts",
    "TCPSpuriousRTOs",
    "TCPLossProbes",
    "TCPDSACKRecv",
    "RetransSegs",
    "OutSegs",
];

pub fn measure(pair: &Pair, repeats: usize) -> Result<()> {
    println!("nothing is lost, RTT {RTT_MS} ms; counters of {repeats} connections");
    for delack_max_ms in [None, Some(12)] {
        let delay = delack_max_ms.map_or("as the kernel does".to_owned(), |ms| {
            format!("by {ms} ms at most")
        });
        println!(
            "  {MESSAGES} messages, {EXCHANGES} exchanges before each, to a receiver that delays \
             ACKs {delay}"
        );
        compare(pair, |listener| {
            let receiver_timers = timers(None, delack_max_ms)?;
            for _ in 0..repeats {
                let connect = || pair.connect(listener, Link::new(RTT_MS));
                messages(with_timers(receiver_timers, connect)?)?;
            }
            Ok(())
        })?;
    }
    for jitter_ms in [10, 40, 100] {
        println!("  {BYTES} B, each packet delayed by up to {jitter_ms} ms more");
        compare(pair, |listener| {
            let link = Link {
                jitter_ns: jitter_ms * 1_000_000,
                ..Link::new(RTT_MS)
            };
            (0..repeats).try_for_each(|_| transfer(pair.connect(listener, link)?))
        })?;
    }
    Ok(())
}

/// Does the same with each minimum of the RTO, and prints what the sender counted.
fn compare(pair: &Pair, work: impl Fn(&TcpListener) -> Result<()>) -> Result<()> {
    for rto_min_ms in MINIMA_MS {
        let listener = listener(pair, rto_min_ms)?;
        let before = counters(pair)?;
        work(&listener)?;
        let after = counters(pair)?;
        let counted = COUNTERS.map(|name| format!("{name} {}", after[name] - before[name]));
        println!("    minimum {rto_min_ms} ms: {}", counted.join(", "));
    }
    Ok(())
}

/// Messages of the sender, each alone and after exchanges.
fn messages((mut sender, mut receiver): (TcpStream, TcpStream)) -> Result<()> {
    for _ in 0..MESSAGES {
        for _ in 0..EXCHANGES {
            ping(&mut sender, &mut receiver)?;
        }
        sender.write_all(&[0])?;
        sleep(PAUSE);
        receiver.read_exact(&mut [0])?;
    }
    Ok(())
}

/// A transfer of the sender. It is over when the receiver has closed, so that late ACKs count.
fn transfer((mut sender, mut receiver): (TcpStream, TcpStream)) -> Result<()> {
    let reader = spawn(move || receiver.read_exact(&mut vec![0; BYTES]));
    sender.write_all(&vec![0; BYTES])?;
    reader.join().expect("the reader does not panic")?;
    sender.read_to_end(&mut Vec::new())?;
    Ok(())
}

/// The counters of the sender's host, by their names.
fn counters(pair: &Pair) -> Result<BTreeMap<String, u64>> {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/thread-self/net/{name}"));
    let files = pair
        .sender
        .run(|| Ok::<_, std::io::Error>([read("netstat")?, read("snmp")?]))??;
    let mut counters = BTreeMap::new();
    for file in files {
        // A line with the names, then one with their values.
        let lines: Vec<&str> = file.lines().collect();
        for pair in lines.chunks_exact(2) {
            if !pair[0].starts_with("Tcp") {
                continue;
            }
            let values = pair[1]
                .split_whitespace()
                .map(|value| value.parse().unwrap_or(0));
            let names = pair[0].split_whitespace().map(str::to_owned);
            counters.extend(names.zip(values));
        }
    }
    Ok(counters)
}
