//! Recordings of mobile networks by others. They are not part of this repository: their licence is
//! the GPL.

use crate::set::{varied, Family};
use onramp_scenario::{Error, Scenario};
use std::path::{Path, PathBuf};
use toml::toml;

/// Recordings of mahimahi, by the beginning of their names: `.down` carries the data and `.up` the
/// ACKs.
const RECORDINGS: [&str; 6] = [
    "Verizon-LTE-short",
    "ATT-LTE-driving-2016",
    "TMobile-LTE-short",
    "TMobile-UMTS-driving",
    "Verizon-EVDO-driving",
    "ATT-LTE-driving",
];

/// How many starts of each recording are run.
pub const RECORDED_STARTS: u32 = 30;

/// The scenario of a trace, in which the recordings stand instead of the synthetic ones.
const TEMPLATE: &str = "synthetic-lte";

/// A scenario for each recording of the folder, named like the recording, and the files that the
/// folder lacks. Each scenario starts the transfers at [`RECORDED_STARTS`] random places.
///
/// # Errors
/// A file is no recording.
pub fn recorded_scenarios(folder: &Path) -> Result<(Vec<Scenario>, Vec<PathBuf>), Error> {
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let (mut scenarios, mut missing) = (Vec::new(), Vec::new());
    for recording in RECORDINGS {
        let files = ["down", "up"].map(|end| folder.join(format!("{recording}.{end}")));
        if let Some(file) = files.iter().find(|file| !file.is_file()) {
            missing.push(file.clone());
            continue;
        }
        let name = recording.to_lowercase();
        let [down, up] = files.map(|file| file.display().to_string());
        let changes = toml! {
            name = name
            description = "a recording by mahimahi"
            [path]
            trace = down
            [path.reverse]
            trace = up
            [[transfer]]
            repeat = RECORDED_STARTS
        };
        scenarios.push(varied(TEMPLATE, &changes, Some(&folder), recording)?);
    }
    Ok((scenarios, missing))
}

/// The family of all recordings of the folder, and the files that it lacks. `None` if there is no
/// recording.
///
/// # Errors
/// A file is no recording.
pub fn recorded_families(folder: &Path) -> Result<(Option<Family>, Vec<PathBuf>), Error> {
    let (scenarios, missing) = recorded_scenarios(folder)?;
    let family = (!scenarios.is_empty()).then(|| Family {
        name: "cellular".to_owned(),
        what: "recordings of LTE, UMTS and EVDO by mahimahi, 50 ms, a queue of 1 MB".to_owned(),
        scenarios,
    });
    Ok((family, missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_recording_of_the_folder_is_a_scenario() {
        let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/real/traces");
        let folder = tempfile::tempdir().unwrap();
        for end in ["down", "up"] {
            let copy = folder.path().join(format!("TMobile-LTE-short.{end}"));
            std::fs::copy(traces.join(format!("synthetic-lte.{end}")), copy).unwrap();
        }
        let (family, missing) = recorded_families(folder.path()).unwrap();
        let scenarios = family.unwrap().scenarios;
        assert_eq!(scenarios.len(), 1);
        assert_eq!(scenarios[0].name, "tmobile-lte-short");
        assert_eq!(scenarios[0].description, "a recording by mahimahi");
        let starts = scenarios[0].cases.iter().map(|case| case.run).max();
        assert_eq!(starts, Some(RECORDED_STARTS));
        assert_eq!(missing.len(), RECORDINGS.len() - 1);
    }

    #[test]
    fn a_folder_without_recordings_lacks_all() {
        let (family, missing) = recorded_families(Path::new("/nonexistent")).unwrap();
        assert!(family.is_none());
        assert_eq!(missing.len(), RECORDINGS.len());
    }
}
