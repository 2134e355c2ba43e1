//! The timer of LBL's network simulator ns, on which papers of the nineties stand: `tcp.cc` of
//! December 1996.
//!
//! Round trips are counted in ticks (`tcp_tick_`), rounded to the nearest and at least one; Eq. (1)
//! of Aron & Druschel ([`ScaledEstimator`]) makes a timeout of them, of two ticks at least, that
//! ends when it ends: the tick is one of measuring only. Its other rules:
//!
//! - before the first measurement, 3 s; there is no handshake that would give one;
//! - its sinks echo the time of the segment that lets the acknowledgement go, in a header that
//!   takes no room: the newest that it covers is measured, sent again or not. Only new data ends
//!   the doubling;
//! - a fast retransmission doubles the timeout as the timer's end does (mended in ns in July 1997);
//! - factors 1 to 64, and beyond 8 the mean is forgotten; a connection whose timeout exceeds 2000 s
//!   is given up, here it is the bound.

use super::scaled::ScaledEstimator;
use super::Rto;
use crate::Ticks;

const SECOND_NS: u64 = 1_000_000_000;
/// Before the first measurement.
const INITIAL_NS: u64 = 3 * SECOND_NS;
/// Least timeout, in ticks.
const LEAST_TICKS: u64 = 2;
/// Bound of the timeout.
const MOST_NS: u64 = 2000 * SECOND_NS;
/// The timeout stops doubling here.
const MOST_SHIFT: u32 = 6;
/// Beyond so many doublings the mean is forgotten.
const TRUSTED_SHIFT: u32 = 3;

/// ns's timer.
#[derive(Debug)]
pub struct Ns {
    tick_ns: u64,
    estimator: ScaledEstimator,
    /// Doublings.
    shift: u32,
}

impl Ns {
    /// On a host that measures time in such ticks; its events are exact.
    pub fn new(ticks: Ticks) -> Ns {
        Ns::with_tick(ticks.measure_ns.clamp(1, MOST_NS / LEAST_TICKS))
    }

    fn with_tick(tick_ns: u64) -> Ns {
        Ns {
            tick_ns,
            estimator: ScaledEstimator::bsd(INITIAL_NS.div_ceil(tick_ns)),
            shift: 0,
        }
    }
}

impl Rto for Ns {
    fn sample(&mut self, sent_ns: u64, now_ns: u64) {
        self.sample_repeated(sent_ns, now_ns);
        self.shift = 0;
    }

    fn sample_repeated(&mut self, sent_ns: u64, now_ns: u64) {
        let elapsed_ns = now_ns.saturating_sub(sent_ns);
        let ticks = (elapsed_ns.saturating_add(self.tick_ns / 2) / self.tick_ns).max(1);
        // 4.4BSD's first measurement counts one more.
        let is_first = self.estimator.mean_ns(1) == 0;
        self.estimator.measure(ticks - u64::from(is_first));
    }

    fn wants_newest(&self) -> bool {
        true
    }

    fn established(&mut self) {
        *self = Ns::with_tick(self.tick_ns);
    }

    fn deadline_ns(&self, now_ns: u64) -> u64 {
        now_ns.saturating_add(self.timeout_ns())
    }

    fn timeout_ns(&self) -> u64 {
        let ticks = self
            .estimator
            .rto_ticks()
            .max(LEAST_TICKS)
            .saturating_mul(1 << self.shift);
        ticks.saturating_mul(self.tick_ns).min(MOST_NS)
    }

    fn back_off(&mut self) {
        self.shift = (self.shift + 1).min(MOST_SHIFT);
        if self.shift > TRUSTED_SHIFT {
            self.estimator.forget_mean();
        }
    }

    fn retransmitted_fast(&mut self) {
        self.back_off();
    }

    fn srtt_ns(&self) -> u64 {
        self.estimator.mean_ns(self.tick_ns)
    }

    fn rttvar_ns(&self) -> u64 {
        self.estimator.deviation_ns(self.tick_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS_NS: u64 = 1_000_000;

    fn in_ticks_of_100_ms() -> Ns {
        Ns::new(Ticks {
            measure_ns: 100 * MS_NS,
            ..Ticks::FINE
        })
    }

    #[test]
    fn three_seconds_before_the_first_measurement() {
        assert_eq!(
            (
                in_ticks_of_100_ms().timeout_ns(),
                in_ticks_of_100_ms().srtt_ns()
            ),
            (3 * SECOND_NS, 0)
        );
    }

    #[test]
    fn a_retransmission_is_measured_and_does_not_end_the_doubling() {
        let mut rto = in_ticks_of_100_ms();
        rto.sample(0, 200 * MS_NS);
        rto.back_off();
        let before_ns = rto.timeout_ns();
        rto.sample_repeated(SECOND_NS, SECOND_NS + 200 * MS_NS);
        assert!(
            rto.timeout_ns() < before_ns && rto.timeout_ns() >= before_ns / 2,
            "{rto:?}"
        );
        rto.sample(2 * SECOND_NS, 2 * SECOND_NS + 200 * MS_NS);
        assert!(rto.timeout_ns() < before_ns / 2);
    }

    #[test]
    fn the_handshake_says_nothing() {
        let mut rto = in_ticks_of_100_ms();
        rto.sample(0, 200 * MS_NS);
        rto.established();
        assert_eq!((rto.timeout_ns(), rto.srtt_ns()), (3 * SECOND_NS, 0));
    }

    #[test]
    fn round_trips_are_rounded_to_ticks() {
        for (rtt_ms, ticks) in [(20, 1), (149, 1), (150, 2), (249, 2), (250, 3)] {
            let mut rto = in_ticks_of_100_ms();
            rto.sample(0, rtt_ms * MS_NS);
            // Mean and twice the mean.
            assert_eq!(rto.timeout_ns(), 3 * ticks * 100 * MS_NS, "{rtt_ms} ms");
        }
    }

    #[test]
    fn two_ticks_at_least() {
        let mut rto = Ns::new(Ticks {
            measure_ns: 500 * MS_NS,
            ..Ticks::FINE
        });
        for _ in 0..100 {
            rto.sample(0, MS_NS);
        }
        assert!(rto.timeout_ns() >= SECOND_NS);
        assert_eq!(
            rto.deadline_ns(7),
            7 + rto.timeout_ns(),
            "it ends when it ends"
        );
    }

    #[test]
    fn fast_retransmissions_double_it_too() {
        let mut rto = in_ticks_of_100_ms();
        rto.sample(0, 200 * MS_NS);
        let before_ns = rto.timeout_ns();
        rto.retransmitted_fast();
        rto.back_off();
        assert_eq!(rto.timeout_ns(), 4 * before_ns);
        rto.sample(SECOND_NS, SECOND_NS + 200 * MS_NS);
        assert!(rto.timeout_ns() <= before_ns);
    }
}
