//! Running a paper's scenarios: once for each seed, on all processors, and with the keys of an alternative.

use crate::{Error, Settings, Watch};
use onramp_scenario::Case;
use onramp_sim::{run_all_with, run_observed, Outcome};
use std::ops::ControlFlow;

/// How to reproduce.
#[derive(Clone)]
pub struct Options<'a> {
    /// Each run that chance has a part in is repeated with so many seeds; a row's number is the median.
    pub seeds: usize,
    /// Runs at a time; the results are the same.
    pub threads: usize,
    /// How to run a scenario, and when to stop.
    pub sim: onramp_sim::Options,
    /// Called after each part.
    pub progress: &'a (dyn Fn() + Sync),
}

/// Runs scenarios with the keys of an alternative.
pub struct Bench<'a> {
    options: &'a Options<'a>,
    alternative: Settings,
}

/// A run with one seed.
#[derive(Debug)]
pub struct Run<'a> {
    /// What was run.
    pub case: &'a Case,
    /// What it answered.
    pub outcome: Outcome,
    /// What was seen.
    pub watch: Watch,
}

impl<'a> Bench<'a> {
    /// With these options, and the keys of an alternative, which count more than any other.
    pub fn new(options: &'a Options<'a>, alternative: Settings) -> Bench<'a> {
        Bench { options, alternative }
    }

    /// Are figures wanted? Not those of the alternatives.
    pub fn draws(&self) -> bool {
        self.alternative == Settings::default()
    }

    /// How many seeds there are.
    pub fn seeds(&self) -> usize {
        self.options.seeds
    }

    /// Runs a scenario of one case with some of its keys set, once for each seed, and takes something of each run.
    ///
    /// # Errors
    /// The simulator's.
    pub fn run<T: Send>(
        &self,
        scenario: &str,
        settings: &Settings,
        watch: &Watch,
        take: impl Fn(Run<'_>) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        let seeds = Settings::of([("transfer.repeat", self.options.seeds as i64)]);
        let scenario = settings.clone().and(&self.alternative).and(&seeds).apply(scenario);
        let cases = &scenario.cases;
        assert_eq!(cases.len(), self.options.seeds, "{}: one case for each seed", scenario.name);
        let run = |place: usize| {
            let case: &Case = &cases[place];
            let (outcome, watch) = run_observed(case, &self.options.sim, watch.clone())?;
            let taken = take(Run { case, outcome, watch });
            Ok(taken)
        };
        let mut all = Vec::new();
        let mut failure = None;
        run_all_with(cases.len(), self.options.threads, run, |_, taken: Result<T, onramp_sim::Error>| match taken {
            Ok(taken) => {
                all.push(taken);
                ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Some(Error::Simulator { scenario: scenario.name.clone(), error });
                ControlFlow::Break(())
            }
        });
        failure.map_or(Ok(all), Err)
    }
}
