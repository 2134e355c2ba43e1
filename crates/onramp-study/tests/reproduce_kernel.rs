//! `onramp reproduce` with this machine's kernel, and without permission to use it.

use super::common::*;
use super::html::well_formed;
use std::fs;
use std::os::unix::process::CommandExt;

const PAPER: &str = "aron-druschel-1998";

#[test]
#[ignore = "takes a minute: make test-kernel"]
fn without_permission_the_rows_are_judged_and_the_kernel_is_left_out() {
    let Some(_machine) = machine() else { return };
    const NOBODY: u32 = 65_534;
    let dir = public_dir();
    let mut command = std::process::Command::new(dir.path().join("onramp"));
    command.args(["reproduce", PAPER, "--seeds", "1", "--no-alternatives"]);
    command.current_dir(dir.path()).uid(NOBODY).gid(NOBODY);
    let ran = run(command)
        .warns(&["note: the runs on this kernel are left out:", "root"])
        .says(&["1 seed\n"]);
    assert!(
        ran.stderr.lines().count() == 1 && !ran.stdout.contains("today's kernel"),
        "{ran:#?}"
    );
    let others = ["MISSED", "consistent", "undecided"].map(|word| format!("  {word}"));
    let misses = |line: &str| others.iter().any(|word| line.ends_with(word));
    let code = i32::from(ran.stdout.lines().any(misses));
    ran.code(code);
}

#[test]
#[ignore = "takes a minute: make test-kernel"]
fn the_results_of_todays_kernel_are_shown_with_the_simulators() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let ran = onramp([
        "reproduce",
        PAPER,
        "--seeds",
        "1",
        "--no-alternatives",
        "--out",
        out,
    ]);
    assert!(ran.stdout.contains("On today's kernel (Linux "), "{ran:#?}");
    let ran = ran.says(&["Not the paper's numbers", "8 x 5 MB", "paced + cubic"]);
    assert!(!ran.stderr.contains("failed:"), "{ran:#?}");
    let page = fs::read_to_string(dir.path().join(format!("{PAPER}.html"))).unwrap();
    well_formed(&page);
    assert!(
        page.contains("On today&#39;s kernel (Linux ")
            || page.contains("On today's kernel (Linux "),
        "{page}"
    );
}
