//! Medians, quantiles, geometric means and intervals.

use std::borrow::Borrow;

/// The median; of an even number of values the mean of the middle two. NaN without values.
pub fn median(values: impl IntoIterator<Item = impl Borrow<f64>>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().map(|value| *value.borrow()).collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        even if even % 2 == 0 => (values[middle - 1] + values[middle]) / 2.0,
        _ => values[middle],
    }
}

/// The minimum number that this share of the values does not exceed. NaN without values.
pub fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = ((values.len() as f64 * share).ceil() as usize).max(1);
    values.get(place - 1).copied().unwrap_or(f64::NAN)
}

/// The arithmetic mean; `None` without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The geometric mean; `None` without values.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = values.into_iter().map(f64::ln).collect();
    mean(&logs).map(f64::exp)
}

/// Jain's fairness index: 1 if all values are equal, 1/n if one of n has everything.
pub fn fairness(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|value| value * value).sum();
    sum * sum / squares / values.len() as f64
}

/// The cumulative distribution: for each value, in order, the percentage of all values that do not
/// exceed it. `of` is the number of all values, at least as many as are given: a transfer that did
/// not finish has no time, and its line ends below 100 %.
pub fn cumulative(mut values: Vec<f64>, of: usize) -> Vec<(f64, f64)> {
    values.retain(|value| value.is_finite());
    values.sort_by(f64::total_cmp);
    let percent = |count: usize| 100.0 * count as f64 / of.max(count) as f64;
    let points = values.iter().enumerate();
    points
        .map(|(at, value)| (*value, percent(at + 1)))
        .collect()
}

/// A part of a mean with repeats of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Stratum {
    /// Its share of the mean. The weights of all parts add up to 1.
    pub weight: f64,
    /// The logarithm of each repeat. A part in which nothing is random has one repeat.
    pub logs: Vec<f64>,
}

/// The 95 % interval of a geometric mean over parts with independent repeats: Student's t of the
/// logarithms, with the degrees of freedom of Welch and Satterthwaite. `None` if no part has
/// several repeats that differ, or if a value is not finite.
pub fn interval_of_geometric_mean(strata: &[Stratum]) -> Option<[f64; 2]> {
    let (mut centre, mut variance, mut squares) = (0.0, 0.0, 0.0);
    for Stratum { weight, logs } in strata {
        let own = mean(logs)?;
        centre += weight * own;
        if logs.len() > 1 {
            let freedom = (logs.len() - 1) as f64;
            let deviations: f64 = logs.iter().map(|log| (log - own).powi(2)).sum();
            let of_mean = weight * weight * deviations / freedom / logs.len() as f64;
            variance += of_mean;
            squares += of_mean * of_mean / freedom;
        }
    }
    // Less than what rounding makes of equal values is no variance.
    const ROUNDING: f64 = 1e-24;
    if !variance.is_finite() || variance < ROUNDING {
        return None;
    }
    let freedom = (variance * variance / squares) as usize;
    let half = student_t(freedom.max(1)) * variance.sqrt();
    Some([(centre - half).exp(), (centre + half).exp()])
}

/// The 97.5 % quantile of Student's t with so many degrees of freedom, at least 1.
fn student_t(freedom: usize) -> f64 {
    /// From one degree of freedom on.
    const TABLE: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
        2.052, 2.048, 2.045, 2.042,
    ];
    /// The quantile of the normal distribution.
    const LARGE: f64 = 1.960;
    TABLE.get(freedom - 1).copied().unwrap_or(LARGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_quantiles() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(Vec::<f64>::new()).is_nan());
        let hundred = || (1..=100).map(f64::from).collect::<Vec<_>>();
        assert_eq!(quantile(hundred(), 0.95), 95.0);
        assert_eq!(quantile(hundred(), 0.05), 5.0);
        assert_eq!(quantile(vec![7.0], 0.05), 7.0);
    }

    #[test]
    fn a_distribution_of_transfers_that_did_not_all_finish_ends_below_all() {
        let points = cumulative(vec![3.0, 1.0, f64::NAN, 1.0], 4);
        assert_eq!(points, [(1.0, 25.0), (1.0, 50.0), (3.0, 75.0)]);
        assert_eq!(cumulative(Vec::new(), 0), []);
    }

    #[test]
    fn half_and_double_cancel_out() {
        assert!((geometric_mean([0.5, 2.0]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean([]), None);
    }

    #[test]
    fn fairness_is_between_its_ends() {
        assert_eq!(fairness(&[2.0, 2.0, 2.0]), 1.0);
        assert_eq!(fairness(&[1.0, 0.0, 0.0, 0.0]), 0.25);
    }

    fn stratum(weight: f64, logs: &[f64]) -> Stratum {
        Stratum {
            weight,
            logs: logs.to_vec(),
        }
    }

    /// The deviation of -2, -1, 0, 1, 2 is 1.5811, and 2.776 of it by the root of 5 are 1.963.
    #[test]
    fn the_interval_is_that_of_students_t() {
        let one = [stratum(1.0, &[-2.0, -1.0, 0.0, 1.0, 2.0])];
        let [low, high] = interval_of_geometric_mean(&one).unwrap();
        assert!((high.ln() - 1.963).abs() < 1e-3, "{high}");
        assert!((low * high - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_part_without_chance_narrows_the_interval() {
        let parts = [
            stratum(0.5, &[-2.0, -1.0, 0.0, 1.0, 2.0]),
            stratum(0.5, &[3.0]),
        ];
        let [low, high] = interval_of_geometric_mean(&parts).unwrap();
        assert!((high.ln() - 1.5 - 1.963 / 2.0).abs() < 1e-3, "{high}");
        assert!((low * high).ln() - 3.0 < 1e-12);
    }

    #[test]
    fn several_parts_have_more_degrees_of_freedom() {
        let half = stratum(0.5, &[-2.0, -1.0, 0.0, 1.0, 2.0]);
        let [low, high] = interval_of_geometric_mean(&[half.clone(), half]).unwrap();
        // The variance of the mean is half of 0.5, and t is 2.306 with eight degrees of freedom.
        assert!((high / low).ln() / 2.0 - 2.306 * 0.5 < 1e-3);
        assert!((high / low).ln() / 2.0 - 2.306 * 0.5 > -1e-3);
    }

    #[test]
    fn one_value_and_equal_values_have_no_interval() {
        assert_eq!(interval_of_geometric_mean(&[stratum(1.0, &[2.0])]), None);
        assert_eq!(interval_of_geometric_mean(&[stratum(1.0, &[0.1; 9])]), None);
        assert_eq!(interval_of_geometric_mean(&[]), None);
    }
}
