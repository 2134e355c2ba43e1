//! Failures of commands: messages and exit codes.

use std::fmt;
use std::io::IsTerminal;

pub const DONE: u8 = 0;
pub const MISSED: u8 = 1;
pub const BAD_INPUT: u8 = 2;
pub const HOST_LACKS: u8 = 3;
/// As in a shell: 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;

/// Why a command failed.
pub enum Failure {
    /// A scenario file is wrong.
    Scenario(onramp_scenario::Error),
    /// The configuration of the service is wrong.
    Configuration(onramp_service::config::Error),
    /// Another failure. The message says what to do.
    Other { code: u8, message: String },
}

impl Failure {
    pub fn new(code: u8, message: impl Into<String>) -> Failure {
        Failure::Other {
            code,
            message: message.into(),
        }
    }

    pub fn code(&self) -> u8 {
        match self {
            Failure::Scenario(_) | Failure::Configuration(_) => BAD_INPUT,
            Failure::Other { code, .. } => *code,
        }
    }

    /// Prints the failure on standard error.
    pub fn print(&self, json: bool) {
        if json {
            eprintln!(
                "{}",
                serde_json::json!({ "error": self.to_json(), "exit_code": self.code() })
            );
            return;
        }
        match self {
            Failure::Scenario(error) => {
                eprint!("{}", error.report(std::io::stderr().is_terminal()));
            }
            Failure::Configuration(error) => {
                eprint!("{}", error.report(std::io::stderr().is_terminal()));
            }
            Failure::Other { .. } => eprintln!("onramp: {self}"),
        }
    }

    fn to_json(&self) -> serde_json::Value {
        match self {
            Failure::Other { message, .. } => message.as_str().into(),
            Failure::Configuration(error) => error.lines().into(),
            Failure::Scenario(error) => match error.invalid() {
                None => error.to_string().into(),
                Some(invalid) => invalid
                    .faults()
                    .iter()
                    .map(|fault| {
                        let (line, column) = invalid.line_column(fault).unzip();
                        serde_json::json!({
                            "file": invalid.file_name(),
                            "line": line,
                            "column": column,
                            "message": fault.to_string(),
                        })
                    })
                    .collect::<Vec<_>>()
                    .into(),
            },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Scenario(error) => error.fmt(f),
            Failure::Configuration(error) => error.fmt(f),
            Failure::Other { message, .. } => f.write_str(message),
        }
    }
}

impl From<onramp_scenario::Error> for Failure {
    fn from(error: onramp_scenario::Error) -> Failure {
        Failure::Scenario(error)
    }
}

impl From<onramp_service::config::Error> for Failure {
    fn from(error: onramp_service::config::Error) -> Failure {
        Failure::Configuration(error)
    }
}

impl From<onramp_kernel::Error> for Failure {
    fn from(error: onramp_kernel::Error) -> Failure {
        Failure::new(
            if error.is_bad_request() {
                BAD_INPUT
            } else {
                HOST_LACKS
            },
            error.to_string(),
        )
    }
}

impl From<onramp_report::Error> for Failure {
    fn from(error: onramp_report::Error) -> Failure {
        Failure::new(BAD_INPUT, error.to_string())
    }
}
