//! The timer of 4.4BSD-Lite: everything is counted in ticks of 500 ms.
//!
//! A segment that is timed has a counter which every tick raises; Eq. (1) of Aron & Druschel ([`ScaledEstimator`])
//! makes a timeout of it, in ticks too, and a timer of n ticks ends at the n-th tick after it was set. So a timeout
//! of 2 ticks lasts 0.5 to 1 s, and one of 3 lasts 1 to 1.5 s (sections 3.1 and 4.1). One segment is timed per
//! round trip.
//!
//! Constants are those of `tcp_timer.h` as Wright & Stevens, "TCP/IP Illustrated, Volume 2" (1995), chapter 25,
//! prints them. The paper calls its baseline Lite.4; its column RTO_O is the estimator with shifts 3 and 2, so that
//! is the one here.

use super::scaled::ScaledEstimator;
use super::{Rto, TickClock};
use crate::Ticks;

/// Period of the slow timer.
const TICK_NS: u64 = 500_000_000;
/// `TCPTV_MIN`: a second.
const LEAST_TICKS: u64 = 2;
/// `TCPTV_REXMTMAX`: 64 s.
const MOST_TICKS: u64 = 128;
/// First timer of a connection, 6 s: from the default round trip of 3 s, as `tcp_newtcpcb` computes it.
const INITIAL_TICKS: u64 = 12;
/// What the estimator itself begins with, 12 s. It shows once a SYN has timed out: 6 s, then 24 s, then 48 s.
const INITIAL_ESTIMATE_TICKS: u64 = 24;
/// Factor of the n-th timeout in a row.
const BACKOFF: [u64; 13] = [1, 2, 4, 8, 16, 32, 64, 64, 64, 64, 64, 64, 64];
/// Beyond so many timeouts in a row the mean is taken to be wrong, and forgotten.
const TRUSTED_SHIFT: usize = 3;

/// 4.4BSD's estimator, with the scaling that it is given.
#[derive(Debug)]
pub struct Bsd {
    clock: TickClock,
    estimator: ScaledEstimator,
    /// Timeouts in a row.
    shift: usize,
    /// Backoff included.
    rto_ticks: u64,
}

impl Bsd {
    /// Eq. (1). The clock's ticks lie at the host's phase; its granularities are not used.
    pub fn new(ticks: Ticks) -> Bsd {
        Bsd::with_estimator(ticks, ScaledEstimator::bsd)
    }

    /// Another scaling, which is told its initial timeout.
    pub(super) fn with_estimator(ticks: Ticks, estimator: fn(u64) -> ScaledEstimator) -> Bsd {
        Bsd {
            clock: TickClock::new(TICK_NS, ticks.phase_ns),
            estimator: estimator(INITIAL_ESTIMATE_TICKS),
            shift: 0,
            rto_ticks: INITIAL_TICKS,
        }
    }

    fn set_timeout(&mut self) {
        let ticks = self.estimator.rto_ticks().saturating_mul(BACKOFF[self.shift]);
        self.rto_ticks = ticks.clamp(LEAST_TICKS, MOST_TICKS);
    }
}

impl Rto for Bsd {
    fn sample(&mut self, sent_ns: u64, now_ns: u64) {
        self.estimator.measure(self.clock.ticks_between(sent_ns, now_ns));
        self.shift = 0;
        self.set_timeout();
    }

    fn wants_every_ack(&self) -> bool {
        false
    }

    fn deadline_ns(&self, now_ns: u64) -> u64 {
        self.clock.nth_after_ns(now_ns, self.rto_ticks)
    }

    fn timeout_ns(&self) -> u64 {
        self.rto_ticks * TICK_NS
    }

    fn back_off(&mut self) {
        self.shift = (self.shift + 1).min(BACKOFF.len() - 1);
        self.set_timeout();
        if self.shift > TRUSTED_SHIFT {
            self.estimator.forget_mean();
        }
    }

    fn srtt_ns(&self) -> u64 {
        self.estimator.mean_ns(TICK_NS)
    }

    fn rttvar_ns(&self) -> u64 {
        self.estimator.deviation_ns(TICK_NS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_syn_is_sent_again_after_6_24_48_and_64_seconds() {
        assert_eq!(timeouts_s(&mut Bsd::new(Ticks::FINE), 5), [6, 24, 48, 64, 64]);
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
        let mut rto = Bsd::new(Ticks { phase_ns: 700 * MS_NS, ..Ticks::FINE });
        rto.sample(0, 60 * MS_NS);
        assert_eq!(rto.deadline_ns(0), 1200 * MS_NS);
        assert_eq!(rto.deadline_ns(199 * MS_NS), 1200 * MS_NS);
        assert_eq!(rto.deadline_ns(200 * MS_NS), 1700 * MS_NS);
    }

    #[test]
    fn a_round_trip_that_straddles_a_tick_counts_as_one() {
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
        assert_eq!((rto.srtt_ns(), rto.timeout_ns()), (0, (16 * before_ns).min(64_000 * MS_NS)));
        rto.sample(0, 400 * MS_NS);
        assert_eq!(rto.timeout_ns(), 3 * 500 * MS_NS);
    }
}
