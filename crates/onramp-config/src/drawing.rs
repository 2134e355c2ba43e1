//! Reports of mistakes for a terminal: the sentence, the lines of the file with the marked places,
//! and the advice.

use crate::wrap::wrapped;
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// Tabs of the file are shown as blanks up to the next multiple of this column.
const TAB_COLUMNS: usize = 4;

/// Styles of ANSI escape sequences.
const ERROR: &str = "31";
const ADVICE: &str = "36";
const PLACE: &str = "36;1;4";
const LINE_NUMBER: &str = "2";
const MARKS: [&str; 2] = ["35;1", "33;1"];

/// A place to mark, and the label at its mark.
pub(crate) struct Label {
    pub text: String,
    pub span: Range<usize>,
}

/// A report under construction.
pub(crate) struct Report {
    pub text: String,
    pub columns: usize,
    pub has_colour: bool,
}

/// A line of the file.
struct Line<'t> {
    /// From 0.
    row: usize,
    start: usize,
    /// Behind the line's end.
    end: usize,
    /// The line without its end.
    text: &'t str,
}

/// A label of one line with its columns, from 0.
struct Mark<'l> {
    label: &'l Label,
    style: &'static str,
    /// The column of the line that leads from the mark down to the label.
    stem: usize,
}

impl Report {
    /// The sentence about a mistake.
    pub(crate) fn sentence(&mut self, sentence: &str) {
        let first = self.painted(ERROR, "×");
        let other = self.painted(ERROR, "│");
        self.paragraph(sentence, &format!("  {first} "), &format!("  {other} "), 4);
    }

    /// The advice on a mistake.
    pub(crate) fn advice(&mut self, advice: &str) {
        let first = self.painted(ADVICE, "  help: ");
        self.paragraph(advice, &first, "        ", 8);
    }

    /// A text in lines that begin with these indents of `indent_columns`.
    fn paragraph(&mut self, text: &str, first: &str, other: &str, indent_columns: usize) {
        // The two last columns stay empty.
        let columns = self.columns.saturating_sub(2 + indent_columns);
        for (at, line) in wrapped(text, columns).iter().enumerate() {
            self.text += if at == 0 { first } else { other };
            self.text += line;
            self.text.push('\n');
        }
    }

    /// The lines of the file around these labels, which are marked.
    pub(crate) fn snippets(&mut self, file: &str, text: &str, mut labels: Vec<Label>) {
        labels.sort_by_key(|label| label.span.start);
        let mut lines = Vec::new();
        for (row, line) in text.split_inclusive('\n').enumerate() {
            let start = lines.last().map_or(0, |line: &Line| line.end);
            let text = line.strip_suffix('\n').unwrap_or(line);
            lines.push(Line {
                row,
                start,
                end: start + line.len(),
                text: text.strip_suffix('\r').unwrap_or(text),
            });
        }
        let bytes = text.as_bytes();
        let row_of = |at: usize| bytes[..at].iter().filter(|&&byte| byte == b'\n').count();
        // Rows of a snippet, and the place where its first label begins.
        let mut snippets: Vec<(Range<usize>, usize)> = Vec::new();
        for Label { span, .. } in &labels {
            let last = span.end.saturating_sub(1).max(span.start);
            let rows = row_of(span.start).saturating_sub(1)..(row_of(last) + 2).min(lines.len());
            match snippets.last_mut() {
                // Far below the top, even distant lines belong into one snippet.
                Some((before, _)) if before.start + before.end >= rows.start => {
                    before.end = before.end.max(rows.end);
                }
                _ => snippets.push((rows, span.start)),
            }
        }
        for (rows, first) in snippets {
            let line_start = text[..first].rfind('\n').map_or(0, |at| at + 1);
            let (row, column) = (row_of(first) + 1, first - line_start + 1);
            self.snippet(&format!("{file}:{row}:{column}"), &lines[rows], &labels);
        }
    }

    fn snippet(&mut self, place: &str, lines: &[Line], labels: &[Label]) {
        let last_row = lines.last().map_or(0, |line| line.row + 1);
        let digits = last_row.to_string().len();
        let indent = " ".repeat(digits + 2);
        let place = self.painted(PLACE, place);
        self.text += &format!("{indent}╭─[{place}]\n");
        for line in lines {
            let number = self.painted(LINE_NUMBER, &format!("{:>digits$}", line.row + 1));
            self.text += &format!(" {number} │ ");
            for (char, columns) in line.text.chars().zip(char_columns(line.text)) {
                match char {
                    '\t' => self.text.extend(std::iter::repeat_n(' ', columns)),
                    char => self.text.push(char),
                }
            }
            self.text.push('\n');
            self.marks(line, labels, &format!(" {:digits$} · ", ""));
        }
        self.text += &format!("{indent}╰────\n");
    }

    /// The marks of a line, and below them their labels. `margin` stands for the line number.
    fn marks(&mut self, line: &Line, labels: &[Label], margin: &str) {
        let mut marks: Vec<Mark> = Vec::new();
        let mut drawn = String::new();
        let mut next_column = 0;
        for (label, style) in labels.iter().zip(MARKS) {
            let span = &label.span;
            if span.start < line.start || span.start >= line.end || span.end > line.end {
                continue;
            }
            let start = line.column(span.start).max(next_column);
            let end = line.column(span.end).max(start + 1);
            let stem = (start + end) / 2;
            let middle = if span.is_empty() { "▲" } else { "┬" };
            let blanks = " ".repeat(start - next_column);
            let (left, right) = ("─".repeat(stem - start), "─".repeat(end - stem - 1));
            drawn += &self.painted(style, &format!("{blanks}{left}{middle}{right}"));
            next_column = end;
            marks.push(Mark { label, style, stem });
        }
        if marks.is_empty() {
            return;
        }
        self.text += &format!("{margin}{drawn}\n");
        // The last label comes first: the stems of the others pass it on its left.
        while let Some(mark) = marks.pop() {
            self.text += margin;
            let mut column = 0;
            for other in &marks {
                self.text += &" ".repeat(other.stem.saturating_sub(column));
                self.text += &self.painted(other.style, "│");
                column = column.max(other.stem) + 1;
            }
            self.text += &" ".repeat(mark.stem.saturating_sub(column));
            let label = format!("╰── {}", mark.label.text);
            self.text += &self.painted(mark.style, &label);
            self.text.push('\n');
        }
    }

    fn painted(&self, style: &str, text: &str) -> String {
        match self.has_colour {
            true => format!("\x1b[{style}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }
}

impl Line<'_> {
    /// The column of a byte of the file. The line's end has one column.
    fn column(&self, at: usize) -> usize {
        let at = at - self.start;
        match self.text.get(..at) {
            Some(before) => char_columns(before).sum(),
            None => char_columns(self.text).sum::<usize>() + 1,
        }
    }
}

/// The width of each character of a line.
fn char_columns(line: &str) -> impl Iterator<Item = usize> + '_ {
    let mut column = 0;
    line.chars().map(move |char| {
        let columns = match char {
            '\t' => TAB_COLUMNS - column % TAB_COLUMNS,
            other => other.width().unwrap_or(0),
        };
        column += columns;
        columns
    })
}
