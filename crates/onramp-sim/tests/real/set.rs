//! The families of the set, and how their scenarios are run.

use crate::cell::{cells, Cell};
use crate::root;
pub use onramp_comparison::{Kind, RealPaths as Family};
use onramp_results::Record;
use onramp_scenario::Case;
use onramp_sim::{run_all, supports, Options};
use std::ops::ControlFlow;

/// How much of the set is run.
#[derive(Clone, Copy, PartialEq)]
pub enum Extent {
    /// Few repeats, for `make test`.
    Part,
    /// Everything.
    Whole,
}

/// All families, in the order of the table.
pub fn families() -> Vec<Family> {
    onramp_comparison::real_paths(&root().join("scenarios/real"))
}

/// The same families with transfers over QUIC.
#[cfg(feature = "quic")]
pub fn over_quic(mut families: Vec<Family>) -> Vec<Family> {
    let scenarios = families.iter_mut().flat_map(|family| &mut family.scenarios);
    for case in scenarios.flat_map(|scenario| &mut scenario.cases) {
        case.transfer.transport = onramp_scenario::Transport::Quic;
    }
    families
}

/// The repeats of a family that are run.
fn repeats(kind: Kind, extent: Extent) -> u32 {
    match (extent, kind) {
        (Extent::Whole, _) => u32::MAX,
        (Extent::Part, Kind::Together | Kind::Beside) => 1,
        (Extent::Part, _) => 3,
    }
}

/// Whether `make test` leaves a case out because it takes too long.
fn is_left_out(kind: Kind, case: &Case) -> bool {
    match kind {
        Kind::Together => case.transfer.count > 10 || case.transfer.spacing.mean_ns() > 10_000_000,
        Kind::Beside => case.path.forward.queue.to_string() != "1 bdp",
        Kind::Long => case.path.forward.rate_bits_per_s > 1_000_000_000,
        _ => false,
    }
}

/// The cells of each family, in the order of the families.
pub fn run(families: &[Family], extent: Extent) -> Vec<Vec<Cell>> {
    let mut cases: Vec<(usize, usize, Case)> = Vec::new();
    for (number, family) in families.iter().enumerate() {
        let is_run = |case: &&Case| {
            case.run <= repeats(family.kind, extent)
                && !(extent == Extent::Part && is_left_out(family.kind, case))
                && supports(case).is_ok()
        };
        for (source, scenario) in family.scenarios.iter().enumerate() {
            let of_file = scenario.cases.iter().filter(is_run).cloned();
            cases.extend(of_file.map(|case| (number, source, case)));
        }
    }
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    let to_run: Vec<&Case> = cases.iter().map(|(_, _, case)| case).collect();
    let mut records: Vec<Vec<(usize, Case, Vec<Record>)>> = Vec::new();
    records.resize_with(families.len(), Vec::new);
    run_all(&to_run, &Options::default(), threads, |index, outcome| {
        let (family, source, case) = &cases[index];
        let outcome = outcome.unwrap_or_else(|error| panic!("{}: {error}", case.scenario));
        records[*family].push((*source, case.clone(), outcome.records));
        ControlFlow::Continue(())
    });
    records.into_iter().map(cells).collect()
}
