//! Running a paper's scenarios: once for each seed, on all processors, and with the keys of an
//! alternative.

use crate::memo::Memo;
use crate::{Error, Flow, Settings, Watch};
use onramp_scenario::{Case, Scenario};
use onramp_sim::{run_observed, Beginning, Outcome};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::collections::BTreeSet;

/// Options of a reproduction.
#[derive(Clone)]
pub struct Options<'a> {
    /// Number of seeds for each run with random events.
    pub seeds: usize,
    /// Draws other seeds than those of the scenarios' own files.
    pub other_seeds: Option<OtherSeeds<'a>>,
    /// Runs at a time. The results do not depend on it. A [`Bench`] of one's own uses the rayon
    /// pool in which it is called.
    pub threads: usize,
    /// How to run a scenario, and when to stop.
    pub sim: onramp_sim::Options,
    /// Called after each part.
    pub progress: &'a (dyn Fn() + Sync),
}

/// Other seeds than those of the scenarios' own files.
#[derive(Clone, Copy)]
pub struct OtherSeeds<'a> {
    /// The `seed` of all scenarios.
    pub seed: i64,
    /// Only the parts that have one of these rows are measured.
    pub rows: &'a BTreeSet<String>,
}

/// Runs scenarios with the keys of an alternative.
pub struct Bench<'a> {
    options: &'a Options<'a>,
    scenarios: Vec<String>,
    alternative: Settings,
    seeds: usize,
    memo: Option<&'a Memo>,
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

impl Run<'_> {
    /// The transfer, which is none of the traffic.
    pub fn transfer(&self) -> &Flow {
        let mut flows = self.watch.flows.iter();
        let transfer = flows.find(|flow| flow.traffic.is_none());
        transfer.expect("the transfer has begun")
    }
}

impl<'a> Bench<'a> {
    /// A bench for a part that runs the scenarios of these names. The keys of `alternative`
    /// override all others.
    pub fn new(
        options: &'a Options<'a>,
        scenarios: &[impl AsRef<str>],
        alternative: Settings,
    ) -> Bench<'a> {
        Bench {
            options,
            scenarios: scenarios
                .iter()
                .map(|name| name.as_ref().to_owned())
                .collect(),
            alternative,
            seeds: options.seeds,
            memo: None,
        }
    }

    /// The same bench with this many seeds.
    pub(crate) fn with_seeds(self, seeds: usize) -> Bench<'a> {
        Bench { seeds, ..self }
    }

    /// The same bench with results that it shares with others.
    pub(crate) fn sharing(self, memo: &'a Memo) -> Bench<'a> {
        Bench {
            memo: Some(memo),
            ..self
        }
    }

    /// Whether figures and tables are needed: not under an alternative, and not with other seeds.
    pub fn draws(&self) -> bool {
        self.alternative == Settings::default() && self.options.other_seeds.is_none()
    }

    /// What an alternative measures, by its key `measure.KEY`; `None` as decided.
    pub fn measure(&self, key: &str) -> Option<&str> {
        self.alternative.measure(key)
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
        run: impl Fn(usize) -> Result<T, Error> + Sync + Send,
    ) -> Result<Vec<T>, Error> {
        (0..places).into_par_iter().map(run).collect()
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

    /// As [`run_cells`](Self::run_cells), for one seed or all: a case that another measurement has
    /// run already, with the same type of result, is not run again.
    ///
    /// # Errors
    /// The simulator's.
    pub fn run_cells_once<T: Clone + Send + Sync + 'static>(
        &self,
        scenario: &str,
        cells: &[Settings],
        seeds: usize,
        watch: &Watch,
        take: fn(&Run<'_>) -> T,
    ) -> Result<Vec<Vec<T>>, Error> {
        let scenarios: Vec<Scenario> = cells
            .iter()
            .map(|settings| self.scenario(scenario, settings))
            .collect();
        let cells = scenarios.len();
        // Runs that share a beginning are neighbours, so that few threads wait for the same one.
        let run = |place: usize| {
            let (scenario, seed) = (&scenarios[place % cells], place / cells);
            match self.memo {
                None => self.run_case(scenario, seed, watch, &|run| take(&run)),
                Some(memo) => memo.get(&scenario.cases[seed], || {
                    self.run_case_sharing(memo, scenario, seed, watch, take)
                }),
            }
        };
        let all = self.run_all(seeds * cells, run)?;
        let of_cell = |cell| all.iter().skip(cell).step_by(cells).cloned().collect();
        Ok((0..cells).map(of_cell).collect())
    }

    fn scenario(&self, text: &str, settings: &Settings) -> Scenario {
        let repeat = ("transfer.repeat", self.seeds as i64);
        let other = self.options.other_seeds.map(|other| ("seed", other.seed));
        let seeds = Settings::of([repeat].into_iter().chain(other));
        let scenario = settings
            .clone()
            .and(&self.alternative)
            .and(&seeds)
            // Simulators of the papers' time have no other hosts.
            .and(&Settings::of([("run.hosts", "exact")]))
            .apply(text);
        assert!(
            self.scenarios.contains(&scenario.name),
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

    /// Runs a case from the beginning that it shares with others, if there is one.
    fn run_case_sharing<T>(
        &self,
        memo: &Memo,
        scenario: &Scenario,
        seed: usize,
        watch: &Watch,
        take: fn(&Run<'_>) -> T,
    ) -> Result<T, Error> {
        let (case, sim) = (&scenario.cases[seed], &self.options.sim);
        let Some(beginning) = memo.beginning(case, watch) else {
            return self.run_case(scenario, seed, watch, &|run| take(&run));
        };
        let result = match beginning.get_or_init(|| Beginning::new(case, sim, watch.clone())) {
            Ok(beginning) => beginning.run(case, sim),
            Err(error) => Err(error.clone()),
        };
        Ok(take(&run_of(scenario, case, result)?))
    }

    fn run_case<T>(
        &self,
        scenario: &Scenario,
        seed: usize,
        watch: &Watch,
        take: &impl Fn(Run<'_>) -> T,
    ) -> Result<T, Error> {
        let case = &scenario.cases[seed];
        let result = run_observed(case, &self.options.sim, watch.clone());
        Ok(take(run_of(scenario, case, result)?))
    }
}

/// A simulated case, or the error with the name of its scenario.
fn run_of<'c>(
    scenario: &Scenario,
    case: &'c Case,
    result: Result<(Outcome, Watch), onramp_sim::Error>,
) -> Result<Run<'c>, Error> {
    let (outcome, watch) = result.map_err(|error| Error::Simulator {
        scenario: scenario.name.clone(),
        error,
    })?;
    Ok(Run {
        case,
        outcome,
        watch,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options<'static> {
        Options {
            seeds: 2,
            other_seeds: None,
            threads: 1,
            sim: onramp_sim::Options::default(),
            progress: &|| {},
        }
    }

    #[test]
    fn other_seeds_are_others_and_are_not_drawn() {
        const TEXT: &str = "name = \"a\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"9 ms\"\n\
                            [[transfer]]\nsize = \"9 kB\"\n";
        let seeds = |options: &Options<'_>| {
            let bench = Bench::new(options, &["a"], Settings::default());
            let seed = |run: Run<'_>| run.case.seed;
            let seeds = bench.run(TEXT, &Settings::default(), &Watch::default(), seed);
            (seeds.unwrap(), bench.draws())
        };
        let rows = BTreeSet::new();
        let other = Options {
            other_seeds: Some(OtherSeeds {
                seed: 7,
                rows: &rows,
            }),
            ..options()
        };
        let (own, draws) = seeds(&options());
        let (others, other_draws) = seeds(&other);
        assert!(own.iter().all(|seed| !others.contains(seed)));
        assert!(draws && !other_draws);
    }

    #[test]
    fn shared_cells_have_all_seeds_of_one_cell_together() {
        const TEXT: &str = "name = \"a\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"9 ms\"\n\
                            [[transfer]]\nsize = \"9 kB\"\n";
        let (options, memo) = (options(), Memo::default());
        let bench = Bench::new(&options, &["a"], Settings::default()).sharing(&memo);
        let cells = ["9 kB", "99 kB"].map(|size| Settings::of([("transfer.size", size)]));
        let size = |run: &Run<'_>| (run.case.transfer.size_bytes, run.case.seed);
        let watch = Watch::default();
        let all = bench.run_cells_once(TEXT, &cells, 2, &watch, size).unwrap();
        let sizes = |cell: &[(u64, u64)]| cell.iter().map(|one| one.0).collect::<Vec<_>>();
        assert_eq!(sizes(&all[0]), [9_000, 9_000]);
        assert_eq!(sizes(&all[1]), [99_000, 99_000]);
        assert_ne!(all[0][0].1, all[0][1].1, "two seeds");
    }

    #[test]
    fn cells_that_share_their_beginning_have_the_results_of_whole_runs() {
        const TEXT: &str = "name = \"a\"\n[run]\nduration = \"4 s\"\n[path]\n\
                            rate = \"2 Mbit/s\"\nrtt = \"50 ms\"\n[[traffic]]\ncount = 3\n\
                            arrivals = \"2 /s\"\nlead = \"2 s\"\n[[transfer]]\n\
                            size = \"9 MB\"\n";
        let (options, memo) = (options(), Memo::default());
        let bench = || Bench::new(&options, &["a"], Settings::default());
        let cells = ["none", "astart", "hoe"];
        let cells = cells.map(|startup| Settings::of([("transfer.startup", startup)]));
        let result = |run: &Run<'_>| format!("{:?} {:?}", run.outcome.records, run.watch);
        let watch = Watch::default();
        let of = |bench: Bench<'_>| {
            bench
                .run_cells_once(TEXT, &cells, 2, &watch, result)
                .unwrap()
        };
        let (whole, shared) = (of(bench()), of(bench().sharing(&memo)));
        assert!(whole == shared);
        assert_ne!(shared[0], shared[1]);
    }
}
