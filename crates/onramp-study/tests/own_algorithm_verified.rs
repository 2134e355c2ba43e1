//! `onramp try`: the kernel's verifier walks the program of an algorithm outside of the tree.

use crate::common::*;
use std::fs;

const EXAMPLE: &str = include_str!("../../../examples/algorithms/mine.h");

#[test]
fn the_verifier_of_this_kernel_walks_the_example() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mine.h");
    fs::write(&file, EXAMPLE).unwrap();
    let path = scenario(dir.path(), "one", "", "[[transfer]]\nsize = \"100 kB\"\n");
    let arguments = [
        "try",
        file.to_str().unwrap(),
        "--scenario",
        path.to_str().unwrap(),
    ];
    let ran = onramp(arguments.iter().chain(&["--json"])).code(0);
    let verifier = &ran.json()["verifier"];
    let programs = verifier["programs"].as_array().unwrap();
    assert!(programs.len() > 3, "{verifier}");
    let processed = |one: &serde_json::Value| one["verified_instructions"].as_u64().unwrap();
    assert!(programs.iter().all(|one| processed(one) > 0), "{verifier}");

    // A read of memory that is not the program's, which no transfer here executes.
    let line = "	bool is_full = false;";
    let read = "	if (ack->mss_bytes == 1)\n		\
                return (void)*(volatile uint64_t *)(uintptr_t)ack->rtt_ns;";
    fs::write(&file, EXAMPLE.replace(line, &format!("{line}\n\n{read}"))).unwrap();
    onramp(arguments)
        .code(1)
        .says(&["Verifier: ", "onramp_mine", "invalid mem access"]);

    let registered = onramp_kernel::registered_names().unwrap();
    assert!(
        !registered.iter().any(|name| name.contains("mine")),
        "{registered:?}"
    );
}
