//! CUBIC's response function.
//!
//! RFC 9438 (L. Xu, S. Ha, I. Rhee, V. Goel, L. Eggert), section 5.1, after S. Ha, I. Rhee, L. Xu:
//! CUBIC: A New TCP-Friendly High-Speed TCP Variant, 2008, section 4. Every 1/p-th packet is lost.
//! The window follows W(t) = C (t - K)^3 + W_max from beta W_max back to W_max in K seconds:
//!
//! ```text
//!   K = cbrt(W_max (1 - beta) / C)
//!   1/p = packets in K = W_max (1 - (1 - beta) / 4) K / RTT = W_max (3 + beta) / 4 K / RTT
//! ```
//!
//! Assumptions: those of the [square-root law](super::square_root). In addition, the window grows
//! to W_max and no further, because the next loss comes exactly there.

/// C, in segments per second cubed.
pub const C: f64 = 0.4;
/// Beta, the factor by which a loss reduces the window.
pub const BETA: f64 = 0.7;

/// Packets per round trip if every 1/p-th packet is lost: the larger value of both regions. Section
/// 5.1.
pub fn packets_per_rtt(c: f64, p: f64, rtt_s: f64) -> f64 {
    cubic_region(c, p, rtt_s).max(reno_friendly_region(p))
}

/// Packets per round trip in the cubic region: AVG_W_cubic = (C (3 + beta) / (4 (1 - beta)))^(1/4)
/// RTT^(3/4) / p^(3/4).
pub fn cubic_region(c: f64, p: f64, rtt_s: f64) -> f64 {
    (c * (3.0 + BETA) / (4.0 * (1.0 - BETA))).powf(0.25) * (rtt_s / p).powf(0.75)
}

/// Packets per round trip in the Reno-friendly region, where Reno would be faster. Section 4.3
/// chooses the growth alpha such that AVG_AIMD(alpha, beta) is Reno's sqrt(3 / (2 p)).
pub fn reno_friendly_region(p: f64) -> f64 {
    let alpha = 3.0 * (1.0 - BETA) / (1.0 + BETA);
    (alpha * (1.0 + BETA) / (2.0 * (1.0 - BETA) * p)).sqrt()
}

/// Seconds from one loss to the next in the cubic region: K.
pub fn seconds_between_losses(c: f64, p: f64, rtt_s: f64) -> f64 {
    rtt_s / (p * cubic_region(c, p, rtt_s))
}

/// The range of stationary windows, as factors of [`cubic_region`]. It applies if windows are whole
/// segments and each period has `more_rtts` round trips that the formula does not include.
///
/// The cubic curve is flat near W_max: for cbrt(1 / C) = 1.36 s before and after K, the window is
/// within one segment of W_max. A loss anywhere in this time occurs at the same window, and the
/// next period is like this one. Which of these periods occurs depends on the past. The mean window
/// is proportional to W_max, and W_max to the cube of K.
pub fn stationary_range(c: f64, p: f64, rtt_s: f64, more_rtts: f64) -> [f64; 2] {
    let k_s = seconds_between_losses(c, p, rtt_s);
    let flat_s = c.recip().cbrt();
    // A window of x times the formula's needs the time cbrt(x) K to its plateau. Its packets are x
    // times the length of the period.
    let share_with = |more_s: f64| {
        let (mut low, mut high) = (0.0f64, 10.0);
        for _ in 0..60 {
            let share = f64::midpoint(low, high);
            *(if share * (share.cbrt() * k_s + more_s) < k_s {
                &mut low
            } else {
                &mut high
            }) = share;
        }
        low
    };
    [share_with(flat_s + more_rtts * rtt_s), share_with(-flat_s)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9438, tables 1 (RTT 0.1 s) and 2 (RTT 0.01 s): windows with C = 0.04, 0.4 and 4. The RFC
    /// rounds the constant of Reno to 1.2.
    const RFC_9438: [(f64, f64, [f64; 3]); 10] = [
        (0.1, 1e-2, [12.0, 12.0, 12.0]),
        (0.1, 1e-3, [38.0, 38.0, 59.0]),
        (0.1, 1e-4, [120.0, 187.0, 333.0]),
        (0.1, 1e-5, [593.0, 1054.0, 1874.0]),
        (0.1, 1e-6, [3332.0, 5926.0, 10538.0]),
        (0.1, 1e-8, [105383.0, 187400.0, 333250.0]),
        (0.01, 1e-5, [379.0, 379.0, 379.0]),
        (0.01, 1e-6, [1200.0, 1200.0, 1874.0]),
        (0.01, 1e-7, [3795.0, 5926.0, 10538.0]),
        (0.01, 1e-8, [18740.0, 33325.0, 59261.0]),
    ];

    #[test]
    fn the_formula_gives_the_tables_of_rfc_9438() {
        for (rtt_s, p, windows) in RFC_9438 {
            for (c, window) in [0.04, 0.4, 4.0].into_iter().zip(windows) {
                crate::formulas::assert_near(packets_per_rtt(c, p, rtt_s), window, 0.03);
            }
        }
    }

    #[test]
    fn the_reno_friendly_region_is_the_square_root_law() {
        crate::formulas::assert_near(
            reno_friendly_region(0.01),
            crate::formulas::square_root::packets_per_rtt(0.01, 1.0),
            1e-12,
        );
    }

    #[test]
    fn the_stationary_range_narrows_as_the_window_grows() {
        let [small, large] = [1e-4, 1e-9].map(|p| stationary_range(C, p, 0.1, 3.0));
        assert!(small[0] < large[0] && large[0] < 1.0 && 1.0 < large[1] && large[1] < small[1]);
        crate::formulas::assert_near(large[1], 1.0, 0.02);
    }

    /// Computed by hand: K = 5.336 s, so x (cbrt(x) 5.336 - 1.357) = 5.336.
    #[test]
    fn the_upper_end_of_the_stationary_range_matches_the_hand_calculation() {
        crate::formulas::assert_near(stationary_range(C, 1e-4, 0.1, 0.0)[1], 1.2257, 1e-3);
    }

    /// K of the plateau that belongs to the mean window.
    #[test]
    fn the_time_between_losses_is_k() {
        let w_max = cubic_region(C, 1e-5, 0.1) * 4.0 / (3.0 + BETA);
        let k_s = (w_max * (1.0 - BETA) / C).cbrt();
        crate::formulas::assert_near(seconds_between_losses(C, 1e-5, 0.1), k_s, 1e-12);
    }
}
