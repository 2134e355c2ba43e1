//! The commands, one file or folder each.

pub mod compare;
pub mod compare_startups;
pub mod judge;
pub mod lab;
pub mod lab_shell;
pub mod model;
pub mod own_algorithm;
pub mod quic;
pub mod replay;
pub mod reproduce;
mod runs;
pub mod sim;
pub mod sweep;
pub mod tcp;
pub mod theory;
pub mod web;

use onramp_cli::failure::{Failure, BAD_INPUT};

/// The failure for a scenario that was refused.
pub fn refused(error: onramp_scenario::Error) -> Failure {
    let json = match error.invalid() {
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
            .collect(),
    };
    Failure::of_file(&error, |colour| error.report(colour), json)
}

/// The failure for a report that could not be written.
pub fn unwritten(error: onramp_report::Error) -> Failure {
    Failure::new(BAD_INPUT, error.to_string())
}
