//! Thins long traces to fewer points that look the same. The extremes stay.

/// Positions to keep of `len` items: the first, the last, the minimum and the maximum of each
/// bucket. The items are divided into `buckets` buckets of equal length.
pub fn keep(len: usize, buckets: usize, value: impl Fn(usize) -> f64) -> Vec<usize> {
    let buckets = buckets.max(1);
    if len <= buckets * 4 {
        return (0..len).collect();
    }
    let bucket_of = |at: usize| (at as u128 * buckets as u128 / len as u128) as usize;
    extremes(len, bucket_of, value)
}

/// The same for a line on a plot. The buckets are columns of equal width between `from` and `to`.
/// Points with a coordinate that is not finite are left out, the others are sorted by x.
pub fn line(points: &[(f64, f64)], from: f64, to: f64, columns: usize) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = points
        .iter()
        .copied()
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect();
    // A stable sort: points of one time stay in order.
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let width = (to - from) / columns.max(1) as f64;
    if points.len() <= columns * 4 || !width.is_finite() || width <= 0.0 {
        return points;
    }
    // The cast saturates: points outside belong to the first or the last column.
    let bucket_of = |at: usize| ((points[at].0 - from) / width) as usize;
    extremes(points.len(), bucket_of, |at| points[at].1)
        .into_iter()
        .map(|at| points[at])
        .collect()
}

fn extremes(
    len: usize,
    bucket_of: impl Fn(usize) -> usize,
    value: impl Fn(usize) -> f64,
) -> Vec<usize> {
    let mut kept = Vec::new();
    let mut start = 0;
    while start < len {
        let bucket = bucket_of(start);
        let mut end = start + 1;
        while end < len && bucket_of(end) == bucket {
            end += 1;
        }
        let (mut min, mut max) = (start, start);
        for at in start..end {
            if value(at) < value(min) {
                min = at;
            }
            if value(at) > value(max) {
                max = at;
            }
        }
        let mut four = [start, min, max, end - 1];
        four.sort_unstable();
        for at in four {
            if kept.last() != Some(&at) {
                kept.push(at);
            }
        }
        start = end;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spike_survives() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|i| (i as f64, 1.0)).collect();
        points[51_234].1 = 99.0;
        let thin = line(&points, 0.0, 100_000.0, 200);
        assert!(thin.len() <= 800, "{}", thin.len());
        assert!(thin.contains(&(51_234.0, 99.0)));
        assert_eq!((thin[0].0, thin[thin.len() - 1].0), (0.0, 99_999.0));
    }

    #[test]
    fn short_lists_are_kept_whole() {
        assert_eq!(keep(3, 1, |_| 0.0), [0, 1, 2]);
        assert_eq!(keep(0, 0, |_| 0.0), Vec::<usize>::new());
    }
}
