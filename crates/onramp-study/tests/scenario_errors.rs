//! Wrong scenario files: exit code 2, and a message that says where and what. These tests need no
//! root.

use crate::common::{command, run, Ran};
use std::fs;
use std::path::Path;

const GOOD: &str = r#"name = "geo"

[path]
rate = "50 Mbit/s"
rtt = "600 ms"

[[transfer]]
size = "1 MB"
"#;

fn lab(dir: &Path, arguments: &[&str]) -> Ran {
    let mut command = command(["lab", "geo.toml"].iter().chain(arguments));
    command.current_dir(dir);
    let ran = run(command).code(2);
    assert!(ran.stdout.is_empty(), "{ran:#?}");
    ran
}

/// The message about a file with this content, as text. As JSON it must be an object with the same
/// positions.
#[track_caller]
fn refused(content: &str, places: &[(u64, u64)]) -> String {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("geo.toml"), content).unwrap();
    let error = lab(dir.path(), &["--json"]).json_error();
    assert_eq!(error["exit_code"], 2);
    let faults = error["error"]
        .as_array()
        .unwrap_or_else(|| panic!("a list of faults: {error}"));
    assert!(
        faults
            .iter()
            .all(|fault| fault["file"] == "geo.toml" && fault["message"].is_string()),
        "{error}"
    );
    let found = faults
        .iter()
        .filter_map(|fault| Some((fault["line"].as_u64()?, fault["column"].as_u64()?)));
    assert_eq!(found.collect::<Vec<_>>(), places, "{error}");
    lab(dir.path(), &[]).stderr
}

/// The message about a file that is not a readable scenario.
#[track_caller]
fn unreadable(make: impl FnOnce(&Path)) -> String {
    let dir = tempfile::tempdir().unwrap();
    make(&dir.path().join("geo.toml"));
    let error = lab(dir.path(), &["--json"]).json_error();
    assert_eq!(error["exit_code"], 2);
    assert!(
        error["error"].as_str().unwrap().contains("geo.toml"),
        "{error}"
    );
    lab(dir.path(), &[]).stderr
}

#[test]
fn a_misspelt_key() {
    let text = GOOD.replace("[[transfer]]", "[sender]\nbufer = \"1 MB\"\n[[transfer]]");
    insta::assert_snapshot!(refused(&text, &[(8, 1)]), @r#"
     × geo.toml: unknown key `bufer` in [sender]; did you mean `buffer`?
      ╭─[geo.toml:8:1]
    7 │ [sender]
    8 │ bufer = "1 MB"
      · ──┬──
      ·   ╰── did you mean `buffer`?
    9 │ [[transfer]]
      ╰────
     help: [sender] has the keys buffer, nagle, window_validation, packet_pairs
    "#);
}

#[test]
fn unsupported_keys_of_the_lab_are_named() {
    let stacks =
        |path: &Path| fs::write(path, format!("{GOOD}stack = [\"linux\", \"lite\"]\n")).unwrap();
    insta::assert_snapshot!(unreadable(stacks), @"onramp: geo.toml: `transfer.stack` asks for \
        `lite`: the lab supports only this kernel's TCP; run it in the simulator: onramp sim");
}

#[test]
fn a_negative_rate() {
    insta::assert_snapshot!(refused(&GOOD.replace("50 Mbit", "-50 Mbit"), &[(4, 8)]), @r#"
     × geo.toml: `path.rate`: the rate `-50 Mbit/s` is negative
      ╭─[geo.toml:4:8]
    3 │ [path]
    4 │ rate = "-50 Mbit/s"
      ·        ──────┬─────
      ·              ╰── here
    5 │ rtt = "600 ms"
      ╰────
    "#);
}

#[test]
fn a_unit_that_does_not_exist() {
    insta::assert_snapshot!(refused(&GOOD.replace("600 ms", "600 msec"), &[(5, 7)]), @r#"
     × geo.toml: `path.rtt`: the time `600 msec` has an unknown unit `msec`; did you mean `ms`?
      ╭─[geo.toml:5:7]
    4 │ rate = "50 Mbit/s"
    5 │ rtt = "600 msec"
      ·       ─────┬────
      ·            ╰── here
    6 │ 
      ╰────
     help: a time is a decimal number and a unit (ns, us, ms, s), for example "600 ms"
    "#);
}

#[test]
fn several_mistakes_at_once() {
    let content = GOOD.replace("600 ms", "600").replace("1 MB", "0 B");
    insta::assert_snapshot!(refused(&content, &[(5, 7), (8, 8)]), @r#"
      × geo.toml: 2 mistakes

    Error: 
      × `path.rtt`: the time `600` has no unit
       ╭─[geo.toml:5:7]
     4 │ rate = "50 Mbit/s"
     5 │ rtt = "600"
       ·       ──┬──
       ·         ╰── here
     6 │ 
       ╰────
      help: a time is a decimal number and a unit (ns, us, ms, s), for example "600 ms"

    Error: 
      × `transfer.size`: the size `0 B` is zero; it must be more than zero
       ╭─[geo.toml:8:8]
     7 │ [[transfer]]
     8 │ size = "0 B"
       ·        ──┬──
       ·          ╰── here
       ╰────
    "#);
}

#[test]
fn not_toml() {
    insta::assert_snapshot!(refused(&GOOD.replace("[path]", "[path"), &[(3, 6)]), @r#"
     × geo.toml: this is not TOML: unclosed table, expected `]`
      ╭─[geo.toml:3:6]
    2 │ 
    3 │ [path
      ·      ▲
      ·      ╰── here
    4 │ rate = "50 Mbit/s"
      ╰────
    "#);
}

#[test]
fn an_empty_file() {
    insta::assert_snapshot!(refused("", &[]), @r#"
    × geo.toml: the file is empty
    help: a scenario has at least a `name`, a [path] with `rate` and `rtt`, and a [[transfer]] with
          `size`
    "#);
}

#[test]
fn a_file_of_100_mb() {
    let sparse = |file: &Path| {
        fs::File::create(file)
            .unwrap()
            .set_len(100_000_000)
            .unwrap()
    };
    insta::assert_snapshot!(unreadable(sparse), @"  × cannot read the scenario geo.toml: it is \
        larger than 1 MiB");
}

#[test]
fn a_missing_file() {
    insta::assert_snapshot!(unreadable(|_| ()), @"  × cannot read the scenario geo.toml: No such \
        file or directory (os error 2)");
}

#[test]
fn a_directory() {
    let message = unreadable(|file| fs::create_dir(file).unwrap());
    insta::assert_snapshot!(
        message,
        @"  × cannot read the scenario geo.toml: it is a directory, not a file"
    );
}

#[test]
fn a_pipe_without_writer() {
    let pipe = |file: &Path| nix::unistd::mkfifo(file, nix::sys::stat::Mode::S_IRWXU).unwrap();
    insta::assert_snapshot!(
        unreadable(pipe),
        @"  × cannot read the scenario geo.toml: it is a pipe, not a file"
    );
}

#[test]
fn not_utf8() {
    let message = unreadable(|file| fs::write(file, b"name = \"g\xe9o\"\n").unwrap());
    insta::assert_snapshot!(
        message,
        @"  × cannot read the scenario geo.toml: byte 9 is not UTF-8 text"
    );
}

#[test]
fn one_wrong_file_prevents_all_runs() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("geo.toml"), GOOD).unwrap();
    lab(dir.path(), &["missing.toml"]).warns(&["missing.toml"]);
}

#[test]
fn scenarios_with_the_same_name_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("geo.toml"), GOOD).unwrap();
    fs::write(
        dir.path().join("other.toml"),
        GOOD.replace("600 ms", "500 ms"),
    )
    .unwrap();
    lab(dir.path(), &["geo.toml"]).warns(&["geo.toml is given twice", "repeat"]);
    lab(dir.path(), &["other.toml"])
        .warns(&["geo.toml and other.toml are both the scenario `geo`"]);
}
