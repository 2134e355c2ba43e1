//! What an acknowledgement reported.

use super::Sent;

/// A segment whose arrival was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// When it was last sent.
    pub sent_ns: u64,
    /// Offset after the last byte.
    pub end: u64,
    /// It was sent more than once.
    pub was_retransmitted: bool,
}

/// What an acknowledgement reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Bytes cumulatively acknowledged.
    pub acked_bytes: u64,
    /// Bytes newly reported as arrived, cumulatively or selectively.
    pub delivered_bytes: u64,
    /// Bytes newly selectively acknowledged.
    pub sacked_bytes: u64,
    /// Oldest and newest sending time of the cumulatively acknowledged segments, if all were sent
    /// once; `None` if any was retransmitted.
    pub acked_sent_ns: Option<(u64, u64)>,
    /// Newest sending time of the newly sacked segments that were sent once.
    pub sacked_sent_ns: Option<u64>,
    /// A retransmitted segment was cumulatively acknowledged.
    pub retransmitted_acked: bool,
    /// Of all segments that arrived, the one sent last (RFC 8985, section 6.2, step 2).
    pub newest: Option<Arrived>,
    /// The same among the segments that were sent once.
    pub newest_sent_once: Option<Arrived>,
    /// Of the segments that were sent once, the lowest offset after the last byte of one.
    pub first_sent_once_end: Option<u64>,
    /// Offset after the highest byte whose arrival was reported earlier (RACK.fack of RFC 8985).
    /// One acknowledgement does not show the order in which its segments arrived.
    pub prior_fack: u64,
    /// Lowest offset of a segment that arrived after one that was sent later: the path reorders.
    pub reordered: Option<u64>,
}

impl Arrived {
    pub(super) fn of(segment: &Sent) -> Arrived {
        Arrived {
            sent_ns: segment.sent_ns,
            end: segment.end(),
            was_retransmitted: segment.was_ever_retransmitted(),
        }
    }

    /// Was it sent after the other segment (RFC 8985, section 6.2, RACK_sent_after)? `false` if
    /// both were sent at the same time and only one of them was a retransmission.
    pub fn was_sent_after(&self, other: &Sent) -> bool {
        self.is_newer_than(&Arrived::of(other))
    }

    fn is_newer_than(&self, other: &Arrived) -> bool {
        let same_moment =
            self.sent_ns == other.sent_ns && self.was_retransmitted == other.was_retransmitted;
        self.sent_ns > other.sent_ns || same_moment && self.end > other.end
    }

    /// Replaces `newest` if it was sent later.
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
        if !arrived.was_retransmitted {
            arrived.keep_newest(&mut self.newest_sent_once);
            let first = self.first_sent_once_end.unwrap_or(arrived.end);
            self.first_sent_once_end = Some(first.min(arrived.end));
            if arrived.end < self.prior_fack {
                self.reordered = Some(
                    self.reordered
                        .map_or(segment.start, |min| min.min(segment.start)),
                );
            }
        }
    }
}
