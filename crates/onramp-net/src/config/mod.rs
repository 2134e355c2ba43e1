//! What a link consists of, as plain data.

mod error;

pub use error::ConfigError;

use crate::{CoDelConfig, FqCoDelConfig, Limit, RedConfig};
use std::num::{NonZeroU32, NonZeroU64};

/// One direction of a path. [`Config::plain`] has everything off that can be off.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Rate of the serialiser at the start; at most 10^18 bit/s.
    pub rate_bits_per_s: NonZeroU64,
    /// Propagation delay at the start.
    pub delay_ns: u64,
    /// What becomes of rate, delay and loss later, sorted by time.
    pub changes: Vec<Change>,
    /// Who waits, who is refused, who goes next.
    pub queue: QueueConfig,
    /// Holds packets back that have no tokens, as tc-tbf does.
    pub shaper: Option<TokenBucket>,
    /// Drops packets on arrival that have no tokens.
    pub policer: Option<TokenBucket>,
    /// The profile of each flow of [expedited](crate::Packet::expedited) packets: those that exceed
    /// their flow's are dropped, the others are served before all packets that are not expedited.
    /// At most 4096 flows have one at the same time; expedited packets of further ones are dropped.
    /// Its rate is at most the link's. `None`: the link knows no classes.
    pub expedited: Option<TokenBucket>,
    /// Packets that vanish before the queue.
    pub loss: LossConfig,
    /// Probability in millionths that a packet is delivered twice, at the same time.
    pub duplicate_ppm: u32,
    /// Delay that varies from packet to packet.
    pub jitter: Option<Jitter>,
    /// Packets that leave in bunches.
    pub aggregation: Option<Aggregation>,
    /// Of all random numbers of this link. Links of one simulation should differ in it.
    pub seed: u64,
}

impl Config {
    /// A rate, a delay and a drop-tail queue.
    pub fn plain(rate_bits_per_s: NonZeroU64, delay_ns: u64, limit: Limit) -> Config {
        Config {
            rate_bits_per_s,
            delay_ns,
            changes: Vec::new(),
            queue: QueueConfig::DropTail(limit),
            shaper: None,
            policer: None,
            expedited: None,
            loss: LossConfig::None,
            duplicate_ppm: 0,
            jitter: None,
            aggregation: None,
            seed: 0,
        }
    }
}

/// The link becomes another. A packet in service has its remaining bits sent at the new rate; one
/// whose serialisation has ended keeps the delay of that moment. Where the delay shrinks, later
/// packets wait for earlier ones, unless [`Jitter::reorder`] lets them overtake. A new loss is for
/// packets that are offered from then on: what is in the link goes on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// When.
    pub at_ns: u64,
    /// The new rate, if it changes.
    pub rate_bits_per_s: Option<NonZeroU64>,
    /// The new propagation delay, if it changes.
    pub delay_ns: Option<u64>,
    /// The probability in millionths with which packets are lost from now on, each independently of
    /// the others and in place of [`Config::loss`], if it changes.
    pub loss_ppm: Option<u32>,
}

/// The queue discipline.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueConfig {
    /// First come, first served, until the room is full.
    DropTail(Limit),
    /// Random early detection (Floyd & Jacobson 1993).
    Red(RedConfig),
    /// Controlled delay (RFC 8289).
    CoDel(CoDelConfig),
    /// A CoDel queue per flow, served in turn (RFC 8290).
    FqCoDel(FqCoDelConfig),
    /// Drop-tail, where waiting acknowledgements go that a later one makes superfluous.
    AckFilter(Limit),
}

/// A bucket of tokens that fills at a rate; it is full at the start. A packet takes as many tokens
/// as it has bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    /// At most 10^18 bit/s.
    pub rate_bits_per_s: NonZeroU64,
    /// Its size: 1 to 2^30 - 1. A packet larger than this never passes.
    pub burst_bytes: u32,
}

/// How packets get lost before the queue; probabilities per packet in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossConfig {
    /// They do not.
    None,
    /// Independently of each other.
    Bernoulli {
        /// Probability of a loss.
        ppm: u32,
    },
    /// Every so many packets one: the n-th, the 2 n-th and so on. Only packets of more than 80
    /// bytes count and are lost: those that carry data, not TCP segments that only open,
    /// acknowledge or close.
    Periodic {
        /// Packets from one loss to the next, the lost one included.
        every: NonZeroU32,
    },
    /// In bursts: a Markov chain of a good and a bad state, which starts in the good one.
    GilbertElliott {
        /// From good to bad.
        p_ppm: u32,
        /// From bad to good.
        r_ppm: u32,
        /// Probability of a loss in the good state.
        loss_good_ppm: u32,
        /// Probability of a loss in the bad state.
        loss_bad_ppm: u32,
    },
}

/// Extra delay, uniform in `[0, most_ns]` and drawn for each packet alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jitter {
    /// The most that it can be; like all times here at most 10^18 ns.
    pub most_ns: u64,
    /// A packet with little extra delay overtakes one with much; otherwise it waits for it.
    pub reorder: bool,
}

/// Packets at the end of the link are held and released together, as WiFi and LTE do with
/// acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregation {
    /// How long after the first held packet they are released. A packet that arrives in the
    /// nanosecond of the release belongs to the next bunch.
    pub interval_ns: u64,
    /// They are released as soon as so many are held.
    pub most_packets: NonZeroU32,
}
