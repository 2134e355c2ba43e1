//! Comparing a transfer on this kernel with the same transfer in the simulator.

use onramp_results::Record;
use onramp_scenario::{Case, Channel, Discipline};
use serde::Serialize;

/// One case in the simulator and on the kernel. The serialised names are an interface
/// (`onramp compare --json`).
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The result of the simulator.
    pub sim: Record,
    /// The result on the kernel.
    pub kernel: Record,
    /// How much longer the simulator took than the kernel, in percent of the kernel's completion
    /// time. Infinite if one of them did not complete.
    pub difference_percent: f64,
    /// The case has nothing random and no competing flows, so that the times must agree.
    pub clean: bool,
    /// The difference is within the tolerance.
    pub within: bool,
    /// How often the kernel ran the case. A suspect run is repeated, and the last one counts.
    pub tries: u32,
}

impl Comparison {
    /// Compares the copies of a transfer in the simulator with those on the kernel. Which of
    /// several copies finishes first is chance on both, so the medians are compared. Both slices
    /// have at least one record.
    pub fn new(
        case: &Case,
        sim: &[&Record],
        kernel: &[&Record],
        within_percent: f64,
    ) -> Comparison {
        let (sim, kernel) = (median(sim), median(kernel));
        let difference_percent = match (sim.completion_s, kernel.completion_s) {
            (Some(sim_s), Some(kernel_s)) => (sim_s / kernel_s - 1.0) * 100.0,
            _ => f64::INFINITY,
        };
        Comparison {
            sim,
            kernel,
            difference_percent,
            clean: is_deterministic(case) && case.transfer.count == 1,
            within: difference_percent.abs() <= within_percent,
            tries: 1,
        }
    }

    /// The case is clean, and the machine did not disturb its run on the kernel.
    pub fn is_judged(&self) -> bool {
        self.clean && !self.kernel.suspect
    }

    /// The case is judged, and the difference exceeds the tolerance.
    pub fn misses(&self) -> bool {
        self.is_judged() && !self.within
    }
}

/// The record with the median completion time: of two, the earlier one. Unfinished ones come last.
fn median(copies: &[&Record]) -> Record {
    let mut records = copies.to_vec();
    let completion_s = |record: &Record| record.completion_s.unwrap_or(f64::INFINITY);
    records.sort_by(|a, b| completion_s(a).total_cmp(&completion_s(b)));
    records[(records.len() - 1) / 2].clone()
}

/// Whether the path has nothing random and no competing flows.
fn is_deterministic(case: &Case) -> bool {
    let is_deterministic = |channel: &Channel| {
        let recorded = channel.recorded_loss.iter();
        let mut losses_ppm = channel
            .changes
            .iter()
            .filter_map(|change| change.loss_ppm)
            .chain([channel.loss_ppm])
            .map(u64::from)
            .chain(recorded.flat_map(|recorded| recorded.values.values()));
        // A loss of all packets is not random.
        let loses_at_random = losses_ppm.any(|ppm| ppm != 0 && ppm != 1_000_000);
        // RED and DualPI2 choose at random which packets they drop.
        let draws_drops = matches!(
            channel.discipline,
            Discipline::Red(_) | Discipline::DualPi2(_)
        );
        !loses_at_random
            && channel.bursts.is_none()
            && channel.duplicate_ppm == 0
            && channel.jitter.is_none_or(|jitter| jitter.max_ns == 0)
            && channel.late.is_none()
            && channel.steps.is_none()
            && !channel.is_poisson
            && !draws_drops
    };
    case.traffic.is_empty()
        && is_deterministic(&case.path.forward)
        && is_deterministic(&case.path.reverse)
}
