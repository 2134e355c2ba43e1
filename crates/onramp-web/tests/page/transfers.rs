//! Runs scenarios of the page.

use onramp_results::{Record, Trace};
use onramp_scenario::Scenario;
use onramp_sim::{run, Options};
use std::path::{Path, PathBuf};

/// The measured transfer of a case.
pub struct Transfer {
    pub record: Record,
    pub trace: Trace,
}

impl Transfer {
    pub fn completion_s(&self) -> f64 {
        self.record.completion_s.expect("it is finished")
    }

    pub fn wasted_rtts(&self) -> f64 {
        self.record.excess_rtts.expect("it is finished")
    }
}

/// The scenarios of a folder of the page, by the names of their files.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("page/src")
        .join(folder);
    let entries = std::fs::read_dir(&folder).expect("it is shipped");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("readable").path())
        .filter(|file| {
            file.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    files
}

/// Text of a scenario in a folder of the page.
pub fn text(folder: &str, name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("page/src")
        .join(folder)
        .join(format!("{name}.toml"));
    std::fs::read_to_string(&file).expect("it is shipped")
}

/// Runs all cases; each has one transfer, which has to finish.
pub fn transfers(text: &str) -> Vec<Transfer> {
    let scenario: Scenario = onramp_scenario::parse("scenario.toml", text).expect("valid");
    let options = Options {
        trace: true,
        ..Default::default()
    };
    let runs = scenario.cases.iter().map(|case| {
        let outcome = run(case, &options).expect("the simulator has all that it needs");
        let (mut records, mut traces) = (outcome.records, outcome.traces);
        assert_eq!((records.len(), traces.len()), (1, 1), "one transfer a case");
        let record = records.remove(0);
        assert!(record.finished, "{} of {}", record.startup, record.scenario);
        Transfer {
            record,
            trace: traces.remove(0),
        }
    });
    runs.collect()
}

/// Runs a scenario with two cases.
pub fn pair(text: &str) -> [Transfer; 2] {
    let pair: Result<[Transfer; 2], _> = transfers(text).try_into();
    pair.ok().expect("two start-ups against each other")
}
