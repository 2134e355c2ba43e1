//! One address with its connections. Packets go in and come out; addresses and ports say to which
//! connection they belong.

mod ended;
mod flow;
mod half_open;
mod numbers;
mod refusal;
#[cfg(test)]
mod tests;

pub use ended::{Counts, Ended};

use crate::application::Application;
use flow::Flow;
use half_open::{HalfOpen, HalfOpens};
use numbers::Numbers;
use onramp_tcp::stream::Socket;
use onramp_tcp::wire::{self, Endpoints, Parsed};
use onramp_tcp::{prefix_of, Config, Ensembles, Flags};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::{IpAddr, SocketAddr};

/// Maximum number of connections. Further SYNs are not answered.
const MAX_CONNECTIONS: usize = 1024;
/// Maximum number of half-open connections. The oldest is removed first.
const MAX_HALF_OPEN: usize = 1024;
/// Maximum number of connections without an application. The oldest is removed first.
const MAX_ORPHANS: usize = 64;
/// Maximum number of resets that wait to be sent.
const MAX_REFUSALS: usize = 256;

/// Identifies a connection of one address: the peer, and our port.
type Key = (SocketAddr, u16);
/// Makes the application for a connection from a peer. `None` refuses the peer.
type Accept<A> = Box<dyn FnMut(SocketAddr) -> Option<A>>;

/// One address with its connections, and optionally a port that listens.
pub struct Endpoint<A: Application> {
    address: IpAddr,
    config: Config,
    /// Connections to one peer that start up at the same time share the path.
    ensembles: Ensembles,
    listener: Option<(u16, Accept<A>)>,
    numbers: Numbers,
    flows: HashMap<Key, Flow<A>>,
    half_open: HalfOpens,
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
    pub fn new(address: IpAddr, config: Config) -> Endpoint<A> {
        Endpoint {
            address,
            config,
            ensembles: Ensembles::default(),
            listener: None,
            numbers: Numbers::default(),
            flows: HashMap::new(),
            half_open: HalfOpens::new(MAX_HALF_OPEN),
            ready: VecDeque::new(),
            timers: BTreeSet::new(),
            orphans: VecDeque::new(),
            refusals: VecDeque::new(),
            ended: VecDeque::new(),
            counts: Counts::default(),
        }
    }

    /// Accepts connections on a port. When a handshake is complete, `accept` makes the application
    /// of the connection; `None` refuses the peer.
    pub fn listen(&mut self, port: u16, accept: impl FnMut(SocketAddr) -> Option<A> + 'static) {
        self.listener = Some((port, Box::new(accept)));
    }

    /// Stops accepting connections. Connections whose handshake is complete go on.
    pub fn stop_listening(&mut self) {
        self.listener = None;
        for key in self.half_open.keys() {
            self.remove(key);
        }
    }

    /// Connects to a peer from a free port.
    pub fn connect(&mut self, now_ns: u64, peer: SocketAddr, application: A) {
        let port = (0..)
            .map(|attempt| self.numbers.port(now_ns + attempt))
            .find(|port| !self.is_used(peer, *port));
        let port = port.expect("there are more ports than connections");
        let ends = Endpoints {
            source: SocketAddr::new(self.address, port),
            destination: peer,
        };
        let socket = Socket::connect(self.config_for(now_ns, &ends), now_ns, ends);
        self.add(now_ns, (peer, port), socket, application);
    }

    fn is_used(&self, peer: SocketAddr, port: u16) -> bool {
        let key = (peer, port);
        self.flows.contains_key(&key) || self.half_open.get(&key).is_some()
    }

    fn config_for(&self, now_ns: u64, ends: &Endpoints) -> Config {
        Config {
            isn: self.numbers.initial_sequence(now_ns, ends),
            timestamp_offset: self.numbers.timestamp_offset(ends),
            ensembles: Some(self.ensembles_with(ends.destination.ip())),
            ..self.config.clone()
        }
    }

    /// The count of connections with a peer that are starting up.
    fn ensembles_with(&self, peer: IpAddr) -> Ensembles {
        self.ensembles
            .of_path(self.numbers.path(peer), prefix_of(peer))
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
            Ok(parsed) if parsed.endpoints.destination.ip() == self.address => parsed,
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
        match self.half_open.get_mut(&key) {
            None => self.on_unknown(now_ns, key, &parsed),
            Some(half_open) if half_open.is_completed_by(&parsed.segment) => {
                self.complete(now_ns, key, &parsed);
            }
            Some(half_open) => {
                half_open.connection.on_segment(now_ns, &parsed.segment);
                self.ready.push_back(key);
            }
        }
    }

    /// Takes in the segment that completes a handshake: the connection gets its buffers and its
    /// application.
    fn complete(&mut self, now_ns: u64, key: Key, parsed: &Parsed<'_>) {
        // The peer sends the segment again, and there may be room then.
        if self.has_max_connections() {
            return;
        }
        let Some((_, accept)) = &mut self.listener else {
            return;
        };
        let application = accept(key.0);
        let Some(half_open) = self.take_half_open(key) else {
            return;
        };
        let Some(application) = application else {
            return self.refuse(parsed);
        };
        let HalfOpen {
            connection,
            ends,
            arrived_ns,
            ..
        } = half_open;
        let mut socket = Socket::accepted(connection, ends);
        socket.on_parsed(now_ns, parsed);
        self.add(arrived_ns, key, socket, application);
    }

    fn has_max_connections(&self) -> bool {
        self.flows.len() - self.orphans.len() >= MAX_CONNECTIONS
    }

    /// Takes in a segment of no connection: a SYN starts a handshake, others are refused.
    fn on_unknown(&mut self, now_ns: u64, key: Key, parsed: &Parsed<'_>) {
        let flags = parsed.segment.flags;
        let is_syn = flags.has(Flags::SYN) && !flags.has(Flags::ACK) && !flags.has(Flags::RST);
        let listens = self
            .listener
            .as_ref()
            .is_some_and(|(port, _)| *port == key.1);
        if !(is_syn && listens) {
            return self.refuse(parsed);
        }
        if self.has_max_connections() {
            return;
        }
        let ends = parsed.endpoints.reversed();
        let config = self.config_for(now_ns, &ends);
        let removed = self
            .half_open
            .add(now_ns, key, config, ends, &parsed.segment);
        if let Some((oldest, half_open)) = removed {
            self.forget_timer(oldest, half_open.timer_ns);
        }
        self.ready.push_back(key);
    }

    /// Answers a segment by a reset.
    fn refuse(&mut self, parsed: &Parsed<'_>) {
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
                if let Some(half_open) = self.half_open.get_mut(&key) {
                    half_open.timer_ns = None;
                    half_open.connection.on_timer(now_ns);
                    self.ready.push_back(key);
                }
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
                if self.poll_half_open(now_ns, key, out) {
                    return true;
                }
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

    /// Replaces `out` by the next packet of a half-open connection. Returns `false` if there is
    /// none.
    fn poll_half_open(&mut self, now_ns: u64, key: Key, out: &mut Vec<u8>) -> bool {
        let Some(half_open) = self.half_open.get_mut(&key) else {
            return false;
        };
        let has_packet = half_open.poll_packet(now_ns, out);
        if half_open.is_closed() {
            self.remove(key);
            return has_packet;
        }
        let timer_ns = half_open.connection.next_timer_ns();
        let prior_ns = std::mem::replace(&mut half_open.timer_ns, timer_ns);
        self.set_timer(key, prior_ns, timer_ns);
        has_packet
    }

    fn set_timer(&mut self, key: Key, prior_ns: Option<u64>, timer_ns: Option<u64>) {
        if prior_ns != timer_ns {
            self.forget_timer(key, prior_ns);
            timer_ns.map(|at_ns| self.timers.insert((at_ns, key)));
        }
    }

    fn forget_timer(&mut self, key: Key, timer_ns: Option<u64>) {
        timer_ns.map(|at_ns| self.timers.remove(&(at_ns, key)));
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
        self.set_timer(key, prior_ns, timer_ns);
        if self.orphans.len() > MAX_ORPHANS {
            let oldest = self.orphans[0];
            self.remove(oldest);
        }
    }

    fn remove(&mut self, key: Key) {
        self.take_half_open(key);
        let timer_ns = self.flows.remove(&key).and_then(|flow| flow.timer_ns);
        self.forget_timer(key, timer_ns);
        self.orphans.retain(|orphan| *orphan != key);
    }

    fn take_half_open(&mut self, key: Key) -> Option<HalfOpen> {
        let half_open = self.half_open.remove(&key)?;
        self.forget_timer(key, half_open.timer_ns);
        Some(half_open)
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
        for key in self.half_open.keys() {
            if let Some(half_open) = self.half_open.get_mut(&key) {
                half_open.connection.abort();
            }
            self.ready.push_back(key);
        }
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
        !self.flows.is_empty() || self.half_open.len() > 0 || !self.refusals.is_empty()
    }

    /// Counts of the packets that arrived.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}
