//! Statistics of several runs.

/// The median: for an even count the mean of the two middle values, for an empty slice NaN.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (lower, upper) = (
        sorted.get(sorted.len().wrapping_sub(1) / 2),
        sorted.get(sorted.len() / 2),
    );
    match (lower, upper) {
        (Some(lower), Some(upper)) => (lower + upper) / 2.0,
        _ => f64::NAN,
    }
}

/// The mean; NaN for an empty slice.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }
}
