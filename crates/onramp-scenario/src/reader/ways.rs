//! From where to where a flow goes: that there are such nodes, and links between them.

use super::topology::Described;
use super::values::node;
use crate::document::{Node, Reader, Section};
use crate::keys::{Key, TRANSFER_SPLIT};
use crate::topology::Topology;
use crate::{Mistake, Network, NotBetween};
use std::sync::Arc;

/// The ways of a network.
pub(super) struct Ways {
    nodes: Vec<String>,
    is_path: bool,
    /// `None` for a path, on which every way is there.
    network: Option<Arc<Network>>,
    /// Largest packet of a path.
    path_mtu_bytes: Option<u32>,
    /// Nodes of one island have a way to each other.
    islands: Vec<usize>,
}

impl Ways {
    pub(super) fn of(described: &Described) -> Ways {
        let (network, path_mtu_bytes) = match &described.topology {
            Some(Topology::Network(network)) => (Some(network.clone()), None),
            Some(Topology::Path(path)) => (None, Some(path.mtu_bytes)),
            None => (None, None),
        };
        let islands = network
            .as_ref()
            .map_or(Vec::new(), |network| network.islands());
        Ways {
            nodes: described.nodes.clone(),
            is_path: described.is_path,
            network,
            path_mtu_bytes,
            islands,
        }
    }

    /// The least and the most of the largest packets that the ways between these nodes take, there
    /// and back.
    pub(super) fn mtus_bytes(
        &self,
        from: &[usize],
        to: &[usize],
        count: u32,
    ) -> Option<(u32, u32)> {
        let both_ways = |(from, to)| Some(self.mtu_bytes(from, to)?.min(self.mtu_bytes(to, from)?));
        let mtus = pairs(from, to, count)
            .filter_map(both_ways)
            .collect::<Vec<_>>();
        Some((*mtus.iter().min()?, *mtus.iter().max()?))
    }

    /// The nodes at which flows begin and end, so many of them. On a path they have defaults.
    pub(super) fn read(
        &self,
        reader: &mut Reader,
        section: &Section,
        [from_key, to_key]: [&'static Key; 2],
        count: u32,
    ) -> Option<(Vec<usize>, Vec<usize>)> {
        let from = self.nodes_of(reader, section, from_key, 0);
        let to = self.nodes_of(reader, section, to_key, 1);
        let (from, to) = (from?, to?);
        let pairs = || pairs(&from, &to, count);
        let name = |node: usize| self.name(node);
        let is_apart = |(from, to): (usize, usize)| self.islands.get(from) != self.islands.get(to);
        if let Some((same, _)) = pairs().find(|(from, to)| from == to) {
            let mistake = Mistake::SameNode {
                what: "flow",
                node: name(same),
            };
            reader.fault(mistake, section.span("to"));
        } else if let Some((from, to)) = pairs().find(|ends| is_apart(*ends)) {
            reader.fault(
                Mistake::NoRoute {
                    from: name(from),
                    to: name(to),
                },
                section.span("to"),
            );
        } else if self
            .network
            .as_ref()
            .and_then(|network| network.path(from[0], to[0]))
            .is_some_and(|p| p.rtt_ns == 0)
        {
            reader.fault(
                Mistake::NoDelay {
                    from: name(from[0]),
                    to: name(to[0]),
                },
                section.span("to"),
            );
        }
        Some((from, to))
    }

    /// The nodes at which the connections of these flows are split: on the way of each of them, in
    /// order.
    pub(super) fn read_split(
        &self,
        reader: &mut Reader,
        section: &Section,
        (from, to): (&[usize], &[usize]),
        count: u32,
    ) -> Option<Vec<usize>> {
        let key = &TRANSFER_SPLIT;
        if !section.has(key.name) || self.nodes.is_empty() {
            return None;
        }
        let span = section.span(key.name);
        if self.is_path {
            let only = "networks of [[link]], which have nodes between";
            reader.fault(
                Mistake::NotFor {
                    key: key.path(),
                    only,
                    chosen: "[path]".to_owned(),
                },
                span,
            );
            return None;
        }
        let nodes: Vec<usize> = reader
            .list(section, key, &node(&self.nodes))?
            .into_iter()
            .map(|Node(index)| index)
            .collect();
        let network = self.network.as_ref()?;
        for (from, to) in pairs(from, to, count) {
            // Of flows without a way it has been said that they have none.
            let Some(route) = network.route(from, to).filter(|route| !route.is_empty()) else {
                continue;
            };
            let way = network.nodes_between(from, &route);
            let mut left = &way[..];
            for &node in &nodes {
                let Some(at) = left.iter().position(|on_way| *on_way == node) else {
                    let why = match () {
                        () if node == from => NotBetween::Sender,
                        () if node == to => NotBetween::Receiver,
                        () if way.contains(&node) => NotBetween::Order,
                        () => NotBetween::Elsewhere,
                    };
                    let way = way.iter().map(|node| self.name(*node)).collect();
                    let (node, from, to) = (self.name(node), self.name(from), self.name(to));
                    reader.fault(
                        Mistake::NotBetween {
                            node,
                            from,
                            to,
                            way,
                            why,
                        },
                        span,
                    );
                    return None;
                };
                left = &left[at + 1..];
            }
        }
        Some(nodes)
    }

    fn name(&self, node: usize) -> String {
        self.nodes.get(node).cloned().unwrap_or_default()
    }

    /// The largest packet that reaches one node from another, as far as the way could be read.
    pub(super) fn mtu_bytes(&self, from: usize, to: usize) -> Option<u32> {
        let Some(network) = &self.network else {
            return self.path_mtu_bytes;
        };
        network
            .route(from, to)?
            .iter()
            .map(|hop| network.links[hop.link].mtu_bytes)
            .min()
    }

    fn nodes_of(
        &self,
        reader: &mut Reader,
        section: &Section,
        key: &'static Key,
        default: usize,
    ) -> Option<Vec<usize>> {
        // Of nodes that are missing altogether it has been said that they are.
        if self.nodes.is_empty() {
            return None;
        }
        if section.has(key.name) {
            let nodes = reader.list(section, key, &node(&self.nodes))?;
            return Some(nodes.into_iter().map(|Node(index)| index).collect());
        }
        if !self.is_path {
            let mistake = Mistake::MissingKey {
                key: key.path(),
                expected: key.kind.expected(),
            };
            reader.fault(mistake, section.header.clone());
            return None;
        }
        Some(vec![default])
    }
}

/// The ends of so many flows that are dealt to senders and receivers in turn, as far as they
/// differ.
fn pairs<'n>(
    from: &'n [usize],
    to: &'n [usize],
    count: u32,
) -> impl Iterator<Item = (usize, usize)> + 'n {
    // Beyond this they repeat themselves.
    let different = (from.len() as u64 * to.len() as u64).min(u64::from(count)) as usize;
    (0..different).map(|copy| (from[copy % from.len()], to[copy % to.len()]))
}
