//! What the tables on a terminal have in common: columns side by side, as many as fit.

use unicode_width::UnicodeWidthStr;

/// Between columns.
pub(crate) const GAP: &str = "  ";
pub(crate) const BOLD: &str = "1";
pub(crate) const FAINT: &str = "2";

/// How a terminal shows a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableOptions {
    /// Columns of the terminal; 100 suits a pipe.
    pub width: usize,
    /// Colour and weight by ANSI sequences.
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

/// Which columns stand side by side, of columns of these widths: as many as fit into `total`, the
/// first in every block. A column that `leads` is not parted from the next.
pub(crate) fn blocks(
    widths: &[usize],
    total: usize,
    leads: impl Fn(usize) -> bool,
) -> Vec<Vec<usize>> {
    let mut blocks = vec![vec![0]];
    let mut used = widths[0];
    for (at, width) in widths.iter().enumerate().skip(1) {
        let needed = width + GAP.len();
        let is_started = blocks[blocks.len() - 1].len() > 1;
        let partner = if leads(at) {
            widths[at + 1] + GAP.len()
        } else {
            0
        };
        if is_started && used + needed + partner > total {
            blocks.push(vec![0]);
            used = widths[0];
        }
        blocks
            .last_mut()
            .expect("there is one from the start")
            .push(at);
        used += needed;
    }
    blocks
}

/// Flush left, or right.
pub(crate) fn pad(text: &str, is_left: bool, width: usize) -> String {
    let blanks = " ".repeat(width.saturating_sub(text.width()));
    match is_left {
        true => text.to_owned() + &blanks,
        false => blanks + text,
    }
}

/// Escape sequences have no width: what is painted is padded before.
pub(crate) fn paint(code: &str, text: &str, options: &TableOptions) -> String {
    if options.colour && !text.is_empty() {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}
