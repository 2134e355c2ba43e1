//! Nodes and links, and the routes between nodes.

use super::transfer::Transfer;
use crate::channel::Channel;
use onramp_config::units::bytes_in;
use std::collections::HashMap;
use std::sync::Arc;

/// The network that packets travel over. A scenario with a `[path]` has the nodes `sender` and
/// `receiver` and one link.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// The names of the nodes. Everything else refers to nodes by their place in this list.
    pub nodes: Vec<String>,
    /// The links, in the order of the file.
    pub links: Vec<NetworkLink>,
}

/// Two nodes and a channel in each direction.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkLink {
    /// The node at which the link begins.
    pub from: usize,
    /// The node at which the link ends.
    pub to: usize,
    /// Size of the largest IP packet.
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
    /// The route passes the link from its `from` to its `to`.
    pub is_forward: bool,
}

impl Network {
    /// Whether anything here depends on the seed of the run.
    pub(crate) fn is_random(&self) -> bool {
        let links = self.links.iter();
        let mut channels = links.flat_map(|link| [&link.forward, &link.reverse]);
        channels.any(Channel::is_random)
    }

    /// The route from one node to another over the fewest links. At each node it takes the first
    /// link of the file that leads nearer. `None` where no links lead there; no hops from a node to
    /// itself.
    pub fn route(&self, from: usize, to: usize) -> Option<Vec<Hop>> {
        self.route_by(&self.distances(to), from, to)
    }

    /// The directed links of the forward path and the return path between two nodes, by
    /// [`Hop::number`]; none where no links lead there.
    pub fn round_trip(&self, (from, to): (usize, usize)) -> Vec<u32> {
        let routes =
            [(from, to), (to, from)].map(|(from, to)| self.route(from, to).unwrap_or_default());
        routes.concat().into_iter().map(Hop::number).collect()
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

    /// A number for each node, the same for nodes that links connect.
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

    /// The number of links from each node to this one.
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

    /// Whether a channel changes during a run.
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

    /// The forward path and the return path between two nodes as one [`Path`]; `None` where no
    /// links lead there, or where both nodes are the same.
    pub fn path(&self, from: usize, to: usize) -> Option<Path> {
        self.shared_path(
            &self.route(from, to)?,
            &self.route(to, from)?,
            &Crossings::default(),
        )
    }

    /// A forward path and a return path as one [`Path`], with the bottleneck of the copies that
    /// share them. `None` without hops.
    pub fn shared_path(
        &self,
        forward: &[Hop],
        reverse: &[Hop],
        crossings: &Crossings,
    ) -> Option<Path> {
        let mtu_bytes = forward
            .iter()
            .chain(reverse)
            .map(|hop| self.links[hop.link].mtu_bytes)
            .min()?;
        let with_delay = |route: &[Hop], bottleneck: Hop| Channel {
            delay_ns: route.iter().map(|hop| self.channel(*hop).delay_ns).sum(),
            ..self.channel(bottleneck).clone()
        };
        let forward = with_delay(forward, self.bottleneck(forward, |hop| crossings.of(hop))?);
        // ACKs return over the links that the data took, or over links that as many copies share.
        let bottleneck = self.bottleneck(reverse, |hop| crossings.of(hop.turned()))?;
        let reverse = with_delay(reverse, bottleneck);
        Some(Path {
            rtt_ns: forward.delay_ns + reverse.delay_ns,
            mtu_bytes,
            forward,
            reverse,
        })
    }

    /// The bottleneck of the data on a route: the hop with the smallest
    /// [capacity](Channel::capacity_bits_per_s) per copy of the transfer that crosses it, and the
    /// first of several such hops. `None` without hops.
    pub fn data_bottleneck(&self, route: &[Hop], crossings: &Crossings) -> Option<Hop> {
        self.bottleneck(route, |hop| crossings.of(hop))
    }

    fn bottleneck(&self, route: &[Hop], sharers: impl Fn(Hop) -> u32) -> Option<Hop> {
        // Compares a / n with b / m without divisions.
        let weight = |hop: Hop, other: Hop| {
            u128::from(self.channel(hop).capacity_bits_per_s(0)) * u128::from(sharers(other).max(1))
        };
        route
            .iter()
            .copied()
            .min_by(|&a, &b| weight(a, b).cmp(&weight(b, a)))
    }

    /// How many copies of a transfer cross each link.
    pub(crate) fn crossings(&self, transfer: &Transfer) -> Crossings {
        if transfer.count == 1 {
            return Crossings::default();
        }
        let mut crossings = vec![0; 2 * self.links.len()];
        let mut distances = HashMap::new();
        // Copies take senders and receivers in turn, so their ends repeat with this period.
        let max_period = transfer.from.len().saturating_mul(transfer.to.len());
        let period = (1..=max_period)
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
    /// The number of the directed link: 2 n for the n-th link forward, 2 n + 1 in reverse.
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

    /// The same link in the other direction.
    pub fn turned(self) -> Hop {
        Hop {
            is_forward: !self.is_forward,
            ..self
        }
    }
}

/// How many copies of a case's transfer send their data over each directed link.
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
    /// Round-trip propagation time, the sum of both channels' delays.
    pub rtt_ns: u64,
    /// Size of the largest IP packet.
    pub mtu_bytes: u32,
    /// From sender to receiver: the data. Its delay is the delay of the whole forward path.
    pub forward: Channel,
    /// From receiver to sender: the ACKs. Its delay is the delay of the whole return path.
    pub reverse: Channel,
}

impl Path {
    /// BDP of the forward channel, in bytes of IP packets.
    pub fn bdp_bytes(&self) -> u64 {
        bytes_in(self.forward.packet_bits_per_s(), self.rtt_ns)
    }

    /// A network of this path alone: `sender`, `receiver` and one link.
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
mod tests;
