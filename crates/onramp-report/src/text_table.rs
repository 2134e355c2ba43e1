//! Text tables for a terminal. This is the only place that lays them out.
//!
//! Columns that do not fit into the width of the terminal go into further blocks below the first
//! one, each block with the first column repeated. Table crates wrap or cut cells instead.

use onramp_plot::units::{is_numeric, printable};
use unicode_width::UnicodeWidthStr;

/// Blanks between two columns.
pub(crate) const GAP: &str = "  ";

/// ANSI code of bold text.
pub(crate) const BOLD: &str = "1";
/// ANSI code of faint text.
pub(crate) const FAINT: &str = "2";

/// The head of a table from its names: `size | start-up | time`.
pub fn head(names: &str) -> Vec<String> {
    names
        .split('|')
        .map(|name| name.trim().to_owned())
        .collect()
}

/// How a terminal shows a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableOptions {
    /// Columns of the terminal; 100 suits a pipe.
    pub width: usize,
    /// Whether colour and weight are shown, by ANSI sequences.
    pub colour: bool,
}

impl Default for TableOptions {
    fn default() -> TableOptions {
        TableOptions {
            width: 100,
            colour: false,
        }
    }
}

/// A table as text, with the names of the columns in its first line. Columns of numbers are flush
/// right, all others flush left.
///
/// Columns that do not fit into the width go into further blocks below, each with the first column
/// repeated. No cell is cut off or wrapped. A row with too few cells gets empty ones. Control
/// characters in cells become U+FFFD.
///
/// The text ends with a line break. It is empty where there is no column.
pub fn text_table(head: &[String], rows: &[Vec<String>], options: &TableOptions) -> String {
    let count = rows.iter().map(Vec::len).fold(head.len(), usize::max);
    if count == 0 {
        return String::new();
    }
    let cells = |column: usize| {
        rows.iter()
            .filter_map(move |row| row.get(column))
            .map(String::as_str)
    };
    let is_right: Vec<bool> = (0..count).map(|column| is_numeric(cells(column))).collect();
    let all: Vec<&[String]> = std::iter::once(head)
        .chain(rows.iter().map(Vec::as_slice))
        .collect();
    let grid = Grid::new(&all, &is_right);
    let columns: Vec<usize> = (0..count).collect();
    let mut lines = Vec::new();
    for block in grid.blocks(&columns, options.width, |_| false) {
        lines.push(paint(FAINT, &grid.line(0, &block), options));
        lines.extend((1..all.len()).map(|row| grid.line(row, &block)));
    }
    lines.join("\n") + "\n"
}

/// Lines of columns, each as wide as its widest cell, and flush right where `is_right` is true. The
/// first row is the heading. Columns without an entry are flush left.
///
/// The columns are never split into blocks: a line may be wider than the terminal.
pub fn aligned_columns(rows: &[Vec<String>], is_right: &[bool]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let all: Vec<&[String]> = rows.iter().map(Vec::as_slice).collect();
    let is_right: Vec<bool> = (0..count)
        .map(|column| is_right.get(column).copied().unwrap_or(false))
        .collect();
    let grid = Grid::new(&all, &is_right);
    let columns: Vec<usize> = (0..count).collect();
    (0..rows.len())
        .map(|row| grid.line(row, &columns) + "\n")
        .collect()
}

/// A table whose cells are padded to the widths of their columns.
pub(crate) struct Grid {
    /// Width of each column, in columns of the terminal.
    widths: Vec<usize>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// Aligns the cells; `is_right` has an entry for each column. A row with too few cells gets
    /// empty ones.
    pub(crate) fn new(rows: &[&[String]], is_right: &[bool]) -> Grid {
        let cells = |row: &&[String]| -> Vec<String> {
            let cell = |column: usize| {
                row.get(column)
                    .map_or(String::new(), |text| printable(text))
            };
            (0..is_right.len()).map(cell).collect()
        };
        let mut rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].width()).max();
        let widths: Vec<usize> = (0..is_right.len())
            .map(|column| width(column).unwrap_or(0))
            .collect();
        for row in &mut rows {
            for ((cell, width), is_right) in row.iter_mut().zip(&widths).zip(is_right) {
                let at = if *is_right { 0 } else { cell.len() };
                cell.insert_str(at, &" ".repeat(width - cell.width()));
            }
        }
        Grid { widths, rows }
    }

    /// Which of the columns stand side by side: as many as fit into `total`, the first one in every
    /// block. A column for which `leads` holds stays beside the one after it.
    pub(crate) fn blocks(
        &self,
        columns: &[usize],
        total: usize,
        leads: impl Fn(usize) -> bool,
    ) -> Vec<Vec<usize>> {
        let needed = |column: &usize| self.widths[*column] + GAP.len();
        let Some((&first, others)) = columns.split_first() else {
            return Vec::new();
        };
        let mut blocks = vec![vec![first]];
        let mut used = self.widths[first];
        for (at, column) in others.iter().enumerate() {
            let partner = others.get(at + 1).filter(|_| leads(*column));
            let wanted = needed(column) + partner.map_or(0, needed);
            if blocks[blocks.len() - 1].len() > 1 && used + wanted > total {
                blocks.push(vec![first]);
                used = self.widths[first];
            }
            let last = blocks.len() - 1;
            blocks[last].push(*column);
            used += needed(column);
        }
        blocks
    }

    /// A row's cells in these columns, without blanks at the end of the line.
    pub(crate) fn line(&self, row: usize, columns: &[usize]) -> String {
        self.painted_line(row, columns, |_, cell| cell.to_owned())
    }

    /// The same, where `paint` adds ANSI sequences to each padded cell. Escape sequences have no
    /// width, so cells are painted after they are padded.
    pub(crate) fn painted_line(
        &self,
        row: usize,
        columns: &[usize],
        paint: impl Fn(usize, &str) -> String,
    ) -> String {
        let cells = columns
            .iter()
            .map(|&column| paint(column, &self.rows[row][column]));
        cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    }
}

/// Text between ANSI sequences, where the terminal shows colour.
pub(crate) fn paint(code: &str, text: &str, options: &TableOptions) -> String {
    if options.colour && !text.is_empty() {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rows: &[&[&str]], is_right: &[bool]) -> Grid {
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row.iter().map(|&cell| cell.to_owned()).collect())
            .collect();
        let rows: Vec<&[String]> = rows.iter().map(Vec::as_slice).collect();
        Grid::new(&rows, is_right)
    }

    #[test]
    fn cells_are_padded_to_the_width_of_their_column() {
        let grid = grid(&[&["a", "1"], &["", "22"], &["ccc"]], &[false, true]);
        assert_eq!(grid.rows, [["a  ", " 1"], ["   ", "22"], ["ccc", "  "]]);
        assert_eq!(grid.line(2, &[0, 1]), "ccc");
    }

    #[test]
    fn an_empty_column_has_no_width() {
        let grid = grid(&[&["a", "", "b"]], &[false; 3]);
        assert_eq!(
            (grid.widths[1], grid.line(0, &[0, 1, 2])),
            (0, "a    b".to_owned())
        );
        assert_eq!(grid.line(0, &[]), "");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let grid = grid(&[&["日本", "x"], &["abc", "y"]], &[false; 2]);
        assert_eq!(grid.widths, [4, 1]);
        assert_eq!(grid.line(1, &[0, 1]), "abc   y");
    }

    #[test]
    fn a_line_break_in_a_cell_starts_no_line() {
        let grid = grid(&[&["a\nb\u{1f}c"], &["x"]], &[false]);
        assert_eq!(grid.rows.len(), 2);
        assert_eq!(grid.line(0, &[0]), "a\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn a_column_that_leads_stays_beside_the_next_one() {
        let grid = grid(&[&["aa", "bb", "cc", "dd"]], &[false; 4]);
        let blocks = |leads: fn(usize) -> bool| grid.blocks(&[0, 1, 2, 3], 10, leads);
        assert_eq!(blocks(|_| false), [vec![0, 1, 2], vec![0, 3]]);
        assert_eq!(blocks(|at| at == 2), [vec![0, 1], vec![0, 2, 3]]);
    }

    #[test]
    fn plain_columns_are_as_wide_as_their_widest_cell() {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect();
        assert_eq!(
            aligned_columns(&[row(&["a", "bb"]), row(&["c", "d"])], &[false, true]),
            "a  bb\nc   d\n"
        );
        assert_eq!(aligned_columns(&[], &[]), "");
    }
}
