//! A paper's `paper.toml`: what it says, row by row, and what it leaves open.

use crate::expectation::{Expected, Rule};
use serde::Deserialize;

/// What a paper says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// Names the paper on the command line.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Authors, where and when.
    pub citation: String,
    /// What is reproduced, and how, in paragraphs.
    pub about: Vec<String>,
    /// What it measured, in its order.
    #[serde(rename = "row")]
    pub rows: Vec<Row>,
    /// What it leaves open, each decided once.
    #[serde(rename = "choice", default)]
    pub choices: Vec<Choice>,
    /// What its [`kernel`](crate::Paper::kernel) scenarios show, in paragraphs.
    #[serde(default)]
    pub kernel: Vec<String>,
}

/// Something that a paper measured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Names it, among all papers.
    pub id: String,
    /// What it is.
    pub what: String,
    /// Where the paper says it.
    pub section: String,
    /// What the paper says.
    pub expected: Expected,
    /// Of the number; empty where there is none.
    #[serde(default)]
    pub unit: String,
    /// How it counts.
    pub rule: Rule,
    /// How it is measured, and misprints.
    #[serde(default)]
    pub note: String,
    /// Why it misses; for those that do.
    #[serde(default)]
    pub cause: String,
}

/// Something that a paper leaves open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The question.
    pub question: String,
    /// What was decided: what the scenarios, and the code beside them, do.
    pub decided: String,
    /// Why.
    pub reason: String,
    /// What else could be.
    #[serde(rename = "alternative")]
    pub alternatives: Vec<Alternative>,
}

/// A plausible other answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// Short, for the head of a column.
    pub name: String,
    /// Keys of all scenarios that have another value: see [`Settings`](crate::Settings).
    pub set: toml::Table,
}

impl Ledger {
    /// Reads one. All of them are part of the program.
    ///
    /// # Panics
    /// Where it is wrong: a test reads them all.
    pub fn read(text: &str) -> Ledger {
        toml::from_str(text).unwrap_or_else(|error| panic!("{error}"))
    }
}
