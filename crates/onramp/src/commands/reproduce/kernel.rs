//! The same on today's kernel: a paper's scenarios for the lab, and the simulator beside it.

use crate::commands::compare::Hosts;
use crate::commands::lab::{self, NoResult};
use crate::commands::runs::{self, describe};
use crate::failure::Failure;
use crate::text::{columns, wrapped};
use indicatif::ProgressBar;
use onramp_kernel::probe;
use onramp_papers::{median, Figure, Paper};
use onramp_report::reproduction::{PageCell, PageTable, Section};
use onramp_report::Run;
use onramp_results::Record;
use onramp_scenario::{units, Case, Scenario};

/// What keeps these numbers apart from those of the papers.
const NOT_THE_PAPERS: &str =
    "Not the paper's numbers: what its networks give today's TCP, between real sockets of \
                              this machine's kernel over an emulated path, and in the simulator.";

/// The lab of this machine, and what runs in it.
pub struct Lab {
    /// Of each paper, by its id.
    papers: Vec<(String, Vec<Scenario>)>,
}

/// The user has had enough.
pub struct Stopped;

/// What a paper's scenarios gave.
pub struct OnKernel {
    rows: Vec<Row>,
    figures: Vec<Figure>,
}

/// All copies and repeats of a transfer.
struct Row {
    sim: Vec<Record>,
    kernel: Vec<Record>,
}

impl Lab {
    /// The lab, where this host has what it needs; otherwise a note says what is lacking.
    pub fn find(papers: &[Paper]) -> Option<Lab> {
        let read = |text: &&str| {
            onramp_scenario::parse("scenario.toml", text).unwrap_or_else(|error| panic!("{error}"))
        };
        let scenarios = |paper: &Paper| {
            (
                paper.ledger.id.clone(),
                paper.kernel.iter().map(read).collect(),
            )
        };
        let papers: Vec<(String, Vec<Scenario>)> = papers
            .iter()
            .filter(|paper| !paper.kernel.is_empty())
            .map(scenarios)
            .collect();
        let ready = probe::check_permission()
            .map_err(Failure::from)
            .and_then(|()| onramp_lab::preflight().map_err(lab::failure));
        match ready {
            _ if papers.is_empty() => None,
            Ok(()) => Some(Lab { papers }),
            Err(lacks) => {
                eprintln!("note: nothing on this kernel: {lacks}");
                None
            }
        }
    }

    /// How many transfers there are, for a progress bar.
    pub fn steps(&self) -> usize {
        self.papers
            .iter()
            .flat_map(|(_, scenarios)| scenarios)
            .map(|scenario| scenario.cases.len())
            .sum()
    }

    /// Runs a paper's transfers. What fails is left out, with a note.
    pub fn run(&self, paper: &Paper, progress: &ProgressBar) -> Result<Option<OnKernel>, Stopped> {
        let Some((_, scenarios)) = self.papers.iter().find(|(id, _)| *id == paper.ledger.id) else {
            return Ok(None);
        };
        let cases: Vec<&Case> = scenarios
            .iter()
            .flat_map(|scenario| &scenario.cases)
            .collect();
        let all = cases.len();
        let cases = runs::leave_out(cases, |case| {
            onramp_sim::supports(case)
                .err()
                .map(|reason| reason.to_string())
        });
        let cases = match lab::without_missing(lab::without_unsupported(cases)) {
            Ok(cases) => cases,
            Err(failure) => {
                progress.suspend(|| eprintln!("note: nothing on this kernel: {failure}"));
                return Ok(None);
            }
        };
        progress.inc((all - cases.len()) as u64);
        let mut hosts = Hosts::new(paper.kernel_figures.is_some());
        let (mut rows, mut runs) = (Vec::<Row>::new(), Vec::new());
        for case in cases {
            progress.set_message(describe(case));
            match hosts.run(case) {
                Ok(both) => {
                    runs.extend_from_slice(&both[1]);
                    add(&mut rows, both);
                }
                Err(NoResult::Stopped) => return Err(Stopped),
                Err(NoResult::Ends(failure)) => {
                    progress.suspend(|| eprintln!("note: no more on this kernel: {failure}"));
                    break;
                }
                Err(NoResult::Failed(error)) => {
                    progress.suspend(|| eprintln!("failed: {}: {error}", describe(case)));
                }
            }
            progress.inc(1);
        }
        let figures = paper
            .kernel_figures
            .map_or_else(Vec::new, |draw| draw(&runs));
        Ok((!rows.is_empty()).then_some(OnKernel { rows, figures }))
    }
}

fn add(rows: &mut Vec<Row>, both: [Vec<Run>; 2]) {
    let [sim, kernel] = both.map(|runs| runs.into_iter().map(|run| run.record).collect::<Vec<_>>());
    match rows
        .iter_mut()
        .find(|row| what(&row.kernel[0]) == what(&kernel[0]))
    {
        Some(row) => {
            row.sim.extend(sim);
            row.kernel.extend(kernel);
        }
        None => rows.push(Row { sim, kernel }),
    }
}

fn what(record: &Record) -> (&str, &str, u64, &str, &str) {
    (
        &record.scenario,
        &record.receiver_buffer,
        record.size_bytes,
        &record.startup,
        &record.avoidance,
    )
}

const HEAD: [&str; 9] = [
    "scenario",
    "size",
    "start-up",
    "kernel, s",
    "simulator, s",
    "kernel, wasted RTTs",
    "simulator, wasted RTTs",
    "kernel, resent",
    "simulator, resent",
];

impl OnKernel {
    fn heading() -> String {
        format!("On today's kernel (Linux {})", probe::kernel_release())
    }

    /// For a terminal.
    pub fn text(&self, said: &[String], width: usize) -> String {
        let mut text = Self::heading() + "\n" + &wrapped(" ", 1, NOT_THE_PAPERS, width);
        for paragraph in said {
            text += &wrapped(" ", 1, paragraph, width);
        }
        let head = [
            "SCENARIO",
            "SIZE",
            "START-UP",
            "SECONDS",
            "WASTED RTTS",
            "RESENT",
        ]
        .map(str::to_owned)
        .to_vec();
        let row = |row: &Row| {
            let [scenario, size, startup, numbers @ ..] = self.cells(row);
            let pairs = numbers
                .chunks(2)
                .map(|pair| format!("{} / {}", pair[0], pair[1]));
            [scenario, size, startup].into_iter().chain(pairs).collect()
        };
        text += &columns(
            &std::iter::once(head)
                .chain(self.rows.iter().map(row))
                .collect::<Vec<_>>(),
        );
        text += &wrapped(" ", 1, &self.legend("Kernel / simulator. "), width);
        text
    }

    /// For a page.
    pub fn section(&self, said: &[String]) -> Section {
        let cells = |row: &Row| self.cells(row).map(PageCell::from).to_vec();
        let paragraphs = std::iter::once(NOT_THE_PAPERS).chain(said.iter().map(String::as_str));
        Section {
            heading: Self::heading(),
            paragraphs: paragraphs
                .map(str::to_owned)
                .chain([self.legend("")])
                .collect(),
            tables: vec![PageTable {
                caption: String::new(),
                head: HEAD.map(str::to_owned).to_vec(),
                rows: self.rows.iter().map(cells).collect(),
            }],
            figures: self.figures.iter().map(Figure::page_figure).collect(),
        }
    }

    /// Its receive buffer tells a row from others of its scenario where these have another one.
    fn cells(&self, row: &Row) -> [String; 9] {
        let record = &row.kernel[0];
        let mut cells = row.cells();
        let mut same = self
            .rows
            .iter()
            .map(|other| &other.kernel[0])
            .filter(|other| other.scenario == record.scenario);
        if same.any(|other| other.receiver_buffer != record.receiver_buffer) {
            cells[0] += &format!(", receive buffer {}", record.receiver_buffer);
        }
        cells
    }

    fn legend(&self, before: &str) -> String {
        let suspect = self.rows.iter().any(Row::is_suspect);
        let busy = if suspect {
            " †: this machine was busy, and the kernel's time may be off."
        } else {
            ""
        };
        format!(
            "{before}Medians of the copies of a transfer that ran at the same time. Wasted: round trips beyond the least \
             that a transfer alone could take. Resent: segments of all copies.{busy}"
        )
    }
}

impl Row {
    fn is_suspect(&self) -> bool {
        self.kernel.iter().any(|record| record.suspect)
    }

    fn cells(&self) -> [String; 9] {
        let record = &self.kernel[0];
        let copies = self
            .kernel
            .iter()
            .filter(|copy| copy.run == record.run)
            .count();
        let times = if copies > 1 {
            format!("{copies} x ")
        } else {
            String::new()
        };
        let mark = if self.is_suspect() { " †" } else { "" };
        let seconds = |records| {
            median_of(records, |record| record.completion_s).map(|seconds| format!("{seconds:.3}"))
        };
        let wasted = |records| {
            median_of(records, |record| record.excess_rtts).map(|rtts| format!("{rtts:.1}"))
        };
        let resent = |records: &[Record]| {
            records
                .iter()
                .map(|record| record.retransmitted_segments)
                .sum::<u64>()
        };
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        [
            record.scenario.clone(),
            format!("{times}{}", units::format_size(record.size_bytes)),
            format!("{} + {}{mark}", record.startup, record.avoidance),
            or_none(seconds(&self.kernel)),
            or_none(seconds(&self.sim)),
            or_none(wasted(&self.kernel)),
            or_none(wasted(&self.sim)),
            resent(&self.kernel).to_string(),
            resent(&self.sim).to_string(),
        ]
    }
}

/// The median; none where a value in the middle is missing: it lasted beyond the others.
fn median_of(records: &[Record], value: fn(&Record) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = records
        .iter()
        .map(|record| value(record).unwrap_or(f64::INFINITY))
        .collect();
    Some(median(&values)).filter(|median| median.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENARIO: &str = "name = \"two\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n\
                            [[transfer]]\nsize = \"1 MB\"\ncount = 2\nrepeat = 2\n";

    /// The copies of a run, completed after these times.
    fn copies(run: usize, times_s: [Option<f64>; 2]) -> Vec<Run> {
        let scenario = onramp_scenario::parse("two.toml", SCENARIO).unwrap();
        let record = |(copy, time_s): (usize, Option<f64>)| {
            let mut record = Record::of_copy(&scenario.cases[run], "kernel", copy as u32);
            if let Some(time_s) = time_s {
                record.complete(time_s);
            }
            record.retransmitted_segments = 3;
            Run {
                record,
                trace: None,
            }
        };
        times_s.into_iter().enumerate().map(record).collect()
    }

    #[test]
    fn copies_and_repeats_of_a_transfer_are_one_row() {
        let mut rows = Vec::new();
        for run in [0, 1] {
            let times_s = [Some(2.0 + run as f64), Some(4.0 + run as f64)];
            add(&mut rows, [copies(run, times_s), copies(run, times_s)]);
        }
        let [row] = &rows[..] else {
            panic!("{} rows", rows.len())
        };
        let cells = row.cells();
        assert_eq!(
            [&cells[1][..], &cells[3], &cells[7]],
            ["2 x 1 MB", "3.500", "12"]
        );
    }

    #[test]
    fn transfers_to_other_receive_buffers_are_rows_of_their_own() {
        let mut rows = Vec::new();
        for buffer in ["32 KiB", "1 MiB"] {
            let both = [0, 1].map(|_| {
                let mut runs = copies(0, [Some(2.0), Some(2.0)]);
                runs.iter_mut()
                    .for_each(|run| run.record.receiver_buffer = buffer.to_owned());
                runs
            });
            add(&mut rows, both);
        }
        let all = OnKernel {
            rows,
            figures: Vec::new(),
        };
        let names: Vec<String> = all
            .rows
            .iter()
            .map(|row| all.cells(row)[0].clone())
            .collect();
        assert_eq!(
            names,
            ["two, receive buffer 32 KiB", "two, receive buffer 1 MiB"]
        );
        let one = OnKernel {
            rows: all.rows.into_iter().take(1).collect(),
            figures: Vec::new(),
        };
        assert_eq!(one.cells(&one.rows[0])[0], "two");
    }

    #[test]
    fn where_half_are_unfinished_there_is_no_median() {
        let records: Vec<Record> = copies(0, [Some(2.0), None])
            .into_iter()
            .map(|run| run.record)
            .collect();
        assert_eq!(median_of(&records, |record| record.completion_s), None);
        assert_eq!(median_of(&[], |record| record.completion_s), None);
    }
}
