//! A network before the lists of its `[path]` are multiplied out.

use crate::channel::{ChannelChange, ChannelDraft};
use crate::model::{Network, Path};
use std::sync::Arc;

/// The network of a file, in one of the two forms of description.
#[derive(Debug)]
pub(crate) enum Topology {
    /// A `[path]`.
    Path(Box<PathDraft>),
    /// `[[node]]` and `[[link]]` tables.
    Network(Arc<Network>),
}

impl Topology {
    /// The number of networks that the lists make.
    pub(crate) fn count(&self) -> u128 {
        match self {
            Topology::Network(_) => 1,
            Topology::Path(path) => {
                path.forward.count() * path.reverse.count() * path.rtts_ns.len() as u128
            }
        }
    }

    /// The networks. The rate of the path changes most slowly, then the round-trip time, then the
    /// other lists of its channel.
    pub(crate) fn networks(&self) -> Vec<Arc<Network>> {
        let path = match self {
            Topology::Network(network) => return vec![network.clone()],
            Topology::Path(path) => path,
        };
        let mut networks = Vec::new();
        for &rate_bits_per_s in &path.forward.rate_bits_per_s {
            for &rtt_ns in &path.rtts_ns {
                let paths = path.paths(rate_bits_per_s, rtt_ns);
                networks.extend(paths.map(|path| Arc::new(path.network())));
            }
        }
        networks
    }
}

/// A `[path]`.
#[derive(Debug)]
pub(crate) struct PathDraft {
    pub rtts_ns: Vec<u64>,
    pub mtu_bytes: u32,
    pub forward: ChannelDraft,
    pub reverse: ChannelDraft,
    /// The delay of the return path; `None`: half of the round-trip time.
    pub reverse_delay_ns: Option<u64>,
    /// The delay of a change is a round-trip time.
    pub changes: Vec<ChannelChange>,
}

impl PathDraft {
    /// The paths with this rate and round-trip time.
    fn paths(&self, rate_bits_per_s: u64, rtt_ns: u64) -> impl Iterator<Item = Path> + '_ {
        let forward = ChannelDraft {
            rate_bits_per_s: vec![rate_bits_per_s],
            ..self.forward.clone()
        };
        let reverse_delay_ns = |rtt_ns: u64| self.reverse_delay_ns.unwrap_or(rtt_ns / 2);
        let forward_delay_ns = move |rtt_ns: u64| rtt_ns - reverse_delay_ns(rtt_ns);
        let changes = self.changes_with(forward_delay_ns);
        let channels = forward.channels(forward_delay_ns(rtt_ns), changes);
        channels.into_iter().flat_map(move |forward| {
            let usual_delay_ns = reverse_delay_ns(rtt_ns);
            let changes = self.changes_with(reverse_delay_ns);
            let reverse =
                self.reverse
                    .reverse_of(&forward, self.reverse_delay_ns, usual_delay_ns, changes);
            reverse.into_iter().map(move |reverse| Path {
                rtt_ns,
                mtu_bytes: self.mtu_bytes,
                forward: forward.clone(),
                reverse,
            })
        })
    }

    /// The changes of one direction, whose delay this function derives from a round-trip time.
    fn changes_with(&self, delay_ns: impl Fn(u64) -> u64) -> Vec<ChannelChange> {
        let with_delay = |change: &ChannelChange| ChannelChange {
            delay_ns: change.delay_ns.map(&delay_ns),
            ..*change
        };
        self.changes.iter().map(with_delay).collect()
    }
}
