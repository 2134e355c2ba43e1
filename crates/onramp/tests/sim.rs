//! `onramp sim`: the same for everybody, without root.

use crate::common::*;

const TRANSFERS: &str =
    "[[transfer]]\nsize = [\"50 kB\", \"300 kB\"]\nstartup = [\"none\", \"paced\"]\nrepeat = 2\n";

#[test]
fn threads_and_turns_make_no_difference() {
    let dir = tempfile::tempdir().unwrap();
    let file = scenario(dir.path(), "same", "loss = \"1 %\"\n", TRANSFERS);
    let run = |threads| {
        onramp([
            "sim",
            file.to_str().unwrap(),
            "--json",
            "--threads",
            threads,
        ])
        .code(0)
    };
    let one = run("1");
    let records = one.json();
    let records = records.as_array().unwrap();
    assert_eq!(records.len(), 8);
    assert!(records
        .iter()
        .all(|record| record["host"] == "sim" && record["finished"] == true));
    assert_eq!(one.stdout, run("2").stdout);
    assert_eq!(one.stdout, run("1").stdout);
    assert!(one.stderr.is_empty(), "quiet in a pipe: {}", one.stderr);
}

#[test]
fn a_report_is_written_where_it_is_wanted() {
    let dir = tempfile::tempdir().unwrap();
    let file = scenario(dir.path(), "report", "", TRANSFERS);
    let out = dir.path().join("out");
    let ran = onramp([
        "sim",
        file.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ])
    .code(0);
    ran.says(&["paced", "Report:", "report.html"]);
    assert!(listing(&out).contains("report.html") && listing(&out.join("traces")).len() >= 8);
}

#[test]
fn what_it_does_not_have_is_refused_or_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let transfers = "[[transfer]]\nsize = \"50 kB\"\navoidance = [\"cubic\", \"bbr\"]\n";
    let file = scenario(dir.path(), "bbr", "", transfers);
    let file = file.to_str().unwrap();
    onramp(["sim", file])
        .code(2)
        .warns(&["bbr.toml", "transfer.avoidance", "onramp lab"]);
    let ran = onramp(["sim", file, "--skip-missing", "--json"])
        .code(0)
        .warns(&["`bbr`", "1 transfer left out"]);
    assert_eq!(ran.json().as_array().unwrap().len(), 1);
}

/// Whole tables, so that a change is seen wherever it shows. They were recorded with a release
/// build: that a debug build prints them too says that no result depends on it.
#[test]
fn the_scenarios_results() {
    for name in [
        "demo",
        "geo-50",
        "long-100",
        "short-10",
        "asymmetric",
        "ack-thinning",
        "rival",
        "lossy",
        "wifi",
        "background",
        "double-slow-start",
        "toolbox",
        "astart",
    ] {
        let file = format!("{}/../../scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let ran = onramp(["sim", &file, "--skip-missing"]).code(0);
        insta::assert_snapshot!(name, ran.stdout);
    }
}
