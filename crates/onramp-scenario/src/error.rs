//! Why a scenario file was refused.

use onramp_config::{Invalid, Unreadable};

/// The size of the largest scenario file, in bytes. Generated files of 100,000 cases are far below.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// Why a scenario file was refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no text that could be read.
    #[error("cannot read the scenario {file}: {cause}")]
    Unreadable {
        /// The file's name as it was given.
        file: String,
        /// Why it cannot be read.
        cause: Unreadable,
    },
    /// The file could be read, and has mistakes.
    #[error(transparent)]
    Invalid(#[from] Box<Invalid>),
}

/// Width of a report, in columns.
const REPORT_COLUMNS: usize = 100;

impl Error {
    /// The error with the lines of the file that it is about, and with advice: several lines, for a
    /// terminal.
    pub fn report(&self, has_colour: bool) -> String {
        self.report_of_width(REPORT_COLUMNS, has_colour)
    }

    /// [`report`](Error::report) in lines of at most so many columns.
    pub fn report_of_width(&self, columns: usize, has_colour: bool) -> String {
        onramp_config::report(&self.to_string(), self.invalid(), columns, has_colour)
    }

    /// The mistakes; `None` where the file could not be read.
    pub fn invalid(&self) -> Option<&Invalid> {
        match self {
            Error::Invalid(invalid) => Some(invalid),
            _ => None,
        }
    }
}
