//! How long the transfers of a repetition take, without what the page draws of a run.

use crate::play::{checked, observed, parse};
use crate::refusal::Refusal;
use crate::watch::Progress;
use onramp_sim::observe::NoObserver;

/// The completion times of the cases of one repetition, in seconds and in the order of the cases:
/// those of the first measured transfer. `None`: it did not finish. `run` counts from 1 to the
/// `repeat` of the scenario.
///
/// # Errors
/// Those of [`play`](crate::play()), and a scenario without this repetition.
pub fn completion_times(
    text: &str,
    run: u32,
    report: &mut dyn FnMut(Progress) -> bool,
) -> Result<Vec<Option<f64>>, Refusal> {
    let mut scenario = parse(text)?;
    scenario.cases.retain(|case| case.run == run);
    let scenario = checked(scenario)?;
    if scenario.cases.is_empty() {
        let message = format!("the scenario has no repetition {run}");
        return Err(Refusal::new(message, Some("`repeat` says how many it has")));
    }
    let mut times = Vec::new();
    for (place, case) in scenario.cases.iter().enumerate() {
        let of = (place, scenario.cases.len());
        let (outcome, _) = observed(case, of, false, NoObserver, report)?;
        let first = outcome.records.first();
        times.push(first.and_then(|record| record.completion_s));
    }
    Ok(times)
}
