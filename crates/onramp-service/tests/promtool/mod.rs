//! Prometheus' own checker, where it can be had: on the PATH, or where `scripts/promtool.sh` puts
//! it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub struct Promtool(PathBuf);

/// `None`: it is not here, which the test then says.
pub fn find() -> Option<Promtool> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/promtool");
    let found = [PathBuf::from("promtool"), tools].into_iter().find(|path| {
        let version = Command::new(path)
            .arg("--version")
            .stderr(Stdio::null())
            .output();
        version.is_ok_and(|output| output.status.success())
    });
    if found.is_none() {
        eprintln!("not checked: promtool is missing; scripts/promtool.sh brings it");
    }
    found.map(Promtool)
}

impl Promtool {
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.0);
        command
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}
