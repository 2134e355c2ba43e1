//! The families of paths that are compared where a user names no files, and the rows of
//! `docs/real-paths.md`. Both are listed in `families.toml`.

use onramp_scenario::units::parse_time;
use onramp_scenario::{Error, Scenario};
use serde::Deserialize;
use std::path::Path;
use toml::{toml, Table, Value};

/// Paths of one kind.
#[derive(Clone, Debug)]
pub struct Family {
    /// Its short name, in tables and on the command line.
    pub name: String,
    /// What its paths have in common.
    pub what: String,
    /// Its scenarios. Their start-ups are replaced.
    pub scenarios: Vec<Scenario>,
}

/// A row of the table of `docs/real-paths.md`.
#[derive(Clone, Debug)]
pub struct RealPaths {
    /// Its name in the table.
    pub name: String,
    /// What it shows.
    pub kind: Kind,
    /// What start-up `onramp` is to reach.
    pub target: String,
    /// Its scenarios, with the start-ups that are compared.
    pub scenarios: Vec<Scenario>,
}

/// What a row of the table of `docs/real-paths.md` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Transfers, one in a run.
    Single,
    /// The same, in cells with a large BDP alone: on exact paths and fast links.
    Long,
    /// The same, with policers, where losses are compared with CUBIC's alone.
    Policed,
    /// The same, where the receiver's buffer limits.
    DefaultBuffers,
    /// The same, over recorded or generated traces.
    Cellular,
    /// Several transfers in a run.
    Together,
    /// A transfer beside a long flow.
    Beside,
}

/// The scenario files that `families.toml` may name: their names without extension, and their
/// texts.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// The end of the names of families of the second set ([`tried_families`]).
pub const SECOND: &str = ", second";

/// The content of `families.toml`, which describes the fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    spacings: Vec<String>,
    groups: Vec<Group>,
    families: Vec<FamilyDraft>,
    kernel: FamilyDraft,
    first: Vec<FamilyDraft>,
    second: Vec<FamilyDraft>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    kind: Kind,
    target: String,
    aggregate: Option<String>,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    files: Vec<String>,
    count: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FamilyDraft {
    name: String,
    what: String,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    rows: Vec<String>,
    #[serde(default)]
    vary: Table,
}

/// All families, in the order of tables. Recordings are a family of their own:
/// [`recorded_families`](crate::recorded_families).
pub fn families() -> Vec<Family> {
    let set = Set::read();
    set.families.iter().map(|draft| set.family(draft)).collect()
}

/// The two sets of families over which `make try` runs a variant of an algorithm. Names of the
/// second set end with [`SECOND`].
pub fn tried_families() -> Vec<Family> {
    let set = Set::read();
    let second = |draft: &FamilyDraft| Family {
        name: format!("{}{SECOND}", draft.name),
        ..set.family(draft)
    };
    let first = set.first.iter().map(|draft| set.family(draft));
    first.chain(set.second.iter().map(second)).collect()
}

/// The paths that are run on the kernel too.
pub fn kernel_family() -> Family {
    let set = Set::read();
    set.family(&set.kernel)
}

/// The rows of the table of `docs/real-paths.md`, in its order. `folder` is `scenarios/real` of the
/// repository: one scenario names traces.
pub fn real_paths(folder: &Path) -> Vec<RealPaths> {
    let set = Set::read();
    let of_group = |group: &Group| -> Vec<RealPaths> {
        let row = |row: &Row| set.real_paths(group, row, folder);
        group.rows.iter().map(row).collect()
    };
    set.groups.iter().flat_map(of_group).collect()
}

impl Set {
    fn read() -> Set {
        let set = toml::from_str(include_str!("../families.toml"));
        set.unwrap_or_else(|error| panic!("families.toml: {error}"))
    }

    fn family(&self, draft: &FamilyDraft) -> Family {
        let of_row = |name: &String| {
            let mut rows = self.groups.iter().flat_map(|group| &group.rows);
            let row = rows.find(|row| row.name == *name);
            &row.unwrap_or_else(|| panic!("families.toml has no row `{name}`"))
                .files
        };
        let files = draft.files.iter().chain(draft.rows.iter().flat_map(of_row));
        Family {
            name: draft.name.clone(),
            what: draft.what.clone(),
            scenarios: files.map(|file| shipped(file, &draft.vary, None)).collect(),
        }
    }

    fn real_paths(&self, group: &Group, row: &Row, folder: &Path) -> RealPaths {
        let changes: Vec<Table> = match row.count {
            None => vec![Table::new()],
            Some(count) => self
                .spacings
                .iter()
                .map(|spacing| together(count, spacing))
                .collect(),
        };
        let of_file = |file: &String| -> Vec<Scenario> {
            let scenario = |changes| shipped(file, changes, Some(folder));
            changes.iter().map(scenario).collect()
        };
        let mut scenarios: Vec<Scenario> = row.files.iter().flat_map(of_file).collect();
        if let Some(time) = &group.aggregate {
            let ns = parse_time(time).unwrap_or_else(|error| panic!("families.toml: {error}"));
            for scenario in &mut scenarios {
                scenario.cases.retain(|case| {
                    let aggregation = case.path.reverse.aggregation.as_ref();
                    aggregation.is_some_and(|aggregation| aggregation.interval_ns == ns)
                });
            }
        }
        RealPaths {
            name: row.name.clone(),
            kind: group.kind,
            target: group.target.clone(),
            scenarios,
        }
    }
}

/// The keys of several transfers that start some time apart.
fn together(count: u32, spacing: &str) -> Table {
    toml! {
        [[transfer]]
        count = count
        spacing = spacing
    }
}

/// [`varied`], of a file that has no mistakes.
fn shipped(file: &str, changes: &Table, folder: Option<&Path>) -> Scenario {
    varied(file, changes, folder, file).unwrap_or_else(|error| panic!("{error}"))
}

/// The scenario of an embedded file in which these keys stand instead of its own. It names other
/// files from `folder` on. The last argument is its name in messages.
///
/// # Errors
/// The keys are wrong, or a file that they name is.
pub(crate) fn varied(
    file: &str,
    changes: &Table,
    folder: Option<&Path>,
    shown_as: &str,
) -> Result<Scenario, Error> {
    let text = FILES.iter().find(|(name, _)| *name == file);
    let (_, text) = text.unwrap_or_else(|| panic!("there is no scenario file `{file}`"));
    let document = text.parse::<Table>();
    let mut document = document.unwrap_or_else(|error| panic!("{file}: {error}"));
    replace(&mut document, changes);
    onramp_scenario::parse_in(folder, shown_as, &document.to_string())
}

/// Replaces values of a table. Tables in it keep their other keys; in an array of tables the n-th
/// table changes the n-th.
fn replace(table: &mut Table, changes: &Table) {
    for (key, change) in changes {
        match (table.get_mut(key), change) {
            (Some(Value::Table(table)), Value::Table(changes)) => replace(table, changes),
            (Some(Value::Array(tables)), Value::Array(changes))
                if changes.iter().all(Value::is_table) =>
            {
                for (table, changes) in tables.iter_mut().zip(changes) {
                    if let (Value::Table(table), Value::Table(changes)) = (table, changes) {
                        replace(table, changes);
                    }
                }
            }
            _ => {
                table.insert(key.clone(), change.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn all_files_are_scenarios_and_all_names_differ() {
        for families in [families(), tried_families()] {
            check_families(&families);
        }
    }

    fn check_families(families: &[Family]) {
        let names: BTreeSet<_> = families.iter().map(|family| &family.name).collect();
        assert_eq!(names.len(), families.len());
        assert!(families
            .iter()
            .flat_map(|family| &family.scenarios)
            .all(|scenario| !scenario.cases.is_empty()));
    }

    #[test]
    fn the_kernel_runs_what_the_lab_carries_exactly() {
        let family = kernel_family();
        let cases = &family.scenarios[0].cases;
        assert!(cases
            .iter()
            .all(|case| case.path.forward.rate_bits_per_s <= 50_000_000));
        assert_eq!(cases.len(), 2 * 12, "two start-ups of the file");
    }

    #[test]
    fn keys_are_replaced_in_the_tables_that_have_them() {
        let mut table: Table = "a = [1]\n[b]\nc = 1\nd = 2\n[[e]]\nf = 3\ng = 4"
            .parse()
            .unwrap();
        let changes = "a = 5\n[b]\nc = [6]\n[[e]]\nf = 7".parse().unwrap();
        replace(&mut table, &changes);
        let wanted: Table = "a = 5\n[b]\nc = [6]\nd = 2\n[[e]]\nf = 7\ng = 4"
            .parse()
            .unwrap();
        assert_eq!(table, wanted);
    }
}
