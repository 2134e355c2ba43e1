//! DCTCP: reduces cwnd by half the fraction of the data that queues marked.
//!
//! RFC 8257; M. Alizadeh et al.: Data Center TCP (DCTCP), SIGCOMM 2010. A queue that marks each
//! packet above a threshold tells a window of data whether the queue was exceeded, and how much of
//! that data found it exceeded. Reno takes the first for a loss. DCTCP averages the second.
//!
//! ```text
//!   M        = bytes of ACKs with ECE / bytes of all ACKs         over one window of data
//!   alpha    = (1 - g) alpha + g M                                g = 1/16, at first alpha = 1
//!   a mark   cwnd = cwnd (1 - alpha/2)                            once for a window of data
//!   a loss   cwnd = cwnd / 2                                      as Reno
//!   else     Reno
//! ```
//!
//! The queue of one flow therefore oscillates by a few segments around the threshold. With a window
//! of W segments, alpha is about sqrt(2 / W) (section 3.3 of the paper).
//!
//! ECN is the connection's ([`Avoidance::ect`](crate::Avoidance::ect)): the handshake asks for it,
//! and all packets have ECT(0). The receiver echoes each change of the mark. A peer without ECN
//! leaves Reno, as the RFC demands (section 3.5), because then no ACK has ECE.
//!
//! Constants: g = 1/16 is the RFC's (section 4.2). alpha = 1 at the beginning makes the first mark
//! halve cwnd (section 4.2). alpha has ten fractional bits, and is calculated as in Linux
//! (`tcp_dctcp.c`). What is below g falls to zero when a window has no mark. Linux counts segments
//! and this file counts bytes, which the RFC does too.
//!
//! Differences from the RFC: a window of data ends with the ACK of its last byte, as in Linux, and
//! not with the next ACK (section 3.3, step 3).

use super::reno::Reno;
use super::segments::at_least_two;
use super::{AckSample, Avoidance};
use crate::Window;

/// alpha = 1, which has ten fractional bits.
const ONE: u64 = 1 << ALPHA_BITS;
const ALPHA_BITS: u32 = 10;
/// g = 2^-4.
const GAIN_SHIFT: u32 = 4;

/// Congestion avoidance of DCTCP.
#[derive(Clone, Copy, Debug)]
pub struct Dctcp {
    reno: Reno,
    /// The fraction of marked data, times 2^10.
    alpha: u64,
    /// The window of data is over when all bytes below are acknowledged.
    window_end: u64,
    delivered_bytes: u64,
    marked_bytes: u64,
}

impl Dctcp {
    /// DCTCP, with the growth and the loss response of this Reno.
    pub fn new(reno: Reno) -> Dctcp {
        Dctcp {
            reno,
            alpha: ONE,
            window_end: 0,
            delivered_bytes: 0,
            marked_bytes: 0,
        }
    }

    /// Section 3.3, steps 4 and 5.
    fn update_alpha(&mut self) {
        // A shift would leave small values as they are. Linux clears them (`min_not_zero()`).
        self.alpha -= match self.alpha >> GAIN_SHIFT {
            0 => self.alpha,
            part => part,
        };
        let gain = u128::from(ONE >> GAIN_SHIFT);
        let marked = u128::from(self.marked_bytes) * gain;
        let marked = marked / u128::from(self.delivered_bytes.max(1));
        self.alpha = ONE.min(self.alpha + marked as u64);
    }
}

impl Avoidance for Dctcp {
    fn measure(&mut self, _window: &mut Window, ack: &AckSample) {
        self.delivered_bytes = self.delivered_bytes.saturating_add(ack.delivered_bytes);
        if ack.has_ece {
            self.marked_bytes = self.marked_bytes.saturating_add(ack.delivered_bytes);
        }
        if ack.una >= self.window_end {
            self.update_alpha();
            self.window_end = ack.nxt;
            (self.delivered_bytes, self.marked_bytes) = (0, 0);
        }
    }

    fn raise(&mut self, window: &mut Window, ack: &AckSample) {
        self.reno.raise(window, ack);
    }

    fn ssthresh(&mut self, window: &Window, now_ns: u64, flight_bytes: u64) -> u64 {
        self.reno.ssthresh(window, now_ns, flight_bytes)
    }

    fn ssthresh_after_mark(&mut self, window: &Window, _now_ns: u64, _flight_bytes: u64) -> u64 {
        self.reno.forget_credit();
        let cwnd = window.segments();
        let reduction = (u128::from(cwnd) * u128::from(self.alpha)) >> (ALPHA_BITS + 1);
        at_least_two(cwnd - reduction as u64, window.mss_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::UNLIMITED;

    const MSS: u64 = 1000;

    /// A connection whose flight is always `segments`, and whose ACKs are of one segment.
    struct Flow {
        dctcp: Dctcp,
        window: Window,
        una: u64,
    }

    impl Flow {
        fn new(segments: u64) -> Flow {
            let window = Window {
                cwnd_bytes: segments * MSS,
                ssthresh_bytes: UNLIMITED,
                mss_bytes: MSS as u32,
            };
            let mut flow = Flow {
                dctcp: Dctcp::new(Reno::default()),
                window,
                una: 0,
            };
            // The first ACK ends a window of nothing, so that windows begin behind it.
            flow.acknowledge(0, false);
            flow.dctcp.alpha = ONE;
            flow
        }

        fn acknowledge(&mut self, bytes: u64, has_ece: bool) {
            self.una += bytes;
            let sample = AckSample {
                delivered_bytes: bytes,
                has_ece,
                una: self.una,
                nxt: self.una + self.window.cwnd_bytes,
                cwnd_limited: true,
                ..AckSample::default()
            };
            self.dctcp.measure(&mut self.window, &sample);
        }

        /// One window of data, of which the first segments are marked.
        fn round(&mut self, marked: u64) {
            let segments = self.window.segments();
            (0..segments).for_each(|number| self.acknowledge(MSS, number < marked));
        }

        fn after_mark(&mut self) -> u64 {
            let window = self.window;
            self.dctcp.ssthresh_after_mark(&window, 0, 0) / MSS
        }
    }

    //= RFC 8257 section 4.2: alpha SHOULD be 1 initially
    #[test]
    fn the_first_mark_halves_cwnd() {
        assert_eq!(Flow::new(100).after_mark(), 50);
    }

    //= RFC 8257 section 3.3: alpha = alpha * (1 - g) + g * M
    #[test]
    fn alpha_averages_the_marked_fraction_with_a_gain_of_a_sixteenth() {
        let mut flow = Flow::new(64);
        flow.round(0);
        assert_eq!(flow.dctcp.alpha, ONE - ONE / 16);
        flow.round(32);
        assert_eq!(flow.dctcp.alpha, 960 - 60 + 32);
        (0..200).for_each(|_| flow.round(16));
        let fraction = flow.dctcp.alpha as f64 / ONE as f64;
        assert!((fraction - 0.25).abs() < 0.015, "{fraction}");
        (0..200).for_each(|_| flow.round(64));
        assert!(flow.dctcp.alpha > ONE - 16, "{}", flow.dctcp.alpha);
    }

    //= RFC 8257 section 3.3: cwnd = cwnd * (1 - alpha / 2)
    #[test]
    fn a_mark_reduces_by_half_of_alpha() {
        let mut flow = Flow::new(200);
        flow.dctcp.alpha = ONE / 4;
        assert_eq!(flow.after_mark(), 175);
        flow.dctcp.alpha = 0;
        assert_eq!(flow.after_mark(), 200);
        flow.window.cwnd_bytes = 2 * MSS;
        flow.dctcp.alpha = ONE;
        assert_eq!(flow.after_mark(), 2);
    }

    //= RFC 8257 section 3.4: a loss changes cwnd as a conventional TCP does
    #[test]
    fn a_loss_halves_cwnd_whatever_alpha_is() {
        let mut flow = Flow::new(100);
        flow.dctcp.alpha = 0;
        let window = flow.window;
        assert_eq!(flow.dctcp.ssthresh(&window, 0, 0), 50 * MSS);
    }

    //= RFC 8257 section 3.3: windows of data end at SND.NXT of their beginning
    #[test]
    fn alpha_changes_once_for_a_window_of_data() {
        let mut flow = Flow::new(10);
        for _ in 0..9 {
            flow.acknowledge(MSS, true);
            assert_eq!(flow.dctcp.window_end, 10 * MSS);
        }
        flow.dctcp.alpha = 0;
        flow.acknowledge(MSS, true);
        assert_eq!((flow.dctcp.alpha, flow.dctcp.window_end), (64, 20 * MSS));
    }

    /// The arithmetic of `dctcp_update_alpha()` in segments, as Linux has it, in words of 32 bits.
    fn kernel_alpha(alpha: u32, delivered_ce: u32, delivered: u32) -> u32 {
        let part = alpha >> 4;
        let reduced = alpha - if part == 0 { alpha } else { part.min(alpha) };
        if delivered_ce == 0 {
            return reduced;
        }
        (reduced + (delivered_ce << 6) / delivered.max(1)).min(1024)
    }

    #[test]
    fn alpha_is_that_of_the_kernel_step_by_step() {
        for (segments, period) in [(2, 3), (10, 7), (97, 5), (1000, 11)] {
            let mut flow = Flow::new(segments);
            let mut expected = ONE as u32;
            for round in 0..400 {
                // No marks, a few, and all, in changing order.
                let marked = match round * round % period {
                    0 => 0,
                    1 => segments,
                    part => segments * part / (5 * period),
                };
                flow.round(marked);
                expected = kernel_alpha(expected, marked as u32, segments as u32);
                assert_eq!(flow.dctcp.alpha, u64::from(expected), "{segments} {round}");
                let kernel_cwnd = (segments - ((segments * u64::from(expected)) >> 11)).max(2);
                assert_eq!(flow.after_mark(), kernel_cwnd);
            }
        }
    }
}
