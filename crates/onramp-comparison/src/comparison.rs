//! The comparison: a row for each start-up and family.

use crate::cell::{cells, Cell, CellResult};
use crate::plan::Plan;
use crate::run::Run;
use crate::statistics::{
    geometric_mean, interval_of_geometric_mean, mean, median, quantile, Stratum,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A start-up within this factor of the first is near it.
pub const NEAR: f64 = 1.03;

/// The start-up with whose retransmissions all others are compared.
const PEER: &str = "hystart";

/// Start-ups over families of paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The start-ups, in the order in which they were asked for.
    pub startups: Vec<String>,
    /// The results of each family.
    pub families: Vec<FamilyResult>,
    /// All families together, each with the same weight. Empty for a single family.
    pub whole: Vec<Row>,
}

/// Start-ups over one family.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FamilyResult {
    /// Its name.
    pub name: String,
    /// What its paths have in common.
    pub what: String,
    /// The maximum number of seeds of a path.
    pub seeds: u32,
    /// The start-ups, the fastest first.
    pub rows: Vec<Row>,
    /// Each path and size.
    pub cells: Vec<CellResult>,
}

/// Where the time of a start-up lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// It has the minimum time.
    First,
    /// It is within 3 % of the minimum.
    Near,
    /// It is further behind.
    Behind,
}

/// A start-up over one family, or over all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The start-up.
    pub startup: String,
    /// Where its time lies.
    pub place: Place,
    /// Geometric mean over cells of the time, of CUBIC's with the same seed. `None`: a run did not
    /// finish.
    pub time: Option<f64>,
    /// The 95 % interval of `time` over seeds, if there are several and they differ.
    pub interval: Option<[f64; 2]>,
    /// 5th percentile, median and 95th percentile of the ratios of all pairs of runs.
    pub quantiles: Option<[f64; 3]>,
    /// Pairs of runs in which it took more than [`NEAR`] times as long as CUBIC.
    pub slower_runs: u64,
    /// Median of the wasted round trips.
    pub wasted_rtts: Option<f64>,
    /// Retransmitted segments of all runs.
    pub resent_segments: u64,
    /// The same, of those of `hystart`.
    pub resent_of_hystart: Option<f64>,
    /// Median of the longest queues, in BDPs.
    pub peak_queue_bdp: Option<f64>,
    /// Median share of the capacity that is left to long flows in the first 20 round trips, in
    /// percent.
    pub left_percent: Option<f64>,
    /// Geometric mean of Jain's index, where several transfers run together.
    pub fairness: Option<f64>,
    /// Runs whose transfers gave up.
    pub unfinished: u64,
}

/// What a row is made from.
struct Measured {
    row: Row,
    /// The parts of the geometric mean that have repeats of their own.
    strata: Vec<Stratum>,
    /// The ratios of all pairs of runs.
    ratios: Vec<f64>,
}

impl Comparison {
    /// The comparison of a plan's runs. `results` are in the order of [`Plan::cases`]; runs without
    /// a result are left out.
    pub fn new(plan: &Plan, results: &[Option<Run>]) -> Comparison {
        let startups: Vec<String> = plan
            .startups()
            .iter()
            .map(|startup| startup.name().to_owned())
            .collect();
        let families = cells(plan, results);
        let measured: Vec<Vec<Measured>> = families
            .iter()
            .map(|cells| measure(cells, &startups))
            .collect();
        let whole = match measured.len() {
            0 | 1 => Vec::new(),
            _ => ranked(
                startups
                    .iter()
                    .map(|name| together(&measured, name))
                    .collect(),
            ),
        };
        let result = |((family, cells), measured): ((_, &Vec<Cell<'_>>), &Vec<Measured>)| {
            let family: &crate::plan::PlannedFamily = family;
            let has_run = |cell: &&Cell<'_>| {
                (0..startups.len()).any(|startup| cell.runs(startup).next().is_some())
            };
            FamilyResult {
                name: family.name.clone(),
                what: family.what.clone(),
                seeds: seeds(cells) as u32,
                rows: ranked(measured.iter().map(|one| one.row.clone()).collect()),
                cells: cells
                    .iter()
                    .filter(has_run)
                    .map(|cell| cell.result(&startups))
                    .collect(),
            }
        };
        let families = plan.families.iter().zip(&families).zip(&measured);
        Comparison {
            families: families.map(result).collect(),
            startups,
            whole,
        }
    }

    /// The rows that rank the start-ups as a whole: those of all families, or of the only one.
    pub fn overall(&self) -> &[Row] {
        match self.families.as_slice() {
            [only] => &only.rows,
            _ => &self.whole,
        }
    }
}

/// The largest number of a repeat.
fn seeds(cells: &[Cell<'_>]) -> usize {
    let all = cells.iter().flat_map(|cell| cell.runs(0));
    all.map(|(number, _)| number as usize).max().unwrap_or(0)
}

/// The start-ups that have runs in these cells.
fn measure(cells: &[Cell<'_>], startups: &[String]) -> Vec<Measured> {
    let mut all: Vec<Measured> = startups
        .iter()
        .enumerate()
        .filter_map(|(startup, name)| measure_one(cells, startup, name))
        .collect();
    let of_peer = all.iter().find(|one| one.row.startup == PEER);
    let of_peer = of_peer.map(|one| one.row.resent_segments);
    for one in &mut all {
        one.row.resent_of_hystart = share(one.row.resent_segments, of_peer);
    }
    all
}

/// A number of segments, of those of `hystart`; `None` where that has none.
fn share(resent: u64, of_peer: Option<u64>) -> Option<f64> {
    let of_peer = of_peer.filter(|of_peer| *of_peer > 0)?;
    Some(resent as f64 / of_peer as f64)
}

fn measure_one(cells: &[Cell<'_>], startup: usize, name: &str) -> Option<Measured> {
    let of_cells: Vec<_> = cells.iter().map(|cell| cell.ratios(startup)).collect();
    let runs = || cells.iter().flat_map(|cell| cell.runs(startup));
    runs().next()?;
    let of_cell = of_cells.iter();
    let time =
        geometric_mean(of_cell.filter_map(|ratios| geometric_mean(ratios.values().copied())));
    let strata = strata(&of_cells);
    let ratios: Vec<f64> = of_cells
        .iter()
        .flat_map(|ratios| ratios.values().copied())
        .collect();
    let value = |of: &dyn Fn(&Run) -> f64| -> Vec<f64> {
        let values = runs().map(|(_, run)| of(run));
        values.filter(|value| value.is_finite()).collect()
    };
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    let is_shared = |run: &Run| {
        if run.transfers.len() > 1 {
            run.fairness()
        } else {
            f64::NAN
        }
    };
    let queue_bdp = |run: &Run| run.transfers[0].peak_queue_bdp;
    let unfinished = cells.iter().filter(|cell| !cell.is_cut_off());
    let unfinished = unfinished.flat_map(|cell| cell.runs(startup));
    Some(Measured {
        row: Row {
            startup: name.to_owned(),
            place: Place::Behind,
            time: time.and_then(finite),
            interval: interval_of_geometric_mean(&strata),
            quantiles: quantiles(&ratios),
            slower_runs: slower_runs(&ratios),
            wasted_rtts: finite(median(value(&|run| run.wasted_rtts().unwrap_or(f64::NAN)))),
            resent_segments: value(&Run::resent).iter().sum::<f64>() as u64,
            resent_of_hystart: None,
            peak_queue_bdp: finite(median(value(&queue_bdp))),
            left_percent: finite(median(value(&Run::left_percent))),
            fairness: geometric_mean(value(&is_shared)),
            unfinished: unfinished.filter(|(_, run)| !run.is_finished()).count() as u64,
        },
        strata,
        ratios,
    })
}

/// The cells with the same repeats are a stratum. Each of its values is the mean over its cells of
/// one repeat, since cells that have a seed in common may depend on each other.
fn strata(of_cells: &[BTreeMap<u32, f64>]) -> Vec<Stratum> {
    let cells = of_cells.iter().filter(|ratios| !ratios.is_empty());
    let mut by_repeats: BTreeMap<Vec<u32>, Vec<&BTreeMap<u32, f64>>> = BTreeMap::new();
    for ratios in cells.clone() {
        let repeats = ratios.keys().copied().collect();
        by_repeats.entry(repeats).or_default().push(ratios);
    }
    let count = cells.count() as f64;
    let stratum = |(repeats, cells): (Vec<u32>, Vec<&BTreeMap<u32, f64>>)| {
        let log = |repeat: &u32| {
            let logs: Vec<f64> = cells.iter().map(|ratios| ratios[repeat].ln()).collect();
            mean(&logs)
        };
        Stratum {
            weight: cells.len() as f64 / count,
            logs: repeats.iter().filter_map(log).collect(),
        }
    };
    by_repeats.into_iter().map(stratum).collect()
}

fn quantiles(ratios: &[f64]) -> Option<[f64; 3]> {
    let of = |share| quantile(ratios.to_vec(), share);
    let all = [of(0.05), median(ratios.to_vec()), of(0.95)];
    all.iter().all(|value| value.is_finite()).then_some(all)
}

fn slower_runs(ratios: &[f64]) -> u64 {
    ratios.iter().filter(|ratio| **ratio > NEAR).count() as u64
}

/// A start-up over all families, each with the same weight.
fn together(families: &[Vec<Measured>], name: &str) -> Row {
    let measured: Vec<&Measured> = families
        .iter()
        .filter_map(|family| family.iter().find(|one| one.row.startup == name))
        .collect();
    let resent = |name: &str| -> u64 {
        let rows = families.iter().flatten().map(|one| &one.row);
        let rows = rows.filter(|row| row.startup == name);
        rows.map(|row| row.resent_segments).sum()
    };
    let is_complete = measured.len() == families.len();
    let times = measured.iter().map(|one| one.row.time);
    let times: Option<Vec<f64>> = times.collect();
    let strata: Vec<Stratum> = measured
        .iter()
        .flat_map(|one| &one.strata)
        .map(|stratum| Stratum {
            weight: stratum.weight / measured.len() as f64,
            ..stratum.clone()
        })
        .collect();
    let ratios: Vec<f64> = measured
        .iter()
        .flat_map(|one| one.ratios.iter().copied())
        .collect();
    Row {
        startup: name.to_owned(),
        place: Place::Behind,
        time: times.filter(|_| is_complete).and_then(geometric_mean),
        interval: interval_of_geometric_mean(&strata).filter(|_| is_complete),
        quantiles: quantiles(&ratios),
        slower_runs: slower_runs(&ratios),
        wasted_rtts: None,
        resent_segments: resent(name),
        resent_of_hystart: share(resent(name), Some(resent(PEER))),
        peak_queue_bdp: None,
        left_percent: None,
        fairness: None,
        unfinished: measured.iter().map(|one| one.row.unfinished).sum(),
    }
}

/// The rows with their places, the fastest first. Rows without a time come last.
fn ranked(mut rows: Vec<Row>) -> Vec<Row> {
    let time = |row: &Row| row.time.unwrap_or(f64::INFINITY);
    rows.sort_by(|a, b| time(a).total_cmp(&time(b)));
    let Some(first) = rows.first().and_then(|row| row.time) else {
        return rows;
    };
    for row in &mut rows {
        row.place = match row.time {
            Some(time) if time == first => Place::First,
            Some(time) if time <= first * NEAR => Place::Near,
            _ => Place::Behind,
        };
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Family;

    /// Two families of one path: the first has two seeds.
    fn plan() -> Plan {
        let family = |name: &str, repeat| {
            let text = format!(
                "name = \"{name}\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n\
                 [[transfer]]\nsize = \"1 MB\"\nrepeat = {repeat}\n"
            );
            Family {
                name: name.to_owned(),
                what: String::new(),
                scenarios: vec![onramp_scenario::parse(name, &text).unwrap()],
            }
        };
        let startups = ["none", "hystart", "onramp"].map(|name| name.parse().unwrap());
        Plan::new(vec![family("a", 2), family("b", 1)], startups.into(), None)
    }

    /// Results with these completion times, in the order of the plan. Each run retransmits as many
    /// segments as its place.
    fn results(plan: &Plan, times_s: &[Option<f64>]) -> Vec<Option<Run>> {
        assert_eq!(plan.cases().len(), times_s.len());
        let all = plan.cases().iter().zip(times_s).enumerate();
        let result = |(place, (case, time_s)): (usize, (&_, &Option<f64>))| {
            let mut record = onramp_results::Record::of_case(case, "sim");
            record.retransmitted_segments = place as u64;
            if let Some(time_s) = time_s {
                record.complete(*time_s);
            }
            Run::of(vec![record])
        };
        all.map(result).collect()
    }

    #[test]
    fn families_have_the_same_weight() {
        let plan = plan();
        let times = [4.0, 4.0, 1.0, 4.0, 4.0, 4.0, 2.0, 2.05, 4.0].map(Some);
        let comparison = Comparison::new(&plan, &results(&plan, &times));
        let row = |rows: &[Row], name: &str| {
            let found = rows.iter().find(|row| row.startup == name);
            found.unwrap().clone()
        };
        let first = row(&comparison.families[0].rows, "onramp");
        assert_eq!((first.time, first.place), (Some(0.5), Place::First));
        assert_eq!(first.quantiles, Some([0.25, 0.625, 1.0]));
        let [low, high] = first.interval.unwrap();
        assert!(low < 0.5 && 0.5 < high, "{low} {high}");
        let second = &comparison.families[1].rows;
        assert_eq!(row(second, "none").place, Place::First);
        assert_eq!(row(second, "hystart").place, Place::Near);
        assert_eq!(row(second, "onramp").time, Some(2.0));
        assert_eq!(row(second, "onramp").interval, None, "one seed");
        let whole = row(&comparison.whole, "onramp");
        assert!((whole.time.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(whole.resent_segments, 2 + 5 + 8);
        assert_eq!(whole.resent_of_hystart, Some(15.0 / (1.0 + 4.0 + 7.0)));
    }

    #[test]
    fn a_run_that_gives_up_makes_the_mean_endless() {
        let plan = plan();
        let mut times = [Some(1.0); 9];
        times[2] = None;
        let comparison = Comparison::new(&plan, &results(&plan, &times));
        let last = comparison.families[0].rows.last().unwrap();
        assert_eq!(last.startup, "onramp");
        assert_eq!((last.time, last.unfinished), (None, 1));
        assert_eq!(comparison.whole.last().unwrap().time, None);
    }

    #[test]
    fn runs_without_a_result_are_left_out() {
        let plan = plan();
        let mut results = results(&plan, &[Some(1.0); 9]);
        results[3..].fill(None);
        let comparison = Comparison::new(&plan, &results);
        assert_eq!(comparison.families[0].seeds, 1);
        assert!(comparison.families[1].rows.is_empty());
        assert!(comparison.families[1].cells.is_empty());
    }

    #[test]
    fn json_brings_a_comparison_back() {
        let plan = plan();
        let comparison = Comparison::new(&plan, &results(&plan, &[Some(1.0); 9]));
        let json = serde_json::to_string(&comparison).unwrap();
        let back: Comparison = serde_json::from_str(&json).unwrap();
        assert_eq!(back, comparison);
    }
}
