//! The same runs in the simulator and on the kernel, side by side.

use crate::cell::cells;
use crate::plan::Plan;
use crate::run::Run;
use crate::statistics::{geometric_mean, median, quantile};
use serde::{Deserialize, Serialize};

/// A start-up in the simulator and on the kernel, over the cells that have results of both. Runs
/// that the machine disturbed do not count where the cell has others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SideBySide {
    /// The start-up.
    pub startup: String,
    /// Geometric mean over cells of its time, of CUBIC's, in the simulator and on the kernel.
    pub time: [Option<f64>; 2],
    /// How much longer the simulator takes than the kernel, in percent of the kernel's time: the
    /// median over cells, and the cell with the largest difference of either sign.
    pub difference_percent: [f64; 2],
    /// Retransmitted segments in a run, on average over cells, in the simulator and on the kernel.
    pub resent_segments: [f64; 2],
    /// Number of cells.
    pub cells: usize,
    /// Runs on the kernel, and those of them that the machine disturbed.
    pub runs: usize,
    /// See [`runs`](SideBySide::runs).
    pub suspect_runs: usize,
}

/// The median completion time and the mean number of retransmissions of a cell's runs.
fn typical<'a>(runs: impl Iterator<Item = (u32, &'a Run)>) -> Option<(f64, f64)> {
    let runs: Vec<&Run> = runs.map(|(_, run)| run).collect();
    let quiet: Vec<&Run> = runs
        .iter()
        .copied()
        .filter(|run| !run.is_suspect())
        .collect();
    let counted = if quiet.is_empty() { runs } else { quiet };
    let time_s = median(counted.iter().map(|run| run.completion_s()));
    let resent: f64 = counted.iter().map(|run| run.resent()).sum();
    let is_finished = time_s.is_finite();
    is_finished.then(|| (time_s, resent / counted.len() as f64))
}

/// The start-ups of a plan in the simulator and on the kernel. Both results are in the order of
/// [`Plan::cases`].
pub fn side_by_side(
    plan: &Plan,
    simulated: &[Option<Run>],
    on_kernel: &[Option<Run>],
) -> Vec<SideBySide> {
    let hosts = [cells(plan, simulated), cells(plan, on_kernel)];
    let both = || hosts[0].iter().flatten().zip(hosts[1].iter().flatten());
    let row = |(startup, name): (usize, &str)| {
        let mut ratios = [Vec::new(), Vec::new()];
        let mut differences = Vec::new();
        let mut resent = [0.0, 0.0];
        for (sim, kernel) in both() {
            let of = |startup| {
                let both = [sim, kernel].map(|cell| typical(cell.runs(startup)));
                both[0].zip(both[1]).map(|(sim, kernel)| [sim, kernel])
            };
            let Some(times) = of(startup) else { continue };
            if let Some(baseline) = of(plan.baseline()) {
                for host in 0..2 {
                    ratios[host].push(times[host].0 / baseline[host].0);
                }
            }
            differences.push((times[0].0 / times[1].0 - 1.0) * 100.0);
            (0..2).for_each(|host| resent[host] += times[host].1);
        }
        let extremes = [0.0, 1.0].map(|share| quantile(differences.clone(), share));
        let largest = extremes
            .into_iter()
            .max_by(|a, b| a.abs().total_cmp(&b.abs()));
        let count = differences.len();
        let kernel_runs = || both().flat_map(|(_, kernel)| kernel.runs(startup));
        (count > 0).then(|| SideBySide {
            startup: name.to_owned(),
            time: ratios.map(geometric_mean),
            difference_percent: [median(differences), largest.unwrap_or(f64::NAN)],
            resent_segments: resent.map(|sum| sum / count as f64),
            cells: count,
            runs: kernel_runs().count(),
            suspect_runs: kernel_runs().filter(|(_, run)| run.is_suspect()).count(),
        })
    };
    let names = plan.startups().iter().map(|startup| startup.name());
    let mut rows: Vec<SideBySide> = names.enumerate().filter_map(row).collect();
    let kernel = |row: &SideBySide| row.time[1].unwrap_or(f64::INFINITY);
    rows.sort_by(|a, b| kernel(a).total_cmp(&kernel(b)));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Family;
    use onramp_results::Record;

    #[test]
    fn disturbed_runs_do_not_count_where_there_are_others() {
        let text = "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n\
                    [[transfer]]\nsize = \"1 MB\"\nrepeat = 2\n";
        let family = Family {
            name: "x".to_owned(),
            what: String::new(),
            scenarios: vec![onramp_scenario::parse("x.toml", text).unwrap()],
        };
        let startups = vec!["none".parse().unwrap(), "onramp".parse().unwrap()];
        let plan = Plan::new(vec![family], startups, None);
        let results = |times: [(f64, bool); 4]| -> Vec<Option<Run>> {
            let run = |(case, (time_s, suspect)): (_, (f64, bool))| {
                let mut record = Record::of_case(case, "x");
                record.complete(time_s);
                record.suspect = suspect;
                Run::of(vec![record])
            };
            plan.cases().iter().zip(times).map(run).collect()
        };
        let simulated = results([(4.0, false), (1.1, false), (4.0, false), (1.1, false)]);
        let on_kernel = results([(4.0, false), (1.0, false), (4.0, false), (9.0, true)]);
        let rows = side_by_side(&plan, &simulated, &on_kernel);
        assert_eq!(rows[0].startup, "onramp");
        assert_eq!(rows[0].time[1], Some(0.25));
        assert!((rows[0].difference_percent[1] - 10.0).abs() < 1e-9);
        assert_eq!((rows[0].runs, rows[0].suspect_runs), (2, 1));
        let nothing = vec![None; 4];
        assert!(side_by_side(&plan, &simulated, &nothing).is_empty());
    }
}
