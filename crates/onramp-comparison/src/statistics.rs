//! Medians, quantiles, geometric means and intervals.

/// The median; of an even number of values the mean of the middle two. NaN without values.
pub fn median(mut values: Vec<f64>) -> f64 {
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

/// The 95 % interval of the geometric mean of independent values (Student's t of their
/// logarithms). `None` for fewer than two values, or if they are all the same.
pub fn interval_of_geometric_mean(values: &[f64]) -> Option<[f64; 2]> {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let centre = mean(&logs)?;
    let freedom = logs.len() - 1;
    let variance = logs.iter().map(|log| (log - centre).powi(2)).sum::<f64>() / freedom as f64;
    if !variance.is_finite() || variance < f64::EPSILON * f64::EPSILON {
        return None;
    }
    let half = student_t(freedom) * (variance / logs.len() as f64).sqrt();
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
    /// That of the normal distribution.
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
        assert!(median(Vec::new()).is_nan());
        let hundred = || (1..=100).map(f64::from).collect::<Vec<_>>();
        assert_eq!(quantile(hundred(), 0.95), 95.0);
        assert_eq!(quantile(hundred(), 0.05), 5.0);
        assert_eq!(quantile(vec![7.0], 0.05), 7.0);
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

    /// Five values whose logarithms are -2, -1, 0, 1, 2: the deviation is 1.5811, and 2.776 of its
    /// fifth root are 1.963.
    #[test]
    fn the_interval_is_that_of_students_t() {
        let values: Vec<f64> = (-2..=2).map(|log| f64::from(log).exp()).collect();
        let [low, high] = interval_of_geometric_mean(&values).unwrap();
        assert!((high.ln() - 1.963).abs() < 1e-3, "{high}");
        assert!((low * high - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_value_and_equal_values_have_no_interval() {
        assert_eq!(interval_of_geometric_mean(&[2.0]), None);
        assert_eq!(interval_of_geometric_mean(&[2.0, 2.0, 2.0]), None);
        assert_eq!(interval_of_geometric_mean(&[]), None);
    }
}
