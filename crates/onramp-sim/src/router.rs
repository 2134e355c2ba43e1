//! Routes through a network with thousands of hosts. The routes are those of [`Network::route`].
//! One search per router serves all hosts behind it, instead of one search per pair of hosts.

use onramp_scenario::{Hop, Network};
use std::collections::HashMap;

/// Finds routes, and caches the next hops to every destination it has searched.
pub(crate) struct Router<'a> {
    network: &'a Network,
    /// The links of each node in the file's order: the outgoing hop and the node it leads to.
    outgoing: Vec<Vec<(Hop, usize)>>,
    /// For each destination: the hop that each node takes towards it, and the next node.
    next_hops: HashMap<usize, Vec<Option<(Hop, usize)>>>,
}

impl<'a> Router<'a> {
    /// Creates a router for this network.
    pub fn new(network: &'a Network) -> Router<'a> {
        let mut outgoing = vec![Vec::new(); network.nodes.len()];
        for (link, ends) in network.links.iter().enumerate() {
            outgoing[ends.from].push((
                Hop {
                    link,
                    is_forward: true,
                },
                ends.to,
            ));
            outgoing[ends.to].push((
                Hop {
                    link,
                    is_forward: false,
                },
                ends.from,
            ));
        }
        Router {
            network,
            outgoing,
            next_hops: HashMap::new(),
        }
    }

    /// The network.
    pub fn network(&self) -> &'a Network {
        self.network
    }

    /// The route with the fewest links from one node to another. `None` if there is no route. The
    /// route from a node to itself is empty.
    pub fn route(&mut self, from: usize, to: usize) -> Option<Vec<Hop>> {
        if from == to {
            return Some(Vec::new());
        }
        // All routes to a host with one link end with this link, so other hosts behind the same
        // neighbour share the route to the neighbour.
        if let [(away, neighbour)] = self.outgoing[to][..] {
            let mut hops = self.route_to_router(from, neighbour)?;
            hops.push(away.turned());
            return Some(hops);
        }
        self.route_to_router(from, to)
    }

    fn route_to_router(&mut self, from: usize, to: usize) -> Option<Vec<Hop>> {
        let Router {
            outgoing,
            next_hops,
            ..
        } = self;
        let next = next_hops.entry(to).or_insert_with(|| search(outgoing, to));
        let mut hops = Vec::new();
        let mut node = from;
        while node != to {
            let (hop, neighbour) = next[node]?;
            hops.push(hop);
            node = neighbour;
        }
        Some(hops)
    }
}

/// The first hop of every node's route to `to`: at each node the first link of the file that leads
/// to a node nearer to it.
fn search(outgoing: &[Vec<(Hop, usize)>], to: usize) -> Vec<Option<(Hop, usize)>> {
    let mut distances = vec![usize::MAX; outgoing.len()];
    distances[to] = 0;
    let mut found = vec![to];
    let mut visited = 0;
    while let Some(&node) = found.get(visited) {
        visited += 1;
        for &(_, neighbour) in &outgoing[node] {
            if distances[neighbour] == usize::MAX {
                distances[neighbour] = distances[node] + 1;
                found.push(neighbour);
            }
        }
    }
    let first_nearer = |node: usize| {
        let nearer = |&&(_, neighbour): &&(Hop, usize)| distances[neighbour] < distances[node];
        outgoing[node].iter().find(nearer).copied()
    };
    (0..outgoing.len()).map(first_nearer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_scenario::NetworkLink;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_routes_are_those_of_the_network(
            ends in prop::collection::vec((0usize..9, 0usize..9), 0..14),
        ) {
            let text = "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"1 ms\"\n\
                        [[transfer]]\nsize = \"1 B\"\n";
            let path = onramp_scenario::parse("x.toml", text).unwrap().cases.remove(0).path;
            let link = |(from, to)| {
                let (forward, reverse) = (path.forward.clone(), path.reverse.clone());
                NetworkLink { from, to, mtu_bytes: 1500, forward, reverse }
            };
            let links = ends.into_iter().filter(|(from, to)| from != to).map(link).collect();
            let nodes = (0..9).map(|node| node.to_string()).collect();
            let network = Network { nodes, links };
            let mut router = Router::new(&network);
            for from in 0..9 {
                for to in 0..9 {
                    let (found, expected) = (router.route(from, to), network.route(from, to));
                    prop_assert_eq!(found, expected, "from {} to {}", from, to);
                }
            }
        }
    }
}
