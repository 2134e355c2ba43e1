//! Text for a terminal: printing, wrapping, and quantities with units.

use crate::failure::BAD_INPUT;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use unicode_width::UnicodeWidthStr;

/// Prints on standard output. If that fails, the program ends with a message.
pub fn out(text: fmt::Arguments<'_>) {
    let mut stdout = io::stdout().lock();
    if let Err(error) = stdout.write_fmt(text).and_then(|()| stdout.flush()) {
        eprintln!("onramp: cannot write to standard output: {error}");
        std::process::exit(i32::from(BAD_INPUT));
    }
}

/// Prints a line on standard output, as [`out`].
#[macro_export]
macro_rules! say {
    ($($argument:tt)*) => { $crate::text::out(format_args!("{}\n", format_args!($($argument)*))) };
}
pub use say;

/// Lines of columns, each flush left and as wide as its widest cell. The first row is the heading.
/// Control characters become U+FFFD.
pub fn columns(rows: &[Vec<String>]) -> String {
    const GAP: &str = "  ";
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| printable(cell)).collect())
        .collect();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let padded = cells.map(|(cell, width)| cell.clone() + &" ".repeat(width - cell.width()));
        padded.collect::<Vec<_>>().join(GAP).trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Prints [`columns`] on standard output, below a heading whose cells are separated by `", "`.
pub fn print_table(heading: &str, rows: impl IntoIterator<Item = Vec<String>>) {
    let heading = heading.split(", ").map(str::to_owned).collect();
    let rows: Vec<_> = std::iter::once(heading).chain(rows).collect();
    out(format_args!("{}", columns(&rows)));
}

/// A cell without characters that move the cursor or reverse the direction of text.
pub fn printable(cell: &str) -> String {
    let is_unsafe =
        |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    cell.replace(is_unsafe, "\u{fffd}")
}

/// Columns within a width. The first line of a row's first cell is its label. The text after it is
/// wrapped and indented, in at least 24 columns.
pub fn columns_within(width: usize, rows: &[Vec<String>]) -> String {
    const MIN_WIDTH: usize = 24;
    let others: Vec<Vec<String>> = rows.iter().map(|row| row[1..].to_vec()).collect();
    let others = columns(&others)
        .lines()
        .map(UnicodeWidthStr::width)
        .max()
        .unwrap_or(0);
    let room = width.saturating_sub(others + 2).max(MIN_WIDTH);
    let mut lines = Vec::new();
    for row in rows {
        let (first, further) = row[0].split_once('\n').unwrap_or((&row[0], ""));
        lines.push([&[first.to_owned()], &row[1..]].concat());
        lines.extend(
            wrap(further, room - 2)
                .into_iter()
                .map(|line| vec![format!("  {line}")]),
        );
    }
    columns(&lines)
}

/// A text after a label of `columns` columns, wrapped to a width. Further lines are indented.
pub fn wrapped(label: &str, columns: usize, value: &str, width: usize) -> String {
    let mut label = format!("{label:<columns$}");
    let mut text = String::new();
    for line in wrap(value, width.saturating_sub(columns + 1)) {
        text += &format!("{label} {line}\n");
        label = " ".repeat(columns);
    }
    text
}

/// Wraps a text. Only a line with a single word can be wider than `width`.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The appearance of text on standard output.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Width of the terminal in columns; 100 without a terminal.
    pub width: usize,
    /// Whether colours are used: not in a pipe, and not if `NO_COLOR` is set.
    pub colour: bool,
}

impl Look {
    /// The appearance on standard output of this process.
    pub fn of_stdout() -> Look {
        let stdout = io::stdout();
        Look {
            width: terminal_size::terminal_size_of(&stdout)
                .map_or(100, |(width, _)| usize::from(width.0)),
            colour: stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        }
    }
}

/// A payload rate in bits per second, with three digits.
pub fn rate(bytes_per_s: u64) -> String {
    let bits = bytes_per_s as f64 * 8.0;
    scaled(bits, &["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"])
}

/// A number of bytes, with three digits.
pub fn bytes(bytes: u64) -> String {
    scaled(bytes as f64, &["B", "kB", "MB", "GB", "TB"])
}

fn scaled(value: f64, units: &[&str]) -> String {
    let mut value = value;
    let mut units = units.iter();
    let mut unit = units.next().copied().unwrap_or("");
    while value >= 999.5 {
        let Some(next) = units.next() else { break };
        value /= 1000.0;
        unit = next;
    }
    let digits = if unit.starts_with(['b', 'B']) || value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}")
}

/// `1 connection`, `2 connections`.
pub fn count(number: usize, one: &str) -> String {
    if number == 1 {
        format!("1 {one}")
    } else {
        format!(
            "{number} {one}{}",
            if one.ends_with('s') { "es" } else { "s" }
        )
    }
}

/// The number of events for which a ring had no room.
pub fn lost_events(events: u64) -> String {
    format!(
        "{} lost: the ring of events was full",
        count(events as usize, "event")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_three_digits_at_most() {
        assert_eq!(rate(6_250_000), "50.0 Mbit/s");
        assert_eq!(rate(124_990), "1.00 Mbit/s");
        assert_eq!(bytes(14_480), "14.5 kB");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(u64::MAX), "18446744 TB");
    }

    #[test]
    fn counts_have_their_plural() {
        assert_eq!(
            [
                count(1, "process"),
                count(2, "process"),
                count(0, "connection")
            ],
            ["1 process", "2 processes", "0 connections"]
        );
    }

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let row = |cells: &[&str]| {
            cells
                .iter()
                .map(|&cell| cell.to_owned())
                .collect::<Vec<_>>()
        };
        let rows = [
            row(&["a", "漢字", "c"]),
            row(&["b\n\u{202e}", "x"]),
            row(&["", "", "c"]),
        ];
        assert_eq!(
            columns(&rows),
            "a    漢字  c\nb\u{fffd}\u{fffd}  x\n           c\n"
        );
        assert_eq!(columns(&[]), "");
    }

    #[test]
    fn a_long_text_continues_on_indented_lines() {
        assert_eq!(
            wrapped("unit:", 6, "one two three", 16),
            "unit:  one two\n       three\n"
        );
        assert_eq!(wrapped("", 0, "unbreakable", 4), " unbreakable\n");
        assert_eq!(wrapped("nothing", 8, "", 20), "");
    }

    #[test]
    fn the_first_column_is_wrapped_if_the_others_leave_little_room() {
        let row = |cells: &[&str]| {
            cells
                .iter()
                .map(|cell| (*cell).to_owned())
                .collect::<Vec<_>>()
        };
        let rows = [
            row(&["", "PAPER"]),
            row(&["A.fig3\nfour words of one kind, and two", "12 %"]),
        ];
        let narrow = "                     PAPER\nA.fig3               12 %\n  four words of \
            one\n  kind, and two\n";
        assert_eq!(columns_within(31, &rows), narrow);
        assert!(columns_within(60, &rows).contains("\n  four words of one kind, and two\n"));
    }
}
