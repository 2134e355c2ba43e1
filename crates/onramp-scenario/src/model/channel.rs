//! One direction of a link: what happens to a packet on its way.

pub use onramp_net::Jitter;
use std::num::NonZeroU32;
use std::sync::Arc;

/// One direction of a link. What is absent does nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Serialisation rate, of IP packets.
    pub rate_bits_per_s: u64,
    /// One-way propagation delay.
    pub delay_ns: u64,
    /// Room of the queue before the serialiser.
    pub queue: QueueLimit,
    /// How that queue is kept.
    pub discipline: Discipline,
    /// Waiting acknowledgements go that a later one makes superfluous; with
    /// [`Discipline::DropTail`] alone.
    pub ack_filter: bool,
    /// Probability that a packet is lost at random, in millionths; 0 where losses are otherwise.
    pub loss_ppm: u32,
    /// Every so many packets that carry data one is lost, in place of
    /// [`loss_ppm`](Channel::loss_ppm).
    pub loss_every: Option<NonZeroU32>,
    /// Losses that come in bursts.
    pub bursts: Option<Bursts>,
    /// Probability that a packet arrives twice, in millionths.
    pub duplicate_ppm: u32,
    /// Delay that varies from packet to packet.
    pub jitter: Option<Jitter>,
    /// Packets that arrive together, as over a wireless network.
    pub aggregation: Option<Aggregation>,
    /// Holds packets back to a rate.
    pub shaper: Option<TokenBucket>,
    /// Drops packets beyond a rate.
    pub policer: Option<TokenBucket>,
    /// What each flow of expedited packets is guaranteed, and may not exceed.
    pub expedited: Option<TokenBucket>,
    /// Other rates, delays and losses from some time on, in order of time.
    pub changes: Arc<[ChannelChange]>,
}

impl Channel {
    /// The token buckets that all packets pass, and those that so many expedited flows pass beside
    /// each other, as one.
    pub fn buckets(&self, expedited_flows: u32) -> impl Iterator<Item = TokenBucket> {
        let profiles = self
            .expedited
            .filter(|_| expedited_flows > 0)
            .map(|profile| TokenBucket {
                rate_bits_per_s: profile
                    .rate_bits_per_s
                    .saturating_mul(expedited_flows.into()),
                burst_bytes: profile.burst_bytes.saturating_mul(expedited_flows.into()),
            });
        [self.shaper, self.policer, profiles].into_iter().flatten()
    }

    /// What it carries for as long as one likes, at the start, of best effort (0) or of so many
    /// expedited flows: the least of its rate and of the rates of shaper, policer and profiles,
    /// whose bursts end.
    pub fn capacity_bits_per_s(&self, expedited_flows: u32) -> u64 {
        let buckets = self.buckets(expedited_flows);
        buckets
            .map(|bucket| bucket.rate_bits_per_s)
            .fold(self.rate_bits_per_s, u64::min)
    }
}

/// The room of a queue, in the unit in which the scenario gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// So many packets, whatever their size.
    Packets(u32),
    /// So many bytes of IP packets.
    Bytes(u64),
    /// A share of rate x round-trip time, in millionths.
    BdpPpm(u64),
}

impl QueueLimit {
    /// Room in bytes on a channel of this rate and round-trip time; `None` where the limit counts
    /// packets.
    pub fn bytes(self, rate_bits_per_s: u64, rtt_ns: u64) -> Option<u64> {
        match self {
            QueueLimit::Packets(_) => None,
            QueueLimit::Bytes(bytes) => Some(bytes),
            QueueLimit::BdpPpm(ppm) => {
                let bytes =
                    u128::from(bytes_in(rate_bits_per_s, rtt_ns)) * u128::from(ppm) / 1_000_000;
                Some(u64::try_from(bytes).unwrap_or(u64::MAX))
            }
        }
    }
}

/// Bytes that a rate carries in a time, rounded down.
pub fn bytes_in(rate_bits_per_s: u64, time_ns: u64) -> u64 {
    u64::try_from(u128::from(rate_bits_per_s) * u128::from(time_ns) / 8_000_000_000)
        .unwrap_or(u64::MAX)
}

/// How a queue is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// What finds no room is dropped.
    DropTail,
    /// Random early detection.
    Red(Red),
    /// Controlled delay (RFC 8289).
    CoDel(CoDel),
    /// Fair queueing of flows, each with controlled delay (RFC 8290).
    FqCoDel(FqCoDel),
}

impl Discipline {
    /// The name that scenario files use.
    pub fn name(self) -> &'static str {
        match self {
            Discipline::DropTail => "drop-tail",
            Discipline::Red(_) => "red",
            Discipline::CoDel(_) => "codel",
            Discipline::FqCoDel(_) => "fq-codel",
        }
    }
}

/// Random early detection (Floyd and Jacobson 1993). Both thresholds count what the queue's limit
/// counts, packets or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Red {
    /// Average queue below which nothing is dropped.
    pub min: QueueLimit,
    /// Average queue at which the probability reaches its maximum.
    pub max: QueueLimit,
    /// Probability of a drop at the upper threshold, in millionths.
    pub probability_ppm: u32,
    /// Weight of a new sample in the average, in millionths.
    pub weight_ppm: u32,
    /// Above the upper threshold the probability rises on to one at twice that threshold, instead
    /// of at once.
    pub gentle: bool,
}

/// Controlled delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDel {
    /// Delay that a standing queue may have.
    pub target_ns: u64,
    /// Time for which a queue may be longer.
    pub interval_ns: u64,
    /// Bytes that may always wait: one packet.
    pub mtu_bytes: u32,
}

/// Fair queueing with controlled delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCoDel {
    /// Of each flow's queue.
    pub codel: CoDel,
    /// Bytes that a flow may send before it is the next one's turn.
    pub quantum_bytes: u32,
}

/// Losses of a channel that is now good, now bad (Gilbert 1960, Elliott 1963). Probabilities are
/// per packet, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// Good becomes bad.
    pub enter_ppm: u32,
    /// Bad becomes good.
    pub leave_ppm: u32,
    /// A loss while it is good.
    pub loss_good_ppm: u32,
    /// A loss while it is bad.
    pub loss_bad_ppm: u32,
}

impl Bursts {
    /// Share of packets lost in the long run, in millionths.
    pub fn mean_loss_ppm(&self) -> u32 {
        let [enter, leave] = [self.enter_ppm, self.leave_ppm].map(u64::from);
        let lost = leave * u64::from(self.loss_good_ppm) + enter * u64::from(self.loss_bad_ppm);
        // A channel that never changes stays as it begins: good.
        lost.checked_div(enter + leave)
            .map_or(self.loss_good_ppm, |ppm| ppm as u32)
    }
}

/// Packets are held and handed over together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregation {
    /// From one handing over to the next.
    pub interval_ns: u64,
    /// At most so many at a time.
    pub most_packets: u32,
}

/// Tokens of one byte that come at a rate and are kept up to a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    /// How fast tokens come.
    pub rate_bits_per_s: u64,
    /// How many are kept.
    pub burst_bytes: u64,
}

/// From a time on the channel has another rate, delay or loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelChange {
    /// When, since the beginning of the run.
    pub at_ns: u64,
    /// The new rate, if it changes.
    pub rate_bits_per_s: Option<u64>,
    /// The new delay, if it changes.
    pub delay_ns: Option<u64>,
    /// The new probability of a loss, in millionths, if it changes: of each packet alone, and in
    /// place of bursts and periodic losses too. 1,000,000 is an outage.
    pub loss_ppm: Option<u32>,
}

impl ChannelChange {
    pub(crate) fn changes_something(&self) -> bool {
        self.rate_bits_per_s.is_some() || self.delay_ns.is_some() || self.loss_ppm.is_some()
    }
}
