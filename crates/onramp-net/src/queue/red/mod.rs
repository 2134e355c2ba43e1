//! RED, random early detection: Floyd & Jacobson, "Random Early Detection Gateways for Congestion
//! Avoidance", IEEE/ACM Transactions on Networking 1(4), 1993.
//!
//! Section 4: each arrival updates the average queue length. Between two thresholds, the packet is
//! dropped with a probability that rises with the average and with the number of packets accepted
//! since the last drop:
//!
//! ```text
//!   avg <- avg + w (q - avg)        after an idle time of m packets: avg <- (1 - w)^m avg
//!   p_b <- max_p (avg - min) / (max - min)
//!   p_a <- p_b / (1 - count p_b)    drops are spaced uniformly (section 7)
//! ```
//!
//! Averages are fixed-point numbers with 24 fractional bits, probabilities have 32. The weight w is
//! a power of two, as in section 11.
//!
//! NOTE: For a queue measured in bytes, the paper scales p_b by the packet's size. This
//! implementation does not: RFC 7141 (section 2.2) advises against it, and tc-red does not either.
//!
//! With ECN (RFC 3168), a packet of a connection that understands marks is marked where another one
//! would be dropped. Where the probability is one, marks no longer help, and such packets are
//! dropped too (RFC 7567, section 4.2.1; tc-red's `harddrop`). This does not hold for equal
//! thresholds, the step that DCTCP needs: the probability is one above the step, and marks above it
//! are all that the sender expects. With a weight of one, the average is the queue that an arriving
//! packet finds (RFC 8257, section 4.1; Alizadeh et al. 2010, section 3.1).

use super::discipline::{Discipline, Evicted};
use super::limit::Limit;
use crate::random::{probability, stream, Element};
use crate::serialiser::{Instant, Serialiser};
use crate::{Count, Framing, Packet, Verdict};
use rand_core::Rng;
use rand_pcg::Pcg32;
use std::collections::VecDeque;
use std::num::NonZeroU64;

/// The configuration of a RED queue. The defaults are those of the paper's simulations (section 5
/// and figure 3). The paper does not state a limit; the default limit is 100 packets.
#[derive(Clone, Debug, PartialEq)]
pub struct RedConfig {
    /// Limit of the queue. Its unit, packets or bytes, is also the unit of the average and the
    /// thresholds.
    pub limit: Limit,
    /// Below this average no packet is dropped early.
    pub min_threshold: u64,
    /// At this average and above every packet is dropped, unless `gentle`. 1 to 2^32 - 1. Equal
    /// thresholds are a step, without a probability between them.
    pub max_threshold: u64,
    /// Drop probability at `max_threshold`, in parts per million.
    pub max_p_ppm: u32,
    /// The weight w of the average is 2^-`weight_shift`; at most 24.
    pub weight_shift: u32,
    /// Whether the drop probability rises from `max_p` to 1 between `max_threshold` and twice
    /// `max_threshold`, instead of jumping to 1 (Floyd, "Recommendation on using the gentle_
    /// variant of RED", 2000).
    pub gentle: bool,
    /// Size of a typical packet. Idle times are counted in units of its serialisation time at the
    /// link's initial rate.
    pub mean_packet_bytes: u32,
    /// Whether packets that are [capable](crate::Packet::is_ecn_capable) of ECN are marked instead
    /// of dropped, while the probability of a drop is below one or the thresholds are equal.
    pub ecn: bool,
}

impl Default for RedConfig {
    fn default() -> RedConfig {
        RedConfig {
            limit: Limit::Packets(100),
            min_threshold: 5,
            max_threshold: 15,
            max_p_ppm: 20_000,
            weight_shift: 9,
            gentle: false,
            mean_packet_bytes: 1000,
            ecn: false,
        }
    }
}

const AVERAGE_BITS: u32 = 24;
const ONE: u64 = 1 << 32;

#[derive(Clone, Debug)]
pub(crate) struct Red<P> {
    config: RedConfig,
    max_p: u64,
    idle_packet_ns: u64,
    /// Average queue length, times 2^24.
    average: u64,
    /// Start of the link's idle period, if it is idle: the paper's q_time.
    idle_since_ns: Option<u64>,
    /// Packets accepted since the last drop while the average was above the lower threshold.
    since_drop: Option<u64>,
    random: Pcg32,
    bytes: u64,
    packets: VecDeque<P>,
}

impl<P: Packet> Red<P> {
    pub fn new(
        config: &RedConfig,
        rate_bits_per_s: NonZeroU64,
        framing: Framing,
        seed: u64,
    ) -> Red<P> {
        let packet =
            Serialiser::new(rate_bits_per_s, framing).end(Instant::at(0), config.mean_packet_bytes);
        Red {
            max_p: probability(config.max_p_ppm),
            idle_packet_ns: packet.ns.max(1),
            average: 0,
            idle_since_ns: Some(0),
            since_drop: None,
            random: stream(seed, Element::Queue),
            bytes: 0,
            packets: VecDeque::new(),
            config: config.clone(),
        }
    }

    fn update_average(&mut self, now_ns: u64) {
        let shift = self.config.weight_shift;
        if shift == 0 && self.idle_since_ns.is_some() {
            self.average = 0;
            return;
        }
        if let Some(since_ns) = &mut self.idle_since_ns {
            let packets = (now_ns - *since_ns) / self.idle_packet_ns;
            *since_ns += packets * self.idle_packet_ns;
            let kept = power(ONE - (ONE >> shift), packets);
            self.average = ((u128::from(self.average) * u128::from(kept)) >> 32) as u64;
            return;
        }
        let queue = match self.config.limit {
            Limit::Packets(_) => self.packets.len() as u64,
            Limit::Bytes(_) => self.bytes,
        };
        let difference = (queue << AVERAGE_BITS) as i64 - self.average as i64;
        self.average = self.average.wrapping_add_signed(difference >> shift);
    }

    /// Are the thresholds equal? Then the probability is zero below and one above.
    fn is_step(&self) -> bool {
        self.config.min_threshold == self.config.max_threshold
    }

    /// The paper's p_b, times 2^32. `None` below the lower threshold, where packets are not
    /// counted.
    fn p_b(&self) -> Option<u64> {
        let [min, max] = [self.config.min_threshold, self.config.max_threshold]
            .map(|in_units| in_units << AVERAGE_BITS);
        let slope = |rise: u64, above: u64, width: u64| {
            (u128::from(rise) * u128::from(above) / u128::from(width)) as u64
        };
        match self.average {
            average if average < min => None,
            average if average < max => Some(slope(self.max_p, average - min, max - min)),
            average if self.config.gentle && !self.is_step() && average < 2 * max => {
                Some(self.max_p + slope(ONE - self.max_p, average - max, max))
            }
            _ => Some(ONE),
        }
    }

    /// Whether to drop the packet that arrives now: figure 2 of the paper. With ECN it may be
    /// marked instead, unless it finds no room.
    fn drops_early(&mut self, packet: &mut P, has_room: bool, evicted: &mut Evicted<P>) -> bool {
        let Some(p_b) = self.p_b() else {
            self.since_drop = None;
            return false;
        };
        let count = self.since_drop.map_or(0, |count| count + 1);
        // Drop if r / 2^32 < p_b / (1 - count p_b), with a uniform 32-bit r.
        let rest = ONE.saturating_sub(count.saturating_mul(p_b));
        let drops = p_b >= rest || u64::from(self.random.next_u32()) * rest < p_b << 32;
        self.since_drop = Some(if drops { 0 } else { count });
        let may_mark = self.config.ecn && has_room && (p_b < ONE || self.is_step());
        drops && !evicted.marks(may_mark, packet)
    }
}

/// Raises a fixed-point number with 32 fractional bits, at most 1, to an integer power.
fn power(mut base: u64, mut exponent: u64) -> u64 {
    let times = |a: u64, b: u64| ((u128::from(a) * u128::from(b)) >> 32) as u64;
    let mut result = ONE;
    while exponent > 0 && result > 0 {
        if exponent & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    result
}

impl<P: Packet> Discipline<P> for Red<P> {
    #[inline(never)]
    fn enqueue(&mut self, now_ns: u64, mut packet: P, evicted: &mut Evicted<P>) -> Verdict {
        self.update_average(now_ns);
        let bytes = packet.wire_bytes();
        let has_room = self.config.limit.admits(self.waiting(), bytes);
        if self.drops_early(&mut packet, has_room, evicted) {
            return Verdict::DroppedEarly;
        }
        if !has_room {
            self.since_drop = self.since_drop.map(|_| 0);
            return Verdict::DroppedFull;
        }
        // The link is not idle. Expedited packets may keep it busy while this queue is empty.
        self.idle_since_ns = None;
        self.bytes += u64::from(bytes);
        self.packets.push_back(packet);
        Verdict::Queued
    }

    #[inline(never)]
    fn dequeue(&mut self, now_ns: u64, _evicted: &mut Evicted<P>) -> Option<P> {
        let Some(packet) = self.packets.pop_front() else {
            self.idle_since_ns = Some(now_ns);
            return None;
        };
        self.bytes -= u64::from(packet.wire_bytes());
        Some(packet)
    }

    #[inline(never)]
    fn pass(&mut self, now_ns: u64, mut packet: P, evicted: &mut Evicted<P>) -> Result<P, Verdict> {
        self.update_average(now_ns);
        if self.drops_early(&mut packet, true, evicted) {
            return Err(Verdict::DroppedEarly);
        }
        self.idle_since_ns = None;
        Ok(packet)
    }

    fn reserve(&mut self, packets: usize) {
        self.packets.reserve(self.config.limit.packets_of(packets));
    }

    fn waiting(&self) -> Count {
        Count {
            packets: self.packets.len() as u64,
            bytes: self.bytes,
        }
    }
}

#[cfg(test)]
mod tests;
