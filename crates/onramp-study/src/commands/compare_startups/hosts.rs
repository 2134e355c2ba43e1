//! The runs of a comparison, in the simulator and on the kernel.

use super::super::lab::{self, NoResult};
use super::super::runs::{self, describe};
use crate::startups::KernelStartups;
use onramp_cli::failure::{Failure, INTERRUPTED, MISSED};
use onramp_cli::text::count;
use onramp_cli::Answer;
use onramp_comparison::{Plan, Run};
use onramp_scenario::Case;
use onramp_sim::{Error, Options};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

/// Reasons why runs are left out, with the number of runs.
#[derive(Default)]
struct Reasons(BTreeMap<String, usize>);

impl Reasons {
    fn add(&mut self, reason: String) {
        *self.0.entry(reason).or_insert(0) += 1;
    }

    fn into_sentences(self) -> impl Iterator<Item = String> {
        let sentence = |(reason, runs)| format!("{reason}: {} left out", count(runs, "run"));
        self.0.into_iter().map(sentence)
    }
}

/// Simulates the runs of a plan. A run without a result is `None`; the reason is in `left_out`.
pub fn simulate(
    plan: &Plan,
    threads: Option<NonZeroUsize>,
    left_out: &mut Vec<String>,
    ending: &mut Answer,
) -> Vec<Option<Run>> {
    let cases = plan.cases();
    let threads = runs::threads(threads);
    let options = Options {
        stop: runs::stop_flag(),
        ..Options::default()
    };
    let progress = runs::progress(cases.len());
    let mut results = vec![None; cases.len()];
    let mut reasons = Reasons::default();
    let run = |index: usize| match onramp_sim::supports(&cases[index]) {
        Err(reason) => Err(reason.to_string()),
        Ok(()) => Ok(onramp_sim::run(&cases[index], &options)),
    };
    onramp_sim::run_all_with(cases.len(), threads, run, |index, outcome| {
        progress.set_message(describe(&cases[index]));
        match outcome {
            Ok(Ok(outcome)) => results[index] = Run::of(outcome.records),
            Ok(Err(Error::Stopped)) => {
                *ending = Ok(INTERRUPTED);
                return ControlFlow::Break(());
            }
            Ok(Err(error)) => {
                progress.suspend(|| eprintln!("failed: {}: {error}", describe(&cases[index])));
                *ending = Ok(MISSED);
            }
            Err(reason) => reasons.add(format!("simulator: {reason}")),
        }
        progress.inc(1);
        ControlFlow::Continue(())
    });
    progress.finish_and_clear();
    left_out.extend(reasons.into_sentences());
    results
}

/// Runs a plan between real sockets of this kernel, one run after the other.
///
/// # Errors
/// The names of this kernel's congestion controls cannot be read.
pub fn run_on_kernel(
    plan: &Plan,
    left_out: &mut Vec<String>,
    ending: &mut Answer,
) -> Result<Vec<Option<Run>>, Failure> {
    let cases = plan.cases();
    let registered = onramp_kernel::registered_names()?;
    let why_not = |case: &Case| {
        let avoidance = case.transfer.avoidance.name();
        let unsupported = onramp_lab::supports(case)
            .err()
            .map(|reason| reason.to_string());
        let is_missing = !registered.iter().any(|name| name == avoidance);
        unsupported.or_else(|| is_missing.then(|| format!("this kernel has no {avoidance}")))
    };
    let options = onramp_lab::RunOptions {
        stop: runs::stop_flag(),
        ..Default::default()
    };
    let mut startups = KernelStartups::new(false);
    let progress = runs::progress(cases.len());
    let mut results = vec![None; cases.len()];
    let mut reasons = Reasons::default();
    for (index, case) in cases.iter().enumerate() {
        progress.set_message(describe(case));
        progress.inc(1);
        if let Some(reason) = why_not(case) {
            reasons.add(format!("kernel: {reason}"));
            continue;
        }
        match lab::run_undisturbed(case, &mut startups, &options, lab::TRIES) {
            Ok((outcome, _)) => {
                let records = outcome.into_all().map(|(record, _)| record);
                results[index] = Run::of(records.collect());
            }
            Err(NoResult::Stopped) => {
                *ending = Ok(INTERRUPTED);
                break;
            }
            Err(NoResult::Ends(failure)) => {
                *ending = Err(failure);
                break;
            }
            Err(NoResult::Failed(error)) => {
                progress.suspend(|| eprintln!("failed: {}: {error}", describe(case)));
                *ending = Ok(MISSED);
            }
        }
    }
    progress.finish_and_clear();
    left_out.extend(reasons.into_sentences());
    Ok(results)
}
