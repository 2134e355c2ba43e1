//! The link thread's loop: emit what is due, read what has come, wait for whichever is next.

use super::buffers::{Buffer, Pool};
use super::emissions::{Emission, Emissions};
use super::lateness::Lateness;
use super::realtime::Realtime;
use super::segments::{self, Segment, SegmentLog};
use crate::clock::now_ns;
use crate::host::Tun;
use crate::Error;
use nix::poll::{ppoll, PollFd, PollFlags};
use nix::sys::time::TimeSpec;
use onramp_net::{Config, Departure, Link, LinkStats};
use onramp_scenario::{link_seed, Case};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Arc};
use std::thread::JoinHandle;
use std::time::Duration;

/// What the link thread needs to know of a case.
#[derive(Clone, Debug)]
pub struct Path {
    forward: Config,
    reverse: Config,
    /// What fills the path and a queue of the same size, in both directions.
    bytes: u64,
    mtu_bytes: u32,
}

impl Path {
    /// The path of a case.
    pub fn of(case: &Case) -> Path {
        let path = &case.path;
        Path {
            forward: path.forward.link_config(path.rtt_ns, link_seed(case.seed, 0)),
            reverse: path.reverse.link_config(path.rtt_ns, link_seed(case.seed, 1)),
            bytes: path.bdp_bytes().saturating_mul(3).saturating_add(1 << 20),
            mtu_bytes: path.mtu_bytes,
        }
    }
}

/// What the link did.
pub struct LinkReport {
    /// Data direction.
    pub forward: LinkStats,
    /// Acknowledgement direction.
    pub reverse: LinkStats,
    /// Of every packet in both directions.
    pub lateness: Lateness,
    /// The latest of the first packets in either direction, among them the initial window and its ACKs.
    pub early_lateness_ns: u64,
    /// The first packets handed to the receiver.
    pub forward_emissions: Vec<Emission>,
    /// The first packets handed to the sender.
    pub reverse_emissions: Vec<Emission>,
    /// Data segments of the measured connection, if they were asked for.
    pub segments: Vec<Segment>,
    /// Segments beyond those that a trace keeps.
    pub segments_left_out: u64,
    /// How long a hypervisor let the link thread's CPU wait, as far as it says so, in steps of 10 ms.
    pub stolen_ms: u64,
    /// What the host did not permit.
    pub notes: Vec<String>,
}

/// The running thread.
pub struct LinkThread {
    /// The beginning of the run, from which the path's changes are counted.
    pub begin_ns: u64,
    stop: Arc<AtomicBool>,
    handle: JoinHandle<Result<LinkReport, Error>>,
}

impl LinkThread {
    /// Starts carrying packets between the sender's device and the receiver's, on one CPU where there is one. It
    /// is ready to when this returns.
    pub fn start(path: Path, sender: Tun, receiver: Tun, log: Option<SegmentLog>, cpu: Option<usize>) -> LinkThread {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let (ready, is_ready) = mpsc::channel();
        let work = move || {
            let mut worker = Worker::new(&path, sender, receiver, log, Realtime::enter(cpu));
            let _ = ready.send(worker.begin_ns);
            worker.run(&stopped)?;
            Ok(worker.into_report())
        };
        let handle = std::thread::Builder::new().name("onramp-link".into()).spawn(work).expect("threads can be made");
        let begin_ns = is_ready.recv().unwrap_or_else(|_| now_ns());
        LinkThread { begin_ns, stop, handle }
    }

    /// It has ended of itself, which only a failure makes it do.
    pub fn has_failed(&self) -> bool {
        self.handle.is_finished()
    }

    /// Stops it and collects what it saw.
    pub fn finish(self) -> Result<LinkReport, Error> {
        self.stop.store(true, Ordering::Relaxed);
        self.handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Longest sleep: how long a stop may go unnoticed.
const NAP_NS: u64 = 20_000_000;
/// Between making a lab and its first packet: what the kernel does on new devices is over by then.
const SETTLE_NS: u64 = 20_000_000;
/// Buffers made beforehand, in bytes.
const POOL_BYTES_MAX: u64 = 128 << 20;

const FORWARD: usize = 0;
const REVERSE: usize = 1;

struct Worker {
    begin_ns: u64,
    channels: [Direction; 2],
    pool: Pool,
    /// A buffer that a read found nothing for.
    spare: Option<Buffer>,
    log: Option<SegmentLog>,
    realtime: Realtime,
}

/// One way along the path.
struct Direction {
    /// The device of the host where it begins.
    from: Tun,
    /// When that host was last handed a packet, until its device has been found empty since.
    provoked_ns: Option<u64>,
    /// Time of the last offer.
    offered_ns: u64,
    link: Link<Buffer>,
    lateness: Lateness,
    emissions: Emissions,
}

impl Direction {
    fn new(from: Tun, config: &Config, begin_ns: u64, packets: usize) -> Direction {
        let mut config = config.clone();
        config.changes.iter_mut().for_each(|change| change.at_ns += begin_ns);
        let mut link = Link::from_config(&config);
        link.reserve(packets);
        Direction {
            from,
            provoked_ns: None,
            offered_ns: 0,
            link,
            lateness: Lateness::default(),
            emissions: Emissions::new(),
        }
    }

    /// Gives the buffers of packets that the queue dropped after all back to the pool.
    fn forget_dropped(&mut self) {
        while self.link.take_dropped().is_some() {}
    }
}

impl Worker {
    fn new(path: &Path, sender: Tun, receiver: Tun, log: Option<SegmentLog>, realtime: Realtime) -> Worker {
        let buffer_bytes = u64::from(path.mtu_bytes);
        let packets = (path.bytes.min(POOL_BYTES_MAX) / buffer_bytes) as usize;
        let pool = Pool::new(path.mtu_bytes as usize, packets);
        let begin_ns = now_ns() + SETTLE_NS;
        let direction = |tun, config| Direction::new(tun, config, begin_ns, packets);
        Worker {
            begin_ns,
            channels: [direction(sender, &path.forward), direction(receiver, &path.reverse)],
            pool,
            spare: None,
            log,
            realtime,
        }
    }

    fn run(&mut self, stop: &AtomicBool) -> Result<(), Error> {
        while !stop.load(Ordering::Relaxed) {
            let now = now_ns();
            self.realtime.account(now);
            if let Some((_, direction)) = self.next_departure().filter(|(due_ns, _)| *due_ns <= now) {
                self.emit(direction)?;
            }
            let found = [self.read(FORWARD)?, self.read(REVERSE)?];
            if found == [false, false] {
                self.wait()?;
            }
        }
        Ok(())
    }

    fn next_departure(&self) -> Option<(u64, usize)> {
        let of = |direction: usize| Some((self.channels[direction].link.next_departure_ns()?, direction));
        match (of(FORWARD), of(REVERSE)) {
            (Some(forward), Some(reverse)) => Some(forward.min(reverse)),
            (forward, reverse) => forward.or(reverse),
        }
    }

    /// Hands the earliest packet of a direction to the host at its end.
    fn emit(&mut self, direction: usize) -> Result<(), Error> {
        let at_ns = now_ns();
        let channel = &mut self.channels[direction];
        let departure = channel.link.poll(at_ns);
        channel.forget_dropped();
        let Some(Departure { due_ns, packet: buffer, .. }) = departure else { return Ok(()) };
        channel.lateness.add(at_ns - due_ns);
        let packet = buffer.packet();
        channel.emissions.add(Emission { due_ns, at_ns, wire_bytes: packet.len() as u32 });
        let back = &mut self.channels[1 - direction];
        back.provoked_ns = Some(at_ns);
        back.from.write(packet).map_err(|source| Error::Link { what: "handing a packet to a host", source })
    }

    /// Takes one packet from a host; whether there was one.
    fn read(&mut self, direction: usize) -> Result<bool, Error> {
        let channel = &mut self.channels[direction];
        let mut buffer = self.spare.take().unwrap_or_else(|| self.pool.take());
        let read = channel.from.read(buffer.room());
        let length = match read.map_err(|source| Error::Link { what: "taking a packet from a host", source })? {
            Some(length) => length,
            None => {
                self.spare = Some(buffer);
                channel.provoked_ns = None;
                return Ok(false);
            }
        };
        // A host's TCP answers inside the write that hands it a packet, in some microseconds that vary with the
        // state of the caches: its answer counts as given at once.
        let now = channel.provoked_ns.unwrap_or_else(now_ns).max(channel.offered_ns);
        channel.offered_ns = now;
        buffer.truncate(length);
        // Nothing but IPv4 has business on the path.
        if buffer.packet().first().is_none_or(|first| first >> 4 != 4) {
            return Ok(true);
        }
        let header = match (&self.log, direction) {
            (Some(_), FORWARD) => segments::header(buffer.packet()),
            _ => None,
        };
        let verdict = channel.link.offer(now, buffer);
        channel.forget_dropped();
        if let (Some(log), Some(header)) = (&mut self.log, header) {
            log.observe(now, header, verdict);
        }
        Ok(true)
    }

    /// Sleeps until shortly before the next departure or until a packet comes; does not sleep for less.
    fn wait(&mut self) -> Result<(), Error> {
        let sleep_ns = match self.next_departure() {
            Some((due_ns, _)) => due_ns.saturating_sub(now_ns() + self.realtime.margin_ns()).min(NAP_NS),
            None => NAP_NS,
        };
        if sleep_ns == 0 {
            return Ok(());
        }
        let [forward, reverse] = &self.channels;
        let mut descriptors = [&forward.from, &reverse.from].map(|tun| PollFd::new(tun.as_fd(), PollFlags::POLLIN));
        match ppoll(&mut descriptors, Some(TimeSpec::from_duration(Duration::from_nanos(sleep_ns))), None) {
            Ok(_) | Err(nix::Error::EINTR) => {
                self.realtime.slept_until(now_ns());
                Ok(())
            }
            Err(errno) => Err(Error::Link { what: "waiting for packets", source: errno.into() }),
        }
    }

    fn into_report(self) -> LinkReport {
        let [forward, reverse] = self.channels;
        let mut lateness = forward.lateness;
        lateness.merge(&reverse.lateness);
        let (segments, segments_left_out) = self.log.map(SegmentLog::into_parts).unwrap_or_default();
        LinkReport {
            forward: forward.link.stats(),
            reverse: reverse.link.stats(),
            lateness,
            early_lateness_ns: forward.emissions.early_lateness_ns().max(reverse.emissions.early_lateness_ns()),
            forward_emissions: forward.emissions.into_vec(),
            reverse_emissions: reverse.emissions.into_vec(),
            segments,
            segments_left_out,
            stolen_ms: self.realtime.stolen_ms(),
            notes: self.realtime.notes,
        }
    }
}
