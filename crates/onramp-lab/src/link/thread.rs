//! The loop of the link thread: move the packets that are due, read new ones, wait for the next.

use super::departures::Departures;
use super::emissions::{Emission, Emissions};
use super::lateness::Lateness;
use super::segments::{self, SegmentLog, SegmentLogs};
use super::sources::Source;
use crate::error::Error;
use crate::layout::{Lookup, Side, Wire, Wiring};
use crate::realtime::Realtime;
use crate::work::FlowState;
use nix::poll::{ppoll, PollFd, PollFlags};
use nix::sys::time::TimeSpec;
use onramp_host::{now_ns, Buffer, Pool, Tun};
use onramp_net::{Departure, Link, LinkStats, Packet};
use onramp_scenario::{Place, Routes};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Arc};
use std::thread::JoinHandle;
use std::time::Duration;

/// The report of the link thread.
pub struct LinkReport {
    /// Statistics of each directed link of the network: 2 n is the n-th link forward, 2 n + 1 its
    /// reverse.
    pub links: Vec<LinkStats>,
    /// Lateness of all packets at both hosts.
    pub lateness: Lateness,
    /// Maximum lateness of the first packets at both hosts, with the initial windows and their
    /// ACKs.
    pub early_lateness_ns: u64,
    /// The first packets delivered to the receiver.
    pub forward_emissions: Vec<Emission>,
    /// The first packets delivered to the sender.
    pub reverse_emissions: Vec<Emission>,
    /// Data segments of each copy of the transfer; empty without a trace.
    pub logs: Vec<SegmentLog>,
    /// Time that a hypervisor withheld the CPU of the link thread, as far as it reports this, in
    /// steps of 10 ms.
    pub stolen_ms: u64,
    /// What the host did not permit, and how to permit it.
    pub notes: Vec<String>,
}

/// The running link thread.
pub struct LinkThread {
    /// The beginning of the run. The times of the path's changes are relative to it.
    pub begin_ns: u64,
    stop: Arc<AtomicBool>,
    handle: JoinHandle<Result<LinkReport, Error>>,
}

/// The plan of the link thread.
pub struct LinkPlan {
    /// Links and routes.
    pub wiring: Wiring,
    /// The device of the sending host.
    pub sender: Tun,
    /// The device of the receiving host.
    pub receiver: Tun,
    /// The states of the traffic without TCP, in its order.
    pub datagrams: Vec<Arc<FlowState>>,
    /// Minimum time between two records of its progress.
    pub note_ns: u64,
    /// Number of measured flows.
    pub flows: usize,
    /// Logs for their segments; `None` without a trace.
    pub logs: Option<SegmentLogs>,
    /// The CPU that only this thread uses, if there is one.
    pub cpu: Option<usize>,
}

impl LinkThread {
    /// Starts the thread. It is ready to move packets when this returns.
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
            .expect("the system can start a thread");
        let begin_ns = is_ready.recv().unwrap_or_else(|_| now_ns());
        LinkThread {
            begin_ns,
            stop,
            handle,
        }
    }

    /// Whether the thread has ended, which it does by itself only after an error.
    pub fn has_failed(&self) -> bool {
        self.handle.is_finished()
    }

    /// Stops the thread and returns its report.
    ///
    /// # Errors
    /// A device failed.
    pub fn finish(self) -> Result<LinkReport, Error> {
        self.stop.store(true, Ordering::Relaxed);
        self.handle
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Maximum sleep: the thread notices a stop after this time.
const MAX_SLEEP_NS: u64 = 20_000_000;
/// Time between making a lab and its first packet. The kernel has finished its work on new devices
/// by then.
const SETTLE_NS: u64 = 20_000_000;
/// Maximum memory for buffers that are made before the run.
const MAX_POOL_BYTES: u64 = 128 << 20;

/// Memory for buffers in addition to the BDPs of the links.
const SPARE_BYTES: u64 = 1 << 20;

/// A packet and its position on its route.
#[derive(Clone)]
struct Parcel {
    buffer: Buffer,
    position: u32,
    /// The source of a datagram. The packets of hosts have none.
    source: Option<u32>,
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

    fn is_ecn_capable(&self) -> bool {
        self.buffer.is_ecn_capable()
    }

    fn is_l4s(&self) -> bool {
        self.buffer.is_l4s()
    }

    fn mark_ce(&mut self) {
        self.buffer.mark_ce();
    }
}

/// A host, which sends and receives packets through its device.
struct Host {
    device: Tun,
    /// When a packet was last delivered to it; `None` after its device has been found empty since.
    last_delivery_ns: Option<u64>,
    /// Lateness of the packets delivered to it.
    lateness: Lateness,
    emissions: Emissions,
}

impl Host {
    fn new(device: Tun) -> Host {
        Host {
            device,
            last_delivery_ns: None,
            lateness: Lateness::default(),
            emissions: Emissions::new(),
        }
    }
}

/// A directed link.
struct Running {
    link: Link<Parcel>,
    number: u32,
    /// Minimum time from leaving this link to arriving at a host.
    slack_ns: u64,
    /// Time of the last offer.
    offered_ns: u64,
    /// Time of the last poll.
    polled_ns: u64,
    /// The segments that enter it are logged.
    is_logged: bool,
}

impl Running {
    fn new(wire: &Wire, begin_ns: u64, packets: usize, is_logged: bool) -> Running {
        let mut config = wire.config.clone();
        config
            .changes
            .iter_mut()
            .for_each(|change| change.at_ns += begin_ns);
        config.begin_ns = begin_ns;
        let mut link = Link::from_config(&config);
        link.reserve(packets);
        let (number, slack_ns) = (wire.number, wire.slack_ns);
        Running {
            link,
            number,
            slack_ns,
            offered_ns: 0,
            polled_ns: 0,
            is_logged,
        }
    }

    /// Returns the buffers of packets that the queue dropped to the pool.
    fn release_dropped(&mut self) {
        while self.link.take_dropped().is_some() {}
    }
}

struct Worker {
    begin_ns: u64,
    sender: Host,
    receiver: Host,
    links: Vec<Running>,
    sources: Vec<Source>,
    /// The links and then the sources.
    departures: Departures,
    routes: Routes<Side>,
    lookup: Lookup,
    /// Number of directed links of the network, with those that are not in use.
    network_links: usize,
    flows: usize,
    pool: Pool,
    /// A buffer that is left from a read that found no packet.
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
            datagrams,
            note_ns,
            flows,
            logs,
            ..
        } = plan;
        let Wiring {
            wires,
            routes,
            sources,
            lookup,
            mtu_bytes,
            links: network_links,
        } = wiring;
        // Three times the BDPs: for the links, and for queues in both directions.
        let bytes = wires
            .iter()
            .fold(0u64, |sum, wire| sum.saturating_add(wire.bytes))
            .saturating_mul(3);
        let packets = |bytes: u64| (bytes.min(MAX_POOL_BYTES) / u64::from(mtu_bytes)) as usize;
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
                logs.as_ref()
                    .is_some_and(|logs| logs.has_logs_at(wire.number)),
            )
        };
        let sources: Vec<Source> = sources
            .into_iter()
            .zip(datagrams)
            .map(|(source, state)| Source::new(source, begin_ns, note_ns, state))
            .collect();
        let mut departures = Departures::new(wires.len() + sources.len());
        for (source, place) in sources.iter().zip(wires.len()..) {
            departures.set(place, source.next_ns());
        }
        Worker {
            begin_ns,
            sender: Host::new(sender),
            receiver: Host::new(receiver),
            links: wires.iter().map(running).collect(),
            sources,
            departures,
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
            self.move_packets(now)?;
            let has_packet = [self.read(Side::Sender)?, self.read(Side::Receiver)?];
            if has_packet == [false, false] {
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

    /// Moves packets from link to link in the order of their departures. It stops after delivering
    /// one to a host, because the host's answer must be read first.
    fn move_packets(&mut self, now_ns: u64) -> Result<(), Error> {
        while let Some((due_ns, link)) = self
            .departures
            .earliest()
            .filter(|(due_ns, _)| *due_ns <= now_ns)
        {
            if let Some(source) = link.checked_sub(self.links.len()) {
                self.send_datagram(source, due_ns);
                continue;
            }
            let Some((due_ns, mut parcel)) = self.poll(link, due_ns) else {
                return Ok(());
            };
            parcel.position += 1;
            match self.routes.at(parcel.position) {
                // The packet enters the next link at the time when it was due, not at the time of
                // this call.
                Place::Link(next) => self.offer(next as usize, due_ns, parcel),
                Place::Host(side) => match parcel.source {
                    Some(source) => self.sources[source as usize].arrived(due_ns),
                    None => return self.deliver(side, due_ns, &parcel.buffer),
                },
            }
        }
        Ok(())
    }

    /// Sends the datagram of a source that is due.
    fn send_datagram(&mut self, source: usize, due_ns: u64) {
        let mut buffer = self.pool.take();
        let place = self.links.len() + source;
        let running = &mut self.sources[source];
        running.send(&mut buffer);
        self.departures.set(place, running.next_ns());
        let parcel = Parcel {
            buffer,
            position: running.position,
            source: Some(source as u32),
        };
        if let Place::Link(first) = self.routes.at(parcel.position) {
            self.offer(first as usize, due_ns, parcel);
        }
    }

    /// The next packet that leaves a link, and the time when it was due.
    fn poll(&mut self, link: usize, due_ns: u64) -> Option<(u64, Parcel)> {
        let running = &mut self.links[link];
        running.polled_ns = running.polled_ns.max(due_ns);
        let departure = running.link.poll(running.polled_ns);
        running.release_dropped();
        self.departures.set(link, running.link.next_departure_ns());
        departure.map(|Departure { due_ns, packet, .. }| (due_ns, packet))
    }

    /// Offers a packet to a link.
    fn offer(&mut self, link: usize, at_ns: u64, parcel: Parcel) {
        let running = &mut self.links[link];
        let at_ns = at_ns.max(running.offered_ns);
        running.offered_ns = at_ns;
        let header = if running.is_logged {
            segments::header(parcel.buffer.packet())
        } else {
            None
        };
        let verdict = running
            .link
            .offer_with_parser(at_ns, parcel, |parcel| parcel.buffer.pure_ack());
        running.release_dropped();
        self.departures.set(link, running.link.next_departure_ns());
        if let (Some(logs), Some(header)) = (&mut self.logs, header) {
            logs.observe(running.number, at_ns, header, verdict);
        }
    }

    /// Delivers a packet to a host.
    fn deliver(&mut self, side: Side, due_ns: u64, packet: &Buffer) -> Result<(), Error> {
        let at_ns = now_ns();
        let packet = packet.packet();
        let host = self.host(side);
        host.lateness.add(at_ns.saturating_sub(due_ns));
        host.emissions.add(Emission {
            due_ns,
            at_ns,
            wire_bytes: packet.len() as u32,
        });
        host.last_delivery_ns = Some(at_ns);
        host.device.write(packet).map_err(|source| Error::Link {
            what: "delivering a packet to a host",
            source,
        })
    }

    /// Reads one packet of a host. Returns whether there was one.
    fn read(&mut self, side: Side) -> Result<bool, Error> {
        let mut buffer = self.spare.take().unwrap_or_else(|| self.pool.take());
        let host = self.host(side);
        let read = host.device.read(buffer.room());
        let length = match read.map_err(|source| Error::Link {
            what: "reading a packet of a host",
            source,
        })? {
            Some(length) => length,
            None => {
                host.last_delivery_ns = None;
                self.spare = Some(buffer);
                return Ok(false);
            }
        };
        // The TCP of a host answers during the write that delivers a packet, after some
        // microseconds that depend on the caches. The answer counts as sent at the time of the
        // delivery.
        let at_ns = host.last_delivery_ns.unwrap_or_else(now_ns);
        buffer.truncate(length);
        // Packets that are not the lab's have no route and are dropped.
        if let Some(position) = self.lookup.route(buffer.packet(), side) {
            if let Place::Link(first) = self.routes.at(position) {
                let parcel = Parcel {
                    buffer,
                    position,
                    source: None,
                };
                self.offer(first as usize, at_ns, parcel);
            }
        }
        Ok(true)
    }

    /// Sleeps until shortly before the next delivery to a host, or until a host sends a packet. It
    /// does not sleep if less time is left. Moving packets between links can wait meanwhile.
    fn wait(&mut self) -> Result<(), Error> {
        let at_host_ns = |(link, running): (usize, &Running)| {
            self.departures
                .of(link)
                .map(|due_ns| due_ns.saturating_add(running.slack_ns))
        };
        let sleep_ns = match self.links.iter().enumerate().filter_map(at_host_ns).min() {
            Some(due_ns) => due_ns
                .saturating_sub(now_ns() + self.realtime.margin_ns())
                .min(MAX_SLEEP_NS),
            None => MAX_SLEEP_NS,
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
