//! Intervals over the seeds of repeated runs, by the bootstrap (Efron, 1979).
//!
//! A resample draws as many runs as there are, with replacement, and computes medians and ratios
//! again. All paths share the runs of a resample: runs of one number share their seed on all paths,
//! so that their random events are related.

use crate::statistics::median;
use crate::summary::{Group, Row};
use onramp_scenario::case_seed;
use std::collections::BTreeSet;

/// Number of resamples.
pub(crate) const RESAMPLES: u64 = 1000;
/// The seed of the resamples: the same records give the same page.
const SEED: u64 = 0x6f6e_7261_6d70;

/// The resamples of a report.
#[derive(Debug)]
pub(crate) struct Resamples {
    /// Numbers of the runs, in order.
    runs: Vec<u32>,
    /// The runs of each resample: positions in `runs`.
    draws: Vec<Vec<usize>>,
}

impl Resamples {
    /// `None` where there are fewer than two runs to draw from.
    pub(crate) fn of(groups: &[Group<'_>]) -> Option<Resamples> {
        let records = groups.iter().flat_map(Group::records);
        let runs: BTreeSet<u32> = records.map(|record| record.run).collect();
        let runs: Vec<u32> = runs.into_iter().collect();
        let count = runs.len() as u64;
        let draw = |resample: u64, at: u64| case_seed(SEED, resample * count + at) % count;
        let draws = |resample| (0..count).map(move |at| draw(resample, at) as usize);
        (count > 1).then(|| Resamples {
            draws: (0..RESAMPLES).map(|r| draws(r).collect()).collect(),
            runs,
        })
    }

    /// The logarithm of the ratio of the medians in each resample; `None` where all of them are
    /// equal, because nothing on the path is random.
    pub(crate) fn logs(&self, row: &Row<'_>, baseline: &Row<'_>) -> Option<Vec<f64>> {
        let (own, base) = (self.times(row), self.times(baseline));
        if !varies(&own) && !varies(&base) {
            return None;
        }
        let log = |draws: &Vec<usize>| (resampled(&own, draws) / resampled(&base, draws)).ln();
        Some(self.draws.iter().map(log).collect())
    }

    /// The completion times of each run. A run may have several flows, or be missing.
    fn times(&self, row: &Row<'_>) -> Vec<Vec<f64>> {
        let mut times = vec![Vec::new(); self.runs.len()];
        for record in &row.records {
            if let (Ok(at), Some(time_s)) =
                (self.runs.binary_search(&record.run), record.completion_s)
            {
                times[at].push(time_s);
            }
        }
        times
    }
}

/// Whether the times differ by more than rounding.
fn varies(times: &[Vec<f64>]) -> bool {
    let all = || times.iter().flatten().copied();
    let (min, max) = (all().fold(f64::MAX, f64::min), all().fold(0.0, f64::max));
    max > min * (1.0 + 1e-9)
}

/// The median over the drawn runs; over all runs where none of the drawn ones has a time.
fn resampled(times: &[Vec<f64>], draws: &[usize]) -> f64 {
    let drawn: Vec<f64> = draws.iter().flat_map(|at| &times[*at]).copied().collect();
    match drawn.is_empty() {
        true => median(times.iter().flatten()),
        false => median(drawn),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::quantile;
    use crate::summary::groups;
    use onramp_results::Record;
    use onramp_testing::samples::record;

    fn records(times: &[(f64, f64)]) -> Vec<Record> {
        let mut all = Vec::new();
        for (run, (cubic_s, paced_s)) in (1..).zip(times) {
            for (startup, time_s) in [("none", cubic_s), ("paced", paced_s)] {
                let mut one = record("a", startup, "cubic", run);
                one.complete(*time_s);
                all.push(one);
            }
        }
        all
    }

    fn logs(records: &[Record]) -> Option<Vec<f64>> {
        let groups = groups(records);
        let rows = &groups[0].rows;
        Resamples::of(&groups)?.logs(&rows[1], &rows[0])
    }

    #[test]
    fn one_run_and_equal_runs_have_no_interval() {
        assert_eq!(logs(&records(&[(4.0, 2.0)])), None);
        assert_eq!(logs(&records(&[(4.0, 2.0); 5])), None);
    }

    #[test]
    fn a_resample_takes_both_start_ups_from_the_same_seeds() {
        // The path is twice as slow with every other seed, for both alike.
        let times = [(4.0, 2.0), (8.0, 4.0), (4.0, 2.0), (8.0, 4.0), (4.0, 2.0)];
        let logs = logs(&records(&times)).unwrap();
        assert_eq!(logs.len() as u64, RESAMPLES);
        assert!(logs.iter().all(|log| (log - 0.5_f64.ln()).abs() < 1e-12));
    }

    /// The median of 25 values that are spread evenly from 1 to 25: the interval of the median is
    /// that of the binomial distribution, the 8th to the 18th value.
    #[test]
    fn the_interval_of_a_median_is_that_of_its_order_statistics() {
        let times: Vec<(f64, f64)> = (1..=25).map(|at| (1.0, f64::from(at))).collect();
        let logs = logs(&records(&times)).unwrap();
        let low = quantile(logs.clone(), 0.025).exp();
        let high = quantile(logs, 0.975).exp();
        assert!((7.0..=9.0).contains(&low), "{low}");
        assert!((17.0..=19.0).contains(&high), "{high}");
    }
}
