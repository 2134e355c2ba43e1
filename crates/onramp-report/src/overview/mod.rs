//! The overview of many paths and sizes: how each start-up compares with the baseline, by which
//! conditions, and how certain that is.

mod axis;
mod bootstrap;
mod figures;
mod names;
mod section;
mod table;

pub(crate) use axis::Axis;
pub(crate) use names::Names;
pub(crate) use section::section;
pub(crate) use table::text_overview;

use crate::condition::Condition;
use crate::statistics::{geometric_mean, mean, quantile};
use crate::summary::{Group, Row};
use bootstrap::Resamples;
use onramp_plot::heat_map::EVEN;
use onramp_plot::units::fixed;
use onramp_results::TRAFFIC;

/// So many start-ups can be told apart in a figure.
const MAX_LOOKS: usize = 7;
/// Fewer paths and sizes can be read one by one.
const MIN_GROUPS: usize = 3;

/// The ratios of a start-up to the baseline of each group.
#[derive(Debug)]
pub(crate) struct Contestant {
    pub(crate) label: String,
    pub(crate) look: usize,
    pub(crate) ratios: Vec<Ratio>,
    /// Retransmitted segments: the sum of the means of all groups, and that of the baselines.
    pub(crate) retransmitted: [f64; 2],
    /// Number of groups in which a transfer of it did not finish.
    pub(crate) unfinished: usize,
}

/// The ratio in one group.
#[derive(Debug)]
pub(crate) struct Ratio {
    /// Position of the group.
    pub(crate) group: usize,
    /// Median completion over that of the baseline, as in the group's table.
    pub(crate) value: f64,
    /// Logarithms of the ratio in resamples of the seeds, where they differ.
    resampled: Option<Vec<f64>>,
}

/// A geometric mean of ratios, and its interval over seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) mean: f64,
    /// The interval of 95 %, where there are several seeds that differ.
    pub(crate) interval: Option<[f64; 2]>,
    /// Number of ratios.
    pub(crate) count: usize,
}

/// The start-ups of a report with several paths and sizes.
#[derive(Debug)]
pub(crate) struct Overview<'a> {
    pub(crate) groups: &'a [Group<'a>],
    pub(crate) names: &'a Names,
    /// The start-ups that are compared with a baseline, in order of appearance.
    pub(crate) contestants: Vec<Contestant>,
    /// Labels of the baselines.
    pub(crate) baselines: Vec<String>,
    /// The conditions by which the groups differ, as far as they have an axis.
    pub(crate) axes: Vec<Axis>,
}

impl<'a> Overview<'a> {
    /// `None` where there are too few groups to need an overview, or nothing to compare.
    pub(crate) fn of(groups: &'a [Group<'a>], names: &'a Names) -> Option<Overview<'a>> {
        let resamples = Resamples::of(groups);
        let mut contestants: Vec<Contestant> = Vec::new();
        let mut baselines: Vec<String> = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            // Traffic beside a transfer measures something else.
            if group.first().role == TRAFFIC {
                continue;
            }
            for row in &group.rows {
                match (row.is_baseline, group.baseline(row)) {
                    (false, Some(baseline)) => {
                        add(&mut contestants, at, row, baseline, resamples.as_ref());
                    }
                    _ if baselines.contains(&row.label) => {}
                    _ => baselines.push(row.label.clone()),
                }
            }
        }
        contestants.retain(|one| one.ratios.len() >= MIN_GROUPS);
        (!contestants.is_empty()).then(|| Overview {
            axes: Axis::all(names.differing(), groups),
            groups,
            names,
            contestants,
            baselines,
        })
    }

    /// The start-ups, the fastest first.
    pub(crate) fn ranking(&self) -> Vec<&Contestant> {
        let mut ranking: Vec<&Contestant> = self.contestants.iter().collect();
        let mean = |one: &Contestant| one.mean(|_| true).unwrap_or(f64::NAN);
        ranking.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
        ranking
    }

    /// The start-ups that figures show: the fastest ones, as many as can be told apart.
    pub(crate) fn shown(&self) -> Vec<&Contestant> {
        let mut shown = self.ranking();
        shown.truncate(MAX_LOOKS);
        shown
    }

    /// Whether any start-up has an interval over seeds that can be read.
    pub(crate) fn has_intervals(&self) -> bool {
        let estimates = self.contestants.iter().filter_map(Contestant::overall);
        estimates.into_iter().any(|one| one.ends().is_some())
    }

    /// The name of the baseline, for titles.
    pub(crate) fn baseline(&self) -> &str {
        match self.baselines.as_slice() {
            [only] => only,
            _ => "the baseline",
        }
    }

    /// The axis of a condition.
    pub(crate) fn axis(&self, condition: Condition) -> Option<&Axis> {
        self.axes.iter().find(|axis| axis.condition == condition)
    }
}

fn add(
    contestants: &mut Vec<Contestant>,
    group: usize,
    row: &Row<'_>,
    baseline: &Row<'_>,
    resamples: Option<&Resamples>,
) {
    let at = contestants.iter().position(|one| one.label == row.label);
    let at = at.unwrap_or_else(|| {
        contestants.push(Contestant {
            label: row.label.clone(),
            look: row.look,
            ratios: Vec::new(),
            retransmitted: [0.0; 2],
            unfinished: 0,
        });
        contestants.len() - 1
    });
    let contestant = &mut contestants[at];
    contestant.unfinished += usize::from(row.unfinished() > 0);
    let Some(value) = row.ratio.filter(|ratio| *ratio > 0.0) else {
        return;
    };
    let retransmitted = |row: &Row<'_>| {
        let records = row.records.iter();
        let segments: Vec<f64> = records
            .map(|record| record.retransmitted_segments as f64)
            .collect();
        mean(&segments).unwrap_or(0.0)
    };
    contestant.retransmitted[0] += retransmitted(row);
    contestant.retransmitted[1] += retransmitted(baseline);
    contestant.ratios.push(Ratio {
        group,
        value,
        resampled: resamples.and_then(|resamples| resamples.logs(row, baseline)),
    });
}

impl Contestant {
    /// The geometric mean over all groups.
    pub(crate) fn overall(&self) -> Option<Estimate> {
        self.estimate(|_| true)
    }

    /// The geometric mean over these groups; `None` without any.
    pub(crate) fn estimate(&self, is_wanted: impl Fn(usize) -> bool) -> Option<Estimate> {
        let ratios = self.ratios.iter().filter(|ratio| is_wanted(ratio.group));
        let ratios: Vec<&Ratio> = ratios.collect();
        Some(Estimate {
            mean: geometric_mean(ratios.iter().map(|ratio| ratio.value))?,
            interval: interval(&ratios),
            count: ratios.len(),
        })
    }

    /// The geometric mean over these groups, without an interval.
    pub(crate) fn mean(&self, is_wanted: impl Fn(usize) -> bool) -> Option<f64> {
        let ratios = self.ratios.iter().filter(|ratio| is_wanted(ratio.group));
        geometric_mean(ratios.map(|ratio| ratio.value))
    }

    /// Numbers of groups in which it is faster than the baseline, and slower.
    pub(crate) fn faster_and_slower(&self) -> [usize; 2] {
        let count = |test: fn(f64) -> bool| self.ratios.iter().filter(|r| test(r.value)).count();
        [count(|r| r < *EVEN.start()), count(|r| r > *EVEN.end())]
    }

    /// The ratio that is the lowest, and the one that is the highest.
    pub(crate) fn extremes(&self) -> Option<[&Ratio; 2]> {
        let by_value = |a: &&Ratio, b: &&Ratio| a.value.total_cmp(&b.value);
        let (low, high) = (
            self.ratios.iter().min_by(by_value)?,
            self.ratios.iter().max_by(by_value)?,
        );
        Some([low, high])
    }
}

impl Estimate {
    /// `0.61`, `0.61 (0.59–0.63)`.
    pub(crate) fn text(&self) -> String {
        let mean = fixed(self.mean, 2);
        match self.ends() {
            Some([low, high]) => format!("{mean} ({low}–{high})"),
            None => mean,
        }
    }

    /// The ends of the interval as text; `None` where it is too narrow to be read.
    fn ends(&self) -> Option<[String; 2]> {
        let ends = self.interval?.map(|end| fixed(end, 2));
        (ends[0] != ends[1]).then_some(ends)
    }
}

/// The interval of 95 % of the geometric mean: between quantiles of its resamples.
fn interval(ratios: &[&Ratio]) -> Option<[f64; 2]> {
    let count = ratios
        .iter()
        .find_map(|ratio| Some(ratio.resampled.as_ref()?.len()))?;
    let mut sums = vec![0.0; count];
    let mut fixed = 0.0;
    for ratio in ratios {
        match &ratio.resampled {
            Some(logs) => sums.iter_mut().zip(logs).for_each(|(sum, log)| *sum += log),
            None => fixed += ratio.value.ln(),
        }
    }
    let mean = |sum: f64| ((sum + fixed) / ratios.len() as f64).exp();
    let means: Vec<f64> = sums.into_iter().map(mean).collect();
    let [low, high] = [0.025, 0.975].map(|share| quantile(means.clone(), share));
    (low.is_finite() && high.is_finite()).then_some([low, high])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::groups;
    use onramp_results::Record;
    use onramp_testing::samples::record;

    /// Three sizes with two seeds each: `paced` takes half of the time, with a little noise.
    fn records() -> Vec<Record> {
        let mut all = Vec::new();
        for size_bytes in [1_000_000, 2_000_000, 3_000_000] {
            for run in 1..=2 {
                for (startup, time_s) in [("none", 4.0), ("paced", 2.0)] {
                    let mut one = record("a", startup, "cubic", run);
                    one.size_bytes = size_bytes;
                    one.complete(time_s + f64::from(run) * 0.01);
                    all.push(one);
                }
            }
        }
        all
    }

    #[test]
    fn the_mean_is_that_of_the_ratios_in_the_tables() {
        let records = records();
        let groups = groups(&records);
        let names = Names::of(&groups);
        let overview = Overview::of(&groups, &names).unwrap();
        assert_eq!(overview.baseline(), "cubic");
        let [contestant] = overview.contestants.as_slice() else {
            panic!("{overview:?}");
        };
        let all = contestant.overall().unwrap();
        assert!((all.mean - groups[0].rows[1].ratio.unwrap()).abs() < 1e-12);
        let [low, high] = all.interval.unwrap();
        assert!(low <= all.mean && all.mean <= high && low < high);
        assert_eq!((all.count, contestant.faster_and_slower()), (3, [3, 0]));
        let one = contestant.estimate(|group| group == 1).unwrap();
        assert_eq!(one.count, 1);
        assert_eq!(contestant.estimate(|_| false), None);
    }

    #[test]
    fn few_groups_and_baselines_alone_have_no_overview() {
        let records = records();
        let two = groups(&records[..8]);
        assert!(Overview::of(&two, &Names::of(&two)).is_none());
        let plain: Vec<Record> = records
            .into_iter()
            .filter(|r| r.startup == "none")
            .collect();
        let plain = groups(&plain);
        assert!(Overview::of(&plain, &Names::of(&plain)).is_none());
    }

    #[test]
    fn a_group_with_an_unfinished_transfer_has_no_ratio() {
        let mut records = records();
        let mut extra = records[1].clone();
        (extra.finished, extra.completion_s, extra.run) = (false, None, 3);
        records.push(extra);
        let all = groups(&records);
        let overview = Overview::of(&all, &Names::of(&all)).map(|_| ());
        assert!(overview.is_none(), "two groups are left");
    }
}
