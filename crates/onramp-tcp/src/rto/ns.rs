//! The retransmission timer of LBL's network simulator ns, which many papers of the 1990s used:
//! `tcp.cc` of December 1996.
//!
//! RTTs are counted in ticks (`tcp_tick_`), rounded to the nearest and at least one. Eq. (1) of
//! Aron & Druschel ([`ScaledEstimator`]) turns them into a timeout of at least two ticks. The timer
//! itself is exact: ticks are used for measurement only. Its other rules:
//!
//! - Before the first measurement the RTO is 3 s. No handshake gives a measurement.
//! - Its sinks echo the sending time of the segment that triggers the ACK, in a header that takes
//!   no room. So the newest segment that the ACK covers is measured, retransmitted or not. Only new
//!   data ends the doubling.
//! - A fast retransmission doubles the timeout just as an expiry does (fixed in ns in July 1997).
//! - The backoff factor is 1 to 64. Above 8 the mean is forgotten. ns gives up a connection whose
//!   timeout exceeds 2000 s; here that is the maximum.

use super::scaled::ScaledEstimator;
use super::Rto;
use crate::Ticks;

const SECOND_NS: u64 = 1_000_000_000;
/// RTO before the first measurement.
const INITIAL_NS: u64 = 3 * SECOND_NS;
/// Minimum timeout, in ticks.
const MIN_TICKS: u64 = 2;
/// Maximum timeout.
const MAX_NS: u64 = 2000 * SECOND_NS;
/// Maximum number of doublings.
const MAX_SHIFT: u32 = 6;
/// The mean is forgotten after more doublings than this.
const TRUSTED_SHIFT: u32 = 3;

/// The retransmission timer of ns.
#[derive(Clone, Debug)]
pub struct Ns {
    tick_ns: u64,
    estimator: ScaledEstimator,
    /// Number of doublings.
    shift: u32,
}

impl Ns {
    /// A retransmission timer with these measurement ticks. It expires at exact times.
    pub fn new(ticks: Ticks) -> Ns {
        Ns::with_tick(ticks.measure_ns.clamp(1, MAX_NS / MIN_TICKS))
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
        self.sample_retransmitted(sent_ns, now_ns);
        self.shift = 0;
    }

    fn sample_retransmitted(&mut self, sent_ns: u64, now_ns: u64) {
        let elapsed_ns = now_ns.saturating_sub(sent_ns);
        let ticks = (elapsed_ns.saturating_add(self.tick_ns / 2) / self.tick_ns).max(1);
        // ScaledEstimator counts the first measurement one tick longer, as 4.4BSD does.
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
            .max(MIN_TICKS)
            .saturating_mul(1 << self.shift);
        ticks.saturating_mul(self.tick_ns).min(MAX_NS)
    }

    fn back_off(&mut self) {
        self.shift = (self.shift + 1).min(MAX_SHIFT);
        if self.shift > TRUSTED_SHIFT {
            self.estimator.forget_mean();
        }
    }

    fn on_fast_retransmit(&mut self) {
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
        rto.sample_retransmitted(SECOND_NS, SECOND_NS + 200 * MS_NS);
        assert!(
            rto.timeout_ns() < before_ns && rto.timeout_ns() >= before_ns / 2,
            "{rto:?}"
        );
        rto.sample(2 * SECOND_NS, 2 * SECOND_NS + 200 * MS_NS);
        assert!(rto.timeout_ns() < before_ns / 2);
    }

    #[test]
    fn the_handshake_gives_no_sample() {
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
            // The mean, and twice the mean.
            assert_eq!(rto.timeout_ns(), 3 * ticks * 100 * MS_NS, "{rtt_ms} ms");
        }
    }

    #[test]
    fn the_timeout_is_at_least_two_ticks() {
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
            "the timer is exact"
        );
    }

    #[test]
    fn fast_retransmissions_double_the_timeout_too() {
        let mut rto = in_ticks_of_100_ms();
        rto.sample(0, 200 * MS_NS);
        let before_ns = rto.timeout_ns();
        rto.on_fast_retransmit();
        rto.back_off();
        assert_eq!(rto.timeout_ns(), 4 * before_ns);
        rto.sample(SECOND_NS, SECOND_NS + 200 * MS_NS);
        assert!(rto.timeout_ns() <= before_ns);
    }
}
