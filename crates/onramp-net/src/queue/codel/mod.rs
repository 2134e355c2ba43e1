//! CoDel, controlled delay: RFC 8289 (Nichols, Jacobson, McGregor, Iyengar 2018).
//!
//! A queue is good if it drains within an interval and bad if it stands. So CoDel looks at how long
//! each packet stood when it leaves. Once that has been `target` or more for a whole `interval`, it
//! drops the packet at the head and goes on dropping, the n-th packet `interval / sqrt(n)` after
//! the one before: a TCP's rate falls with one over the square root of its loss rate, so the load
//! falls linearly with time. The first packet that stood for less ends that. If the dropping begins
//! again soon after, it begins at about the frequency at which it ended.
//!
//! The names are those of section 5's pseudocode. Drops only: no ECN.

use super::stamped::Stamped;
use super::{Discipline, Evicted, Limit};
use crate::{Count, Packet, Verdict};

/// A CoDel queue. The defaults are RFC 8289's.
#[derive(Clone, Debug, PartialEq)]
pub struct CoDelConfig {
    /// The standing time to accept.
    pub target_ns: u64,
    /// About the largest round-trip time; 1 to 2^32 - 1.
    pub interval_ns: u64,
    /// While no more than this many bytes wait behind a packet, it is not dropped.
    pub mtu_bytes: u32,
    /// Room in the queue. The RFC names none; Linux has 1000 packets.
    pub limit: Limit,
}

impl Default for CoDelConfig {
    fn default() -> CoDelConfig {
        let Law {
            target_ns,
            interval_ns,
            mtu_bytes,
        } = Law::default();
        CoDelConfig {
            target_ns,
            interval_ns,
            mtu_bytes,
            limit: Limit::Packets(1000),
        }
    }
}

/// What [`Control`] goes by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    pub target_ns: u64,
    pub interval_ns: u64,
    pub mtu_bytes: u32,
}

impl Default for Law {
    fn default() -> Law {
        Law {
            target_ns: 5_000_000,
            interval_ns: 100_000_000,
            mtu_bytes: 1500,
        }
    }
}

impl Law {
    /// Section 5, `control_law`: when to drop next. `interval / sqrt(count)`, rounded down.
    fn control_law(&self, t_ns: u64, count: u32) -> u64 {
        t_ns + (self.interval_ns * self.interval_ns / u64::from(count)).isqrt()
    }
}

/// The state of one CoDel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Control {
    /// When the standing time will have been above target for an interval, if it is.
    first_above_ns: Option<u64>,
    drop_next_ns: u64,
    /// Packets dropped since the dropping began.
    count: u32,
    /// What it was when the dropping began.
    last_count: u32,
    dropping: bool,
}

impl Control {
    /// Takes the next packet out, after those that are to be dropped: section 5, `deque`.
    pub fn dequeue<P: Packet>(
        &mut self,
        law: &Law,
        now_ns: u64,
        queue: &mut Stamped<P>,
        evicted: &mut Evicted<P>,
    ) -> Option<P> {
        let (mut packet, mut ok_to_drop) = self.do_dequeue(law, now_ns, queue);
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now_ns >= self.drop_next_ns {
                evicted.push(packet?);
                self.count += 1;
                (packet, ok_to_drop) = self.do_dequeue(law, now_ns, queue);
                match ok_to_drop {
                    true => self.drop_next_ns = law.control_law(self.drop_next_ns, self.count),
                    false => self.dropping = false,
                }
            }
        } else if ok_to_drop {
            evicted.push(packet?);
            (packet, _) = self.do_dequeue(law, now_ns, queue);
            self.dropping = true;
            let delta = self.count - self.last_count;
            let recently = now_ns.saturating_sub(self.drop_next_ns) < 16 * law.interval_ns;
            self.count = if delta > 1 && recently { delta } else { 1 };
            self.drop_next_ns = law.control_law(now_ns, self.count);
            self.last_count = self.count;
        }
        packet
    }

    /// The packet at the head, and whether it may be dropped: section 5, `dodequeue`.
    fn do_dequeue<P: Packet>(
        &mut self,
        law: &Law,
        now_ns: u64,
        queue: &mut Stamped<P>,
    ) -> (Option<P>, bool) {
        let Some((came_ns, packet)) = queue.pop() else {
            self.first_above_ns = None;
            return (None, false);
        };
        let below =
            now_ns - came_ns < law.target_ns || queue.waiting().bytes <= u64::from(law.mtu_bytes);
        let ok_to_drop = !below
            && self
                .first_above_ns
                .is_some_and(|first_above_ns| now_ns >= first_above_ns);
        self.first_above_ns = match below {
            true => None,
            false => self.first_above_ns.or(Some(now_ns + law.interval_ns)),
        };
        (Some(packet), ok_to_drop)
    }
}

/// One queue under CoDel's control.
///
/// A packet that finds the serialiser idle stood for no time. It need not be shown to the control:
/// the `dequeue` that found the queue empty before has already reset it.
#[derive(Debug)]
pub(crate) struct CoDel<P> {
    law: Law,
    limit: Limit,
    control: Control,
    queue: Stamped<P>,
}

impl<P: Packet> CoDel<P> {
    pub fn new(config: &CoDelConfig) -> CoDel<P> {
        let CoDelConfig {
            target_ns,
            interval_ns,
            mtu_bytes,
            limit,
        } = *config;
        let law = Law {
            target_ns,
            interval_ns,
            mtu_bytes,
        };
        CoDel {
            law,
            limit,
            control: Control::default(),
            queue: Stamped::new(),
        }
    }
}

impl<P: Packet> Discipline<P> for CoDel<P> {
    #[inline(never)]
    fn enqueue(&mut self, now_ns: u64, packet: P, _evicted: &mut Evicted<P>) -> Verdict {
        if !self.limit.admits(self.waiting(), packet.wire_bytes()) {
            return Verdict::DroppedFull;
        }
        self.queue.push(now_ns, packet);
        Verdict::Queued
    }

    #[inline(never)]
    fn dequeue(&mut self, now_ns: u64, evicted: &mut Evicted<P>) -> Option<P> {
        self.control
            .dequeue(&self.law, now_ns, &mut self.queue, evicted)
    }

    fn reserve(&mut self, packets: usize) {
        self.queue.reserve(self.limit.packets_of(packets));
    }

    fn waiting(&self) -> Count {
        self.queue.waiting()
    }
}

#[cfg(test)]
mod tests;
