//! `onramp try`: an algorithm in a folder outside of the tree.

use crate::common::*;
use std::fs;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = include_str!("../../../examples/algorithms/mine.h");

/// Writes a header into a folder.
fn header(dir: &Path, name: &str, text: &str) -> PathBuf {
    let file = dir.join(name);
    fs::write(&file, text).unwrap();
    file
}

/// Runs the command with one path of 20 Mbit/s and 100 ms.
fn try_out(dir: &Path, file: &Path, more: &[&str]) -> Ran {
    let path = dir.join("one.toml");
    let text =
        "name = \"one\"\n[path]\nrate = \"20 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"1 bdp\"\n\
                [[transfer]]\nsize = \"300 kB\"\nstartup = \"suss\"\n";
    fs::write(&path, text).unwrap();
    let [file, path] = [file, &path].map(|path| path.to_str().unwrap());
    let first = ["try", file, "--scenario", path, "--no-kernel"];
    onramp(first.iter().chain(more))
}

/// The completion time of a start-up.
fn time_s(ran: &Ran, startup: &str) -> f64 {
    let results = ran.json()["results"].as_array().unwrap().clone();
    // Parameters follow the name.
    let is_of_it = |one: &&serde_json::Value| {
        let name = one["startup"].as_str().unwrap();
        name.split(' ').next() == Some(startup)
    };
    let mut of_it = results.iter().filter(is_of_it);
    of_it.next().unwrap()["completion_s"].as_f64().unwrap()
}

#[test]
fn the_example_is_simulated_beside_others_and_replayed() {
    let dir = tempfile::tempdir().unwrap();
    let file = header(dir.path(), "mine.h", EXAMPLE);
    let ran = try_out(dir.path(), &file, &[]).code(0);
    ran.says(&[
        "mine + cubic",
        "onramp + cubic",
        "Run twice: the results are the same",
        "Replayed: 1 connection, ",
        "the same from a build that traps undefined behaviour",
        "Verifier: left out: --no-kernel",
    ]);
    let ran = try_out(dir.path(), &file, &["--json", "--beside", "none"]).code(0);
    let json = ran.json();
    assert_eq!(json["deterministic"], true);
    assert_eq!(json["replay"]["differences"], 0);
    assert!(json["replay"]["decisions"].as_u64().unwrap() > 50, "{json}");
    // A window that triples needs fewer round trips than one that doubles.
    assert!(time_s(&ran, "mine") < time_s(&ran, "none"), "{json}");
}

#[test]
fn parameters_of_the_header_are_set_by_the_command_or_the_scenario() {
    let dir = tempfile::tempdir().unwrap();
    let file = header(dir.path(), "mine.h", EXAMPLE);
    let time = |more: &[&str]| {
        let all = [&["--json", "--beside", "none"], more].concat();
        time_s(&try_out(dir.path(), &file, &all).code(0), "mine")
    };
    let usual = time(&[]);
    let slow = time(&["--set", "gain=1"]);
    assert!(slow > usual, "{slow} {usual}");

    let own = dir.path().join("own.toml");
    let text =
        "name = \"own\"\n[path]\nrate = \"20 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"1 bdp\"\n\
                [[transfer]]\nsize = \"300 kB\"\nstartup = \"mine\"\n\
                [transfer.parameters]\ngain = 1\n";
    fs::write(&own, text).unwrap();
    let [file, own] = [&file, &own].map(|path| path.to_str().unwrap());
    let ran = onramp(["try", file, "--scenario", own, "--no-kernel", "--json"]).code(0);
    assert_eq!(time_s(&ran, "mine"), slow);
    assert_eq!(ran.json()["results"].as_array().unwrap().len(), 1);
}

#[test]
fn wrong_parameters_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = header(dir.path(), "mine.h", EXAMPLE);
    for (setting, reason) in [
        (
            "speed=1",
            "mine.h has no parameter `speed`; it has: gain, rise",
        ),
        ("gain=9", "--set gain=9: expected a value from 1 to 8"),
        ("rise=200%", "--set rise=200%: "),
        ("gain=x", "expected an integer"),
        ("gain", "expected a name and a value"),
    ] {
        try_out(dir.path(), &file, &["--set", setting])
            .code(2)
            .warns(&[reason]);
    }
}

#[test]
fn mistakes_are_shown_with_their_lines() {
    let dir = tempfile::tempdir().unwrap();
    let text = EXAMPLE.replace("bool is_full = false;", "bool is_full = falsch;");
    let number = 1 + text
        .lines()
        .position(|line| line.contains("falsch"))
        .unwrap();
    let file = header(dir.path(), "mine.h", &text);
    let place = format!("mine.h:{number}:");
    try_out(dir.path(), &file, &[])
        .code(2)
        .warns(&[&place, "falsch", "mine.h does not compile"]);
    let ran = try_out(dir.path(), &file, &["--json"]).code(2);
    let fault = &ran.json_error()["error"][0];
    assert_eq!(fault["line"], number);
    assert!(fault["file"].as_str().unwrap().ends_with("/mine.h"));

    // A warning is a mistake too.
    let text = EXAMPLE.replace("	(void)state;\n", "");
    let file = header(dir.path(), "mine.h", &text);
    try_out(dir.path(), &file, &[]).code(2).warns(&["unused"]);
}

#[test]
fn files_that_are_no_algorithm_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (name, reason) in [
        ("mine.c", "expected a C header NAME.h"),
        ("Mine.h", "`Mine` is no name for an algorithm"),
        ("muchlonger.h", "`muchlonger` is no name"),
        ("suss.h", "Onramp has an algorithm `suss`"),
    ] {
        let file = header(dir.path(), name, EXAMPLE);
        try_out(dir.path(), &file, &[]).code(2).warns(&[reason]);
    }
    let missing = dir.path().join("none.h");
    try_out(dir.path(), &missing, &[])
        .code(2)
        .warns(&["cannot read"]);
}

#[test]
fn state_outside_of_the_struct_is_found() {
    let dir = tempfile::tempdir().unwrap();
    // Each connection begins with a larger window than the one before.
    let text = EXAMPLE
        .replace("struct mine {", "static uint64_t starts;\n\nstruct mine {")
        .replace(
            "	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);",
            "	startup_begin_slow_start(decision, start->cwnd_bytes + 2896 * ++starts,\n\
             \t\t\t\t start->ssthresh_bytes);",
        );
    let file = header(dir.path(), "mine.h", &text);
    let ran = try_out(dir.path(), &file, &[]).code(1);
    ran.says(&["Run twice: the results differ. mine.h may keep state outside of struct mine"]);
}

#[test]
fn undefined_behaviour_ends_with_its_likely_cause() {
    let dir = tempfile::tempdir().unwrap();
    let text = EXAMPLE.replace(
        "	bool is_full = false;",
        "	bool is_full = (1 << (ack->mss_bytes + state->parameters.gain)) == 3;",
    );
    let file = header(dir.path(), "mine.h", &text);
    try_out(dir.path(), &file, &[])
        .code(1)
        .warns(&["your algorithm has undefined behaviour (SIGILL)"]);
}
