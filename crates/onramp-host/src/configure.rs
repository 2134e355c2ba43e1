//! Configuration of a network namespace with iproute2 and /proc/sys, from a thread inside it.

use crate::error::Error;
use std::io::{ErrorKind, Write as _};
use std::process::{Command, Stdio};

/// Sets a kernel parameter. `name` is its path below /proc/sys.
///
/// # Errors
/// There is no such parameter, or it cannot be written.
pub fn sysctl(name: &str, value: String) -> Result<(), Error> {
    std::fs::write(format!("/proc/sys/{name}"), &value).map_err(|source| Error::Sysctl {
        name: name.to_owned(),
        value,
        source,
    })
}

/// Runs a batch of `ip` commands, one per line, in the network namespace of the calling thread.
///
/// # Errors
/// iproute2 is not installed, or a command failed.
pub fn ip(batch: &str) -> Result<(), Error> {
    run("ip", batch)
}

/// Runs a batch of `tc` commands, as [`ip`].
///
/// # Errors
/// As [`ip`].
pub fn tc(batch: &str) -> Result<(), Error> {
    run("tc", batch)
}

/// Runs a batch of commands with a program of iproute2.
fn run(program: &'static str, batch: &str) -> Result<(), Error> {
    let started = ["", "/usr/sbin/", "/sbin/"].iter().find_map(|folder| {
        let spawned = Command::new(format!("{folder}{program}"))
            .args(["-batch", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        match spawned {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            other => Some(other),
        }
    });
    let no_program = |source| Error::NoProgram { program, source };
    let mut child = started
        .unwrap_or_else(|| Err(ErrorKind::NotFound.into()))
        .map_err(no_program)?;
    // A program that stops early closes its end of the pipe. Its message on stderr is more useful
    // than the error of this write.
    let _ = child
        .stdin
        .take()
        .expect("stdin is piped")
        .write_all(batch.as_bytes());
    let output = child.wait_with_output().map_err(no_program)?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr)
        .trim()
        .replace('\n', "; ");
    Err(Error::Configure {
        command: format!("{program} -batch: {}", batch.trim().replace('\n', "; ")),
        stderr,
    })
}
