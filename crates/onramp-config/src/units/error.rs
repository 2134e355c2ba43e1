//! What can be wrong with a quantity, and the sentences about it.

use super::unit::Quantity;
use crate::spelling::{did_you_mean, nearest};

/// Why a quantity was refused. [`Display`](std::fmt::Display) is one sentence, and
/// [`help`](UnitError::help) says how to correct the text.
///
/// `what` is the quantity's name, `found` is the refused text, and `expected` says how to write a
/// quantity.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum UnitError {
    /// The text has nothing but blanks.
    #[error("the {what} is empty")]
    Empty {
        what: &'static str,
        expected: String,
    },
    /// The text does not begin with a plain decimal number.
    #[error("the {what} {}", match nearest {
        Some(nearest) => format!("is `{found}`; did you mean `{nearest}`?"),
        None => format!("`{found}` is not a plain decimal number with a unit"),
    })]
    NotANumber {
        what: &'static str,
        found: String,
        nearest: Option<&'static str>,
        expected: String,
    },
    /// The number is negative.
    #[error("the {what} `{found}` is negative")]
    Negative { what: &'static str, found: String },
    /// The number is zero, which the quantity cannot be.
    #[error("the {what} `{found}` is zero; it must be more than zero")]
    Zero { what: &'static str, found: String },
    /// The number has no unit.
    #[error("the {what} `{found}` has no unit")]
    MissingUnit {
        what: &'static str,
        found: String,
        expected: String,
    },
    /// The quantity does not have this unit.
    #[error("the {what} `{found}` has an unknown unit `{unit}`{}", did_you_mean(*nearest))]
    UnknownUnit {
        what: &'static str,
        found: String,
        unit: String,
        nearest: Option<&'static str>,
        expected: String,
    },
    /// The number has more decimals than its integer can hold.
    #[error("the {what} `{found}` is not a whole number of {counts}")]
    TooFine {
        what: &'static str,
        found: String,
        counts: &'static str,
    },
    /// The number is larger than its integer can hold, or than the quantity can be.
    #[error("the {what} `{found}` is too large")]
    TooLarge {
        what: &'static str,
        found: String,
        max: String,
    },
}

impl UnitError {
    /// How to write the quantity instead.
    pub fn help(&self) -> Option<String> {
        match self {
            UnitError::Empty { expected, .. }
            | UnitError::NotANumber { expected, .. }
            | UnitError::MissingUnit { expected, .. }
            | UnitError::UnknownUnit { expected, .. } => Some(expected.clone()),
            UnitError::TooFine { counts, .. } => Some(format!(
                "give fewer decimals: the value is kept in whole {counts}"
            )),
            UnitError::TooLarge { max, .. } => Some(format!("the maximum is {max}")),
            UnitError::Negative { .. } | UnitError::Zero { .. } => None,
        }
    }
}

/// Other names of our units.
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
