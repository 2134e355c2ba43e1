//! Aron & Druschel, "TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control"
//! (1998), section 4.1: one clock measures time, and another one schedules events.
//!
//! Eq. (1) runs on ticks of the measurement clock, of frequency f_rtt. Its result becomes ticks of
//! the event clock, of frequency f_ev:
//!
//! ```text
//! rto_ev = max(2, ceil(rto * f_ev / f_rtt) + 1)       (2)
//! ```
//!
//! The additional tick covers the part of a tick that has passed when the timer is set. If the
//! event clock is finer than BSD's, a timeout is at least 200 ms plus the mean RTT, because
//! receivers may delay their ACKs by 200 ms.
//!
//! If both sides use timestamps, an acknowledgement measures the RTT a second time, in milliseconds
//! of the same measurement service. [`reconcile_ns`](super::ticked::reconcile_ns) chooses the one
//! that Eq. (1) uses. For a retransmitted segment (Karn's algorithm) only the option's measurement
//! remains, because it shows which transmission was acknowledged.
//!
//! Details that the paper leaves open are as in 4.4BSD ([`ticked`](super::ticked)): 6 s and then 24
//! s for a SYN, factors of two on rto_ev, a maximum of 64 s, the mean forgotten after four
//! timeouts, one segment timed per round trip.

use super::scaled::ScaledEstimator;
use super::ticked::{Rule, Ticked, MIN_TICKS};
use crate::timing::Events;
use crate::Ticks;

const SECOND_NS: u64 = 1_000_000_000;
/// Period of BSD's event clock, for which 2 ticks are a sufficient minimum.
const COARSE_EVENT_NS: u64 = SECOND_NS / 2;
/// Maximum time for which a BSD receiver delays an ACK.
const DELAYED_ACK_NS: u64 = SECOND_NS / 5;

/// Eq. (2): the ticks of an event clock with this period for a timeout of `rto_ns`.
pub fn event_ticks(rto_ns: u64, event_ns: u64) -> u64 {
    rto_ns
        .div_ceil(event_ns.max(1))
        .saturating_add(1)
        .max(MIN_TICKS)
}

/// A timer with separate measurement and event clocks.
pub type Decoupled = Ticked<TwoClocks>;

/// Eq. (2), and the minimum timeout for fine event clocks.
#[derive(Clone, Debug)]
pub struct TwoClocks {
    event_ns: u64,
}

impl Rule for TwoClocks {
    const TIMES_RETRANSMISSIONS: bool = true;

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
    /// A timer on a host with these clocks.
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
    fn fine_events_leave_200_ms_and_the_rtt() {
        let rto = after_a_round_trip(10 * MS_NS, 60 * MS_NS);
        assert_eq!(rto.srtt_ns() / MS_NS, 60);
        // Eq. (1) gives 63 ms. The minimum is 260 ms, and Eq. (2) adds a tick of 10 ms.
        assert!((270..=280).contains(&(rto.timeout_ns() / MS_NS)), "{rto:?}");
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
