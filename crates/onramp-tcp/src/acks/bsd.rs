//! 4.4BSD's delayed acknowledgements: a flag, and a timer of 200 ms that ticks for the whole host.
//!
//! Data in order sets the flag; the next tick sends the ACK, so that it waits 0 to 200 ms. Before
//! that, the application's reading sends it, where it opens the window by twice `t_maxseg` (Wright
//! & Stevens, "TCP/IP Illustrated, Volume 2", chapter 26): a reader that keeps up has every second
//! full segment acknowledged.
//!
//! `t_maxseg` is the MSS without regard to options. With timestamps a full segment has 12 bytes
//! less, two of them are less than that, and it takes three: every third segment is acknowledged
//! (M. Allman, "Fixing Two BSD TCP Bugs", NASA CR-204151, 1997; RFC 2525, section 2.13, "Stretch
//! ACK violation").

use super::{AckPolicy, Arrival, Decision};
use crate::timing::Events;
use crate::Ticks;

/// Period of the fast timer.
const TICK_NS: u64 = 200_000_000;

/// 4.4BSD's delayed acknowledgements.
#[derive(Clone, Copy, Debug)]
pub struct Bsd {
    fast_timer: Events,
}

impl Bsd {
    /// On a host whose ticks lie at this phase; its granularities are not used.
    pub fn new(ticks: Ticks) -> Bsd {
        Bsd {
            fast_timer: ticks.every(TICK_NS).events(),
        }
    }
}

impl AckPolicy for Bsd {
    fn arrived(&mut self, arrival: &Arrival) -> Decision {
        let segments = 2 + u64::from(arrival.stretch_segments);
        if !arrival.in_order
            || arrival.unacknowledged_bytes >= segments * u64::from(arrival.agreed_mss_bytes)
        {
            return Decision::Now;
        }
        Decision::At(self.fast_timer.nth_tick_after_ns(arrival.now_ns, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS_NS: u64 = 1_000_000;

    /// With so much that is not acknowledged, this segment of 500 bytes included.
    fn segment(now_ns: u64, unacknowledged_bytes: u64) -> Arrival {
        let (payload_bytes, mss_bytes, agreed_mss_bytes) = (500, 500, 512);
        Arrival {
            now_ns,
            payload_bytes,
            mss_bytes,
            agreed_mss_bytes,
            unacknowledged_bytes,
            in_order: true,
            ..Arrival::default()
        }
    }

    #[test]
    fn a_single_segment_waits_for_the_hosts_next_tick() {
        let mut policy = Bsd::new(Ticks {
            phase_ns: 50 * MS_NS,
            ..Ticks::FINE
        });
        assert_eq!(
            policy.arrived(&segment(60 * MS_NS, 500)),
            Decision::At(250 * MS_NS)
        );
        policy.expired(250 * MS_NS);
        policy.sent(250 * MS_NS);
        assert_eq!(
            policy.arrived(&segment(440 * MS_NS, 500)),
            Decision::At(450 * MS_NS)
        );
    }

    #[test]
    fn twice_the_mss_is_acknowledged_at_once() {
        let mut policy = Bsd::new(Ticks::FINE);
        assert_eq!(policy.arrived(&segment(1, 512)), Decision::At(TICK_NS));
        assert_eq!(policy.arrived(&segment(2, 1024)), Decision::Now);
    }

    /// RFC 2525, section 2.13: the options' bytes count as missing.
    #[test]
    fn with_options_it_takes_three_segments() {
        let mut policy = Bsd::new(Ticks::FINE);
        assert_eq!(policy.arrived(&segment(1, 500)), Decision::At(TICK_NS));
        assert_eq!(policy.arrived(&segment(1, 1000)), Decision::At(TICK_NS));
        assert_eq!(policy.arrived(&segment(1, 1500)), Decision::Now);
    }
}
