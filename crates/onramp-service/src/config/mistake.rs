//! The mistakes that a configuration can have, with their facts and their sentences.

use super::advice;
use onramp_config::document::written;
use onramp_config::key::KeyPlace;
use onramp_config::{did_you_mean, last_part, shown, AnyMistake, FileMistake};
use std::ops::Range;

/// What a series of tables is if its name has one pair of brackets.
const ONE_TABLE: &str = "one table";

/// A mistake in a configuration. [`Display`](std::fmt::Display) is one sentence.
#[derive(Clone, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum Mistake {
    /// The file is not TOML.
    #[error("this is not TOML: {message}")]
    Syntax { message: String },
    /// A key or a table is given a second time.
    #[error("{}", match is_table {
        true => format!("the table [{key}] is given twice"),
        false => format!("`{key}` is given twice in this table"),
    })]
    Twice { key: String, is_table: bool },
    /// A table has a key that it cannot have.
    #[error("unknown key `{key}` in {table}{}", did_you_mean(*nearest))]
    UnknownKey {
        key: String,
        table: String,
        nearest: Option<&'static str>,
        accepted: Vec<&'static str>,
    },
    /// A table or a series of tables is something else.
    #[error("`{key}` is {found}, not {expected}")]
    NotATable {
        key: String,
        found: &'static str,
        expected: &'static str,
    },
    /// The file has no policy, and does not say that it is meant to have none.
    #[error("{file} has no policy: no connection would be changed or measured")]
    NoPolicy { file: String },
    /// A key without a default is not given.
    #[error("`{key}` is missing in this policy")]
    Missing { key: String, expected: &'static str },
    /// A value is not what the key expects.
    #[error("`{key}` is {found}")]
    Value {
        key: String,
        found: String,
        advice: String,
    },
    /// A list is empty.
    #[error("the list `{key}` is empty")]
    EmptyList { key: String },
    /// Two policies have one name.
    #[error("two policies have the name `{name}`")]
    SameName { name: String, first: Range<usize> },
    /// An address is given a second time.
    #[error("the address {address} is given twice")]
    SameAddress {
        address: std::net::SocketAddr,
        first: Range<usize>,
    },
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
        advice: String,
    },
    /// This host has no such user.
    #[error("this host has no user `{user}`")]
    NoUser { user: String },
    /// There are more policies than the kernel's program can have.
    #[error("the file has {found} policies; the maximum is {max}")]
    TooManyPolicies { found: usize, max: usize },
    /// There are more prefixes than the kernel's program can have.
    #[error("the file has {found} prefixes; the maximum is {max}")]
    TooManyPrefixes { found: usize, max: usize },
}

impl Mistake {
    /// The mistake of a text that is not TOML.
    pub(super) fn of_syntax(text: &str, error: &toml::de::Error) -> Mistake {
        let message = error.message().to_owned();
        let place = error.span().filter(|_| message == "duplicate key");
        let Some((span, key)) = place.and_then(|span| Some((span.clone(), text.get(span)?))) else {
            return Mistake::Syntax { message };
        };
        let line_start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        Mistake::Twice {
            key: shown(key),
            is_table: text[line_start..].trim_start().starts_with('['),
        }
    }

    /// A mistake of any file, as one of a configuration.
    pub(super) fn of_a_file(mistake: FileMistake) -> AnyMistake {
        let key_of = |path: &str| last_part(path).to_owned();
        let mistake = match mistake {
            FileMistake::UnknownKey {
                key,
                table,
                nearest,
                accepted,
                ..
            } => Mistake::UnknownKey {
                key,
                table: table.replace("the top level", "the file"),
                nearest,
                accepted,
            },
            FileMistake::MissingKey { key, expected } => Mistake::Missing {
                key: key_of(&key),
                expected,
            },
            FileMistake::NotATable { key, found, .. } => Mistake::NotATable {
                found: match found {
                    "a table" => ONE_TABLE,
                    "a list" | "an empty list" | "a list of tables" => "a list",
                    _ => "a value",
                },
                expected: match key.as_str() {
                    "policy" => "tables that begin with [[policy]]",
                    _ => "a table",
                },
                key,
            },
            FileMistake::WrongType {
                key,
                written,
                expected,
                ..
            } => Mistake::Value {
                advice: advice::of_type(&key_of(&key), expected, &written),
                key: key_of(&key),
                found: written,
            },
            FileMistake::ListNotAllowed { key, expected, .. } => Mistake::Value {
                key: key_of(&key),
                found: "a list".to_owned(),
                advice: format!("expected {expected}"),
            },
            FileMistake::EmptyList { key } => Mistake::EmptyList { key: key_of(&key) },
            FileMistake::TooMany { count, max, .. } => {
                Mistake::TooManyPolicies { found: count, max }
            }
            other => return other.into(),
        };
        mistake.into()
    }
}

/// The mistake that a key cannot have the value that is read.
pub(super) fn wrong_value(place: &KeyPlace, expected: &str, text: &str) -> AnyMistake {
    let key = place.facts.name;
    let mistake = Mistake::Value {
        key: key.to_owned(),
        found: place.value.map(written).unwrap_or_default(),
        advice: advice::of(key, expected, text),
    };
    mistake.into()
}

impl onramp_config::Mistake for Mistake {
    fn label(&self) -> String {
        match self {
            Mistake::UnknownKey {
                nearest: Some(nearest),
                ..
            } => format!("did you mean `{nearest}`?"),
            Mistake::UnknownKey { table, .. } => format!("not a key of {table}"),
            Mistake::Missing { .. } => "in this table".to_owned(),
            Mistake::SameName { .. } | Mistake::SameAddress { .. } => "and here".to_owned(),
            _ => "here".to_owned(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Mistake::Twice {
                key,
                is_table: true,
            } if key != "policy" => "join both".to_owned(),
            Mistake::Twice {
                is_table: false, ..
            }
            | Mistake::SameAddress { .. } => "remove one".to_owned(),
            Mistake::Twice { .. }
            | Mistake::NotATable {
                expected: "tables that begin with [[policy]]",
                found: ONE_TABLE,
                ..
            } => "write [[policy]], with two brackets".to_owned(),
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
            Mistake::Value { advice, .. } | Mistake::Startup { advice, .. } => advice.clone(),
            Mistake::EmptyList { key } => advice::of_empty_list(key).to_owned(),
            Mistake::SameName { .. } => "give each policy a name of its own".to_owned(),
            Mistake::NoEffect { .. } => "remove it".to_owned(),
            Mistake::NoUser { user } if user.bytes().all(|byte| byte.is_ascii_digit()) => {
                format!("a user id has no quotes: user = {user}")
            }
            Mistake::NoUser { .. } => {
                "create the user, correct the name, or give the number of the user".to_owned()
            }
            Mistake::TooManyPolicies { .. } => {
                "join policies that have the same start-up".to_owned()
            }
            Mistake::TooManyPrefixes { .. } => "join neighbours into shorter ones".to_owned(),
        })
    }

    fn other_place(&self) -> Option<(&'static str, Range<usize>)> {
        match self {
            Mistake::SameName { first, .. } | Mistake::SameAddress { first, .. } => {
                Some(("first here", first.clone()))
            }
            _ => None,
        }
    }
}
