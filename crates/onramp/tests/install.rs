//! What installations use: completions for shells, and manual pages.

use crate::common::*;
use std::process::Command;

#[test]
fn shells_get_completions_with_the_commands() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let ran = onramp(["completions", shell]).code(0);
        assert_has(&ran.stdout, &["compare-startups", "skip-missing"]);
        let file = dir.path().join(shell);
        std::fs::write(&file, &ran.stdout).unwrap();
        // Shells that are here read the file without running it.
        if let Ok(read) = Command::new(shell).arg("-n").arg(&file).output() {
            let said = String::from_utf8_lossy(&read.stderr);
            assert!(read.status.success(), "{shell} does not read it: {said}");
        }
    }
    let json = onramp(["--json", "completions", "fish"]).code(0).json();
    assert_eq!(json["shell"], "fish");
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("man1");
    let folder_name = folder.to_str().unwrap();
    let ran = onramp(["manual", folder_name]).code(0);
    assert_has(&ran.stdout, &[folder_name, "manual pages"]);
    let pages = listing(&folder);
    for page in ["onramp.1", "onramp-sim.1", "onramp-lab-shell.1"] {
        assert!(pages.contains(page), "{page} is missing in {pages:?}");
    }
    let json = onramp(["--json", "manual", folder_name]).code(0).json();
    assert_eq!(json["files"].as_array().unwrap().len(), pages.len());

    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    onramp(["manual", file.to_str().unwrap()])
        .code(2)
        .warns(&["cannot write", "file"]);
}
