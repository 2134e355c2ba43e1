//! Why a scenario was not run, or not to its end.

use onramp_scenario::{Error, Fault as Mistake, Invalid};
use serde::Serialize;

/// One reason, and its place in the scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fault {
    /// What is wrong.
    pub message: String,
    /// Line of the scenario, from 1; `None`: the whole scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Column in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// The reasons, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub Vec<Fault>);

impl Refusal {
    /// A refusal of the whole scenario.
    pub fn new(message: impl Into<String>, help: Option<&str>) -> Refusal {
        Refusal(vec![Fault {
            message: message.into(),
            line: None,
            column: None,
            help: help.map(str::to_owned),
        }])
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        match error.invalid() {
            Some(invalid) => Refusal(of_mistakes(invalid)),
            None => Refusal::new(error.to_string(), None),
        }
    }
}

fn of_mistakes(invalid: &Invalid) -> Vec<Fault> {
    let fault = |mistake: &Mistake| {
        let place = invalid.line_column(mistake);
        Fault {
            message: mistake.mistake.to_string(),
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            help: mistake.advice(),
        }
    };
    invalid.faults().iter().map(fault).collect()
}
