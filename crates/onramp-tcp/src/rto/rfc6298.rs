//! The standard timer: RFC 6298, "Computing TCP's Retransmission Timer" (2011).
//!
//! ```text
//! first R:   SRTT = R    RTTVAR = R/2                                          (2.2)
//! then R':   RTTVAR = 3/4 RTTVAR + 1/4 |SRTT - R'|    SRTT = 7/8 SRTT + 1/8 R'   (2.3)
//! RTO = SRTT + max(G, 4 RTTVAR), at least 1 s, at most 60 s                     (2.2 to 2.5)
//! ```
//!
//! Times are whole nanoseconds. G is the granularity of time measurement. The timer ends at the
//! first tick of the event clock at or after the RTO, because it must never end early (section 5).

use super::Rto;
use crate::timing::{Events, Measurement};
use crate::Ticks;

const SECOND_NS: u64 = 1_000_000_000;
/// RTO before the first measurement (2.1).
const INITIAL_RTO_NS: u64 = SECOND_NS;
/// Minimum RTO (2.4).
const MIN_RTO_NS: u64 = SECOND_NS;
/// The smallest maximum RTO that the RFC allows (2.5).
const MAX_RTO_NS: u64 = 60 * SECOND_NS;
/// RTO for data after a SYN that timed out (5.7).
const FALLBACK_RTO_NS: u64 = 3 * SECOND_NS;
/// This many doublings take any timeout to its maximum.
const MAX_SHIFT: u32 = 6;
/// Longer measurements count as an hour, so that nothing overflows.
const MAX_RTT_NS: u64 = 3600 * SECOND_NS;

/// The estimator of RFC 6298.
#[derive(Clone, Debug)]
pub struct Rfc6298 {
    measurement: Measurement,
    events: Events,
    /// SRTT and RTTVAR, after the first measurement.
    estimate_ns: Option<(u64, u64)>,
    /// RTO without backoff.
    rto_ns: u64,
    /// Number of timeouts in a row.
    shift: u32,
    /// The timer has expired during the handshake, which is not complete.
    handshake_timed_out: bool,
}

impl Rfc6298 {
    /// An estimator on a host with these clocks.
    pub fn new(ticks: Ticks) -> Rfc6298 {
        Rfc6298 {
            measurement: ticks.measurement(),
            events: ticks.events(),
            estimate_ns: None,
            rto_ns: INITIAL_RTO_NS,
            shift: 0,
            handshake_timed_out: false,
        }
    }
}

impl Rto for Rfc6298 {
    fn sample(&mut self, sent_ns: u64, now_ns: u64) {
        let granularity_ns = self.measurement.resolution_ns();
        let rtt_ns = self.measurement.elapsed_ns(sent_ns, now_ns).min(MAX_RTT_NS);
        let (srtt_ns, rttvar_ns) = match self.estimate_ns {
            None => (rtt_ns, rtt_ns / 2),
            Some((srtt_ns, rttvar_ns)) => (
                (7 * srtt_ns + rtt_ns) / 8,
                (3 * rttvar_ns + srtt_ns.abs_diff(rtt_ns)) / 4,
            ),
        };
        self.estimate_ns = Some((srtt_ns, rttvar_ns));
        self.shift = 0;
        self.rto_ns = (srtt_ns + granularity_ns.max(4 * rttvar_ns)).clamp(MIN_RTO_NS, MAX_RTO_NS);
    }

    fn established(&mut self) {
        if std::mem::take(&mut self.handshake_timed_out) {
            self.rto_ns = self.timeout_ns().max(FALLBACK_RTO_NS);
            self.shift = 0;
        }
    }

    fn deadline_ns(&self, now_ns: u64) -> u64 {
        self.events
            .at_or_after_ns(now_ns.saturating_add(self.timeout_ns()))
    }

    fn timeout_ns(&self) -> u64 {
        (self.rto_ns << self.shift).min(MAX_RTO_NS)
    }

    fn back_off(&mut self) {
        self.shift = (self.shift + 1).min(MAX_SHIFT);
        self.handshake_timed_out |= self.estimate_ns.is_none();
    }

    fn srtt_ns(&self) -> u64 {
        self.estimate_ns.map_or(0, |(srtt_ns, _)| srtt_ns)
    }

    fn rttvar_ns(&self) -> u64 {
        self.estimate_ns.map_or(0, |(_, rttvar_ns)| rttvar_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS_NS: u64 = 1_000_000;

    fn fine() -> Rfc6298 {
        Rfc6298::new(Ticks::FINE)
    }

    fn sample_ms(rto: &mut Rfc6298, rtt_ms: u64) {
        rto.sample(SECOND_NS, SECOND_NS + rtt_ms * MS_NS);
    }

    /// RFC 6298, 2.1.
    #[test]
    fn the_first_timeout_is_a_second() {
        assert_eq!((fine().timeout_ns(), fine().srtt_ns()), (SECOND_NS, 0));
    }

    /// RFC 6298, 2.2.
    #[test]
    fn the_first_measurement_sets_mean_and_half_of_it_as_deviation() {
        let mut rto = fine();
        sample_ms(&mut rto, 600);
        assert_eq!(
            (rto.srtt_ns(), rto.rttvar_ns(), rto.timeout_ns()),
            (600 * MS_NS, 300 * MS_NS, 1800 * MS_NS)
        );
    }

    /// RFC 6298, 2.3: the deviation is updated first, with the old mean.
    #[test]
    fn later_measurements_move_the_deviation_by_a_quarter_and_the_mean_by_an_eighth() {
        let mut rto = fine();
        sample_ms(&mut rto, 600);
        sample_ms(&mut rto, 1000);
        assert_eq!(
            (rto.srtt_ns(), rto.rttvar_ns(), rto.timeout_ns()),
            (650 * MS_NS, 325 * MS_NS, 1950 * MS_NS)
        );
    }

    /// RFC 6298, 2.3 and section 4.
    #[test]
    fn the_granularity_replaces_a_smaller_deviation() {
        let mut rto = Rfc6298::new(Ticks {
            measure_ns: 500 * MS_NS,
            ..Ticks::FINE
        });
        for _ in 0..200 {
            rto.sample(SECOND_NS, 3 * SECOND_NS);
        }
        assert_eq!(rto.timeout_ns(), 2500 * MS_NS);
    }

    /// RFC 6298, 2.4.
    #[test]
    fn a_short_timeout_is_rounded_up_to_a_second() {
        let mut rto = fine();
        sample_ms(&mut rto, 1);
        assert_eq!(rto.timeout_ns(), SECOND_NS);
    }

    /// RFC 6298, 2.5 and 5.5.
    #[test]
    fn the_timer_doubles_up_to_a_minute() {
        let mut rto = fine();
        let seconds = [2, 4, 8, 16, 32, 60, 60].map(|_| {
            rto.back_off();
            rto.timeout_ns() / SECOND_NS
        });
        assert_eq!(seconds, [2, 4, 8, 16, 32, 60, 60]);
    }

    /// RFC 6298, 5.7.
    #[test]
    fn three_seconds_after_a_syn_that_timed_out() {
        let mut rto = fine();
        rto.established();
        assert_eq!(rto.timeout_ns(), SECOND_NS);
        let mut rto = fine();
        rto.back_off();
        rto.established();
        assert_eq!(rto.timeout_ns(), 3 * SECOND_NS);
        let mut rto = fine();
        rto.back_off();
        rto.back_off();
        rto.established();
        assert_eq!(rto.timeout_ns(), 4 * SECOND_NS);
    }

    /// RFC 6298, section 5: a timer must not end early.
    #[test]
    fn the_timer_ends_at_the_first_tick_after_the_timeout() {
        let rto = Rfc6298::new(Ticks {
            event_ns: 10 * MS_NS,
            phase_ns: 3 * MS_NS,
            ..Ticks::FINE
        });
        assert_eq!(rto.deadline_ns(0), 1003 * MS_NS);
        assert_eq!(rto.deadline_ns(3 * MS_NS), 1003 * MS_NS);
        assert_eq!(rto.deadline_ns(4 * MS_NS), 1013 * MS_NS);
    }
}
