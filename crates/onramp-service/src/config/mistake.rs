//! The mistakes that a configuration can have, with their facts and their sentences.

use super::advice;
use onramp_config::document::written;
use onramp_config::key::KeyPlace;
use onramp_config::Mistake as _;
use onramp_config::{did_you_mean, last_part, shown, AnyMistake, FileMistake};
use std::ops::Range;

/// What a file has instead of a series of tables if its name has one pair of brackets.
const ONE_TABLE: &str = "a table";

/// What to do about one pair of brackets.
const TWO_BRACKETS: &str = "write [[policy]], with two brackets";

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
    /// A mistake that any file can have, in the words of a configuration.
    #[error("{}", sentence(.0))]
    File(FileMistake),
    /// The file has no policy, and does not say that it is meant to have none.
    #[error("{file} has no policy: no connection would be changed or measured")]
    NoPolicy { file: String },
    /// A value is not what the key expects.
    #[error("`{key}` is {found}")]
    Value {
        key: String,
        found: String,
        advice: String,
    },
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
        Mistake::File(mistake).into()
    }
}

/// The header of a table, or of the whole file.
fn title(table: &str) -> &str {
    match table {
        "the top level" => "the file",
        table => table,
    }
}

/// A mistake of any file in the words of a configuration.
fn sentence(mistake: &FileMistake) -> String {
    match mistake {
        FileMistake::UnknownKey {
            key,
            table,
            nearest,
            ..
        } => {
            let suggestion = did_you_mean(*nearest);
            format!("unknown key `{key}` in {}{suggestion}", title(table))
        }
        FileMistake::MissingKey { key, .. } => {
            format!("`{}` is missing in this policy", last_part(key))
        }
        FileMistake::NotATable { key, found, .. } => {
            let found = match *found {
                ONE_TABLE => "one table",
                "a list" | "an empty list" | "a list of tables" => "a list",
                _ => "a value",
            };
            let expected = match key.as_str() {
                "policy" => "tables that begin with [[policy]]",
                _ => "a table",
            };
            format!("`{key}` is {found}, not {expected}")
        }
        FileMistake::WrongType { key, written, .. } => {
            format!("`{}` is {written}", last_part(key))
        }
        FileMistake::ListNotAllowed { key, .. } => format!("`{}` is a list", last_part(key)),
        FileMistake::EmptyList { key } => format!("the list `{}` is empty", last_part(key)),
        FileMistake::TooMany { count, max, .. } => {
            format!("the file has {count} policies; the maximum is {max}")
        }
        other => other.to_string(),
    }
}

/// What to do about a mistake of any file.
fn help(mistake: &FileMistake) -> Option<String> {
    Some(match mistake {
        FileMistake::UnknownKey {
            table, accepted, ..
        } => format!("{} has: {}", title(table), accepted.join(", ")),
        FileMistake::MissingKey { key, expected } => {
            format!("add `{} = ...`: {expected}", last_part(key))
        }
        FileMistake::NotATable { key, found, .. } => {
            let is_one = key == "policy" && *found == ONE_TABLE;
            return is_one.then(|| TWO_BRACKETS.to_owned());
        }
        FileMistake::WrongType {
            key,
            expected,
            written,
            ..
        } => advice::of_type(last_part(key), expected, written),
        FileMistake::ListNotAllowed { expected, .. } => format!("expected {expected}"),
        FileMistake::EmptyList { key } => advice::of_empty_list(last_part(key)).to_owned(),
        FileMistake::TooMany { .. } => "join policies that have the same start-up".to_owned(),
        other => return other.help(),
    })
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
            Mistake::File(FileMistake::UnknownKey {
                nearest: None,
                table,
                ..
            }) => format!("not a key of {}", title(table)),
            Mistake::File(mistake @ FileMistake::UnknownKey { .. }) => mistake.label(),
            Mistake::File(FileMistake::MissingKey { .. }) => "in this table".to_owned(),
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
            Mistake::Twice { .. } => TWO_BRACKETS.to_owned(),
            Mistake::Syntax { .. } => return None,
            Mistake::File(mistake) => return help(mistake),
            Mistake::NoPolicy { .. } => {
                "add a table [[policy]], or write policy = [] in the first line".to_owned()
            }
            Mistake::Value { advice, .. } | Mistake::Startup { advice, .. } => advice.clone(),
            Mistake::SameName { .. } => "give each policy a name of its own".to_owned(),
            Mistake::NoEffect { .. } => "remove it".to_owned(),
            Mistake::NoUser { user } if user.bytes().all(|byte| byte.is_ascii_digit()) => {
                format!("a user id has no quotes: user = {user}")
            }
            Mistake::NoUser { .. } => {
                "create the user, correct the name, or give the number of the user".to_owned()
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
