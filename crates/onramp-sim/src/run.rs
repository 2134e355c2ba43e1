//! Runs one case.

use crate::case::plan;
use crate::engine::{Engine, FinishedTransfer, RunResult};
use crate::observe::{NoObserver, Observer};
use crate::records::records;
use crate::trace::Tracer;
use crate::Error;
use onramp_net::LinkStats;
use onramp_results::{Record, Trace};
use onramp_scenario::Case;
use onramp_tcp::{Ensembles, Failure};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// How to run a case.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether to fill [`Outcome::traces`]. This takes memory per segment, up to a limit per flow,
    /// and changes nothing else but [`Counters::events`].
    pub trace: bool,
    /// Set this flag from any thread, for example on Ctrl-C: the run then ends within milliseconds
    /// with [`Error::Stopped`].
    pub stop: Arc<AtomicBool>,
    /// What TCP senders have learned of initial rates, and go on learning. `None`: each run begins
    /// with hosts that know nothing.
    pub known_rates: Option<Ensembles>,
}

/// The result of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The records of the measured transfers. The copies of the transfer come first and those of
    /// traffic follow, each in the order of their starts.
    pub records: Vec<Record>,
    /// The transfers that failed before the run ended: the index of the record, and the reason.
    pub failures: Vec<(usize, Failure)>,
    /// The traces of their connections, in the same order. Empty without [`Options::trace`].
    pub traces: Vec<Trace>,
    /// Number of traces that do not have every segment or ACK, because there were more than
    /// 100,000.
    pub decimated_traces: usize,
    /// Counters of the directed links: 2 n is link n of the scenario forward, and 2 n + 1 is link n
    /// in reverse.
    pub links: Vec<LinkStats>,
    /// Counters of the run.
    pub counters: Counters,
}

/// Counters of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Number of events that were processed. A run that is traced or observed has more of them.
    pub events: u64,
    /// Packets sent by hosts.
    pub packets: u64,
    /// Packets in flight at the end of the run.
    pub packets_in_flight: u64,
    /// Number of flows that started.
    pub flows: u32,
    /// Flows that had not ended at the end of the run.
    pub active_flows: u32,
    /// Simulated time at the end of the run.
    pub end_ns: u64,
}

/// Simulates a case. The same case gives the same outcome on every machine.
///
/// # Errors
/// If the case needs a feature that the simulator does not have, if its network is invalid, or if
/// the run was stopped.
pub fn run(case: &Case, options: &Options) -> Result<Outcome, Error> {
    run_observed(case, options, NoObserver).map(|(outcome, _)| outcome)
}

/// Simulates a case with an observer, which receives every event and cannot change the run.
///
/// # Errors
/// The same as [`run`].
pub fn run_observed<O: Observer>(
    case: &Case,
    options: &Options,
    observer: O,
) -> Result<(Outcome, O), Error> {
    let mut plan = plan(case)?;
    if let Some(known) = &options.known_rates {
        plan.share(known.with_no_connections());
    }
    if !options.trace {
        let (result, observer) = Engine::new(plan, observer)?.run(&options.stop)?;
        return Ok((outcome(case, &result, |_| None), observer));
    }
    let observers = (Tracer::default(), observer);
    let (result, (mut tracer, observer)) = Engine::new(plan, observers)?.run(&options.stop)?;
    let mut decimated_traces = 0;
    let trace = |finished: &FinishedTransfer| {
        let events = finished.startup.events.clone();
        let (trace, is_decimated) = tracer.take(finished.traced_flow, &case.network);
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

pub(crate) fn outcome(
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
