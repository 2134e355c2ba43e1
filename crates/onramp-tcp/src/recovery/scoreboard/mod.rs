//! What has been sent and not yet acknowledged, segment by segment (RFC 6675, section 3).
//!
//! ```text
//!   una                                                       nxt
//!    |  lost  |  lost,   | out | sacked | out | sacked | ... | |
//!    |        |  resent  |
//!
//!   pipe = everything - sacked - lost + sent again
//! ```

mod delivery;
mod sack;
mod sent;

pub use delivery::{Arrived, Delivery};
pub use sent::Sent;

use sent::{LOST, REPEATED, RESENT, SACKED};
use std::collections::VecDeque;

/// The record of outstanding segments.
#[derive(Debug, Default)]
pub struct Scoreboard {
    segments: VecDeque<Sent>,
    /// Ranges that whole segments within were sacked, in order, apart from one another.
    sacked: Vec<(u64, u64)>,
    una: u64,
    nxt: u64,
    sacked_bytes: u64,
    sacked_segments: u32,
    lost_bytes: u64,
    resent_bytes: u64,
    /// Lost, and not sent again since.
    waiting_bytes: u64,
    /// Everything that was ever taken for lost.
    total_lost_bytes: u64,
    /// No segment below this place is lost and waits to be sent again.
    lost_hint: u64,
    /// No segment below this place was sent once and is neither lost nor sacked: where loss
    /// detection by time begins.
    out_hint: u64,
    /// When and by their ends: segments in the order in which they were sent again, for the same
    /// purpose.
    resent: VecDeque<(u64, u64)>,
}

impl Scoreboard {
    /// First place that is not acknowledged.
    pub fn una(&self) -> u64 {
        self.una
    }

    /// Next place to send.
    pub fn nxt(&self) -> u64 {
        self.nxt
    }

    /// Sent and not cumulatively acknowledged.
    pub fn outstanding_bytes(&self) -> u64 {
        self.nxt - self.una
    }

    /// What is in flight as far as is known (RFC 6675, section 4, pipe).
    pub fn pipe_bytes(&self) -> u64 {
        self.nxt - self.una - self.sacked_bytes - self.lost_bytes + self.resent_bytes
    }

    /// Selectively acknowledged.
    pub fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// Segments selectively acknowledged.
    pub fn sacked_segments(&self) -> u32 {
        self.sacked_segments
    }

    /// Taken for lost, sent again or not.
    pub fn lost_bytes(&self) -> u64 {
        self.lost_bytes
    }

    /// Taken for lost, and to be sent again.
    pub fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    /// Taken for lost since the start; what was sent again and lost again each time.
    pub fn total_lost_bytes(&self) -> u64 {
        self.total_lost_bytes
    }

    /// An acknowledgement's report, to be filled.
    pub fn delivery(&self) -> Delivery {
        Delivery {
            known_before: self.highest_sacked(),
            ..Delivery::default()
        }
    }

    /// Place behind the highest byte that was selectively acknowledged.
    pub fn highest_sacked(&self) -> u64 {
        self.sacked.last().map_or(self.una, |range| range.1)
    }

    /// Ranges that were selectively acknowledged, in order.
    pub fn sacked_ranges(&self) -> &[(u64, u64)] {
        &self.sacked
    }

    /// The segments, in order.
    pub fn segments(&self) -> &VecDeque<Sent> {
        &self.segments
    }

    /// The segment of this index.
    pub fn segment(&self, index: usize) -> &Sent {
        &self.segments[index]
    }

    /// Segments outstanding.
    pub fn len(&self) -> usize {
        self.segments.len()
    }

    /// Nothing is outstanding.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// New data was sent.
    pub fn send(&mut self, now_ns: u64, len: u32) {
        self.segments.push_back(Sent {
            start: self.nxt,
            sent_ns: now_ns,
            len,
            marks: 0,
        });
        self.nxt += u64::from(len);
    }

    /// A segment was sent again.
    pub fn resend(&mut self, now_ns: u64, index: usize) {
        let segment = &mut self.segments[index];
        segment.sent_ns = now_ns;
        segment.marks |= REPEATED;
        self.resent.push_back((now_ns, segment.end()));
        if !segment.is_resent() {
            segment.marks |= RESENT;
            self.resent_bytes += u64::from(segment.len);
            if segment.is_lost() {
                self.waiting_bytes -= u64::from(segment.len);
            }
        }
    }

    /// Takes a segment for lost; `true` if it was not yet, or was sent again meanwhile.
    pub fn mark_lost(&mut self, index: usize) -> bool {
        let marked = self.mark(index);
        if marked {
            self.total_lost_bytes += u64::from(self.segments[index].len);
        }
        marked
    }

    fn mark(&mut self, index: usize) -> bool {
        let segment = &mut self.segments[index];
        if segment.is_sacked() || segment.is_lost() && !segment.is_resent() {
            return false;
        }
        if segment.is_resent() {
            segment.marks &= !RESENT;
            self.resent_bytes -= u64::from(segment.len);
        }
        if !segment.is_lost() {
            segment.marks |= LOST;
            self.lost_bytes += u64::from(segment.len);
        }
        self.waiting_bytes += u64::from(segment.len);
        self.lost_hint = self.lost_hint.min(segment.start);
        true
    }

    /// Takes everything for lost that is not selectively acknowledged, as after a timeout.
    pub fn mark_all_lost(&mut self) {
        for index in 0..self.segments.len() {
            self.mark_lost(index);
        }
        self.resent.clear();
    }

    /// Everything that is not selectively acknowledged is to be sent again, from the first segment
    /// on, though nobody knows that more than that one is lost.
    pub fn go_back(&mut self) {
        for index in 0..self.segments.len() {
            self.mark(index);
        }
        self.resent.clear();
    }

    /// What was selectively acknowledged is lost: the peer has thrown it away (RFC 2018, section
    /// 8).
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

    /// The lost segment to be sent again first.
    pub fn next_lost(&mut self) -> Option<usize> {
        if self.waiting_bytes == 0 {
            return None;
        }
        let from = self.index_of(self.lost_hint);
        let index = (from..self.segments.len()).find(|&index| self.segments[index].waits())?;
        self.lost_hint = self.segments[index].start;
        Some(index)
    }

    /// Index of the first segment that begins at this place or beyond.
    pub fn index_of(&self, place: u64) -> usize {
        if place <= self.una {
            return 0;
        }
        self.segments
            .partition_point(|segment| segment.start < place)
    }

    /// Everything below `una` arrived.
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
            self.resent_bytes -= if segment.is_resent() { taken } else { 0 };
            self.waiting_bytes -= if segment.waits() { taken } else { 0 };
            self.sacked_segments -= u32::from(segment.is_sacked() && segment.end() <= una);
            if segment.is_repeated() {
                delivery.repeated_acked = true;
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
        if delivery.repeated_acked {
            delivery.acked_sent_ns = None;
        }
        self.una = una;
        let gone = self.sacked.partition_point(|range| range.1 <= una);
        self.sacked.drain(..gone);
        if let Some(first) = self.sacked.first_mut() {
            first.0 = first.0.max(una);
        }
        while self.resent.front().is_some_and(|&(_, end)| end <= una) {
            self.resent.pop_front();
        }
        self.lost_hint = self.lost_hint.max(una);
        self.out_hint = self.out_hint.max(una);
    }

    /// Asks `is_late` of every segment that is out and not known to have arrived, oldest sending
    /// first, and takes for lost those of which it says so; stops, for each kind, at the first of
    /// which it does not. `true` if there was one.
    pub fn mark_late(&mut self, mut is_late: impl FnMut(&Sent) -> bool) -> bool {
        let mut found = false;
        let mut index = self.index_of(self.out_hint);
        while let Some(segment) = self.segments.get(index) {
            if !(segment.is_sacked() || segment.is_lost() || segment.is_repeated()) {
                if !is_late(segment) {
                    break;
                }
                found |= self.mark_lost(index);
            }
            index += 1;
        }
        self.out_hint = self
            .segments
            .get(index)
            .map_or(self.nxt, |segment| segment.start);
        while let Some(&(sent_ns, end)) = self.resent.front() {
            let index = self.segments.partition_point(|segment| segment.end() < end);
            let is_out = |s: &&Sent| s.end() == end && s.sent_ns == sent_ns && s.is_resent();
            match self.segments.get(index).filter(is_out) {
                Some(segment) if !is_late(segment) => break,
                Some(_) => found |= self.mark_lost(index),
                None => {}
            }
            self.resent.pop_front();
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
        assert_eq!(self.resent_bytes, sum(Sent::is_resent));
        assert_eq!(self.waiting_bytes, sum(Sent::waits));
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
            .all(|s| !s.is_sacked() || !(s.is_lost() || s.is_resent())));
        assert!(self
            .segments
            .iter()
            .all(|s| !s.is_resent() || s.is_repeated()));
        let waits = self.segments.iter().find(|s| s.waits());
        assert!(
            waits.is_none_or(|s| s.start >= self.lost_hint),
            "the hint has passed a lost segment"
        );
    }
}

#[cfg(test)]
mod tests;
