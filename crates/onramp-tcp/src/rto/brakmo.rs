//! 4.4BSD's timer with the larger scaling of Brakmo & Peterson, "Performance Problems in BSD4.4
//! TCP" (CCR 25(5), 1995): RTO_B in Figures 6 to 8 of Aron & Druschel. Only the estimator differs;
//! see [`scaled`](super::scaled).

use super::scaled::ScaledEstimator;
use super::Bsd;
use crate::Ticks;

/// 4.4BSD's timer with two more bits in its estimators.
pub fn brakmo(ticks: Ticks) -> Bsd {
    Bsd::with_estimator(ticks, ScaledEstimator::brakmo)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rto::Rto;

    const MS_NS: u64 = 1_000_000;

    /// Aron & Druschel, section 4.1: "the estimated RTO frequently is 3 ticks while sometimes it
    /// does get as low as 2 ticks"; 4.4BSD's stays at 3.
    #[test]
    fn short_round_trips_reach_the_minimum_timeout() {
        let (mut brakmo, mut bsd) = (brakmo(Ticks::FINE), Bsd::new(Ticks::FINE));
        assert_eq!(brakmo.timeout_ns(), bsd.timeout_ns());
        for _ in 0..20 {
            brakmo.sample(0, 60 * MS_NS);
            bsd.sample(0, 60 * MS_NS);
        }
        assert_eq!(
            (brakmo.timeout_ns(), bsd.timeout_ns()),
            (1000 * MS_NS, 1500 * MS_NS)
        );
    }
}
