//! Logarithmic histograms: what the kernel counts into, and what can be read from it.

use serde::{Deserialize, Serialize};

/// The buckets of a histogram. Limits of octaves are powers of two, and an octave is divided into
/// buckets of equal width, so that the kernel finds a bucket by shifting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Times in microseconds: from 1.024 ms to 67.1 s, 8 buckets an octave.
    Time,
    /// Rates in bytes per second: from 1.024 kB/s to 34.4 GB/s, 4 buckets an octave.
    Rate,
}

impl Scale {
    /// log2 of the first octave's lower limit. Smaller values are counted in the bucket before.
    pub const fn first_octave(self) -> u32 {
        10
    }

    /// log2 of the last octave's upper limit. Values from there on are counted in the last bucket.
    pub const fn last_octave(self) -> u32 {
        match self {
            Scale::Time => 26,
            Scale::Rate => 35,
        }
    }

    /// log2 of the number of buckets an octave.
    pub const fn buckets_log2(self) -> u32 {
        match self {
            Scale::Time => 3,
            Scale::Rate => 2,
        }
    }

    /// The number of buckets, with the one below and the one above.
    pub const fn buckets(self) -> usize {
        (((self.last_octave() - self.first_octave()) << self.buckets_log2()) + 2) as usize
    }

    /// The bucket that counts this value. The kernel computes the same.
    pub const fn bucket_of(self, value: u64) -> usize {
        if value < 1 << self.first_octave() {
            return 0;
        }
        if value >= 1 << self.last_octave() {
            return self.buckets() - 1;
        }
        let octave = value.ilog2();
        let within = (value >> (octave - self.buckets_log2())) - (1 << self.buckets_log2());
        let before = (octave - self.first_octave()) << self.buckets_log2();
        1 + before as usize + within as usize
    }

    /// The smallest value of a bucket.
    pub const fn lower(self, bucket: usize) -> u64 {
        if bucket == 0 {
            return 0;
        }
        if bucket >= self.buckets() - 1 {
            return 1 << self.last_octave();
        }
        let octave = self.first_octave() + ((bucket - 1) >> self.buckets_log2()) as u32;
        let within = (bucket - 1) & ((1 << self.buckets_log2()) - 1);
        (1 << octave) + ((within as u64) << (octave - self.buckets_log2()))
    }

    /// The values of a bucket are smaller than this; `None`: the last bucket has no limit.
    pub const fn upper(self, bucket: usize) -> Option<u64> {
        if bucket + 1 < self.buckets() {
            Some(self.lower(bucket + 1))
        } else {
            None
        }
    }
}

/// Values by their size, with their exact sum and number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Sparse", into = "Sparse")]
pub struct Histogram {
    scale: Scale,
    counts: Vec<u64>,
    count: u64,
    sum: u64,
}

/// A bucket that has values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// The smallest value that is counted here.
    pub from: u64,
    /// All values are smaller than this; `None`: no limit.
    pub below: Option<u64>,
    /// The number of values.
    pub count: u64,
}

/// A histogram as JSON has it: buckets without a value are left out.
#[derive(Serialize, Deserialize)]
struct Sparse {
    scale: Scale,
    sum: u64,
    buckets: Vec<Bucket>,
}

impl From<Sparse> for Histogram {
    fn from(sparse: Sparse) -> Histogram {
        let mut counts = vec![0; sparse.scale.buckets()];
        for bucket in &sparse.buckets {
            counts[sparse.scale.bucket_of(bucket.from)] += bucket.count;
        }
        Histogram::from_counts(sparse.scale, counts, sparse.sum)
    }
}

impl From<Histogram> for Sparse {
    fn from(histogram: Histogram) -> Sparse {
        Sparse {
            scale: histogram.scale,
            sum: histogram.sum,
            buckets: histogram.buckets().filter(|b| b.count > 0).collect(),
        }
    }
}

impl Histogram {
    /// A histogram without a value.
    pub fn new(scale: Scale) -> Histogram {
        Histogram::from_counts(scale, vec![0; scale.buckets()], 0)
    }

    /// A histogram from the numbers of values in its buckets, as the kernel counted them, and the
    /// values' sum.
    ///
    /// # Panics
    /// If there are not [`Scale::buckets`] numbers.
    pub fn from_counts(scale: Scale, counts: Vec<u64>, sum: u64) -> Histogram {
        assert_eq!(counts.len(), scale.buckets(), "buckets of {scale:?}");
        let count = counts.iter().sum();
        Histogram {
            scale,
            counts,
            count,
            sum,
        }
    }

    /// The buckets' limits.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The sum of the values: it is exact, unlike their places in buckets.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// The numbers of values in the buckets, from [`Scale`]'s first to its last.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// All buckets, from the smallest values to the largest.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        self.counts
            .iter()
            .enumerate()
            .map(|(index, &count)| Bucket {
                from: self.scale.lower(index),
                below: self.scale.upper(index),
                count,
            })
    }

    /// Counts a value.
    pub fn add(&mut self, value: u64) {
        self.counts[self.scale.bucket_of(value)] += 1;
        self.count += 1;
        self.sum = self.sum.wrapping_add(value);
    }

    /// Adds another histogram's values to these.
    ///
    /// # Panics
    /// If the scales differ.
    pub fn merge(&mut self, other: &Histogram) {
        assert_eq!(self.scale, other.scale, "merged histograms share a scale");
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.count += other.count;
        self.sum = self.sum.wrapping_add(other.sum);
    }

    /// The values that were counted since `earlier`.
    ///
    /// # Panics
    /// If the scales differ.
    pub fn since(&self, earlier: &Histogram) -> Histogram {
        assert_eq!(self.scale, earlier.scale, "histograms share a scale");
        let pairs = self.counts.iter().zip(&earlier.counts);
        let counts = pairs.map(|(now, before)| now.saturating_sub(*before));
        let sum = self.sum.saturating_sub(earlier.sum);
        Histogram::from_counts(self.scale, counts.collect(), sum)
    }

    /// The mean, which is exact; `None`: there is no value.
    pub fn mean(&self) -> Option<f64> {
        (self.count != 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The value below which a share of all values lies, interpolated within its bucket. `None`:
    /// there is no value, or the share is not within 0 to 1. In the last bucket, which has no upper
    /// limit, it is the bucket's lower limit.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        if self.count == 0 || !(0.0..=1.0).contains(&share) {
            return None;
        }
        let wanted = share * self.count as f64;
        let mut before = 0.0;
        let mut last = None;
        for bucket in self.buckets().filter(|bucket| bucket.count > 0) {
            let count = bucket.count as f64;
            let from = bucket.from as f64;
            let width = bucket.below.map_or(0.0, |below| below as f64 - from);
            if before + count >= wanted {
                return Some(from + width * (wanted - before) / count);
            }
            before += count;
            last = Some(from + width);
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SCALES: [Scale; 2] = [Scale::Time, Scale::Rate];

    #[test]
    fn a_bucket_begins_where_the_one_before_ends() {
        for scale in SCALES {
            for bucket in 0..scale.buckets() {
                assert_eq!(scale.bucket_of(scale.lower(bucket)), bucket);
                match scale.upper(bucket) {
                    Some(upper) => assert_eq!(scale.bucket_of(upper - 1), bucket),
                    None => assert_eq!(scale.bucket_of(u64::MAX), bucket),
                }
            }
        }
        assert_eq!((Scale::Time.buckets(), Scale::Rate.buckets()), (130, 102));
        assert_eq!(Scale::Time.lower(1), 1024);
        assert_eq!(Scale::Time.lower(2), 1152);
        assert_eq!(Scale::Time.lower(129), 67_108_864);
    }

    #[test]
    fn an_empty_histogram_has_neither_mean_nor_quantile() {
        let empty = Histogram::new(Scale::Time);
        assert_eq!((empty.mean(), empty.quantile(0.5)), (None, None));
    }

    #[test]
    fn json_has_the_buckets_with_values() {
        let mut histogram = Histogram::new(Scale::Time);
        for value in [500, 2_000, 2_001, 90_000_000] {
            histogram.add(value);
        }
        let json = serde_json::to_string(&histogram).unwrap();
        let expected = concat!(
            r#"{"scale":"time","sum":90004501,"buckets":[{"from":0,"below":1024,"count":1},"#,
            r#"{"from":1920,"below":2048,"count":2},"#,
            r#"{"from":67108864,"below":null,"count":1}]}"#
        );
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_str::<Histogram>(&json).unwrap(), histogram);
    }

    proptest! {
        #[test]
        fn quantiles_lie_in_the_bucket_of_the_exact_value(
            mut values in prop::collection::vec(1_024u64..67_000_000, 1..200),
            share in 0.01f64..1.0,
        ) {
            let mut histogram = Histogram::new(Scale::Time);
            values.iter().for_each(|&value| histogram.add(value));
            values.sort_unstable();
            let rank = (share * values.len() as f64).ceil() as usize;
            let exact = values[rank.max(1) - 1];
            let bucket = Scale::Time.bucket_of(exact);
            let found = histogram.quantile(share).unwrap();
            prop_assert!(found >= Scale::Time.lower(bucket) as f64);
            prop_assert!(found <= Scale::Time.upper(bucket).unwrap() as f64);
            let mean = values.iter().sum::<u64>() as f64 / values.len() as f64;
            prop_assert_eq!(histogram.mean(), Some(mean));
        }

        #[test]
        fn a_difference_undoes_a_merge(
            values in prop::collection::vec(any::<u32>(), 0..50),
            others in prop::collection::vec(any::<u32>(), 0..50),
        ) {
            let of = |values: &[u32]| {
                let mut histogram = Histogram::new(Scale::Rate);
                values.iter().for_each(|&value| histogram.add(value.into()));
                histogram
            };
            let mut both = of(&values);
            both.merge(&of(&others));
            prop_assert_eq!(both.since(&of(&values)), of(&others));
        }
    }
}
