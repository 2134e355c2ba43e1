//! What installations use: completions for shells, and manual pages.

use crate::common::*;
use onramp_cli::tasks::{ONRAMP, ONRAMP_STUDY};
use std::fs;
use std::process::Command;

#[test]
fn shells_get_completions_with_the_commands_of_both_programs() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let ran = onramp(["completions", shell]).code(0);
        let file = dir.path().join(shell);
        fs::write(&file, &ran.stdout).unwrap();
        // Shells that are here read the file without running it.
        if let Ok(read) = Command::new(shell).arg("-n").arg(&file).output() {
            let said = String::from_utf8_lossy(&read.stderr);
            assert!(read.status.success(), "{shell} does not read it: {said}");
        }
    }
    let json = onramp(["--json", "completions", "fish"]).code(0).json();
    assert_eq!(json["shell"], "fish");

    let bin = program(ONRAMP)
        .parent()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    for (line, completed) in [
        ("onramp comp", "completions compare compare-startups"),
        ("onramp load --pack", "--packet-pairs"),
        ("onramp sim --skip", "--skip-missing"),
        ("onramp --json lab shell --end se", "sender"),
    ] {
        let words = line.split(' ').count();
        let script = format!(
            "PATH={bin}:$PATH; source {}; COMP_WORDS=({line}); COMP_CWORD={}; \
             _clap_complete_onramp onramp {} ''; echo \"${{COMPREPLY[@]}}\"",
            dir.path().join("bash").display(),
            words - 1,
            line.rsplit(' ').next().unwrap()
        );
        let output = Command::new("bash").args(["-c", &script]).output().unwrap();
        let answer = String::from_utf8(output.stdout).unwrap();
        let answer: Vec<&str> = answer.split_whitespace().collect();
        assert_eq!(answer.join(" "), completed, "{line}: {:?}", output.stderr);
    }
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("man1");
    let folder_name = folder.to_str().unwrap();
    let ran = onramp(["manual", folder_name]).code(0);
    assert_has(&ran.stdout, &[folder_name, "manual pages"]);
    let pages = listing(&folder);
    for page in ["onramp.1", "onramp-load.1", "onramp-manual.1"] {
        assert!(pages.contains(page), "{page} is missing in {pages:?}");
    }
    let json = onramp(["--json", "manual", folder_name]).code(0).json();
    assert_eq!(json["files"].as_array().unwrap().len(), pages.len());

    // Both packages have other files.
    let folder = dir.path().join("study");
    let mut study = Command::new(program(ONRAMP_STUDY));
    study.arg("manual").arg(&folder);
    run(study).code(0);
    let of_study = listing(&folder);
    for page in ["onramp-study.1", "onramp-sim.1", "onramp-lab-shell.1"] {
        assert!(of_study.contains(page), "{page} is missing in {of_study:?}");
    }
    assert!(pages.is_disjoint(&of_study), "{pages:?} {of_study:?}");

    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    onramp(["manual", file.to_str().unwrap()])
        .code(2)
        .warns(&["cannot write", "file"]);
}
