//! Two hosts, and a path between them that delays packets and loses chosen ones.

use crate::Result;
use nix::libc;
use nix::poll::{ppoll, PollFd, PollFlags};
use nix::sys::time::TimeSpec;
use onramp_host::{ip, now_ns, Namespace, Tun};
use std::collections::VecDeque;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex};
use std::thread::spawn;
use std::time::Duration;

/// A packet that left its host.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub at_ns: u64,
    pub from_sender: bool,
    /// It is the sender's packet.
    port: u16,
    pub payload_bytes: usize,
    pub sequence: u32,
    pub ack: u32,
    pub time_stamp: Option<u32>,
}

/// Two hosts, and the thread that carries packets between them.
pub struct Pair {
    pub sender: Namespace,
    receiver: Namespace,
    seen: Arc<Mutex<Vec<Seen>>>,
    link: Arc<Mutex<Link>>,
}

/// What the path does to packets.
#[derive(Clone, Copy, Default)]
pub struct Link {
    /// In each direction
    pub delay_ns: u64,
    /// The most that a packet is delayed beyond that, evenly distributed. Packets stay in order.
    pub jitter_ns: u64,
    /// So many of the sender's next packets with data arrive.
    pub arriving: usize,
    /// Of those after them, so many are lost.
    pub lost: usize,
}

impl Link {
    pub fn new(rtt_ms: u64) -> Link {
        Link {
            delay_ns: rtt_ms * 500_000,
            ..Link::default()
        }
    }

    /// Does the sender's next packet with data arrive?
    fn passes(&mut self) -> bool {
        match (self.arriving, self.lost) {
            (0, 0) => true,
            (0, _) => {
                self.lost -= 1;
                false
            }
            _ => {
                self.arriving -= 1;
                true
            }
        }
    }
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
    pub fn new() -> Result<Pair> {
        let ((sender, a), (receiver, b)) = (host(SENDER, RECEIVER)?, host(RECEIVER, SENDER)?);
        let seen = Arc::<Mutex<Vec<Seen>>>::default();
        let link = Arc::<Mutex<Link>>::default();
        let shared = (seen.clone(), link.clone());
        // The thread ends with the process.
        spawn(move || carry([a, b], &shared.0, &shared.1));
        Ok(Pair {
            sender,
            receiver,
            seen,
            link,
        })
    }

    /// From now on the sender has the tail loss probes of Linux.
    pub fn use_tail_loss_probes(&self) -> Result<()> {
        let set = || std::fs::write("/proc/sys/net/ipv4/tcp_early_retrans", "3");
        Ok(self.sender.run(set)??)
    }

    /// A socket of the sender that listens.
    pub fn listen(&self) -> Result<TcpListener> {
        Ok(self.sender.run(|| TcpListener::bind((SENDER, 0)))??)
    }

    /// Sets what the path does from now on.
    pub fn set(&self, link: Link) {
        *self.link.lock().unwrap() = link;
    }

    /// Opens a connection over a path: the sender's socket, then the receiver's.
    pub fn connect(&self, listener: &TcpListener, link: Link) -> Result<(TcpStream, TcpStream)> {
        self.set(link);
        let address = listener.local_addr()?;
        let receiver = self.receiver.run(move || TcpStream::connect(address))??;
        let (sender, _) = listener.accept()?;
        sender.set_nodelay(true)?;
        receiver.set_nodelay(true)?;
        self.seen.lock().unwrap().clear();
        Ok((sender, receiver))
    }

    /// The packets of this sender's connection since the last call.
    pub fn take(&self, sender: &TcpStream) -> Vec<Seen> {
        let port = sender.local_addr().map_or(0, |address| address.port());
        let seen = std::mem::take(&mut *self.seen.lock().unwrap());
        seen.into_iter()
            .filter(|packet| packet.port == port)
            .collect()
    }
}

/// Records when packets leave, and delivers them to the other host after the delay.
fn carry(tuns: [Tun; 2], seen: &Mutex<Vec<Seen>>, link: &Mutex<Link>) {
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
    let mut random = Random(1);
    let mut latest_due_ns = [0; 2];
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
                let mut link = link.lock().unwrap();
                if side == 1 || packet.payload_bytes == 0 || link.passes() {
                    let jitter_ns = random.below(link.jitter_ns);
                    let due_ns = (at_ns + link.delay_ns + jitter_ns).max(latest_due_ns[side]);
                    latest_due_ns[side] = due_ns;
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

/// Numbers that are the same in each run (xorshift).
struct Random(u64);

impl Random {
    /// The next number below a limit; 0 if the limit is 0.
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.checked_rem(limit).unwrap_or(0)
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
