//! What an acknowledgement told.

use super::Sent;

/// A segment whose arrival became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// When it was sent last.
    pub sent_ns: u64,
    /// Place behind its last byte.
    pub end: u64,
    /// It was sent more than once.
    pub repeated: bool,
}

/// What an acknowledgement told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Cumulatively acknowledged.
    pub acked_bytes: u64,
    /// Newly known to have arrived, by either kind of acknowledgement.
    pub delivered_bytes: u64,
    /// Selectively acknowledged, and not before.
    pub sacked_bytes: u64,
    /// Oldest and newest sending time of what was cumulatively acknowledged and sent once only;
    /// `None` if any of it had been sent again.
    pub acked_sent_ns: Option<(u64, u64)>,
    /// The newest sending time of what was selectively acknowledged and sent once only.
    pub sacked_sent_ns: Option<u64>,
    /// Something that had been sent again was cumulatively acknowledged.
    pub repeated_acked: bool,
    /// Of all that arrived, the segment that was sent last (RFC 8985, section 6.2, step 2).
    pub newest: Option<Arrived>,
    /// The same of segments that were sent once only.
    pub newest_once: Option<Arrived>,
    /// Place behind the highest byte that was known to have arrived before (RACK.fack of RFC 8985).
    /// What is told by one acknowledgement says nothing of the order in which it arrived.
    pub known_before: u64,
    /// Something arrived that was sent before what had arrived already: the path reorders. Its
    /// place is the least.
    pub reordered: Option<u64>,
}

impl Arrived {
    pub(super) fn of(segment: &Sent) -> Arrived {
        Arrived {
            sent_ns: segment.sent_ns,
            end: segment.end(),
            repeated: segment.is_repeated(),
        }
    }

    /// Was it sent after another (RFC 8985, section 6.2, RACK_sent_after)? Of two that left in the
    /// same moment, one for the first time and one again, nobody can tell.
    pub fn was_sent_after(&self, other: &Sent) -> bool {
        self.is_newer_than(&Arrived::of(other))
    }

    fn is_newer_than(&self, other: &Arrived) -> bool {
        let same_moment = self.sent_ns == other.sent_ns && self.repeated == other.repeated;
        self.sent_ns > other.sent_ns || same_moment && self.end > other.end
    }

    /// Takes the place of one that was sent before it.
    pub fn keep_newest(self, newest: &mut Option<Arrived>) {
        if newest.is_none_or(|newest| self.is_newer_than(&newest)) {
            *newest = Some(self);
        }
    }
}

impl Delivery {
    pub(super) fn arrived(&mut self, segment: &Sent) {
        let arrived = Arrived::of(segment);
        arrived.keep_newest(&mut self.newest);
        if !arrived.repeated {
            arrived.keep_newest(&mut self.newest_once);
            if arrived.end < self.known_before {
                self.reordered = Some(
                    self.reordered
                        .map_or(segment.start, |least| least.min(segment.start)),
                );
            }
        }
    }
}
