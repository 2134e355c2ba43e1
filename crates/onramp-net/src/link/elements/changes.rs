//! The coming changes of a link's rate, delay and loss: those of its configuration, random steps
//! of its rate, and those of a recording.

use super::recorded::Recorded;
use super::steps::Steps;
use crate::{Change, Config};

/// The changes that are still to come.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    /// In reverse order of time: the next change is the last element.
    reversed: Vec<Change>,
    steps: Option<Box<Steps>>,
    /// Recorded rate, delay and loss.
    recorded: Vec<Recorded>,
    next_ns: u64,
}

impl Changes {
    pub fn new(config: &Config) -> Changes {
        let mut changes = Changes {
            reversed: config.changes.iter().rev().copied().collect(),
            steps: Steps::new(config).map(Box::new),
            recorded: Recorded::all(config),
            next_ns: 0,
        };
        changes.find_next();
        changes
    }

    /// Time of the next change, or `u64::MAX` if there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Removes the next change if it is due at `now_ns`.
    pub fn pop_until(&mut self, now_ns: u64) -> Option<Change> {
        if self.next_ns > now_ns {
            return None;
        }
        let next_ns = self.next_ns;
        let mut recorded = self.recorded.iter_mut();
        let recorded = recorded.find(|recorded| recorded.next_ns() == next_ns);
        let change = match (&mut self.steps, recorded) {
            (Some(steps), _) if steps.next_ns() == next_ns => Some(steps.pop()),
            (_, Some(recorded)) => Some(recorded.pop()),
            _ => self.reversed.pop(),
        };
        self.find_next();
        change
    }

    fn find_next(&mut self) {
        let change_ns = self.reversed.last().map_or(u64::MAX, |change| change.at_ns);
        let step_ns = self
            .steps
            .as_ref()
            .map_or(u64::MAX, |steps| steps.next_ns());
        let recorded_ns = self.recorded.iter().map(Recorded::next_ns);
        self.next_ns = recorded_ns.fold(change_ns.min(step_ns), u64::min);
    }
}
