//! CoDel, controlled delay: RFC 8289 (Nichols, Jacobson, McGregor, Iyengar 2018).
//!
//! A good queue drains within an interval; a bad queue persists. CoDel therefore measures the
//! sojourn time of each packet when it leaves. Once the sojourn time has been at or above `target`
//! for a whole `interval`, CoDel drops the packet at the head. It continues to drop, the n-th
//! packet `interval / sqrt(n)` after the one before. The rate of a TCP flow is proportional to one
//! over the square root of its loss rate, so the load falls linearly with time. Dropping ends with
//! the first packet whose sojourn time is below `target`. If dropping starts again soon after, it
//! starts at about the frequency at which it ended.
//!
//! The names are those of the pseudocode in section 5. With ECN, a packet of a connection that
//! understands marks is marked where another one would be dropped, and is delivered. The RFC leaves
//! this open; it is done as in Linux (codel_impl.h): a mark counts as a drop, and ends this turn.

use super::discipline::{Discipline, Evicted};
use super::limit::Limit;
use super::timestamped::TimestampedFifo;
use crate::{Count, Packet, Verdict};

/// The configuration of a CoDel queue. The defaults are those of RFC 8289.
#[derive(Clone, Debug, PartialEq)]
pub struct CoDelConfig {
    /// Acceptable minimum sojourn time.
    pub target_ns: u64,
    /// About the maximum round-trip time, 1 to 2^32 - 1 ns.
    pub interval_ns: u64,
    /// A packet is not dropped while at most this many bytes wait behind it.
    pub mtu_bytes: u32,
    /// Limit of the queue. The RFC names none; the default of Linux is 1000 packets.
    pub limit: Limit,
    /// Whether packets that are [capable](crate::Packet::is_ecn_capable) of ECN are marked instead
    /// of dropped. A full queue still drops them.
    pub ecn: bool,
}

impl Default for CoDelConfig {
    fn default() -> CoDelConfig {
        CoDelConfig {
            target_ns: 5_000_000,
            interval_ns: 100_000_000,
            mtu_bytes: 1500,
            limit: Limit::Packets(1000),
            ecn: false,
        }
    }
}

impl CoDelConfig {
    /// Section 5, `control_law`: time of the next drop, `interval / sqrt(count)` after `t_ns`,
    /// rounded down.
    fn control_law(&self, t_ns: u64, count: u32) -> u64 {
        t_ns + (self.interval_ns * self.interval_ns / u64::from(count)).isqrt()
    }
}

/// The state of one CoDel instance.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Control {
    /// Time at which the sojourn time will have been above target for an interval, if it is above
    /// now.
    first_above_ns: Option<u64>,
    drop_next_ns: u64,
    /// Number of packets dropped since dropping started.
    count: u32,
    /// Value of `count` when dropping started.
    last_count: u32,
    dropping: bool,
}

impl Control {
    /// Drops or marks the packets that are due, and removes the next packet: section 5, `deque`.
    pub fn dequeue<P: Packet>(
        &mut self,
        config: &CoDelConfig,
        now_ns: u64,
        queue: &mut TimestampedFifo<P>,
        evicted: &mut Evicted<P>,
    ) -> Option<P> {
        let (mut packet, mut ok_to_drop) = self.do_dequeue(config, now_ns, queue);
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now_ns >= self.drop_next_ns {
                self.count += 1;
                if evicted.marks(config.ecn, packet.as_mut()?) {
                    self.drop_next_ns = config.control_law(self.drop_next_ns, self.count);
                    return packet;
                }
                evicted.push(packet?);
                (packet, ok_to_drop) = self.do_dequeue(config, now_ns, queue);
                match ok_to_drop {
                    true => self.drop_next_ns = config.control_law(self.drop_next_ns, self.count),
                    false => self.dropping = false,
                }
            }
        } else if ok_to_drop {
            if !evicted.marks(config.ecn, packet.as_mut()?) {
                evicted.push(packet?);
                (packet, _) = self.do_dequeue(config, now_ns, queue);
            }
            self.dropping = true;
            let delta = self.count - self.last_count;
            let recently = now_ns.saturating_sub(self.drop_next_ns) < 16 * config.interval_ns;
            self.count = if delta > 1 && recently { delta } else { 1 };
            self.drop_next_ns = config.control_law(now_ns, self.count);
            self.last_count = self.count;
        }
        packet
    }

    /// The packet at the head, and whether it may be dropped: section 5, `dodequeue`.
    fn do_dequeue<P: Packet>(
        &mut self,
        config: &CoDelConfig,
        now_ns: u64,
        queue: &mut TimestampedFifo<P>,
    ) -> (Option<P>, bool) {
        let Some((enqueued_ns, packet)) = queue.pop() else {
            self.first_above_ns = None;
            return (None, false);
        };
        let below = now_ns - enqueued_ns < config.target_ns
            || queue.waiting().bytes <= u64::from(config.mtu_bytes);
        let ok_to_drop = !below
            && self
                .first_above_ns
                .is_some_and(|first_above_ns| now_ns >= first_above_ns);
        self.first_above_ns = match below {
            true => None,
            false => self.first_above_ns.or(Some(now_ns + config.interval_ns)),
        };
        (Some(packet), ok_to_drop)
    }
}

/// One queue with one CoDel instance.
///
/// A packet that finds the serialiser idle has a sojourn time of zero. It need not be reported to
/// the CoDel state: the `dequeue` that found the queue empty before has already reset it.
#[derive(Clone, Debug)]
pub(crate) struct CoDel<P> {
    config: CoDelConfig,
    control: Control,
    queue: TimestampedFifo<P>,
}

impl<P: Packet> CoDel<P> {
    pub fn new(config: &CoDelConfig) -> CoDel<P> {
        CoDel {
            config: config.clone(),
            control: Control::default(),
            queue: TimestampedFifo::new(),
        }
    }
}

impl<P: Packet> Discipline<P> for CoDel<P> {
    #[inline(never)]
    fn enqueue(&mut self, now_ns: u64, packet: P, _evicted: &mut Evicted<P>) -> Verdict {
        if !self
            .config
            .limit
            .admits(self.waiting(), packet.wire_bytes())
        {
            return Verdict::DroppedFull;
        }
        self.queue.push(now_ns, packet);
        Verdict::Queued
    }

    #[inline(never)]
    fn dequeue(&mut self, now_ns: u64, evicted: &mut Evicted<P>) -> Option<P> {
        self.control
            .dequeue(&self.config, now_ns, &mut self.queue, evicted)
    }

    fn reserve(&mut self, packets: usize) {
        self.queue.reserve(self.config.limit.packets_of(packets));
    }

    fn waiting(&self) -> Count {
        self.queue.waiting()
    }
}

#[cfg(test)]
mod tests;
