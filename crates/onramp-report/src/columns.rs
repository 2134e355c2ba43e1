//! The columns of the summary, which are the same on a terminal and on a page.

use crate::spread::Spread;
use crate::summary::{Group, Row};
use onramp_plot::units::{fixed, printable, significant, NO_VALUE};
use onramp_results::{Record, UNFINISHED};
use onramp_scenario::NO_STARTUP;

/// Marks a row with at least one suspect run.
pub(crate) const SUSPECT_MARK: &str = "†";

/// Stands for the exit of a start-up that was still running when its transfer was complete.
pub(crate) const COMPLETE: &str = "complete";

/// A blank that is as wide as a digit in every font.
pub(crate) const FIGURE_SPACE: &str = "\u{2007}";

/// Defines the columns with their heads and their meanings.
macro_rules! columns {
    ($($column:ident($name:literal, $unit:literal) $meaning:literal;)*) => {
        /// One column of the summary.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Column {
            $($column),*
        }

        impl Column {
            /// Name and unit, which stand above each other.
            pub(crate) fn head(self) -> (&'static str, &'static str) {
                match self {
                    $(Column::$column => ($name, $unit)),*
                }
            }

            /// The meaning of the column, for the page.
            pub(crate) fn meaning(self) -> &'static str {
                match self {
                    $(Column::$column => $meaning),*
                }
            }
        }
    };
}

columns! {
    Label("start-up", "")
        "Start-up + congestion avoidance; IW: initial window where it is not the host's own; then \
         the TCP where it is not Linux's";
    Runs("n", "")
        "Number of runs; of flows where a run has several";
    Completion("completion", "s")
        "Time from the receiver's connect to its last byte: the median of the runs, then \
         (least–most) where they differ, and how many did not finish. The row \"bound\" is the \
         least possible time: 2 RTT (handshake and request) + serialisation of every packet";
    Ratio("ratio", "")
        "Median completion over that of the baseline: of plain cubic, or of the group's first row \
         where there is none";
    Bound("bound", "s")
        "The least possible time: 2 RTT + serialisation of every packet, and its tokens where \
         there are buckets";
    Wasted("wasted", "RTT")
        "Round trips wasted: (completion − bound) / RTT";
    Slowdown("slowdown", "")
        "Completion over the bound, where sizes are drawn";
    FirstAnswer("answer", "first, s")
        "Time from the connect to the last byte of the first answer, when a video starts";
    LaterAnswers("answers", "later, s")
        "Mean time from a later request to the last byte of its answer";
    Stalled("stalled", "s")
        "How long the player of a video waited for segments";
    Delivered("delivered", "MB")
        "Payload that the receiver got: median, the unfinished ones included";
    Retransmitted("resent", "segm.")
        "Data segments that the transfer retransmitted";
    Timeouts("time-outs", "")
        "Times that the transfer's retransmission timer ended";
    Drops("drops", "pkts")
        "Packets dropped by queues and policers, all flows";
    Policed("policed", "pkts")
        "Those of them that exceeded a policer's rate, or that of an EF flow's profile";
    Lost("lost", "pkts")
        "Packets lost at random, all flows, both directions";
    Queue("queue", "BDP")
        "Most bytes that stood in the bottleneck's queue, in bandwidth-delay products";
    Fairness("fairness", "Jain")
        "Jain's index of the rates of a run's flows: 1 where all are equal, 1/n where one of n \
         flows gets the whole rate";
    Exit("exit", "")
        "Why the start-up ended. Complete: the transfer was complete before that";
    Estimate("estimate", "% payload")
        "The start-up's last estimate of payload rate, over the payload rate that the path can \
         carry for long";
    CompetingBefore("rival", "before")
        "What the competing traffic delivered in the 20 RTTs before the transfer, Mbit/s of \
         payload";
    CompetingDuring("Mbit/s", "during")
        "What it delivered in the 20 RTTs from the transfer's start on, Mbit/s of payload";
}

/// How a cell is to be read. It decides the colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Better,
    Worse,
    Faint,
    Warning,
}

/// A cell: its text, its tone, and a detail for the tooltip, such as the range of the repeats.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) tone: Tone,
    pub(crate) detail: Option<String>,
}

impl Cell {
    fn plain(text: String) -> Cell {
        Cell {
            text,
            tone: Tone::Plain,
            detail: None,
        }
    }
}

impl Column {
    /// The columns that have values for at least one of these groups.
    pub(crate) fn chosen(groups: &[Group<'_>]) -> Vec<Column> {
        let any = |test: &dyn Fn(&Record) -> bool| groups.iter().flat_map(Group::records).any(test);
        let anywhere = |column: Column| (column, groups.iter().any(|group| column.is_for(group)));
        let candidates = [
            (Column::Label, true),
            (Column::Runs, groups.iter().any(|g| g.common_n().is_none())),
            (Column::Completion, true),
            (Column::Ratio, true),
            (Column::Bound, groups.iter().any(|g| g.bound_s.is_none())),
            (Column::Wasted, true),
            (Column::Slowdown, any(&|r| !r.sizes.is_empty())),
            (Column::FirstAnswer, any(&|r| r.first_answer_s.is_some())),
            (Column::LaterAnswers, any(&|r| r.later_answer_s.is_some())),
            (Column::Stalled, any(&|r| r.stalls.is_some())),
            (Column::Delivered, any(&|r| !r.finished)),
            (Column::Retransmitted, true),
            (
                Column::Timeouts,
                any(&|r| r.timeouts.is_some_and(|n| n > 0)),
            ),
            (Column::Drops, true),
            (Column::Policed, any(&|r| r.policed_packets > 0)),
            (Column::Lost, any(&|r| r.lost_packets > 0)),
            (Column::Queue, true),
            anywhere(Column::Fairness),
            anywhere(Column::Exit),
            anywhere(Column::Estimate),
            anywhere(Column::CompetingBefore),
            anywhere(Column::CompetingDuring),
        ];
        candidates
            .into_iter()
            .filter_map(|(column, wanted)| wanted.then_some(column))
            .collect()
    }

    /// Whether the column has values for this group. A table leaves columns at the end out group by
    /// group; the other columns are always shown.
    pub(crate) fn is_for(self, group: &Group<'_>) -> bool {
        let any = |test: fn(&Record) -> bool| group.records().any(test);
        match self {
            Column::Exit => any(|r| r.startup != NO_STARTUP),
            Column::Fairness => {
                let rows = &group.rows;
                !any(|r| !r.sizes.is_empty()) && rows.iter().any(|row| row.fairness().is_some())
            }
            Column::Estimate => any(|r| r.estimate_bytes_per_s.is_some()),
            Column::CompetingBefore | Column::CompetingDuring => any(|r| {
                r.traffic_before_bytes_per_s.is_some() || r.traffic_during_bytes_per_s.is_some()
            }),
            _ => true,
        }
    }

    /// Whether the cells are flush left: text, and medians that a range may follow.
    pub(crate) fn is_left(self) -> bool {
        matches!(self, Column::Label | Column::Completion | Column::Exit)
    }

    /// The cell of a row.
    pub(crate) fn cell(self, row: &Row<'_>) -> Cell {
        let count = |value: fn(&Record) -> u64| counted(row, move |r| Some(value(r) as f64), 0);
        match self {
            Column::Label => label(row),
            Column::Runs => Cell::plain(row.records.len().to_string()),
            Column::Completion => completion(row),
            Column::Ratio => ratio(row),
            Column::Bound => match row.spread(|r| r.bound_s) {
                Some(bound) => Cell {
                    text: bound.median_text(),
                    tone: Tone::Faint,
                    detail: bound.range_text(),
                },
                None => blank(),
            },
            Column::Wasted => counted(row, |r| r.excess_rtts, 1),
            Column::Slowdown => counted(row, |r| Some(r.completion_s? / r.bound_s), 2),
            Column::FirstAnswer => counted(row, |r| r.first_answer_s, 3),
            Column::LaterAnswers => counted(row, |r| r.later_answer_s, 3),
            Column::Stalled => counted(row, |r| r.stalled_s, 1),
            Column::Delivered => delivered(row),
            Column::Fairness => cell_of(row.fairness(), 2),
            Column::Retransmitted => count(|r| r.retransmitted_segments),
            Column::Timeouts => counted(row, |r| r.timeouts.map(|n| n as f64), 0),
            Column::Drops => count(|r| r.dropped_packets),
            Column::Policed => count(|r| r.policed_packets),
            Column::Lost => count(|r| r.lost_packets),
            Column::Queue => counted(row, |r| Some(r.peak_queue_bdp), 2),
            Column::Exit => exit(row),
            Column::Estimate => estimate(row),
            Column::CompetingBefore => competing(row, |r| r.traffic_before_bytes_per_s),
            Column::CompetingDuring => competing(row, |r| r.traffic_during_bytes_per_s),
        }
    }

    /// The cell of the row that closes a group: the minimum possible time.
    pub(crate) fn bound_cell(self, group: &Group<'_>) -> Option<Cell> {
        let bound_s = group.bound_s?;
        let baseline = group
            .rows
            .iter()
            .find(|row| row.is_baseline)
            .and_then(|row| row.completion);
        let text = match self {
            Column::Label => "bound".to_owned(),
            Column::Completion => {
                FIGURE_SPACE.repeat(group.bound_indent)
                    + &fixed(bound_s, onramp_plot::units::decimals(bound_s, 3))
            }
            Column::Ratio if !group.has_mixed_hosts => {
                baseline.map_or(String::new(), |b| ratio_text(bound_s / b.median))
            }
            Column::Wasted => "0.0".to_owned(),
            _ => String::new(),
        };
        Some(Cell {
            text,
            tone: Tone::Faint,
            detail: None,
        })
    }
}

/// The cell of a row without a value.
fn blank() -> Cell {
    Cell {
        text: NO_VALUE.to_owned(),
        tone: Tone::Faint,
        detail: None,
    }
}

fn label(row: &Row<'_>) -> Cell {
    match row.suspects() {
        0 => Cell::plain(row.label.clone()),
        n => Cell {
            text: format!("{} {SUSPECT_MARK}", row.label),
            tone: Tone::Warning,
            detail: Some(format!("{n} of {} runs suspect", row.records.len())),
        },
    }
}

fn completion(row: &Row<'_>) -> Cell {
    let unfinished = row.unfinished();
    let Some(spread) = row.completion else {
        return if unfinished > 0 {
            Cell::plain("unfinished".to_owned())
        } else {
            blank()
        };
    };
    let median = FIGURE_SPACE.repeat(row.indent) + &spread.median_text();
    let text = match spread.range_text() {
        Some(range) => format!("{median} ({range})"),
        None => median,
    };
    match unfinished {
        0 => Cell::plain(text),
        n => Cell {
            text: format!("{text}, {n} unfinished"),
            tone: Tone::Warning,
            detail: None,
        },
    }
}

/// Megabytes, with as many digits as completion times have.
fn delivered(row: &Row<'_>) -> Cell {
    match row.spread(|r| r.delivered_bytes as f64 / 1e6) {
        Some(megabytes) => Cell {
            text: megabytes.median_text(),
            tone: Tone::Plain,
            detail: megabytes.range_text(),
        },
        None => blank(),
    }
}

fn ratio(row: &Row<'_>) -> Cell {
    let Some(ratio) = row.ratio else {
        return blank();
    };
    let tone = match ratio {
        _ if row.is_baseline => Tone::Plain,
        r if r <= 0.95 => Tone::Better,
        r if r >= 1.05 => Tone::Worse,
        _ => Tone::Plain,
    };
    Cell {
        text: ratio_text(ratio),
        tone,
        detail: None,
    }
}

fn ratio_text(ratio: f64) -> String {
    if ratio < 100.0 {
        fixed(ratio, 2)
    } else {
        significant(ratio, 3)
    }
}

/// A median with this many decimals at most, and the range of the repeats as detail.
fn counted(row: &Row<'_>, value: impl Fn(&Record) -> Option<f64>, decimals: usize) -> Cell {
    cell_of(row.spread_of_some(value), decimals)
}

/// A median, with the range for the tooltip.
fn cell_of(spread: Option<Spread>, decimals: usize) -> Cell {
    let Some(spread) = spread else {
        return blank();
    };
    let decimals = if spread.median.abs() >= 100.0 {
        0
    } else {
        decimals
    };
    let text = |value| fixed(value, decimals);
    let detail = (spread.n > 1 && spread.min != spread.max)
        .then(|| format!("{}–{}", text(spread.min), text(spread.max)));
    Cell {
        text: text(spread.median),
        tone: Tone::Plain,
        detail,
    }
}

/// The transfer was complete before its start-up ended.
pub(crate) fn is_complete(record: &Record) -> bool {
    record.exit_reason == UNFINISHED && record.finished
}

/// The exit reason as people read it: `unfinished` beside a finished transfer would be a riddle.
fn exit_reason(record: &Record) -> &str {
    match record.exit_reason.as_str() {
        _ if is_complete(record) => COMPLETE,
        reason => reason,
    }
}

/// The exit reason if all repeats have the same one, else the most frequent one with its share.
fn exit(row: &Row<'_>) -> Cell {
    if row.records[0].startup == NO_STARTUP {
        return blank();
    }
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for record in &row.records {
        let own = exit_reason(record);
        match reasons.iter_mut().find(|(reason, _)| *reason == own) {
            Some((_, n)) => *n += 1,
            None => reasons.push((own, 1)),
        }
    }
    let total = row.records.len();
    let (reason, count) =
        reasons.iter().copied().fold(
            ("", 0),
            |best, next| if next.1 > best.1 { next } else { best },
        );
    if count == total {
        return Cell::plain(printable(reason));
    }
    let all: Vec<String> = reasons
        .iter()
        .map(|(reason, n)| format!("{} {n}", printable(reason)))
        .collect();
    Cell {
        text: format!("{} {count}/{total}", printable(reason)),
        tone: Tone::Plain,
        detail: Some(all.join(", ")),
    }
}

/// The estimate in percent of the payload rate that the path sustains.
fn estimate(row: &Row<'_>) -> Cell {
    let capacity = crate::link::Link::of(row.records[0]).payload_bytes_per_s;
    let percent = row.spread_of_some(|r| Some(r.estimate_bytes_per_s? as f64 / capacity * 100.0));
    match percent {
        Some(p) => Cell {
            text: significant(p.median.round(), 3),
            tone: Tone::Plain,
            detail: p.range_text().map(|r| r + " %"),
        },
        None => blank(),
    }
}

/// The rate of the competing traffic.
fn competing(row: &Row<'_>, value: impl Fn(&Record) -> Option<f64>) -> Cell {
    match row.spread_of_some(|r| value(r).map(|rate| rate * 8.0 / 1e6)) {
        Some(rate) => Cell {
            text: rate.median_text(),
            tone: Tone::Plain,
            detail: rate.range_text(),
        },
        None => blank(),
    }
}
