//! Token buckets, computed exactly in integers.
//!
//! The state of a bucket is the time at which it would be full again if no more tokens were taken.
//! The generic cell rate algorithm (ITU-T I.371) calls this time the "theoretical arrival time".
//! Each packet advances this time by its own duration at the bucket's rate. The packet conforms if
//! the new time is at most one burst's duration ahead of now. No fill level has to be updated as
//! time passes, and no fraction of a token is lost: the [`Serialiser`] keeps the remainders.
//!
//! The shaper differs from tc-tbf in one visible point. The head packet leaves the queue when the
//! serialiser is free, not when its tokens are available. It then waits for its tokens in the
//! serialiser's place. A queue that drops at its head (CoDel) or counts packets therefore behaves
//! as before a serialiser of the shaper's rate. A child qdisc of tc-tbf does the same, because
//! tc-tbf dequeues a packet to peek at it.

use crate::serialiser::{Instant, Serialiser};
use crate::Framing;
use std::num::NonZeroU64;

/// A token bucket, which is full at the start. A packet takes as many tokens as it has bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    /// Rate at which the bucket fills, 1 to 10^18 bit/s.
    pub rate_bits_per_s: NonZeroU64,
    /// Size of the bucket, 1 to 2^30 - 1 bytes. A packet larger than this never passes.
    pub burst_bytes: u32,
}

/// The state of a token bucket.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    rate: Serialiser,
    burst_bytes: u32,
    /// Time that the empty bucket takes to fill.
    fill: Instant,
    full_at: Instant,
}

impl Bucket {
    pub fn new(config: &TokenBucket) -> Bucket {
        let mut rate = Serialiser::new(config.rate_bits_per_s, Framing::Packets);
        let burst_bytes = config.burst_bytes;
        let fill = rate.end(Instant::at(0), burst_bytes);
        Bucket {
            rate,
            burst_bytes,
            fill,
            full_at: Instant::at(0),
        }
    }

    /// Whether the bucket is large enough for a packet of this size.
    pub fn could_hold(&self, wire_bytes: u32) -> bool {
        wire_bytes <= self.burst_bytes
    }

    /// Whether the bucket holds its whole burst, as at the start.
    pub fn is_full(&self, now_ns: u64) -> bool {
        self.full_at <= Instant::at(now_ns)
    }

    /// Time at which the bucket is full if no more tokens are taken, rounded down to a whole
    /// nanosecond. The bucket is not full before this time.
    pub fn full_at_ns(&self) -> u64 {
        self.full_at.ns
    }

    /// Takes a packet's tokens if the bucket has them. Returns whether it had.
    #[inline(never)]
    pub fn take(&mut self, now_ns: u64, wire_bytes: u32) -> bool {
        let full_at = self.full_after(now_ns, wire_bytes);
        let conforms = self.wait_ns(now_ns, full_at) == 0;
        if conforms {
            self.full_at = full_at;
        }
        conforms
    }

    /// Takes a packet's tokens as soon as the bucket has them. Returns that time: the first whole
    /// nanosecond at or after `now_ns`. The bucket must be [large enough](Bucket::could_hold) for
    /// the packet.
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

    /// Time from `now_ns` until `full_at` is at most one full bucket ahead, rounded up.
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
    fn a_full_bucket_passes_its_burst_at_once_and_then_its_rate() {
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
    fn a_packet_larger_than_the_bucket_never_conforms() {
        let mut bucket = bucket(8_000_000, 2000);
        assert!(!bucket.could_hold(2001) && !bucket.take(u64::MAX / 2, 2001));
    }

    proptest! {
        /// In every window from one packet to another, both included, at most burst + rate * time
        /// passes.
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
                    let allowed = u128::from(burst) * 8_000_000_000 + elapsed_ns * u128::from(rate);
                    prop_assert!(sum * 8_000_000_000 <= allowed);
                }
            }
        }

        /// A packet that waits leaves in the first nanosecond in which it conforms.
        #[test]
        fn a_packet_waits_no_longer_than_for_its_tokens(
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
