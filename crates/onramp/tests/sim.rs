//! `onramp sim`: the same results on every machine, without root.

use crate::common::*;

const TRANSFERS: &str =
    "[[transfer]]\nsize = [\"50 kB\", \"300 kB\"]\nstartup = [\"none\", \"paced\"]\nrepeat = 2\n";

#[test]
fn results_do_not_depend_on_the_number_of_threads_or_the_run() {
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
fn out_writes_a_report() {
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
fn unsupported_transfers_are_refused_or_left_out() {
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

/// Whole tables, so that every change is seen. They were recorded with a release build. A debug
/// build prints the same, so that no result depends on the build.
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
