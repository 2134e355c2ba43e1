//! The coming changes of a link's rate, delay and loss.

use crate::Change;

/// The changes that are still to come.
#[derive(Debug)]
pub(super) struct Changes {
    /// In reverse order of time: the next change is the last element.
    reversed: Vec<Change>,
    next_ns: u64,
}

impl Changes {
    pub fn new(changes: &[Change]) -> Changes {
        let reversed: Vec<Change> = changes.iter().rev().copied().collect();
        Changes {
            next_ns: next_ns(&reversed),
            reversed,
        }
    }

    /// Time of the next change, or `u64::MAX` if there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Removes the next change if it is due at `now_ns`.
    pub fn pop_until(&mut self, now_ns: u64) -> Option<Change> {
        let change = self.reversed.pop_if(|change| change.at_ns <= now_ns);
        self.next_ns = next_ns(&self.reversed);
        change
    }
}

fn next_ns(reversed: &[Change]) -> u64 {
    reversed.last().map_or(u64::MAX, |change| change.at_ns)
}
