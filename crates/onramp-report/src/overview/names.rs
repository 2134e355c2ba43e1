//! Names for the groups of a report: what differs between them.

use crate::condition::{joined, Condition};
use crate::summary::Group;
use onramp_plot::units::printable;

/// The conditions by which the groups of a report differ, which name them.
#[derive(Debug)]
pub(crate) struct Names {
    differing: Vec<Condition>,
    /// The conditions that all groups share, as text.
    common: Vec<String>,
    /// Whether `common` has the host, and the number of repeats.
    has_host: bool,
    has_repeats: bool,
}

impl Names {
    pub(crate) fn of(groups: &[Group<'_>]) -> Names {
        let differs = |condition: &Condition| {
            let mut values = groups.iter().map(|group| condition.value(group.first()));
            let first = values.next();
            values.any(|value| Some(value) != first)
        };
        let differing: Vec<Condition> = Condition::ALL.into_iter().filter(differs).collect();
        let same = |of: fn(&Group<'_>) -> Option<String>| {
            let first = groups.first().and_then(of);
            first.filter(|first| groups.iter().all(|group| of(group).as_ref() == Some(first)))
        };
        let (host, repeats) = (same(host), same(|group| group.repeats()));
        let of_path = groups.first().map(|first| {
            let shared = Condition::OF_PATH
                .iter()
                .filter(|one| !differing.contains(one));
            let shown = shared.filter(|one| !one.is_default(first.first()));
            shown.map(|one| one.text(first.first())).collect::<Vec<_>>()
        });
        Names {
            has_host: host.is_some(),
            has_repeats: repeats.is_some(),
            common: of_path
                .into_iter()
                .flatten()
                .chain(host)
                .chain(repeats)
                .collect(),
            differing,
        }
    }

    /// The conditions by which the groups differ.
    pub(crate) fn differing(&self) -> &[Condition] {
        &self.differing
    }

    /// The name of a group. The only group has its scenario and size as name.
    pub(crate) fn name(&self, group: &Group<'_>) -> String {
        self.name_without(group, None)
    }

    /// The same, below a heading that has one of the conditions.
    pub(crate) fn name_without(&self, group: &Group<'_>, known: Option<Condition>) -> String {
        let parts = self.differing.iter().filter(|one| Some(**one) != known);
        let name = joined(parts.map(|one| one.text(group.first())));
        match name.as_str() {
            "" => group.title(),
            _ => name,
        }
    }

    /// What all groups have in common: `50 Mbit/s · 600 ms · queue 0.4 bdp · kernel · 3 runs each`.
    pub(crate) fn common(&self) -> String {
        joined(self.common.iter().cloned())
    }

    /// Host and number of repeats of a group, where they are not common to all.
    pub(crate) fn own(&self, group: &Group<'_>) -> String {
        let host = host(group).filter(|_| !self.has_host);
        let repeats = group.repeats().filter(|_| !self.has_repeats);
        joined(host.into_iter().chain(repeats))
    }
}

fn host(group: &Group<'_>) -> Option<String> {
    (!group.has_mixed_hosts).then(|| printable(&group.first().host))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::groups;
    use onramp_testing::samples::record;

    #[test]
    fn groups_are_named_by_what_differs_between_them() {
        let mut records = vec![record("a", "none", "cubic", 1); 3];
        records[1].size_bytes = 5_000_000;
        (records[2].loss, records[2].path) = ("0.1 %".to_owned(), "codel".to_owned());
        let groups = groups(&records);
        let names = Names::of(&groups);
        let shown: Vec<String> = groups.iter().map(|group| names.name(group)).collect();
        assert_eq!(
            shown,
            [
                "1 MB · loss 0 % · plain path",
                "5 MB · loss 0 % · plain path",
                "1 MB · loss 0.1 % · codel"
            ]
        );
        assert_eq!(
            names.common(),
            "50 Mbit/s · 600 ms · queue 0.5 bdp · receive buffer 64 MiB · sim · 1 run each"
        );
        assert_eq!(
            names.name_without(&groups[2], Some(Condition::Size)),
            "loss 0.1 % · codel"
        );
    }

    #[test]
    fn a_single_group_has_the_name_of_its_scenario_and_size() {
        let records = [record("a", "none", "cubic", 1)];
        let groups = groups(&records);
        assert_eq!(Names::of(&groups).name(&groups[0]), "a · 1 MB");
    }
}
