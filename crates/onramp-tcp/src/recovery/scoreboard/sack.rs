//! Selective acknowledgements.

use super::sent::{LOST, RETRANSMITTED, SACKED};
use super::{Delivery, Scoreboard};

impl Scoreboard {
    /// Processes one block of the peer's SACK option.
    pub fn sack(&mut self, left: u64, right: u64, delivery: &mut Delivery) {
        let (left, right) = (left.max(self.una), right.min(self.nxt));
        let mut offset = left;
        while offset < right {
            // The next part of the block that is not covered yet.
            let next = self.sacked.partition_point(|range| range.1 <= offset);
            let limit = match self.sacked.get(next) {
                Some(&(start, end)) if start <= offset => {
                    offset = end;
                    continue;
                }
                Some(&(start, _)) => start.min(right),
                None => right,
            };
            self.sack_whole_segments(offset, limit, delivery);
            offset = limit;
        }
    }

    /// Processes a D-SACK block, before other blocks and before the acknowledgement. Returns the
    /// number of retransmitted segments in flight that lie in it.
    ///
    /// A segment that was selectively acknowledged, and whose copy arrived later, was only late:
    /// the path reorders.
    pub fn duplicate(&self, left: u64, right: u64, delivery: &mut Delivery) -> u32 {
        let mut copies = 0;
        for segment in self.segments.range(self.index_of(left)..) {
            if segment.end() > right {
                break;
            }
            if !segment.was_ever_retransmitted() {
                continue;
            }
            copies += 1;
            if segment.is_sacked() && segment.start < delivery.prior_fack {
                let first = delivery.reordered.unwrap_or(segment.start);
                delivery.reordered = Some(first.min(segment.start));
            }
        }
        copies
    }

    /// Marks the segments that lie wholly between two offsets.
    fn sack_whole_segments(&mut self, left: u64, right: u64, delivery: &mut Delivery) {
        let mut index = self.index_of(left);
        let mut covered: Option<(u64, u64)> = None;
        while let Some(segment) = self.segments.get_mut(index) {
            if segment.end() > right {
                break;
            }
            let len = u64::from(segment.len);
            if segment.is_retransmitted() {
                self.retransmitted_bytes -= len;
            }
            if segment.is_lost() {
                self.lost_bytes -= len;
            }
            if segment.awaits_retransmission() {
                self.pending_retransmit_bytes -= len;
            }
            segment.marks = segment.marks & !(LOST | RETRANSMITTED) | SACKED;
            self.sacked_bytes += len;
            self.sacked_segments += 1;
            delivery.sacked_bytes += len;
            delivery.delivered_bytes += len;
            if !segment.was_ever_retransmitted() {
                delivery.sacked_sent_ns =
                    Some(delivery.sacked_sent_ns.unwrap_or(0).max(segment.sent_ns));
            }
            let segment = *segment;
            delivery.arrived(&segment);
            covered = Some((
                covered.map_or(segment.start, |range| range.0),
                segment.end(),
            ));
            index += 1;
        }
        if let Some(range) = covered {
            self.cover(range);
        }
    }

    /// Adds a range to the sacked ones, and joins adjacent ranges. The range overlaps no other.
    fn cover(&mut self, (mut start, mut end): (u64, u64)) {
        let mut at = self.sacked.partition_point(|range| range.1 < start);
        if let Some(range) = self
            .sacked
            .get(at)
            .copied()
            .filter(|range| range.1 == start)
        {
            start = range.0;
            self.sacked.remove(at);
        }
        if let Some(range) = self.sacked.get(at).copied().filter(|range| range.0 == end) {
            end = range.1;
            self.sacked.remove(at);
        }
        at = at.min(self.sacked.len());
        self.sacked.insert(at, (start, end));
    }
}
