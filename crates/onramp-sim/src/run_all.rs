//! Many cases on several threads, with their outcomes in the cases' order.

use crate::{run, Error, Options, Outcome};
use onramp_scenario::Case;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Runs cases on so many threads and hands each outcome to `done`, with the case's place, in the
/// cases' order and on the calling thread. Whatever the number of threads, `done` is called with
/// the same in the same order; when it breaks off, cases that have not begun do not begin any more.
pub fn run_all(
    cases: &[&Case],
    options: &Options,
    threads: usize,
    done: impl FnMut(usize, Result<Outcome, Error>) -> ControlFlow<()>,
) {
    run_all_with(
        cases.len(),
        threads,
        |place| run(cases[place], options),
        done,
    );
}

/// The same for whatever is to be done at each of so many places, for example a run before an
/// observer.
pub fn run_all_with<T: Send>(
    places: usize,
    threads: usize,
    run: impl Fn(usize) -> T + Sync,
    mut done: impl FnMut(usize, T) -> ControlFlow<()>,
) {
    let next = AtomicUsize::new(0);
    let threads = threads.clamp(1, places.max(1));
    let (sender, outcomes) = mpsc::sync_channel(2 * threads);
    thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, run) = (sender.clone(), &next, &run);
            scope.spawn(move || loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                if place >= places || sender.send((place, run(place))).is_err() {
                    return;
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut wanted = 0;
        // Dropped at a break: a worker that cannot hand over its outcome ends.
        for (place, outcome) in outcomes {
            early.insert(place, outcome);
            while let Some(outcome) = early.remove(&wanted) {
                if done(wanted, outcome).is_break() {
                    return;
                }
                wanted += 1;
            }
        }
    });
}
