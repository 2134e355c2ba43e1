//! Standard delayed acknowledgements: RFC 1122, section 4.2.3.2, and RFC 5681, section 4.2.
//!
//! An ACK is sent for at least every second full-sized segment, and at most 200 ms after the first
//! data that it acknowledges. The standard allows 500 ms; stacks have used 200 ms since 4.2BSD.
//! Data smaller than two full segments waits for more data or for the timer. The timer is exact on
//! any host, because coarse events could not keep its limit.
//!
//! A host with generic receive offload (GRO) joins the segments of a train before its TCP sees
//! them, and acknowledges them with one ACK. It waits for at most some milliseconds.

use super::{AckPolicy, Arrival, Decision};
use crate::timing::Events;
use crate::Ticks;

/// Maximum delay of an ACK.
const DELAY_NS: u64 = 200_000_000;

/// Maximum time for which a host joins segments: that of a driver or a wireless network that hands
/// them over in bursts.
const JOINING_NS: u64 = 5_000_000;

/// RFC 5681's delayed acknowledgements.
#[derive(Clone, Copy, Debug)]
pub struct Delayed {
    events: Events,
    /// Full segments that are acknowledged together.
    segments: u64,
    delay_ns: u64,
    /// When the delayed ACK must be sent.
    at_ns: Option<u64>,
}

impl Default for Delayed {
    fn default() -> Delayed {
        Delayed {
            events: Ticks::FINE.events(),
            segments: 2,
            delay_ns: DELAY_NS,
            at_ns: None,
        }
    }
}

impl Delayed {
    /// A host that joins up to this many segments.
    pub fn joining(segments: u64) -> Delayed {
        Delayed {
            segments,
            delay_ns: JOINING_NS,
            ..Delayed::default()
        }
    }
}

impl AckPolicy for Delayed {
    fn arrived(&mut self, arrival: &Arrival) -> Decision {
        let latest_ns = self
            .events
            .at_or_after_ns(arrival.now_ns.saturating_add(self.delay_ns));
        let at_ns = *self.at_ns.get_or_insert(latest_ns);
        let segments = self.segments + u64::from(arrival.stretch_segments);
        let is_enough = arrival.unacknowledged_bytes >= segments * u64::from(arrival.mss_bytes);
        if !arrival.in_order || is_enough || at_ns <= arrival.now_ns {
            return Decision::Now;
        }
        Decision::At(at_ns)
    }

    fn sent(&mut self, _now_ns: u64) {
        self.at_ns = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(now_ns: u64, unacknowledged_bytes: u64) -> Arrival {
        let payload_bytes = 1000;
        Arrival {
            now_ns,
            payload_bytes,
            mss_bytes: 1000,
            in_order: true,
            unacknowledged_bytes,
            ..Arrival::default()
        }
    }

    /// RFC 5681, section 4.2.
    #[test]
    fn every_second_full_segment_is_acknowledged() {
        let mut policy = Delayed::default();
        for round in 0..3 {
            assert_eq!(
                policy.arrived(&segment(round, 1000)),
                Decision::At(round + DELAY_NS)
            );
            assert_eq!(policy.arrived(&segment(round, 2000)), Decision::Now);
            policy.sent(round);
        }
    }

    /// Nishida et al., section 4.2.1.
    #[test]
    fn on_a_slow_return_path_every_third_or_fourth_is() {
        let mut policy = Delayed::default();
        let stretched = |segments: u64| Arrival {
            stretch_segments: 2,
            ..segment(0, 1000 * segments)
        };
        assert_eq!(policy.arrived(&stretched(3)), Decision::At(DELAY_NS));
        assert_eq!(policy.arrived(&stretched(4)), Decision::Now);
    }

    #[test]
    fn a_host_that_joins_segments_acknowledges_them_together() {
        let mut policy = Delayed::joining(4);
        for segments in 1..4 {
            let decision = policy.arrived(&segment(segments, 1000 * segments));
            assert_eq!(decision, Decision::At(1 + JOINING_NS));
        }
        assert_eq!(policy.arrived(&segment(4, 4000)), Decision::Now);
    }

    /// RFC 1122, section 4.2.3.2.
    #[test]
    fn the_delay_counts_from_the_first_segment() {
        let mut policy = Delayed::default();
        assert_eq!(policy.arrived(&segment(5, 10)), Decision::At(5 + DELAY_NS));
        assert_eq!(
            policy.arrived(&segment(100, 20)),
            Decision::At(5 + DELAY_NS)
        );
        assert_eq!(policy.arrived(&segment(5 + DELAY_NS, 30)), Decision::Now);
    }

    /// RFC 5681, section 4.2.
    #[test]
    fn a_segment_out_of_order_is_acknowledged_immediately() {
        let arrival = Arrival {
            in_order: false,
            ..segment(5, 0)
        };
        assert_eq!(Delayed::default().arrived(&arrival), Decision::Now);
    }
}
