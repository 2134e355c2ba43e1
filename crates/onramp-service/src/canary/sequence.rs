//! The limit that a standard score stays below, at every look, unless there is a difference.

/// The number of values, in the smaller sense of [`effective`], at which the limit is tightest.
const TIGHTEST_AT: f64 = 2_000.0;

/// A score beyond this limit, in either direction, at any of infinitely many looks has no larger
/// probability than `error_rate`, if there is no difference.
///
/// The score is the difference divided by its standard error. `values` is the number of values that
/// the difference rests on; of two samples, m n / (m + n). The limit is that of Robbins' normal
/// mixture: 3.9 for an error rate of 1/300 at 2,000 values, where a single look has 2.9.
pub fn limit(values: f64, error_rate: f64) -> f64 {
    let evidence = -2.0 * error_rate.ln();
    // The mixture's precision that makes the limit smallest at TIGHTEST_AT.
    let precision = (evidence + evidence.ln().max(0.0) + 1.0) / TIGHTEST_AT;
    let information = values * precision;
    ((1.0 + 1.0 / information) * (evidence + information.ln_1p())).sqrt()
}

/// The number of values of one sample that would give the same precision as two samples of these
/// sizes.
pub(super) fn effective(first: u64, second: u64) -> f64 {
    let (first, second) = (first as f64, second as f64);
    first * second / (first + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_near_its_best_over_a_wide_range() {
        let at = |values| limit(values, 1.0 / 300.0);
        assert!((at(2_000.0) - 3.9).abs() < 0.1, "{}", at(2_000.0));
        assert!(at(200.0) < 4.7, "{}", at(200.0));
        assert!(at(200_000.0) < 4.6, "{}", at(200_000.0));
        assert!(
            limit(2_000.0, 0.2) > 1.96,
            "more than for a single look at 5 %"
        );
    }

    #[test]
    fn a_small_group_decides_the_precision() {
        assert_eq!(effective(100, 100), 50.0);
        assert!((effective(100, 1_000_000) - 100.0).abs() < 0.1);
    }
}
