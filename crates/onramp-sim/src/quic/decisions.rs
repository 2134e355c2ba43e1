//! The decisions of a connection's start-up, from noq's congestion controller to the flow's log.

use super::clock;
use onramp_core::Decision;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Decisions with their times, in the order in which they were made. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Decisions(Arc<Mutex<Vec<(u64, Decision)>>>);

impl Decisions {
    /// The start-up has decided.
    pub fn add(&self, now: Instant, decision: &Decision) {
        let mut decisions = self.0.lock().expect("no thread panics with the lock");
        decisions.push((clock::ns_of(now), *decision));
    }

    /// Takes the decisions so far.
    pub fn take(&self) -> Vec<(u64, Decision)> {
        std::mem::take(&mut self.0.lock().expect("no thread panics with the lock"))
    }
}
