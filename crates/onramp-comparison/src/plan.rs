//! The runs of a comparison: for each start-up the same paths, sizes and seeds.

use crate::set::Family;
use crate::startup::Startup;
use onramp_results::Record;
use onramp_scenario::Case;
use std::collections::HashMap;

/// All runs of a comparison. Runs that are compared with each other follow one another.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) startups: Vec<Startup>,
    pub(crate) families: Vec<PlannedFamily>,
    jobs: Vec<Job>,
    cases: Vec<Case>,
}

/// A family with its cells.
#[derive(Clone, Debug)]
pub(crate) struct PlannedFamily {
    pub name: String,
    pub what: String,
    /// A case of each path and size, with the first start-up.
    pub cells: Vec<Case>,
}

/// What a run is for: positions in the lists of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub family: usize,
    pub cell: usize,
    pub startup: usize,
    /// Number of the repeat, from 1.
    pub run: u32,
}

impl Plan {
    /// The runs of these start-ups over the paths of all families. [`Startup::baseline`] is added
    /// in front if it is missing. The start-ups that the scenarios name do not matter: transfers
    /// that differ in nothing else are one cell. At most `repeats` of a scenario's repeats are
    /// run; `None`: all.
    pub fn new(families: Vec<Family>, mut startups: Vec<Startup>, repeats: Option<u32>) -> Plan {
        let baseline = Startup::baseline();
        if !startups.contains(&baseline) {
            startups.insert(0, baseline.clone());
        }
        let mut plan = Plan {
            startups,
            families: Vec::new(),
            jobs: Vec::new(),
            cases: Vec::new(),
        };
        for family in families {
            let number = plan.families.len();
            let mut cells: Vec<Case> = Vec::new();
            let mut places: HashMap<String, (usize, u32)> = HashMap::new();
            for case in family.scenarios.iter().flat_map(|scenario| &scenario.cases) {
                if repeats.is_some_and(|repeats| case.run > repeats) {
                    continue;
                }
                let key = condition(&baseline.applied_to(case));
                let (cell, runs) = places.entry(key).or_insert_with(|| {
                    cells.push(case.clone());
                    (cells.len() - 1, 0)
                });
                // A run of the same cell with another start-up of the file.
                if case.run <= *runs {
                    continue;
                }
                *runs = case.run;
                for (startup, choice) in plan.startups.iter().enumerate() {
                    plan.jobs.push(Job {
                        family: number,
                        cell: *cell,
                        startup,
                        run: case.run,
                    });
                    plan.cases.push(choice.applied_to(case));
                }
            }
            plan.families.push(PlannedFamily {
                name: family.name,
                what: family.what,
                cells,
            });
        }
        plan
    }

    /// The runs, in order.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// The start-ups, in order.
    pub fn startups(&self) -> &[Startup] {
        &self.startups
    }

    /// What each run is for, in the order of [`Plan::cases`].
    pub(crate) fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// The position of the start-up with which all are compared.
    pub(crate) fn baseline(&self) -> usize {
        self.position(Startup::baseline().name())
            .expect("the plan has the baseline")
    }

    /// The position of the start-up of this name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.startups
            .iter()
            .position(|startup| startup.name() == name)
    }
}

/// What the runs of a cell share, as text.
fn condition(case: &Case) -> String {
    let record = Record {
        case: 0,
        run: 0,
        seed: 0,
        label: String::new(),
        ..Record::of_case(case, "")
    };
    format!("{record:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(transfer: &str) -> Family {
        let text = format!(
            "name = \"x\"\n[path]\nrate = [\"8 Mbit/s\", \"9 Mbit/s\"]\nrtt = \"100 ms\"\n\
             [[transfer]]\nsize = [\"1 MB\", \"2 MB\"]\n{transfer}\n"
        );
        Family {
            name: "x".to_owned(),
            what: String::new(),
            scenarios: vec![onramp_scenario::parse("x.toml", &text).unwrap()],
        }
    }

    fn startups(names: &[&str]) -> Vec<Startup> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    #[test]
    fn the_start_ups_of_the_file_do_not_matter() {
        let plan = |transfer| Plan::new(vec![family(transfer)], startups(&["onramp"]), None);
        let one = plan("startup = \"paced\"");
        let three = plan("startup = [\"none\", \"suss\", \"onramp\"]");
        assert_eq!(one.cases().len(), 2 * 2 * 2, "CUBIC is added");
        assert_eq!(one.jobs(), three.jobs());
        assert_eq!(one.families[0].cells.len(), 4);
    }

    #[test]
    fn each_start_up_has_the_same_seeds() {
        let plan = Plan::new(
            vec![family("repeat = 9")],
            startups(&["none", "hystart", "iw32"]),
            Some(2),
        );
        assert_eq!(plan.cases().len(), 4 * 2 * 3);
        for compared in plan.cases().chunks(3) {
            assert!(compared.iter().all(|case| case.seed == compared[0].seed));
            assert_eq!(compared[1].transfer.startup, "hystart");
        }
        assert_eq!(plan.baseline(), 0);
    }

    #[test]
    fn transfers_that_differ_otherwise_are_other_cells() {
        let windows = "initial_window = [\"10 segments\", \"32 segments\"]";
        let plan = Plan::new(vec![family(windows)], startups(&["none"]), None);
        assert_eq!(plan.families[0].cells.len(), 8);
    }
}
