//! What can be wrong with a quantity, as sentences.

use super::Quantity;
use std::fmt;

/// Why a quantity was refused. [`Display`](fmt::Display) is one sentence; [`help`](UnitError::help)
/// is the mend.
///
/// `what` is the quantity's name, `found` the text that was refused and `expected` how to write it.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum UnitError {
    /// Nothing but blanks.
    Empty {
        what: &'static str,
        expected: String,
    },
    /// It does not begin with a plain decimal number.
    NotANumber {
        what: &'static str,
        found: String,
        nearest: Option<&'static str>,
        expected: String,
    },
    /// A number below zero.
    Negative { what: &'static str, found: String },
    /// Zero, where nothing can be done with zero.
    Zero { what: &'static str, found: String },
    /// A number alone.
    MissingUnit {
        what: &'static str,
        found: String,
        expected: String,
    },
    /// A unit that this quantity does not have.
    UnknownUnit {
        what: &'static str,
        found: String,
        unit: String,
        nearest: Option<&'static str>,
        expected: String,
    },
    /// More decimals than the integer it becomes can hold.
    TooFine {
        what: &'static str,
        found: String,
        counts: &'static str,
    },
    /// More than the integer it becomes can hold.
    TooLarge {
        what: &'static str,
        found: String,
        most: String,
    },
}

impl UnitError {
    /// How to write it instead.
    pub fn help(&self) -> Option<String> {
        match self {
            UnitError::Empty { expected, .. }
            | UnitError::NotANumber { expected, .. }
            | UnitError::MissingUnit { expected, .. }
            | UnitError::UnknownUnit { expected, .. } => Some(expected.clone()),
            UnitError::TooFine { counts, .. } => {
                Some(format!("give fewer decimals: it is kept in whole {counts}"))
            }
            UnitError::TooLarge { most, .. } => Some(format!("the most is {most}")),
            UnitError::Negative { .. } | UnitError::Zero { .. } => None,
        }
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnitError::Empty { what, .. } => write!(f, "the {what} is empty"),
            UnitError::NotANumber {
                what,
                found,
                nearest: Some(nearest),
                ..
            } => {
                write!(f, "the {what} is `{found}`; did you mean `{nearest}`?")
            }
            UnitError::NotANumber { what, found, .. } => {
                write!(
                    f,
                    "the {what} `{found}` is not a plain decimal number with a unit"
                )
            }
            UnitError::Negative { what, found } => write!(f, "the {what} `{found}` is negative"),
            UnitError::Zero { what, found } => {
                write!(f, "the {what} `{found}` is zero: it must be more")
            }
            UnitError::MissingUnit { what, found, .. } => {
                write!(f, "the {what} `{found}` has no unit")
            }
            UnitError::UnknownUnit {
                what,
                found,
                unit,
                nearest,
                ..
            } => {
                write!(f, "the {what} `{found}` has an unknown unit `{unit}`")?;
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
            UnitError::TooFine {
                what,
                found,
                counts,
            } => {
                write!(f, "the {what} `{found}` is not a whole number of {counts}")
            }
            UnitError::TooLarge { what, found, .. } => {
                write!(f, "the {what} `{found}` is too large")
            }
        }
    }
}

impl std::error::Error for UnitError {}

/// Other people's names of our units.
const MISNOMERS: &[(&str, &str)] = &[
    ("bps", "bit/s"),
    ("b/s", "bit/s"),
    ("kbps", "kbit/s"),
    ("kb/s", "kbit/s"),
    ("mbps", "Mbit/s"),
    ("mb/s", "Mbit/s"),
    ("gbps", "Gbit/s"),
    ("gb/s", "Gbit/s"),
    ("sec", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("msec", "ms"),
    ("usec", "us"),
    ("nsec", "ns"),
    ("byte", "B"),
    ("bytes", "B"),
    ("k", "kB"),
    ("m", "MB"),
    ("g", "GB"),
    ("pkt", "packets"),
    ("pkts", "packets"),
    ("mss", "segments"),
    ("percent", "%"),
];

pub(super) fn nearest_unit(found: &str, quantity: &Quantity) -> Option<&'static str> {
    let lower = found.to_lowercase();
    let has = |name: &str| quantity.unit_names().any(|unit| unit == name);
    let by_case = quantity
        .unit_names()
        .find(|unit| unit.to_lowercase() == lower);
    let by_misnomer = || {
        MISNOMERS
            .iter()
            .find(|(wrong, right)| *wrong == lower && has(right))
            .map(|(_, right)| *right)
    };
    by_case
        .or_else(by_misnomer)
        .or_else(|| nearest(found, quantity.unit_names()))
}

/// The candidate most like `found`, if any is so like it that it may have been meant.
pub(crate) fn nearest<'a>(
    found: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // Likeness costs length x length; nobody misspells a short word at such length.
    if found.len() > 64 {
        return None;
    }
    let found = found.to_lowercase();
    let likeness =
        |name: &str| strsim::normalized_damerau_levenshtein(&found, &name.to_lowercase());
    let scored = candidates.into_iter().map(|name| (likeness(name), name));
    let best = scored.fold(None, |best: Option<(f64, &str)>, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    });
    best.filter(|(likeness, _)| *likeness >= 0.5)
        .map(|(_, name)| name)
}

/// The text as a message may show it: one short line, control characters escaped.
pub(crate) fn shown(text: &str) -> String {
    const MOST_CHARS: usize = 60;
    let mut shown = String::new();
    for (i, c) in text.trim().chars().enumerate() {
        if i == MOST_CHARS {
            shown.push('…');
            break;
        }
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}
