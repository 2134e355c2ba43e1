//! `onramp compare-startups`: a part of the comparison is the same as in its snapshot, the whole
//! one is written into docs/comparison.md, and users get their own paths compared.

use crate::common::onramp;
use onramp_comparison::{manual, tables, Comparison, Place};
use onramp_report::table_to_csv;
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// A path on which a start-up gains, and one that the lab does not carry.
const OWN: &str = "name = \"own\"\ndescription = \"my path\"\n[path]\n\
                   rate = [\"10 Mbit/s\", \"20 Mbit/s\"]\nrtt = [\"50 ms\", \"100 ms\"]\n\
                   queue = \"1 bdp\"\n[receiver]\nbuffer = \"64 MiB\"\n[[transfer]]\n\
                   size = \"1 MB\"\nstartup = \"paced\"\n";

fn compared(stdout: &str) -> Comparison {
    serde_json::from_str(stdout).expect("a comparison")
}

/// Families without chance, which simulate fast.
#[test]
fn a_part_of_the_comparison() {
    let startups = "none,hystart,search,suss,bbrstart,rapid,lift,onramp";
    let ran = onramp([
        "--json",
        "compare-startups",
        "--families",
        "policed,shaped",
        "--startups",
        startups,
    ])
    .code(0);
    let comparison = compared(&ran.stdout);
    let part =
        tables::times(&comparison).markdown() + &tables::retransmissions(&comparison).markdown();
    insta::assert_snapshot!("part", part);
}

/// `make compare`, with TRACES for the family of recordings.
#[test]
#[ignore = "takes minutes, in a release build: make compare"]
fn the_whole_comparison() {
    let mut arguments: Vec<OsString> = ["--json", "compare-startups"].map(OsString::from).into();
    let traces = std::env::var_os("TRACES").filter(|traces| !traces.is_empty());
    if let Some(traces) = &traces {
        arguments.extend(["--traces".into(), traces.clone()]);
    }
    if let Some(out) = std::env::var_os("OUT").filter(|out| !out.is_empty()) {
        arguments.extend(["--out".into(), out]);
    }
    let ran = onramp(arguments).code(0);
    let comparison = compared(&ran.stdout);
    let [times, resent] = [tables::times, tables::retransmissions].map(|table| table(&comparison));
    println!("{}\n{}", times.text(), resent.text());
    if traces.is_none() {
        println!("docs/comparison.md has recordings too: make compare TRACES=DIR compares it.");
        return;
    }
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = docs.join("comparison.md");
    manual::enter(&page, "times", &times.markdown());
    manual::enter(&page, "retransmissions", &resent.markdown());
    let (head, rows) = tables::rows_for_programs(&comparison);
    manual::replace(&docs.join("comparison.csv"), &table_to_csv(&head, &rows));
}

#[test]
fn own_paths_are_compared_with_the_startups_that_are_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (dir.path().join("own.toml"), dir.path().join("out"));
    fs::write(&file, OWN).unwrap();
    let ran = onramp([
        OsString::from("compare-startups"),
        "--startups".into(),
        "iw32,onramp".into(),
        "--out".into(),
        out.clone().into(),
        file.into(),
    ])
    .code(0);
    assert!(ran.stdout.contains("✓"), "{}", ran.stdout);
    let comparison = compared(&fs::read_to_string(out.join("comparison.json")).unwrap());
    assert_eq!(comparison.startups, ["none", "iw32", "onramp"]);
    let family = &comparison.families[0];
    assert_eq!((family.name.as_str(), family.cells.len()), ("own", 4));
    let onramp = family.rows.iter().find(|row| row.startup == "onramp");
    assert!(onramp.is_some_and(|row| row.time.is_some_and(|time| time < 0.9)));
    assert_eq!(family.rows[0].place, Place::First);
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    for part in ["own: my path", "own: the fastest", "RTT", "20 Mbit/s"] {
        assert!(page.contains(part), "{part}");
    }
    let csv = fs::read_to_string(out.join("cells.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 4 * 3);
}

#[test]
fn the_table_of_one_family_names_every_startup() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("own.toml");
    fs::write(&file, OWN).unwrap();
    let ran = onramp([
        OsString::from("--json"),
        "compare-startups".into(),
        "--startups".into(),
        "hystart".into(),
        file.into(),
    ])
    .code(0);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(answer["whole"].as_array().unwrap().is_empty(), "one family");
    assert_eq!(answer["kernel"], Value::Array(Vec::new()));
    assert_eq!(answer["left_out"], Value::Array(Vec::new()));
}

#[test]
fn what_does_not_exist_is_refused_with_what_does() {
    for (arguments, expected) in [
        (["--startups", "quick"], "there is no start-up `quick`"),
        (["--families", "slow"], "expected one of clean, aggregated"),
        (
            ["--families", "cellular"],
            "give their folder with --traces",
        ),
        (["--traces", "/nonexistent"], "has no recording"),
    ] {
        let ran = onramp(["compare-startups"].iter().chain(&arguments)).code(2);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
}
