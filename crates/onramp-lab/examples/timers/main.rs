//! Measures this kernel's timers, which `docs/kernel.md` compares with the timer framework of Aron
//! & Druschel (1998).
//!
//! `timers [REPEATS [round-trips|tails|wrong]]`: round-trip times, timestamps, RTOs, delayed ACKs
//! and pacing of two real sockets, measured where their packets leave the hosts. Between them
//! there are only a delay and chosen losses. `tails` measures how a shorter minimum of the RTO
//! repairs the loss of last segments, and `wrong` counts what it retransmits without need.
//! Without a name it does all.

mod pair;
mod tails;
mod wrong;

use nix::libc;
use pair::{Link, Pair, Seen};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::thread::{sleep, spawn};
use std::time::Duration;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// `tcpi_rto`, `tcpi_rtt`, `tcpi_rttvar` and `tcpi_min_rtt`, all in microseconds.
fn times_us(socket: &TcpStream) -> [u32; 4] {
    let mut info = [0u8; 256];
    let mut length = 256;
    // SAFETY: the kernel writes at most 256 bytes into a buffer of that size.
    let result = unsafe {
        let (value, length) = (info.as_mut_ptr().cast(), &raw mut length);
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            value,
            length,
        )
    };
    assert_eq!(result, 0);
    [8, 68, 72, 148]
        .map(|at| u32::from_ne_bytes([info[at], info[at + 1], info[at + 2], info[at + 3]]))
}

fn set_pacing(socket: &TcpStream, bytes_per_s: u32) {
    // SAFETY: the value is a u32 that outlives the call.
    let result = unsafe {
        let value = (&raw const bytes_per_s).cast();
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MAX_PACING_RATE,
            value,
            4,
        )
    };
    assert_eq!(result, 0);
}

/// One byte in each direction.
fn ping(sender: &mut TcpStream, receiver: &mut TcpStream) -> Result<()> {
    let mut byte = [0];
    sender.write_all(&byte)?;
    receiver.read_exact(&mut byte)?;
    receiver.write_all(&byte)?;
    sender.read_exact(&mut byte)?;
    Ok(())
}

fn percentiles(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share) as usize];
    format!(
        "min {:.1} p10 {:.1} p50 {:.1} p90 {:.1} p99 {:.1} max {:.1}",
        at(0.),
        at(0.1),
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.)
    )
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let repeats: usize = arguments.next().map_or(Ok(20), |text| text.parse())?;
    let only = arguments.next();
    let is_wanted = |name: &str| only.as_ref().is_none_or(|only| only == name);
    let pair = Pair::new()?;
    if is_wanted("round-trips") {
        round_trips(&pair)?;
        time_stamps(&pair)?;
        delayed_acks(&pair, repeats)?;
        for rtt_ms in [2, 20, 100] {
            timeouts(&pair, rtt_ms, repeats)?;
        }
        for mbit_per_s in [1.5, 10.0, 50.0] {
            pacing(&pair, mbit_per_s)?;
        }
    }
    pair.use_tail_loss_probes()?;
    if is_wanted("tails") {
        tails::measure(&pair, repeats)?;
    }
    if is_wanted("wrong") {
        wrong::measure(&pair, repeats)?;
    }
    Ok(())
}

fn round_trips(pair: &Pair) -> Result<()> {
    println!("round trips as the sender has them (rto, srtt, rttvar, min_rtt in us)");
    for rtt_ms in [2, 20, 100] {
        let (mut sender, mut receiver) = pair.connect(&pair.listen()?, Link::new(rtt_ms))?;
        for _ in 0..20 {
            ping(&mut sender, &mut receiver)?;
        }
        println!("  {rtt_ms} ms: {:?}", times_us(&sender));
    }
    Ok(())
}

fn time_stamps(pair: &Pair) -> Result<()> {
    let (mut sender, mut receiver) = pair.connect(&pair.listen()?, Link::new(2))?;
    for _ in 0..300 {
        ping(&mut sender, &mut receiver)?;
        sleep(Duration::from_micros(1700));
    }
    let seen = pair.take(&sender);
    let stamps: Vec<(u64, u32)> = seen
        .iter()
        .filter(|s| s.from_sender)
        .filter_map(|s| Some((s.at_ns, s.time_stamp?)))
        .collect();
    let ((t0, v0), (t1, v1)) = (stamps[0], stamps[stamps.len() - 1]);
    let ticks = f64::from(v1.wrapping_sub(v0));
    let mut steps: Vec<u32> = stamps
        .windows(2)
        .map(|w| w[1].1.wrapping_sub(w[0].1))
        .collect();
    steps.sort_unstable();
    steps.dedup();
    println!(
        "time stamps: {ticks} ticks in {:.1} ms; steps of {steps:?}",
        (t1 - t0) as f64 / 1e6
    );
    // If a timestamp of value v is sent at t, the clock's tick lies before t. These are the minimum
    // and the maximum of that difference.
    let phases = stamps
        .iter()
        .map(|(t, v)| (t - t0) as f64 / 1e6 - f64::from(v.wrapping_sub(v0)))
        .collect();
    println!(
        "  time since the stamp's tick, in ms, up to a constant: {}",
        percentiles(phases)
    );
    Ok(())
}

/// A receiver that neither reads nor answers: the delay of its ACK for one small segment.
fn delayed_acks(pair: &Pair, repeats: usize) -> Result<()> {
    let link = Link::new(2);
    let (mut sender, mut receiver) = pair.connect(&pair.listen()?, link)?;
    for (what, pings, pause_us) in [
        ("after an exchange", 5, 1300),
        ("500 ms after an exchange", 5, 500_000),
    ] {
        let mut delays = Vec::new();
        for _ in 0..repeats {
            for _ in 0..pings {
                ping(&mut sender, &mut receiver)?;
            }
            sleep(Duration::from_micros(pause_us));
            pair.take(&sender);
            sender.write_all(&[0])?;
            sleep(Duration::from_millis(300));
            let seen = pair.take(&sender);
            receiver.read_exact(&mut [0])?;
            let data = seen.iter().find(|s| s.from_sender && s.payload_bytes > 0);
            let ack = data.and_then(|data| {
                seen.iter()
                    .find(|s| !s.from_sender && s.ack == data.sequence.wrapping_add(1))
            });
            delays.extend(
                data.zip(ack).map(|(data, ack)| {
                    (ack.at_ns as f64 - (data.at_ns + link.delay_ns) as f64) / 1e6
                }),
            );
        }
        println!(
            "delayed acknowledgements, {what}, in ms: {}",
            percentiles(delays)
        );
    }
    Ok(())
}

/// All packets are lost from a segment on: the times of its retransmissions.
fn timeouts(pair: &Pair, rtt_ms: u64, repeats: usize) -> Result<()> {
    let (mut late, mut second, mut floors) = (Vec::new(), Vec::new(), Vec::new());
    for repeat in 0..repeats {
        let (mut sender, mut receiver) = pair.connect(&pair.listen()?, Link::new(rtt_ms))?;
        for _ in 0..20 {
            ping(&mut sender, &mut receiver)?;
        }
        sleep(Duration::from_micros(613 * repeat as u64));
        pair.take(&sender);
        pair.set(Link {
            lost: usize::MAX,
            ..Link::new(rtt_ms)
        });
        let [rto_us, srtt_us, ..] = times_us(&sender);
        sender.write_all(&[0])?;
        sleep(Duration::from_micros(u64::from(rto_us) * 3 + 100_000));
        let times: Vec<u64> = pair
            .take(&sender)
            .iter()
            .filter(|s| s.from_sender && s.payload_bytes > 0)
            .map(|s| s.at_ns)
            .collect();
        let [first, again, once_more, ..] = times[..] else {
            continue;
        };
        late.push((again - first) as f64 / 1e6 - f64::from(rto_us) / 1e3);
        second.push((once_more - again) as f64 / 1e6 - 2.0 * f64::from(rto_us) / 1e3);
        floors.push((f64::from(rto_us) - f64::from(srtt_us)) / 1e3);
    }
    println!("time-outs, RTT {rtt_ms} ms, {} of them", late.len());
    println!("  RTO - srtt, in ms: {}", percentiles(floors));
    println!(
        "  first retransmission after the RTO, in ms: {}",
        percentiles(late)
    );
    println!(
        "  second one after twice the RTO, in ms: {}",
        percentiles(second)
    );
    Ok(())
}

/// A sender with a pacing rate: the times at which segments leave.
fn pacing(pair: &Pair, mbit_per_s: f64) -> Result<()> {
    let (mut sender, mut receiver) = pair.connect(&pair.listen()?, Link::new(20))?;
    let bytes_per_s = mbit_per_s * 1e6 / 8.0;
    set_pacing(&sender, bytes_per_s as u32);
    let size = ((bytes_per_s * 3.0) as usize).max(200_000);
    let reader = spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        let mut left = size;
        while left > 0 {
            left -= receiver
                .read(&mut buffer)
                .expect("the connection holds")
                .min(left);
        }
    });
    sender.write_all(&vec![0; size])?;
    reader.join().expect("the reader does not panic");
    let seen = pair.take(&sender);
    let data: Vec<&Seen> = seen
        .iter()
        .filter(|s| s.from_sender && s.payload_bytes > 0)
        .collect();
    // Only the second half counts: the window exceeds the BDP by then.
    let data = &data[data.len() / 2..];
    let mut bursts: Vec<(u64, usize, usize)> = Vec::new();
    let mut last_ns = 0;
    for segment in data {
        match bursts.last_mut() {
            Some((_, segments, bytes)) if segment.at_ns - last_ns < 30_000 => {
                (*segments, *bytes) = (*segments + 1, *bytes + segment.payload_bytes);
            }
            _ => bursts.push((segment.at_ns, 1, segment.payload_bytes)),
        }
        last_ns = segment.at_ns;
    }
    let elapsed_s = (bursts[bursts.len() - 1].0 - bursts[0].0) as f64 / 1e9;
    let sent: usize = bursts[..bursts.len() - 1]
        .iter()
        .map(|(.., bytes)| bytes)
        .sum();
    let late = |w: &[(u64, usize, usize)]| {
        (w[1].0 - w[0].0) as f64 / 1e3 - w[0].2 as f64 / bytes_per_s * 1e6
    };
    let mut sizes: Vec<usize> = bursts[..bursts.len() - 1]
        .iter()
        .map(|(_, segments, _)| *segments)
        .collect();
    sizes.sort_unstable();
    println!(
        "pacing at {mbit_per_s} Mbit/s: {:.4} Mbit/s of payload left; segments in a burst p10 {} \
         p50 {} p90 {}; a burst takes \
         {:.0} us",
        sent as f64 * 8.0 / elapsed_s / 1e6,
        sizes[sizes.len() / 10],
        sizes[sizes.len() / 2],
        sizes[sizes.len() * 9 / 10],
        sizes[sizes.len() / 2] as f64 * 1448.0 / bytes_per_s * 1e6
    );
    println!(
        "  a gap is longer than it should be by, in us: {}",
        percentiles(bursts.windows(2).map(late).collect())
    );
    Ok(())
}
