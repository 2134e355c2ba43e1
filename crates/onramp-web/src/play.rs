//! Runs a scenario for the page.

use crate::columns::Table;
use crate::drawn_path::DrawnPath;
use crate::facts::{CaseFacts, FlowFacts, RunFacts};
use crate::recorder::{Recorder, Recording, MAX_PACKETS};
use crate::refusal::{Fault, Refusal};
use crate::transfer::PlayedTransfer;
use crate::watch::{Progress, Watch};
use onramp_results::{describe_case, Record};
use onramp_scenario::{Case, Scenario, Transport};
use onramp_sim::observe::Observer;
use onramp_sim::{run_observed, Error, Options, Outcome};
use serde::Serialize;
use std::collections::BTreeMap;

/// Cases of a scenario on the page: it has colours and markers for so many.
pub const MAX_CASES: usize = 6;

/// The name of the scenario in messages.
const FILE_NAME: &str = "scenario.toml";

/// Where larger scenarios run.
const ON_THE_COMMAND_LINE: &str = "run it on the command line: onramp sim FILE";

/// A scenario that was run.
#[derive(Clone, Debug)]
pub struct PlayedRun {
    /// What is not of one case.
    pub facts: RunFacts,
    /// The cases.
    pub cases: Vec<PlayedCase>,
}

/// A case that was run.
#[derive(Clone, Debug)]
pub struct PlayedCase {
    /// What is no table.
    pub facts: CaseFacts,
    /// The measured transfers, as in the records.
    pub transfers: Vec<PlayedTransfer>,
    /// Packets on the drawn path.
    pub packets: Table,
    /// The queue of the bottleneck.
    pub queue: Table,
}

/// The answer of [`check`].
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Why the scenario cannot run here.
    pub faults: Vec<Fault>,
    /// Its cases; 0 with faults.
    pub cases: usize,
    /// Its name.
    pub name: String,
}

/// Reads a scenario and checks that it can run on the page.
pub fn check(text: &str) -> Check {
    match read(text) {
        Ok(scenario) => Check {
            faults: Vec::new(),
            cases: scenario.cases.len(),
            name: scenario.name,
        },
        Err(Refusal(faults)) => Check {
            faults,
            cases: 0,
            name: String::new(),
        },
    }
}

/// Simulates all cases of a scenario. `report` receives the progress, and returns whether the run
/// may go on.
///
/// # Errors
/// The scenario has mistakes, asks for what the page does not have, or exceeds a limit.
pub fn play(text: &str, report: &mut dyn FnMut(Progress) -> bool) -> Result<PlayedRun, Refusal> {
    let scenario = read(text)?;
    let mut records: Vec<Record> = Vec::new();
    let mut warnings = Vec::new();
    let mut cases = Vec::new();
    for (place, case) in scenario.cases.iter().enumerate() {
        let of = (place, scenario.cases.len());
        let (played, own) = play_case(case, of, records.len(), &mut warnings, report)?;
        cases.push(played);
        records.extend(own);
    }
    Ok(PlayedRun {
        facts: RunFacts {
            name: scenario.name,
            description: scenario.description,
            records_json: onramp_report::to_json(&records),
            warnings,
        },
        cases,
    })
}

/// Reads a scenario whose cases can all run here.
pub(crate) fn read(text: &str) -> Result<Scenario, Refusal> {
    checked(parse(text)?)
}

/// Reads a scenario, also one with more cases than the page runs at once.
pub(crate) fn parse(text: &str) -> Result<Scenario, Refusal> {
    Ok(onramp_scenario::parse(FILE_NAME, text)?)
}

/// The scenario if its cases can all run here.
pub(crate) fn checked(scenario: Scenario) -> Result<Scenario, Refusal> {
    let cases = scenario.cases.len();
    if cases > MAX_CASES {
        return Err(Refusal::new(
            format!("the scenario has {cases} cases; the page runs at most {MAX_CASES}"),
            Some("shorten its lists or `repeat`, or run it on the command line: onramp sim FILE"),
        ));
    }
    for case in &scenario.cases {
        if case.transfer.transport == Transport::Quic {
            let message = "`transfer.transport` asks for `quic`, which the page does not have";
            return Err(Refusal::new(message, Some(ON_THE_COMMAND_LINE)));
        }
        onramp_sim::supports(case).map_err(|error| Refusal::new(error.to_string(), None))?;
    }
    Ok(scenario)
}

/// Runs one case. `first_record` is the number of records before it.
fn play_case(
    case: &Case,
    of: (usize, usize),
    first_record: usize,
    warnings: &mut Vec<String>,
    report: &mut dyn FnMut(Progress) -> bool,
) -> Result<(PlayedCase, Vec<Record>), Refusal> {
    let Some(path) = DrawnPath::of(case) else {
        let error = run_observed(case, &Options::default(), onramp_sim::observe::NoObserver);
        let message = error
            .err()
            .map_or("no path".to_owned(), |error| error.to_string());
        return Err(Refusal::new(message, None));
    };
    let (outcome, recorder) = observed(case, of, true, Recorder::new(&path), report)?;
    let recording = recorder.finish();
    warnings.extend(warnings_of(case, &outcome, &recording));
    Ok(assemble(case, &path, first_record, outcome, recording))
}

/// Runs a case with an observer.
pub(crate) fn observed<O: Observer>(
    case: &Case,
    of: (usize, usize),
    with_traces: bool,
    observer: O,
    report: &mut dyn FnMut(Progress) -> bool,
) -> Result<(Outcome, O), Refusal> {
    let mut watch = Watch::new(case, of, report);
    let options = Options {
        trace: with_traces,
        stop: watch.stop_flag(),
        ..Options::default()
    };
    match run_observed(case, &options, (observer, &mut watch)) {
        Ok((outcome, (observer, _))) => Ok((outcome, observer)),
        Err(Error::Stopped) => Err(watch.refusal()),
        Err(error) => Err(Refusal::new(error.to_string(), None)),
    }
}

fn warnings_of(case: &Case, outcome: &Outcome, recording: &Recording) -> Vec<String> {
    let title = describe_case(case);
    let mut warnings = Vec::new();
    for &(place, failure) in &outcome.failures {
        let record = &outcome.records[place];
        warnings.push(match outcome.records.len() {
            1 => format!("{title}: the transfer failed: {failure}"),
            _ => format!(
                "{title}, {} {}: it failed: {failure}",
                record.role, record.flow
            ),
        });
    }
    if recording.packet_interval > 1 {
        warnings.push(format!(
            "{title}: one of {} packets is drawn, because there are more than {MAX_PACKETS}",
            recording.packet_interval
        ));
    }
    if outcome.decimated_traces > 0 {
        warnings.push(format!(
            "{title}: the lines over time are thinned to limit their size"
        ));
    }
    warnings
}

fn assemble(
    case: &Case,
    path: &DrawnPath,
    first_record: usize,
    outcome: Outcome,
    recording: Recording,
) -> (PlayedCase, Vec<Record>) {
    let end_s = outcome.counters.end_ns as f64 / 1e9;
    let mut places = BTreeMap::new();
    let mut started = recording.transfers.into_iter();
    let mut next = started.next();
    let mut transfers = Vec::with_capacity(outcome.records.len());
    for (place, record) in outcome.records.iter().enumerate() {
        // A transfer that did not start has a record, and nothing was recorded.
        let is_own = next.as_ref().is_some_and(|recorded| {
            recorded.start.traffic.is_none() == (record.role == onramp_results::TRANSFER)
                && recorded.start.time_ns as f64 / 1e9 == record.start_s
        });
        let recorded = if is_own { next.take() } else { None };
        if let Some(recorded) = &recorded {
            places.insert(recorded.start.flow, place);
            next = started.next();
        }
        let traffic = recorded
            .as_ref()
            .and_then(|recorded| recorded.start.traffic);
        let startup = traffic
            .and_then(|number| case.traffic[number as usize].transfers())
            .map_or(&case.transfer.startup, |transfers| &transfers.startup);
        transfers.push(PlayedTransfer::new(
            first_record + place,
            record,
            startup,
            &outcome.traces[place],
            recorded,
            end_s,
        ));
    }
    let flows = recording.flows.iter().map(|flow| FlowFacts {
        number: flow.flow,
        transfer: places.get(&flow.transfer).map_or(-1, |place| *place as i64),
        start_s: flow.time_ns as f64 / 1e9,
    });
    let played = PlayedCase {
        facts: CaseFacts {
            end_s,
            flows: flows.collect(),
            packet_interval: recording.packet_interval,
            ..CaseFacts::of(case, path)
        },
        transfers,
        packets: recording.packets,
        queue: recording.queue,
    };
    (played, outcome.records)
}
