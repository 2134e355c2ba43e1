//! The summary as text for a terminal.
//!
//! Columns that don't fit into the width go into a second block below, with the labels repeated, so
//! that nothing is cut off or wrapped. Written by hand: the table crates wrap or truncate cells
//! instead, and this is shorter than making one of them not do it.

use crate::columns::{Cell, Column, Tone, FIGURE_SPACE, SUSPECT_MARK};
use crate::layout::{self, paint, TableOptions, BOLD, FAINT, GAP};
use crate::summary::{groups, Group};
use crate::units::significant;
use onramp_results::Record;
use unicode_width::UnicodeWidthStr;

/// The results as text: one part per group of transfers that can be compared, one line per
/// start-up.
///
/// Ends with a line break; an empty list gives the line `no results`.
pub fn table(records: &[Record], options: &TableOptions) -> String {
    let groups = groups(records);
    if groups.is_empty() {
        return "no results\n".to_owned();
    }
    let columns = Column::chosen(&groups);
    let widths: Vec<usize> = columns
        .iter()
        .map(|&column| width_of(column, &groups))
        .collect();
    let mut lines = Vec::new();
    for group in &groups {
        push_title(&mut lines, group, options);
        let here = |at: &usize| columns[*at].is_for(group);
        let (columns, widths): (Vec<Column>, Vec<usize>) = (0..columns.len())
            .filter(here)
            .map(|at| (columns[at], widths[at]))
            .unzip();
        for block in blocks(&columns, &widths, options.width) {
            let block: Vec<(Column, usize)> = block
                .into_iter()
                .map(|at| (columns[at], widths[at]))
                .collect();
            push_block(&mut lines, group, &block, options);
        }
        lines.push(String::new());
    }
    lines.extend(notes(&groups, &columns));
    lines.join("\n").replace(FIGURE_SPACE, " ") + "\n"
}

/// Which columns stand side by side, before and during together.
fn blocks(columns: &[Column], widths: &[usize], total: usize) -> Vec<Vec<usize>> {
    layout::blocks(widths, total, |at| columns[at] == Column::RivalBefore)
}

fn width_of(column: Column, groups: &[Group<'_>]) -> usize {
    let (name, unit) = column.head();
    let head = name.width().max(unit.width());
    let cells = groups.iter().flat_map(|group| {
        let rows = group.rows.iter().map(|row| column.cell(row).text.width());
        rows.chain(column.bound_cell(group).map(|cell| cell.text.width()))
    });
    cells.fold(head, usize::max)
}

fn push_title(lines: &mut Vec<String>, group: &Group<'_>, options: &TableOptions) {
    let (title, conditions) = (group.title(), group.conditions());
    let fits = title.width() + GAP.len() + conditions.width() <= options.width;
    let (title, conditions) = (
        paint(BOLD, &title, options),
        paint(FAINT, &conditions, options),
    );
    if fits {
        lines.push(title + GAP + &conditions);
    } else {
        lines.extend([title, conditions]);
    }
}

fn push_block(
    lines: &mut Vec<String>,
    group: &Group<'_>,
    block: &[(Column, usize)],
    options: &TableOptions,
) {
    let head = |pick: fn((&'static str, &'static str)) -> &'static str| {
        let texts = block
            .iter()
            .map(|&(column, width)| (pick(column.head()).to_owned(), column, width));
        paint(FAINT, &join(texts), options)
    };
    lines.push(head(|h| h.0));
    lines.push(head(|h| h.1));
    for row in &group.rows {
        let cells = block
            .iter()
            .map(|&(column, width)| (column.cell(row), column, width));
        lines.push(join(cells.map(|(cell, column, width)| {
            (coloured(&cell, column, width, options), column, 0)
        })));
    }
    if group.bound_s.is_some()
        && block
            .iter()
            .any(|(column, _)| matches!(column, Column::Completion))
    {
        let cells = block
            .iter()
            .filter_map(|&(column, width)| Some((column.bound_cell(group)?.text, column, width)));
        lines.push(paint(FAINT, &join(cells), options));
    }
}

/// Pads each text to its width and joins them; no blanks at the line's end.
fn join(cells: impl Iterator<Item = (String, Column, usize)>) -> String {
    let cells: Vec<String> = cells
        .map(|(text, column, width)| pad(&text, column, width))
        .collect();
    cells.join(GAP).trim_end().to_owned()
}

fn pad(text: &str, column: Column, width: usize) -> String {
    layout::pad(text, column.is_left(), width)
}

fn coloured(cell: &Cell, column: Column, width: usize, options: &TableOptions) -> String {
    let padded = pad(&cell.text, column, width);
    match cell.tone {
        Tone::Plain => padded,
        Tone::Better => paint("32", &padded, options),
        Tone::Worse => paint("31", &padded, options),
        Tone::Warning => paint("33", &padded, options),
        Tone::Faint => paint(FAINT, &padded, options),
    }
}

/// What the reader needs to know to read the numbers, and what to distrust.
fn notes(groups: &[Group<'_>], columns: &[Column]) -> Vec<String> {
    let mut notes = vec![
        "ratio: to plain cubic, or to a group's first row where there is none.".to_owned(),
        "bound: 2 RTT + serialisation.  wasted: (completion - bound) / RTT.".to_owned(),
    ];
    if groups.iter().any(|g| g.common_n().is_none_or(|n| n > 1)) {
        notes.push("Medians over repeated runs; (least–most) where they differ.".to_owned());
    }
    if columns.contains(&Column::Estimate) {
        notes.push(
            "estimate: of payload rate, in percent of the payload rate that the path can carry for long.".to_owned(),
        );
    }
    notes.extend(suspect_note(groups));
    notes
}

/// One sentence on suspect runs, if there are any.
pub(crate) fn suspect_note(groups: &[Group<'_>]) -> Option<String> {
    let all = || groups.iter().flat_map(Group::records);
    let suspects = all().filter(|r| r.suspect).count();
    let worst_us = all()
        .filter(|r| r.suspect)
        .map(|r| r.lateness_p99_us)
        .fold(f64::NAN, f64::max);
    (suspects > 0).then(|| {
        let late =
            if worst_us.is_finite() { format!(" (p99 up to {} µs)", significant(worst_us, 3)) } else { String::new() };
        format!(
            "{SUSPECT_MARK} {suspects} of {} runs suspect: the emulator was late enough to change the result{late};\n  \
             repeat them on a quieter machine.",
            all().count()
        )
    })
}
