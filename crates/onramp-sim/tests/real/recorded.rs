//! Recordings of mobile networks by others. They are not part of this repository: their licence is
//! the GPL.

use crate::set::{Family, Kind, Source, RECORDED};
use std::path::{Path, PathBuf};

/// A family for each recording of the folder, and the files that it lacks.
pub fn families(folder: &Path) -> (Vec<Family>, Vec<PathBuf>) {
    let (scenarios, missing) =
        onramp_comparison::recorded_scenarios(folder).unwrap_or_else(|error| panic!("{error}"));
    let family = |scenario: onramp_scenario::Scenario| Family {
        name: scenario.name.clone(),
        kind: Kind::Cellular,
        target: RECORDED,
        sources: vec![Source {
            scenario,
            only: None,
        }],
    };
    (scenarios.into_iter().map(family).collect(), missing)
}
