//! Columns for a terminal, and quantities as people write them.

use crate::failure::BAD_INPUT;
use std::fmt;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// On standard output; where that cannot be written, the program ends with a sentence that says so.
pub fn out(text: fmt::Arguments<'_>) {
    let mut stdout = io::stdout().lock();
    if let Err(error) = stdout.write_fmt(text).and_then(|()| stdout.flush()) {
        eprintln!("onramp: cannot write to standard output: {error}");
        std::process::exit(i32::from(BAD_INPUT));
    }
}

/// A line on standard output, as [`out`].
macro_rules! say {
    ($($argument:tt)*) => { $crate::text::out(format_args!("{}\n", format_args!($($argument)*))) };
}
pub(crate) use say;

/// Lines of aligned columns; the first row is the heading.
pub fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line += cell;
            line += &" ".repeat(width - cell.width() + 2);
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// A rate of payload in bits per second, three digits.
pub fn rate(bytes_per_s: u64) -> String {
    let bits = bytes_per_s as f64 * 8.0;
    scaled(bits, &["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"])
}

/// Bytes, three digits.
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
        format!("{number} {one}{}", if one.ends_with('s') { "es" } else { "s" })
    }
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
            [count(1, "process"), count(2, "process"), count(0, "connection")],
            ["1 process", "2 processes", "0 connections"]
        );
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect();
        assert_eq!(columns(&[row(&["a", "bb"]), row(&["ccc", "d"])]), "a    bb\nccc  d\n");
    }
}
