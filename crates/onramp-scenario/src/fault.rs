//! One mistake in a scenario file: the facts, the place, and the sentences that are made of them.

use crate::units::UnitError;
use miette::{Diagnostic, LabeledSpan};
use std::fmt;
use std::ops::Range;

/// A mistake and where it stands.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What is wrong.
    pub mistake: Mistake,
    /// Bytes of the file that are wrong; `None` where the mistake is that something is not there.
    pub span: Option<Range<usize>>,
    /// Line and column for the message, where the line itself cannot be shown.
    pub(crate) place: Option<(usize, usize)>,
}

/// What can be wrong in a scenario file. Keys are named with their table, as in `path.rate`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Mistake {
    /// Not TOML.
    Syntax { message: String },
    /// No key at all.
    Empty,
    /// A key or table that scenario files do not have there. `belongs` is the table that does have it.
    UnknownKey {
        key: String,
        table: String,
        nearest: Option<&'static str>,
        belongs: Option<String>,
        accepted: Vec<&'static str>,
    },
    /// A key that has no default is not given.
    MissingKey { key: String, expected: &'static str },
    /// A table that every scenario has is not given.
    MissingTable { table: String },
    /// A value of another type.
    WrongType { key: String, found: &'static str, expected: String },
    /// A list where one value is wanted.
    ListNotAllowed { key: String, lists: Vec<String> },
    /// A list without an element.
    EmptyList { key: String },
    /// A list, or a series of tables, beyond what is sensible.
    TooMany { key: String, count: usize, most: usize },
    /// A list that has one value two times.
    Twice { key: String, value: String, first: Range<usize> },
    /// A quantity that cannot be read.
    Quantity { key: String, error: Box<UnitError> },
    /// A value beyond its least or most.
    OutOfRange { key: String, found: String, range: String },
    /// A name that is not one of those known.
    UnknownName { key: String, found: String, nearest: Option<String>, accepted: Vec<String> },
    /// A scenario's name of other characters than tables and file names can take.
    BadName { found: String },
    /// `path.reverse.delay` is more than one of the round trips.
    DelayBeyondRtt { delay: String, rtt: String },
    /// Two `[[transfer]]` tables ask for the same case.
    RepeatedCase { case: String, first: Range<usize> },
    /// The cross product of all lists is too large.
    TooManyCases { cases: u128, most: u64 },
}

impl Mistake {
    pub(crate) fn at(self, span: Range<usize>) -> Fault {
        Fault { mistake: self, span: Some(span), place: None }
    }

    pub(crate) fn nowhere(self) -> Fault {
        Fault { mistake: self, span: None, place: None }
    }

    fn label(&self) -> String {
        match self {
            Mistake::UnknownKey { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Mistake::UnknownKey { table, .. } => format!("not a key of {table}"),
            Mistake::MissingKey { key, .. } => {
                let name = key.rsplit('.').next().unwrap_or(key);
                format!("`{name}` is missing in this table")
            }
            Mistake::WrongType { found, .. } => format!("found {found}"),
            Mistake::ListNotAllowed { .. } => "found a list".to_owned(),
            Mistake::UnknownName { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Mistake::Twice { .. } => "here again".to_owned(),
            Mistake::RepeatedCase { .. } => "and in this table".to_owned(),
            _ => "here".to_owned(),
        }
    }

    fn mend(&self) -> Option<String> {
        match self {
            Mistake::Syntax { message } if message.starts_with("string values must be quoted") => {
                Some("words and quantities are written in quotes: rate = \"50 Mbit/s\"".to_owned())
            }
            Mistake::Syntax { .. } | Mistake::Twice { .. } | Mistake::TooMany { .. } => None,
            Mistake::Empty => Some(
                "a scenario has at least a `name`, a [path] with `rate` and `rtt`, and a [[transfer]] with `size`"
                    .to_owned(),
            ),
            Mistake::UnknownKey { belongs: Some(belongs), key, .. } => Some(format!("`{key}` is a key of {belongs}")),
            Mistake::UnknownKey { table, accepted, .. } => {
                let verb = if table == "the top level" { "takes" } else { "has the keys" };
                Some(format!("{table} {verb} {}", accepted.join(", ")))
            }
            Mistake::MissingKey { expected, .. } => Some(format!("give {expected}")),
            Mistake::MissingTable { .. } => {
                Some("every scenario has one [path] and at least one [[transfer]]".to_owned())
            }
            Mistake::WrongType { expected, .. } => Some(format!("expected {expected}")),
            Mistake::ListNotAllowed { lists, .. } => Some(format!("lists are for {}", lists.join(", "))),
            Mistake::EmptyList { .. } => Some("give at least one value, or leave the key out".to_owned()),
            Mistake::Quantity { error, .. } => error.help(),
            Mistake::OutOfRange { range, .. } => Some(format!("the range is {range}")),
            Mistake::UnknownName { accepted, .. } => Some(format!("known are {}", accepted.join(", "))),
            Mistake::BadName { .. } => {
                Some("a name has 1 to 64 characters of a-z, 0-9 and -, and does not begin with -".to_owned())
            }
            Mistake::DelayBeyondRtt { .. } => Some(
                "both directions' delays add up to the round trip: the reverse one can be at most all of it".to_owned(),
            ),
            Mistake::RepeatedCase { .. } => {
                Some("their results could not be told apart: use `repeat` to run a case more than once".to_owned())
            }
            Mistake::TooManyCases { most, .. } => Some(format!("the most is {most}: shorten a list or split the file")),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mistake::Syntax { message } => write!(f, "this is not TOML: {message}"),
            Mistake::Empty => write!(f, "the file is empty"),
            Mistake::UnknownKey { key, table, nearest, .. } => {
                let place = if table == "the top level" { "at" } else { "in" };
                write!(f, "unknown key `{key}` {place} {table}")?;
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
            Mistake::MissingKey { key, .. } => write!(f, "`{key}` is missing"),
            Mistake::MissingTable { table } => write!(f, "{table} is missing"),
            Mistake::WrongType { key, found, .. } => write!(f, "`{key}` is {found}"),
            Mistake::ListNotAllowed { key, .. } => write!(f, "`{key}` cannot be a list"),
            Mistake::EmptyList { key } => write!(f, "the list `{key}` is empty"),
            Mistake::TooMany { key, count, most } => write!(f, "`{key}` has {count} entries; the most is {most}"),
            Mistake::Twice { key, value, .. } => write!(f, "the list `{key}` has {value} twice"),
            Mistake::Quantity { key, error } => write!(f, "`{key}`: {error}"),
            Mistake::OutOfRange { key, found, .. } => write!(f, "`{key}` is {found}: out of its range"),
            Mistake::UnknownName { key, found, nearest, .. } => {
                write!(f, "`{key}` is `{found}`, which is unknown")?;
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
            Mistake::BadName { found } => write!(f, "`{found}` cannot be a scenario's name"),
            Mistake::DelayBeyondRtt { delay, rtt } => {
                write!(f, "the reverse delay of {delay} is more than the round trip of {rtt}")
            }
            Mistake::RepeatedCase { case, .. } => write!(f, "two [[transfer]] tables have the case {case}"),
            Mistake::TooManyCases { cases, .. } => write!(f, "the lists multiply to {cases} cases"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.mistake),
            None => self.mistake.fmt(f),
        }
    }
}

impl std::error::Error for Fault {}

impl Diagnostic for Fault {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.mistake.mend().map(|mend| Box::new(mend) as Box<dyn fmt::Display>)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = |text: String, span: &Range<usize>| LabeledSpan::new(Some(text), span.start, span.len());
        let here = self.span.as_ref().map(|span| label(self.mistake.label(), span))?;
        let first = match &self.mistake {
            Mistake::Twice { first, .. } => Some(label("first here".to_owned(), first)),
            Mistake::RepeatedCase { first, .. } => Some(label("in this table".to_owned(), first)),
            _ => None,
        };
        Some(Box::new(first.into_iter().chain([here])))
    }
}
