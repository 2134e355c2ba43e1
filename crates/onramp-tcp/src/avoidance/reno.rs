//! Reno: grow by one segment a round trip, halve at a loss.
//!
//! V. Jacobson, M. Karels: Congestion Avoidance and Control, 1988; RFC 5681, section 3.1. While
//! nothing is lost, Reno probes for more by one segment in each round trip. A loss means that twice
//! the remaining rate was too much.
//!
//! ```text
//!   cwnd < ssthresh     cwnd += acked                         doubles in a round trip
//!   otherwise           cwnd += MSS for each cwnd delivered   one segment a round trip
//!   loss                ssthresh = max(half, 2 MSS)           half of what: see below
//! ```
//!
//! There are two ways of counting, one for each [`Stack`](crate::Stack):
//!
//! | | [`Reno::default`]: Linux | [`Reno::per_ack`]: 4.4BSD, and ns, which the papers use |
//! |---|---|---|
//! | slow start | whole segments acknowledged | bytes acknowledged |
//! | avoidance | one segment per cwnd delivered | MSS * MSS / cwnd bytes for each ACK (eq. 3) |
//! | half of | cwnd | min(cwnd, the peer's window) |
//! | grows | when cwnd limits the sender (compare RFC 7661) | at each ACK of new data |
//!
//! The connection's [`ByteCounting`](crate::ByteCounting) decides how much of an ACK counts in slow
//! start: all of it (RFC 3465 without a limit) in Linux, min(acked, MSS) (RFC 5681, eq. 2) in
//! 4.4BSD. With delayed ACKs, which come for every second segment, the latter makes cwnd grow by
//! half per round trip in slow start, and by half a segment per round trip after it.
//!
//! Constants: 2 segments is the minimum ssthresh (RFC 5681, eq. 4). With one segment, cwnd could
//! never again detect a loss by duplicate ACKs. 1 byte is the minimum growth (section 3.1, page 7).
//! Otherwise a cwnd above MSS * MSS bytes would not grow.
//!
//! Differences: RFC 5681 warns of halving cwnd, which may be far above the flight size. Linux may
//! halve it because its cwnd does not grow unless it is used. 4.4BSD rounds half of the window down
//! to whole segments, and so does this file. 4.4BSD grows by a whole MSS even for an ACK of less,
//! and in some versions by MSS/8 more in congestion avoidance (RFC 2525, "Extra additive constant
//! in congestion avoidance"). This file does neither.

use super::segments::{at_least_two, in_slow_start, slow_start, Segments};
use super::{AckSample, Avoidance};
use crate::Window;

/// Reno's congestion avoidance.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno {
    per_ack: bool,
    segments: Segments,
}

impl Reno {
    /// The variant that counts ACKs instead of acknowledged segments.
    pub fn per_ack() -> Reno {
        Reno {
            per_ack: true,
            ..Reno::default()
        }
    }

    /// Discards what counts towards the next segment of growth, because cwnd is reduced.
    pub(super) fn forget_credit(&mut self) {
        self.segments.forget_credit();
    }

    fn raise_per_ack(window: &mut Window, delivered_bytes: u64) {
        let mss = u64::from(window.mss_bytes);
        let growth = if window.in_slow_start() {
            // 4.4BSD compares with ssthresh before it adds a segment and not after. An ACK of more
            // than one segment does not overshoot.
            delivered_bytes.min(mss.max(window.ssthresh_bytes - window.cwnd_bytes))
        } else {
            (mss * mss / window.cwnd_bytes).max(1)
        };
        window.cwnd_bytes = window.cwnd_bytes.saturating_add(growth);
    }
}

impl Avoidance for Reno {
    fn raise(&mut self, window: &mut Window, ack: &AckSample) {
        if ack.delivered_bytes == 0 {
            return;
        }
        if self.per_ack {
            return Reno::raise_per_ack(window, ack.delivered_bytes);
        }
        if !ack.cwnd_limited {
            return;
        }
        let mut segments = self
            .segments
            .delivered(ack.delivered_bytes, window.mss_bytes);
        if in_slow_start(window) {
            segments = slow_start(window, segments);
        }
        if segments > 0 {
            self.segments.grow(window, segments, window.segments());
        }
    }

    fn ssthresh(&mut self, window: &Window, _now_ns: u64, flight_bytes: u64) -> u64 {
        self.forget_credit();
        let segments = if self.per_ack {
            flight_bytes / u64::from(window.mss_bytes)
        } else {
            window.segments()
        };
        at_least_two(segments / 2, window.mss_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::UNLIMITED;

    fn window(segments: u64, ssthresh_bytes: u64) -> Window {
        Window {
            cwnd_bytes: segments * 1000,
            ssthresh_bytes,
            mss_bytes: 1000,
        }
    }

    fn ack(delivered_bytes: u64) -> AckSample {
        AckSample {
            delivered_bytes,
            cwnd_limited: true,
            ..AckSample::default()
        }
    }

    /// Delivers the window in ACKs of `ack_bytes` each.
    fn round_trip(reno: &mut Reno, window: &mut Window, ack_bytes: u64) {
        for _ in 0..window.cwnd_bytes / ack_bytes {
            reno.raise(window, &ack(ack_bytes));
        }
    }

    /// RFC 5681, section 3.1: "cwnd is increased by roughly 1 full-sized segment per RTT". The
    /// alternative of equation 3 counts bytes.
    #[test]
    fn grows_by_one_segment_a_round_trip() {
        let (mut reno, mut window) = (Reno::default(), window(10, 10_000));
        for segments in 11..60 {
            round_trip(&mut reno, &mut window, 1000);
            assert_eq!(window.segments(), segments);
        }
    }

    /// RFC 5681, section 3.1, equation 2, and RFC 3465, section 2.2.
    #[test]
    fn slow_start_doubles_cwnd_in_a_round_trip_however_acks_are_split() {
        for ack_bytes in [500, 1000, 2000, 5000] {
            let (mut reno, mut window) = (Reno::default(), window(10, UNLIMITED));
            round_trip(&mut reno, &mut window, ack_bytes);
            assert_eq!(window.segments(), 20, "ACKs of {ack_bytes}");
        }
    }

    #[test]
    fn the_rest_of_an_ack_after_slow_start_counts_for_congestion_avoidance() {
        let (mut reno, mut window) = (Reno::default(), window(8, 10_000));
        reno.raise(&mut window, &ack(12_000));
        assert_eq!(window.segments(), 11);
    }

    /// RFC 5681, section 3.1, equation 4. Linux halves cwnd.
    #[test]
    fn a_loss_leaves_half_in_whole_segments() {
        assert_eq!(
            Reno::default().ssthresh(&window(21, UNLIMITED), 0, 5_000),
            10_000
        );
        assert_eq!(
            Reno::per_ack().ssthresh(&window(21, UNLIMITED), 0, 15_000),
            7_000
        );
    }

    /// RFC 5681, section 3.1, equation 4.
    #[test]
    fn at_least_two_segments_remain() {
        assert_eq!(Reno::default().ssthresh(&window(1, UNLIMITED), 0, 0), 2_000);
        assert_eq!(Reno::per_ack().ssthresh(&window(1, UNLIMITED), 0, 0), 2_000);
    }

    #[test]
    fn an_unused_window_does_not_grow() {
        let (mut reno, mut window) = (Reno::default(), window(10, UNLIMITED));
        reno.raise(
            &mut window,
            &AckSample {
                cwnd_limited: false,
                ..ack(5_000)
            },
        );
        assert_eq!(window.segments(), 10);
    }

    /// cwnd may exceed ssthresh by one segment, as in 4.4BSD.
    #[test]
    fn counting_acks_slow_start_ends_within_a_segment_of_ssthresh() {
        for (counted, cwnd_bytes) in [
            (400, 10_200),
            (1000, 10_800),
            (1500, 10_800),
            (9000, 10_800),
        ] {
            let mut window = Window {
                cwnd_bytes: 9_800,
                ..window(9, 10_500)
            };
            Reno::per_ack().raise(&mut window, &ack(counted));
            assert_eq!(window.cwnd_bytes, cwnd_bytes, "{counted}");
        }
    }

    /// RFC 5681, section 3.1, equation 3.
    #[test]
    fn counting_acks_avoidance_adds_about_a_segment_a_round_trip() {
        let (mut reno, mut window) = (Reno::per_ack(), window(20, 20_000));
        reno.raise(&mut window, &ack(1000));
        assert_eq!(window.cwnd_bytes, 20_050);
        (1..20).for_each(|_| reno.raise(&mut window, &ack(1000)));
        assert!((20_950..21_000).contains(&window.cwnd_bytes), "{window:?}");
    }

    /// RFC 5681, section 3.1: "if the above formula yields 0, the result SHOULD be rounded up to 1
    /// byte".
    #[test]
    fn counting_acks_the_largest_window_still_grows() {
        let (mut reno, mut window) = (Reno::per_ack(), window(5_000, 1));
        reno.raise(&mut window, &ack(1000));
        assert_eq!(window.cwnd_bytes, 5_000_001);
    }

    #[test]
    fn an_ack_of_nothing_new_does_not_grow_cwnd() {
        for mut reno in [Reno::default(), Reno::per_ack()] {
            let mut window = window(10, UNLIMITED);
            reno.raise(&mut window, &ack(0));
            assert_eq!(window.cwnd_bytes, 10_000);
        }
    }
}
