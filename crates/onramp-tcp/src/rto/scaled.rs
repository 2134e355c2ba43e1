//! Jacobson's estimator in integers: Eq. (1) of Aron & Druschel (1998), and a variant with more
//! fraction bits.
//!
//! A round trip of `m` ticks changes the scaled mean `sa` and the scaled deviation `sd`:
//!
//! ```text
//! Err = m - (sa >> 3)     sa += Err     sd += |Err| - (sd >> 2)     rto = (sa >> 3) + sd     (1)
//! ```
//!
//! With a coarse clock `sd` stays at 3, because 3 >> 2 is 0 and nothing is subtracted any more.
//! Therefore Brakmo & Peterson, "Performance Problems in BSD4.4 TCP" (CCR 25(5), 1995), keep two
//! more bits of both, and drop them only from the result:
//!
//! ```text
//! Err = (m << 2) - (sa >> 3)   sa += Err   sd += |Err| - (sd >> 2)   rto = ((sa >> 3) + sd) >> 2
//! ```
//!
//! The gains are 1/8 and 1/4 in both. Details that Eq. (1) leaves open are as in 4.4BSD. The first
//! measurement counts one tick more, because `t_rtt` starts at 1. Hence footnote 9: the first
//! timeout is three times the measured round trip plus a tick. Neither `sa` nor `sd` falls below 1.

/// Shift of the mean's gain, 1/8.
const GAIN_MEAN_SHIFT: u32 = 3;
/// Shift of the deviation's gain, 1/4.
const GAIN_DEVIATION_SHIFT: u32 = 2;
/// Maximum of a measurement, so that nothing overflows: an hour in ticks of a nanosecond.
const MAX_TICKS: u64 = 3_600_000_000_000;

/// The scaled mean and deviation of RTTs, in ticks of the clock that measured them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaledEstimator {
    /// Fraction bits of both estimators.
    fraction_bits: u32,
    /// Mean * 8 * 2^fraction_bits; 0 before the first measurement.
    sa: i64,
    /// Deviation * 4 * 2^fraction_bits.
    sd: i64,
}

impl ScaledEstimator {
    /// Eq. (1), as in 4.4BSD. Before the first measurement the timeout is `initial_rto_ticks`.
    pub fn bsd(initial_rto_ticks: u64) -> ScaledEstimator {
        ScaledEstimator::new(0, initial_rto_ticks)
    }

    /// The larger scaling of Brakmo & Peterson, with two more bits.
    pub fn brakmo(initial_rto_ticks: u64) -> ScaledEstimator {
        ScaledEstimator::new(2, initial_rto_ticks)
    }

    fn new(fraction_bits: u32, initial_rto_ticks: u64) -> ScaledEstimator {
        ScaledEstimator {
            fraction_bits,
            sa: 0,
            sd: (initial_rto_ticks.min(MAX_TICKS) as i64) << fraction_bits,
        }
    }

    /// Takes an RTT measurement of `ticks` ticks.
    pub fn measure(&mut self, ticks: u64) {
        let ticks = ticks.min(MAX_TICKS) as i64;
        if self.sa == 0 {
            // The deviation starts at half the mean.
            self.sa = (ticks + 1) << (GAIN_MEAN_SHIFT + self.fraction_bits);
            self.sd = (ticks + 1) << (GAIN_DEVIATION_SHIFT - 1 + self.fraction_bits);
            return;
        }
        let error = (ticks << self.fraction_bits) - (self.sa >> GAIN_MEAN_SHIFT);
        self.sa = (self.sa + error).max(1);
        self.sd = (self.sd + error.abs() - (self.sd >> GAIN_DEVIATION_SHIFT)).max(1);
    }

    /// The retransmission timeout in ticks, without limits.
    pub fn rto_ticks(&self) -> u64 {
        (((self.sa >> GAIN_MEAN_SHIFT) + self.sd) >> self.fraction_bits) as u64
    }

    /// Moves the mean into the deviation. The timeout does not change, and the next measurement
    /// counts as the first.
    pub fn forget_mean(&mut self) {
        self.sd += self.sa >> GAIN_MEAN_SHIFT;
        self.sa = 0;
    }

    /// Mean in ns, for ticks of this length; 0 before the first measurement.
    pub fn mean_ns(&self, tick_ns: u64) -> u64 {
        scale(self.sa, tick_ns, GAIN_MEAN_SHIFT + self.fraction_bits)
    }

    /// Mean deviation in ns, for ticks of this length; 0 before the first measurement.
    pub fn deviation_ns(&self, tick_ns: u64) -> u64 {
        if self.sa == 0 {
            return 0;
        }
        scale(self.sd, tick_ns, GAIN_DEVIATION_SHIFT + self.fraction_bits)
    }
}

fn scale(scaled_ticks: i64, tick_ns: u64, shift: u32) -> u64 {
    u64::try_from((scaled_ticks.max(0) as u128 * u128::from(tick_ns)) >> shift).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_timeout_is_three_times_the_round_trip_and_a_tick() {
        let mut estimator = ScaledEstimator::bsd(24);
        assert_eq!(estimator.rto_ticks(), 24);
        estimator.measure(60);
        assert_eq!(estimator.rto_ticks(), 3 * 61);
        assert_eq!(
            (estimator.mean_ns(1000), estimator.deviation_ns(1000)),
            (61_000, 30_500)
        );
    }

    #[test]
    fn the_deviation_of_equal_round_trips_decays_only_with_the_larger_scaling() {
        let (mut bsd, mut brakmo) = (ScaledEstimator::bsd(24), ScaledEstimator::brakmo(24));
        for _ in 0..100 {
            bsd.measure(0);
            brakmo.measure(0);
        }
        assert_eq!((bsd.rto_ticks(), brakmo.rto_ticks()), (3, 0));
    }

    #[test]
    fn forgetting_the_mean_keeps_the_timeout() {
        for mut estimator in [ScaledEstimator::bsd(24), ScaledEstimator::brakmo(24)] {
            estimator.measure(40);
            estimator.measure(60);
            let before = estimator.rto_ticks();
            estimator.forget_mean();
            assert_eq!((estimator.rto_ticks(), estimator.mean_ns(1)), (before, 0));
        }
    }
}
