//! Running a paper's scenarios: once for each seed, on all processors, and with the keys of an
//! alternative.

use crate::{Error, Settings, Watch};
use onramp_scenario::{Case, Scenario};
use onramp_sim::{run_all_with, run_observed, Outcome};
use std::ops::ControlFlow;

/// Options of a reproduction.
#[derive(Clone)]
pub struct Options<'a> {
    /// Number of seeds for each run with random events. A row's number is the median over them.
    pub seeds: usize,
    /// Number of seeds among which the paper's value is placed where a row misses. Not more than
    /// `seeds`: no row is.
    pub chance_seeds: usize,
    /// Runs at a time. The results do not depend on it.
    pub threads: usize,
    /// How to run a scenario, and when to stop.
    pub sim: onramp_sim::Options,
    /// Called after each part.
    pub progress: &'a (dyn Fn() + Sync),
}

/// Runs scenarios with the keys of an alternative.
pub struct Bench<'a> {
    options: &'a Options<'a>,
    scenarios: &'static [&'static str],
    alternative: Settings,
    seeds: usize,
}

/// A run with one seed.
#[derive(Debug)]
pub struct Run<'a> {
    /// What was run.
    pub case: &'a Case,
    /// The simulator's result.
    pub outcome: Outcome,
    /// The observed flows.
    pub watch: Watch,
}

impl<'a> Bench<'a> {
    /// A bench for a part that runs the scenarios of these names. The keys of `alternative`
    /// override all others.
    pub fn new(
        options: &'a Options<'a>,
        scenarios: &'static [&'static str],
        alternative: Settings,
    ) -> Bench<'a> {
        Bench {
            options,
            scenarios,
            alternative,
            seeds: options.seeds,
        }
    }

    /// The same bench with the seeds of [`Options::chance_seeds`].
    pub(crate) fn with_chance_seeds(self) -> Bench<'a> {
        Bench {
            seeds: self.options.chance_seeds,
            ..self
        }
    }

    /// Whether figures and tables are needed: not under an alternative, and not with more seeds.
    pub fn draws(&self) -> bool {
        self.alternative == Settings::default() && self.seeds == self.options.seeds
    }

    /// Number of seeds.
    pub fn seeds(&self) -> usize {
        self.seeds
    }

    /// As [`run`](Self::run), for one seed alone, for example to draw it.
    ///
    /// # Errors
    /// The simulator's.
    pub fn run_seed<T>(
        &self,
        scenario: &str,
        settings: &Settings,
        seed: usize,
        watch: &Watch,
        take: impl Fn(Run<'_>) -> T,
    ) -> Result<T, Error> {
        let scenario = self.scenario(scenario, settings);
        self.run_case(&scenario, seed, watch, &take)
    }

    /// Runs a scenario of one case with some of its keys set, once for each seed, and returns what
    /// `take` makes of each run, in the order of the seeds.
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
        let scenario = self.scenario(scenario, settings);
        self.run_all(self.seeds, |seed| {
            self.run_case(&scenario, seed, watch, &take)
        })
    }

    /// The results of `run` at each of `places`, in order.
    fn run_all<T: Send>(
        &self,
        places: usize,
        run: impl Fn(usize) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        let mut failure = None;
        run_all_with(places, self.options.threads, run, |_, taken| match taken {
            Ok(taken) => {
                all.push(taken);
                ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        });
        failure.map_or(Ok(all), Err)
    }

    /// Runs a scenario of one case once with each of these settings, with the first seed: the cells
    /// of a sweep without random events.
    ///
    /// # Errors
    /// The simulator's.
    pub fn run_cells<T: Send>(
        &self,
        scenario: &str,
        cells: &[Settings],
        watch: &Watch,
        take: impl Fn(Run<'_>) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        let scenarios: Vec<Scenario> = cells
            .iter()
            .map(|settings| self.scenario(scenario, settings))
            .collect();
        self.run_all(scenarios.len(), |place| {
            self.run_case(&scenarios[place], 0, watch, &take)
        })
    }

    fn scenario(&self, text: &str, settings: &Settings) -> Scenario {
        let seeds = Settings::of([("transfer.repeat", self.seeds as i64)]);
        let scenario = settings
            .clone()
            .and(&self.alternative)
            .and(&seeds)
            .apply(text);
        assert!(
            self.scenarios.contains(&&*scenario.name),
            "{} is none of {:?}",
            scenario.name,
            self.scenarios
        );
        assert_eq!(
            scenario.cases.len(),
            self.seeds,
            "{}: one case for each seed",
            scenario.name
        );
        scenario
    }

    fn run_case<T>(
        &self,
        scenario: &Scenario,
        seed: usize,
        watch: &Watch,
        take: &impl Fn(Run<'_>) -> T,
    ) -> Result<T, Error> {
        let case = &scenario.cases[seed];
        let (outcome, watch) =
            run_observed(case, &self.options.sim, watch.clone()).map_err(|error| {
                Error::Simulator {
                    scenario: scenario.name.clone(),
                    error,
                }
            })?;
        Ok(take(Run {
            case,
            outcome,
            watch,
        }))
    }
}
