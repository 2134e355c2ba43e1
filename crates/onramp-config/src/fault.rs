//! A mistake in a file, its place, and all mistakes of a file.

use crate::drawing::{Label, Report};
use std::fmt;
use std::ops::Range;

/// What is wrong in a file. [`Display`](fmt::Display) is one sentence.
pub trait Mistake: fmt::Debug + fmt::Display + Send + Sync {
    /// The label of the marked place.
    fn label(&self) -> String {
        "here".to_owned()
    }

    /// What to do.
    fn help(&self) -> Option<String> {
        None
    }

    /// Another place that belongs to the mistake, and its label.
    fn other_place(&self) -> Option<(&'static str, Range<usize>)> {
        None
    }
}

/// A mistake of any kind of file.
pub type AnyMistake = Box<dyn Mistake>;

impl<M: Mistake + 'static> From<M> for AnyMistake {
    fn from(mistake: M) -> AnyMistake {
        Box::new(mistake)
    }
}

/// A mistake and its place. [`Display`](fmt::Display) is one sentence.
#[derive(Debug)]
pub struct Fault {
    /// The mistake.
    pub mistake: AnyMistake,
    /// The bytes of the file that are wrong; `None` where something is missing in the whole file.
    pub span: Option<Range<usize>>,
    /// Line and column for the message, both from 1, where the line itself cannot be shown.
    line_column: Option<(usize, usize)>,
}

impl Fault {
    /// A mistake in these bytes of the file.
    pub fn at(mistake: impl Into<AnyMistake>, span: Range<usize>) -> Fault {
        Fault {
            span: Some(span),
            ..Fault::of_the_file(mistake)
        }
    }

    /// A mistake of the whole file.
    pub fn of_the_file(mistake: impl Into<AnyMistake>) -> Fault {
        Fault {
            mistake: mistake.into(),
            span: None,
            line_column: None,
        }
    }

    /// How to correct the mistake.
    pub fn advice(&self) -> Option<String> {
        self.mistake.help()
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

/// The text of a file and the mistakes in it.
#[derive(Debug)]
pub struct Invalid {
    file: String,
    text: String,
    faults: Vec<Fault>,
    /// All lines are short enough to be shown.
    is_shown: bool,
}

/// Mistakes in longer lines are named by line and column: a marker in the thousandth column helps
/// nobody.
const MAX_LINE_BYTES: usize = 1000;

impl Invalid {
    /// The mistakes in a text. `file` names it in messages. `faults` has at least one element.
    pub fn new(file: &str, text: &str, faults: Vec<Fault>) -> Invalid {
        assert!(!faults.is_empty());
        let mut invalid = Invalid {
            file: file.to_owned(),
            text: text.to_owned(),
            faults: Vec::new(),
            is_shown: text.lines().all(|line| line.len() <= MAX_LINE_BYTES),
        };
        for mut fault in faults {
            fault.span = fault.span.map(|span| invalid.first_line(span));
            if !invalid.is_shown {
                fault.line_column = invalid.line_column(&fault);
            }
            invalid.faults.push(fault);
        }
        // Mistakes of the whole file come first.
        let start = |fault: &Fault| fault.span.as_ref().map(|span| span.start);
        invalid.faults.sort_by_key(start);
        invalid
    }

    /// The first line of a value of many lines.
    fn first_line(&self, span: Range<usize>) -> Range<usize> {
        let rest = self.text.get(span.start..).unwrap_or_default();
        let length = rest.find('\n').unwrap_or(rest.len());
        span.start..span.end.min(span.start + length)
    }

    /// The mistakes, at least one, in the order of the file.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The file's name as it was given.
    pub fn file_name(&self) -> &str {
        &self.file
    }

    /// Line and column of a mistake, both from 1, the column in characters; `None` for a mistake of
    /// the whole file.
    pub fn line_column(&self, fault: &Fault) -> Option<(usize, usize)> {
        let before = self.text.get(..fault.span.as_ref()?.start)?;
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Some((
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        ))
    }

    fn show_all(&self, report: &mut Report) {
        if let [only] = self.faults.as_slice() {
            return self.show(only, report);
        }
        for fault in &self.faults {
            report.text += "\nError: \n";
            report.sentence(&fault.to_string());
            self.show(fault, report);
        }
    }

    fn show(&self, fault: &Fault, report: &mut Report) {
        if let Some(span) = fault.span.clone().filter(|_| self.is_shown) {
            let text = fault.mistake.label();
            let other = fault.mistake.other_place().map(|(text, span)| Label {
                text: text.to_owned(),
                span: self.first_line(span),
            });
            let labels = other.into_iter().chain([Label { text, span }]);
            report.snippets(&self.file, &self.text, labels.collect());
        }
        if let Some(advice) = fault.advice() {
            report.advice(&advice);
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.faults.as_slice() {
            [only] => write!(f, "{}: {only}", self.file),
            several => write!(f, "{}: {} mistakes", self.file, several.len()),
        }
    }
}

impl std::error::Error for Invalid {}

/// An error for a terminal, in lines of at most `columns`: its sentence, and where it is about a
/// file with mistakes, the lines that are wrong, with advice.
pub fn report(
    sentence: &str,
    invalid: Option<&Invalid>,
    columns: usize,
    has_colour: bool,
) -> String {
    let mut report = Report {
        text: String::new(),
        columns,
        has_colour,
    };
    report.sentence(sentence);
    if let Some(invalid) = invalid {
        invalid.show_all(&mut report);
    }
    report.text
}
