//! Why a configuration was refused.

use super::{Mistake, MAX_FILE_BYTES};
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode,
};
use std::fmt;
use std::ops::Range;

/// Why a configuration was refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file system returned an error.
    #[error("cannot read the configuration {file}: {cause}{}", mend(cause))]
    Unreadable {
        /// The file's name.
        file: String,
        /// The error of the file system.
        cause: std::io::Error,
    },
    /// The file is larger than [`MAX_FILE_BYTES`].
    #[error("cannot read the configuration {file}: it is larger than {MAX_FILE_BYTES} B")]
    TooLarge {
        /// The file's name.
        file: String,
    },
    /// The file is not UTF-8 text.
    #[error(
        "cannot read the configuration {file}: byte {offset} (line {line}) is not UTF-8 text; save \
         the file as UTF-8"
    )]
    NotUtf8 {
        /// The file's name.
        file: String,
        /// Position of the first byte that is wrong, from 0.
        offset: usize,
        /// Its line, from 1.
        line: usize,
    },
    /// The file could be read, and has mistakes.
    #[error(transparent)]
    Invalid(#[from] Box<Invalid>),
}

/// What to do about an error of the file system.
fn mend(cause: &std::io::Error) -> &'static str {
    use std::io::ErrorKind;
    match cause.kind() {
        ErrorKind::NotFound | ErrorKind::IsADirectory => "; name the file with --config",
        _ => "",
    }
}

/// A mistake and its place.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The mistake.
    pub mistake: Mistake,
    /// The bytes of the file that are wrong; `None`: something is missing in the whole file.
    pub span: Option<Range<usize>>,
}

/// The text of a configuration and the mistakes in it.
#[derive(Debug)]
pub struct Invalid {
    source: NamedSource<String>,
    faults: Vec<Fault>,
}

impl Invalid {
    pub(super) fn new(file: &str, text: &str, mut faults: Vec<Fault>) -> Invalid {
        assert!(!faults.is_empty());
        for span in faults.iter_mut().filter_map(|fault| fault.span.as_mut()) {
            // The first line of a value of many lines is enough.
            let rest = text.get(span.start..).unwrap_or_default();
            let line_end = rest.find('\n').map_or(text.len(), |at| span.start + at);
            span.end = span.end.min(line_end);
        }
        faults.sort_by_key(|fault| fault.span.as_ref().map(|span| span.start));
        Invalid {
            source: NamedSource::new(file, text.to_owned()),
            faults,
        }
    }

    /// The mistakes, at least one, in the order of the file.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The file's name.
    pub fn file_name(&self) -> &str {
        self.source.name()
    }

    /// The line of a mistake, from 1; `None` for a mistake of the whole file.
    pub fn line(&self, fault: &Fault) -> Option<usize> {
        let before = self.source.inner().get(..fault.span.as_ref()?.start)?;
        Some(before.matches('\n').count() + 1)
    }

    /// One line for each mistake: the file, the line, what is wrong and what to do.
    pub fn lines(&self) -> Vec<String> {
        let of = |fault: &Fault| {
            let place = match (self.line(fault), &fault.mistake) {
                (Some(line), _) => format!("{}:{line}: ", self.file_name()),
                // Its sentence names the file.
                (None, Mistake::NoPolicy { .. }) => String::new(),
                (None, _) => format!("{}: ", self.file_name()),
            };
            let help = fault
                .mistake
                .help()
                .map(|help| format!("; {help}"))
                .unwrap_or_default();
            format!("{place}{}{help}", fault.mistake)
        };
        self.faults.iter().map(of).collect()
    }
}

impl Error {
    /// The error with the lines of the file that it is about, for a terminal.
    pub fn report(&self, colour: bool) -> String {
        const COLUMNS: usize = 100;
        let theme = match colour {
            true => GraphicalTheme::unicode(),
            false => GraphicalTheme::unicode_nocolor(),
        };
        let mut text = String::new();
        let handler = GraphicalReportHandler::new_themed(theme).with_width(COLUMNS);
        let rendered = match self.invalid() {
            // The sentence of a single mistake is not printed twice.
            Some(invalid) if invalid.faults.len() == 1 => {
                handler.render_report(&mut text, &Single(invalid))
            }
            _ => handler.render_report(&mut text, self),
        };
        match rendered {
            Ok(()) => text,
            Err(_) => format!("{self}\n"),
        }
    }

    /// The error in lines for a log: each says the file, the line, what is wrong, what to do.
    pub fn lines(&self) -> Vec<String> {
        match self {
            Error::Invalid(invalid) => invalid.lines(),
            other => vec![other.to_string()],
        }
    }

    fn invalid(&self) -> Option<&Invalid> {
        match self {
            Error::Invalid(invalid) => Some(invalid),
            _ => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.mistake.fmt(f)
    }
}

impl std::error::Error for Fault {}

impl Diagnostic for Fault {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.mistake.help()?;
        Some(Box::new(help))
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = |text: String, span: &Range<usize>| {
            LabeledSpan::new(Some(text), span.start, span.len())
        };
        let here = label(self.mistake.label(), self.span.as_ref()?);
        let first = match &self.mistake {
            Mistake::SameName { first, .. } | Mistake::SameAddress { first, .. } => {
                Some(label("first here".to_owned(), first))
            }
            _ => None,
        };
        Some(Box::new(first.into_iter().chain([here])))
    }
}

/// A file with a single mistake.
#[derive(Debug)]
struct Single<'a>(&'a Invalid);

impl Single<'_> {
    fn fault(&self) -> &Fault {
        &self.0.faults[0]
    }
}

impl fmt::Display for Single<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault().fmt(f)
    }
}

impl std::error::Error for Single<'_> {}

impl Diagnostic for Single<'_> {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.0.source)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.fault().help()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.fault().labels()
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.faults.as_slice() {
            [_] => f.write_str(&self.lines()[0]),
            several => write!(f, "{}: {} mistakes", self.file_name(), several.len()),
        }
    }
}

impl std::error::Error for Invalid {}

impl Diagnostic for Error {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.invalid()
            .map(|invalid| &invalid.source as &dyn SourceCode)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        let faults = self.invalid()?.faults.iter();
        Some(Box::new(faults.map(|fault| fault as &dyn Diagnostic)))
    }
}
