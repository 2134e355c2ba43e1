//! Measures this kernel's timers, which `docs/kernel.md` compares with the timer framework of Aron
//! & Druschel (1998).
//!
//! `timers [REPEATS]`: round-trip times, timestamps, RTOs, delayed ACKs and pacing of two real
//! sockets, measured where their packets leave the hosts. Between them there are only a delay and
//! chosen losses.

use nix::libc;
use nix::poll::{ppoll, PollFd, PollFlags};
use nix::sys::time::TimeSpec;
use onramp_host::{ip, now_ns, Namespace, Tun};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{sleep, spawn};
use std::time::Duration;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A packet that left its host.
#[derive(Clone, Copy, Debug)]
struct Seen {
    at_ns: u64,
    from_sender: bool,
    /// It is the sender's packet.
    port: u16,
    payload_bytes: usize,
    sequence: u32,
    ack: u32,
    time_stamp: Option<u32>,
}

/// Two hosts, and the thread that carries packets between them.
struct Pair {
    sender: Namespace,
    receiver: Namespace,
    seen: Arc<Mutex<Vec<Seen>>>,
    delay_ns: Arc<AtomicU64>,
    /// Drops the data of the sender.
    cut: Arc<AtomicBool>,
}

const SENDER: &str = "198.18.0.1";
const RECEIVER: &str = "198.18.0.2";

fn host(own: &str, peer: &str) -> Result<(Namespace, Tun)> {
    let namespace = Namespace::new()?;
    let tun = namespace.run(|| {
        let tun = Tun::create("onramp0")?;
        ip(&format!(
            "address add {own}/32 dev onramp0\nlink set dev onramp0 up\nroute add \
            {peer}/32 dev onramp0\n"
        ))?;
        let set =
            |name: &str, value: &str| std::fs::write(format!("/proc/sys/net/ipv4/{name}"), value);
        let settings = set("tcp_early_retrans", "0").and(set("tcp_no_metrics_save", "1"));
        Ok::<_, onramp_host::Error>((tun, settings))
    })??;
    tun.1?;
    Ok((namespace, tun.0))
}

impl Pair {
    fn new() -> Result<Pair> {
        let ((sender, a), (receiver, b)) = (host(SENDER, RECEIVER)?, host(RECEIVER, SENDER)?);
        let (seen, delay_ns) = (
            Arc::<Mutex<Vec<Seen>>>::default(),
            Arc::new(AtomicU64::new(10_000_000)),
        );
        let cut = Arc::<AtomicBool>::default();
        let shared = (seen.clone(), delay_ns.clone(), cut.clone());
        // The thread ends with the process.
        spawn(move || carry([a, b], &shared.0, &shared.1, &shared.2));
        Ok(Pair {
            sender,
            receiver,
            seen,
            delay_ns,
            cut,
        })
    }

    /// Opens a connection: the sender's socket, then the receiver's.
    fn connect(&self, rtt_ms: u64) -> Result<(TcpStream, TcpStream)> {
        self.delay_ns.store(rtt_ms * 500_000, Ordering::Relaxed);
        self.cut.store(false, Ordering::Relaxed);
        let listener = self.sender.run(|| TcpListener::bind((SENDER, 0)))??;
        let address = listener.local_addr()?;
        let receiver = self.receiver.run(move || TcpStream::connect(address))??;
        let (sender, _) = listener.accept()?;
        sender.set_nodelay(true)?;
        receiver.set_nodelay(true)?;
        self.seen.lock().unwrap().clear();
        Ok((sender, receiver))
    }

    /// The packets of this sender's connection since the last call.
    fn take(&self, sender: &TcpStream) -> Vec<Seen> {
        let port = sender.local_addr().map_or(0, |address| address.port());
        let seen = std::mem::take(&mut *self.seen.lock().unwrap());
        seen.into_iter()
            .filter(|packet| packet.port == port)
            .collect()
    }
}

/// Records when packets leave, and delivers them to the other host after the delay.
fn carry(tuns: [Tun; 2], seen: &Mutex<Vec<Seen>>, delay_ns: &AtomicU64, cut: &AtomicBool) {
    // Idle CPUs do not sleep deeply while this descriptor is open.
    let mut awake = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/cpu_dma_latency");
    let _ = awake
        .as_mut()
        .map(|awake| awake.write_all(&0i32.to_ne_bytes()));
    let parameter = libc::sched_param { sched_priority: 50 };
    // SAFETY: for the calling thread, with plain data that outlives the calls.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
        libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameter);
    }
    let mut under_way: [VecDeque<(u64, Vec<u8>)>; 2] = Default::default();
    let mut buffer = [0; 2000];
    loop {
        let mut found = false;
        for (side, from) in tuns.iter().enumerate() {
            while under_way[side]
                .front()
                .is_some_and(|(due_ns, _)| *due_ns <= now_ns())
            {
                let (_, packet) = under_way[side].pop_front().expect("there is one");
                tuns[1 - side]
                    .write(&packet)
                    .expect("the host takes packets");
            }
            if let Some(length) = from.read(&mut buffer).expect("the host gives packets") {
                found = true;
                let at_ns = now_ns();
                let Some(packet) = seen_in(at_ns, side == 0, &buffer[..length]) else {
                    continue;
                };
                seen.lock().unwrap().push(packet);
                if side == 1 || packet.payload_bytes == 0 || !cut.load(Ordering::Relaxed) {
                    let due_ns = at_ns + delay_ns.load(Ordering::Relaxed);
                    under_way[side].push_back((due_ns, buffer[..length].to_vec()));
                }
            }
        }
        if !found {
            let due_ns = under_way
                .iter()
                .filter_map(|packets| Some(packets.front()?.0))
                .min()
                .unwrap_or(u64::MAX);
            let sleep_ns = due_ns.saturating_sub(now_ns()).min(10_000_000);
            let mut descriptors = tuns
                .each_ref()
                .map(|tun| PollFd::new(tun.as_fd(), PollFlags::POLLIN));
            let _ = ppoll(
                &mut descriptors,
                Some(TimeSpec::from_duration(Duration::from_nanos(sleep_ns))),
                None,
            );
        }
    }
}

fn seen_in(at_ns: u64, from_sender: bool, packet: &[u8]) -> Option<Seen> {
    if packet.len() < 40 || packet[0] != 0x45 || packet[9] != 6 {
        return None;
    }
    let tcp = &packet[20..];
    let word = |at: usize| u32::from_be_bytes([tcp[at], tcp[at + 1], tcp[at + 2], tcp[at + 3]]);
    let header_bytes = usize::from(tcp[12] >> 4) * 4;
    // After two NOPs, as Linux writes the option outside handshakes.
    let time_stamp = (header_bytes >= 32 && tcp[20..24] == [1, 1, 8, 10]).then(|| word(24));
    let payload_bytes = tcp.len() - header_bytes;
    let port = if from_sender {
        word(0) >> 16
    } else {
        word(0) & 0xffff
    } as u16;
    Some(Seen {
        at_ns,
        from_sender,
        port,
        payload_bytes,
        sequence: word(4),
        ack: word(8),
        time_stamp,
    })
}

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
    let repeats: usize = std::env::args()
        .nth(1)
        .map_or(Ok(20), |text| text.parse())?;
    let pair = Pair::new()?;
    round_trips(&pair)?;
    time_stamps(&pair)?;
    delayed_acks(&pair, repeats)?;
    for rtt_ms in [2, 20, 100] {
        timeouts(&pair, rtt_ms, repeats)?;
    }
    for mbit_per_s in [1.5, 10.0, 50.0] {
        pacing(&pair, mbit_per_s)?;
    }
    Ok(())
}

fn round_trips(pair: &Pair) -> Result<()> {
    println!("round trips as the sender has them (rto, srtt, rttvar, min_rtt in us)");
    for rtt_ms in [2, 20, 100] {
        let (mut sender, mut receiver) = pair.connect(rtt_ms)?;
        for _ in 0..20 {
            ping(&mut sender, &mut receiver)?;
        }
        println!("  {rtt_ms} ms: {:?}", times_us(&sender));
    }
    Ok(())
}

fn time_stamps(pair: &Pair) -> Result<()> {
    let (mut sender, mut receiver) = pair.connect(2)?;
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
    let (mut sender, mut receiver) = pair.connect(2)?;
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
            let (seen, delay_ns) = (pair.take(&sender), pair.delay_ns.load(Ordering::Relaxed));
            receiver.read_exact(&mut [0])?;
            let data = seen.iter().find(|s| s.from_sender && s.payload_bytes > 0);
            let ack = data.and_then(|data| {
                seen.iter()
                    .find(|s| !s.from_sender && s.ack == data.sequence.wrapping_add(1))
            });
            delays.extend(
                data.zip(ack)
                    .map(|(data, ack)| (ack.at_ns as f64 - (data.at_ns + delay_ns) as f64) / 1e6),
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
        let (mut sender, mut receiver) = pair.connect(rtt_ms)?;
        for _ in 0..20 {
            ping(&mut sender, &mut receiver)?;
        }
        sleep(Duration::from_micros(613 * repeat as u64));
        pair.take(&sender);
        pair.cut.store(true, Ordering::Relaxed);
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
    let (mut sender, mut receiver) = pair.connect(20)?;
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
