//! The mistakes that a file of any format can have, with their facts and their sentences.

use crate::fault::Mistake;
use crate::spelling::did_you_mean;
use crate::units::UnitError;
use std::ops::Range;

/// A mistake that the reader of a document finds. Keys are named with their table, as in
/// `path.rate`. [`Display`](std::fmt::Display) is one sentence; a format may have other sentences
/// ([`Reader::new`](crate::document::Reader::new)).
#[derive(Clone, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum FileMistake {
    /// A table has a key or a table that files do not have there. `belongs` names the table that
    /// has it, or two tables.
    #[error("unknown key `{key}` {}{}", place(table), did_you_mean(*nearest))]
    UnknownKey {
        key: String,
        table: String,
        nearest: Option<&'static str>,
        belongs: Option<String>,
        accepted: Vec<&'static str>,
    },
    /// A key without a default is not given.
    #[error("`{key}` is missing")]
    MissingKey { key: String, expected: &'static str },
    /// A table that every file has is not given.
    #[error("{table} is missing")]
    MissingTable { table: String },
    /// A table or a series of tables is something else.
    #[error("`{key}` is {found}")]
    NotATable {
        key: String,
        found: &'static str,
        expected: String,
    },
    /// A value has another type than the key. `written` is the value as the file has it.
    #[error("`{key}` is {found}")]
    WrongType {
        key: String,
        found: &'static str,
        written: String,
        expected: &'static str,
    },
    /// A key with one value has a list.
    #[error("`{key}` cannot be a list")]
    ListNotAllowed {
        key: String,
        lists: Vec<String>,
        expected: &'static str,
    },
    /// A list has no element.
    #[error("the list `{key}` is empty")]
    EmptyList { key: String },
    /// A list, or a series of tables, is too long.
    #[error("`{key}` has {count} entries; the maximum is {max}")]
    TooMany {
        key: String,
        count: usize,
        max: usize,
    },
    /// A list has one value two times.
    #[error("the list `{key}` contains {value} twice")]
    Twice {
        key: String,
        value: String,
        first: Range<usize>,
    },
    /// A quantity cannot be read.
    #[error("`{key}`: {error}")]
    Quantity { key: String, error: Box<UnitError> },
    /// A value is below the minimum or above the maximum of its key.
    #[error("`{key}` is {found}, which is out of range")]
    OutOfRange {
        key: String,
        found: String,
        range: String,
    },
    /// A name is none of those known.
    #[error("`{key}` is `{found}`, which is unknown{}", did_you_mean(nearest.as_deref()))]
    UnknownName {
        key: String,
        found: String,
        nearest: Option<String>,
        accepted: Vec<String>,
    },
    /// A key has no effect without another one.
    #[error("`{key}` has no effect without `{other}`")]
    NeedsOther { key: String, other: String },
}

/// `in [path]`, or `at the top level`.
fn place(table: &str) -> String {
    let preposition = if table == "the top level" { "at" } else { "in" };
    format!("{preposition} {table}")
}

/// A key without its table.
pub fn last_part(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

impl Mistake for FileMistake {
    fn label(&self) -> String {
        let nearest = match self {
            FileMistake::UnknownKey { nearest, .. } => *nearest,
            FileMistake::UnknownName { nearest, .. } => nearest.as_deref(),
            _ => None,
        };
        if let Some(nearest) = nearest {
            return format!("did you mean `{nearest}`?");
        }
        match self {
            FileMistake::UnknownKey { table, .. } => format!("not a key of {table}"),
            FileMistake::MissingKey { key, .. } => {
                format!("`{}` is missing in this table", last_part(key))
            }
            FileMistake::NotATable { found, .. } | FileMistake::WrongType { found, .. } => {
                format!("found {found}")
            }
            FileMistake::ListNotAllowed { .. } => "found a list".to_owned(),
            FileMistake::Twice { .. } => "here again".to_owned(),
            FileMistake::NeedsOther { other, .. } => format!("without `{}`", last_part(other)),
            _ => "here".to_owned(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            FileMistake::UnknownKey {
                belongs: Some(belongs),
                key,
                ..
            } => format!("`{key}` is a key of {belongs}"),
            FileMistake::UnknownKey {
                table, accepted, ..
            } => {
                let verb = match table.as_str() {
                    "the top level" => "takes",
                    _ => "has the keys",
                };
                format!("{table} {verb} {}", accepted.join(", "))
            }
            FileMistake::MissingKey { expected, .. } => format!("give {expected}"),
            FileMistake::NotATable { expected, .. } => format!("expected {expected}"),
            FileMistake::WrongType { expected, .. } => format!("expected {expected}"),
            FileMistake::ListNotAllowed { lists, .. } => {
                format!("only these keys may be lists: {}", lists.join(", "))
            }
            FileMistake::EmptyList { .. } => {
                "give at least one value, or leave the key out".to_owned()
            }
            FileMistake::Quantity { error, .. } => return error.help(),
            FileMistake::OutOfRange { range, .. } => format!("the range is {range}"),
            FileMistake::UnknownName { accepted, .. } => {
                format!("known names are {}", accepted.join(", "))
            }
            FileMistake::NeedsOther { key, other } => {
                let (key, other) = (last_part(key), last_part(other));
                format!("give `{other}` too, or leave `{key}` out")
            }
            FileMistake::MissingTable { .. }
            | FileMistake::TooMany { .. }
            | FileMistake::Twice { .. } => return None,
        })
    }

    fn other_place(&self) -> Option<(&'static str, Range<usize>)> {
        match self {
            FileMistake::Twice { first, .. } => Some(("first here", first.clone())),
            _ => None,
        }
    }
}
