//! Scoreboard of the segments that were sent and not cumulatively acknowledged (RFC 6675, section
//! 3).
//!
//! ```text
//!   una                                                                      nxt
//!    |  lost  |  lost, retransmitted  | in flight | sacked | in flight | ... |
//!
//!   pipe = all bytes - sacked - lost + retransmitted
//! ```

mod delivery;
mod sack;
mod sent;

pub use delivery::{Arrived, Delivery};
pub use sent::Sent;

use crate::avoidance::LostSegment;
use sent::{EVER_RETRANSMITTED, LOST, RETRANSMITTED, SACKED};
use std::collections::VecDeque;

/// The record of the segments in flight.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    segments: VecDeque<Sent>,
    /// Ranges that consist of sacked whole segments: sorted, not adjacent.
    sacked: Vec<(u64, u64)>,
    una: u64,
    nxt: u64,
    sacked_bytes: u64,
    sacked_segments: u32,
    lost_bytes: u64,
    retransmitted_bytes: u64,
    /// Marked lost, and not retransmitted since.
    pending_retransmit_bytes: u64,
    /// All bytes ever marked lost.
    total_lost_bytes: u64,
    /// Segments marked lost since they were last asked for.
    newly_lost: Vec<LostSegment>,
    /// No segment below this offset is lost and waits for its retransmission.
    lost_hint: u64,
    /// No segment below this offset was sent once and is neither lost nor sacked. Time-based loss
    /// detection starts here.
    in_flight_hint: u64,
    /// Sending time and end of each retransmitted segment, in the order of retransmission.
    /// Time-based loss detection uses them.
    retransmitted: VecDeque<(u64, u64)>,
}

impl Scoreboard {
    /// SND.UNA: the first offset that is not acknowledged.
    pub fn una(&self) -> u64 {
        self.una
    }

    /// SND.NXT: the next offset to send.
    pub fn nxt(&self) -> u64 {
        self.nxt
    }

    /// Bytes sent and not cumulatively acknowledged (FlightSize of RFC 5681).
    pub fn flight_size_bytes(&self) -> u64 {
        self.nxt - self.una
    }

    /// Estimated bytes in flight (pipe of RFC 6675, section 4).
    pub fn pipe_bytes(&self) -> u64 {
        self.nxt - self.una - self.sacked_bytes - self.lost_bytes + self.retransmitted_bytes
    }

    /// Bytes selectively acknowledged.
    pub fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// Number of selectively acknowledged segments.
    pub fn sacked_segments(&self) -> u32 {
        self.sacked_segments
    }

    /// Bytes marked lost, whether retransmitted or not.
    pub fn lost_bytes(&self) -> u64 {
        self.lost_bytes
    }

    /// Bytes marked lost that wait for their retransmission.
    pub fn pending_retransmit_bytes(&self) -> u64 {
        self.pending_retransmit_bytes
    }

    /// Segments that were marked lost since [`forget_newly_lost`](Self::forget_newly_lost).
    pub fn newly_lost(&self) -> &[LostSegment] {
        &self.newly_lost
    }

    /// They have been processed.
    pub fn forget_newly_lost(&mut self) {
        self.newly_lost.clear();
    }

    /// Bytes retransmitted, and neither reported as arrived nor marked lost since.
    pub fn retransmitted_bytes(&self) -> u64 {
        self.retransmitted_bytes
    }

    /// Is a retransmission in flight, or was the first segment ever retransmitted?
    pub fn has_retransmissions(&self) -> bool {
        let first = self.segments.front();
        self.retransmitted_bytes > 0 || first.is_some_and(Sent::was_ever_retransmitted)
    }

    /// Bytes marked lost since the start. A retransmission that is lost counts again.
    pub fn total_lost_bytes(&self) -> u64 {
        self.total_lost_bytes
    }

    /// An empty delivery report for the next acknowledgement.
    pub fn delivery(&self) -> Delivery {
        Delivery {
            prior_fack: self.highest_sacked(),
            ..Delivery::default()
        }
    }

    /// Offset after the highest byte that was selectively acknowledged.
    pub fn highest_sacked(&self) -> u64 {
        self.sacked.last().map_or(self.una, |range| range.1)
    }

    /// The selectively acknowledged ranges, in order.
    pub fn sacked_ranges(&self) -> &[(u64, u64)] {
        &self.sacked
    }

    /// The segments, in order.
    pub fn segments(&self) -> &VecDeque<Sent> {
        &self.segments
    }

    /// The segment with this index.
    pub fn segment(&self, index: usize) -> &Sent {
        &self.segments[index]
    }

    /// Number of segments in flight.
    pub fn len(&self) -> usize {
        self.segments.len()
    }

    /// Is nothing in flight?
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Adds new data that was sent.
    pub fn send(&mut self, now_ns: u64, len: u32) {
        self.segments.push_back(Sent {
            start: self.nxt,
            sent_ns: now_ns,
            len,
            marks: 0,
        });
        self.nxt += u64::from(len);
    }

    /// Records the retransmission of a segment.
    pub fn retransmit(&mut self, now_ns: u64, index: usize) {
        let segment = &mut self.segments[index];
        segment.sent_ns = now_ns;
        segment.marks |= EVER_RETRANSMITTED;
        self.retransmitted.push_back((now_ns, segment.end()));
        if !segment.is_retransmitted() {
            segment.marks |= RETRANSMITTED;
            self.retransmitted_bytes += u64::from(segment.len);
            if segment.is_lost() {
                self.pending_retransmit_bytes -= u64::from(segment.len);
            }
        }
    }

    /// Marks a segment lost. Returns whether it was not marked yet, or was retransmitted since.
    pub fn mark_lost(&mut self, index: usize) -> bool {
        let marked = self.mark(index);
        if marked {
            let segment = self.segments[index];
            self.total_lost_bytes += u64::from(segment.len);
            self.newly_lost.push(LostSegment {
                start: segment.start,
                len: segment.len,
                sent_ns: segment.sent_ns,
            });
        }
        marked
    }

    fn mark(&mut self, index: usize) -> bool {
        let segment = &mut self.segments[index];
        if segment.is_sacked() || segment.is_lost() && !segment.is_retransmitted() {
            return false;
        }
        if segment.is_retransmitted() {
            segment.marks &= !RETRANSMITTED;
            self.retransmitted_bytes -= u64::from(segment.len);
        }
        if !segment.is_lost() {
            segment.marks |= LOST;
            self.lost_bytes += u64::from(segment.len);
        }
        self.pending_retransmit_bytes += u64::from(segment.len);
        self.lost_hint = self.lost_hint.min(segment.start);
        true
    }

    /// Marks all segments lost that are not sacked, as after a timeout.
    pub fn mark_all_lost(&mut self) {
        for index in 0..self.segments.len() {
            self.mark_lost(index);
        }
        self.retransmitted.clear();
    }

    /// No segment counts as lost any more: they were late. Those that were retransmitted remain so.
    pub fn unmark_lost(&mut self) {
        for segment in self.segments.iter_mut().filter(|segment| segment.is_lost()) {
            segment.marks &= !LOST;
            if segment.was_ever_retransmitted() && !segment.is_retransmitted() {
                self.retransmitted
                    .push_back((segment.sent_ns, segment.end()));
            }
        }
        self.retransmitted.make_contiguous().sort_unstable();
        self.lost_bytes = 0;
        self.pending_retransmit_bytes = 0;
        self.in_flight_hint = self.una;
    }

    /// Prepares the retransmission of everything that is not sacked, from the first segment on.
    /// Only that segment is known to be lost, so the others do not count as losses.
    pub fn go_back_n(&mut self) {
        for index in 0..self.segments.len() {
            self.mark(index);
        }
        self.retransmitted.clear();
    }

    /// Marks sacked segments lost, because the peer has discarded them (RFC 2018, section 8).
    pub fn forget_sacked(&mut self) {
        self.sacked.clear();
        self.sacked_bytes = 0;
        self.sacked_segments = 0;
        for index in 0..self.segments.len() {
            if self.segments[index].is_sacked() {
                self.segments[index].marks &= !SACKED;
                self.mark_lost(index);
            }
        }
    }

    /// Index of the first lost segment that waits for its retransmission.
    pub fn next_lost(&mut self) -> Option<usize> {
        if self.pending_retransmit_bytes == 0 {
            return None;
        }
        let from = self.index_of(self.lost_hint);
        let index = (from..self.segments.len())
            .find(|&index| self.segments[index].awaits_retransmission())?;
        self.lost_hint = self.segments[index].start;
        Some(index)
    }

    /// Index of the first segment that starts at or above this offset.
    pub fn index_of(&self, offset: u64) -> usize {
        if offset <= self.una {
            return 0;
        }
        self.segments
            .partition_point(|segment| segment.start < offset)
    }

    /// Removes everything below `una`, which has arrived.
    pub fn acknowledge(&mut self, una: u64, delivery: &mut Delivery) {
        debug_assert!(self.una <= una && una <= self.nxt);
        delivery.acked_bytes += una - self.una;
        while let Some(first) = self.segments.front_mut() {
            if first.start >= una {
                break;
            }
            let taken = u64::from(first.len).min(una - first.start);
            let segment = *first;
            if segment.is_sacked() {
                self.sacked_bytes -= taken;
            } else {
                delivery.delivered_bytes += taken;
                delivery.arrived(&segment);
            }
            self.lost_bytes -= if segment.is_lost() { taken } else { 0 };
            self.retransmitted_bytes -= if segment.is_retransmitted() { taken } else { 0 };
            self.pending_retransmit_bytes -= if segment.awaits_retransmission() {
                taken
            } else {
                0
            };
            self.sacked_segments -= u32::from(segment.is_sacked() && segment.end() <= una);
            if segment.was_ever_retransmitted() {
                delivery.retransmitted_acked = true;
            } else if !segment.is_sacked() {
                let (oldest, newest) = delivery
                    .acked_sent_ns
                    .unwrap_or((segment.sent_ns, segment.sent_ns));
                delivery.acked_sent_ns =
                    Some((oldest.min(segment.sent_ns), newest.max(segment.sent_ns)));
            }
            if segment.end() > una {
                let first = self.segments.front_mut().expect("it was just there");
                first.start = una;
                first.len -= taken as u32;
                break;
            }
            self.segments.pop_front();
        }
        if delivery.retransmitted_acked {
            delivery.acked_sent_ns = None;
        }
        self.una = una;
        let gone = self.sacked.partition_point(|range| range.1 <= una);
        self.sacked.drain(..gone);
        if let Some(first) = self.sacked.first_mut() {
            first.0 = first.0.max(una);
        }
        while self
            .retransmitted
            .front()
            .is_some_and(|&(_, end)| end <= una)
        {
            self.retransmitted.pop_front();
        }
        self.lost_hint = self.lost_hint.max(una);
        self.in_flight_hint = self.in_flight_hint.max(una);
    }

    /// Marks late segments lost. Asks `is_late` for every segment in flight, oldest sending time
    /// first, and stops at the first that is not late: once for segments sent once, once for
    /// retransmitted segments. Returns whether any segment was marked.
    pub fn mark_late(&mut self, mut is_late: impl FnMut(&Sent) -> bool) -> bool {
        let mut found = false;
        let mut index = self.index_of(self.in_flight_hint);
        while let Some(segment) = self.segments.get(index) {
            if !(segment.is_sacked() || segment.is_lost() || segment.was_ever_retransmitted()) {
                if !is_late(segment) {
                    break;
                }
                found |= self.mark_lost(index);
            }
            index += 1;
        }
        self.in_flight_hint = self
            .segments
            .get(index)
            .map_or(self.nxt, |segment| segment.start);
        while let Some(&(sent_ns, end)) = self.retransmitted.front() {
            let index = self.segments.partition_point(|segment| segment.end() < end);
            let is_out = |s: &&Sent| {
                let is_the_same = s.end() == end && s.sent_ns == sent_ns;
                is_the_same && !s.is_sacked() && !s.awaits_retransmission()
            };
            match self.segments.get(index).filter(is_out) {
                Some(segment) if !is_late(segment) => break,
                Some(_) => found |= self.mark_lost(index),
                None => {}
            }
            self.retransmitted.pop_front();
        }
        found
    }

    /// Checks the counters against the segments.
    #[cfg(test)]
    pub fn check(&self) {
        let sum = |is: fn(&Sent) -> bool| {
            self.segments
                .iter()
                .filter(|s| is(s))
                .map(|s| u64::from(s.len))
                .sum::<u64>()
        };
        assert_eq!(self.sacked_bytes, sum(Sent::is_sacked));
        assert_eq!(self.lost_bytes, sum(Sent::is_lost));
        assert_eq!(self.retransmitted_bytes, sum(Sent::is_retransmitted));
        assert_eq!(
            self.pending_retransmit_bytes,
            sum(Sent::awaits_retransmission)
        );
        assert_eq!(
            self.sacked_segments as usize,
            self.segments.iter().filter(|s| s.is_sacked()).count()
        );
        assert_eq!(
            self.sacked_bytes,
            self.sacked
                .iter()
                .map(|range| range.1 - range.0)
                .sum::<u64>()
        );
        assert!(
            self.sacked.windows(2).all(|pair| pair[0].1 < pair[1].0),
            "{:?}",
            self.sacked
        );
        assert_eq!(
            self.segments.front().map_or(self.nxt, |s| s.start),
            self.una
        );
        assert!(self
            .segments
            .iter()
            .zip(self.segments.iter().skip(1))
            .all(|(a, b)| a.end() == b.start));
        assert!(self
            .segments
            .iter()
            .all(|s| !s.is_sacked() || !(s.is_lost() || s.is_retransmitted())));
        assert!(self
            .segments
            .iter()
            .all(|s| !s.is_retransmitted() || s.was_ever_retransmitted()));
        let awaits_retransmission = self.segments.iter().find(|s| s.awaits_retransmission());
        assert!(
            awaits_retransmission.is_none_or(|s| s.start >= self.lost_hint),
            "the hint has passed a lost segment"
        );
    }
}

#[cfg(test)]
mod tests;
