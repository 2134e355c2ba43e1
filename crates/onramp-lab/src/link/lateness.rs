//! A histogram of the lateness of packets, of constant size.

/// Buckets per power of two. A percentile is exact within 1/32.
const STEPS: u64 = 32;
const BUCKETS: usize = 64 * STEPS as usize;

/// Delays in addition to those of the path, in nanoseconds.
#[derive(Clone)]
pub struct Lateness {
    counts: Vec<u32>,
    packets: u64,
    max_ns: u64,
}

impl Default for Lateness {
    fn default() -> Self {
        Lateness {
            counts: vec![0; BUCKETS],
            packets: 0,
            max_ns: 0,
        }
    }
}

impl Lateness {
    /// Adds a packet.
    pub fn add(&mut self, late_ns: u64) {
        self.counts[bucket(late_ns)] += 1;
        self.packets += 1;
        self.max_ns = self.max_ns.max(late_ns);
    }

    /// Adds another histogram.
    pub fn merge(&mut self, other: &Lateness) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.packets += other.packets;
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// The maximum lateness.
    pub fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// The percentile: the lateness that this share of the packets, in hundredths, does not exceed;
    /// 0 without packets.
    pub fn percentile_ns(&self, hundredths: u64) -> u64 {
        let mut remaining = (self.packets * hundredths).div_ceil(100);
        for (bucket, count) in self.counts.iter().enumerate() {
            remaining = remaining.saturating_sub(u64::from(*count));
            if remaining == 0 && *count > 0 {
                return max_of(bucket).min(self.max_ns);
            }
        }
        self.max_ns
    }
}

/// The bucket of a value. Values below STEPS have one bucket each. Above, each power of two is
/// divided into STEPS buckets.
fn bucket(value: u64) -> usize {
    if value < STEPS {
        return value as usize;
    }
    let power = value.ilog2() - STEPS.ilog2();
    ((u64::from(power) + 1) * STEPS + (value >> power) - STEPS) as usize
}

/// The maximum value of a bucket.
fn max_of(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < STEPS {
        return bucket;
    }
    let power = bucket / STEPS - 1;
    ((bucket % STEPS + STEPS + 1) << power) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_represents_its_values_within_a_32nd() {
        for value in (0..200_000).chain([1 << 40, (1 << 40) + 12_345, u64::MAX / 4]) {
            let max = max_of(bucket(value));
            assert!(
                max >= value && max - value <= value / 32,
                "{value} is counted as up to {max}"
            );
        }
    }

    #[test]
    fn percentiles_of_a_known_distribution() {
        let mut lateness = Lateness::default();
        (1..=1000).for_each(|us| lateness.add(us * 1000));
        assert_eq!(lateness.percentile_ns(50) / 20_000, 500_000 / 20_000);
        assert!((990_000..1_000_000).contains(&lateness.percentile_ns(99)));
        assert_eq!(
            (lateness.percentile_ns(100), lateness.max_ns()),
            (1_000_000, 1_000_000)
        );
        assert_eq!(Lateness::default().percentile_ns(99), 0);
    }
}
