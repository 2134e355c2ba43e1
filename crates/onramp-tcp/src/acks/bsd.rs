//! 4.4BSD's delayed acknowledgements: a flag, and a timer of 200 ms that ticks for the whole host.
//!
//! Data in order sets the flag; the next tick sends the ACK, so that it waits 0 to 200 ms. A second segment that
//! finds the flag set sends it at once. NOTE: in 4.4BSD it is the application's reading that does so, by opening the
//! window by two segments (Wright & Stevens, "TCP/IP Illustrated, Volume 2", chapter 26); with a reader that keeps
//! up it comes to the same.

use super::{AckPolicy, Arrival, Decision};
use crate::rto::TickClock;
use crate::Ticks;

/// Period of the fast timer.
const TICK_NS: u64 = 200_000_000;

/// 4.4BSD's delayed acknowledgements.
#[derive(Clone, Copy, Debug)]
pub struct Bsd {
    clock: TickClock,
    waits: bool,
}

impl Bsd {
    /// On a host whose ticks lie at this phase; its granularities are not used.
    pub fn new(ticks: Ticks) -> Bsd {
        Bsd { clock: TickClock::new(TICK_NS, ticks.phase_ns), waits: false }
    }
}

impl AckPolicy for Bsd {
    fn arrived(&mut self, arrival: &Arrival) -> Decision {
        if !arrival.in_order || std::mem::replace(&mut self.waits, true) {
            return Decision::Now;
        }
        Decision::At(self.clock.nth_after_ns(arrival.now_ns, 1))
    }

    fn sent(&mut self, _now_ns: u64) {
        self.waits = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS_NS: u64 = 1_000_000;

    fn segment(now_ns: u64) -> Arrival {
        Arrival { now_ns, payload_bytes: 512, mss_bytes: 512, in_order: true, ..Arrival::default() }
    }

    #[test]
    fn a_single_segment_waits_for_the_hosts_next_tick() {
        let mut policy = Bsd::new(Ticks { phase_ns: 50 * MS_NS, ..Ticks::FINE });
        assert_eq!(policy.arrived(&segment(60 * MS_NS)), Decision::At(250 * MS_NS));
        policy.expired(250 * MS_NS);
        policy.sent(250 * MS_NS);
        assert_eq!(policy.arrived(&segment(440 * MS_NS)), Decision::At(450 * MS_NS));
    }

    #[test]
    fn the_second_segment_is_acknowledged_at_once() {
        let mut policy = Bsd::new(Ticks::FINE);
        for now_ns in [1, 2] {
            assert_eq!(policy.arrived(&segment(now_ns)), Decision::At(TICK_NS));
            assert_eq!(policy.arrived(&segment(now_ns)), Decision::Now);
            policy.sent(now_ns);
        }
    }
}
