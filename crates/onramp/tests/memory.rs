//! `--memory`, `onramp memory` and the key `memory` on this kernel.

use crate::common::*;
use serde_json::Value;
use std::fs;
use std::path::Path;

const NONE: &str =
    "no registered start-up remembers paths; register one with: onramp load --memory careful";

/// A download, then the same download again.
const AGAIN: &str = r#"
name = "again"
[path]
rate = "50 Mbit/s"
rtt = "40 ms"
queue = "1 bdp"
[receiver]
buffer = "16 MiB"
[[transfer]]
size = "3 MB"
startup = "onramp"
memory = ["off", "careful", "at-once"]
count = 2
spacing = "4 s"
"#;

/// The BDP of the path is 250 kB, with headers.
fn is_bdp(bytes: &u64) -> bool {
    (120_000..500_000).contains(bytes)
}

fn is_rtt(ns: u64) -> bool {
    (40_000_000..42_000_000).contains(&ns)
}

fn rtt_ns(start: &Value) -> u64 {
    start["remembered_rtt_ns"].as_u64().unwrap()
}

/// What the second downloads were given.
fn second_of(records: &Value) -> Vec<u64> {
    let records = records.as_array().unwrap().iter();
    records
        .filter_map(|record| record["remembered_bytes"].as_u64())
        .collect()
}

/// The starts in a recording.
fn starts(recording: &Path) -> Vec<Value> {
    let lines = fs::read_to_string(recording).unwrap();
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter_map(|line| line["input"].get("start").cloned())
        .collect()
}

#[test]
#[ignore = "takes long: make test-kernel"]
fn the_second_download_uses_what_the_first_has_measured() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let [file, recording] = ["again.toml", "recording.jsonl"].map(|name| dir.path().join(name));
    fs::write(&file, AGAIN).unwrap();
    let run = || {
        let ran = onramp([
            "lab".as_ref(),
            file.as_os_str(),
            "--record".as_ref(),
            recording.as_os_str(),
            "--json".as_ref(),
        ]);
        (ran.code(0).json(), starts(&recording))
    };
    let (records, starts) = undisturbed(run, |(records, starts)| {
        let second = second_of(records);
        second.len() == 2 && second.iter().all(is_bdp) && is_rtt(rtt_ns(&starts[3]))
    });
    let remembered: Vec<(&str, u64, Option<u64>)> = records
        .as_array()
        .unwrap()
        .iter()
        .map(|record| {
            let flow = record["flow"].as_u64().unwrap();
            (
                record["startup"].as_str().unwrap(),
                flow,
                record["remembered_bytes"].as_u64(),
            )
        })
        .collect();
    let [careful, at_once] = second_of(&records)[..] else {
        panic!("{remembered:?}")
    };
    let expected = [
        ("onramp", 1, None),
        ("onramp", 2, None),
        ("onramp memory careful", 1, None),
        ("onramp memory careful", 2, Some(careful)),
        ("onramp memory at-once", 1, None),
        ("onramp memory at-once", 2, Some(at_once)),
    ];
    assert_eq!(remembered, expected);
    assert!(is_bdp(&careful) && is_bdp(&at_once), "{careful}, {at_once}");
    let of_starts: Vec<u64> = starts
        .iter()
        .filter_map(|start| start["remembered_bytes"].as_u64())
        .collect();
    assert_eq!(of_starts, [0, 0, 0, careful, 0, at_once]);
    assert!(
        is_rtt(rtt_ns(&starts[3])) && rtt_ns(&starts[4]) == 0,
        "{starts:?}"
    );
    onramp(["replay".as_ref(), recording.as_os_str()])
        .code(0)
        .says(&["6 connections", "all the same"]);
    onramp(["memory"]).code(2).warns(&[NONE]);
}

#[test]
fn a_memory_is_shown_and_removed_with_its_start_up() {
    let Some(_machine) = machine() else { return };
    onramp(["memory"]).code(2).warns(&[NONE]);
    wait_until_free("onramp");
    let loading = onramp(["load", "--memory", "careful", "--memory-lifetime", "90 s"]);
    let _loaded = Loaded("onramp");
    loading.code(0).says(&[
        "The BDP and the RTT of each path are remembered for 90 s; `onramp memory` shows them.",
    ]);
    onramp(["status"])
        .code(0)
        .says(&["MEMORY", "careful, 90 s"]);
    let entry = status()
        .into_iter()
        .find(|loaded| loaded["name"] == "onramp")
        .unwrap();
    assert_eq!(
        (&entry["memory"], &entry["memory_lifetime_s"]),
        (&"careful".into(), &90.0.into())
    );
    onramp(["memory"]).code(0).says(&["Nothing is remembered."]);
    assert_eq!(
        onramp(["memory", "--json"]).code(0).json(),
        Value::Array(Vec::new())
    );
    onramp(["memory", "--forget", "all"])
        .code(0)
        .says(&["0 paths forgotten."]);
    assert_eq!(
        onramp(["memory", "--forget", "192.0.2.1", "--json"])
            .code(0)
            .json()["forgotten"],
        0
    );
    onramp(["unload"]).code(0);
    onramp(["memory"]).code(2).warns(&[NONE]);
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let refused = |arguments: &[&str], says: &[&str]| {
        onramp(arguments).code(2).warns(says);
    };
    refused(
        &["load", "paced", "--memory", "careful"],
        &["start-up paced uses no memory of paths; these do: "],
    );
    refused(
        &["load", "--memory", "carefully"],
        &["carefully", "careful, at-once"],
    );
    refused(&["load", "--memory-lifetime", "60 s"], &["--memory <HOW>"]);
    refused(
        &["load", "--memory", "careful", "--memory-lifetime", "60"],
        &["the time `60` has no unit; expected a time above 0, for example \"600 s\""],
    );
    refused(
        &["load", "--memory", "careful", "--memory-lifetime", "0 s"],
        &["expected a time above 0"],
    );
    refused(
        &["memory", "--forget", "example.org"],
        &["expected an IP address, for example 192.0.2.1"],
    );
    let Some(_machine) = machine() else { return };
    refused(
        &[
            "exec",
            "--startup",
            "qos",
            "--memory",
            "at-once",
            "--",
            "true",
        ],
        &["start-up qos uses no memory"],
    );
}
