//! The link thread's loop: move what is due, read what has come, wait for whichever is next.

use super::buffers::{Buffer, Pool};
use super::departures::Departures;
use super::emissions::{Emission, Emissions};
use super::lateness::Lateness;
use super::realtime::Realtime;
use super::segments::{self, SegmentLog, SegmentLogs};
use crate::clock::now_ns;
use crate::host::Tun;
use crate::layout::{Lookup, Side, Wire, Wiring};
use crate::Error;
use nix::poll::{ppoll, PollFd, PollFlags};
use nix::sys::time::TimeSpec;
use onramp_net::{Departure, Link, LinkStats, Packet};
use onramp_scenario::{Place, Routes};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Arc};
use std::thread::JoinHandle;
use std::time::Duration;

/// What the link did.
pub struct LinkReport {
    /// Of each directed link of the network: its n-th link forward has place 2 n, in reverse 2 n +
    /// 1.
    pub links: Vec<LinkStats>,
    /// Of every packet at either host.
    pub lateness: Lateness,
    /// The latest of the first packets at either host, among them the initial windows and their
    /// ACKs.
    pub early_lateness_ns: u64,
    /// The first packets handed to the receiver.
    pub forward_emissions: Vec<Emission>,
    /// The first packets handed to the sender.
    pub reverse_emissions: Vec<Emission>,
    /// Data segments of each copy of the transfer, if they were asked for.
    pub logs: Vec<SegmentLog>,
    /// How long a hypervisor let the link thread's CPU wait, as far as it says so, in steps of 10
    /// ms.
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

/// What the link thread is given.
pub struct LinkPlan {
    /// The network.
    pub wiring: Wiring,
    /// The device of the sending host.
    pub sender: Tun,
    /// The device of the receiving host.
    pub receiver: Tun,
    /// How many flows are measured.
    pub flows: usize,
    /// Where their segments are noted, if at all.
    pub logs: Option<SegmentLogs>,
    /// The CPU that it has for itself, if there is one.
    pub cpu: Option<usize>,
}

impl LinkThread {
    /// Starts carrying packets between the two devices. It is ready to when this returns.
    pub fn start(plan: LinkPlan) -> LinkThread {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let (ready, is_ready) = mpsc::channel();
        let work = move || {
            let realtime = Realtime::enter(plan.cpu);
            let mut worker = Worker::new(plan, realtime);
            let _ = ready.send(worker.begin_ns);
            worker.run(&stopped)?;
            Ok(worker.into_report())
        };
        let handle = std::thread::Builder::new()
            .name("onramp-link".into())
            .spawn(work)
            .expect("threads can be made");
        let begin_ns = is_ready.recv().unwrap_or_else(|_| now_ns());
        LinkThread {
            begin_ns,
            stop,
            handle,
        }
    }

    /// It has ended of itself, which only a failure makes it do.
    pub fn has_failed(&self) -> bool {
        self.handle.is_finished()
    }

    /// Stops it and collects what it saw.
    pub fn finish(self) -> Result<LinkReport, Error> {
        self.stop.store(true, Ordering::Relaxed);
        self.handle
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Longest sleep: how long a stop may go unnoticed.
const NAP_NS: u64 = 20_000_000;
/// Between making a lab and its first packet: what the kernel does on new devices is over by then.
const SETTLE_NS: u64 = 20_000_000;
/// Buffers made beforehand, in bytes.
const POOL_BYTES_MAX: u64 = 128 << 20;

/// Room beside what fills the links, in bytes.
const SPARE_BYTES: u64 = 1 << 20;

/// A packet and its place on its route.
#[derive(Clone)]
struct Parcel {
    buffer: Buffer,
    place: u32,
}

impl Packet for Parcel {
    fn wire_bytes(&self) -> u32 {
        self.buffer.wire_bytes()
    }

    fn flow_hash(&self) -> u32 {
        self.buffer.flow_hash()
    }

    fn is_expedited(&self) -> bool {
        self.buffer.is_expedited()
    }
}

/// A host: packets come from it and are handed to it.
struct Host {
    device: Tun,
    /// When it was last handed a packet, until its device has been found empty since.
    provoked_ns: Option<u64>,
    /// Of the packets handed to it.
    lateness: Lateness,
    emissions: Emissions,
}

impl Host {
    fn new(device: Tun) -> Host {
        Host {
            device,
            provoked_ns: None,
            lateness: Lateness::default(),
            emissions: Emissions::new(),
        }
    }
}

/// A directed link.
struct Running {
    link: Link<Parcel>,
    number: u32,
    /// What leaves it is at a host no sooner than this.
    slack_ns: u64,
    /// Time of the last offer.
    offered_ns: u64,
    /// Time of the last poll.
    polled_ns: u64,
    /// Somebody notes the segments that enter it.
    is_watched: bool,
}

impl Running {
    fn new(wire: &Wire, begin_ns: u64, packets: usize, is_watched: bool) -> Running {
        let mut config = wire.config.clone();
        config
            .changes
            .iter_mut()
            .for_each(|change| change.at_ns += begin_ns);
        let mut link = Link::from_config(&config);
        link.reserve(packets);
        let (number, slack_ns) = (wire.number, wire.slack_ns);
        Running {
            link,
            number,
            slack_ns,
            offered_ns: 0,
            polled_ns: 0,
            is_watched,
        }
    }

    /// Gives the buffers of packets that the queue dropped after all back to the pool.
    fn forget_dropped(&mut self) {
        while self.link.take_dropped().is_some() {}
    }
}

struct Worker {
    begin_ns: u64,
    sender: Host,
    receiver: Host,
    links: Vec<Running>,
    departures: Departures,
    routes: Routes<Side>,
    lookup: Lookup,
    /// Directed links of the network, with those that are not in use.
    network_links: usize,
    flows: usize,
    pool: Pool,
    /// A buffer that a read found nothing for.
    spare: Option<Buffer>,
    logs: Option<SegmentLogs>,
    realtime: Realtime,
}

impl Worker {
    fn new(plan: LinkPlan, realtime: Realtime) -> Worker {
        let LinkPlan {
            wiring,
            sender,
            receiver,
            flows,
            logs,
            ..
        } = plan;
        let Wiring {
            wires,
            routes,
            lookup,
            mtu_bytes,
            links: network_links,
        } = wiring;
        // What fills the links and queues of the same size, in both directions.
        let bytes = wires
            .iter()
            .fold(0u64, |sum, wire| sum.saturating_add(wire.bytes))
            .saturating_mul(3);
        let packets = |bytes: u64| (bytes.min(POOL_BYTES_MAX) / u64::from(mtu_bytes)) as usize;
        let pool = Pool::new(
            mtu_bytes as usize,
            packets(bytes.saturating_add(SPARE_BYTES)),
        );
        let begin_ns = now_ns() + SETTLE_NS;
        let spare_bytes = 2 * SPARE_BYTES / wires.len().max(1) as u64;
        let running = |wire: &Wire| {
            let room = packets(wire.bytes.saturating_mul(6).saturating_add(spare_bytes));
            Running::new(
                wire,
                begin_ns,
                room,
                logs.as_ref().is_some_and(|logs| logs.watch(wire.number)),
            )
        };
        Worker {
            begin_ns,
            sender: Host::new(sender),
            receiver: Host::new(receiver),
            links: wires.iter().map(running).collect(),
            departures: Departures::new(wires.len()),
            routes,
            lookup,
            network_links,
            flows,
            pool,
            spare: None,
            logs,
            realtime,
        }
    }

    fn run(&mut self, stop: &AtomicBool) -> Result<(), Error> {
        while !stop.load(Ordering::Relaxed) {
            let now = now_ns();
            self.realtime.account(now);
            self.move_on(now)?;
            let found = [self.read(Side::Sender)?, self.read(Side::Receiver)?];
            if found == [false, false] {
                self.wait()?;
            }
        }
        Ok(())
    }

    fn host(&mut self, side: Side) -> &mut Host {
        match side {
            Side::Sender => &mut self.sender,
            Side::Receiver => &mut self.receiver,
        }
    }

    /// Moves packets from link to link, in the order in which they leave them, until one has been
    /// handed to a host: its answer comes before everything else.
    fn move_on(&mut self, now_ns: u64) -> Result<(), Error> {
        while let Some((due_ns, link)) = self
            .departures
            .earliest()
            .filter(|(due_ns, _)| *due_ns <= now_ns)
        {
            let Some((due_ns, mut parcel)) = self.leave(link, due_ns) else {
                return Ok(());
            };
            parcel.place += 1;
            match self.routes.at(parcel.place) {
                // The next link has it when it is due there, not when somebody got round to it.
                Place::Link(next) => self.offer(next as usize, due_ns, parcel),
                Place::Host(side) => return self.hand_over(side, due_ns, &parcel.buffer),
            }
        }
        Ok(())
    }

    /// The next packet that leaves a link, and when it did.
    fn leave(&mut self, link: usize, due_ns: u64) -> Option<(u64, Parcel)> {
        let running = &mut self.links[link];
        running.polled_ns = running.polled_ns.max(due_ns);
        let departure = running.link.poll(running.polled_ns);
        running.forget_dropped();
        self.departures.set(link, running.link.next_departure_ns());
        departure.map(|Departure { due_ns, packet, .. }| (due_ns, packet))
    }

    fn offer(&mut self, link: usize, at_ns: u64, parcel: Parcel) {
        let running = &mut self.links[link];
        let at_ns = at_ns.max(running.offered_ns);
        running.offered_ns = at_ns;
        let header = if running.is_watched {
            segments::header(parcel.buffer.packet())
        } else {
            None
        };
        let verdict = running
            .link
            .offer_with_parser(at_ns, parcel, |parcel| parcel.buffer.pure_ack());
        running.forget_dropped();
        self.departures.set(link, running.link.next_departure_ns());
        if let (Some(logs), Some(header)) = (&mut self.logs, header) {
            logs.observe(running.number, at_ns, header, verdict);
        }
    }

    fn hand_over(&mut self, side: Side, due_ns: u64, packet: &Buffer) -> Result<(), Error> {
        let at_ns = now_ns();
        let packet = packet.packet();
        let host = self.host(side);
        host.lateness.add(at_ns.saturating_sub(due_ns));
        host.emissions.add(Emission {
            due_ns,
            at_ns,
            wire_bytes: packet.len() as u32,
        });
        host.provoked_ns = Some(at_ns);
        host.device.write(packet).map_err(|source| Error::Link {
            what: "handing a packet to a host",
            source,
        })
    }

    /// Takes one packet from a host; whether there was one.
    fn read(&mut self, side: Side) -> Result<bool, Error> {
        let mut buffer = self.spare.take().unwrap_or_else(|| self.pool.take());
        let host = self.host(side);
        let read = host.device.read(buffer.room());
        let length = match read.map_err(|source| Error::Link {
            what: "taking a packet from a host",
            source,
        })? {
            Some(length) => length,
            None => {
                host.provoked_ns = None;
                self.spare = Some(buffer);
                return Ok(false);
            }
        };
        // A host's TCP answers inside the write that hands it a packet, in some microseconds that
        // vary with the state of the caches: its answer counts as given at once.
        let at_ns = host.provoked_ns.unwrap_or_else(now_ns);
        buffer.truncate(length);
        // Nothing but the lab's own packets has business on the network.
        if let Some(place) = self.lookup.route(buffer.packet(), side) {
            if let Place::Link(first) = self.routes.at(place) {
                self.offer(first as usize, at_ns, Parcel { buffer, place });
            }
        }
        Ok(true)
    }

    /// Sleeps until shortly before a host is to be handed a packet or until one comes; does not
    /// sleep for less. Moving a packet on between links can wait meanwhile.
    fn wait(&mut self) -> Result<(), Error> {
        let at_host_ns = |(link, running): (usize, &Running)| {
            self.departures
                .of(link)
                .map(|due_ns| due_ns.saturating_add(running.slack_ns))
        };
        let sleep_ns = match self.links.iter().enumerate().filter_map(at_host_ns).min() {
            Some(due_ns) => due_ns
                .saturating_sub(now_ns() + self.realtime.margin_ns())
                .min(NAP_NS),
            None => NAP_NS,
        };
        if sleep_ns == 0 {
            return Ok(());
        }
        let devices = [&self.sender.device, &self.receiver.device];
        let mut descriptors = devices.map(|device| PollFd::new(device.as_fd(), PollFlags::POLLIN));
        match ppoll(
            &mut descriptors,
            Some(TimeSpec::from_duration(Duration::from_nanos(sleep_ns))),
            None,
        ) {
            Ok(_) | Err(nix::Error::EINTR) => {
                self.realtime.slept_until(now_ns());
                Ok(())
            }
            Err(errno) => Err(Error::Link {
                what: "waiting for packets",
                source: errno.into(),
            }),
        }
    }

    fn into_report(self) -> LinkReport {
        let Worker {
            sender,
            receiver,
            flows,
            ..
        } = self;
        let mut lateness = sender.lateness;
        lateness.merge(&receiver.lateness);
        let mut links = vec![LinkStats::default(); self.network_links];
        for running in &self.links {
            links[running.number as usize] = running.link.stats();
        }
        let early_ns = |host: &Emissions| host.early_lateness_ns(flows);
        LinkReport {
            links,
            lateness,
            early_lateness_ns: early_ns(&receiver.emissions).max(early_ns(&sender.emissions)),
            forward_emissions: receiver.emissions.into_vec(),
            reverse_emissions: sender.emissions.into_vec(),
            logs: self.logs.map(SegmentLogs::into_logs).unwrap_or_default(),
            stolen_ms: self.realtime.stolen_ms(),
            notes: self.realtime.notes,
        }
    }
}
