//! The links of the emulated network, the routes over them, and the route of a packet.

use super::side::Side;
use super::Ends;
use crate::addresses::{number_of_v4, number_of_v6};
use onramp_net::Config;
use onramp_scenario::{Datagrams, Dscp, Routes};

/// The links that packets cross, and the routes over them.
#[derive(Clone, Debug)]
pub struct Wiring {
    /// The directed links in use. Routes name them by their indexes.
    pub wires: Vec<Wire>,
    /// The routes of packets.
    pub routes: Routes<Side>,
    /// The traffic without TCP, which the link thread sends.
    pub sources: Vec<Source>,
    /// Finds the route of a packet.
    pub lookup: Lookup,
    /// Maximum packet size.
    pub mtu_bytes: u32,
    /// Number of directed links of the network, with those that are not in use.
    pub links: usize,
}

impl Wiring {
    /// The same links, with routes for all packets that are for one host: those of the first sender
    /// and the first receiver.
    pub fn for_any_packet(mut self) -> Wiring {
        self.lookup.of_any = Some(self.lookup.positions[0]);
        self
    }
}

/// A directed link.
#[derive(Clone, Debug)]
pub struct Wire {
    /// Its number in the network: 2 n for the n-th link forward, 2 n + 1 in reverse.
    pub number: u32,
    /// The configuration of the emulated link.
    pub config: Config,
    /// The BDP of the link, in bytes.
    pub bytes: u64,
    /// Minimum time from leaving this link to arriving at a host: 0 for the last link of a route.
    pub slack_ns: u64,
}

/// Traffic without TCP.
#[derive(Clone, Debug)]
pub struct Source {
    /// The index of the traffic in the case.
    pub traffic: usize,
    /// Its datagrams.
    pub datagrams: Datagrams,
    /// The first position of their route.
    pub position: u32,
    /// Their addresses.
    pub ends: Ends,
    /// Their DSCP.
    pub dscp: Dscp,
}

/// Finds the route of a packet from its addresses.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// The number of the first sender.
    first: u32,
    senders: u32,
    receivers: u32,
    /// For each sender, for each receiver: the first positions of the routes of the forward path
    /// and of the return path.
    positions: Vec<[u32; 2]>,
    /// The routes of all packets, whatever their addresses; `None`: only packets between the lab's
    /// addresses have routes.
    of_any: Option<[u32; 2]>,
}

impl Lookup {
    const NO_ROUTE: u32 = u32::MAX;

    /// A lookup without routes. Senders have consecutive numbers from `first` on, then receivers.
    pub fn new(first: u32, senders: usize, receivers: usize) -> Lookup {
        Lookup {
            first,
            senders: senders as u32,
            receivers: receivers as u32,
            positions: vec![[Lookup::NO_ROUTE; 2]; senders * receivers],
            of_any: None,
        }
    }

    /// Whether the routes between a sender and a receiver, given by their indexes, are set.
    pub fn has_routes(&self, sender: usize, receiver: usize) -> bool {
        self.position(sender, receiver) != Lookup::NO_ROUTE
    }

    /// The first position of the route from a sender to a receiver.
    pub fn position(&self, sender: usize, receiver: usize) -> u32 {
        self.positions[sender * self.receivers as usize + receiver][0]
    }

    /// Sets the first positions of the routes of the forward path and of the return path.
    pub fn set_routes(&mut self, sender: usize, receiver: usize, positions: [u32; 2]) {
        self.positions[sender * self.receivers as usize + receiver] = positions;
    }

    /// The first position of the route of a packet that this host sends; `None` if it is no packet
    /// of the lab.
    pub fn route(&self, packet: &[u8], from: Side) -> Option<u32> {
        if let Some(positions) = self.of_any {
            return is_for_one_host(packet).then(|| positions[from as usize]);
        }
        let (source, destination) = nodes_of(packet)?;
        let (sender, receiver, direction) = match from {
            Side::Sender => (source, destination, 0),
            Side::Receiver => (destination, source, 1),
        };
        let sender = sender.wrapping_sub(self.first);
        let receiver = receiver.wrapping_sub(self.first).wrapping_sub(self.senders);
        if sender >= self.senders || receiver >= self.receivers {
            return None;
        }
        let position = self.positions[(sender * self.receivers + receiver) as usize][direction];
        (position != Lookup::NO_ROUTE).then_some(position)
    }
}

/// The numbers of the nodes that send and receive a packet, if it is one of the lab's nodes.
fn nodes_of(packet: &[u8]) -> Option<(u32, u32)> {
    let header = |from: usize, to: usize| packet.get(from..to);
    match packet.first()? >> 4 {
        4 => {
            let number = |from| number_of_v4(header(from, from + 4)?.try_into().ok()?);
            Some((number(12)?, number(16)?))
        }
        6 => {
            let number = |from| number_of_v6(header(from, from + 16)?.try_into().ok()?);
            Some((number(8)?, number(24)?))
        }
        _ => None,
    }
}

/// Whether a packet is for one host that may be beyond the link: multicast and link-local packets
/// are not.
fn is_for_one_host(packet: &[u8]) -> bool {
    match packet.first().map(|first| first >> 4) {
        Some(4) => packet.get(16..20).is_some_and(|to| to[0] < 224),
        Some(6) => packet.get(24..40).is_some_and(|to| to[0] < 0xfe),
        _ => false,
    }
}
