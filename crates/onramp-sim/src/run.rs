//! One case from beginning to end.

use crate::case::plan;
use crate::engine::{Engine, FinishedTransfer, RunResult};
use crate::observe::{NoObserver, Observer};
use crate::records::records;
use crate::trace::Tracer;
use crate::Error;
use onramp_net::LinkStats;
use onramp_results::{Record, Trace};
use onramp_scenario::Case;
use onramp_tcp::Failure;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// How to run a case.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Fill [`Outcome::traces`]. It costs memory per segment, up to a bound per flow, and changes
    /// nothing else.
    pub trace: bool,
    /// Set it from anywhere, for example on Ctrl-C: the run ends with [`Error::Stopped`] within
    /// milliseconds.
    pub stop: Arc<AtomicBool>,
}

/// What a case answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The results of the measured transfers: first the copies of the transfer, then those of
    /// traffic, each in order of their starts.
    pub records: Vec<Record>,
    /// Those of them that gave up before the run ended, by their places there, and why.
    pub failures: Vec<(usize, Failure)>,
    /// How their connections moved, in the same order; empty without [`Options::trace`].
    pub traces: Vec<Trace>,
    /// Of so many of them not every segment or acknowledgement was kept: there were more than
    /// 100,000.
    pub decimated_traces: usize,
    /// What the directed links did: link n of the scenario forward is 2 n, its reverse 2 n + 1.
    pub links: Vec<LinkStats>,
    /// What it took.
    pub counters: Counters,
}

/// What a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Events.
    pub events: u64,
    /// Packets that hosts sent.
    pub packets: u64,
    /// Packets that were under way at the end.
    pub packets_in_flight: u64,
    /// Flows that started.
    pub flows: u32,
    /// Flows that were under way at the end.
    pub active_flows: u32,
    /// Time on the run's clock at its end.
    pub end_ns: u64,
}

/// Runs a case. The same case gives the same outcome, on every machine.
///
/// # Errors
/// The case asks for what the simulator does not have, or for what cannot be; or it was stopped.
pub fn run(case: &Case, options: &Options) -> Result<Outcome, Error> {
    run_observed(case, options, NoObserver).map(|(outcome, _)| outcome)
}

/// The same before the eyes of an observer, which sees everything and changes nothing.
///
/// # Errors
/// As [`run`].
pub fn run_observed<O: Observer>(
    case: &Case,
    options: &Options,
    observer: O,
) -> Result<(Outcome, O), Error> {
    if !options.trace {
        let (result, observer) = Engine::new(plan(case)?, observer)?.run(&options.stop)?;
        return Ok((outcome(case, &result, |_| None), observer));
    }
    let observers = (Tracer::default(), observer);
    let (result, (mut tracer, observer)) =
        Engine::new(plan(case)?, observers)?.run(&options.stop)?;
    let mut decimated_traces = 0;
    let trace = |finished: &FinishedTransfer| {
        let events = finished.startup.events.clone();
        let (trace, is_decimated) = tracer.take(finished.traced_flow);
        decimated_traces += usize::from(is_decimated);
        Some(Trace { events, ..trace })
    };
    let outcome = outcome(case, &result, trace);
    Ok((
        Outcome {
            decimated_traces,
            ..outcome
        },
        observer,
    ))
}

fn outcome(
    case: &Case,
    result: &RunResult,
    mut trace: impl FnMut(&FinishedTransfer) -> Option<Trace>,
) -> Outcome {
    let (records, finished): (Vec<_>, Vec<_>) = records(case, result).into_iter().unzip();
    Outcome {
        records,
        failures: (0..)
            .zip(&finished)
            .filter_map(|(place, finished)| Some((place, finished.failure?)))
            .collect(),
        traces: finished.into_iter().filter_map(&mut trace).collect(),
        decimated_traces: 0,
        links: result.net.links.clone(),
        counters: Counters {
            events: result.events,
            packets: result.net.sent,
            packets_in_flight: result.net.in_flight as u64,
            flows: result.flows,
            active_flows: result.active_flows,
            end_ns: result.end_ns,
        },
    }
}
