//! How much longer does the start-up's group take? The Mann-Whitney test on histograms.
//!
//! X is a time of the start-up's group, Y one of the control group. The test asks for P(X > Y),
//! which is 1/2 without a difference. Multiplying the control group's times by a ratio c asks for
//! P(X > c Y). The c for which it is 1/2 is the estimate of the ratio of times (Hodges and Lehmann,
//! for logarithms), and the values of c that the test does not reject are its interval.
//!
//! # Ties
//! A histogram knows a value's bucket only, 6 to 12 % wide. Values are taken as spread evenly over
//! their bucket, so pairs within one bucket count as 1/2 each way, and the ratio is interpolated.
//! This holds when values spread over several buckets, as times over many paths do. Times over one
//! quiet path may all lie in one bucket, and a shift of 1 % across a limit then looks like 10 %. So
//! if more than [`MAX_TIED`] of a group's pairs share a bucket, the means, which are exact, must be
//! apart by the tolerated ratio too: with so little spread the means are as good as the ranks.

use super::sequence::{effective, limit};
use crate::counts::{Histogram, Interval};

/// The means must agree with the ranks if more than this share of a group's pairs share a bucket.
pub const MAX_TIED: f64 = 0.2;
/// ln of the largest ratio that is looked for: 55.
const MAX_LOG_RATIO: f64 = 4.0;
/// Halvings of the range of ratios: its limits are then exact to 1e-6.
const HALVINGS: u32 = 22;

/// Are the times of the start-up's group longer than the control group's, by more than a ratio of
/// `tolerated` (1.03: 3 % longer), with this error rate at any number of looks?
pub fn longer(startup: &Histogram, control: &Histogram, tolerated: f64, error_rate: f64) -> bool {
    let Some(pairs) = Pairs::of(startup, control) else {
        return false;
    };
    if pairs.score(tolerated) <= limit(pairs.effective, error_rate) {
        return false;
    }
    let means = startup.mean().zip(control.mean());
    let means_agree = means.is_some_and(|(startup, control)| startup > tolerated * control);
    means_agree || tied_share(startup).max(tied_share(control)) <= MAX_TIED
}

/// The ratio of the start-up's times to the control group's, with its interval; `None`: a group has
/// no value, or the groups are too few for any statement.
pub fn ratio(startup: &Histogram, control: &Histogram, error_rate: f64) -> Option<Interval> {
    let pairs = Pairs::of(startup, control)?;
    let limit = limit(pairs.effective, error_rate);
    // The score falls with the ratio.
    let ratio_at = |score: f64| {
        let (mut low, mut high) = (-MAX_LOG_RATIO, MAX_LOG_RATIO);
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            match pairs.score(middle.exp()) > score {
                true => low = middle,
                false => high = middle,
            }
        }
        ((low + high) / 2.0).exp()
    };
    Some(Interval {
        estimate: ratio_at(0.0),
        lower: ratio_at(limit),
        upper: ratio_at(-limit),
        with_startup: startup.count(),
        control: control.count(),
    })
}

/// The share of pairs of a group's times that share a bucket.
fn tied_share(group: &Histogram) -> f64 {
    let all = group.count() as f64;
    let shares = group.counts().iter().map(|&count| count as f64 / all);
    shares.map(|share| share * share).sum()
}

/// All pairs of a time of the start-up's group and one of the control group.
struct Pairs {
    startup: Spread,
    control: Spread,
    /// The smallest variance that P(X > c Y) can have: that without a difference, and without ties.
    min_variance: f64,
    startup_count: f64,
    control_count: f64,
    effective: f64,
}

impl Pairs {
    fn of(startup: &Histogram, control: &Histogram) -> Option<Pairs> {
        if startup.count() == 0 || control.count() == 0 {
            return None;
        }
        let effective = effective(startup.count(), control.count());
        Some(Pairs {
            startup: Spread::of(startup),
            control: Spread::of(control),
            min_variance: 1.0 / (12.0 * effective),
            startup_count: startup.count() as f64,
            control_count: control.count() as f64,
            effective,
        })
    }

    /// The standard score of P(X > c Y) - 1/2.
    fn score(&self, ratio: f64) -> f64 {
        let (longer, of_control) = self.startup.beyond(&self.control, ratio);
        let (_, of_startup) = self.control.beyond(&self.startup, 1.0 / ratio);
        let variance = of_startup / self.startup_count + of_control / self.control_count;
        (longer - 0.5) / variance.max(self.min_variance).sqrt()
    }
}

/// Values spread evenly over their buckets.
struct Spread {
    buckets: Vec<Part>,
}

/// A bucket with values.
struct Part {
    from: f64,
    below: f64,
    /// The share of all values that lies here, and before.
    share: f64,
    before: f64,
    /// The integral of the distribution function up to `from`.
    integral: f64,
}

impl Spread {
    fn of(histogram: &Histogram) -> Spread {
        let all = histogram.count() as f64;
        let (mut before, mut integral, mut at) = (0.0, 0.0, 0.0);
        let filled = histogram.buckets().filter(|bucket| bucket.count > 0);
        let buckets = filled.map(|bucket| {
            let from = bucket.from as f64;
            // The last bucket has no upper limit. It is taken as an octave.
            let below = bucket.below.map_or(2.0 * from, |below| below as f64);
            let share = bucket.count as f64 / all;
            integral += before * (from - at);
            let part = Part {
                from,
                below,
                share,
                before,
                integral,
            };
            integral += (before + share / 2.0) * (below - from);
            before += share;
            at = below;
            part
        });
        Spread {
            buckets: buckets.collect(),
        }
    }

    /// The integral of the distribution function up to a value.
    fn integral(&self, value: f64) -> f64 {
        let after = self.buckets.partition_point(|part| part.from <= value);
        let Some(part) = after.checked_sub(1).map(|index| &self.buckets[index]) else {
            return 0.0;
        };
        let width = part.below - part.from;
        let within = (value - part.from).min(width);
        let rise = part.share * within * within / (2.0 * width);
        let beyond = (value - part.below).max(0.0) * (part.before + part.share);
        part.integral + part.before * within + rise + beyond
    }

    /// The probability that a value of `self` is larger than `ratio` times one of `other`, and the
    /// variance of this probability over the values of `other`.
    fn beyond(&self, other: &Spread, ratio: f64) -> (f64, f64) {
        let (mut mean, mut squares) = (0.0, 0.0);
        for part in &other.buckets {
            let (from, below) = (ratio * part.from, ratio * part.below);
            let smaller = (self.integral(below) - self.integral(from)) / (below - from);
            let larger = 1.0 - smaller;
            mean += part.share * larger;
            squares += part.share * larger * larger;
        }
        (mean, (squares - mean * mean).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Scale;
    use proptest::prelude::*;

    fn histogram(values: impl IntoIterator<Item = u64>) -> Histogram {
        let mut histogram = Histogram::new(Scale::Time);
        values.into_iter().for_each(|value| histogram.add(value));
        histogram
    }

    /// Times from 20 ms to 2 s, evenly over their logarithm, multiplied by a factor.
    fn times(number: u64, factor: f64) -> Histogram {
        let place = |index: u64| (index as f64 + 0.5) / number as f64;
        histogram(
            (0..number)
                .map(|index| (factor * 20_000.0 * (place(index) * 100f64.ln()).exp()) as u64),
        )
    }

    #[test]
    fn the_ratio_of_times_is_found_between_the_buckets_limits() {
        for factor in [0.5, 0.9, 0.97, 1.0, 1.01, 1.1, 3.0] {
            let ratio = ratio(&times(5_000, factor), &times(50_000, 1.0), 0.01).unwrap();
            assert!(
                (ratio.estimate / factor - 1.0).abs() < 0.005,
                "{factor}: {ratio:?}"
            );
            assert!(
                ratio.lower < factor && factor < ratio.upper,
                "{factor}: {ratio:?}"
            );
        }
    }

    #[test]
    fn a_slower_group_is_found_and_a_faster_one_is_not_called_slower() {
        let control = times(50_000, 1.0);
        assert!(longer(&times(5_000, 1.3), &control, 1.03, 0.003));
        assert!(!longer(&times(5_000, 1.02), &control, 1.03, 0.003));
        assert!(!longer(&times(5_000, 0.8), &control, 1.03, 0.003));
    }

    #[test]
    fn groups_without_values_tell_nothing() {
        let (none, some) = (times(0, 1.0), times(100, 1.0));
        assert!(ratio(&none, &some, 0.01).is_none() && ratio(&some, &none, 0.01).is_none());
        assert!(!longer(&none, &some, 1.0, 0.5));
    }

    #[test]
    fn one_percent_across_the_limit_of_a_bucket_is_no_slowdown() {
        let limit = Scale::Time.lower(60);
        let control = histogram((0..5_000).map(|_| limit - 1));
        let startup = histogram((0..5_000).map(|_| limit + limit / 100));
        let of_ranks = ratio(&startup, &control, 0.01).unwrap();
        assert!(
            of_ranks.lower > 1.03,
            "the ranks alone would err: {of_ranks:?}"
        );
        assert!(!longer(&startup, &control, 1.03, 0.01));
        let slower = histogram((0..5_000).map(|_| limit + limit / 20));
        assert!(longer(&slower, &control, 1.03, 0.01));
    }

    #[test]
    fn times_beyond_the_largest_bucket_are_compared_as_longest() {
        let control = histogram((0..1_000).map(|index| 50_000 + index));
        let startup = histogram((0..1_000).map(|index| match index % 2 {
            0 => 100_000_000,
            _ => 50_000 + index,
        }));
        assert!(longer(&startup, &control, 1.03, 0.01));
    }

    proptest! {
        /// P(X > Y) from the histograms is that of all pairs, with ties as 1/2 for each.
        #[test]
        fn without_a_ratio_it_is_the_statistic_of_mann_and_whitney(
            x in prop::collection::vec(0u64..200_000, 1..40),
            y in prop::collection::vec(0u64..200_000, 1..40),
        ) {
            let bucket = |value: &u64| Scale::Time.bucket_of(*value);
            let wins: f64 = x.iter().flat_map(|x| y.iter().map(move |y| {
                match bucket(x).cmp(&bucket(y)) {
                    std::cmp::Ordering::Greater => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Less => 0.0,
                }
            })).sum();
            let expected = wins / (x.len() * y.len()) as f64;
            let (startup, control) = (Spread::of(&histogram(x)), Spread::of(&histogram(y)));
            prop_assert!((startup.beyond(&control, 1.0).0 - expected).abs() < 1e-9);
            prop_assert!((control.beyond(&startup, 1.0).0 - (1.0 - expected)).abs() < 1e-9);
        }

        #[test]
        fn exchanged_groups_have_the_inverse_ratio(
            x in prop::collection::vec(2_000u64..2_000_000, 300..400),
            y in prop::collection::vec(2_000u64..2_000_000, 300..400),
        ) {
            let (x, y) = (histogram(x), histogram(y));
            let (one, other) = (ratio(&x, &y, 0.01).unwrap(), ratio(&y, &x, 0.01).unwrap());
            prop_assert!((one.estimate * other.estimate - 1.0).abs() < 1e-4);
            prop_assert!((one.lower * other.upper - 1.0).abs() < 1e-4);
            prop_assert!(one.lower <= one.estimate && one.estimate <= one.upper);
        }
    }
}
