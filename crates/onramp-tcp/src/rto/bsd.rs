//! The retransmission timer of 4.4BSD-Lite, which counts everything in ticks of 500 ms.
//!
//! Each tick increments a counter of the timed segment. Eq. (1) of Aron & Druschel
//! ([`ScaledEstimator`]) turns it into a timeout, also in ticks. A timer of n ticks ends at the
//! n-th tick after it was set. So a timeout of 2 ticks lasts 0.5 to 1 s, and one of 3 ticks 1 to
//! 1.5 s (sections 3.1 and 4.1). One segment is timed per round trip.
//!
//! Backoff and limits are in [`ticked`](super::ticked). The paper calls its baseline Lite.4. Its
//! column RTO_O is the estimator with shifts 3 and 2, so this file implements that one.

use super::scaled::ScaledEstimator;
use super::ticked::{Rule, Ticked};
use crate::timing::Events;
use crate::Ticks;

/// Period of the slow timer.
const TICK_NS: u64 = 500_000_000;

/// 4.4BSD's timer, with a given scaling.
pub type Bsd = Ticked<SlowTimer>;

/// One clock for measurement and events: their ticks are the same.
#[derive(Clone, Debug)]
pub struct SlowTimer;

impl Rule for SlowTimer {
    const TIMES_RETRANSMISSIONS: bool = false;

    fn new(_events: Events) -> SlowTimer {
        SlowTimer
    }

    fn event_ticks(&self, rto_ns: u64, _srtt_ns: u64) -> u64 {
        rto_ns / TICK_NS
    }
}

impl Bsd {
    /// Uses Eq. (1). The slow timer's ticks have the host's phase; the host's granularities are
    /// unused.
    pub fn new(ticks: Ticks) -> Bsd {
        Bsd::with_estimator(ticks, ScaledEstimator::bsd)
    }

    /// Uses another scaling. `estimator` gets the initial timeout in ticks.
    pub(super) fn with_estimator(ticks: Ticks, estimator: fn(u64) -> ScaledEstimator) -> Bsd {
        Ticked::on(ticks.every(TICK_NS), estimator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rto::Rto;

    const MS_NS: u64 = 1_000_000;

    fn timeouts_s(rto: &mut Bsd, count: usize) -> Vec<u64> {
        (0..count)
            .map(|_| {
                let timeout_s = rto.timeout_ns() / 1_000_000_000;
                rto.back_off();
                timeout_s
            })
            .collect()
    }

    /// As Stevens observed it: TCP/IP Illustrated, Volume 1, section 18.3.
    #[test]
    fn a_syn_is_retransmitted_after_6_24_48_and_64_seconds() {
        assert_eq!(
            timeouts_s(&mut Bsd::new(Ticks::FINE), 5),
            [6, 24, 48, 64, 64]
        );
    }

    #[test]
    fn the_timeout_doubles_up_to_64_seconds() {
        let mut rto = Bsd::new(Ticks::FINE);
        rto.sample(0, 60 * MS_NS);
        assert_eq!(rto.timeout_ns(), 1500 * MS_NS);
        assert_eq!(timeouts_s(&mut rto, 9), [1, 3, 6, 12, 24, 48, 64, 64, 64]);
    }

    /// Aron & Druschel, section 3.1: "in the range 0.5-1s".
    #[test]
    fn a_timeout_ends_at_a_tick() {
        let mut rto = Bsd::new(Ticks {
            phase_ns: 700 * MS_NS,
            ..Ticks::FINE
        });
        rto.sample(0, 60 * MS_NS);
        assert_eq!(rto.deadline_ns(0), 1200 * MS_NS);
        assert_eq!(rto.deadline_ns(199 * MS_NS), 1200 * MS_NS);
        assert_eq!(rto.deadline_ns(200 * MS_NS), 1700 * MS_NS);
    }

    #[test]
    fn a_round_trip_that_crosses_a_tick_counts_as_one() {
        let mut rto = Bsd::new(Ticks::FINE);
        // The first three rows of Figure 6.
        rto.sample(470 * MS_NS, 480 * MS_NS);
        rto.sample(480 * MS_NS, 490 * MS_NS);
        rto.sample(490 * MS_NS, 510 * MS_NS);
        assert_eq!(rto.timeout_ns(), 5 * 500 * MS_NS);
    }

    #[test]
    fn the_mean_is_forgotten_after_four_timeouts_and_the_timeout_is_not() {
        let mut rto = Bsd::new(Ticks::FINE);
        rto.sample(0, 2000 * MS_NS);
        assert!(rto.srtt_ns() > 0);
        let before_ns = rto.timeout_ns();
        for _ in 0..4 {
            rto.back_off();
        }
        assert_eq!(
            (rto.srtt_ns(), rto.timeout_ns()),
            (0, (16 * before_ns).min(64_000 * MS_NS))
        );
        rto.sample(0, 400 * MS_NS);
        assert_eq!(rto.timeout_ns(), 3 * 500 * MS_NS);
    }
}
