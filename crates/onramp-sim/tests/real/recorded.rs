//! Recordings of mobile networks by others. They are not part of this repository: their licence is
//! the GPL.

use crate::set::{families as all, Family, Kind};
use std::path::{Path, PathBuf};

/// A family for each recording of the folder, and the files that it lacks. Their targets are those
/// of the synthetic recording.
pub fn families(folder: &Path) -> (Vec<Family>, Vec<PathBuf>) {
    let (scenarios, missing) =
        onramp_comparison::recorded_scenarios(folder).unwrap_or_else(|error| panic!("{error}"));
    let synthetic = all()
        .into_iter()
        .find(|family| family.name == "synthetic lte");
    let target = synthetic.expect("a row of the table").target;
    let family = |scenario: onramp_scenario::Scenario| Family {
        name: scenario.name.clone(),
        kind: Kind::Cellular,
        target: target.clone(),
        scenarios: vec![scenario],
    };
    (scenarios.into_iter().map(family).collect(), missing)
}
