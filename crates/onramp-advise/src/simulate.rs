//! Simulates connections of a class: their first transfers alone, or all of them with the pauses
//! that the application made.

use crate::class::{steps, Class, Part, Step};
use onramp_results::Record;
use onramp_scenario::Case;
use onramp_sim::run_all_with;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// Connections of a class that are simulated, evenly chosen.
const SIMULATED: usize = 9;

/// How to judge.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Simulate on this many threads; 0: on one.
    pub threads: usize,
    /// Set this flag to stop.
    pub stop: Arc<AtomicBool>,
}

/// Why nothing was judged.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It was stopped.
    #[error("stopped")]
    Stopped,
    /// A class has no valid scenario.
    #[error("the scenario of a class is wrong: {0}")]
    Scenario(#[from] onramp_scenario::Error),
    /// The simulator refuses a scenario.
    #[error("the simulator refuses the scenario of a class: {0}")]
    Simulator(onramp_sim::Error),
}

/// The connections that are simulated.
pub(crate) struct Chosen {
    /// Their transfers.
    steps: Vec<Vec<Step>>,
    /// The real time of their transfers of the class's part.
    pub times_s: Vec<f64>,
}

impl Chosen {
    pub fn of(class: &Class) -> Chosen {
        let step = class.connections.len().div_ceil(SIMULATED).max(1);
        let chosen = || class.connections.iter().step_by(step);
        let time_s = |seen| class.part.of(seen).iter().map(|one| one.time_s).sum();
        Chosen {
            steps: chosen().map(|seen| steps(class.part, seen)).collect(),
            times_s: chosen().map(time_s).collect(),
        }
    }
}

/// A simulated connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Simulated {
    /// The time of its transfers of the class's part.
    pub time_s: f64,
    /// Segments that these retransmitted.
    pub resent: f64,
    /// Share of the segments of the whole connection that were retransmitted.
    pub resent_share: f64,
}

/// The time that a sender sees, from the first segment of the connection to the last ACK.
fn sender_time_s(record: &Record, accepted: bool) -> f64 {
    // The record counts from the connect to the last byte at the receiver. Before the first segment
    // of an accepted connection are the handshake and the request, otherwise the handshake alone.
    let before_rtts = if accepted { 1.5 } else { 1.0 };
    let completion_s = record.completion_s.unwrap_or(f64::INFINITY);
    completion_s - (before_rtts - 0.5) * record.rtt_ms / 1e3
}

/// Simulates the chosen connections, with a case of each changed by `with`.
pub(crate) fn simulate(
    class: &Class,
    chosen: &Chosen,
    with: impl Fn(Case) -> Case + Sync,
    options: &Options,
) -> Result<Vec<Simulated>, Error> {
    let mut results = Ok(Vec::with_capacity(chosen.steps.len()));
    run_all_with(
        chosen.steps.len(),
        options.threads,
        |index| {
            connection(
                class,
                index as u64 + 1,
                &chosen.steps[index],
                &with,
                options,
            )
        },
        |_, outcome| match (&mut results, outcome) {
            (Ok(all), Ok(one)) => {
                all.push(one);
                ControlFlow::Continue(())
            }
            (_, outcome) => {
                results = outcome.map(|_| Vec::new());
                ControlFlow::Break(())
            }
        },
    );
    results
}

/// A connection. A transfer begins its pause after the end of the transfer before, which the
/// simulator tells by the time of the transfers until then: each is simulated with all before it.
fn connection(
    class: &Class,
    seed: u64,
    steps: &[Step],
    with: impl Fn(Case) -> Case,
    options: &Options,
) -> Result<Simulated, Error> {
    let run = onramp_sim::Options {
        stop: Arc::clone(&options.stop),
        ..onramp_sim::Options::default()
    };
    let mut writes = Vec::with_capacity(steps.len());
    let (mut end_s, mut time_s, mut first_resent, mut resent) = (0.0, 0.0, 0.0, 0.0);
    for (place, step) in steps.iter().enumerate() {
        let start_s = if place == 0 {
            0.0
        } else {
            end_s + step.pause_s
        };
        writes.push((step.bytes, start_s));
        let case = class.case(&writes).expect("its control is known")?;
        let outcome = onramp_sim::run(&with(Case { seed, ..case }), &run);
        let outcome = outcome.map_err(|error| match error {
            onramp_sim::Error::Stopped => Error::Stopped,
            error => Error::Simulator(error),
        })?;
        let record = &outcome.records[0];
        end_s = sender_time_s(record, class.accepted);
        if place == 0 {
            first_resent = record.retransmitted_segments as f64;
        }
        resent = record.retransmitted_segments as f64;
        if class.part == Part::First || place > 0 {
            time_s += end_s - start_s;
        }
    }
    let bytes: u64 = steps.iter().map(|step| step.bytes).sum();
    let segments = bytes as f64 / f64::from(class.path.mss_bytes);
    Ok(Simulated {
        time_s,
        resent: match class.part {
            Part::First => resent,
            Part::Later => resent - first_resent,
        },
        resent_share: resent / segments.max(1.0),
    })
}
