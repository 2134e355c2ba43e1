//! `onramp sweep`: starts the program `onramp-sweep` of the Python package, which runs sweeps by
//! itself or on a cluster.

use crate::cli::SweepArguments;
use onramp_cli::failure::{Failure, HOST_LACKS};
use onramp_cli::Answer;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The program, found by PATH.
const PROGRAM: &str = "onramp-sweep";

pub fn run(arguments: &SweepArguments, json: bool) -> Answer {
    // Only returns if there is no such program.
    let error = Command::new(PROGRAM)
        .args(json.then_some("--json"))
        .args(&arguments.arguments)
        .exec();
    let message = if error.kind() == ErrorKind::NotFound {
        format!(
            "`{PROGRAM}` is not in PATH: it is part of Onramp's Python package; in a clone of the \
             repository, `pip install './python[all]'` installs it"
        )
    } else {
        format!("`{PROGRAM}` does not start: {error}")
    };
    Err(Failure::new(HOST_LACKS, message))
}
