//! `onramp sweep`: hands over to the program of the Python package. What that program does is
//! tested beside it.

use crate::common::{command, run, Ran};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Runs `onramp` where PATH is this directory alone.
fn onramp_in(path: &Path, arguments: &[&str]) -> Ran {
    let mut command = command(arguments);
    command.env("PATH", path);
    run(command)
}

#[test]
fn the_program_of_the_python_package_gets_all_arguments() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("onramp-sweep");
    fs::write(&program, "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 7\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    for (arguments, expected) in [
        (&["sweep", "--help"][..], "<--help>"),
        (
            &["sweep", "a b.toml", "--out", "c", "--resume"],
            "<a b.toml><--out><c><--resume>",
        ),
        (
            &["sweep", "--out", "c", "--json", "a"],
            "<--out><c><--json><a>",
        ),
        (&["--json", "sweep", "a"], "<--json><a>"),
    ] {
        let ran = onramp_in(dir.path(), arguments).code(7);
        assert_eq!(ran.stdout, expected);
    }
}

#[test]
fn without_the_python_package_there_is_advice() {
    let dir = tempfile::tempdir().unwrap();
    let ran = onramp_in(dir.path(), &["sweep", "a.toml", "--out", "b"]).code(3);
    ran.warns(&["`onramp-sweep` is not in PATH", "pip install"]);
    let ran = onramp_in(dir.path(), &["--json", "sweep"]).code(3);
    assert_eq!(ran.json_error()["exit_code"], 3);
}
