//! The network of a case as the lab emulates it: the addresses of the hosts, and the links between
//! them.
//!
//! All nodes that send data are one host of the lab, and all nodes that receive data are the other.
//! Each node has its own address there. The addresses of a packet determine its route.

mod side;
#[cfg(test)]
mod tests;
mod wiring;

pub use side::Side;
pub use wiring::{Lookup, Source, Wire, Wiring};

use crate::addresses::{address, fresh_numbers};
use onramp_scenario::{bytes_in, Case, Datagrams, Hop, IpVersion, Network, Routes, Traffic};
use std::net::IpAddr;

/// The addresses of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The address of the node that sends the data.
    pub sender: IpAddr,
    /// The address of the node that receives the data.
    pub receiver: IpAddr,
}

/// A node that receives data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReceivingNode {
    node: usize,
    /// This is the address for competing flows. They go to another address of the node than the
    /// measured transfers, because the initial window is a property of the route, and competing
    /// flows use the host's.
    is_for_competing: bool,
}

/// Nodes, addresses and routes of a case.
#[derive(Clone, Debug)]
pub struct Layout {
    network: Network,
    /// The IP versions of which each node has an address.
    versions: Vec<IpVersion>,
    /// The number of the first node. Senders have consecutive numbers, then receivers.
    first: u32,
    senders: Vec<usize>,
    receivers: Vec<ReceivingNode>,
    /// The ends of each connection, as indexes into these lists: the hops of each copy of the
    /// transfer in order, then the traffic.
    connections: Vec<(usize, usize)>,
    /// The number of hops of a copy: 1 if the transfer is not split.
    hops: usize,
    /// The IP version of the copies, and that of each traffic.
    ip: IpVersion,
    competing_ip: Vec<IpVersion>,
    copies: usize,
    /// The directed link that is the bottleneck of each copy.
    bottlenecks: Vec<u32>,
    /// The directed link that is the bottleneck of each traffic.
    competing_bottlenecks: Vec<u32>,
}

impl Layout {
    /// The layout of a case that the lab [supports](crate::supports).
    pub fn of(case: &Case) -> Layout {
        Layout::with_versions(case, case.ip_versions().collect())
    }

    /// The layout of the path of a case's first transfer alone. Both nodes have addresses of these
    /// IP versions.
    pub fn of_path(case: &Case, versions: Vec<IpVersion>) -> Layout {
        let mut case = case.clone();
        case.transfer.count = 1;
        case.transfer.split = None;
        case.traffic = [].into();
        Layout::with_versions(&case, versions)
    }

    fn with_versions(case: &Case, versions: Vec<IpVersion>) -> Layout {
        let (mut senders, mut receivers, mut connections) = (Vec::new(), Vec::new(), Vec::new());
        let copies = 0..case.transfer.count;
        let transfers = copies.flat_map(|copy| case.transfer.hops(copy).map(|ends| (ends, false)));
        let traffic = case
            .traffic
            .iter()
            .map(|traffic| ((traffic.from, traffic.to), true));
        for ((from, to), is_for_competing) in transfers.chain(traffic) {
            connections.push((
                index_of(&mut senders, from),
                index_of(
                    &mut receivers,
                    ReceivingNode {
                        node: to,
                        is_for_competing,
                    },
                ),
            ));
        }
        let network = network_of(case);
        let bottleneck = |(from, to)| {
            let hop = network
                .route(from, to)
                .and_then(|hops| network.data_bottleneck(&hops, &case.crossings));
            hop.map_or(0, Hop::number)
        };
        let first = fresh_numbers((senders.len() + receivers.len()) as u32);
        let bottlenecks = (0..case.transfer.count)
            .map(|copy| bottleneck(case.transfer.ends(copy)))
            .collect();
        let competing_bottlenecks = case
            .traffic
            .iter()
            .map(|traffic| bottleneck((traffic.from, traffic.to)))
            .collect();
        let copies = case.transfer.count as usize;
        let competing_ip = case.traffic.iter().map(Traffic::ip);
        Layout {
            network,
            versions,
            ip: case.transfer.ip,
            competing_ip: competing_ip.collect(),
            first,
            senders,
            receivers,
            connections,
            hops: case.transfer.hops(0).count(),
            copies,
            bottlenecks,
            competing_bottlenecks,
        }
    }

    /// The ends of the hops of a copy of the transfer, from its sender on. Copies are counted from
    /// 0.
    pub fn hops(&self, copy: usize) -> Vec<Ends> {
        let hops = &self.connections[copy * self.hops..][..self.hops];
        hops.iter().map(|hop| self.ends(self.ip, *hop)).collect()
    }

    /// The hop of a copy that crosses its bottleneck.
    pub fn bottleneck_hop(&self, copy: usize) -> usize {
        let hops = &self.connections[copy * self.hops..][..self.hops];
        let crosses = |&(sender, receiver): &(usize, usize)| {
            let route = self
                .network
                .route(self.senders[sender], self.receivers[receiver].node);
            let mut links = route.into_iter().flatten().map(Hop::number);
            links.any(|number| number == self.bottleneck(copy))
        };
        hops.iter().position(crosses).unwrap_or(0)
    }

    /// The number of the directed link that is the bottleneck of a copy: 2 n for the n-th link of
    /// the network forward, 2 n + 1 in reverse.
    pub fn bottleneck(&self, copy: usize) -> u32 {
        self.bottlenecks[copy]
    }

    /// The ends of the flows of the case's n-th traffic.
    pub fn competing(&self, traffic: usize) -> Ends {
        self.ends(
            self.competing_ip[traffic],
            self.connections[self.copies * self.hops + traffic],
        )
    }

    /// The number of the directed link that is their bottleneck.
    pub fn competing_bottleneck(&self, traffic: usize) -> u32 {
        self.competing_bottlenecks[traffic]
    }

    /// The addresses of the sending host.
    pub fn sender_addresses(&self) -> Vec<IpAddr> {
        let of = |ip: &IpVersion| {
            let ip = *ip;
            (0..self.senders.len()).map(move |index| self.sender_address(ip, index))
        };
        self.versions.iter().flat_map(of).collect()
    }

    /// The addresses of the receiving host, and whether they are for competing flows.
    pub fn receiver_addresses(&self) -> Vec<(IpAddr, bool)> {
        let of = |ip: &IpVersion| {
            let ip = *ip;
            let receivers = self.receivers.iter().enumerate();
            receivers.map(move |(index, receiver)| {
                (self.receiver_address(ip, index), receiver.is_for_competing)
            })
        };
        self.versions.iter().flat_map(of).collect()
    }

    /// The addresses of the sender and of the receiver of the first copy, over each IP version.
    pub fn first_copy(&self) -> Vec<[IpAddr; 2]> {
        let of = |ip: &IpVersion| {
            let Ends { sender, receiver } = self.ends(*ip, self.connections[0]);
            [sender, receiver]
        };
        self.versions.iter().map(of).collect()
    }

    /// The links and routes for the link thread.
    pub fn wiring(&self, case: &Case) -> Wiring {
        let mut wires: Vec<Wire> = Vec::new();
        let mut routes = Routes::default();
        let mut lookup = Lookup::new(self.first, self.senders.len(), self.receivers.len());
        for &(sender, receiver) in &self.connections {
            if lookup.has_routes(sender, receiver) {
                continue;
            }
            let (from, to) = (self.senders[sender], self.receivers[receiver].node);
            let mut add = |from, to, side| {
                let hops = self
                    .network
                    .route(from, to)
                    .expect("the reader of scenarios refuses flows without a route");
                let mut remaining_ns = hops
                    .iter()
                    .map(|hop| self.network.channel(*hop).delay_range_ns().0)
                    .sum();
                let mut links = Vec::with_capacity(hops.len());
                for hop in hops {
                    let index = self.wire(&mut wires, case, hop);
                    remaining_ns -= self.network.channel(hop).delay_range_ns().0;
                    wires[index].slack_ns = wires[index].slack_ns.min(remaining_ns);
                    links.push(index as u32);
                }
                routes.add(&links, side)
            };
            let routes = [add(from, to, Side::Receiver), add(to, from, Side::Sender)];
            lookup.set_routes(sender, receiver, routes);
        }
        let sources = self.sources(case, &lookup);
        Wiring {
            wires,
            routes,
            sources,
            lookup,
            mtu_bytes: case.path.mtu_bytes,
            links: 2 * self.network.links.len(),
        }
    }

    /// The traffic without TCP.
    fn sources(&self, case: &Case, lookup: &Lookup) -> Vec<Source> {
        let traffic = &self.connections[self.copies * self.hops..];
        let source = |(number, (sender, receiver)): (u32, &(usize, usize))| {
            Some(Source {
                traffic: number as usize,
                datagrams: Datagrams::of_traffic(case, number)?,
                position: lookup.position(*sender, *receiver),
                ends: self.competing(number as usize),
                dscp: case.traffic[number as usize].dscp,
            })
        };
        (0..).zip(traffic).filter_map(source).collect()
    }

    /// The index of a hop's link in `wires`, to which the link is added if necessary.
    fn wire(&self, wires: &mut Vec<Wire>, case: &Case, hop: Hop) -> usize {
        let number = hop.number();
        wires
            .iter()
            .position(|wire| wire.number == number)
            .unwrap_or_else(|| {
                let channel = self.network.channel(hop);
                wires.push(Wire {
                    number,
                    config: channel.link_config(case.path.rtt_ns, case.seed, number),
                    bytes: bytes_in(channel.packet_bits_per_s(), channel.delay_range_ns().1),
                    slack_ns: u64::MAX,
                });
                wires.len() - 1
            })
    }

    fn ends(&self, ip: IpVersion, (sender, receiver): (usize, usize)) -> Ends {
        Ends {
            sender: self.sender_address(ip, sender),
            receiver: self.receiver_address(ip, receiver),
        }
    }

    fn sender_address(&self, ip: IpVersion, index: usize) -> IpAddr {
        address(ip, self.first + index as u32)
    }

    fn receiver_address(&self, ip: IpVersion, index: usize) -> IpAddr {
        self.sender_address(ip, self.senders.len() + index)
    }
}

/// The nodes and links of a case. A case with a `[path]` may have another path than that of its
/// network, which then counts.
fn network_of(case: &Case) -> Network {
    match case.network.nodes.len() == 2
        && case.network.links.len() == 1
        && case.transfer.ends(0) == (0, 1)
    {
        true => case.path.network(),
        false => Network::clone(&case.network),
    }
}

/// The index of an entry in a list, to which it is added if necessary.
fn index_of<T: PartialEq>(list: &mut Vec<T>, entry: T) -> usize {
    list.iter()
        .position(|other| *other == entry)
        .unwrap_or_else(|| {
            list.push(entry);
            list.len() - 1
        })
}
