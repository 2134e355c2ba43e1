//! One mistake in a scenario file and its place.

use crate::mistake::Mistake;
use miette::{Diagnostic, LabeledSpan};
use std::fmt;
use std::ops::Range;

/// A mistake and its place.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The mistake.
    pub mistake: Mistake,
    /// The bytes of the file that are wrong; `None` where something is missing in the whole file.
    pub span: Option<Range<usize>>,
    /// Line and column for the message, both from 1, where the line itself cannot be shown.
    pub(crate) line_column: Option<(usize, usize)>,
}

impl Fault {
    /// A mistake in these bytes of the file.
    pub(crate) fn at(mistake: Mistake, span: Range<usize>) -> Fault {
        Fault {
            mistake,
            span: Some(span),
            line_column: None,
        }
    }

    /// How to correct the mistake.
    pub fn advice(&self) -> Option<String> {
        self.mistake.help()
    }

    /// A mistake of the whole file.
    pub(crate) fn of_the_file(mistake: Mistake) -> Fault {
        Fault {
            mistake,
            span: None,
            line_column: None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line_column {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.mistake),
            None => self.mistake.fmt(f),
        }
    }
}

impl std::error::Error for Fault {}

impl Diagnostic for Fault {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.mistake
            .help()
            .map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = |text: &str, span: &Range<usize>| {
            LabeledSpan::new(Some(text.to_owned()), span.start, span.len())
        };
        let here = label(&self.mistake.label(), self.span.as_ref()?);
        let first = match &self.mistake {
            Mistake::Twice { first, .. } | Mistake::SameName { first, .. } => {
                Some(label("first here", first))
            }
            Mistake::Excludes { other_at, .. } => Some(label("this", other_at)),
            Mistake::RepeatedCase { first, .. } | Mistake::SameLabel { first, .. } => {
                Some(label("in this table", first))
            }
            _ => None,
        };
        Some(Box::new(first.into_iter().chain([here])))
    }
}
