//! `onramp sim`.

mod tracing;

use super::runs::{self, describe};
use super::Answer;
use crate::cli::SimArguments;
use crate::failure::{Failure, BAD_INPUT, DONE, INTERRUPTED, MISSED};
use crate::text::{count, say};
use onramp_report::Run;
use onramp_results::{Record, Trace};
use onramp_scenario::{Case, Scenario};
use onramp_sim::{Error, Options, Outcome};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use tracing::Tracing;

pub fn run(arguments: &SimArguments, json: bool) -> Answer {
    let scenarios = runs::read(&arguments.files)?;
    let cases: Vec<&Case> = scenarios
        .iter()
        .flat_map(|scenario| &scenario.cases)
        .collect();
    let cases = if arguments.skip_missing {
        runs::leave_out(cases, |case| {
            onramp_sim::supports(case)
                .err()
                .map(|reason| reason.to_string())
        })
    } else {
        check(&arguments.files, &scenarios)?;
        cases
    };
    if let Some(out) = &arguments.out {
        onramp_report::prepare(out)?;
    }
    let tracing = Tracing::begin(arguments, &cases)?;

    let options = Options {
        trace: arguments.out.is_some(),
        stop: runs::stop_flag(),
    };
    let threads = arguments
        .threads
        .or_else(|| std::thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    let progress = runs::progress(cases.len());
    let mut done = Vec::new();
    let mut kept = Vec::new();
    let mut ending = Ok(DONE);
    let run = |place| tracing.run(place, cases[place], &options);
    onramp_sim::run_all_with(cases.len(), threads, run, |place, outcome| {
        progress.set_message(describe(cases[place]));
        match outcome {
            Ok((outcome, traces)) => {
                for &(place_in_case, failure) in &outcome.failures {
                    let transfer = describe_flow(cases[place], &outcome.records, place_in_case);
                    progress.suspend(|| eprintln!("failed: {transfer}: {failure}"));
                    ending = Ok(MISSED);
                }
                if outcome.decimated_traces > 0 {
                    let (case, traces) = (
                        describe(cases[place]),
                        count(outcome.decimated_traces, "trace"),
                    );
                    progress
                        .suspend(|| eprintln!("note: {case}: {traces} thinned, for want of room"));
                }
                done.extend(runs_of(outcome, options.trace));
                kept.push(traces);
            }
            Err(Error::Stopped) => {
                ending = Ok(INTERRUPTED);
                return ControlFlow::Break(());
            }
            Err(error) => {
                progress.suspend(|| eprintln!("failed: {}: {error}", describe(cases[place])));
                ending = Ok(MISSED);
            }
        }
        progress.inc(1);
        ControlFlow::Continue(())
    });
    progress.finish_and_clear();
    let (traced, ending) = match tracing.finish(kept) {
        Ok(traced) => (traced, ending),
        Err(failure) => (None, Err(failure)),
    };
    let what = "Simulated transfers, the same on every machine.";
    let meta = |ending: &Answer| runs::meta("sim", what, &scenarios, ending);
    let ending = runs::conclude(&done, ending, arguments.out.as_deref(), json, meta);
    if let Some(traced) = traced.filter(|_| !json) {
        say!("{traced}");
    }
    ending
}

/// What the simulator cannot run, before anything runs.
fn check(files: &[PathBuf], scenarios: &[Scenario]) -> Result<(), Failure> {
    for (file, scenario) in files.iter().zip(scenarios) {
        for case in &scenario.cases {
            onramp_sim::supports(case)
                .map_err(|error| Failure::new(BAD_INPUT, format!("{}: {error}", file.display())))?;
        }
    }
    Ok(())
}

/// One of a case's transfers in a line.
fn describe_flow(case: &Case, records: &[Record], place: usize) -> String {
    let record = &records[place];
    match records.len() {
        1 => describe(case),
        _ => format!("{}, {} {}", describe(case), record.role, record.flow),
    }
}

fn runs_of(outcome: Outcome, traced: bool) -> impl Iterator<Item = Run> {
    let traces: Vec<Option<Trace>> = match traced {
        true => outcome.traces.into_iter().map(Some).collect(),
        false => vec![None; outcome.records.len()],
    };
    outcome
        .records
        .into_iter()
        .zip(traces)
        .map(|(record, trace)| Run { record, trace })
}
