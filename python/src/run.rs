//! Runs scenarios in the simulator.

use crate::arrow::{self, batch, Row};
use crate::errors;
use crate::queue_delay::QueueDelays;
use crate::source::{read, Source};
use crate::table::Table;
use crate::watch::{threads, watched, Work};
use arrow_array::RecordBatch;
use onramp_results::{describe_case, Trace};
use onramp_scenario::{Case, Overrides};
use onramp_sim::{run, run_all_with, run_observed, Error, Options, Outcome};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::ops::ControlFlow;

/// A table is made of this many rows at a time.
const ROWS_AT_A_TIME: usize = 16_384;
/// The same of the samples of traces.
const SAMPLES_AT_A_TIME: usize = 1_000_000;
/// The maximum of `transfer.repeat`.
const MAX_REPEATS: usize = 1000;

/// The tables of senders, segments, events, queues and receivers.
type TraceTables = (Table, Table, Table, Table, Table);
/// The table of results, those of traces, and notes.
type Tables = (Table, Option<TraceTables>, Vec<String>);

/// Simulates the cases of scenarios. `seeds` are the seeds of the repeats, `repeat` is their number
/// where `seeds` is empty.
#[pyfunction]
#[pyo3(signature = (sources, *, repeat, seeds, threads, traces, progress))]
#[allow(clippy::too_many_arguments)]
pub fn simulate(
    py: Python<'_>,
    sources: Vec<Source>,
    repeat: Option<usize>,
    seeds: Vec<u64>,
    threads: Option<usize>,
    traces: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Tables> {
    let repeat = match seeds.len() {
        0 => repeat,
        number => Some(number),
    };
    let overrides = Overrides {
        repeat: repeat.map(repeats).transpose()?,
    };
    let scenarios = read(py, &sources, overrides)?;
    let (mut cases, mut notes) = (Vec::new(), Vec::new());
    for ((name, _), scenario) in sources.iter().zip(scenarios) {
        notes.extend(scenario.note());
        for case in scenario.cases {
            onramp_sim::supports(&case).map_err(|reason| {
                errors::unsupported(py, format!("{}: {reason}", name.display()))
            })?;
            cases.push(seeded(case, &seeds));
        }
    }
    let workers = self::threads(threads);
    let work = |work: &Work| run_cases(&cases, workers, traces, work);
    let mut collected = watched(py, cases.len(), progress.as_ref(), work)?
        .map_err(|text| errors::simulation(py, text))?;
    collected.notes.splice(..0, notes);
    Ok(py.detach(|| collected.tables(traces)))
}

fn repeats(number: usize) -> PyResult<NonZeroU32> {
    let number = u32::try_from(number).ok().and_then(NonZeroU32::new);
    number
        .filter(|number| number.get() as usize <= MAX_REPEATS)
        .ok_or_else(|| PyValueError::new_err(format!("give 1 to {MAX_REPEATS} seeds")))
}

/// The case with the seed of its repeat.
fn seeded(mut case: Case, seeds: &[u64]) -> Case {
    if let Some(seed) = seeds.get(case.run as usize - 1) {
        case.seed = *seed;
    }
    case
}

/// Runs all cases. The error is a sentence about the first case that could not be run.
fn run_cases(
    cases: &[Case],
    threads: usize,
    traces: bool,
    work: &Work,
) -> Result<Collected, String> {
    let options = Options {
        trace: traces,
        stop: work.stop.clone(),
        ..Options::default()
    };
    let run_one = |index: usize| {
        let case = &cases[index];
        match traces {
            false => run(case, &options).map(|outcome| (outcome, QueueDelays::default())),
            true => run_observed(case, &options, QueueDelays::default()),
        }
    };
    let mut collected = Collected::default();
    let mut ending = Ok(());
    run_all_with(cases.len(), threads, run_one, |index, outcome| {
        match outcome {
            Ok((outcome, delays)) => collected.add(&cases[index], outcome, delays),
            // The caller knows why it stopped.
            Err(Error::Stopped) => return ControlFlow::Break(()),
            Err(error) => {
                ending = Err(format!("{}: {error}", describe_case(&cases[index])));
                return ControlFlow::Break(());
            }
        }
        work.step();
        ControlFlow::Continue(())
    });
    ending.map(|()| collected)
}

/// Results as they come, and the tables that are made of them.
#[derive(Default)]
struct Collected {
    rows: Vec<Row>,
    traces: Vec<(u64, Trace)>,
    /// The queue's delays: number of the row, time, delay.
    delays: Vec<(u64, f64, f64)>,
    /// Number of samples in `traces` and `delays`.
    samples: usize,
    /// Number of rows in `rows` and `records`.
    count: u64,
    records: Vec<RecordBatch>,
    senders: Vec<RecordBatch>,
    segments: Vec<RecordBatch>,
    events: Vec<RecordBatch>,
    queues: Vec<RecordBatch>,
    receivers: Vec<RecordBatch>,
    notes: Vec<String>,
}

impl Collected {
    fn add(&mut self, case: &Case, outcome: Outcome, delays: QueueDelays) {
        let first = self.count;
        self.count += outcome.records.len() as u64;
        for of_row in delays.finish(outcome.records.len()) {
            let row = first + of_row.row as u64;
            let samples = of_row.samples.into_iter();
            self.delays
                .extend(samples.map(|(time_s, delay_s)| (row, time_s, delay_s)));
        }
        for (number, trace) in (first..).zip(outcome.traces) {
            self.samples += trace.sender.len() + trace.segments.len() + trace.receiver.len();
            self.traces.push((number, trace));
        }
        if outcome.decimated_traces > 0 {
            let (case, traces) = (describe_case(case), outcome.decimated_traces);
            self.notes.push(format!(
                "{case}: {traces} traces thinned to limit their size"
            ));
        }
        let mut failures: BTreeMap<usize, String> = outcome
            .failures
            .into_iter()
            .map(|(row, failure)| (row, failure.to_string()))
            .collect();
        let records = outcome.records.into_iter().enumerate();
        self.rows.extend(records.map(|(row, record)| Row {
            record,
            failure: failures.remove(&row),
        }));
        if self.rows.len() >= ROWS_AT_A_TIME {
            self.make_rows();
        }
        if self.samples >= SAMPLES_AT_A_TIME {
            self.make_traces();
        }
    }

    fn make_rows(&mut self) {
        self.records.push(arrow::records(&self.rows));
        self.rows.clear();
    }

    fn make_traces(&mut self) {
        self.senders.push(arrow::senders(&self.traces));
        self.segments.push(arrow::segments(&self.traces));
        self.events.push(arrow::events(&self.traces));
        self.receivers.push(arrow::receivers(&self.traces));
        let delays = &self.delays;
        self.queues.push(batch!(delays, sample => {
            record: sample.0,
            time_s: sample.1,
            queue_delay_s: sample.2,
        }));
        self.traces.clear();
        self.delays.clear();
        self.samples = 0;
    }

    fn tables(mut self, traces: bool) -> Tables {
        if self.records.is_empty() || !self.rows.is_empty() {
            self.make_rows();
        }
        if traces && (self.senders.is_empty() || !self.traces.is_empty()) {
            self.make_traces();
        }
        let traced = traces.then(|| {
            (
                Table::new(self.senders),
                Table::new(self.segments),
                Table::new(self.events),
                Table::new(self.queues),
                Table::new(self.receivers),
            )
        });
        (Table::new(self.records), traced, self.notes)
    }
}
