//! `onramp theory`: the rows that take seconds agree with those of `docs/theory.md`.

use crate::common::onramp;
use std::path::Path;

const MANUAL: &str = include_str!("../../../docs/theory.md");

/// The rows of a table without padding, which depends on the other rows.
fn rows(text: &str) -> Vec<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines()
        .map(words)
        .filter(|line| line.ends_with("holds") || line.ends_with("MISSES"))
        .collect()
}

fn manual() -> &'static str {
    let after = MANUAL
        .split_once("<!-- onramp theory -->")
        .expect("a table in docs/theory.md")
        .1;
    after
        .split_once("<!-- /onramp theory -->")
        .expect("its end")
        .0
}

#[test]
fn the_quick_rows_are_those_of_the_manual() {
    let ran = onramp(["theory", "--quick"]).code(0);
    let (quick, documented) = (rows(&ran.stdout), rows(manual()));
    assert!(quick.len() >= 15, "{quick:#?}");
    for row in quick {
        assert!(
            documented.contains(&row),
            "not in docs/theory.md: {row}\nput there what `cargo run --release -p onramp-study -- \
             theory` prints"
        );
    }
}

#[test]
fn the_manual_has_no_row_that_misses() {
    assert!(
        !manual().contains("MISSES") && manual().contains(" 0 missed"),
        "{}",
        manual()
    );
}

#[test]
fn the_scenarios_can_be_written_and_run() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("theory");
    onramp([
        "theory".as_ref(),
        "--quick".as_ref(),
        "--scenarios".as_ref(),
        folder.as_os_str(),
    ])
    .code(0);
    let files: Vec<_> = folder
        .read_dir()
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert!(
        files.iter().any(|file| file.ends_with("theory-01.toml")),
        "{files:?}"
    );
    onramp([
        "sim".as_ref(),
        Path::new(&folder.join("theory-01.toml")).as_os_str(),
    ])
    .code(0);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    onramp(["theory".as_ref(), "--scenarios".as_ref(), file.as_os_str()])
        .code(2)
        .warns(&["cannot write into"]);
}
