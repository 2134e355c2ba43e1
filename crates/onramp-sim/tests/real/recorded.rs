//! Recordings of mobile networks by others. They are not part of this repository: their licence is
//! the GPL.

use crate::root;
use crate::set::{Family, Kind, Source, RECORDED};
use std::path::Path;

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
const STARTS: u32 = 30;

/// A family for each recording of the folder, and the files that it lacks.
pub fn families(folder: &Path) -> (Vec<Family>, Vec<String>) {
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let (mut families, mut missing) = (Vec::new(), Vec::new());
    for recording in RECORDINGS {
        let files = ["down", "up"].map(|end| folder.join(format!("{recording}.{end}")));
        if let Some(file) = files.iter().find(|file| !file.is_file()) {
            missing.push(file.display().to_string());
            continue;
        }
        let replaced = ["down", "up"].into_iter().zip(&files).map(|(end, file)| {
            let file = file.display().to_string();
            (format!("traces/synthetic-lte.{end}"), file)
        });
        let more_starts = ("repeat = 9".to_owned(), format!("repeat = {STARTS}"));
        let source = Source {
            file: root().join("scenarios/real/synthetic-lte.toml"),
            replaced: replaced.chain([more_starts]).collect(),
            only: None,
        };
        families.push(Family {
            name: recording.to_owned(),
            kind: Kind::Cellular,
            target: RECORDED,
            sources: vec![source],
        });
    }
    (families, missing)
}
