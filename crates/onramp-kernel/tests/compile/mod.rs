//! BPF programs of the tests, compiled when a test needs them.

use std::process::{Command, Stdio};

/// The object of a BPF program in C. `source`: its path.
///
/// # Panics
/// If clang is not installed or cannot compile the program.
pub fn compile(source: &str) -> Vec<u8> {
    let clang = Command::new("clang")
        .args(["-O2", "-g", "-target", "bpf", "-mcpu=v3", "-c"])
        .args([source, "-o", "-"])
        .stderr(Stdio::inherit())
        .output()
        .expect("clang is installed: it compiles Onramp's own programs");
    assert!(clang.status.success(), "clang cannot compile {source}");
    clang.stdout
}
