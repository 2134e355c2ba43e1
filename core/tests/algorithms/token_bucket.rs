//! The token bucket against exact arithmetic: all segments conform, and none waits longer than
//! necessary.

use onramp_core::bucket::Bucket;
use proptest::prelude::*;

const NS_PER_S: u128 = 1_000_000_000;

/// The bucket that RFC 2697 and others describe, in units of a byte / 10^9, so no value is rounded.
struct Exact {
    tokens: u128,
    depth: u128,
    rate: u128,
    now_ns: u64,
}

impl Exact {
    fn full(rate: u64, depth: u32) -> Exact {
        let depth = u128::from(depth) * NS_PER_S;
        Exact {
            tokens: depth,
            depth,
            rate: rate.into(),
            now_ns: 0,
        }
    }

    fn at(&mut self, now_ns: u64) -> &mut Exact {
        let more = self.rate * u128::from(now_ns - self.now_ns);
        (self.tokens, self.now_ns) = ((self.tokens + more).min(self.depth), now_ns);
        self
    }

    /// The time at which the bucket has these bytes.
    fn ready_ns(&self, bytes: u32) -> u64 {
        let missing = (u128::from(bytes) * NS_PER_S).saturating_sub(self.tokens);
        self.now_ns + missing.div_ceil(self.rate) as u64
    }
}

/// Rates of 1 kbit/s to 1000 Gbit/s in bytes a second.
fn rates() -> impl Strategy<Value = u64> {
    (0u32..=30, 125u64..250).prop_map(|(bits, rate)| (rate << bits).min(125_000_000_000))
}

/// The bytes that leave, and how long after the bucket had them; mostly at once.
fn segments() -> impl Strategy<Value = Vec<(u32, u64)>> {
    let pauses_ns = prop_oneof![4 => Just(0u64), 1 => 0u64..1_000_000_000];
    prop::collection::vec((1u32..=9000, pauses_ns), 1..200)
}

proptest! {
    #[test]
    fn what_leaves_conforms_and_never_waits_longer_than_necessary(
        rate in rates(),
        depth in prop_oneof![9000u32..100_000, 9000..=u32::MAX],
        segments in segments(),
    ) {
        let (mut bucket, mut exact) = (Bucket::default(), Exact::full(rate, depth));
        let mut now_ns = 0;
        for (taken, (bytes, pause_ns)) in segments.into_iter().enumerate() {
            let permitted_ns = bucket.ready_ns(bytes, rate, depth).max(now_ns);
            let earliest_ns = exact.ready_ns(bytes).max(now_ns);
            // Each departure may round a time up to a whole nanosecond.
            prop_assert!(
                permitted_ns >= earliest_ns,
                "{permitted_ns} is too early: {earliest_ns}"
            );
            prop_assert!(
                permitted_ns <= earliest_ns + taken as u64,
                "{permitted_ns} is later than {earliest_ns}"
            );
            now_ns = permitted_ns + pause_ns;
            bucket.take(now_ns, bytes, rate);
            let exact = exact.at(now_ns);
            prop_assert!(exact.tokens >= u128::from(bytes) * NS_PER_S, "a debt");
            exact.tokens -= u128::from(bytes) * NS_PER_S;
        }
    }

    /// The contract itself: in any time t, no more than rate * t and the depth.
    #[test]
    fn no_interval_has_more_than_the_rate_and_a_burst(
        rate in rates(),
        depth in 9000u32..100_000,
        segments in segments(),
    ) {
        let (mut bucket, mut now_ns, mut left) = (Bucket::default(), 0, Vec::new());
        for (bytes, pause_ns) in segments {
            now_ns = bucket.ready_ns(bytes, rate, depth).max(now_ns) + pause_ns;
            bucket.take(now_ns, bytes, rate);
            left.push((now_ns, u128::from(bytes)));
        }
        for (first, (from_ns, _)) in left.iter().enumerate() {
            let mut sent = 0;
            for (to_ns, bytes) in &left[first..] {
                sent += bytes;
                let most =
                    u128::from(depth) * NS_PER_S + u128::from(rate) * u128::from(to_ns - from_ns);
                prop_assert!(
                    sent * NS_PER_S <= most,
                    "{sent} bytes from {from_ns} to {to_ns}"
                );
            }
        }
    }
}

#[test]
fn a_full_bucket_lets_its_depth_leave_at_once_and_then_the_rate() {
    let (mut bucket, mut now_ns) = (Bucket::default(), 5_000_000_000);
    let mut left = Vec::new();
    for _ in 0..5 {
        now_ns = bucket.ready_ns(1000, 1_000_000, 3000).max(now_ns);
        bucket.take(now_ns, 1000, 1_000_000);
        left.push(now_ns / 1_000_000);
    }
    assert_eq!(left, [5000, 5000, 5000, 5001, 5002]);
}

#[test]
fn what_is_taken_without_tokens_is_a_debt() {
    let mut bucket = Bucket::default();
    bucket.take(0, 10_000, 1_000_000);
    assert_eq!(bucket.ready_ns(1000, 1_000_000, 3000), 8_000_000);
}

#[test]
fn bytes_beyond_the_depth_wait_until_the_bucket_is_full() {
    let mut bucket = Bucket::default();
    bucket.take(0, 3000, 1_000_000);
    assert_eq!(bucket.ready_ns(5000, 1_000_000, 3000), 3_000_000);
}

#[test]
fn no_input_is_undefined_behaviour() {
    for rate in [0, 1, u64::MAX] {
        for bytes in [0, 1, u32::MAX] {
            let mut bucket = Bucket::default();
            bucket.take(u64::MAX, bytes, rate);
            bucket.ready_ns(bytes, rate, 0);
            bucket.ready_ns(bytes, rate, u32::MAX);
        }
    }
}
