//! The ends of flows: whether there are such nodes, and routes between them.

use super::topology::Described;
use crate::cases::Topology;
use crate::keys::kinds::{IpVersionName, KnownNode, Node};
use crate::keys::transfer::SPLIT;
use crate::mistake::{refuse, Mistake, NotBetween};
use crate::model::Network;
use onramp_config::document::{Reader, Section};
use onramp_config::key::{Key, Kind};
use onramp_config::units::format_size;
use onramp_config::FileMistake;
use onramp_tcp::IpVersion;
use std::sync::Arc;

/// Every link of IPv6 carries packets of this size (RFC 8200, section 5).
const MIN_IPV6_MTU_BYTES: u32 = 1280;

/// The routes of a network.
pub(super) struct Routes {
    nodes: Vec<String>,
    is_path: bool,
    /// `None` for a path, which has all routes.
    network: Option<Arc<Network>>,
    /// Size of the largest packet of a path.
    path_mtu_bytes: Option<u32>,
    /// The island of each node. Nodes of one island have routes to each other.
    islands: Vec<usize>,
}

impl Routes {
    pub(super) fn of(described: &Described, nodes: &[String]) -> Routes {
        let (network, path_mtu_bytes) = match &described.topology {
            Some(Topology::Network(network)) => (Some(network.clone()), None),
            Some(Topology::Path(path)) => (None, Some(path.mtu_bytes)),
            None => (None, None),
        };
        let islands = network
            .as_ref()
            .map_or(Vec::new(), |network| network.islands());
        Routes {
            nodes: nodes.to_vec(),
            is_path: described.is_path,
            network,
            path_mtu_bytes,
            islands,
        }
    }

    /// The minimum and the maximum MTU of the routes of this many flows between these nodes, in
    /// both directions.
    pub(super) fn mtus_bytes(
        &self,
        from: &[usize],
        to: &[usize],
        count: u32,
    ) -> Option<(u32, u32)> {
        let both_directions =
            |(from, to)| Some(self.mtu_bytes(from, to)?.min(self.mtu_bytes(to, from)?));
        let mtus: Vec<_> = pairs(from, to, count).filter_map(both_directions).collect();
        Some((*mtus.iter().min()?, *mtus.iter().max()?))
    }

    /// The nodes at which this many flows begin and end. On a path they have defaults.
    pub(super) fn read_ends(
        &self,
        reader: &mut Reader,
        section: &Section,
        [from_key, to_key]: [&Key<KnownNode>; 2],
        count: u32,
    ) -> Option<(Vec<usize>, Vec<usize>)> {
        let from = self.nodes_of(reader, section, from_key, 0);
        let to = self.nodes_of(reader, section, to_key, 1);
        let (from, to) = (from?, to?);
        if let Some(mistake) = self.mistake_of_ends(&from, &to, count) {
            reader.fault(mistake, section.span(to_key.name()));
        }
        Some((from, to))
    }

    /// Why these nodes cannot be the ends of this many flows, if they cannot.
    fn mistake_of_ends(&self, from: &[usize], to: &[usize], count: u32) -> Option<Mistake> {
        let pairs = || pairs(from, to, count);
        let is_apart = |(from, to): (usize, usize)| self.islands.get(from) != self.islands.get(to);
        if let Some((same, _)) = pairs().find(|(from, to)| from == to) {
            let node = self.name(same);
            return Some(Mistake::SameNode { what: "flow", node });
        }
        if let Some((from, to)) = pairs().find(|ends| is_apart(*ends)) {
            let [from, to] = [from, to].map(|node| self.name(node));
            return Some(Mistake::NoRoute { from, to });
        }
        let path = self.network.as_ref()?.path(from[0], to[0])?;
        (path.rtt_ns == 0).then(|| Mistake::NoDelay {
            from: self.name(from[0]),
            to: self.name(to[0]),
        })
    }

    /// The nodes at which the connections of this many flows are split. They are on the route of
    /// each flow, in order.
    pub(super) fn read_split(
        &self,
        reader: &mut Reader,
        section: &Section,
        (from, to): (&[usize], &[usize]),
        count: u32,
    ) -> Option<Vec<usize>> {
        if !section.has(&SPLIT) || self.nodes.is_empty() {
            return None;
        }
        let span = section.span(SPLIT.name());
        if self.is_path {
            let only = "networks of [[link]], which have nodes between the ends";
            refuse(reader, section, SPLIT.name(), only, "[path]");
            return None;
        }
        let relays = places(reader.list(section, &SPLIT)?);
        let network = self.network.as_ref()?;
        for ends in pairs(from, to, count) {
            // A flow without a route has a mistake of its own.
            let route = network.route(ends.0, ends.1).unwrap_or_default();
            let nodes = match route.is_empty() {
                true => continue,
                false => network.nodes_between(ends.0, &route),
            };
            if let Err(mistake) = self.check_relays(&relays, ends, &nodes) {
                reader.fault(mistake, span);
                return None;
            }
        }
        Some(relays)
    }

    /// Whether relays are in order among the nodes between the ends of a flow.
    fn check_relays(
        &self,
        relays: &[usize],
        (from, to): (usize, usize),
        nodes: &[usize],
    ) -> Result<(), Mistake> {
        let mut rest = nodes;
        for &relay in relays {
            let Some(place) = rest.iter().position(|node| *node == relay) else {
                let why = if relay == from {
                    NotBetween::Sender
                } else if relay == to {
                    NotBetween::Receiver
                } else if nodes.contains(&relay) {
                    NotBetween::Order
                } else {
                    NotBetween::Elsewhere
                };
                return Err(Mistake::NotBetween {
                    node: self.name(relay),
                    from: self.name(from),
                    to: self.name(to),
                    route: nodes.iter().map(|node| self.name(*node)).collect(),
                    why,
                });
            };
            rest = &rest[place + 1..];
        }
        Ok(())
    }

    fn name(&self, node: usize) -> String {
        self.nodes.get(node).cloned().unwrap_or_default()
    }

    /// The MTU of the route from one node to another, if the route could be read.
    pub(super) fn mtu_bytes(&self, from: usize, to: usize) -> Option<u32> {
        let Some(network) = &self.network else {
            return self.path_mtu_bytes;
        };
        let route = network.route(from, to)?;
        let mtus = route.iter().map(|hop| network.links[hop.link].mtu_bytes);
        mtus.min()
    }

    fn nodes_of(
        &self,
        reader: &mut Reader,
        section: &Section,
        key: &Key<KnownNode>,
        default: usize,
    ) -> Option<Vec<usize>> {
        // Missing nodes have a mistake of their own.
        if self.nodes.is_empty() {
            return None;
        }
        if section.has(key) {
            return reader.list(section, key).map(places);
        }
        if self.is_path {
            return Some(vec![default]);
        }
        let mistake = FileMistake::MissingKey {
            key: section.path_of(key),
            expected: KnownNode::EXPECTED,
        };
        reader.fault(mistake, section.header.clone());
        None
    }
}

/// Refuses IPv6 on routes with a smaller MTU than IPv6 allows.
pub(super) fn check_mtu_of_version(
    reader: &mut Reader,
    section: &Section,
    key: &Key<IpVersionName>,
    ip: IpVersion,
    mtu_bytes: Option<u32>,
) {
    let Some(mtu_bytes) = mtu_bytes.filter(|bytes| *bytes < MIN_IPV6_MTU_BYTES) else {
        return;
    };
    if ip == IpVersion::V6 {
        let mistake = Mistake::SmallMtu {
            key: section.path_of(key),
            mtu: format_size(mtu_bytes.into()),
        };
        reader.fault(mistake, section.span(key.name()));
    }
}

fn places(nodes: Vec<Node>) -> Vec<usize> {
    nodes.into_iter().map(|Node(place)| place).collect()
}

/// The different ends of this many flows, which take senders and receivers in turn.
fn pairs<'n>(
    from: &'n [usize],
    to: &'n [usize],
    count: u32,
) -> impl Iterator<Item = (usize, usize)> + 'n {
    // The ends repeat after this many flows at the latest.
    let max_period = from.len() as u64 * to.len() as u64;
    let different = max_period.min(u64::from(count)) as usize;
    (0..different).map(|copy| (from[copy % from.len()], to[copy % to.len()]))
}
