//! Two slow starts in a cycle: a fluid model of Tahoe over a path whose buffer is small for its bandwidth-delay product.
//!
//! N. Chaher, C. Barakat, W. Dabbous, E. Altman: Improving TCP/IP over Geostationary Satellite Links. INRIA RR-3573, 1998.
//! In one sentence: slow start sends twice what the bottleneck serves, so that a buffer of less than a third of what the path
//! holds overflows before the window reaches its threshold, and the window at which that happens is a wrong estimate.
//!
//! ```text
//!   beta      = B / (tau (mu - lambda) + 1)                       normalised buffer; rho = lambda / mu
//!   W_max     = B (mu - lambda) / mu + tau (mu - lambda) + 1      (3)
//!   W_B       = B (2 mu - lambda) / mu                            (4)   the window at which slow start overflows B
//!   twice if    W_B <= W_th = W_max / 2, or beta <= 1 / (3 - rho) (5)
//!   W_D       = min(W_th, 2 W_B)                                  (6)   the window when that loss is detected
//!   gamma_max = beta (2 - rho) / (beta (1 - rho) + 1) = W_B / W_max     (7)
//!   gamma     = gamma_old (X2 - X1 + W) / (2 W)                   (8)
//!   W_B(R)    = B R / (R + lambda - mu)                           (9)   with segments sent at R
//!   R_max     = (mu - lambda) (1 + beta (1 - rho)) / (1 - beta (1 + rho))   (10)
//! ```
//!
//! Windows and the buffer are in packets, rates in packets a second, times in seconds. The source acknowledges every packet and
//! always has something to send; the background is constant. Nothing of it holds where the queue is not small against tau.

/// A bottleneck and the path around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    rate: f64,
    background: f64,
    buffer: f64,
    round_trip_s: f64,
}

/// Why there is no such path.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Invalid {
    /// Not a number, zero or less.
    #[error("{what} is {found}: a number above 0 is wanted")]
    NotPositive {
        /// Which.
        what: &'static str,
        /// What it is.
        found: f64,
    },
    /// The background alone fills the bottleneck, or is less than nothing: the model needs rho in [0, 1).
    #[error("the background is {background} packets/s: from 0 to less than the bottleneck's {rate} is wanted")]
    Background {
        /// What it is.
        background: f64,
        /// What the bottleneck serves.
        rate: f64,
    },
}

impl Path {
    /// A bottleneck that serves `rate` packets a second (mu), `background` (lambda) of them for others, with room for `buffer`
    /// packets (B), on a path whose round trip without queueing is `round_trip_s` (tau).
    ///
    /// # Errors
    /// [`Invalid`] says which of them cannot be.
    pub fn new(rate: f64, background: f64, buffer: f64, round_trip_s: f64) -> Result<Path, Invalid> {
        for (what, found) in [("the rate", rate), ("the buffer", buffer), ("the round trip", round_trip_s)] {
            if !(found.is_finite() && found > 0.0) {
                return Err(Invalid::NotPositive { what, found });
            }
        }
        if !(0.0..rate).contains(&background) {
            return Err(Invalid::Background { background, rate });
        }
        Ok(Path { rate, background, buffer, round_trip_s })
    }

    /// What is left of the bottleneck, in packets a second: mu - lambda.
    pub fn available(&self) -> f64 {
        self.rate - self.background
    }

    /// The background's share of the bottleneck.
    pub fn rho(&self) -> f64 {
        self.background / self.rate
    }

    /// The buffer over what the path holds besides it.
    pub fn beta(&self) -> f64 {
        self.buffer / (self.round_trip_s * self.available() + 1.0)
    }

    /// Eq. (3): the window that path and buffer hold at the most.
    pub fn max_window(&self) -> f64 {
        self.buffer * self.available() / self.rate + self.round_trip_s * self.available() + 1.0
    }

    /// Eq. (4): the window at which slow start overflows the buffer.
    pub fn overflow_window(&self) -> f64 {
        self.overflow_window_at(2.0 * self.rate - self.background)
    }

    /// Eq. (9): the same where slow start's segments leave at this rate; infinite where that is no more than what is available.
    pub fn overflow_window_at(&self, spaced: f64) -> f64 {
        let builds_up = spaced + self.background - self.rate;
        if builds_up > 0.0 {
            self.buffer * spaced / builds_up
        } else {
            f64::INFINITY
        }
    }

    /// Eq. (5): each cycle has two slow starts.
    pub fn starts_twice(&self) -> bool {
        self.overflow_window() <= self.max_window() / 2.0
    }

    /// Eq. (6): the window when the loss of a slow start with this threshold is detected, one round trip after it.
    pub fn detected_window(&self, threshold: f64) -> f64 {
        threshold.min(2.0 * self.overflow_window())
    }

    /// Eq. (7): the largest share of W_max that a threshold may be for the cycle to have one slow start.
    pub fn gamma_max(&self) -> f64 {
        self.overflow_window() / self.max_window()
    }

    /// The window at which congestion avoidance begins where thresholds are this share of the window (section 3, figure 3).
    pub fn avoidance_window(&self, gamma: f64) -> f64 {
        let threshold = gamma * self.max_window();
        if threshold < self.overflow_window() {
            threshold
        } else {
            gamma * self.detected_window(threshold)
        }
    }

    /// Eq. (10): below this rate of its segments slow start does not overflow the buffer before the threshold; `None` where none
    /// does.
    pub fn max_spaced_rate(&self) -> Option<f64> {
        let (beta, rho) = (self.beta(), self.rho());
        let denominator = 1.0 - beta * (1.0 + rho);
        (denominator > 0.0).then(|| self.available() * (1.0 + beta * (1.0 - rho)) / denominator)
    }
}

/// Eq. (8): the share to use next, from what was acknowledged in a congestion avoidance that a slow start's loss ended
/// (X2 - X1, in packets), and the window at its end.
pub fn adapted_gamma(gamma: f64, acknowledged: f64, window: f64) -> f64 {
    gamma * (acknowledged + window) / (2.0 * window)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assert_near;

    /// Section 5: a T1 satellite link of 512-byte packets.
    fn satellite() -> Path {
        Path::new(366.0, 100.0, 40.0, 0.56).unwrap()
    }

    /// The values of section 5, to the digits that it prints (480 packets/s is 480.9, cut off).
    #[test]
    fn the_papers_example() {
        let path = satellite();
        assert_eq!(format!("{:.3}", path.beta()), "0.267");
        assert_eq!(format!("{:.1}", path.overflow_window()), "69.1");
        assert_eq!(format!("{:.1}", path.max_window()), "179.0");
        assert_eq!(format!("{:.3}", path.gamma_max()), "0.386");
        assert_eq!(path.max_spaced_rate().unwrap().floor(), 480.0);
        assert!(path.starts_twice());
    }

    /// "For lambda = 0, this condition becomes similar to the beta <= 1/3 found in [14]."
    #[test]
    fn eq_5_is_one_third_without_background() {
        for (buffer, twice) in [(33.0, true), (34.0, false)] {
            let path = Path::new(99.0, 0.0, buffer, 1.0).unwrap();
            assert_eq!(path.starts_twice(), twice, "beta {}", path.beta());
            assert_eq!(path.beta() <= 1.0 / (3.0 - path.rho()), twice);
        }
    }

    #[test]
    fn both_forms_of_eq_7_agree() {
        for background in [0.0, 50.0, 200.0, 365.0] {
            let path = Path::new(366.0, background, 40.0, 0.56).unwrap();
            let (beta, rho) = (path.beta(), path.rho());
            assert_near(path.gamma_max(), beta * (2.0 - rho) / (beta * (1.0 - rho) + 1.0), 1e-12);
        }
    }

    /// At R_max the buffer overflows just when the window reaches its threshold.
    #[test]
    fn eq_10_is_where_eq_9_meets_the_threshold() {
        let path = satellite();
        assert_near(path.overflow_window_at(path.max_spaced_rate().unwrap()), path.max_window() / 2.0, 1e-12);
        assert_eq!(path.overflow_window_at(path.available()), f64::INFINITY);
        assert!(Path::new(366.0, 0.0, 400.0, 0.56).unwrap().max_spaced_rate().is_none());
    }

    /// Section 3, for gamma_max < 1/4: gamma W_max up to gamma_max, gamma^2 W_max up to twice that, then 2 gamma W_B.
    #[test]
    fn figure_3_has_three_pieces() {
        let path = Path::new(1000.0, 0.0, 50.0, 0.5).unwrap();
        let (gamma_max, w_max, w_b) = (path.gamma_max(), path.max_window(), path.overflow_window());
        assert!(gamma_max < 0.25);
        assert_near(path.avoidance_window(0.9 * gamma_max), 0.9 * gamma_max * w_max, 1e-12);
        assert_near(path.avoidance_window(1.5 * gamma_max), (1.5 * gamma_max).powi(2) * w_max, 1e-12);
        assert_near(path.avoidance_window(0.5), w_b, 1e-12);
        assert_near(path.avoidance_window(0.45), 0.9 * w_b, 1e-12);
    }

    /// "X2 - X1 is equal to 2 W_B - W and W is simply the old factor times W_max"
    #[test]
    fn eq_8_finds_gamma_max_in_one_step() {
        let path = Path::new(1000.0, 0.0, 50.0, 0.5).unwrap();
        for gamma in [0.3, 0.4, 0.5] {
            let window = gamma * path.max_window();
            assert_near(adapted_gamma(gamma, 2.0 * path.overflow_window() - window, window), path.gamma_max(), 1e-12);
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let said = |path: Result<Path, Invalid>| path.unwrap_err().to_string();
        assert_eq!(said(Path::new(0.0, 0.0, 40.0, 0.5)), "the rate is 0: a number above 0 is wanted");
        assert_eq!(said(Path::new(f64::NAN, 0.0, 40.0, 0.5)), "the rate is NaN: a number above 0 is wanted");
        assert_eq!(said(Path::new(366.0, 0.0, 40.0, -1.0)), "the round trip is -1: a number above 0 is wanted");
        let full = "the background is 366 packets/s: from 0 to less than the bottleneck's 366 is wanted";
        assert_eq!(said(Path::new(366.0, 366.0, 40.0, 0.5)), full);
    }
}
