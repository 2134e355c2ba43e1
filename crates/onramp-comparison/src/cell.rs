//! A cell: one path and size, with the runs of all start-ups.

use crate::plan::{Plan, PlannedFamily};
use crate::run::Run;
use crate::statistics::{geometric_mean, mean, median};
use onramp_results::Record;
use onramp_scenario::Case;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The runs of a cell.
pub(crate) struct Cell<'a> {
    pub case: &'a Case,
    /// For each start-up its runs by the number of the repeat.
    runs: Vec<BTreeMap<u32, &'a Run>>,
    baseline: usize,
}

/// The cells of each family of a plan, from the results of its runs. A run without a result is
/// left out.
pub(crate) fn cells<'a>(plan: &'a Plan, results: &'a [Option<Run>]) -> Vec<Vec<Cell<'a>>> {
    let empty = |case| Cell {
        case,
        runs: vec![BTreeMap::new(); plan.startups().len()],
        baseline: plan.baseline(),
    };
    let of_family = |family: &'a PlannedFamily| family.cells.iter().map(empty).collect();
    let mut cells: Vec<Vec<Cell<'a>>> = plan.families.iter().map(of_family).collect();
    for (job, result) in plan.jobs().iter().zip(results) {
        if let Some(run) = result {
            cells[job.family][job.cell].runs[job.startup].insert(job.run, run);
        }
    }
    cells
}

impl Cell<'_> {
    /// The runs of a start-up, with the numbers of their repeats.
    pub fn runs(&self, startup: usize) -> impl Iterator<Item = (u32, &Run)> {
        self.runs[startup]
            .iter()
            .map(|(number, run)| (*number, *run))
    }

    /// The time of each run, of the time of CUBIC's run with the same seed.
    pub fn ratios(&self, startup: usize) -> BTreeMap<u32, f64> {
        let ratio = |(number, run): (u32, &Run)| {
            let baseline = self.runs[self.baseline].get(&number)?;
            Some((number, run.time_ratio(baseline, self.is_cut_off())?))
        };
        self.runs(startup).filter_map(ratio).collect()
    }

    /// Whether the scenario ends the runs before their transfers may have finished.
    pub fn is_cut_off(&self) -> bool {
        self.case.duration_ns.is_some()
    }

    /// The path and the size in a line.
    pub fn describe(&self) -> CellResult {
        let record = Record::of_case(self.case, "");
        CellResult {
            scenario: record.scenario,
            rate_bits_per_s: record.rate_bits_per_s,
            rtt_ms: record.rtt_ms,
            queue: record.queue,
            path: record.path,
            receiver_buffer: record.receiver_buffer,
            initial_window: record.initial_window,
            size_bytes: record.size_bytes,
            startups: Vec::new(),
        }
    }

    /// The results of all start-ups of these names.
    pub fn result(&self, names: &[String]) -> CellResult {
        let result = |(startup, name): (usize, &String)| {
            let of = |value: fn(&Run) -> f64| -> Vec<f64> {
                self.runs(startup).map(|(_, run)| value(run)).collect()
            };
            let wasted = self.runs(startup).filter_map(|(_, run)| run.wasted_rtts());
            let finite = |value: f64| Some(value).filter(|value| value.is_finite());
            CellStartup {
                startup: name.clone(),
                time: geometric_mean(self.ratios(startup).into_values()).and_then(finite),
                completion_s: finite(median(of(Run::completion_s))),
                wasted_rtts: finite(median(wasted)),
                resent_segments: mean(&of(Run::resent)),
            }
        };
        CellResult {
            startups: names.iter().enumerate().map(result).collect(),
            ..self.describe()
        }
    }
}

/// What start-ups made of one path and size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// Name of the scenario.
    pub scenario: String,
    /// Rate of the bottleneck.
    pub rate_bits_per_s: u64,
    /// Round-trip propagation time.
    pub rtt_ms: f64,
    /// Queue of the bottleneck, as the scenario gives it.
    pub queue: String,
    /// Other parameters of the path that are not the default.
    pub path: String,
    /// Receive buffer, as the scenario gives it.
    pub receiver_buffer: String,
    /// Initial window, as the scenario gives it.
    pub initial_window: String,
    /// Payload; 0 for a transfer without end.
    pub size_bytes: u64,
    /// The results, in the order of the start-ups.
    pub startups: Vec<CellStartup>,
}

/// What a start-up made of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellStartup {
    /// The start-up.
    pub startup: String,
    /// Geometric mean over seeds of its time, of CUBIC's; `None`: a run did not finish, or there
    /// is none.
    pub time: Option<f64>,
    /// Median completion time of the first transfer.
    pub completion_s: Option<f64>,
    /// Median of the wasted round trips.
    pub wasted_rtts: Option<f64>,
    /// Mean over runs of the retransmitted segments.
    pub resent_segments: Option<f64>,
}
