//! Branches of a run: runs that are the same until their measured transfer starts.

use super::source::Source;
use super::Engine;
use crate::error::Error;
use crate::observe::Observer;
use crate::plan::Plan;
use std::sync::atomic::AtomicBool;

impl<O: Observer> Engine<O> {
    /// Processes all events before `until_ns`, unless `stop` is set.
    pub fn run_until(&mut self, until_ns: u64, stop: &AtomicBool) -> Result<(), Error> {
        let is_before = |engine: &Self| {
            let next = engine.net.queue.next();
            next.is_some_and(|(time_ns, _)| time_ns < until_ns)
        };
        while is_before(self) && self.step() {
            self.check_stop(stop)?;
        }
        Ok(())
    }
}

impl<O: Observer + Clone> Engine<O> {
    /// A copy of this run in which the measured transfer is that of `plan`. The transfer has not
    /// started, and both plans are the same in everything else.
    pub fn branch(&self, plan: Plan) -> Engine<O> {
        debug_assert!(self.bundles.is_empty(), "traffic has one connection each");
        let mut branch = Engine {
            net: self.net.clone(),
            flows: self.flows.clone(),
            sources: self.sources.clone(),
            bundles: Vec::new(),
            finished: self.finished.clone(),
            links_at_completion: self.links_at_completion.clone(),
            meter: self.meter.clone(),
            ..*self
        };
        branch.flows.set_groups(plan.groups);
        // The transfer is the first source of every plan.
        let transfer = plan.loads.into_iter().next();
        let transfer = transfer.expect("a plan has a transfer");
        branch.sources[0] = Source::new(transfer, self.sources[0].is_measured);
        branch
    }
}
