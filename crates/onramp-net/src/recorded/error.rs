//! The mistakes of a recording.

use crate::opportunities::MAX_TRACE_BYTES;
use std::fmt;

/// Why a text is no recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordingError {
    /// The text is larger than [`MAX_TRACE_BYTES`].
    TooLarge,
    /// The first line names no column of times, or no column of anything else.
    NoColumn {
        /// `times`, or what else is missing.
        what: &'static str,
        /// The names that it can have.
        expected: String,
    },
    /// A row lacks a value, or has another thing than a number that is not negative.
    NotANumber {
        /// Number of the line, from 1.
        line: usize,
        /// Number of the column, from 1.
        column: usize,
        /// `time`, `rate`, `delay` or `loss`.
        what: &'static str,
        /// The cell, shortened.
        found: String,
    },
    /// A value is too large.
    BeyondLimit {
        /// Number of the line, from 1.
        line: usize,
        /// Number of the column, from 1.
        column: usize,
        /// `time`, `rate`, `delay` or `loss`.
        what: &'static str,
        /// The limit, in words.
        limit: &'static str,
    },
    /// A time is not later than the one before it.
    NotLater {
        /// Number of the line, from 1.
        line: usize,
    },
    /// There are fewer than two rows.
    TooShort,
    /// There is no line.
    Empty,
    /// All rates are zero.
    OnlyZeros,
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordingError::TooLarge => {
                write!(f, "it is larger than {} MiB", MAX_TRACE_BYTES >> 20)
            }
            RecordingError::NoColumn { what, expected } => {
                write!(
                    f,
                    "its first line names no column of {what}: expected {expected}"
                )
            }
            RecordingError::NotANumber {
                line,
                column,
                what,
                found,
            } => {
                write!(
                    f,
                    "line {line}, column {column}: expected a {what} of 0 or more, found {found:?}"
                )
            }
            RecordingError::BeyondLimit {
                line,
                column,
                what,
                limit,
            } => {
                write!(
                    f,
                    "line {line}, column {column}: the {what} is beyond {limit}"
                )
            }
            RecordingError::NotLater { line } => {
                write!(f, "line {line} is not later than the row before it")
            }
            RecordingError::TooShort => {
                f.write_str("it has fewer than two rows: nobody could tell how long a row holds")
            }
            RecordingError::Empty => f.write_str("it is empty"),
            RecordingError::OnlyZeros => {
                f.write_str("all its rates are 0: nothing would ever arrive")
            }
        }
    }
}

impl std::error::Error for RecordingError {}
