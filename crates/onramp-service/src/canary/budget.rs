//! The retransmission budget: a bound on the start-up's own share of retransmitted segments.

use super::{shares, Settings};
use crate::counts::Segments;
use serde::{Deserialize, Serialize};

/// Watches the retransmitted share of a policy's start-up group, over windows of
/// [`Settings::test_connections`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// The counts when the window began.
    baseline: Segments,
    /// Windows that have begun.
    window: u64,
}

impl Budget {
    /// Begins with what was counted so far.
    pub fn new(segments: &Segments) -> Budget {
        Budget {
            baseline: *segments,
            window: 1,
        }
    }

    /// The measured share, if it is certain that it is beyond the budget.
    pub fn look(&mut self, segments: &Segments, settings: &Settings) -> Option<f64> {
        let budget = settings.retransmission_budget?;
        if segments.connections < self.baseline.connections {
            *self = Budget::new(&Segments::default()); // the kernel's maps are new
        }
        let since = segments.since(&self.baseline);
        let error_rate = settings.error_rate_of(self.window);
        let is_beyond = since.connections >= settings.min_connections
            && shares::lower_limit(&since, error_rate).is_some_and(|share| share > budget);
        if is_beyond {
            return since.retransmitted_share();
        }
        if since.connections >= settings.test_connections {
            self.baseline = *segments;
            self.window += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(budget: Option<f64>) -> Settings {
        Settings {
            retransmission_budget: budget,
            test_connections: 1_000,
            ..Settings::default()
        }
    }

    fn add(segments: &mut Segments, connections: u64, retransmitted: u64) {
        (0..connections).for_each(|number| segments.add(100, retransmitted + number % 2));
    }

    #[test]
    fn a_share_beyond_the_budget_is_found_after_months_of_good_ones() {
        let settings = settings(Some(0.05));
        let mut segments = Segments::default();
        let mut budget = Budget::new(&segments);
        for _ in 0..1_000 {
            add(&mut segments, 500, 2);
            assert_eq!(budget.look(&segments, &settings), None);
        }
        add(&mut segments, 300, 20);
        let share = budget.look(&segments, &settings).unwrap();
        assert!(share > 0.05, "{share}");
    }

    #[test]
    fn without_a_budget_and_with_few_connections_nothing_is_said() {
        let mut segments = Segments::default();
        let mut budget = Budget::new(&segments);
        add(&mut segments, 100, 50);
        assert_eq!(budget.look(&segments, &settings(Some(0.01))), None);
        add(&mut segments, 900, 50);
        assert_eq!(budget.look(&segments, &settings(None)), None);
        assert!(budget.look(&segments, &settings(Some(0.01))).is_some());
    }

    #[test]
    fn new_maps_begin_a_new_window() {
        let mut segments = Segments::default();
        add(&mut segments, 10_000, 0);
        let mut budget = Budget::new(&segments);
        let mut renewed = Segments::default();
        add(&mut renewed, 300, 20);
        assert!(budget.look(&renewed, &settings(Some(0.05))).is_some());
    }
}
