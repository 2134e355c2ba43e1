//! The tables of a comparison, for a terminal, a page, a manual and programs.

use crate::beside::SideBySide;
use crate::comparison::{Comparison, FamilyResult, Place, Row};
use onramp_report::reproduction::{PageCell, PageTable, PageTone};
use onramp_report::{aligned_columns, head};

/// A ratio above this one is a loss of time that counts.
const SLOWER: f64 = 1.03;
const NO_VALUE: &str = "–";

/// A table whose cells know what they mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The sentence above the table.
    pub caption: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// The rows. The first cell is the name of the row.
    pub rows: Vec<Vec<TableCell>>,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableCell {
    text: String,
    mark: Mark,
}

/// What a cell means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mark {
    #[default]
    None,
    /// The first of its column.
    First,
    /// Within 3 % of the first.
    Near,
    /// Worse than what it is compared with.
    Worse,
}

impl<T: Into<String>> From<T> for TableCell {
    fn from(text: T) -> TableCell {
        TableCell {
            text: text.into(),
            mark: Mark::None,
        }
    }
}

impl Table {
    /// As Markdown, without the caption: the first of a column is bold, those near it have `≈`.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let cell = |cell: &TableCell| match cell.mark {
            Mark::First => format!("**{}**", cell.text),
            Mark::Near => format!("≈ {}", cell.text),
            Mark::None | Mark::Worse => cell.text.clone(),
        };
        let rows = self
            .rows
            .iter()
            .map(|row| line(row.iter().map(cell).collect()));
        let rule = format!("|{}\n", "---|".repeat(self.head.len()));
        line(self.head.clone()) + &rule + &rows.collect::<String>()
    }

    /// For a terminal, with the caption above it.
    pub fn text(&self) -> String {
        let cell = |cell: &TableCell| match cell.mark {
            Mark::First => format!("✓ {}", cell.text),
            Mark::Near => format!("≈ {}", cell.text),
            Mark::None | Mark::Worse => cell.text.clone(),
        };
        let rows = self.rows.iter().map(|row| row.iter().map(cell).collect());
        let all: Vec<Vec<String>> = std::iter::once(self.head.clone()).chain(rows).collect();
        let is_right: Vec<bool> = (0..self.head.len()).map(|column| column > 0).collect();
        format!("{}\n\n{}", self.caption, aligned_columns(&all, &is_right))
    }

    /// For a page.
    pub fn page(&self) -> PageTable {
        let cell = |cell: &TableCell| match cell.mark {
            Mark::First => PageCell::new(&cell.text, PageTone::Good),
            Mark::Near => format!("≈ {}", cell.text).into(),
            Mark::Worse => PageCell::new(&cell.text, PageTone::Bad),
            Mark::None => cell.text.as_str().into(),
        };
        let rows = self.rows.iter().map(|row| row.iter().map(cell).collect());
        PageTable {
            caption: self.caption.clone(),
            head: self.head.clone(),
            rows: rows.collect(),
        }
    }
}

fn number(value: Option<f64>, decimals: usize) -> String {
    let shown = value.filter(|value| value.is_finite());
    shown.map_or(NO_VALUE.to_owned(), |value| format!("{value:.decimals$}"))
}

/// The time of a row, marked with its place.
fn time(row: &Row) -> TableCell {
    let mark = match (row.place, row.time) {
        (Place::First, _) => Mark::First,
        (Place::Near, _) => Mark::Near,
        (Place::Behind, Some(time)) if time <= SLOWER => Mark::None,
        (Place::Behind, _) => Mark::Worse,
    };
    TableCell {
        text: row
            .time
            .map_or("endless".to_owned(), |time| format!("{time:.3}")),
        mark,
    }
}

/// Retransmitted segments. More than those of `hystart` are marked.
fn resent(row: &Row) -> TableCell {
    let is_more = row.resent_of_hystart.is_some_and(|share| share > 1.0);
    TableCell {
        text: row.resent_segments.to_string(),
        mark: if is_more { Mark::Worse } else { Mark::None },
    }
}

/// A row for each start-up, the fastest as a whole first, and a column for all families together
/// and for each.
fn by_family(
    comparison: &Comparison,
    cell: fn(&Row) -> TableCell,
) -> (Vec<String>, Vec<Vec<TableCell>>) {
    let has_whole = !comparison.whole.is_empty();
    let whole = has_whole.then(|| "all".to_owned());
    let names = comparison.families.iter().map(|family| family.name.clone());
    let head = std::iter::once("start-up".to_owned())
        .chain(whole)
        .chain(names)
        .collect();
    let of = |rows: &[Row], name: &str| {
        let row = rows.iter().find(|row| row.startup == name);
        row.map_or(NO_VALUE.into(), cell)
    };
    let row = |ranked: &Row| {
        let name = ranked.startup.as_str();
        let whole = has_whole.then(|| cell(ranked));
        let families = comparison.families.iter();
        std::iter::once(name.into())
            .chain(whole)
            .chain(families.map(|family| of(&family.rows, name)))
            .collect()
    };
    (head, comparison.overall().iter().map(row).collect())
}

/// The times of all start-ups by family.
pub fn times(comparison: &Comparison) -> Table {
    let (head, rows) = by_family(comparison, time);
    Table {
        caption: "Time divided by CUBIC's, geometric mean (✓ the first, ≈ within 3 % of it)"
            .to_owned(),
        head,
        rows,
    }
}

/// The retransmitted segments of all start-ups by family.
pub fn retransmissions(comparison: &Comparison) -> Table {
    let (head, rows) = by_family(comparison, resent);
    Table {
        caption: "Retransmitted segments, all runs".to_owned(),
        head,
        rows,
    }
}

/// Everything that is measured of a family.
pub fn family(family: &FamilyResult) -> Table {
    let has = |of: fn(&Row) -> Option<f64>| family.rows.iter().any(|row| of(row).is_some());
    let has_left = has(|row| row.left_percent);
    let has_fairness = has(|row| row.fairness);
    let mut head = head(
        "start-up | time / CUBIC's | 95 % interval | median | 5 % | 95 % | wasted RTT | resent | \
         / hystart's | peak queue, BDP",
    );
    head.extend(has_left.then(|| "left to long flows, %".to_owned()));
    head.extend(has_fairness.then(|| "Jain".to_owned()));
    let row = |row: &Row| {
        let interval = row.interval.map_or(NO_VALUE.to_owned(), |[low, high]| {
            format!("{low:.3} to {high:.3}")
        });
        let quantile = |place: usize| number(row.quantiles.map(|all| all[place]), 2);
        let mut cells: Vec<TableCell> = vec![
            name(row).into(),
            time(row),
            interval.into(),
            quantile(1).into(),
            quantile(0).into(),
            quantile(2).into(),
            number(row.wasted_rtts, 2).into(),
            resent(row),
            number(row.resent_of_hystart, 2).into(),
            number(row.peak_queue_bdp, 2).into(),
        ];
        cells.extend(has_left.then(|| number(row.left_percent, 1).into()));
        cells.extend(has_fairness.then(|| number(row.fairness, 2).into()));
        cells
    };
    Table {
        caption: format!("{}: {}", family.name, family.what),
        head,
        rows: family.rows.iter().map(row).collect(),
    }
}

/// The start-up, with the number of its runs that gave up.
fn name(row: &Row) -> String {
    match row.unfinished {
        0 => row.startup.clone(),
        runs => format!("{} ({runs} runs gave up)", row.startup),
    }
}

/// Simulator and kernel.
pub fn side_by_side(rows: &[SideBySide]) -> Table {
    let head = head(
        "start-up | time / CUBIC's, simulator | kernel | median difference | largest difference \
         | resent in a run, simulator | kernel | suspect runs",
    );
    let percent = |value: f64| format!("{value:+.1} %");
    let row = |row: &SideBySide| {
        vec![
            row.startup.as_str().into(),
            number(row.time[0], 3).into(),
            number(row.time[1], 3).into(),
            percent(row.difference_percent[0]).into(),
            percent(row.difference_percent[1]).into(),
            number(Some(row.resent_segments[0]), 1).into(),
            number(Some(row.resent_segments[1]), 1).into(),
            format!("{} of {}", row.suspect_runs, row.runs).into(),
        ]
    };
    Table {
        caption: "Simulator and kernel".to_owned(),
        head,
        rows: rows.iter().map(row).collect(),
    }
}

/// All rows for programs: a line for each family and start-up.
pub fn rows_for_programs(comparison: &Comparison) -> (Vec<String>, Vec<Vec<String>>) {
    let head = head(
        "family | startup | place | time | interval_low | interval_high | p5 | median | p95 | \
         wasted_rtts | resent_segments | resent_of_hystart | peak_queue_bdp | left_percent | \
         fairness | unfinished",
    );
    let text = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let line = |family: &str, row: &Row| {
        let quantile = |place: usize| text(row.quantiles.map(|all| all[place]));
        let bound = |place: usize| text(row.interval.map(|all| all[place]));
        let place = match row.place {
            Place::First => "first",
            Place::Near => "near",
            Place::Behind => "behind",
        };
        vec![
            family.to_owned(),
            row.startup.clone(),
            place.to_owned(),
            text(row.time),
            bound(0),
            bound(1),
            quantile(0),
            quantile(1),
            quantile(2),
            text(row.wasted_rtts),
            row.resent_segments.to_string(),
            text(row.resent_of_hystart),
            text(row.peak_queue_bdp),
            text(row.left_percent),
            text(row.fairness),
            row.unfinished.to_string(),
        ]
    };
    let whole = comparison.whole.iter().map(|row| line("all", row));
    let families = comparison.families.iter();
    let rows = families.flat_map(|family| family.rows.iter().map(|row| line(&family.name, row)));
    (head, whole.chain(rows).collect())
}

/// All cells for programs: a line for each family, cell and start-up.
pub fn cells_for_programs(comparison: &Comparison) -> (Vec<String>, Vec<Vec<String>>) {
    let head = head(
        "family | scenario | rate_bits_per_s | rtt_ms | queue | path | receiver_buffer | \
         initial_window | size_bytes | startup | time | completion_s | wasted_rtts | \
         resent_segments",
    );
    let text = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let mut rows = Vec::new();
    for family in &comparison.families {
        for cell in &family.cells {
            for result in &cell.startups {
                rows.push(vec![
                    family.name.clone(),
                    cell.scenario.clone(),
                    cell.rate_bits_per_s.to_string(),
                    cell.rtt_ms.to_string(),
                    cell.queue.clone(),
                    cell.path.clone(),
                    cell.receiver_buffer.clone(),
                    cell.initial_window.clone(),
                    cell.size_bytes.to_string(),
                    result.startup.clone(),
                    text(result.time),
                    text(result.completion_s),
                    text(result.wasted_rtts),
                    text(result.resent_segments),
                ]);
            }
        }
    }
    (head, rows)
}
