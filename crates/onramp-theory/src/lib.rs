#![doc = include_str!("../README.md")]

pub mod chaher;
mod comparison;
pub mod formulas;
mod meter;
mod periodic;
mod random;
mod row;
mod sawtooth;
mod scenario_text;
mod sharing;

pub use comparison::{Allowed, Comparison, Measured, Quantity, Section};
pub use row::Row;

use onramp_sim::{Error, Options};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;

/// All comparisons, in the order of `docs/theory.md`.
pub fn comparisons() -> Vec<Comparison> {
    let sections = [
        periodic::square_root_law(),
        random::square_root_law(),
        random::padhye(),
        sharing::rtt_bias(),
        periodic::cubic_response(),
        sawtooth::sawtooth(),
    ];
    sections.into_iter().flatten().collect()
}

/// Measures all `comparisons` on `threads` threads. The results are in the order of the comparisons
/// and do not depend on the number of threads. `on_measured` is called after each one.
///
/// # Errors
/// The first error in the order of the comparisons; [`Error::Stopped`] if `options.stop` was set.
///
/// # Panics
/// If a scenario of a comparison is invalid.
pub fn measure(
    comparisons: &[Comparison],
    options: &Options,
    threads: usize,
    on_measured: impl Fn() + Sync,
) -> Result<Vec<Measured>, Error> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![None; comparisons.len()]);
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, comparisons.len().max(1)) {
            scope.spawn(|| loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(comparison) = comparisons.get(index) else {
                    return;
                };
                let measured = comparison.measure(options);
                results
                    .lock()
                    .expect("no thread panics while it holds the lock")[index] = Some(measured);
                on_measured();
            });
        }
    });
    let results = results
        .into_inner()
        .expect("no thread panics while it holds the lock");
    results
        .into_iter()
        .map(|result| result.expect("every index was taken by a thread"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simulator_supports_every_scenario() {
        for comparison in comparisons() {
            let scenario = onramp_scenario::parse("theory.toml", &comparison.scenario);
            let scenario =
                scenario.unwrap_or_else(|error| panic!("{error}\n{}", comparison.scenario));
            assert!(scenario
                .cases
                .iter()
                .all(|case| case.duration_ns.is_some() && onramp_sim::supports(case).is_ok()));
        }
    }

    #[test]
    fn every_section_with_one_flow_has_quick_rows() {
        let titles: Vec<_> = comparisons()
            .into_iter()
            .filter(|row| row.is_quick)
            .map(|row| row.section.title)
            .collect();
        for part in ["1.", "2b.", "4.", "5a.", "5b."] {
            assert!(titles.iter().any(|title| title.starts_with(part)), "{part}");
        }
    }

    #[test]
    fn the_name_of_a_row_is_unique_within_its_section() {
        let mut names: Vec<_> = comparisons()
            .into_iter()
            .map(|row| (row.section.title, row.what))
            .collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
