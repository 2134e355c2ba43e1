//! Every case of every shipped scenario has a finite bound.

use onramp_results::Record;
use std::path::{Path, PathBuf};

/// The scenario files of a folder and of the folders in it.
fn scenario_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(scenario_files(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            files.push(path);
        }
    }
    files
}

#[test]
fn every_case_has_a_bound() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    for file in scenario_files(&folder) {
        let scenario = onramp_scenario::read(&file).unwrap();
        for case in &scenario.cases {
            let record = Record::of_case(case, "sim");
            assert!(
                record.bound_s.is_finite() && record.bound_s > 0.0,
                "{}, case {}",
                file.display(),
                case.number
            );
        }
    }
}
