//! The phases of a sender's start-up.

use onramp_core::{phase_name, PHASE_AVOIDANCE, PHASE_SLOW_START};
use onramp_tcp::Connection;

/// Maximum number of changes. A sender that alternates for ever keeps the first ones.
const MAX_CHANGES: usize = 1000;

/// A phase begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// When it begins.
    pub time_ns: u64,
    /// Its name, as in records.
    pub name: &'static str,
}

#[derive(Debug, Default)]
pub(super) struct Phases {
    changes: Vec<Change>,
    last: Option<u32>,
}

impl Phases {
    /// The sender has acted.
    pub fn look(&mut self, time_ns: u64, sender: &Connection) {
        let window = sender.window();
        let phase = match sender.startup() {
            Some(decision) => decision.phase,
            // RFC 5681, section 3.1.
            None if window.cwnd_bytes < window.ssthresh_bytes => PHASE_SLOW_START,
            None => PHASE_AVOIDANCE,
        };
        if self.last == Some(phase) || self.changes.len() == MAX_CHANGES {
            return;
        }
        self.last = Some(phase);
        self.changes.push(Change {
            time_ns,
            name: phase_name(phase),
        });
    }

    pub fn into_changes(self) -> Vec<Change> {
        self.changes
    }
}
