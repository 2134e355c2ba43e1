//! Many cases on several threads, with their outcomes in the cases' order.

use crate::{run, Error, Options, Outcome};
use onramp_scenario::Case;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Runs cases on so many threads and hands each outcome to `done`, with the case's place, in the cases' order and on
/// the calling thread. Whatever the number of threads, `done` is called with the same in the same order; when it
/// breaks off, cases that have not begun do not begin any more.
pub fn run_all(
    cases: &[&Case],
    options: &Options,
    threads: usize,
    mut done: impl FnMut(usize, Result<Outcome, Error>) -> ControlFlow<()>,
) {
    let next = AtomicUsize::new(0);
    let threads = threads.clamp(1, cases.len().max(1));
    let (sender, outcomes) = mpsc::sync_channel(2 * threads);
    thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(case) = cases.get(place) else { return };
                if sender.send((place, run(case, options))).is_err() {
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
