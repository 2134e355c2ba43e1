//! A paper's scenarios on today's kernel, and in the simulator for comparison.

pub mod alone;
mod table;

use crate::commands::compare::Hosts;
use crate::commands::lab::{self, NoResult};
use crate::commands::runs::{self, describe};
use indicatif::ProgressBar;
use onramp_cli::failure::Failure;
use onramp_kernel::probe;
use onramp_papers::{Figure, Paper};
use onramp_report::Run;
use onramp_results::Record;
use onramp_scenario::{Case, Scenario};

/// The lab of this machine, and the scenarios of the papers for it.
pub struct Lab {
    /// The scenarios of each paper, by its id.
    papers: Vec<(String, Vec<Scenario>)>,
}

/// The user interrupted the runs.
pub struct Stopped;

/// The results of a paper's scenarios.
pub struct OnKernel {
    rows: Vec<Row>,
    pub figures: Vec<Figure>,
}

/// All copies and repeats of a transfer.
struct Row {
    sim: Vec<Record>,
    kernel: Vec<Record>,
}

impl OnKernel {
    /// The records of all transfers, in the simulator and on the kernel.
    fn records(&self) -> impl Iterator<Item = &Record> {
        self.rows
            .iter()
            .flat_map(|row| row.sim.iter().chain(&row.kernel))
    }
}

impl Lab {
    /// The lab, if this host can run it. Otherwise a note says what is missing.
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
            Err(failure) => {
                eprintln!("note: the runs on this kernel are left out: {failure}");
                None
            }
        }
    }

    /// The number of transfers, for a progress bar.
    pub fn steps(&self) -> usize {
        self.papers
            .iter()
            .flat_map(|(_, scenarios)| scenarios)
            .map(|scenario| scenario.cases.len())
            .sum()
    }

    /// Runs the transfers of a paper. Those that fail are left out, with a note.
    pub fn run(&self, paper: &Paper, progress: &ProgressBar) -> Result<Option<OnKernel>, Stopped> {
        let Some((_, scenarios)) = self.papers.iter().find(|(id, _)| *id == paper.ledger.id) else {
            return Ok(None);
        };
        let cases: Vec<&Case> = scenarios
            .iter()
            .flat_map(|scenario| &scenario.cases)
            .collect();
        let all = cases.len();
        let cases = runs::supported(cases, onramp_sim::supports);
        let cases = runs::supported(cases, onramp_lab::supports);
        let cases = match lab::without_missing(cases) {
            Ok(cases) => cases,
            Err(failure) => {
                progress
                    .suspend(|| eprintln!("note: the runs on this kernel are left out: {failure}"));
                return Ok(None);
            }
        };
        progress.inc((all - cases.len()) as u64);
        // Many repeats of a transfer stand in a row, where a suspect one is marked.
        let mut hosts = Hosts::new(paper.kernel_figures.is_some(), 1);
        let (mut rows, mut runs) = (Vec::<Row>::new(), Vec::new());
        for case in cases {
            progress.set_message(describe(case));
            match hosts.run(case) {
                Ok(both) => {
                    runs.extend_from_slice(&both.kernel);
                    add(&mut rows, [both.sim, both.kernel]);
                }
                Err(NoResult::Stopped) => return Err(Stopped),
                Err(NoResult::Ends(failure)) => {
                    progress.suspend(|| {
                        eprintln!("note: the other runs on this kernel are left out: {failure}")
                    });
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

/// Adds the results of a case to the row of its transfer.
fn add(rows: &mut Vec<Row>, both: [Vec<Run>; 2]) {
    let [sim, kernel] = both.map(|runs| runs.into_iter().map(|run| run.record).collect::<Vec<_>>());
    match rows
        .iter_mut()
        .find(|row| key(&row.kernel[0]) == key(&kernel[0]))
    {
        Some(row) => {
            row.sim.extend(sim);
            row.kernel.extend(kernel);
        }
        None => rows.push(Row { sim, kernel }),
    }
}

/// The properties that copies and repeats of a transfer share.
fn key(record: &Record) -> (&str, &str, &str, u64, &str, &str) {
    (
        &record.scenario,
        &record.queue,
        &record.receiver_buffer,
        record.size_bytes,
        &record.startup,
        &record.avoidance,
    )
}
