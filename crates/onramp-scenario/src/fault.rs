//! One mistake in a scenario file and its place.

use crate::Mistake;
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
        self.mistake
            .mend()
            .map(|mend| Box::new(mend) as Box<dyn fmt::Display>)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = |text: String, span: &Range<usize>| {
            LabeledSpan::new(Some(text), span.start, span.len())
        };
        let here = self
            .span
            .as_ref()
            .map(|span| label(self.mistake.label(), span))?;
        let first = match &self.mistake {
            Mistake::Twice { first, .. } | Mistake::SameName { first, .. } => {
                Some(label("first here".to_owned(), first))
            }
            Mistake::Excludes { other_at, .. } => Some(label("this".to_owned(), other_at)),
            Mistake::RepeatedCase { first, .. } | Mistake::SameLabel { first, .. } => {
                Some(label("in this table".to_owned(), first))
            }
            _ => None,
        };
        Some(Box::new(first.into_iter().chain([here])))
    }
}
