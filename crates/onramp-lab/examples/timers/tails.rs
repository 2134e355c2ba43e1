//! The last segments of a transfer are lost: the time until the repair, with the kernel's minimum
//! of the RTO and with a shorter one.

use crate::pair::{Link, Pair};
use crate::{percentiles, Result};
use onramp_host::now_ns;
use onramp_kernel::{own_cgroup, Adoption, Timer, Timers};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::spawn;

/// The congestion control of the connections: only the timers differ.
const CONTROL: &str = "cubic";

/// The payload of a full segment: an MTU of 1500 bytes, with timestamps.
const SEGMENT_BYTES: usize = 1448;

/// The minima of the RTO that are compared, in milliseconds. The first is the kernel's.
pub const MINIMA_MS: [u64; 3] = [200, 40, 20];

/// Timers in milliseconds; `None`: the kernel's.
pub fn timers(rto_min_ms: Option<u64>, delack_max_ms: Option<u64>) -> Result<Timers> {
    let timer = |ms: Option<u64>| ms.map(|ms| Timer::from_ns(ms * 1_000_000)).transpose();
    Ok(Timers {
        rto_min: timer(rto_min_ms)?,
        delack_max: timer(delack_max_ms)?,
    })
}

/// Does `work`. Sockets that begin to listen or to connect meanwhile get these timers.
pub fn with_timers<T>(timers: Timers, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let _adoption = Adoption::new(&own_cgroup()?, CONTROL, timers)?;
    work()
}

/// A listening socket of the sender whose connections have this minimum of the RTO.
pub fn listener(pair: &Pair, rto_min_ms: u64) -> Result<TcpListener> {
    with_timers(timers(Some(rto_min_ms), None)?, || pair.listen())
}

/// A transfer and what is lost of it.
struct Tail {
    segments: usize,
    /// So many of its last segments
    lost: usize,
    /// And so many of the packets after it: probes and retransmissions
    lost_repairs: usize,
}

pub fn measure(pair: &Pair, repeats: usize) -> Result<()> {
    println!("time from the last segment to the repair, less the path's delay, in ms");
    for (segments, lost, lost_repairs) in [(1, 1, 0), (10, 1, 0), (10, 3, 0), (10, 3, 1)] {
        let tail = Tail {
            segments,
            lost,
            lost_repairs,
        };
        for rtt_ms in [2, 20, 100] {
            println!(
                "  {segments} segments, the last {lost} lost, and {lost_repairs} repairs; RTT \
                 {rtt_ms} ms"
            );
            for rto_min_ms in MINIMA_MS {
                let listener = listener(pair, rto_min_ms)?;
                let times: Result<Vec<f64>> = (0..repeats)
                    .map(|_| repair_ms(pair, &listener, &tail, rtt_ms))
                    .collect();
                println!("    minimum {rto_min_ms} ms: {}", percentiles(times?));
            }
        }
    }
    Ok(())
}

/// How much later than without a loss the transfer is complete.
fn repair_ms(pair: &Pair, listener: &TcpListener, tail: &Tail, rtt_ms: u64) -> Result<f64> {
    let link = Link::new(rtt_ms);
    let (mut sender, mut receiver) = pair.connect(listener, link)?;
    pair.set(Link {
        arriving: tail.segments - tail.lost,
        lost: tail.lost + tail.lost_repairs,
        ..link
    });
    let bytes = tail.segments * SEGMENT_BYTES;
    let reader = spawn(move || {
        receiver
            .read_exact(&mut vec![0; bytes])
            .map(|()| (now_ns(), receiver))
    });
    sender.write_all(&vec![0; bytes])?;
    let (end_ns, _receiver) = reader.join().expect("the reader does not panic")?;
    let seen = pair.take(&sender);
    let mut data = seen
        .iter()
        .filter(|packet| packet.from_sender && packet.payload_bytes > 0);
    let last = data
        .nth(tail.segments - 1)
        .ok_or("the transfer has ended")?;
    Ok((end_ns - last.at_ns - link.delay_ns) as f64 / 1e6)
}
