//! The summary as text for a terminal.

use crate::columns::{is_complete, Column, Tone, COMPLETE, FIGURE_SPACE, SUSPECT_MARK};
use crate::overview::{text_overview, Names, Overview};
use crate::summary::{groups, Group};
use crate::text_table::{paint, Grid, TableOptions, BOLD, FAINT, GAP};
use onramp_plot::heat_map::EVEN;
use onramp_plot::units::significant;
use onramp_results::Record;
use unicode_width::UnicodeWidthStr;

/// ANSI codes of green, red and yellow.
const GREEN: &str = "32";
const RED: &str = "31";
const YELLOW: &str = "33";

/// The results as text: one part for each group of transfers that can be compared, one line for
/// each start-up.
///
/// Columns that do not fit into the width go into further blocks below, with the labels repeated.
/// More than 100 groups are summed up: a line for each start-up. The text ends with a line break;
/// an empty list gives the line `no results`.
pub fn table(records: &[Record], options: &TableOptions) -> String {
    let groups = groups(records);
    if groups.is_empty() {
        return "no results\n".to_owned();
    }
    if groups.len() > MAX_GROUPS {
        let names = Names::of(&groups);
        if let Some(overview) = Overview::of(&groups, &names) {
            return many(&overview, options);
        }
    }
    let summary = Summary::new(&groups, options);
    let mut lines = Vec::new();
    let mut row = HEAD_ROWS;
    for group in &groups {
        summary.push_group(&mut lines, group, row);
        row += rows_of(group);
        lines.push(String::new());
    }
    lines.extend(notes(&groups, &summary.columns));
    lines.join("\n").replace(FIGURE_SPACE, " ") + "\n"
}

/// More groups than this are summed up: thousands of lines would hide what they say.
const MAX_GROUPS: usize = 100;

/// The overview of many groups.
fn many(overview: &Overview<'_>, options: &TableOptions) -> String {
    let count = overview.groups.len();
    let common = overview.names.common();
    let suspect = suspect_note(overview.groups).map_or(String::new(), |note| note + "\n");
    let interval = match overview.has_intervals() {
        true => "; (interval of 95 % over seeds)",
        false => "",
    };
    format!(
        "{count} paths and sizes  {common}\n{}\n\
         ratio: to {} on the same path, the geometric mean{interval}.\n\
         faster, slower: paths and sizes with a ratio below {} and above {}.\n\
         resent: sum of the means of retransmitted segments.\n\
         Each path and size: in the report of --out DIR, or with --json.\n{suspect}",
        text_overview(overview, options),
        overview.baseline(),
        EVEN.start(),
        EVEN.end()
    )
}

/// Names and units of the columns.
const HEAD_ROWS: usize = 2;

/// Rows of a group in the grid: its start-ups, and the bound where the group has one.
fn rows_of(group: &Group<'_>) -> usize {
    group.rows.len() + usize::from(group.bound_s.is_some())
}

/// The rows of all groups in one grid, so that the columns of all groups have the same widths.
struct Summary<'a> {
    columns: Vec<Column>,
    grid: Grid,
    /// The tone of each cell, by row and column.
    tones: Vec<Vec<Tone>>,
    options: &'a TableOptions,
}

impl<'a> Summary<'a> {
    fn new(groups: &[Group<'_>], options: &'a TableOptions) -> Summary<'a> {
        let columns = Column::chosen(groups);
        let head = |text: fn((&'static str, &'static str)) -> &'static str| {
            let texts = columns.iter().map(|column| text(column.head()).to_owned());
            (texts.collect(), vec![Tone::Plain; columns.len()])
        };
        let mut rows: Vec<(Vec<String>, Vec<Tone>)> = vec![head(|h| h.0), head(|h| h.1)];
        for group in groups {
            for row in &group.rows {
                let cells = columns.iter().map(|column| column.cell(row));
                rows.push(cells.map(|cell| (cell.text, cell.tone)).unzip());
            }
            if group.bound_s.is_some() {
                let cells = columns.iter().filter_map(|column| column.bound_cell(group));
                rows.push(cells.map(|cell| (cell.text, cell.tone)).unzip());
            }
        }
        let (texts, tones): (Vec<Vec<String>>, Vec<Vec<Tone>>) = rows.into_iter().unzip();
        let texts: Vec<&[String]> = texts.iter().map(Vec::as_slice).collect();
        let is_right: Vec<bool> = columns.iter().map(|column| !column.is_left()).collect();
        Summary {
            grid: Grid::new(&texts, &is_right),
            columns,
            tones,
            options,
        }
    }

    /// A group's title and its blocks; `first_row` is the row of its first start-up.
    fn push_group(&self, lines: &mut Vec<String>, group: &Group<'_>, first_row: usize) {
        push_title(lines, group, self.options);
        let shown: Vec<usize> = (0..self.columns.len())
            .filter(|&at| self.columns[at].is_for(group))
            .collect();
        // The two columns of the competing traffic stay together.
        let leads = |at: usize| self.columns[at] == Column::CompetingBefore;
        for block in self.grid.blocks(&shown, self.options.width, leads) {
            self.push_block(lines, group, first_row, &block);
        }
    }

    fn push_block(
        &self,
        lines: &mut Vec<String>,
        group: &Group<'_>,
        first_row: usize,
        block: &[usize],
    ) {
        let faint = |row: usize| paint(FAINT, &self.grid.line(row, block), self.options);
        lines.extend((0..HEAD_ROWS).map(faint));
        let bound_row = first_row + group.rows.len();
        lines.extend((first_row..bound_row).map(|row| {
            let cell = |column: usize, cell: &str| self.painted(self.tones[row][column], cell);
            self.grid.painted_line(row, block, cell)
        }));
        let has_completion = block
            .iter()
            .any(|&column| self.columns[column] == Column::Completion);
        if group.bound_s.is_some() && has_completion {
            lines.push(faint(bound_row));
        }
    }

    fn painted(&self, tone: Tone, cell: &str) -> String {
        let code = match tone {
            Tone::Plain => return cell.to_owned(),
            Tone::Better => GREEN,
            Tone::Worse => RED,
            Tone::Warning => YELLOW,
            Tone::Faint => FAINT,
        };
        paint(code, cell, self.options)
    }
}

/// Title and conditions of a group, in one line if they fit.
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

/// The meaning of the columns, and which results to distrust.
fn notes(groups: &[Group<'_>], columns: &[Column]) -> Vec<String> {
    let mut notes = vec![
        "ratio: to plain cubic, or to a group's first row where there is none.".to_owned(),
        "bound: 2 RTT + serialisation.  wasted: (completion - bound) / RTT.".to_owned(),
    ];
    if groups.iter().any(|g| g.common_n().is_none_or(|n| n > 1)) {
        notes.push("Medians over repeated runs; (least–most) where they differ.".to_owned());
    }
    if groups.iter().flat_map(Group::records).any(is_complete) {
        notes.push(format!(
            "{COMPLETE}: the transfer was complete before its start-up ended."
        ));
    }
    if columns.contains(&Column::Estimate) {
        notes.push(
            "estimate: of payload rate, in percent of the payload rate that the path can carry \
             for long."
                .to_owned(),
        );
    }
    notes.extend(suspect_note(groups));
    notes
}

/// A sentence on suspect runs, if there are any.
pub(crate) fn suspect_note(groups: &[Group<'_>]) -> Option<String> {
    let all = || groups.iter().flat_map(Group::records);
    let suspects = all().filter(|r| r.suspect).count();
    let worst_us = all()
        .filter(|r| r.suspect)
        .map(|r| r.lateness_p99_us)
        .fold(f64::NAN, f64::max);
    let late = if worst_us.is_finite() {
        format!(" (p99 up to {} µs)", significant(worst_us, 3))
    } else {
        String::new()
    };
    (suspects > 0).then(|| {
        format!(
            "{SUSPECT_MARK} {suspects} of {} runs suspect: packets were late{late} or a socket \
             waited for a CPU.\n  That may have changed the results: repeat the runs on a quieter \
             machine.",
            all().count()
        )
    })
}
