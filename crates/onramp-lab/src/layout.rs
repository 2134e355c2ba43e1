//! A case's network as the lab makes it: the hosts' addresses, and the links between them.
//!
//! All nodes that send data are one host of the lab, and all that receive it another. Each node has
//! an address of its own there, so that a packet's addresses say which way it goes.

use crate::host::fresh_addresses;
use onramp_net::Config;
use onramp_scenario::{bytes_in, link_seed, Case, Channel, Hop, Network, Routes};
use std::net::Ipv4Addr;

/// One of the two hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// All nodes that send data.
    Sender,
    /// All nodes that receive it.
    Receiver,
}

/// The addresses of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Of the node that sends the data.
    pub sender: Ipv4Addr,
    /// Of the node that receives it.
    pub receiver: Ipv4Addr,
}

/// A node that receives data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReceivingNode {
    node: usize,
    /// Competing traffic goes to another address of the node than the measured transfers: the
    /// initial window is a property of the route, and theirs is the host's.
    rivals: bool,
}

/// Nodes, addresses and ways of a case.
#[derive(Clone, Debug)]
pub struct Layout {
    network: Network,
    /// The first address: senders have consecutive ones, and receivers follow.
    first: Ipv4Addr,
    senders: Vec<usize>,
    receivers: Vec<ReceivingNode>,
    /// Flows' ends, as places in these lists: copies of the transfer in order, then traffic.
    flows: Vec<(usize, usize)>,
    copies: usize,
    /// The directed link that is the bottleneck of each copy.
    bottlenecks: Vec<u32>,
    /// That of each traffic.
    rival_bottlenecks: Vec<u32>,
}

impl Layout {
    /// That of a case that the lab [supports](crate::supports).
    pub fn of(case: &Case) -> Layout {
        let (mut senders, mut receivers, mut flows) = (Vec::new(), Vec::new(), Vec::new());
        let transfers = (0..case.transfer.count).map(|copy| (case.transfer.ends(copy), false));
        let traffic = case
            .traffic
            .iter()
            .map(|traffic| ((traffic.from, traffic.to), true));
        for ((from, to), rivals) in transfers.chain(traffic) {
            flows.push((
                place_of(&mut senders, from),
                place_of(&mut receivers, ReceivingNode { node: to, rivals }),
            ));
        }
        let network = network_of(case);
        let bottleneck = |(from, to)| {
            let hop = network
                .route(from, to)
                .and_then(|hops| network.data_bottleneck(&hops, &case.crossings));
            hop.map_or(0, Hop::number)
        };
        let first = fresh_addresses((senders.len() + receivers.len()) as u32);
        let bottlenecks = (0..case.transfer.count)
            .map(|copy| bottleneck(case.transfer.ends(copy)))
            .collect();
        let rival_bottlenecks = case
            .traffic
            .iter()
            .map(|traffic| bottleneck((traffic.from, traffic.to)))
            .collect();
        let copies = case.transfer.count as usize;
        Layout {
            network,
            first,
            senders,
            receivers,
            flows,
            copies,
            bottlenecks,
            rival_bottlenecks,
        }
    }

    /// The ends of a copy of the transfer, copies counted from 0.
    pub fn copy(&self, copy: usize) -> Ends {
        self.ends(self.flows[copy])
    }

    /// The directed link that is the bottleneck of a copy: 2 n for the network's n-th link forward,
    /// 2 n + 1 in reverse.
    pub fn bottleneck(&self, copy: usize) -> u32 {
        self.bottlenecks[copy]
    }

    /// The ends of the case's n-th traffic.
    pub fn rival(&self, traffic: usize) -> Ends {
        self.ends(self.flows[self.copies + traffic])
    }

    /// The bottleneck of its transfers.
    pub fn rival_bottleneck(&self, traffic: usize) -> u32 {
        self.rival_bottlenecks[traffic]
    }

    /// The addresses of the sending host.
    pub fn sender_addresses(&self) -> Vec<Ipv4Addr> {
        (0..self.senders.len())
            .map(|place| self.sender_address(place))
            .collect()
    }

    /// The addresses of the receiving host, and whether competing traffic goes to them.
    pub fn receiver_addresses(&self) -> Vec<(Ipv4Addr, bool)> {
        let receivers = self.receivers.iter().enumerate();
        receivers
            .map(|(place, receiver)| (self.receiver_address(place), receiver.rivals))
            .collect()
    }

    /// What the link thread needs to know of a case.
    pub fn wiring(&self, case: &Case) -> Wiring {
        let mut wires: Vec<Wire> = Vec::new();
        let mut routes = Routes::default();
        let mut lookup = Lookup {
            first: self.first.to_bits(),
            senders: self.senders.len() as u32,
            receivers: self.receivers.len() as u32,
            places: vec![[Lookup::NO_ROUTE; 2]; self.senders.len() * self.receivers.len()],
        };
        for &(sender, receiver) in &self.flows {
            let places = &mut lookup.places[sender * self.receivers.len() + receiver];
            if places[0] != Lookup::NO_ROUTE {
                continue;
            }
            let (from, to) = (self.senders[sender], self.receivers[receiver].node);
            let mut add = |from, to, side| {
                let hops = self
                    .network
                    .route(from, to)
                    .expect("the reader has refused flows without a way");
                let mut left_ns = hops
                    .iter()
                    .map(|hop| least_delay_ns(self.network.channel(*hop)))
                    .sum();
                let mut links = Vec::with_capacity(hops.len());
                for hop in hops {
                    let place = self.wire(&mut wires, case, hop);
                    left_ns -= least_delay_ns(self.network.channel(hop));
                    wires[place].slack_ns = wires[place].slack_ns.min(left_ns);
                    links.push(place as u32);
                }
                routes.add(&links, side)
            };
            *places = [add(from, to, Side::Receiver), add(to, from, Side::Sender)];
        }
        Wiring {
            wires,
            routes,
            lookup,
            mtu_bytes: case.path.mtu_bytes,
            links: 2 * self.network.links.len(),
        }
    }

    fn wire(&self, wires: &mut Vec<Wire>, case: &Case, hop: Hop) -> usize {
        let number = hop.number();
        wires
            .iter()
            .position(|wire| wire.number == number)
            .unwrap_or_else(|| {
                let channel = self.network.channel(hop);
                wires.push(Wire {
                    number,
                    config: channel.link_config(case.path.rtt_ns, link_seed(case.seed, number)),
                    bytes: bytes_in(channel.rate_bits_per_s, channel.delay_ns),
                    slack_ns: u64::MAX,
                });
                wires.len() - 1
            })
    }

    fn ends(&self, (sender, receiver): (usize, usize)) -> Ends {
        Ends {
            sender: self.sender_address(sender),
            receiver: self.receiver_address(receiver),
        }
    }

    fn sender_address(&self, place: usize) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.first.to_bits() + place as u32)
    }

    fn receiver_address(&self, place: usize) -> Ipv4Addr {
        self.sender_address(self.senders.len() + place)
    }
}

/// Nodes and links of a case. One with a `[path]` may have been given another path than its
/// network's.
fn network_of(case: &Case) -> Network {
    match case.network.nodes.len() == 2
        && case.network.links.len() == 1
        && case.transfer.ends(0) == (0, 1)
    {
        true => case.path.network(),
        false => Network::clone(&case.network),
    }
}

fn place_of<T: PartialEq>(list: &mut Vec<T>, entry: T) -> usize {
    list.iter()
        .position(|other| *other == entry)
        .unwrap_or_else(|| {
            list.push(entry);
            list.len() - 1
        })
}

fn least_delay_ns(channel: &Channel) -> u64 {
    channel
        .changes
        .iter()
        .filter_map(|change| change.delay_ns)
        .fold(channel.delay_ns, u64::min)
}

/// The links that packets pass, and the ways over them.
#[derive(Clone, Debug)]
pub struct Wiring {
    /// The directed links in use; routes name them by their places here.
    pub wires: Vec<Wire>,
    /// Where packets go.
    pub routes: Routes<Side>,
    /// Which route they take.
    pub lookup: Lookup,
    /// The largest packet.
    pub mtu_bytes: u32,
    /// How many directed links the network has, with those that are not in use.
    pub links: usize,
}

/// A directed link.
#[derive(Clone, Debug)]
pub struct Wire {
    /// Its place in the network: 2 n for the n-th link forward, 2 n + 1 in reverse.
    pub number: u32,
    /// What it is made of.
    pub config: Config,
    /// What fills it, without its queue.
    pub bytes: u64,
    /// What leaves it is at a host no sooner than this: 0 for the last link of a way.
    pub slack_ns: u64,
}

/// Finds a packet's route by its addresses.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// The first sender's address.
    first: u32,
    senders: u32,
    receivers: u32,
    /// By sender, and then by receiver: the first places of the route there and of the route back.
    places: Vec<[u32; 2]>,
}

impl Lookup {
    const NO_ROUTE: u32 = u32::MAX;

    /// The first place of the route of a packet that this host sends; `None` where it is none of
    /// the lab's packets.
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
        let (sender, receiver, way) = match from {
            Side::Sender => (source, destination, 0),
            Side::Receiver => (destination, source, 1),
        };
        let sender = sender.wrapping_sub(self.first);
        let receiver = receiver.wrapping_sub(self.first).wrapping_sub(self.senders);
        if sender >= self.senders || receiver >= self.receivers {
            return None;
        }
        let place = self.places[(sender * self.receivers + receiver) as usize][way];
        (place != Lookup::NO_ROUTE).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_scenario::Place;

    const DUMBBELL: &str = include_str!("../../../scenarios/wan.toml");

    fn case(text: &str) -> Case {
        onramp_scenario::parse("x.toml", text)
            .unwrap()
            .cases
            .remove(0)
    }

    fn path(tables: &str) -> Case {
        case(&format!(
            "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n[[transfer]]\nsize = \"1 B\"\n{tables}"
        ))
    }

    fn packet(source: Ipv4Addr, destination: Ipv4Addr) -> Vec<u8> {
        let mut packet = vec![0; 40];
        packet[0] = 0x45;
        packet[12..16].copy_from_slice(&source.octets());
        packet[16..20].copy_from_slice(&destination.octets());
        packet
    }

    /// The numbers of the directed links that a packet between two addresses passes, and where it
    /// ends.
    fn way(
        wiring: &Wiring,
        from: Side,
        source: Ipv4Addr,
        destination: Ipv4Addr,
    ) -> Option<(Vec<u32>, Side)> {
        let mut place = wiring.lookup.route(&packet(source, destination), from)?;
        let mut links = Vec::new();
        loop {
            match wiring.routes.at(place) {
                Place::Link(wire) => links.push(wiring.wires[wire as usize].number),
                Place::Host(side) => return Some((links, side)),
            }
            place += 1;
        }
    }

    #[test]
    fn a_path_is_one_link_there_and_one_back() {
        let case = path("[[traffic]]\n");
        let layout = Layout::of(&case);
        let wiring = layout.wiring(&case);
        for Ends { sender, receiver } in [layout.copy(0), layout.rival(0)] {
            assert_eq!(
                way(&wiring, Side::Sender, sender, receiver),
                Some((vec![0], Side::Receiver))
            );
            assert_eq!(
                way(&wiring, Side::Receiver, receiver, sender),
                Some((vec![1], Side::Sender))
            );
        }
        assert_ne!(layout.copy(0).receiver, layout.rival(0).receiver);
        assert_eq!(
            wiring
                .wires
                .iter()
                .map(|wire| wire.slack_ns)
                .collect::<Vec<_>>(),
            [0, 0]
        );
    }

    #[test]
    fn each_copy_has_the_way_of_its_ends() {
        let case = case(DUMBBELL);
        let layout = Layout::of(&case);
        let wiring = layout.wiring(&case);
        assert_eq!((wiring.wires.len(), wiring.links), (34, 34));
        for copy in 0..8 {
            let Ends { sender, receiver } = layout.copy(copy);
            // In the file the bottleneck comes first, then the senders' links, then the receivers'.
            let (access, exit) = (2 * (1 + copy as u32), 2 * (9 + copy as u32));
            assert_eq!(
                way(&wiring, Side::Sender, sender, receiver),
                Some((vec![access, 0, exit], Side::Receiver))
            );
            let back = vec![exit + 1, 1, access + 1];
            assert_eq!(
                way(&wiring, Side::Receiver, receiver, sender),
                Some((back, Side::Sender))
            );
            assert_eq!(layout.bottleneck(copy), 0);
        }
        let slack = |number: u32| {
            wiring
                .wires
                .iter()
                .find(|wire| wire.number == number)
                .unwrap()
                .slack_ns
        };
        assert_eq!([slack(2), slack(0), slack(18)], [29_000_000, 1_000_000, 0]);
    }

    #[test]
    fn copies_beyond_the_nodes_share_their_addresses() {
        let case = case(&DUMBBELL.replace("count = 8", "count = 20"));
        let layout = Layout::of(&case);
        assert_eq!(
            (
                layout.sender_addresses().len(),
                layout.receiver_addresses().len()
            ),
            (8, 8)
        );
        assert_eq!(
            (layout.copy(3), layout.copy(4)),
            (layout.copy(19), layout.copy(12))
        );
    }

    #[test]
    fn a_transfer_against_the_link_takes_it_in_reverse() {
        let case = path("from = \"receiver\"\nto = \"sender\"\n");
        let layout = Layout::of(&case);
        let (wiring, Ends { sender, receiver }) = (layout.wiring(&case), layout.copy(0));
        assert_eq!(
            way(&wiring, Side::Sender, sender, receiver),
            Some((vec![1], Side::Receiver))
        );
        assert_eq!(layout.bottleneck(0), 1);
    }

    #[test]
    fn other_packets_have_no_route() {
        let case = path("");
        let layout = Layout::of(&case);
        let (wiring, Ends { sender, receiver }) = (layout.wiring(&case), layout.copy(0));
        let other = Ipv4Addr::new(10, 0, 0, 1);
        for (source, destination) in [
            (sender, other),
            (other, receiver),
            (receiver, sender),
            (sender, sender),
        ] {
            assert_eq!(way(&wiring, Side::Sender, source, destination), None);
        }
        let mut ipv6 = packet(sender, receiver);
        ipv6[0] = 0x60;
        assert_eq!(wiring.lookup.route(&ipv6, Side::Sender), None);
        assert_eq!(wiring.lookup.route(&[0x45; 19], Side::Sender), None);
        assert_eq!(wiring.lookup.route(&[], Side::Sender), None);
    }
}
