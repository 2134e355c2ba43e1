//! Token buckets, exact in integers.
//!
//! A bucket is kept as the moment at which it would be full again if nobody took more (the
//! "theoretical arrival time" of the generic cell rate algorithm, ITU-T I.371): each packet moves
//! that moment on by its time at the bucket's rate, and conforms if the moment is then at most a
//! burst's time ahead. So no level has to be updated as time passes, and no fraction of a token is
//! ever lost: the remainders are those of the [`Serialiser`].
//!
//! The shaper differs from tc-tbf in one point that shows: the packet at the head leaves the queue
//! when the serialiser is free, not when its tokens are there, and waits for them in the
//! serialiser's place. A queue that drops at its head (CoDel) and one that counts packets thus see
//! a shaped link as they see a serialiser of the shaper's rate; so does a child qdisc of tc-tbf,
//! which peeks by dequeuing.

use crate::serialiser::{Instant, Serialiser};
use crate::TokenBucket;

/// A token bucket; full at the start.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    rate: Serialiser,
    burst_bytes: u32,
    /// How long the empty bucket takes to fill.
    fill: Instant,
    full_at: Instant,
}

impl Bucket {
    pub fn new(config: &TokenBucket) -> Bucket {
        let mut rate = Serialiser::new(config.rate_bits_per_s);
        let burst_bytes = config.burst_bytes;
        let fill = rate.end(Instant::at(0), burst_bytes);
        Bucket {
            rate,
            burst_bytes,
            fill,
            full_at: Instant::at(0),
        }
    }

    /// Whether a packet can ever have the tokens it needs.
    pub fn could_hold(&self, wire_bytes: u32) -> bool {
        wire_bytes <= self.burst_bytes
    }

    /// Whether it holds its burst: it is as it was at the start.
    pub fn is_full(&self, now_ns: u64) -> bool {
        self.full_at <= Instant::at(now_ns)
    }

    /// When it is full if nobody takes more, cut to a whole nanosecond: not before.
    pub fn full_at_ns(&self) -> u64 {
        self.full_at.ns
    }

    /// Takes a packet's tokens if they are there.
    #[inline(never)]
    pub fn take(&mut self, now_ns: u64, wire_bytes: u32) -> bool {
        let full_at = self.full_after(now_ns, wire_bytes);
        let conforms = self.wait_ns(now_ns, full_at) == 0;
        if conforms {
            self.full_at = full_at;
        }
        conforms
    }

    /// Takes a packet's tokens when they are there: the first whole nanosecond at or after `now_ns`
    /// that has them. The packet must be one that the bucket [could hold](Bucket::could_hold).
    #[inline(never)]
    pub fn take_at(&mut self, now_ns: u64, wire_bytes: u32) -> u64 {
        debug_assert!(self.could_hold(wire_bytes));
        let full_at = self.full_after(now_ns, wire_bytes);
        let at_ns = now_ns + self.wait_ns(now_ns, full_at);
        self.full_at = self.full_after(at_ns, wire_bytes);
        at_ns
    }

    fn full_after(&mut self, at_ns: u64, wire_bytes: u32) -> Instant {
        self.rate
            .end(self.full_at.max(Instant::at(at_ns)), wire_bytes)
    }

    /// By how much `full_at` is further ahead than an empty bucket's, rounded up.
    fn wait_ns(&self, now_ns: u64, full_at: Instant) -> u64 {
        let latest_ns = now_ns + self.fill.ns;
        if full_at
            <= (Instant {
                ns: latest_ns,
                part: self.fill.part,
            })
        {
            return 0;
        }
        full_at.ns - latest_ns + u64::from(full_at.part > self.fill.part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::num::NonZeroU64;

    fn bucket(rate: u64, burst_bytes: u32) -> Bucket {
        Bucket::new(&TokenBucket {
            rate_bits_per_s: NonZeroU64::new(rate).unwrap(),
            burst_bytes,
        })
    }

    #[test]
    fn a_full_bucket_gives_its_burst_at_once_and_then_its_rate() {
        // 8 Mbit/s: a byte per microsecond.
        let mut bucket = bucket(8_000_000, 3000);
        assert!(bucket.take(0, 1500) && bucket.take(0, 1500) && !bucket.take(0, 1));
        assert!(!bucket.take(1_499_999, 1500) && bucket.take(1_500_000, 1500));
    }

    #[test]
    fn a_bucket_never_holds_more_than_its_burst() {
        let mut bucket = bucket(8_000_000, 2000);
        assert!(bucket.take(1_000_000_000, 2000) && !bucket.take(1_000_000_000, 1));
    }

    #[test]
    fn what_is_larger_than_the_bucket_never_conforms() {
        let mut bucket = bucket(8_000_000, 2000);
        assert!(!bucket.could_hold(2001) && !bucket.take(u64::MAX / 2, 2001));
    }

    proptest! {
        /// Over every window from one packet to another, both included: no more than burst + rate *
        /// time.
        #[test]
        fn no_window_exceeds_rate_and_burst(
            rate in 1_000u64..2_000_000_000, burst in 1500u32..20_000, waits in any::<bool>(),
            arrivals in proptest::collection::vec((0u64..2_000_000, 1u32..1500), 1..60),
        ) {
            let mut bucket = bucket(rate, burst);
            let (mut now_ns, mut passed) = (0, Vec::new());
            for (pause_ns, bytes) in arrivals {
                now_ns += pause_ns;
                if waits {
                    now_ns = bucket.take_at(now_ns, bytes);
                    passed.push((now_ns, bytes));
                } else if bucket.take(now_ns, bytes) {
                    passed.push((now_ns, bytes));
                }
            }
            for first in 0..passed.len() {
                let mut sum = 0;
                for (at_ns, bytes) in &passed[first..] {
                    sum += u128::from(*bytes);
                    let elapsed_ns = u128::from(at_ns - passed[first].0);
                    let may = u128::from(burst) * 8_000_000_000 + elapsed_ns * u128::from(rate);
                    prop_assert!(sum * 8_000_000_000 <= may);
                }
            }
        }

        /// A packet that waits goes in the first nanosecond in which it conforms.
        #[test]
        fn nobody_waits_longer_than_for_the_tokens(
            rate in 1_000u64..2_000_000_000, burst in 1500u32..20_000,
            arrivals in proptest::collection::vec((0u64..2_000_000, 1u32..1500), 1..60),
        ) {
            let mut bucket = bucket(rate, burst);
            let mut now_ns = 0;
            for (pause_ns, bytes) in arrivals {
                let arrived_ns = now_ns + pause_ns;
                let before = bucket.clone();
                now_ns = bucket.take_at(arrived_ns, bytes);
                prop_assert!(before.clone().take(now_ns, bytes));
                prop_assert!(now_ns == arrived_ns || !before.clone().take(now_ns - 1, bytes));
            }
        }
    }
}
