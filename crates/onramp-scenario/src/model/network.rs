//! Nodes and links, and the way from one node to another.

use super::channel::{bytes_in, Channel};
use super::flow::Transfer;
use std::collections::HashMap;
use std::sync::Arc;

/// What packets travel over. A scenario with a `[path]` has the nodes `sender` and `receiver` and
/// one link.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Names of the nodes; everything else refers to them by their place in this list.
    pub nodes: Vec<String>,
    /// In the order of the file.
    pub links: Vec<NetworkLink>,
}

/// Two nodes and a channel in each direction.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkLink {
    /// A node.
    pub from: usize,
    /// Another node.
    pub to: usize,
    /// Largest IP packet.
    pub mtu_bytes: u32,
    /// From `from` to `to`.
    pub forward: Channel,
    /// From `to` to `from`.
    pub reverse: Channel,
}

/// One link of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Place in [`Network::links`].
    pub link: usize,
    /// It is passed from its `from` to its `to`.
    pub is_forward: bool,
}

impl Network {
    /// The way from one node to another over the fewest links: at each node the first link of the
    /// file that leads nearer. `None` where no links lead there; no hops from a node to itself.
    pub fn route(&self, from: usize, to: usize) -> Option<Vec<Hop>> {
        self.route_by(&self.distances(to), from, to)
    }

    /// The directed links of the way from one node to another and back, by [`Hop::number`]; none
    /// where there is no way.
    pub fn round_trip(&self, (from, to): (usize, usize)) -> Vec<u32> {
        let ways =
            [(from, to), (to, from)].map(|(from, to)| self.route(from, to).unwrap_or_default());
        ways.concat().into_iter().map(Hop::number).collect()
    }

    /// The nodes that a route from this node passes, without its ends.
    pub fn nodes_between(&self, from: usize, route: &[Hop]) -> Vec<usize> {
        let mut nodes = self.nodes_of(from, route);
        nodes.pop();
        nodes.drain(..1.min(nodes.len()));
        nodes
    }

    /// The nodes of a route from this node, both ends included.
    pub fn nodes_of(&self, from: usize, route: &[Hop]) -> Vec<usize> {
        let ends = route
            .iter()
            .map(|hop| match (&self.links[hop.link], hop.is_forward) {
                (link, true) => link.to,
                (link, false) => link.from,
            });
        std::iter::once(from).chain(ends).collect()
    }

    fn route_by(&self, distances: &[Option<usize>], from: usize, to: usize) -> Option<Vec<Hop>> {
        let mut hops = Vec::with_capacity(distances[from]?);
        let mut node = from;
        while node != to {
            let nearer = |end: usize| {
                distances[end].is_some_and(|distance| Some(distance + 1) == distances[node])
            };
            let (hop, next) = self
                .links
                .iter()
                .enumerate()
                .find_map(|(link, ends)| match () {
                    () if ends.from == node && nearer(ends.to) => Some((
                        Hop {
                            link,
                            is_forward: true,
                        },
                        ends.to,
                    )),
                    () if ends.to == node && nearer(ends.from) => Some((
                        Hop {
                            link,
                            is_forward: false,
                        },
                        ends.from,
                    )),
                    () => None,
                })?;
            hops.push(hop);
            node = next;
        }
        Some(hops)
    }

    /// A number for each node, the same for nodes between which there are links.
    pub(crate) fn islands(&self) -> Vec<usize> {
        let mut islands = vec![None; self.nodes.len()];
        for node in 0..self.nodes.len() {
            if islands[node].is_none() {
                let reached = self.distances(node);
                islands
                    .iter_mut()
                    .zip(reached)
                    .filter(|(_, distance)| distance.is_some())
                    .for_each(|(i, _)| *i = Some(node));
            }
        }
        islands.into_iter().flatten().collect()
    }

    /// Links from each node to this one.
    fn distances(&self, to: usize) -> Vec<Option<usize>> {
        let mut neighbours = vec![Vec::new(); self.nodes.len()];
        for link in &self.links {
            neighbours[link.from].push(link.to);
            neighbours[link.to].push(link.from);
        }
        let mut distances = vec![None; self.nodes.len()];
        distances[to] = Some(0);
        let mut frontier = vec![to];
        let mut distance = 0;
        while !frontier.is_empty() {
            distance += 1;
            let mut next = Vec::new();
            for neighbour in frontier.into_iter().flat_map(|node| &neighbours[node]) {
                if distances[*neighbour].is_none() {
                    distances[*neighbour] = Some(distance);
                    next.push(*neighbour);
                }
            }
            frontier = next;
        }
        distances
    }

    /// Whether rates or delays change during a run.
    pub fn changes(&self) -> bool {
        self.links
            .iter()
            .any(|link| !link.forward.changes.is_empty() || !link.reverse.changes.is_empty())
    }

    /// The channel that a hop passes.
    pub fn channel(&self, hop: Hop) -> &Channel {
        let link = &self.links[hop.link];
        if hop.is_forward {
            &link.forward
        } else {
            &link.reverse
        }
    }

    /// The way from one node to another and back as one [`Path`]; `None` where no links lead there,
    /// or both are one.
    pub fn path(&self, from: usize, to: usize) -> Option<Path> {
        self.shared_path(
            &self.route(from, to)?,
            &self.route(to, from)?,
            &Crossings::default(),
        )
    }

    /// A way and its way back as one [`Path`], with the bottleneck of those who share it. `None`
    /// without hops.
    pub fn shared_path(&self, there: &[Hop], back: &[Hop], crossings: &Crossings) -> Option<Path> {
        let mtu_bytes = there
            .iter()
            .chain(back)
            .map(|hop| self.links[hop.link].mtu_bytes)
            .min()?;
        let with_delay = |route: &[Hop], bottleneck: Hop| Channel {
            delay_ns: route.iter().map(|hop| self.channel(*hop).delay_ns).sum(),
            ..self.channel(bottleneck).clone()
        };
        let forward = with_delay(there, self.bottleneck(there, |hop| crossings.of(hop))?);
        // Acknowledgements come back over the links that the data took, or over as many.
        let reverse = with_delay(
            back,
            self.bottleneck(back, |hop| crossings.of(hop.turned()))?,
        );
        Some(Path {
            rtt_ns: forward.delay_ns + reverse.delay_ns,
            mtu_bytes,
            forward,
            reverse,
        })
    }

    /// The bottleneck of the data of a route: the hop with the least
    /// [capacity](Channel::capacity_bits_per_s) for each copy of the transfer that crosses it, the
    /// first of several. `None` without hops.
    pub fn data_bottleneck(&self, route: &[Hop], crossings: &Crossings) -> Option<Hop> {
        self.bottleneck(route, |hop| crossings.of(hop))
    }

    fn bottleneck(&self, route: &[Hop], sharers: impl Fn(Hop) -> u32) -> Option<Hop> {
        // a / n < b / m, without the divisions.
        let weight = |hop: Hop, other: Hop| {
            u128::from(self.channel(hop).capacity_bits_per_s(0)) * u128::from(sharers(other).max(1))
        };
        route
            .iter()
            .copied()
            .min_by(|&a, &b| weight(a, b).cmp(&weight(b, a)))
    }

    /// How many copies of a transfer cross each link, whose first ends and number these are.
    pub(crate) fn crossings(&self, transfer: &Transfer) -> Crossings {
        if transfer.count == 1 {
            return Crossings::default();
        }
        let mut crossings = vec![0; 2 * self.links.len()];
        let mut distances = HashMap::new();
        // Senders and receivers are dealt in turn: after so many copies it begins again.
        let most = transfer.from.len().saturating_mul(transfer.to.len());
        let period = (1..=most)
            .find(|n| n % transfer.from.len() == 0 && n % transfer.to.len() == 0)
            .unwrap_or(1) as u32;
        for copy in 0..period.min(transfer.count) {
            let copies = (transfer.count - copy).div_ceil(period);
            let (from, to) = transfer.ends(copy);
            let distances = distances.entry(to).or_insert_with(|| self.distances(to));
            for hop in self.route_by(distances, from, to).unwrap_or_default() {
                crossings[hop.number() as usize] += copies;
            }
        }
        Crossings(crossings.into())
    }
}

impl Hop {
    /// Its place among the directed links: 2 n for the n-th link forward, 2 n + 1 in reverse.
    pub fn number(self) -> u32 {
        2 * self.link as u32 + u32::from(!self.is_forward)
    }

    /// The hop with this [`number`](Hop::number).
    pub fn of_number(number: u32) -> Hop {
        Hop {
            link: number as usize / 2,
            is_forward: number.is_multiple_of(2),
        }
    }

    /// The same link the other way.
    pub fn turned(self) -> Hop {
        Hop {
            is_forward: !self.is_forward,
            ..self
        }
    }
}

/// How many copies of a case's transfer send their data over each link and direction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crossings(Arc<[u32]>);

impl Crossings {
    fn of(&self, hop: Hop) -> u32 {
        self.0.get(hop.number() as usize).copied().unwrap_or(0)
    }
}

/// The bottleneck between two nodes, with a channel in each direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Round-trip propagation time: the sum of both channels' delays.
    pub rtt_ns: u64,
    /// Largest IP packet.
    pub mtu_bytes: u32,
    /// From sender to receiver: the data. Its delay is that of the whole way.
    pub forward: Channel,
    /// From receiver to sender: the acknowledgements. Its delay is that of the whole way.
    pub reverse: Channel,
}

impl Path {
    /// Bandwidth-delay product of the forward channel: the bytes that fill the path without a
    /// queue.
    pub fn bdp_bytes(&self) -> u64 {
        bytes_in(self.forward.rate_bits_per_s, self.rtt_ns)
    }

    /// The network of this path alone: `sender`, `receiver` and one link.
    pub fn network(&self) -> Network {
        let link = NetworkLink {
            from: 0,
            to: 1,
            mtu_bytes: self.mtu_bytes,
            forward: self.forward.clone(),
            reverse: self.reverse.clone(),
        };
        Network {
            nodes: [SENDER, RECEIVER].map(str::to_owned).to_vec(),
            links: vec![link],
        }
    }
}

/// Node 0 of a scenario that has a `[path]`.
pub const SENDER: &str = "sender";
/// Node 1 of a scenario that has a `[path]`.
pub const RECEIVER: &str = "receiver";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Links between nodes by their numbers; rates and delays grow with the link's place.
    fn network(nodes: usize, ends: &[(usize, usize)]) -> Network {
        let plain = crate::parse(
            "x.toml",
            "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"2 ms\"\n[[transfer]]\nsize = \"1 B\"\n",
        );
        let plain = plain.unwrap().cases.remove(0).network.links[0].clone();
        let link = |(place, &(from, to)): (u64, &(usize, usize))| {
            let with = |channel: &Channel, delay_ns| Channel {
                rate_bits_per_s: 1_000_000 * (place + 1),
                delay_ns,
                ..channel.clone()
            };
            let (forward, reverse) = (
                with(&plain.forward, 10 * (place + 1)),
                with(&plain.reverse, place + 1),
            );
            NetworkLink {
                from,
                to,
                mtu_bytes: 1500 - place as u32,
                forward,
                reverse,
            }
        };
        Network {
            nodes: (0..nodes).map(|n| n.to_string()).collect(),
            links: (0..).zip(ends).map(link).collect(),
        }
    }

    fn nodes_of(network: &Network, from: usize, route: &[Hop]) -> Vec<usize> {
        let mut nodes = vec![from];
        for hop in route {
            let link = &network.links[hop.link];
            let (start, end) = if hop.is_forward {
                (link.from, link.to)
            } else {
                (link.to, link.from)
            };
            assert_eq!(nodes.last(), Some(&start));
            nodes.push(end);
        }
        nodes
    }

    #[test]
    fn of_ways_as_short_the_first_link_of_the_file_leads() {
        let square = network(4, &[(0, 2), (1, 0), (1, 3), (3, 2)]);
        assert_eq!(
            nodes_of(&square, 0, &square.route(0, 3).unwrap()),
            [0, 2, 3]
        );
        assert_eq!(
            nodes_of(&square, 3, &square.route(3, 0).unwrap()),
            [3, 1, 0]
        );
        let twice = network(2, &[(1, 0), (0, 1)]);
        assert_eq!(
            twice.route(0, 1).unwrap(),
            [Hop {
                link: 0,
                is_forward: false
            }]
        );
    }

    #[test]
    fn islands_have_no_way_to_each_other() {
        let islands = network(4, &[(0, 1), (2, 3)]);
        assert_eq!(islands.islands(), [0, 0, 2, 2]);
        assert_eq!((islands.route(0, 3), islands.path(3, 1)), (None, None));
        assert_eq!(
            (islands.route(1, 1), islands.path(1, 1)),
            (Some(vec![]), None)
        );
    }

    #[test]
    fn a_path_is_the_slowest_channel_and_all_delays() {
        let line = network(4, &[(1, 2), (1, 0), (2, 3)]);
        let path = line.path(0, 3).unwrap();
        assert_eq!(
            (path.forward.rate_bits_per_s, path.reverse.rate_bits_per_s),
            (1_000_000, 1_000_000)
        );
        // There: link 1 backwards, 0 and 2 forwards; back the other channels of them.
        assert_eq!(
            (path.forward.delay_ns, path.reverse.delay_ns),
            (2 + 10 + 30, 20 + 1 + 3)
        );
        assert_eq!((path.rtt_ns, path.mtu_bytes), (66, 1498));
    }

    #[test]
    fn the_bottleneck_is_the_link_with_the_least_for_each_copy() {
        let text = include_str!("../../../../scenarios/wan.toml");
        let case = crate::parse("wan.toml", text).unwrap().cases.remove(0);
        assert_eq!(case.path.forward.rate_bits_per_s, 155_000_000);
        assert_eq!(case.path.reverse.rate_bits_per_s, 155_000_000);
        let alone = case
            .network
            .path(case.transfer.from[0], case.transfer.to[0])
            .unwrap();
        assert_eq!(
            (alone.forward.rate_bits_per_s, alone.rtt_ns),
            (100_000_000, case.path.rtt_ns)
        );
        let one = crate::parse("wan.toml", &text.replace("count = 8", "count = 1"))
            .unwrap()
            .cases
            .remove(0);
        assert_eq!(one.path, alone);
    }

    #[test]
    fn what_is_shaped_is_as_slow_as_its_shaper() {
        let mut line = network(3, &[(0, 1), (1, 2)]);
        line.links[1].forward.shaper = Some(crate::TokenBucket {
            rate_bits_per_s: 500,
            burst_bytes: 3_000,
        });
        assert_eq!(line.path(0, 2).unwrap().forward.rate_bits_per_s, 2_000_000);
    }

    #[test]
    fn a_path_s_network_has_that_path() {
        let path = network(2, &[(0, 1)]).path(0, 1).unwrap();
        assert_eq!(path.network().path(0, 1), Some(path.clone()));
    }

    proptest! {
        #[test]
        fn a_route_is_as_short_there_as_back_and_each_hop_leads_nearer(
            ends in prop::collection::vec((0usize..7, 0usize..7), 1..14), from in 0usize..7, to in 0usize..7,
        ) {
            let network = network(7, &ends);
            let (there, back) = (network.route(from, to), network.route(to, from));
            prop_assert_eq!(there.as_ref().map(Vec::len), back.as_ref().map(Vec::len));
            prop_assert_eq!(there.is_some(), network.islands()[from] == network.islands()[to]);
            if let Some(route) = there {
                let nodes = nodes_of(&network, from, &route);
                prop_assert_eq!(nodes.last(), Some(&to));
                for (at, node) in nodes.iter().enumerate() {
                    prop_assert_eq!(network.route(*node, to).unwrap(), &route[at..]);
                }
            }
        }
    }
}
