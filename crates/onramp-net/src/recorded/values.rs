//! One recorded quantity.

use std::fmt;
use std::sync::Arc;

/// A recorded quantity. Each value holds until the next one. Then the recording begins again.
#[derive(Clone, PartialEq, Eq)]
pub struct RecordedValues {
    /// The values, each with the time since the beginning until which it holds. The times increase,
    /// and there is at least one.
    rows: Vec<(u64, u64)>,
}

/// A recorded quantity of a link whose run begins somewhere in the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The recording.
    pub values: Arc<RecordedValues>,
    /// The time of the recording at which the run begins.
    pub offset_ns: u64,
}

/// The values of a recording from some time on, each with the time at which it begins. The first
/// begins at that time. There is always a next one.
#[derive(Clone, Debug)]
pub struct RecordedSteps {
    values: Arc<RecordedValues>,
    row: usize,
    /// The time of the recording at the next step.
    at_ns: u64,
    next_ns: u64,
}

impl RecordedValues {
    /// Values with the times until which they hold.
    pub(super) fn new(rows: Vec<(u64, u64)>) -> RecordedValues {
        debug_assert!(rows.is_sorted_by(|a, b| a.0 < b.0) && rows.first().is_some_and(|r| r.0 > 0));
        RecordedValues { rows }
    }

    /// Length of the recording, after which it begins again.
    pub fn length_ns(&self) -> u64 {
        self.rows.last().map_or(1, |(end_ns, _)| *end_ns)
    }

    /// The values, in their order.
    pub fn values(&self) -> impl Iterator<Item = u64> + '_ {
        self.rows.iter().map(|(_, value)| *value)
    }

    /// The mean over time.
    pub fn mean(&self) -> u64 {
        let mut begin_ns = 0;
        let mut sum = 0u128;
        for (end_ns, value) in &self.rows {
            sum += u128::from(end_ns - begin_ns) * u128::from(*value);
            begin_ns = *end_ns;
        }
        u64::try_from(sum / u128::from(self.length_ns())).unwrap_or(u64::MAX)
    }

    /// The minimum and the maximum.
    pub fn range(&self) -> (u64, u64) {
        let (min, max) = (self.values().min(), self.values().max());
        (min.unwrap_or(0), max.unwrap_or(0))
    }

    /// The row that holds at this time of the recording.
    fn at(&self, time_ns: u64) -> usize {
        self.rows.partition_point(|(end_ns, _)| *end_ns <= time_ns)
    }
}

impl Recorded {
    /// The values of a run from this time since its beginning on.
    pub fn from(&self, since_ns: u64) -> RecordedSteps {
        let length_ns = self.values.length_ns();
        let at_ns = (self.offset_ns % length_ns + since_ns % length_ns) % length_ns;
        RecordedSteps {
            values: self.values.clone(),
            row: self.values.at(at_ns),
            at_ns,
            next_ns: since_ns,
        }
    }
}

impl Iterator for RecordedSteps {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        let (end_ns, value) = self.values.rows[self.row];
        let begins_ns = self.next_ns;
        self.next_ns = begins_ns.saturating_add(end_ns - self.at_ns);
        self.row = (self.row + 1) % self.values.rows.len();
        self.at_ns = end_ns % self.values.length_ns();
        Some((begins_ns, value))
    }
}

/// Without the rows, of which there may be millions.
impl fmt::Debug for RecordedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedValues")
            .field("count", &self.rows.len())
            .field("length_ns", &self.length_ns())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn recorded(rows: &[(u64, u64)], offset_ns: u64) -> Recorded {
        let values = Arc::new(RecordedValues::new(rows.to_vec()));
        Recorded { values, offset_ns }
    }

    const ROWS: [(u64, u64); 3] = [(10, 7), (30, 0), (50, 9)];

    fn steps(offset_ns: u64, since_ns: u64, count: usize) -> Vec<(u64, u64)> {
        recorded(&ROWS, offset_ns)
            .from(since_ns)
            .take(count)
            .collect()
    }

    #[test]
    fn mean_and_range_are_over_time() {
        let values = recorded(&ROWS, 0).values;
        assert_eq!((values.length_ns(), values.mean()), (50, 5));
        assert_eq!(values.range(), (0, 9));
    }

    #[test]
    fn rows_follow_each_other_and_the_recording_repeats() {
        let five = [(0, 7), (10, 0), (30, 9), (50, 7), (60, 0)];
        assert_eq!(steps(0, 0, 5), five);
    }

    #[test]
    fn a_run_may_begin_within_a_row() {
        assert_eq!(steps(15, 0, 3), [(0, 0), (15, 9), (35, 7)]);
        assert_eq!(steps(65, 0, 3), steps(15, 0, 3));
        assert_eq!(steps(10, 0, 2), [(0, 0), (20, 9)]);
        assert_eq!(steps(9, 0, 2), [(0, 7), (1, 0)]);
    }

    proptest! {
        /// The value at a time is the same from wherever one looks, and an offset shifts it.
        #[test]
        fn an_offset_and_a_later_look_shift_the_same_values(
            parts in proptest::collection::vec((1u64..40, 0u64..5), 1..8),
            offset_ns in 0u64..400,
            since_ns in 0u64..400,
            after_ns in 0u64..200,
        ) {
            let mut end_ns = 0;
            let rows: Vec<_> = parts.iter().map(|(length_ns, value)| {
                end_ns += length_ns;
                (end_ns, *value)
            }).collect();
            let holds = |steps: RecordedSteps, at_ns: u64| {
                steps.take_while(|(begins_ns, _)| *begins_ns <= at_ns).last().unwrap().1
            };
            let at_ns = since_ns + after_ns;
            let wanted = rows[rows.partition_point(|row| row.0 <= (offset_ns + at_ns) % end_ns)].1;
            let one = recorded(&rows, offset_ns);
            prop_assert_eq!(holds(one.from(0), at_ns), wanted);
            prop_assert_eq!(holds(one.from(since_ns), at_ns), wanted);
            prop_assert_eq!(holds(recorded(&rows, offset_ns + since_ns).from(0), after_ns), wanted);
        }
    }
}
