//! A link whose rate, delay and loss change at given times.

use super::Link;
use crate::serialiser::{Instant, Serialiser};
use crate::{Change, Packet};

/// The changes to come.
#[derive(Debug)]
pub(super) struct Changes {
    /// The next one is the last here.
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

    /// When the next change is; the end of time if there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    fn pop_until(&mut self, now_ns: u64) -> Option<Change> {
        let change = self.reversed.pop_if(|change| change.at_ns <= now_ns);
        self.next_ns = next_ns(&self.reversed);
        change
    }
}

fn next_ns(reversed: &[Change]) -> u64 {
    reversed.last().map_or(u64::MAX, |change| change.at_ns)
}

impl<P: Packet> Link<P> {
    /// Makes all changes up to `now_ns`, each when everything before it has been done.
    #[cold]
    pub(super) fn advance_over_changes(&mut self, now_ns: u64) {
        while let Some(change) = self.changes.pop_until(now_ns) {
            // Exactly until then: a packet whose last bit leaves in a later part of that nanosecond
            // is in service.
            while self.busy_until <= Instant::at(change.at_ns) && self.end_service() {}
            if let Some(rate_bits_per_s) = change.rate_bits_per_s {
                self.change_rate(change.at_ns, Serialiser::new(rate_bits_per_s));
            }
            if let Some(delay_ns) = change.delay_ns {
                self.line.set_delay_ns(delay_ns);
            }
            if let Some(loss_ppm) = change.loss_ppm {
                self.loss.change_to(loss_ppm);
            }
        }
    }

    fn change_rate(&mut self, at_ns: u64, serialiser: Serialiser) {
        let before = std::mem::replace(&mut self.serialiser, serialiser);
        self.busy_until = match &self.in_service {
            Some(packet) => {
                serialiser.end_after_change(&before, at_ns, self.busy_until, packet.wire_bytes())
            }
            None => Instant::at(at_ns),
        };
    }
}
