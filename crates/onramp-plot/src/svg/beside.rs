//! Places labels beside a vertical line, each as near to its wanted position as the others allow.

/// The positions of labels that do not overlap and lie between `top` and `bottom`.
///
/// `wanted` are the wanted upper edges in ascending order, `heights` the heights, all in pixels.
/// The sum of the squares of the displacements is minimal. Where there is no room for all labels,
/// they begin at `top` and reach beyond `bottom`.
pub fn spread(wanted: &[f64], heights: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    // Subtract from each position the heights of all labels before it. Then the only condition is
    // that the positions do not decrease, which is an isotonic regression. The algorithm "pool
    // adjacent violators" solves it, and clamping its solution to bounds solves it within them.
    let mut before = 0.0;
    let mut pools: Vec<Pool> = Vec::new();
    for (wanted, height) in wanted.iter().zip(heights) {
        let mut pool = Pool {
            sum: wanted - before,
            labels: 1,
        };
        while let Some(above) = pools.pop_if(|above| above.mean() >= pool.mean()) {
            pool = Pool {
                sum: above.sum + pool.sum,
                labels: above.labels + pool.labels,
            };
        }
        pools.push(pool);
        before += height;
    }
    let lowest = (bottom - before).max(top);
    let means = pools
        .iter()
        .flat_map(|pool| std::iter::repeat_n(pool.mean().max(top).min(lowest), pool.labels));
    let mut before = 0.0;
    let place = |(mean, height): (f64, &f64)| {
        let place = mean + before;
        before += height;
        place
    };
    means.zip(heights).map(place).collect()
}

/// Labels that touch each other.
struct Pool {
    sum: f64,
    labels: usize,
}

impl Pool {
    fn mean(&self) -> f64 {
        self.sum / self.labels as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_with_room_stay_where_they_want_to_be() {
        assert_eq!(
            spread(&[10.0, 30.0, 50.0], &[10.0; 3], 0.0, 100.0),
            [10.0, 30.0, 50.0]
        );
        assert!(spread(&[], &[], 0.0, 100.0).is_empty());
    }

    #[test]
    fn labels_of_one_place_move_apart_to_both_sides() {
        assert_eq!(
            spread(&[50.0, 50.0, 50.0, 90.0], &[10.0; 4], 0.0, 100.0),
            [40.0, 50.0, 60.0, 90.0]
        );
    }

    #[test]
    fn labels_stay_between_top_and_bottom() {
        assert_eq!(
            spread(&[0.0, 1.0, 99.0, 100.0], &[10.0; 4], 0.0, 100.0),
            [0.0, 10.0, 80.0, 90.0]
        );
        assert_eq!(
            spread(&[5.0; 3], &[10.0; 3], 0.0, 20.0),
            [0.0, 10.0, 20.0],
            "no room: beyond the bottom"
        );
    }

    #[test]
    fn a_tall_label_takes_more_room() {
        assert_eq!(
            spread(&[10.0, 20.0], &[30.0, 10.0], 0.0, 100.0),
            [0.0, 30.0]
        );
    }
}
