//! Growth in whole segments, the unit in which Linux counts windows.
//!
//! cwnd is kept in bytes but grows by segments: one for each `n` that were delivered. A remainder,
//! of a segment or of `n`, is carried to the next acknowledgement. So rounding loses nothing,
//! however acknowledgements are split (appropriate byte counting, RFC 3465; RFC 5681, section 3.1,
//! page 6).
//!
//! Difference from Linux: a segment that is not full counts by its bytes; in Linux it counts as
//! one.

use crate::Window;

/// Converts delivered bytes into segments, and segments into growth.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Segments {
    /// Delivered bytes that are not yet a whole segment.
    part_bytes: u64,
    /// Delivered segments that have not yet made cwnd grow.
    credit: u64,
}

impl Segments {
    /// Adds delivered bytes. Returns the whole segments that this completes.
    pub fn delivered(&mut self, bytes: u64, mss_bytes: u32) -> u64 {
        let bytes = bytes.saturating_add(self.part_bytes);
        self.part_bytes = bytes % u64::from(mss_bytes);
        bytes / u64::from(mss_bytes)
    }

    /// Grows cwnd by one segment for each `per` delivered segments.
    pub fn grow(&mut self, window: &mut Window, segments: u64, per: u64) {
        // A credit saved for a larger `per` is worth one segment, as in Linux. `per` may suddenly
        // become much smaller, and cwnd must not jump.
        if self.credit >= per {
            self.credit = 0;
            add_segments(window, 1);
        }
        self.credit = self.credit.saturating_add(segments);
        add_segments(window, self.credit / per);
        self.credit %= per;
    }

    /// Discards the credit, because cwnd is reduced.
    pub fn forget_credit(&mut self) {
        self.credit = 0;
    }
}

/// Slow start: one segment for each delivered segment, up to ssthresh. Returns the segments that
/// remain for congestion avoidance (RFC 5681, section 3.1, without a limit per acknowledgement).
pub(super) fn slow_start(window: &mut Window, segments: u64) -> u64 {
    let room = ssthresh_segments(window).saturating_sub(window.segments());
    let growth = segments.min(room);
    add_segments(window, growth);
    segments - growth
}

/// Is cwnd, in whole segments, below ssthresh?
pub(super) fn in_slow_start(window: &Window) -> bool {
    window.segments() < ssthresh_segments(window)
}

/// `segments`, but at least two, in bytes: the minimum ssthresh of RFC 5681, equation 4.
pub(super) fn at_least_two(segments: u64, mss_bytes: u32) -> u64 {
    segments.max(2).saturating_mul(u64::from(mss_bytes))
}

fn ssthresh_segments(window: &Window) -> u64 {
    window.ssthresh_bytes / u64::from(window.mss_bytes)
}

fn add_segments(window: &mut Window, segments: u64) {
    let growth_bytes = segments.saturating_mul(u64::from(window.mss_bytes));
    window.cwnd_bytes = window.cwnd_bytes.saturating_add(growth_bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd_bytes: u64, ssthresh_bytes: u64) -> Window {
        Window {
            cwnd_bytes,
            ssthresh_bytes,
            mss_bytes: 1000,
        }
    }

    #[test]
    fn parts_of_a_segment_are_carried_on() {
        let mut segments = Segments::default();
        let counted: Vec<u64> = [600, 600, 600, 1200]
            .map(|bytes| segments.delivered(bytes, 1000))
            .into();
        assert_eq!(counted, [0, 1, 0, 2]);
    }

    #[test]
    fn an_ack_of_many_segments_counts_as_many_acks_of_one() {
        let (mut at_once, mut one_by_one) = (window(10_000, 10_000), window(10_000, 10_000));
        Segments::default().grow(&mut at_once, 25, 10);
        let mut segments = Segments::default();
        (0..25).for_each(|_| segments.grow(&mut one_by_one, 1, 10));
        assert_eq!((at_once, at_once.segments()), (one_by_one, 12));
    }

    #[test]
    fn a_credit_saved_for_slower_growth_is_worth_one_segment() {
        let mut window = window(100_000, 100_000);
        let mut segments = Segments::default();
        segments.grow(&mut window, 99, 100);
        segments.grow(&mut window, 0, 2);
        assert_eq!(window.segments(), 101);
    }

    #[test]
    fn slow_start_leaves_what_exceeds_ssthresh() {
        let mut window = window(8_000, 10_500);
        assert_eq!((slow_start(&mut window, 5), window.segments()), (3, 10));
        assert!(!in_slow_start(&window), "half a segment of room is none");
    }
}
