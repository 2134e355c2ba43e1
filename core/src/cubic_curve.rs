//! CUBIC's curve in integers: `W(t) = C (t - K)^3 + W_max` (RFC 9438, section 4.2).
//!
//! Time is in units of 1/1024 s, so that `t^3` fits and scaling is a shift. C is 410/1024, which is
//! 0.4 to a thousandth. Section 5.1 recommends C = 0.4, which balances friendliness to Reno against
//! the use of spare capacity.
//!
//! The hosts need the curve, not the start-ups: the CUBIC of onramp-tcp, and QUIC hosts where their
//! library's CUBIC cannot begin.

/// C in units of 1/1024 segments per second^3.
const C_1024: u64 = 410;
/// Bits to shift out of C_1024 * t^3 with t in 1/1024 s: 10 + 3 * 10.
const SCALE_BITS: u32 = 40;

/// A cubic curve: the window of its plateau, and when it gets there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CubicCurve {
    /// Window of the plateau, in segments.
    origin: u64,
    /// K: time to the plateau in 1/1024 s, from the start of the epoch.
    k: u64,
}

impl CubicCurve {
    /// The curve from the current window to the one before the loss. If the window is already
    /// there, only the convex half remains, starting at the window.
    pub fn new(w_max: u64, cwnd: u64) -> CubicCurve {
        let below = w_max.saturating_sub(cwnd).min(u64::from(u32::MAX));
        CubicCurve {
            origin: w_max.max(cwnd),
            k: cube_root((1 << SCALE_BITS) / C_1024 * below),
        }
    }

    /// The window in segments at time `t`, in 1/1024 s from the start of the epoch.
    pub fn segments_at(&self, t: u64) -> u64 {
        let from_k = u128::from(t.abs_diff(self.k).min(u64::from(u32::MAX)));
        let offset = (u128::from(C_1024) * from_k.pow(3)) >> SCALE_BITS;
        let offset = u64::try_from(offset).unwrap_or(u64::MAX);
        if t < self.k {
            self.origin.saturating_sub(offset)
        } else {
            self.origin.saturating_add(offset)
        }
    }
}

/// The largest integer whose cube is at most `n`.
fn cube_root(n: u64) -> u64 {
    // Bit by bit from the highest: 2^22 exceeds the cube root of any 64-bit number.
    (0..22).rev().fold(0u64, |root, bit| {
        let candidate = root | 1 << bit;
        if u128::from(candidate).pow(3) <= u128::from(n) {
            candidate
        } else {
            root
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cube_roots_are_exact() {
        for root in [0u64, 1, 2, 3, 10, 1000, 5118, 2_642_244] {
            assert_eq!(cube_root(root.pow(3)), root);
            assert_eq!(cube_root((root + 1).saturating_pow(3) - 1), root);
        }
        assert_eq!(cube_root(u64::MAX), 2_642_245);
    }

    /// RFC 9438, section 4.2, figure 2.
    #[test]
    fn k_is_the_time_to_the_plateau() {
        for (w_max, cwnd) in [
            (10u64, 7u64),
            (100, 70),
            (1000, 700),
            (20_000, 14_000),
            (1_000_000, 1),
        ] {
            let exact_s = ((w_max - cwnd) as f64 / 0.4).cbrt();
            let k_s = CubicCurve::new(w_max, cwnd).k as f64 / 1024.0;
            assert!(
                (k_s - exact_s).abs() < 0.0004 * exact_s + 0.001,
                "{w_max}: {k_s} for {exact_s}"
            );
        }
    }

    /// RFC 9438, section 4.2, figure 1.
    #[test]
    fn the_curve_is_the_cubic_function_to_a_segment() {
        let curve = CubicCurve::new(1000, 700);
        let k_s = (300.0f64 / 0.4).cbrt();
        for t in (0..20 * 1024).step_by(100) {
            let exact = 0.4 * (t as f64 / 1024.0 - k_s).powi(3) + 1000.0;
            let error = curve.segments_at(t) as f64 - exact;
            assert!(
                error.abs() < 1.0 + 0.002 * (exact - 1000.0).abs(),
                "{t}: {error}"
            );
        }
    }

    #[test]
    fn the_curve_starts_at_the_window_and_reaches_the_plateau() {
        let curve = CubicCurve::new(1000, 700);
        assert_eq!(
            (curve.segments_at(0), curve.segments_at(curve.k)),
            (701, 1000),
            "as Linux rounds it"
        );
    }

    #[test]
    fn at_or_above_the_old_window_only_the_convex_half_remains() {
        assert_eq!(CubicCurve::new(700, 900), CubicCurve { origin: 900, k: 0 });
    }
}
