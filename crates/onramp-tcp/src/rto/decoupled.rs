//! Aron & Druschel, "TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control"
//! (1998), section 4.1: time is measured by one clock and events are scheduled by another.
//!
//! Eq. (1) runs on ticks of the clock that measures, of frequency f_rtt; its result becomes ticks
//! of the clock that schedules, of frequency f_ev:
//!
//! ```text
//! rto_ev = max(2, ceil(rto * f_ev / f_rtt) + 1)       (2)
//! ```
//!
//! The one tick more is for the part of a tick that is over when the timer is set. With an event
//! clock that is finer than BSD's, a timeout is at least 200 ms and a mean round trip: receivers
//! may delay their ACKs by 200 ms.
//!
//! Where both sides have the timestamp option, an acknowledgement measures the round trip a second
//! time, in milliseconds of the same measurement service. [`reconcile_ns`] says which of the two
//! goes into Eq. (1). Of a segment that was sent again (Karn) only the option's is left, for it
//! tells which transmission was meant.
//!
//! What the paper does not say is as in 4.4BSD ([`ticked`](super::ticked)): 6 s and then 24 s for a
//! SYN, factors of two on rto_ev, 64 s at most, the mean forgotten after four timeouts, one segment
//! timed per round trip.

use super::scaled::ScaledEstimator;
use super::ticked::{Rule, Ticked, LEAST_TICKS};
use crate::timing::Events;
use crate::Ticks;

const SECOND_NS: u64 = 1_000_000_000;
/// BSD's event clock, with which 2 ticks are floor enough.
const COARSE_EVENT_NS: u64 = SECOND_NS / 2;
/// How long a BSD receiver may keep an ACK back.
const DELAYED_ACK_NS: u64 = SECOND_NS / 5;
/// Granularity of timestamps on the wire, below which PAWS would not hold for 24 days (RFC 7323,
/// section 5.4).
const TIMESTAMP_NS: u64 = 1_000_000;

/// Eq. (2): ticks of an event clock of this period for a timeout of so many nanoseconds.
pub fn event_ticks(rto_ns: u64, event_ns: u64) -> u64 {
    rto_ns
        .div_ceil(event_ns.max(1))
        .saturating_add(1)
        .max(LEAST_TICKS)
}

/// Which of two measurements of a round trip counts: the host's own where the timestamp option,
/// which knows milliseconds only, agrees with it to one of them; the option's otherwise, for then
/// the host's own is of another transmission of the segment (section 4.1, the paragraph on the
/// timestamp option).
pub fn reconcile_ns(own_ns: u64, timestamp_ns: u64) -> u64 {
    if own_ns.abs_diff(timestamp_ns) <= TIMESTAMP_NS {
        own_ns
    } else {
        timestamp_ns
    }
}

/// Measurement and event clocks apart.
pub type Decoupled = Ticked<TwoClocks>;

/// Eq. (2), and the floor for fine events.
#[derive(Debug)]
pub struct TwoClocks {
    event_ns: u64,
}

impl Rule for TwoClocks {
    const RECONCILES: bool = true;

    fn new(events: Events) -> TwoClocks {
        TwoClocks {
            event_ns: events.granularity_ns(),
        }
    }

    fn event_ticks(&self, rto_ns: u64, srtt_ns: u64) -> u64 {
        let floor_ns = if self.event_ns < COARSE_EVENT_NS {
            srtt_ns.saturating_add(DELAYED_ACK_NS)
        } else {
            0
        };
        event_ticks(rto_ns.max(floor_ns), self.event_ns)
    }
}

impl Decoupled {
    /// On a host with these clocks.
    pub fn new(ticks: Ticks) -> Decoupled {
        Ticked::on(ticks, ScaledEstimator::bsd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rto::Rto;

    const MS_NS: u64 = 1_000_000;

    fn after_a_round_trip(event_ns: u64, rtt_ns: u64) -> Decoupled {
        let mut rto = Decoupled::new(Ticks {
            measure_ns: MS_NS,
            event_ns,
            phase_ns: 0,
        });
        for _ in 0..100 {
            rto.sample(SECOND_NS, SECOND_NS + rtt_ns);
        }
        rto
    }

    /// Section 5.1.1: "always estimates the timeout as 2 clock ticks", so that it lasts less than a
    /// second.
    #[test]
    fn a_short_round_trip_times_out_within_a_second_of_coarse_ticks() {
        let rto = after_a_round_trip(500 * MS_NS, 100 * MS_NS);
        assert_eq!(rto.deadline_ns(SECOND_NS + 1), 2 * SECOND_NS);
        assert_eq!(rto.deadline_ns(SECOND_NS + 499 * MS_NS), 2 * SECOND_NS);
    }

    #[test]
    fn equation_2_rounds_up_and_adds_the_tick_that_has_begun() {
        assert_eq!(event_ticks(0, 500), 2);
        assert_eq!(event_ticks(500, 500), 2);
        assert_eq!(event_ticks(501, 500), 3);
        assert_eq!(event_ticks(1000, 500), 3);
    }

    /// Section 4.1, last paragraph.
    #[test]
    fn fine_events_leave_200_ms_and_a_round_trip() {
        let rto = after_a_round_trip(10 * MS_NS, 60 * MS_NS);
        assert_eq!(rto.srtt_ns() / MS_NS, 60);
        // Eq. (1) says 63 ms; the floor is 260 ms, and Eq. (2) adds a tick of 10 ms.
        assert!((270..=280).contains(&(rto.timeout_ns() / MS_NS)), "{rto:?}");
    }

    #[test]
    fn the_hosts_own_measurement_counts_where_the_timestamp_agrees() {
        assert_eq!(reconcile_ns(60_400_000, 60_000_000), 60_400_000);
        assert_eq!(reconcile_ns(61_000_001, 60_000_000), 60_000_000);
        assert_eq!(reconcile_ns(60_000_000, 5_000_000), 5_000_000);
    }

    #[test]
    fn a_syn_waits_6_seconds_and_then_24() {
        let mut rto = Decoupled::new(Ticks {
            measure_ns: MS_NS,
            event_ns: 10 * MS_NS,
            phase_ns: 0,
        });
        assert_eq!(rto.timeout_ns(), 6010 * MS_NS);
        rto.back_off();
        assert_eq!(rto.timeout_ns(), 24_020 * MS_NS);
    }
}
