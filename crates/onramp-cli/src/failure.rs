//! Failures of commands: messages and exit codes.

use serde_json::{json, Value};
use std::fmt;
use std::io::IsTerminal;

pub const DONE: u8 = 0;
pub const MISSED: u8 = 1;
pub const BAD_INPUT: u8 = 2;
pub const HOST_LACKS: u8 = 3;
/// As in a shell: 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;

/// Why a command failed. The message says what to do.
pub struct Failure {
    code: u8,
    message: String,
    /// The lines of a file with its mistakes, for a terminal and for `--json`.
    of_file: Option<(String, Value)>,
}

impl Failure {
    pub fn new(code: u8, message: impl Into<String>) -> Failure {
        Failure {
            code,
            message: message.into(),
            of_file: None,
        }
    }

    /// The failure for mistakes in a file. `report` shows its lines, with colours or without.
    pub fn of_file(
        error: &impl fmt::Display,
        report: impl FnOnce(bool) -> String,
        json: Value,
    ) -> Failure {
        Failure {
            code: BAD_INPUT,
            message: error.to_string(),
            of_file: Some((report(std::io::stderr().is_terminal()), json)),
        }
    }

    pub fn code(&self) -> u8 {
        self.code
    }

    /// Prints the failure on standard error.
    pub fn print(&self, json: bool) {
        let (error, text) = match &self.of_file {
            Some((text, error)) => (error.clone(), text.clone()),
            None => (json!(self.message), format!("onramp: {self}\n")),
        };
        match json {
            true => eprintln!("{}", json!({ "error": error, "exit_code": self.code })),
            false => eprint!("{text}"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<onramp_kernel::Error> for Failure {
    fn from(error: onramp_kernel::Error) -> Failure {
        let code = match error.is_bad_request() {
            true => BAD_INPUT,
            false => HOST_LACKS,
        };
        Failure::new(code, error.to_string())
    }
}
