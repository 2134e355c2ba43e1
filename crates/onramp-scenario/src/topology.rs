//! A network before the lists of its `[path]` are multiplied out.

use crate::{
    Aggregation, Bursts, Channel, ChannelChange, CoDel, Discipline, FqCoDel, Jitter, Network, Path,
    QueueLimit, Red, TokenBucket,
};
use std::num::NonZeroU32;
use std::sync::Arc;

/// Either form in which a file describes its network.
#[derive(Debug)]
pub(crate) enum Topology {
    Path(Box<PathDraft>),
    Network(Arc<Network>),
}

impl Topology {
    /// How many networks it makes.
    pub(crate) fn count(&self) -> u128 {
        match self {
            Topology::Network(_) => 1,
            Topology::Path(path) => {
                let lists = [
                    path.rates.len(),
                    path.rtts.len(),
                    path.queues.len(),
                    path.losses.len(),
                ];
                lists.into_iter().map(|length| length as u128).product()
            }
        }
    }

    /// The networks, the path's rate outermost, then round trip, queue and loss.
    pub(crate) fn networks(&self) -> Vec<Arc<Network>> {
        let path = match self {
            Topology::Network(network) => return vec![network.clone()],
            Topology::Path(path) => path,
        };
        let mut networks = Vec::new();
        for &rate in &path.rates {
            for &rtt in &path.rtts {
                for &queue in &path.queues {
                    for &loss in &path.losses {
                        networks.push(Arc::new(path.of(rate, rtt, queue, loss).network()));
                    }
                }
            }
        }
        networks
    }
}

/// A `[path]`.
#[derive(Debug)]
pub(crate) struct PathDraft {
    pub rates: Vec<u64>,
    pub rtts: Vec<u64>,
    pub queues: Vec<QueueLimit>,
    pub losses: Vec<u32>,
    pub mtu_bytes: u32,
    pub elements: Elements,
    pub reverse: ReverseDraft,
    /// The delay of a change is a round trip.
    pub changes: Vec<ChannelChange>,
}

/// The reverse direction of a path or link; `None` where it follows the forward one.
#[derive(Debug)]
pub(crate) struct ReverseDraft {
    pub rate_bits_per_s: Option<u64>,
    pub queue: Option<QueueLimit>,
    pub loss_ppm: u32,
    pub delay_ns: Option<u64>,
    pub elements: Elements,
}

impl PathDraft {
    fn of(&self, rate_bits_per_s: u64, rtt_ns: u64, queue: QueueLimit, loss_ppm: u32) -> Path {
        let reverse = &self.reverse;
        let back = |rtt_ns: u64| reverse.delay_ns.unwrap_or(rtt_ns / 2);
        let there = |rtt_ns: u64| rtt_ns - back(rtt_ns);
        let with_delay = |delay: &dyn Fn(u64) -> u64| -> Vec<ChannelChange> {
            self.changes
                .iter()
                .map(|change| ChannelChange {
                    delay_ns: change.delay_ns.map(delay),
                    ..*change
                })
                .collect()
        };
        let forward = self.elements.channel(
            rate_bits_per_s,
            there(rtt_ns),
            queue,
            loss_ppm,
            with_delay(&there),
        );
        let reverse = reverse.channel(&forward, back(rtt_ns), with_delay(&back));
        Path {
            rtt_ns,
            mtu_bytes: self.mtu_bytes,
            forward,
            reverse,
        }
    }
}

impl ReverseDraft {
    /// The channel back. `delay_ns` and the delays of the changes are those that it has unless it
    /// has its own.
    pub(crate) fn channel(
        &self,
        forward: &Channel,
        delay_ns: u64,
        changes: Vec<ChannelChange>,
    ) -> Channel {
        let mut changes = changes;
        for change in &mut changes {
            change.rate_bits_per_s = change
                .rate_bits_per_s
                .filter(|_| self.rate_bits_per_s.is_none());
            change.delay_ns = change.delay_ns.filter(|_| self.delay_ns.is_none());
        }
        changes.retain(ChannelChange::changes_something);
        self.elements.channel(
            self.rate_bits_per_s.unwrap_or(forward.rate_bits_per_s),
            self.delay_ns.unwrap_or(delay_ns),
            self.queue.unwrap_or(forward.queue),
            self.loss_ppm,
            changes,
        )
    }
}

/// What a channel has beside rate, delay, queue and loss.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    pub discipline: DisciplineDraft,
    pub ack_filter: bool,
    pub bursts: Option<Bursts>,
    pub loss_every: Option<NonZeroU32>,
    pub duplicate_ppm: u32,
    pub jitter: Option<Jitter>,
    pub aggregation: Option<Aggregation>,
    pub shaper: Option<TokenBucket>,
    pub policer: Option<TokenBucket>,
    pub expedited: Option<TokenBucket>,
}

/// A queue discipline before the queue's room is known.
#[derive(Clone, Debug)]
pub(crate) enum DisciplineDraft {
    DropTail,
    Red {
        min: Option<QueueLimit>,
        max: Option<QueueLimit>,
        probability_ppm: u32,
        weight_ppm: u32,
        gentle: bool,
    },
    CoDel(CoDel),
    FqCoDel(FqCoDel),
}

impl Elements {
    pub(crate) fn channel(
        &self,
        rate_bits_per_s: u64,
        delay_ns: u64,
        queue: QueueLimit,
        loss_ppm: u32,
        changes: Vec<ChannelChange>,
    ) -> Channel {
        Channel {
            rate_bits_per_s,
            delay_ns,
            queue,
            discipline: self.discipline.of(queue),
            ack_filter: self.ack_filter,
            loss_ppm,
            loss_every: self.loss_every,
            bursts: self.bursts,
            duplicate_ppm: self.duplicate_ppm,
            jitter: self.jitter,
            aggregation: self.aggregation,
            shaper: self.shaper,
            policer: self.policer,
            expedited: self.expedited,
            changes: changes.into(),
        }
    }
}

impl DisciplineDraft {
    fn of(&self, queue: QueueLimit) -> Discipline {
        match *self {
            DisciplineDraft::DropTail => Discipline::DropTail,
            DisciplineDraft::CoDel(codel) => Discipline::CoDel(codel),
            DisciplineDraft::FqCoDel(fq_codel) => Discipline::FqCoDel(fq_codel),
            DisciplineDraft::Red {
                min,
                max,
                probability_ppm,
                weight_ppm,
                gentle,
            } => {
                let max = max.unwrap_or_else(|| part(queue, 4, 1));
                let min = min.unwrap_or_else(|| part(max, 3, 0));
                Discipline::Red(Red {
                    min,
                    max,
                    probability_ppm,
                    weight_ppm,
                    gentle,
                })
            }
        }
    }
}

/// That part of a queue, in its unit.
fn part(queue: QueueLimit, divisor: u32, least: u32) -> QueueLimit {
    let [wide_divisor, wide_least] = [divisor, least].map(u64::from);
    match queue {
        QueueLimit::Packets(packets) => QueueLimit::Packets((packets / divisor).max(least)),
        QueueLimit::Bytes(bytes) => QueueLimit::Bytes((bytes / wide_divisor).max(wide_least)),
        QueueLimit::BdpPpm(ppm) => QueueLimit::BdpPpm((ppm / wide_divisor).max(wide_least)),
    }
}
