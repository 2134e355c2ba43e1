//! `onramp sim`: runs scenarios in the simulator.

mod tracing;

use super::runs::{self, describe};
use crate::cli::SimArguments;
use crate::commands::unwritten;
use onramp_cli::failure::{DONE, INTERRUPTED, MISSED};
use onramp_cli::text::{count, say};
use onramp_cli::Answer;
use onramp_report::Run;
use onramp_results::{Record, Trace};
use onramp_scenario::{Case, Scenario};
use onramp_sim::{Error, Options, Outcome};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use tracing::Tracing;

pub fn run(arguments: &SimArguments, json: bool) -> Answer {
    let scenarios = runs::read(&arguments.files)?;
    for note in scenarios.iter().filter_map(Scenario::note) {
        eprintln!("note: {note}");
    }
    let cases: Vec<&Case> = scenarios
        .iter()
        .flat_map(|scenario| &scenario.cases)
        .collect();
    let cases = if arguments.skip_missing {
        runs::supported(cases, onramp_sim::supports)
    } else {
        runs::check(&arguments.files, &scenarios, onramp_sim::supports)?;
        cases
    };
    if let Some(out) = &arguments.out {
        onramp_report::prepare(out).map_err(unwritten)?;
    }
    if let Some(figures) = &arguments.figures {
        onramp_report::prepare_files(figures, &["1-completion-times.svg"]).map_err(unwritten)?;
    }
    let tracing = Tracing::begin(arguments, &cases)?;

    let drawn = arguments.out.as_deref().or(arguments.figures.as_deref());
    let with_traces = runs::with_traces(drawn, arguments.traces, cases.len());
    let run = |index, case: &Case, options: &Options| tracing.run(index, case, options);
    let Simulated { runs, kept, ending } = simulate(&cases, arguments.threads, with_traces, run);
    let (traced, ending) = match tracing.finish(kept) {
        Ok(traced) => (traced, ending),
        Err(failure) => (None, Err(failure)),
    };
    let what = "Simulated transfers, the same on every machine.";
    let meta = |ending: &Answer| runs::meta("sim", what, &scenarios, ending);
    let ending = runs::conclude(&runs, ending, arguments.out.as_deref(), json, meta);
    if let Some(figures) = arguments.figures.as_deref().filter(|_| !runs.is_empty()) {
        let files = onramp_report::figure_files(&runs);
        onramp_report::write_files(figures, &files).map_err(unwritten)?;
        if !json {
            say!(
                "Figures: {} in {}",
                count(files.len(), "file"),
                figures.display()
            );
        }
    }
    if let Some(traced) = traced.filter(|_| !json) {
        say!("{traced}");
    }
    ending
}

/// The results of all cases.
pub struct Simulated<T> {
    pub runs: Vec<Run>,
    /// What `run` kept of each case, for example packet traces.
    pub kept: Vec<T>,
    pub ending: Answer,
}

/// Runs the cases on several threads, by `run`. `with_traces` is for the report.
pub fn simulate<T: Send>(
    cases: &[&Case],
    threads: Option<NonZeroUsize>,
    with_traces: bool,
    run: impl Fn(usize, &Case, &Options) -> Result<(Outcome, T), Error> + Sync,
) -> Simulated<T> {
    let options = Options {
        trace: with_traces,
        stop: runs::stop_flag(),
        ..Options::default()
    };
    let threads = runs::threads(threads);
    let progress = runs::progress(cases.len());
    let mut simulated = Simulated {
        runs: Vec::new(),
        kept: Vec::new(),
        ending: Ok(DONE),
    };
    let run = |index: usize| run(index, cases[index], &options);
    onramp_sim::run_all_with(cases.len(), threads, run, |index, outcome| {
        let case = cases[index];
        progress.set_message(describe(case));
        match outcome {
            Ok((outcome, traces)) => {
                for &(flow, failure) in &outcome.failures {
                    let transfer = describe_flow(case, &outcome.records, flow);
                    progress.suspend(|| eprintln!("failed: {transfer}: {failure}"));
                    simulated.ending = Ok(MISSED);
                }
                if outcome.decimated_traces > 0 {
                    let traces = count(outcome.decimated_traces, "trace");
                    progress.suspend(|| {
                        eprintln!(
                            "note: {}: {traces} thinned to limit their size",
                            describe(case)
                        )
                    });
                }
                simulated.runs.extend(runs_of(outcome, options.trace));
                simulated.kept.push(traces);
            }
            Err(Error::Stopped) => {
                simulated.ending = Ok(INTERRUPTED);
                return ControlFlow::Break(());
            }
            Err(error) => {
                progress.suspend(|| eprintln!("failed: {}: {error}", describe(case)));
                simulated.ending = Ok(MISSED);
            }
        }
        progress.inc(1);
        ControlFlow::Continue(())
    });
    progress.finish_and_clear();
    simulated
}

/// Describes a flow of a case in a line.
fn describe_flow(case: &Case, records: &[Record], index: usize) -> String {
    let record = &records[index];
    match records.len() {
        1 => describe(case),
        _ => format!("{}, {} {}", describe(case), record.role, record.flow),
    }
}

/// The results of a case, with their traces if there are any.
fn runs_of(outcome: Outcome, with_traces: bool) -> impl Iterator<Item = Run> {
    let traces: Vec<Option<Trace>> = match with_traces {
        true => outcome.traces.into_iter().map(Some).collect(),
        false => vec![None; outcome.records.len()],
    };
    outcome
        .records
        .into_iter()
        .zip(traces)
        .map(|(record, trace)| Run { record, trace })
}
