//! The mistakes that a configuration can have, with their facts and their sentences.

use std::ops::Range;

/// A mistake in a configuration. [`Display`](std::fmt::Display) is one sentence.
#[derive(Clone, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum Mistake {
    /// The file is not TOML.
    #[error("this is not TOML: {message}")]
    Syntax { message: String },
    /// A table has a key that it cannot have.
    #[error(
        "unknown key `{key}` in {table}{}",
        nearest.map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
    )]
    UnknownKey {
        key: String,
        table: &'static str,
        nearest: Option<&'static str>,
        accepted: Vec<&'static str>,
    },
    /// A table or a series of tables is something else.
    #[error("`{key}` is {found}, not {expected}")]
    NotATable {
        key: &'static str,
        found: &'static str,
        expected: &'static str,
    },
    /// The file has no policy, and does not say that it is meant to have none.
    #[error("{file} has no policy: no connection would be changed or measured")]
    NoPolicy { file: String },
    /// A key without a default is not given.
    #[error("`{key}` is missing in this policy")]
    Missing {
        key: &'static str,
        expected: &'static str,
    },
    /// A value is not what the key expects.
    #[error("`{key}` is {found}")]
    Value {
        key: &'static str,
        found: String,
        expected: String,
    },
    /// A list is empty.
    #[error("the list `{key}` is empty")]
    EmptyList { key: &'static str },
    /// Two policies have one name.
    #[error("two policies have the name `{name}`")]
    SameName { name: String, first: Range<usize> },
    /// A key has no effect.
    #[error("`{key}` has no effect {without}")]
    NoEffect {
        key: &'static str,
        without: &'static str,
    },
    /// A start-up cannot be the one of a policy.
    #[error("start-up `{startup}` cannot be chosen by a policy: {why}")]
    Startup {
        startup: String,
        why: &'static str,
        possible: Vec<&'static str>,
    },
    /// This host has no such user.
    #[error("this host has no user `{user}`")]
    NoUser { user: String },
    /// There are more policies than the kernel's program can have.
    #[error("the file has {found} policies; the maximum is {max}")]
    TooManyPolicies { found: usize, max: usize },
}

impl Mistake {
    /// The label of the marked place.
    pub(super) fn label(&self) -> String {
        match self {
            Mistake::UnknownKey {
                nearest: Some(nearest),
                ..
            } => format!("did you mean `{nearest}`?"),
            Mistake::UnknownKey { table, .. } => format!("not a key of {table}"),
            Mistake::Missing { .. } => "in this table".to_owned(),
            Mistake::SameName { .. } => "and here".to_owned(),
            _ => "here".to_owned(),
        }
    }

    /// What to do.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Mistake::Syntax { .. } | Mistake::NotATable { .. } => return None,
            Mistake::UnknownKey {
                table, accepted, ..
            } => {
                format!("{table} has: {}", accepted.join(", "))
            }
            Mistake::NoPolicy { .. } => {
                "add a table [[policy]], or write policy = [] in the first line".to_owned()
            }
            Mistake::Missing { key, expected } => format!("add `{key} = ...`: {expected}"),
            Mistake::Value { expected, .. } => format!("expected {expected}"),
            Mistake::EmptyList { .. } => {
                "remove the key to match everything, or add an entry".to_owned()
            }
            Mistake::SameName { .. } => "give each policy a name of its own".to_owned(),
            Mistake::NoEffect { .. } => "remove it".to_owned(),
            Mistake::Startup { possible, .. } => format!("choose one of: {}", possible.join(", ")),
            Mistake::NoUser { .. } => {
                "create the user, correct the name, or give the number of the user".to_owned()
            }
            Mistake::TooManyPolicies { .. } => {
                "join policies that have the same start-up".to_owned()
            }
        })
    }
}
