//! Prometheus' own checker: on the PATH, or where `scripts/promtool.sh` puts it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The checker with these arguments.
///
/// # Panics
/// It is missing.
pub fn command(arguments: &[&str]) -> Command {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/promtool");
    let found = [PathBuf::from("promtool"), tools].into_iter().find(|path| {
        let version = Command::new(path)
            .arg("--version")
            .stderr(Stdio::null())
            .output();
        version.is_ok_and(|output| output.status.success())
    });
    let path = found.expect("promtool is missing: run scripts/promtool.sh, which brings it");
    let mut command = Command::new(path);
    command
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}
