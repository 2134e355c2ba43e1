//! The configuration of a link, as plain data.

mod check;
mod error;

pub use error::ConfigError;

use crate::{Framing, Limit, Opportunities, QueueConfig, Recorded, RecordedValues, TokenBucket};
use std::num::{NonZeroU32, NonZeroU64};
use std::sync::Arc;

/// The configuration of one direction of a path. [`Config::plain`] switches every optional element
/// off.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Rate of the serialiser at the start, 1 to 10^18 bit/s.
    pub rate_bits_per_s: NonZeroU64,
    /// The frames in which the link carries packets. A link that carries bytes at single moments
    /// has none.
    pub framing: Framing,
    /// Propagation delay at the start, at most 10^18 ns.
    pub delay_ns: u64,
    /// When the link carries bytes: at its rate all the time, or at single moments.
    pub service: Service,
    /// A rate that changes at random during the whole run.
    pub steps: Option<RateSteps>,
    /// Propagation delays in nanoseconds, instead of [`delay_ns`](Config::delay_ns) and of changes
    /// of it. The rules of a [`Change`] hold.
    pub recorded_delay: Option<Recorded>,
    /// Probabilities of a loss in parts per million, instead of [`loss`](Config::loss) and of
    /// changes of it. The rules of a [`Change`] hold.
    pub recorded_loss: Option<Recorded>,
    /// Later changes of rate, delay and loss, sorted by time.
    pub changes: Vec<Change>,
    /// The queue discipline and its limit.
    pub queue: QueueConfig,
    /// Delays packets that exceed this token bucket, as tc-tbf does.
    pub shaper: Option<TokenBucket>,
    /// Drops packets on arrival that exceed this token bucket.
    pub policer: Option<TokenBucket>,
    /// The profile of each flow of [expedited](crate::Packet::is_expedited) packets. An expedited
    /// packet that exceeds its flow's token bucket is dropped. The other expedited packets are
    /// served before all packets that are not expedited. At most 4096 flows have a token bucket at
    /// the same time; expedited packets of further flows are dropped. The rate is at most the rate
    /// of the link. `None`: all packets are in one class.
    pub expedited: Option<TokenBucket>,
    /// Random loss of packets before the queue.
    pub loss: LossConfig,
    /// Probability that a packet is delivered twice at the same time, in parts per million.
    pub duplicate_ppm: u32,
    /// Delay that varies from packet to packet.
    pub jitter: Option<Jitter>,
    /// ACK aggregation at the end of the link.
    pub aggregation: Option<Aggregation>,
    /// A timer at the end of the link that fires late after an idle time.
    pub late: Option<LateTimer>,
    /// The beginning of the run on the driver's clock. Recordings, delivery opportunities, rate
    /// steps and slots of aggregation count from it.
    pub begin_ns: u64,
    /// Seed of all random numbers of this link. Each link of a simulation should have its own seed.
    pub seed: u64,
}

impl Config {
    /// A link with a rate, a propagation delay in nanoseconds and a drop-tail queue.
    pub fn plain(rate_bits_per_s: NonZeroU64, delay_ns: u64, limit: Limit) -> Config {
        Config {
            rate_bits_per_s,
            framing: Framing::Packets,
            delay_ns,
            service: Service::Steady,
            steps: None,
            recorded_delay: None,
            recorded_loss: None,
            changes: Vec::new(),
            queue: QueueConfig::DropTail(limit),
            shaper: None,
            policer: None,
            expedited: None,
            loss: LossConfig::None,
            duplicate_ppm: 0,
            jitter: None,
            aggregation: None,
            late: None,
            begin_ns: 0,
            seed: 0,
        }
    }

    /// Whether anything here depends on the seed.
    pub fn is_random(&self) -> bool {
        let loses_at_random = |ppm: u32| ppm > 0 && ppm < 1_000_000;
        let loss = match self.loss {
            LossConfig::None | LossConfig::Periodic { .. } => false,
            LossConfig::Bernoulli { ppm } => loses_at_random(ppm),
            LossConfig::GilbertElliott { .. } => true,
        };
        let mut changes = self.changes.iter().filter_map(|change| change.loss_ppm);
        loss || self.recorded_loss.is_some()
            || changes.any(loses_at_random)
            || self.duplicate_ppm > 0
            || self.jitter.is_some_and(|jitter| jitter.max_ns > 0)
            || self
                .aggregation
                .is_some_and(|aggregation| aggregation.in_slots)
            || self.late.is_some()
            || self.steps.is_some()
            || self.service == Service::Poisson
            || matches!(
                self.queue,
                QueueConfig::Red(_) | QueueConfig::FqCoDel(_) | QueueConfig::DualPi2(_)
            )
    }
}

/// A change of the link at a given time.
///
/// The remaining bits of a packet in service are sent at the new rate. A packet whose serialisation
/// has ended keeps the old delay. After a decrease of the delay, later packets wait for earlier
/// ones, unless [`Jitter::reorder`] allows reordering. A new loss rate applies to packets that are
/// offered from then on; packets inside the link are not affected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Time of the change.
    pub at_ns: u64,
    /// New rate of the serialiser, if it changes.
    pub rate_bits_per_s: Option<NonZeroU64>,
    /// New propagation delay, if it changes.
    pub delay_ns: Option<u64>,
    /// New loss probability in parts per million, if it changes. From then on each packet is lost
    /// independently of the others. This replaces the process of [`Config::loss`].
    pub loss_ppm: Option<u32>,
}

/// The loss process before the queue. All probabilities are per packet, in parts per million.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossConfig {
    /// No loss.
    None,
    /// Each packet is lost independently of the others.
    Bernoulli {
        /// Probability of a loss.
        ppm: u32,
    },
    /// Every n-th data packet is lost: the n-th, the 2n-th and so on. Only packets of more than 80
    /// bytes are counted and lost. Smaller packets are TCP segments without data: SYN, ACK or FIN.
    Periodic {
        /// Number of data packets from one loss to the next, the lost packet included.
        every: NonZeroU32,
    },
    /// Losses in bursts: a Markov chain with a good and a bad state, which starts in the good
    /// state.
    GilbertElliott {
        /// Probability of a transition from the good to the bad state.
        p_ppm: u32,
        /// Probability of a transition from the bad to the good state.
        r_ppm: u32,
        /// Probability of a loss in the good state.
        loss_good_ppm: u32,
        /// Probability of a loss in the bad state.
        loss_bad_ppm: u32,
    },
}

/// Extra delay, drawn independently for each packet from the uniform distribution on `[0, max_ns]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jitter {
    /// Maximum extra delay, at most 10^18 ns.
    pub max_ns: u64,
    /// Whether a packet with a small extra delay overtakes an earlier packet with a large one.
    /// Without reordering it waits for the earlier packet.
    pub reorder: bool,
}

/// When a link carries bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Service {
    /// At all times, at the rate of the link.
    #[default]
    Steady,
    /// At the moments of a Poisson process, 1500 bytes at each. Their mean rate is the rate of the
    /// link. A moment at which nothing waits is lost.
    Poisson,
    /// At the moments of a recorded link, 1500 bytes at each. A moment at which nothing waits is
    /// lost. The rate of the link is not used.
    Trace {
        /// The moments, which repeat when they are used up.
        opportunities: Arc<Opportunities>,
        /// The time of the recording at which the run begins.
        offset_ns: u64,
    },
    /// At all times, at a recorded rate. The rate of the link is not used.
    Rates {
        /// The rates in bit/s, which repeat when they are used up. During a rate of 0 packets wait.
        rates: Arc<RecordedValues>,
        /// The time of the recording at which the run begins.
        offset_ns: u64,
    },
}

impl Service {
    /// Whether the link carries bytes at single moments.
    pub fn has_moments(&self) -> bool {
        matches!(self, Service::Poisson | Service::Trace { .. })
    }
}

/// A rate that takes another random value again and again. The rate of the link is its maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSteps {
    /// Time from one value to the next, 1 us to 10^18 ns.
    pub every_ns: u64,
    /// The minimum of the values, at most the rate of the link.
    pub min_bits_per_s: NonZeroU64,
    /// The maximum distance from one value to the next, as a share of the range of values, in parts
    /// per million. With a million each value is drawn independently of the one before.
    pub move_ppm: u32,
    /// Pauses in which the link carries nothing, and packets wait.
    pub outages: Option<Outages>,
}

/// Pauses of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outages {
    /// Length of each.
    pub length_ns: u64,
    /// Probability, at each step of the rate, that one begins, in parts per million.
    pub begin_ppm: u32,
}

/// A timer that fires late after an idle time, as that of a sleeping link thread or interface.
/// Packets that are due in the meantime leave with the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateTimer {
    /// Maximum lateness. It is drawn from the uniform distribution on `[0, max_ns]`.
    pub max_ns: u64,
    /// The timer is late where no packet has left for longer than this.
    pub idle_ns: u64,
}

/// ACK aggregation: packets are held at the end of the link and released together, as WiFi and LTE
/// do with ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregation {
    /// Time from the first held packet to the release of all held packets, at most 10^18 ns. A
    /// packet that arrives exactly at the release belongs to the next aggregate.
    pub interval_ns: u64,
    /// Packets are released at multiples of the interval instead, from a random moment of the first
    /// interval on.
    pub in_slots: bool,
    /// Time from one packet of an aggregate to the next at the release: they leave one after the
    /// other, at the rate of a medium or of a host. At most 10^18 ns.
    pub gap_ns: u64,
    /// Held packets are released at once when there are this many.
    pub max_packets: NonZeroU32,
}
