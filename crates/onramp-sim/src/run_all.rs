//! Runs many cases on several threads and reports their outcomes in the order of the cases.

use crate::{run, Error, Options, Outcome};
use onramp_scenario::Case;
use rayon::iter::{ParallelBridge, ParallelIterator};
use rayon::ThreadPoolBuilder;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::mpsc;

/// Simulates cases on `threads` threads. Each outcome is passed to `done` with the index of its
/// case, in the order of the cases and on the calling thread. The calls do not depend on the number
/// of threads. If `done` breaks, cases that have not started are not started.
///
/// # Panics
/// If the system cannot start the threads.
pub fn run_all(
    cases: &[&Case],
    options: &Options,
    threads: usize,
    done: impl FnMut(usize, Result<Outcome, Error>) -> ControlFlow<()>,
) {
    run_all_with(
        cases.len(),
        threads,
        |index| run(cases[index], options),
        done,
    );
}

/// The same as [`run_all`] for any task: calls `run` for each index below `count`, for example to
/// simulate a case with an observer.
///
/// # Panics
/// If the system cannot start the threads.
pub fn run_all_with<T: Send>(
    count: usize,
    threads: usize,
    run: impl Fn(usize) -> T + Sync,
    mut done: impl FnMut(usize, T) -> ControlFlow<()>,
) {
    let threads = threads.clamp(1, count.max(1));
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("the system can start the threads");
    let (sender, outcomes) = mpsc::sync_channel(2 * threads);
    pool.in_place_scope(|scope| {
        let run = &run;
        // `par_bridge` takes the indices in order. Rayon's indexed iterators would start in the
        // middle of the range too, and the first outcomes would then hold back many others. An
        // error of `send` means that `done` has broken off: it ends the iteration.
        scope.spawn(move |_| {
            let _ = (0..count)
                .par_bridge()
                .try_for_each(|index| sender.send((index, run(index))));
        });
        // Rayon can collect in order only when everything is done. Here an outcome waits only for
        // those of the cases before it, so that `done` can report it, and break off, early.
        let mut early = BTreeMap::new();
        let mut next = 0;
        for (index, outcome) in outcomes {
            early.insert(index, outcome);
            while let Some(outcome) = early.remove(&next) {
                if done(next, outcome).is_break() {
                    return;
                }
                next += 1;
            }
        }
    });
}
