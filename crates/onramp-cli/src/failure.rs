//! Failures of commands: messages and exit codes.

use serde_json::{json, Value};
use std::fmt;
use std::io::IsTerminal;
use std::path::Path;

/// The exit code of success.
pub const DONE: u8 = 0;
/// A result missed its expectation.
pub const MISSED: u8 = 1;
/// The input is wrong.
pub const BAD_INPUT: u8 = 2;
/// This host lacks something.
pub const HOST_LACKS: u8 = 3;
/// Interrupted. As in a shell: 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;

/// Why a command failed. The message says what to do.
pub struct Failure {
    code: u8,
    message: String,
    /// The lines of a file with its mistakes, for a terminal and for `--json`.
    of_file: Option<Box<(String, Value)>>,
}

impl Failure {
    /// A failure with this exit code.
    pub fn new(code: u8, message: impl Into<String>) -> Failure {
        Failure {
            code,
            message: message.into(),
            of_file: None,
        }
    }

    /// The failure for a file or folder that could not be used: cannot `read` it, for example.
    pub fn at(tried: &str, path: &Path, error: impl fmt::Display) -> Failure {
        let path = path.display();
        Failure::new(BAD_INPUT, format!("cannot {tried} {path}: {error}"))
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
            of_file: Some(Box::new((report(std::io::stderr().is_terminal()), json))),
        }
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        self.code
    }

    /// Prints the failure on standard error.
    pub fn print(&self, json: bool) {
        let (text, error) = match self.of_file.as_deref() {
            Some(of_file) => of_file.clone(),
            None => (format!("onramp: {self}\n"), json!(self.message)),
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
