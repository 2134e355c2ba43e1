//! Throughput of Reno with retransmission timeouts.
//!
//! J. Padhye, V. Firoiu, D. Towsley, J. Kurose: Modeling TCP Throughput: A Simple Model and its
//! Empirical Validation, SIGCOMM 1998. Equation numbers are those of the journal version, Modeling
//! TCP Reno Performance, IEEE/ACM ToN 8(2), 2000. The rate counts packets sent, including those
//! that are lost.
//!
//! Assumptions: a round is the packets of one window, sent together. In a round, each packet is
//! lost with probability p if the packet before it was not lost. After a loss, the rest of the
//! round is lost too. Rounds are independent. So p is the probability that a packet starts a burst
//! of losses. Fewer than three duplicate ACKs lead to a timeout. Each timeout doubles the next one,
//! up to 64 times the first. Slow start after a timeout and the duration of fast recovery are
//! neglected.

/// A path and the sender's retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Round-trip time in seconds.
    pub rtt_s: f64,
    /// T0, the first timeout of a series, in seconds.
    pub timeout_s: f64,
    /// b, the number of packets per ACK.
    pub b: f64,
}

impl Path {
    /// Packets sent per second, equation 31, without the limit by the receive window.
    pub fn packets_per_s(&self, p: f64) -> f64 {
        let window = self.expected_window(p);
        let timeouts = timeout_probability(p, window);
        let packets = (1.0 - p) / p + window + timeouts / (1.0 - p);
        let time_s = self.rtt_s * (self.b / 2.0 * window + 1.0)
            + timeouts * self.timeout_s * backoff(p) / (1.0 - p);
        packets / time_s
    }

    /// Packets sent per second, equation 32: the approximation for small p that TFRC uses (RFC
    /// 5348, section 3.1, with the minimum).
    pub fn approximate_packets_per_s(&self, p: f64) -> f64 {
        let root = |of: f64| (of * self.b * p).sqrt();
        let timeouts = (3.0 * root(3.0 / 8.0)).min(1.0);
        1.0 / (self.rtt_s * root(2.0 / 3.0) + self.timeout_s * timeouts * p * (1.0 + 32.0 * p * p))
    }

    /// E\[W\], the window when a loss is detected, equation 13.
    pub fn expected_window(&self, p: f64) -> f64 {
        let c = (2.0 + self.b) / (3.0 * self.b);
        c + (8.0 * (1.0 - p) / (3.0 * self.b * p) + c * c).sqrt()
    }
}

/// Q(w), the probability that a loss in a window of w packets leads to a timeout, equation 24.
pub fn timeout_probability(p: f64, window: f64) -> f64 {
    let q = 1.0 - p;
    let three = q.powi(3);
    ((1.0 - three) * (1.0 + three * (1.0 - q.powf(window - 3.0))) / (1.0 - q.powf(window))).min(1.0)
}

/// f(p), equation 29: the mean length of a series of timeouts is T0 f(p) / (1 - p).
pub fn backoff(p: f64) -> f64 {
    (0..6)
        .map(|n| f64::from(1 << n) * p.powi(n + 1))
        .sum::<f64>()
        + 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulas::{assert_near, square_root};

    const PATH: Path = Path {
        rtt_s: 0.2,
        timeout_s: 1.0,
        b: 2.0,
    };

    /// Equations 20 to 23: packet k of the round is the first lost. k more packets are sent in the
    /// last round, and m of them arrive. Fewer than three are too few duplicate ACKs.
    fn timeout_probability_by_its_sums(p: f64, window: i32) -> f64 {
        let q = 1.0 - p;
        let first_lost = |k: i32| q.powi(k) * p / (1.0 - q.powi(window));
        let arrive = |k: i32, m: i32| if m < k { q.powi(m) * p } else { q.powi(k) };
        let too_few = |k: i32| (0..3).map(|m| arrive(k, m)).sum::<f64>();
        (0..window)
            .map(|k| {
                if k < 3 {
                    first_lost(k)
                } else {
                    first_lost(k) * too_few(k)
                }
            })
            .sum()
    }

    #[test]
    fn the_closed_form_of_the_timeout_probability_is_the_sum() {
        for p in [0.001, 0.01, 0.1, 0.3] {
            for window in [4, 8, 30, 100] {
                let sum = timeout_probability_by_its_sums(p, window);
                assert_near(timeout_probability(p, f64::from(window)), sum, 1e-9);
            }
        }
    }

    /// The limit that the paper states after equation 24.
    #[test]
    fn rare_losses_cause_a_timeout_with_probability_three_over_w() {
        assert_near(timeout_probability(1e-9, 30.0), 0.1, 1e-3);
        assert_eq!(timeout_probability(0.2, 2.0), 1.0);
    }

    /// Equations 26 to 29: a series of k timeouts lasts (2^k - 1) T0 and has the probability
    /// p^(k-1) (1-p). From the seventh on, each timeout lasts 64 T0.
    #[test]
    fn the_backoff_is_the_mean_length_of_a_timeout_series() {
        for p in [0.01f64, 0.2, 0.5] {
            let length = |k: i32| {
                if k <= 6 {
                    2f64.powi(k) - 1.0
                } else {
                    63.0 + 64.0 * f64::from(k - 6)
                }
            };
            let mean: f64 = (1..400)
                .map(|k| p.powi(k - 1) * (1.0 - p) * length(k))
                .sum();
            assert_near(backoff(p) / (1.0 - p), mean, 1e-9);
        }
    }

    /// Equation 20 of the text: without timeouts and for small p, the formula becomes the
    /// square-root law.
    #[test]
    fn for_rare_losses_the_rate_is_the_square_root_law() {
        for b in [1.0, 2.0] {
            let path = Path { b, ..PATH };
            assert_near(
                path.packets_per_s(1e-8) * path.rtt_s,
                square_root::packets_per_rtt(1e-8, b),
                2e-3,
            );
        }
    }

    /// The setting of figure 21: RTT 0.47 s, T0 3.2 s. The two forms differ little compared with
    /// their range of a factor of a thousand.
    #[test]
    fn the_approximation_is_within_a_quarter_of_the_full_form() {
        let path = Path {
            rtt_s: 0.47,
            timeout_s: 3.2,
            b: 2.0,
        };
        for p in [0.001, 0.003, 0.01, 0.03, 0.1] {
            assert_near(
                path.approximate_packets_per_s(p),
                path.packets_per_s(p),
                0.25,
            );
        }
    }

    /// The equation of RFC 5348 with the values of the example in its section 3.1: R = 100 ms,
    /// t_RTO = 4 R, b = 1.
    #[test]
    fn the_approximation_matches_a_hand_calculation() {
        let path = Path {
            rtt_s: 0.1,
            timeout_s: 0.4,
            b: 1.0,
        };
        // sqrt(2 p / 3) = 0.0816497; 3 sqrt(3 p / 8) = 0.183712; 1 + 32 p^2 = 1.0032.
        assert_near(
            path.approximate_packets_per_s(0.01),
            1.0 / (0.00816497 + 0.4 * 0.183712 * 0.01 * 1.0032),
            1e-5,
        );
    }
}
