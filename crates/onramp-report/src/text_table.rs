//! Any table as text for a terminal.

use crate::layout::{blocks, pad, paint, TableOptions, FAINT, GAP};
use crate::reproduction::is_numeric;
use crate::units::printable;
use unicode_width::UnicodeWidthStr;

/// Lines of aligned columns below their names, those of numbers flush right. Columns that don't fit
/// into the width go into further blocks below, each with the first column repeated, so that
/// nothing is cut off or wrapped. A row that is shorter than another is filled up with empty cells.
///
/// Ends with a line break; without columns it is empty.
pub fn text_table(head: &[String], rows: &[Vec<String>], options: &TableOptions) -> String {
    let columns = Columns::of(head, rows);
    if columns.widths.is_empty() {
        return String::new();
    }
    let mut lines = Vec::new();
    for block in blocks(&columns.widths, options.width, |_| false) {
        lines.push(paint(FAINT, &columns.line(&block, head), options));
        lines.extend(rows.iter().map(|row| columns.line(&block, row)));
    }
    lines.join("\n") + "\n"
}

struct Columns {
    widths: Vec<usize>,
    are_left: Vec<bool>,
}

impl Columns {
    fn of(head: &[String], rows: &[Vec<String>]) -> Columns {
        let count = rows.iter().map(Vec::len).fold(head.len(), usize::max);
        let cells = |column: usize| {
            rows.iter()
                .filter_map(move |row| row.get(column))
                .map(String::as_str)
        };
        let width = |column: usize| {
            let names = head.get(column).map(String::as_str);
            cells(column)
                .chain(names)
                .map(|text| printable(text).width())
                .max()
                .unwrap_or(0)
        };
        Columns {
            widths: (0..count).map(width).collect(),
            are_left: (0..count)
                .map(|column| !is_numeric(cells(column)))
                .collect(),
        }
    }

    /// No blanks at its end.
    fn line(&self, block: &[usize], texts: &[String]) -> String {
        let cell = |&at: &usize| {
            let text = texts.get(at).map_or("", String::as_str);
            pad(&printable(text), self.are_left[at], self.widths[at])
        };
        block
            .iter()
            .map(cell)
            .collect::<Vec<_>>()
            .join(GAP)
            .trim_end()
            .to_owned()
    }
}
