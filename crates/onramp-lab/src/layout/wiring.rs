//! The links of the emulated network, the routes over them, and the route of a packet.

use super::side::Side;
use onramp_net::Config;
use onramp_scenario::Routes;
use std::net::Ipv4Addr;

/// The links that packets cross, and the routes over them.
#[derive(Clone, Debug)]
pub struct Wiring {
    /// The directed links in use. Routes name them by their indexes.
    pub wires: Vec<Wire>,
    /// The routes of packets.
    pub routes: Routes<Side>,
    /// Finds the route of a packet.
    pub lookup: Lookup,
    /// Maximum packet size.
    pub mtu_bytes: u32,
    /// Number of directed links of the network, with those that are not in use.
    pub links: usize,
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

/// Finds the route of a packet from its addresses.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// The address of the first sender.
    first: u32,
    senders: u32,
    receivers: u32,
    /// For each sender, for each receiver: the first positions of the routes of the forward path
    /// and of the return path.
    positions: Vec<[u32; 2]>,
}

impl Lookup {
    const NO_ROUTE: u32 = u32::MAX;

    /// A lookup without routes. Senders have consecutive addresses from `first` on, then receivers.
    pub fn new(first: Ipv4Addr, senders: usize, receivers: usize) -> Lookup {
        Lookup {
            first: first.to_bits(),
            senders: senders as u32,
            receivers: receivers as u32,
            positions: vec![[Lookup::NO_ROUTE; 2]; senders * receivers],
        }
    }

    /// Whether the routes between a sender and a receiver, given by their indexes, are set.
    pub fn has_routes(&self, sender: usize, receiver: usize) -> bool {
        self.positions[sender * self.receivers as usize + receiver][0] != Lookup::NO_ROUTE
    }

    /// Sets the first positions of the routes of the forward path and of the return path.
    pub fn set_routes(&mut self, sender: usize, receiver: usize, positions: [u32; 2]) {
        self.positions[sender * self.receivers as usize + receiver] = positions;
    }

    /// The first position of the route of a packet that this host sends; `None` if it is no packet
    /// of the lab.
    pub fn route(&self, packet: &[u8], from: Side) -> Option<u32> {
        let [version, addresses @ ..] = packet.get(..20)? else {
            return None;
        };
        if version >> 4 != 4 {
            return None;
        }
        let address =
            |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|byte| addresses[at - 1 + byte]));
        let (source, destination) = (address(12), address(16));
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
