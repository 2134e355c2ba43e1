//! DualPI2, the dual queue of L4S: RFC 9332 (De Schepper, Briscoe, White 2023), appendix A; Linux's
//! `sch_dualpi2`, which has the same authors.
//!
//! Low latency needs a sender that responds to frequent marks a little (Prague, DCTCP). Beside a
//! classic sender, which halves cwnd, such a sender would take everything. So there are two queues,
//! and one controller for both:
//!
//! ```text
//!                     .------------- L queue -------- marks: sojourn > step, or with k p'
//!   ECT(1) or CE ----'                                                    \
//!   others ------.                                        weighted round   >--- link
//!                 '----------------- C queue ------------ robin           /
//!                                    |                drops or marks with p'^2
//!                     PI controller: p' from the queueing delay
//! ```
//!
//! The controller holds the C queue at `target`. Every `update` it adds to the base probability p'
//! what the delay differs from the target, and what it has grown (section 2.5.1):
//!
//! ```text
//!   p' <- p' + alpha (delay - target) + beta (delay - delay before)      delay: the longer queue's
//! ```
//!
//! The rate of a classic flow is proportional to 1 / sqrt(p), that of a scalable one to 1 / p. So a
//! classic packet is dropped with p'^2 and an L4S packet marked with k p'. With k = 2 both kinds of
//! flow have about the same rate at the same RTT (section 2.1).
//!
//! *Scheduler.* The L queue is served first, but while both have packets the C queue gets its share
//! of a tenth at least, by a credit in weighted bytes (Linux; section 4.2.2 names weighted round
//! robin). A full L queue thus cannot starve the C queue.
//!
//! *Overload* is p' > 1 / k: not even marking every L4S packet suffices. Then packets of the L
//! queue are dropped with p'^2 like those of the C queue, and all others of it are marked. Classic
//! packets are dropped even with ECN (section 4.2.3, "drop on overload").
//!
//! Nothing is dropped or marked by probability while less than two packets of the largest size
//! wait.
//!
//! Constants: alpha = 0.16 Hz and beta = 3.2 Hz are stable up to an RTT of 100 ms (section A.1),
//! and are counted in 1/256 Hz as in Linux. Probabilities have 32 fractional bits.
//!
//! Differences from Linux: the limit counts packets or bytes and no memory. There are no
//! classifiers but the ECN field. The controller runs at multiples of `update`, which a call of the
//! queue makes up for. This gives the same probability, because no delay changes between calls.

use super::discipline::{Discipline, Evicted};
use super::limit::Limit;
use super::timestamped::TimestampedFifo;
use crate::random::{stream, Element};
use crate::{Count, Packet, Verdict};
use rand_core::Rng;
use rand_pcg::Pcg32;

/// The configuration of a DualPI2 queue. The defaults are those of the RFC and of Linux.
#[derive(Clone, Debug, PartialEq)]
pub struct DualPi2Config {
    /// Limit of both queues together.
    pub limit: Limit,
    /// Delay at which the controller holds the classic queue.
    pub target_ns: u64,
    /// Interval of the controller, 1 to 2^32 - 1 ns.
    pub update_ns: u64,
    /// Integral gain in 1/256 Hz, at most 2^31 - 1.
    pub alpha: u32,
    /// Proportional gain in 1/256 Hz, at most 2^31 - 1.
    pub beta: u32,
    /// The coupling factor k, 1 to 255.
    pub coupling: u32,
    /// An L4S packet that has waited longer is marked.
    pub step_ns: u64,
    /// Share of the link that the classic queue gets while both queues have packets, in percent; at
    /// most 100.
    pub classic_percent: u32,
    /// Size of the largest packet, 1 to 2^30 - 1.
    pub mtu_bytes: u32,
}

impl Default for DualPi2Config {
    fn default() -> DualPi2Config {
        DualPi2Config {
            limit: Limit::Packets(10_000),
            target_ns: 15_000_000,
            update_ns: 16_000_000,
            alpha: 41,
            beta: 819,
            coupling: 2,
            step_ns: 1_000_000,
            classic_percent: 10,
            mtu_bytes: 1500,
        }
    }
}

/// Probability one.
const ONE: u64 = 1 << 32;

#[derive(Clone, Debug)]
pub(crate) struct DualPi2<P> {
    config: DualPi2Config,
    low_latency: TimestampedFifo<P>,
    classic: TimestampedFifo<P>,
    controller: Controller,
    /// Above zero it is the classic queue's turn: bytes that L4S packets were served while classic
    /// packets waited, times the classic share, less the reverse.
    credit: i64,
    random: Pcg32,
}

/// The PI controller.
#[derive(Clone, Copy, Debug)]
struct Controller {
    /// p', times 2^32.
    probability: u64,
    last_delay_ns: u64,
    next_update_ns: u64,
}

impl Controller {
    /// The update at `next_update_ns`, where the longer delay is this.
    fn update(&mut self, config: &DualPi2Config, delay_ns: u64) {
        let gain = |delay_ns: u64, reference_ns: u64, gain: u32| {
            (i128::from(delay_ns) - i128::from(reference_ns)) * i128::from(gain)
        };
        let change = gain(delay_ns, config.target_ns, config.alpha)
            + gain(delay_ns, self.last_delay_ns, config.beta);
        // From ns * Hz / 256 to 2^-32.
        let change = change * i128::from(ONE) / (256 * 1_000_000_000);
        let probability = i128::from(self.probability) + change;
        self.probability = probability.clamp(0, ONE.into()) as u64;
        self.last_delay_ns = delay_ns;
        self.next_update_ns += config.update_ns;
    }

    /// Is the update of an idle queue without effect?
    fn is_settled(&self) -> bool {
        self.probability == 0 && self.last_delay_ns == 0
    }
}

impl<P: Packet> DualPi2<P> {
    pub fn new(config: &DualPi2Config, seed: u64) -> DualPi2<P> {
        let mut queue = DualPi2 {
            low_latency: TimestampedFifo::new(),
            classic: TimestampedFifo::new(),
            controller: Controller {
                probability: 0,
                last_delay_ns: 0,
                next_update_ns: config.update_ns,
            },
            credit: 0,
            random: stream(seed, Element::Queue),
            config: config.clone(),
        };
        queue.reset_credit();
        queue
    }

    /// The L queue begins, unless its share is the smaller one.
    fn reset_credit(&mut self) {
        let classic = i64::from(self.config.classic_percent);
        self.credit = i64::from(self.config.mtu_bytes) * (2 * classic - 100);
    }

    /// Runs the updates of the controller until now. The queues have not changed since the last
    /// call.
    fn update_until(&mut self, now_ns: u64) {
        let heads = [self.low_latency.head_ns(), self.classic.head_ns()];
        while self.controller.next_update_ns <= now_ns {
            if heads == [None, None] && self.controller.is_settled() {
                let pause_ns = now_ns - self.controller.next_update_ns;
                let updates = pause_ns / self.config.update_ns + 1;
                self.controller.next_update_ns += updates * self.config.update_ns;
                return;
            }
            let at_ns = self.controller.next_update_ns;
            let delays = heads.iter().flatten().map(|&head_ns| at_ns - head_ns);
            self.controller
                .update(&self.config, delays.max().unwrap_or(0));
        }
    }

    /// Is it the turn of the L queue? `None`: both are empty.
    fn low_latency_is_next(&self) -> Option<bool> {
        let is_waiting = |queue: &TimestampedFifo<P>| queue.waiting().packets > 0;
        match (is_waiting(&self.low_latency), is_waiting(&self.classic)) {
            (false, false) => None,
            (true, true) => Some(self.credit <= 0),
            (is_next, _) => Some(is_next),
        }
    }

    /// Counts a packet that is served while the other queue waits.
    fn charge(&mut self, is_low_latency: bool, wire_bytes: u32) {
        let classic = i64::from(self.config.classic_percent);
        let (other, change) = match is_low_latency {
            true => (&self.classic, classic),
            false => (&self.low_latency, classic - 100),
        };
        if other.waiting().packets > 0 {
            self.credit += change * i64::from(wire_bytes);
        }
    }

    /// True with this probability, times 2^32.
    fn happens(&mut self, probability: u64) -> bool {
        u64::from(self.random.next_u32()) < probability
    }

    /// What happens to a packet that has left its queue after this time.
    fn fate(&mut self, is_low_latency: bool, sojourn_ns: u64) -> Fate {
        let exceeds_step = is_low_latency && sojourn_ns > self.config.step_ns;
        let base = self.controller.probability;
        let coupled = base * u64::from(self.config.coupling);
        let is_overloaded = coupled > ONE;
        let is_short = self.waiting().bytes < 2 * u64::from(self.config.mtu_bytes);
        let is_hit = match (is_short, is_low_latency && !is_overloaded) {
            (true, _) => false,
            (false, true) => self.happens(coupled),
            // p'^2: two draws, of which both must hit.
            (false, false) => self.happens(base) && self.happens(base),
        };
        match (is_low_latency, is_overloaded && !is_short) {
            (_, true) if is_hit => Fate::Dropped,
            (true, true) => Fate::Marked,
            (true, false) if is_hit || exceeds_step => Fate::Marked,
            (false, false) if is_hit => Fate::MarkedOrDropped,
            _ => Fate::Unchanged,
        }
    }
}

/// What happens to a packet at the head of its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Unchanged,
    Marked,
    /// Marked if it is capable of ECN, otherwise dropped.
    MarkedOrDropped,
    Dropped,
}

impl<P: Packet> Discipline<P> for DualPi2<P> {
    #[inline(never)]
    fn enqueue(&mut self, now_ns: u64, packet: P, _evicted: &mut Evicted<P>) -> Verdict {
        self.update_until(now_ns);
        let has_room = self
            .config
            .limit
            .admits(self.waiting(), packet.wire_bytes());
        if !has_room {
            return Verdict::DroppedFull;
        }
        match packet.is_l4s() {
            true => self.low_latency.push(now_ns, packet),
            false => self.classic.push(now_ns, packet),
        }
        Verdict::Queued
    }

    #[inline(never)]
    fn dequeue(&mut self, now_ns: u64, evicted: &mut Evicted<P>) -> Option<P> {
        self.update_until(now_ns);
        while let Some(is_low_latency) = self.low_latency_is_next() {
            let queue = match is_low_latency {
                true => &mut self.low_latency,
                false => &mut self.classic,
            };
            let (enqueued_ns, mut packet) = queue.pop()?;
            let is_dropped = match self.fate(is_low_latency, now_ns - enqueued_ns) {
                Fate::Unchanged => false,
                Fate::Marked | Fate::MarkedOrDropped => !evicted.marks(true, &mut packet),
                Fate::Dropped => true,
            };
            if is_dropped {
                evicted.push(packet);
                continue;
            }
            self.charge(is_low_latency, packet.wire_bytes());
            return Some(packet);
        }
        self.reset_credit();
        None
    }

    fn pass(&mut self, now_ns: u64, packet: P, _evicted: &mut Evicted<P>) -> Result<P, Verdict> {
        self.update_until(now_ns);
        Ok(packet)
    }

    /// Reserves nothing: the distribution of packets over the two queues is unknown.
    fn reserve(&mut self, _packets: usize) {}

    fn waiting(&self) -> Count {
        let (low_latency, classic) = (self.low_latency.waiting(), self.classic.waiting());
        Count {
            packets: low_latency.packets + classic.packets,
            bytes: low_latency.bytes + classic.bytes,
        }
    }
}

#[cfg(test)]
mod tests;
