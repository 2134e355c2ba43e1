//! The axes of a sweep: the conditions by which groups differ, with few enough values to show.

use crate::condition::{joined, Condition};
use crate::summary::Group;
use std::collections::BTreeSet;

/// Maximum number of values of an axis. Beyond it, numbers are put into bins, and text has no axis.
const MAX_VALUES: usize = 16;
/// Number of bins.
const BINS: usize = 8;

/// One axis, with the place of each group on it.
#[derive(Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) condition: Condition,
    /// What varies along the axis: the condition, and others that vary with it.
    pub(crate) name: String,
    /// Names of its values or bins, in their order.
    pub(crate) names: Vec<String>,
    /// The value or bin of each group: a position in `names`.
    pub(crate) of_group: Vec<usize>,
}

/// The groups that have one of the values of a condition.
struct Value {
    text: String,
    number: Option<(f64, String)>,
}

impl Axis {
    /// The axes of these conditions. Conditions that vary together, such as rate and RTT of two
    /// paths, share an axis: their effects cannot be told apart.
    pub(crate) fn all(conditions: &[Condition], groups: &[Group<'_>]) -> Vec<Axis> {
        let mut axes: Vec<Axis> = Vec::new();
        for axis in conditions.iter().filter_map(|one| Axis::of(*one, groups)) {
            match axes
                .iter_mut()
                .find_map(|known| Some((axis.places_in(known)?, known)))
            {
                Some((places, known)) => known.add(&axis, &places),
                None => axes.push(axis),
            }
        }
        axes
    }

    /// For each value of `known` the value that the same groups have here; `None` where the two
    /// axes divide the groups differently.
    fn places_in(&self, known: &Axis) -> Option<Vec<usize>> {
        let mut places = vec![None; known.names.len()];
        for (here, there) in self.of_group.iter().zip(&known.of_group) {
            if *places[*there].get_or_insert(*here) != *here {
                return None;
            }
        }
        let places: Vec<usize> = places.into_iter().collect::<Option<_>>()?;
        let distinct: BTreeSet<usize> = places.iter().copied().collect();
        (distinct.len() == places.len() && places.len() == self.names.len()).then_some(places)
    }

    fn add(&mut self, other: &Axis, places: &[usize]) {
        self.name = format!("{}, {}", self.name, other.name);
        for (name, place) in self.names.iter_mut().zip(places) {
            *name = joined([name.clone(), other.names[*place].clone()]);
        }
    }

    /// The axis of a condition; `None` where the groups do not differ in it, or in too many texts.
    pub(crate) fn of(condition: Condition, groups: &[Group<'_>]) -> Option<Axis> {
        let mut values: Vec<Value> = Vec::new();
        let texts: Vec<String> = groups
            .iter()
            .map(|group| condition.value(group.first()))
            .collect();
        for (text, group) in texts.iter().zip(groups) {
            if !values.iter().any(|value| value.text == *text) {
                values.push(Value {
                    text: text.clone(),
                    number: condition.number(group.first()),
                });
            }
        }
        let has_order = has_order(&values);
        if has_order {
            let number = |value: &Value| value.number.as_ref().map_or(f64::NAN, |n| n.0);
            values.sort_by(|a, b| number(a).total_cmp(&number(b)));
        }
        let place = |text: &String| values.iter().position(|value| value.text == *text);
        let places: Vec<usize> = texts.iter().filter_map(place).collect();
        match values.len() {
            0 | 1 => None,
            count if count <= MAX_VALUES => Some(Axis {
                condition,
                name: condition.name().to_owned(),
                names: values.into_iter().map(|value| value.text).collect(),
                of_group: places,
            }),
            _ if has_order => Some(binned(condition, &values, &places)),
            _ => None,
        }
    }
}

/// Whether all values are numbers of one unit.
fn has_order(values: &[Value]) -> bool {
    let unit = |value: &Value| value.number.as_ref().map(|(_, unit)| unit.clone());
    let first = values.first().and_then(unit);
    first.is_some() && values.iter().all(|value| unit(value) == first)
}

/// Bins with the same number of values each, as far as that is possible.
fn binned(condition: Condition, values: &[Value], places: &[usize]) -> Axis {
    let bin = |place: usize| place * BINS / values.len();
    let name = |number: usize| {
        let mut inside = (0..values.len()).filter(|place| bin(*place) == number);
        let first = inside.next().unwrap_or(0);
        let last = inside.next_back().unwrap_or(first);
        format!("{} to {}", values[first].text, values[last].text)
    };
    Axis {
        condition,
        name: condition.name().to_owned(),
        names: (0..BINS).map(name).collect(),
        of_group: places.iter().map(|place| bin(*place)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::groups;
    use onramp_results::Record;
    use onramp_testing::samples::record;

    fn records(change: impl Fn(u64, &mut Record), count: u64) -> Vec<Record> {
        let one = |number: u64| {
            let mut one = record("a", "none", "cubic", 1);
            change(number, &mut one);
            one
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn numbers_are_in_order_and_texts_as_they_appear() {
        let queues = ["2 bdp", "0.5 bdp", "1 bdp"];
        let differing = records(|at, one| one.queue = queues[at as usize].to_owned(), 3);
        let axis = Axis::of(Condition::Queue, &groups(&differing)).unwrap();
        assert_eq!(axis.names, ["0.5 bdp", "1 bdp", "2 bdp"]);
        assert_eq!(axis.of_group, [2, 0, 1]);
        let queues = ["2 bdp", "40 packets"];
        let differing = records(|at, one| one.queue = queues[at as usize].to_owned(), 2);
        let axis = Axis::of(Condition::Queue, &groups(&differing)).unwrap();
        assert_eq!(axis.names, queues);
        assert_eq!(Axis::of(Condition::Rate, &groups(&differing)), None);
    }

    #[test]
    fn conditions_that_vary_together_share_an_axis() {
        let paths = [
            (1, 560.0, "20 KiB"),
            (50, 600.0, "0.25 bdp"),
            (1, 560.0, "40 KiB"),
        ];
        let differing = records(
            |at, one| {
                let (mbit_s, rtt_ms, queue) = paths[at as usize];
                one.rate_bits_per_s = mbit_s * 1_000_000;
                (one.rtt_ms, one.queue) = (rtt_ms, queue.to_owned());
            },
            3,
        );
        let conditions = [Condition::Rate, Condition::Rtt, Condition::Queue];
        let axes = Axis::all(&conditions, &groups(&differing));
        let names: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
        assert_eq!(names, ["rate, RTT", "queue"]);
        assert_eq!(axes[0].names, ["1 Mbit/s · 560 ms", "50 Mbit/s · 600 ms"]);
    }

    #[test]
    fn many_numbers_are_put_into_bins_and_many_texts_have_no_axis() {
        let rates = records(|at, one| one.rate_bits_per_s = (at + 1) * 1_000_000, 40);
        let axis = Axis::of(Condition::Rate, &groups(&rates)).unwrap();
        assert_eq!(axis.names.len(), BINS);
        assert_eq!(axis.names[0], "1 Mbit/s to 5 Mbit/s");
        assert_eq!(axis.names[7], "36 Mbit/s to 40 Mbit/s");
        assert_eq!((axis.of_group[0], axis.of_group[39]), (0, 7));
        let paths = records(|at, one| one.path = format!("path {at}"), 40);
        assert_eq!(Axis::of(Condition::Path, &groups(&paths)), None);
    }
}
