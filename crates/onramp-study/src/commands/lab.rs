//! `onramp lab`: runs scenarios with real sockets on this kernel.

use super::runs::{self, describe};
use crate::cli::LabArguments;
use crate::commands::unwritten;
use crate::recording::{self, Line, Writer};
use crate::startups::{KernelStartups, Recorded};
use onramp_cli::failure::{Failure, BAD_INPUT, DONE, HOST_LACKS, INTERRUPTED, MISSED};
use onramp_cli::text;
use onramp_cli::Answer;
use onramp_kernel::probe;
use onramp_lab::{Outcome, RunOptions};
use onramp_report::{Meta, Run};
use onramp_scenario::{Case, Scenario, Transport};

pub fn run(arguments: &LabArguments, json: bool) -> Answer {
    let scenarios = runs::read(&arguments.files)?;
    if !arguments.skip_missing {
        runs::check(&arguments.files, &scenarios, onramp_lab::supports)?;
    }
    if let Some(out) = &arguments.out {
        onramp_report::prepare(out).map_err(unwritten)?;
    }
    onramp_lab::preflight().map_err(failure)?;
    let cases: Vec<&Case> = scenarios
        .iter()
        .flat_map(|scenario| &scenario.cases)
        .collect();
    let cases = if arguments.skip_missing {
        without_missing(runs::supported(cases, onramp_lab::supports))?
    } else {
        cases
    };

    let recording = arguments
        .record
        .as_deref()
        .map(Writer::create)
        .transpose()?;
    let with_traces = runs::with_traces(arguments.out.as_deref(), arguments.traces, cases.len());
    let (runs, ending) = run_cases(cases, with_traces, recording);
    let what = "Transfers between real sockets of this kernel, over an emulated path.";
    runs::conclude(&runs, ending, arguments.out.as_deref(), json, |ending| {
        meta("lab", what, &scenarios, ending)
    })
}

/// Runs the cases one after the other. Returns the results, and how the runs ended.
fn run_cases(
    cases: Vec<&Case>,
    with_traces: bool,
    mut recording: Option<Writer>,
) -> (Vec<Run>, Answer) {
    let options = RunOptions {
        trace: with_traces,
        stop: runs::stop_flag(),
        ..RunOptions::default()
    };
    let mut startups = KernelStartups::new(recording.is_some());
    let progress = runs::progress(cases.len());
    let mut runs = Vec::new();
    let mut ending = Ok(DONE);
    for (transfer, case) in cases.into_iter().enumerate() {
        progress.set_message(describe(case));
        let result = onramp_lab::run(case, &mut startups, &options);
        let recorded = recording.as_mut().map_or(Ok(()), |recording| {
            record(recording, case, transfer, startups.take_recorded())
        });
        match result.map_err(no_result) {
            Ok(outcome) => {
                for note in &outcome.notes {
                    progress.suspend(|| eprintln!("note: {}: {note}", describe(case)));
                }
                let run = |(record, trace): (_, Option<_>)| Run {
                    record,
                    trace: trace.filter(|_| options.trace),
                };
                runs.extend(outcome.into_all().map(run));
            }
            Err(NoResult::Stopped) => {
                ending = Ok(INTERRUPTED);
                break;
            }
            Err(NoResult::Ends(failure)) => {
                ending = Err(failure);
                break;
            }
            Err(NoResult::Failed(error)) => {
                progress.suspend(|| eprintln!("failed: {}: {error}", describe(case)));
                ending = Ok(MISSED);
            }
        }
        if let Err(failure) = recorded {
            (ending, recording) = (Err(failure), None);
            break;
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    match startups.events_lost() {
        Ok(0) => {}
        Ok(events) => eprintln!("note: {}", text::lost_events(events)),
        Err(error) => eprintln!("note: the number of lost events is unknown: {error}"),
    }
    if let Some(Err(failure)) = recording.map(Writer::finish) {
        ending = Err(failure);
    }
    (runs, ending)
}

/// Writes the recorded events of a transfer.
fn record(
    recording: &mut Writer,
    case: &Case,
    transfer: usize,
    events: Vec<Recorded>,
) -> Result<(), Failure> {
    events
        .into_iter()
        .try_for_each(|(startup, parameters, event)| {
            recording.write(&Line {
                scenario: case.scenario.clone(),
                transfer,
                parameters: recording::parameters_at(&event, parameters, &startup),
                startup,
                event,
            })
        })
}

/// The metadata of a report with results of this kernel.
pub fn meta(command: &str, what: &str, scenarios: &[Scenario], ending: &Answer) -> Meta {
    Meta {
        kernel_release: probe::kernel_release(),
        cpus: std::thread::available_parallelism().map_or(1, |count| count.get()),
        ..runs::meta(command, what, scenarios, ending)
    }
}

/// Why a transfer has no result.
pub enum NoResult {
    /// The user interrupted it.
    Stopped,
    /// No other transfer would run either.
    Ends(Failure),
    /// It failed. Others may succeed.
    Failed(String),
}

pub fn no_result(error: onramp_lab::Error) -> NoResult {
    match error {
        onramp_lab::Error::Stopped => NoResult::Stopped,
        error if error.is_of_host() || matches!(error, onramp_lab::Error::Startup { .. }) => {
            NoResult::Ends(failure(error))
        }
        error => NoResult::Failed(error.to_string()),
    }
}

/// How often `compare` and `compare-startups` try a run that the machine disturbs.
pub const TRIES: u32 = 3;

/// Runs a case until the machine does not disturb it, at most so many times. Returns the last
/// outcome, and the number of tries.
pub fn run_undisturbed(
    case: &Case,
    startups: &mut KernelStartups,
    options: &RunOptions,
    max_tries: u32,
) -> Result<(Outcome, u32), NoResult> {
    let mut tries = 1;
    loop {
        let outcome = onramp_lab::run(case, startups, options).map_err(no_result)?;
        if !outcome.record.suspect || tries >= max_tries {
            return Ok((outcome, tries));
        }
        tries += 1;
    }
}

pub fn failure(error: impl Into<onramp_lab::Error>) -> Failure {
    use onramp_lab::Error::Startup;
    match error.into() {
        ref error @ Startup { ref source, .. }
            if source
                .downcast_ref::<onramp_kernel::Error>()
                .is_some_and(|e| e.is_bad_request()) =>
        {
            Failure::new(BAD_INPUT, error.to_string())
        }
        ref error @ Startup { ref source, .. }
            if source.downcast_ref::<onramp_kernel::Error>().is_none() =>
        {
            Failure::new(BAD_INPUT, error.to_string())
        }
        error => Failure::new(HOST_LACKS, error.to_string()),
    }
}

/// Leaves out the cases whose congestion avoidance this kernel does not have, with a note.
pub fn without_missing(cases: Vec<&Case>) -> Result<Vec<&Case>, Failure> {
    let registered = onramp_kernel::registered_names()?;
    let missing = |case: &Case| {
        let name = case.transfer.avoidance.name();
        let is_of_kernel = case.transfer.transport == Transport::Tcp;
        (is_of_kernel && !registered.iter().any(|registered| registered == name))
            .then(|| format!("this kernel has no {name}"))
    };
    Ok(runs::leave_out(cases, missing))
}
