//! 4.4BSD's timer with the larger scaling of Brakmo & Peterson, "Performance Problems in BSD4.4
//! TCP" (CCR 25(5), 1995): RTO_B in Figures 6 to 8 of Aron & Druschel.
//!
//! Two things differ from 4.4BSD: the estimator (see [`scaled`](super::scaled)), and a floor. A
//! timeout lasts at least two ticks more than the last measured round trip. The BSDs that took over
//! the changes of that paper took both at once (NetBSD: "Scale the RTT values slightly to adjust
//! for rounding errors. Set the lower bound of the RTO to RTT+2."). A backed-off timeout has only
//! the usual minimum of two ticks.

use super::scaled::ScaledEstimator;
use super::Bsd;
use crate::Ticks;

/// A timeout lasts at least this many ticks more than the last measurement.
const MARGIN_TICKS: u64 = 2;

/// 4.4BSD's timer with two more bits in its estimators, and with the floor.
pub fn brakmo(ticks: Ticks) -> Bsd {
    brakmo_scaling(ticks).with_margin(MARGIN_TICKS)
}

/// The same without the floor: all that Aron & Druschel say of it.
pub fn brakmo_scaling(ticks: Ticks) -> Bsd {
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

    /// With fine ticks a round trip of 60 ms is one tick where it crosses one.
    #[test]
    fn a_timeout_is_two_ticks_more_than_the_last_round_trip() {
        let mut timer = brakmo(Ticks::FINE);
        for _ in 0..20 {
            timer.sample(0, 60 * MS_NS);
        }
        timer.sample(490 * MS_NS, 550 * MS_NS);
        assert_eq!(timer.timeout_ns(), 1500 * MS_NS);
        let mut without = brakmo_scaling(Ticks::FINE);
        for _ in 0..20 {
            without.sample(0, 60 * MS_NS);
        }
        without.sample(490 * MS_NS, 550 * MS_NS);
        assert_eq!(without.timeout_ns(), 1000 * MS_NS);
        timer.back_off();
        assert_eq!(timer.timeout_ns(), 2000 * MS_NS, "no floor but 2 ticks");
        timer.sample(0, 60 * MS_NS);
        assert_eq!(timer.timeout_ns(), 1000 * MS_NS);
    }
}
