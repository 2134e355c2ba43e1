//! One case from beginning to end.

use crate::case::plan;
use crate::engine::{Engine, Finished, Ran};
use crate::observe::{NoObserver, Observer};
use crate::result;
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
    pub packets_under_way: u64,
    /// Flows that started.
    pub flows: u32,
    /// Flows that were under way at the end.
    pub flows_under_way: u32,
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
        let (ran, observer) = Engine::new(plan(case)?, observer)?.run(&options.stop)?;
        return Ok((outcome(case, &ran, |_| None), observer));
    }
    let observers = (Tracer::default(), observer);
    let (ran, (mut tracer, observer)) = Engine::new(plan(case)?, observers)?.run(&options.stop)?;
    let mut decimated_traces = 0;
    let trace = |finished: &Finished| {
        let events = finished.startup.events.clone();
        let (trace, is_thinned) = tracer.take(finished.traced_flow);
        decimated_traces += usize::from(is_thinned);
        Some(Trace { events, ..trace })
    };
    let outcome = outcome(case, &ran, trace);
    Ok((
        Outcome {
            decimated_traces,
            ..outcome
        },
        observer,
    ))
}

fn outcome(case: &Case, ran: &Ran, mut trace: impl FnMut(&Finished) -> Option<Trace>) -> Outcome {
    let (records, finished): (Vec<_>, Vec<_>) = result::records(case, ran).into_iter().unzip();
    Outcome {
        records,
        failures: (0..)
            .zip(&finished)
            .filter_map(|(place, finished)| Some((place, finished.failure?)))
            .collect(),
        traces: finished.into_iter().filter_map(&mut trace).collect(),
        decimated_traces: 0,
        links: ran.net.links.clone(),
        counters: Counters {
            events: ran.events,
            packets: ran.net.sent,
            packets_under_way: ran.net.under_way as u64,
            flows: ran.flows,
            flows_under_way: ran.flows_under_way,
            end_ns: ran.end_ns,
        },
    }
}
