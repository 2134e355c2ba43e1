//! One address with its connections. Packets go in and come out; addresses and ports say to which
//! connection they belong.

mod ended;
mod flow;
mod numbers;
mod refusal;
#[cfg(test)]
mod tests;

pub use ended::{Counts, Ended};

use crate::application::Application;
use flow::Flow;
use numbers::Numbers;
use onramp_tcp::stream::Socket;
use onramp_tcp::wire::{self, Endpoints, Parsed};
use onramp_tcp::{Config, Flags};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::{Ipv4Addr, SocketAddrV4};

/// Maximum number of connections. Further SYNs are not answered.
const MAX_CONNECTIONS: usize = 1024;
/// Maximum number of connections without an application. The oldest is removed first.
const MAX_ORPHANS: usize = 64;
/// Maximum number of resets that wait to be sent.
const MAX_REFUSALS: usize = 256;

/// Identifies a connection of one address: the peer, and our port.
type Key = (SocketAddrV4, u16);
/// Makes the application for a connection from a peer. `None` refuses the peer.
type Accept<A> = Box<dyn FnMut(SocketAddrV4) -> Option<A>>;

/// One address with its connections, and optionally a port that listens.
pub struct Endpoint<A: Application> {
    address: Ipv4Addr,
    config: Config,
    listener: Option<(u16, Accept<A>)>,
    numbers: Numbers,
    flows: HashMap<Key, Flow<A>>,
    /// Connections that may have something to send. They take turns.
    ready: VecDeque<Key>,
    timers: BTreeSet<(u64, Key)>,
    orphans: VecDeque<Key>,
    refusals: VecDeque<Vec<u8>>,
    ended: VecDeque<Ended<A>>,
    counts: Counts,
}

impl<A: Application> Endpoint<A> {
    /// An endpoint without connections. It chooses initial sequence numbers and timestamp offsets
    /// itself and ignores those of `config`.
    pub fn new(address: Ipv4Addr, config: Config) -> Endpoint<A> {
        Endpoint {
            address,
            config,
            listener: None,
            numbers: Numbers::default(),
            flows: HashMap::new(),
            ready: VecDeque::new(),
            timers: BTreeSet::new(),
            orphans: VecDeque::new(),
            refusals: VecDeque::new(),
            ended: VecDeque::new(),
            counts: Counts::default(),
        }
    }

    /// Accepts connections on a port. `accept` makes the application of each connection; `None`
    /// refuses the peer.
    pub fn listen(&mut self, port: u16, accept: impl FnMut(SocketAddrV4) -> Option<A> + 'static) {
        self.listener = Some((port, Box::new(accept)));
    }

    /// Stops accepting connections. Connections that exist go on.
    pub fn stop_listening(&mut self) {
        self.listener = None;
    }

    /// Connects to a peer from a free port.
    pub fn connect(&mut self, now_ns: u64, peer: SocketAddrV4, application: A) {
        let port = (0..)
            .map(|attempt| self.numbers.port(now_ns + attempt))
            .find(|port| !self.is_used(peer, *port));
        let port = port.expect("there are more ports than connections");
        let ends = Endpoints {
            source: SocketAddrV4::new(self.address, port),
            destination: peer,
        };
        let socket = Socket::connect(self.config_for(now_ns, &ends), now_ns, ends);
        self.add(now_ns, (peer, port), socket, application);
    }

    fn is_used(&self, peer: SocketAddrV4, port: u16) -> bool {
        self.flows.contains_key(&(peer, port))
    }

    fn config_for(&self, now_ns: u64, ends: &Endpoints) -> Config {
        Config {
            isn: self.numbers.initial_sequence(now_ns, ends),
            timestamp_offset: self.numbers.timestamp_offset(ends),
            ..self.config.clone()
        }
    }

    fn add(&mut self, now_ns: u64, key: Key, socket: Socket, application: A) {
        self.flows
            .insert(key, Flow::new(now_ns, socket, application));
        self.wake(key);
    }

    /// Takes in a packet that arrived. Call [`poll_packet`](Self::poll_packet) afterwards until it
    /// returns `false`.
    pub fn on_packet(&mut self, now_ns: u64, packet: &[u8]) {
        self.counts.received += 1;
        let parsed = match wire::parse(packet) {
            Ok(parsed) if *parsed.endpoints.destination.ip() == self.address => parsed,
            Ok(_) | Err(wire::Error::Version { .. } | wire::Error::Protocol { .. }) => {
                self.counts.foreign += 1;
                return;
            }
            Err(_) => {
                self.counts.damaged += 1;
                return;
            }
        };
        let key = (parsed.endpoints.source, parsed.endpoints.destination.port());
        match self.flows.get_mut(&key) {
            Some(flow) if flow.gives_way_to(&parsed) => self.remove(key),
            Some(flow) => {
                flow.socket.on_parsed(now_ns, &parsed);
                return self.wake(key);
            }
            None => {}
        }
        self.on_unknown(now_ns, key, &parsed);
    }

    /// Takes in a segment of no connection: it starts one, or is refused.
    fn on_unknown(&mut self, now_ns: u64, key: Key, parsed: &Parsed<'_>) {
        let flags = parsed.segment.flags;
        let is_syn = flags.has(Flags::SYN) && !flags.has(Flags::ACK) && !flags.has(Flags::RST);
        if let Some((_, accept)) = self
            .listener
            .as_mut()
            .filter(|(port, _)| is_syn && *port == key.1)
        {
            if self.flows.len() - self.orphans.len() >= MAX_CONNECTIONS {
                return;
            }
            if let Some(application) = accept(key.0) {
                let config = self.config_for(now_ns, &parsed.endpoints.reversed());
                return self.add(
                    now_ns,
                    key,
                    Socket::accept(config, now_ns, parsed),
                    application,
                );
            }
        }
        if let Some(packet) = refusal::packet(parsed).filter(|_| self.refusals.len() < MAX_REFUSALS)
        {
            self.counts.refused += 1;
            self.refusals.push_back(packet);
        }
    }

    /// When [`on_timers`](Self::on_timers) must be called next; `None` if there is no timer.
    pub fn next_timer_ns(&self) -> Option<u64> {
        self.timers.first().map(|(at_ns, _)| *at_ns)
    }

    /// Runs the timers that are due. Call [`poll_packet`](Self::poll_packet) afterwards until it
    /// returns `false`.
    pub fn on_timers(&mut self, now_ns: u64) {
        while let Some(&(at_ns, key)) = self.timers.first().filter(|(at_ns, _)| *at_ns <= now_ns) {
            self.timers.remove(&(at_ns, key));
            let Some(flow) = self.flows.get_mut(&key) else {
                continue;
            };
            flow.timer_ns = None;
            flow.socket.on_timer(now_ns);
            self.wake(key);
        }
    }

    /// Replaces `out` by the next packet to send now. Returns `false` if there is none. Connections
    /// take turns.
    pub fn poll_packet(&mut self, now_ns: u64, out: &mut Vec<u8>) -> bool {
        if let Some(packet) = self.refusals.pop_front() {
            *out = packet;
            return true;
        }
        while let Some(key) = self.ready.pop_front() {
            let Some(flow) = self.flows.get_mut(&key) else {
                continue;
            };
            loop {
                // The application reads first, because this may open the window that the packet
                // announces.
                let progressed = flow.run_application(now_ns);
                if flow.socket.poll_packet(now_ns, out).is_some() {
                    self.ready.push_back(key);
                    return true;
                }
                if !progressed {
                    break;
                }
            }
            flow.is_ready = false;
            self.update(now_ns, key);
        }
        false
    }

    /// Updates the state of a connection that has nothing more to send now: its result, its
    /// removal, its timer.
    fn update(&mut self, now_ns: u64, key: Key) {
        let Some(flow) = self.flows.get_mut(&key) else {
            return;
        };
        if let Some(ended) = flow.take_result(now_ns) {
            self.ended.push_back(ended);
            self.orphans.push_back(key);
        }
        if flow.is_removable(now_ns) {
            return self.remove(key);
        }
        let timer_ns = flow.next_timer_ns();
        let prior_ns = std::mem::replace(&mut flow.timer_ns, timer_ns);
        if prior_ns != timer_ns {
            prior_ns.map(|at_ns| self.timers.remove(&(at_ns, key)));
            timer_ns.map(|at_ns| self.timers.insert((at_ns, key)));
        }
        if self.orphans.len() > MAX_ORPHANS {
            let oldest = self.orphans[0];
            self.remove(oldest);
        }
    }

    fn remove(&mut self, key: Key) {
        if let Some(at_ns) = self.flows.remove(&key).and_then(|flow| flow.timer_ns) {
            self.timers.remove(&(at_ns, key));
        }
        self.orphans.retain(|orphan| *orphan != key);
    }

    fn wake(&mut self, key: Key) {
        if let Some(flow) = self.flows.get_mut(&key).filter(|flow| !flow.is_ready) {
            flow.is_ready = true;
            self.ready.push_back(key);
        }
    }

    /// Returns the next connection that has ended; each is returned once.
    pub fn take_ended(&mut self) -> Option<Ended<A>> {
        self.ended.pop_front()
    }

    /// Resets all connections.
    pub fn abort(&mut self) {
        let keys: Vec<Key> = self.flows.keys().copied().collect();
        for key in keys {
            if let Some(flow) = self.flows.get_mut(&key) {
                flow.socket.abort();
            }
            self.wake(key);
        }
    }

    /// Whether there are connections whose applications are not done.
    pub fn has_applications(&self) -> bool {
        self.flows.len() > self.orphans.len()
    }

    /// Whether there are connections, or packets to send.
    pub fn is_busy(&self) -> bool {
        !self.flows.is_empty() || !self.refusals.is_empty()
    }

    /// Counts of the packets that arrived.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}
