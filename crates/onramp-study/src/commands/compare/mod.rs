//! `onramp compare`: run the same cases in the simulator and on this machine's kernel.

mod table;

use super::lab::{self, NoResult};
use super::runs::{self, describe};
use crate::cli::CompareArguments;
use crate::commands::unwritten;
use crate::startups::KernelStartups;
use onramp_cli::failure::{Failure, BAD_INPUT, DONE, INTERRUPTED, MISSED};
use onramp_cli::text::say;
use onramp_cli::{print_json, Answer};
use onramp_lab::Comparison;
use onramp_report::Run;
use onramp_results::Record;
use onramp_scenario::{Case, Scenario};

pub fn run(arguments: &CompareArguments, json: bool) -> Answer {
    let scenarios = runs::read(&arguments.files)?;
    let cases = supported_by_both(&scenarios)?;
    if let Some(out) = &arguments.out {
        onramp_report::prepare(out).map_err(unwritten)?;
    }
    onramp_lab::preflight().map_err(lab::failure)?;
    let cases = lab::without_missing(cases)?;

    let with_traces = runs::with_traces(arguments.out.as_deref(), arguments.traces, cases.len());
    let Compared {
        comparisons,
        runs,
        ending,
    } = compare(cases, arguments.within, with_traces);
    if let Some(out) = arguments.out.as_deref().filter(|_| !runs.is_empty()) {
        let what = "The same transfers in the simulator and between real sockets of this kernel.";
        let meta = lab::meta("compare", what, &scenarios, &ending);
        let written = onramp_report::write(out, &meta, &runs).map_err(unwritten)?;
        if !json {
            say!("Report: {}", written.report.display());
        }
    }
    match json {
        true => print_json(&comparisons),
        false => table::print(&comparisons, arguments.within),
    }
    ending
}

/// The cases that the simulator and the lab support. The others are left out with a note.
fn supported_by_both(scenarios: &[Scenario]) -> Result<Vec<&Case>, Failure> {
    let cases = scenarios
        .iter()
        .flat_map(|scenario| &scenario.cases)
        .collect();
    let cases = runs::supported(cases, onramp_sim::supports);
    let cases = runs::supported(cases, onramp_lab::supports);
    if cases.is_empty() {
        return Err(Failure::new(
            BAD_INPUT,
            "neither the simulator nor the lab can run any of these transfers: see the notes above"
                .to_owned(),
        ));
    }
    Ok(cases)
}

/// All cases on both hosts.
struct Compared {
    comparisons: Vec<Comparison>,
    runs: Vec<Run>,
    ending: Answer,
}

fn compare(cases: Vec<&Case>, within_percent: f64, with_traces: bool) -> Compared {
    let mut hosts = Hosts::new(with_traces, lab::TRIES);
    let progress = runs::progress(cases.len());
    let mut compared = Compared {
        comparisons: Vec::new(),
        runs: Vec::new(),
        ending: Ok(DONE),
    };
    for case in cases {
        progress.set_message(describe(case));
        match hosts.run(case) {
            Ok(OnBoth { sim, kernel, tries }) => {
                let [sim_records, kernel_records] = [records(&sim), records(&kernel)];
                let comparison =
                    Comparison::new(case, &sim_records, &kernel_records, within_percent);
                let comparison = Comparison {
                    tries,
                    ..comparison
                };
                if !comparison.sim.finished {
                    progress.suspend(|| {
                        eprintln!("failed: {}: the simulated sender gave up", describe(case))
                    });
                }
                if !comparison.sim.finished || comparison.misses() {
                    compared.ending = Ok(MISSED);
                }
                compared.comparisons.push(comparison);
                compared.runs.extend(sim.into_iter().chain(kernel));
            }
            Err(NoResult::Stopped) => {
                compared.ending = Ok(INTERRUPTED);
                break;
            }
            Err(NoResult::Ends(failure)) => {
                compared.ending = Err(failure);
                break;
            }
            Err(NoResult::Failed(error)) => {
                progress.suspend(|| eprintln!("failed: {}: {error}", describe(case)));
                compared.ending = Ok(MISSED);
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    compared
}

fn records(runs: &[Run]) -> Vec<&Record> {
    runs.iter().map(|run| &run.record).collect()
}

/// The copies of a transfer in the simulator, and on the kernel.
pub struct OnBoth {
    pub sim: Vec<Run>,
    pub kernel: Vec<Run>,
    /// How often the kernel ran it: a run that the machine disturbs is repeated.
    pub tries: u32,
}

/// The simulator and this kernel.
pub struct Hosts {
    sim: onramp_sim::Options,
    lab: onramp_lab::RunOptions,
    startups: KernelStartups,
    max_tries: u32,
}

impl Hosts {
    /// Both hosts; SIGINT and SIGTERM stop their runs. The kernel runs a case so many times at
    /// most, until the machine does not disturb it.
    pub fn new(with_traces: bool, max_tries: u32) -> Hosts {
        Hosts {
            max_tries,
            sim: onramp_sim::Options {
                trace: with_traces,
                stop: runs::stop_flag(),
                ..onramp_sim::Options::default()
            },
            lab: onramp_lab::RunOptions {
                trace: with_traces,
                stop: runs::stop_flag(),
                ..Default::default()
            },
            startups: KernelStartups::new(false),
        }
    }

    /// The copies of the transfer in the simulator, and on the kernel.
    pub fn run(&mut self, case: &Case) -> Result<OnBoth, NoResult> {
        let simulated = onramp_sim::run(case, &self.sim).map_err(|error| match error {
            onramp_sim::Error::Stopped => NoResult::Stopped,
            error => NoResult::Ends(Failure::new(BAD_INPUT, error.to_string())),
        })?;
        let (real, tries) =
            lab::run_undisturbed(case, &mut self.startups, &self.lab, self.max_tries)?;
        let mut sim_traces = simulated.traces.into_iter();
        let sim = simulated.records.into_iter().map(|record| Run {
            record,
            trace: sim_traces.next(),
        });
        let with_traces = self.lab.trace;
        let kernel = real.into_copies().map(|(record, trace)| Run {
            record,
            trace: with_traces.then_some(trace),
        });
        Ok(OnBoth {
            sim: sim.take(case.transfer.count as usize).collect(),
            kernel: kernel.collect(),
            tries,
        })
    }
}
