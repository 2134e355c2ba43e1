//! Why a scenario file was refused.

use crate::fault::Fault;
use crate::units::format_size;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode,
};
use std::fmt;

/// The size of the largest scenario file, in bytes. Generated files of 100,000 cases are far below.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// Why a scenario file was refused.
///
/// The error is a miette [`Diagnostic`]: a [`miette::Report`] of it shows the lines of the file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file system returned an error.
    #[error("cannot read the scenario {file}: {cause}")]
    Unreadable {
        /// The file's name as it was given.
        file: String,
        /// The error of the file system.
        cause: std::io::Error,
    },
    /// The name leads to a directory, a device, a pipe or a socket.
    #[error("cannot read the scenario {file}: it is {what}, not a file")]
    NotAFile {
        /// The file's name as it was given.
        file: String,
        /// The kind of thing that has this name, with its article.
        what: &'static str,
    },
    /// The file is larger than [`MAX_FILE_BYTES`].
    #[error(
        "cannot read the scenario {file}: it is larger than {}",
        format_size(MAX_FILE_BYTES)
    )]
    TooLarge {
        /// The file's name as it was given.
        file: String,
    },
    /// The file is not UTF-8 text.
    #[error("cannot read the scenario {file}: byte {offset} is not UTF-8 text")]
    NotUtf8 {
        /// The file's name as it was given.
        file: String,
        /// Position of the first byte that is wrong, from 0.
        offset: usize,
    },
    /// The file could be read, and has mistakes.
    #[error(transparent)]
    Invalid(#[from] Box<Invalid>),
}

/// The text of a scenario and the mistakes in it.
#[derive(Debug)]
pub struct Invalid {
    source: NamedSource<String>,
    faults: Vec<Fault>,
    /// All lines are short enough to be shown.
    is_shown: bool,
}

/// Mistakes in longer lines are named by line and column: a marker in the thousandth column helps
/// nobody.
const MAX_LINE_BYTES: usize = 1000;

impl Invalid {
    /// `faults` has at least one element.
    pub(crate) fn new(file_name: &str, text: &str, mut faults: Vec<Fault>) -> Self {
        assert!(!faults.is_empty());
        for span in faults.iter_mut().filter_map(|fault| fault.span.as_mut()) {
            // The first line of a value of many lines is enough.
            let line_end = text
                .get(span.start..)
                .and_then(|rest| rest.find('\n'))
                .map(|length| span.start + length);
            span.end = span.end.min(line_end.unwrap_or(text.len()));
        }
        let is_shown = text.lines().all(|line| line.len() <= MAX_LINE_BYTES);
        let mut invalid = Invalid {
            source: NamedSource::new(file_name, text.to_owned()),
            faults,
            is_shown,
        };
        if !is_shown {
            let places: Vec<_> = invalid
                .faults
                .iter()
                .map(|fault| invalid.line_column(fault))
                .collect();
            for (fault, place) in invalid.faults.iter_mut().zip(places) {
                fault.line_column = place;
            }
        }
        invalid
    }

    /// The mistakes, at least one, in the order of the file.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The file's name as it was given.
    pub fn file_name(&self) -> &str {
        self.source.name()
    }

    /// Line and column of a mistake, both from 1, the column in characters; `None` for a mistake of
    /// the whole file.
    pub fn line_column(&self, fault: &Fault) -> Option<(usize, usize)> {
        let before = self.source.inner().get(..fault.span.as_ref()?.start)?;
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Some((
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        ))
    }

    fn only(&self) -> Option<&Fault> {
        match self.faults.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.only() {
            Some(fault) => write!(f, "{}: {fault}", self.file_name()),
            None => write!(f, "{}: {} mistakes", self.file_name(), self.faults.len()),
        }
    }
}

impl std::error::Error for Invalid {}

impl Diagnostic for Invalid {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.is_shown.then_some(&self.source as &dyn SourceCode)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.only().and_then(Diagnostic::help)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.only().and_then(Diagnostic::labels)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        match self.only() {
            Some(_) => None,
            None => Some(Box::new(
                self.faults.iter().map(|fault| fault as &dyn Diagnostic),
            )),
        }
    }
}

impl Diagnostic for Error {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.invalid()?.source_code()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.invalid()?.help()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.invalid()?.labels()
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        self.invalid()?.related()
    }
}

/// Width of a report, in columns.
const REPORT_COLUMNS: usize = 100;

impl Error {
    /// The error with the lines of the file that it is about, and with advice: several lines, for a
    /// terminal.
    pub fn report(&self, colour: bool) -> String {
        let theme = if colour {
            GraphicalTheme::unicode()
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        let mut text = String::new();
        let handler = GraphicalReportHandler::new_themed(theme).with_width(REPORT_COLUMNS);
        match handler.render_report(&mut text, self) {
            Ok(()) => text,
            Err(_) => format!("{self}\n"),
        }
    }

    /// The mistakes; `None` where the file could not be read.
    pub fn invalid(&self) -> Option<&Invalid> {
        match self {
            Error::Invalid(invalid) => Some(invalid),
            _ => None,
        }
    }
}
