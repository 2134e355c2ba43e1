//! 4.4BSD's delayed acknowledgements: a flag, and one timer of 200 ms for the whole host.
//!
//! Data in order sets the flag, and the next tick sends the ACK, so an ACK waits 0 to 200 ms. The
//! application's read sends the ACK earlier if it opens the window by twice `t_maxseg` (Wright &
//! Stevens, "TCP/IP Illustrated, Volume 2", chapter 26). So if the reader keeps up, every second
//! full segment is acknowledged.
//!
//! `t_maxseg` is the MSS without regard to options. With timestamps a full segment carries 12 bytes
//! less, and two of them are less than twice `t_maxseg`. So every third segment is acknowledged (M.
//! Allman, "Fixing Two BSD TCP Bugs", NASA CR-204151, 1997; RFC 2525, section 2.13, "Stretch ACK
//! violation").

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
    /// A policy on a host whose ticks have this phase; the host's granularities are unused.
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
            || arrival.unacknowledged_bytes >= segments * u64::from(arrival.negotiated_mss_bytes)
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

    /// An arrival of 500 bytes, after which `unacknowledged_bytes` are not acknowledged.
    fn segment(now_ns: u64, unacknowledged_bytes: u64) -> Arrival {
        let (payload_bytes, mss_bytes, negotiated_mss_bytes) = (500, 500, 512);
        Arrival {
            now_ns,
            payload_bytes,
            mss_bytes,
            negotiated_mss_bytes,
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
    fn twice_the_mss_is_acknowledged_immediately() {
        let mut policy = Bsd::new(Ticks::FINE);
        assert_eq!(policy.arrived(&segment(1, 512)), Decision::At(TICK_NS));
        assert_eq!(policy.arrived(&segment(2, 1024)), Decision::Now);
    }

    /// RFC 2525, section 2.13: the bytes of the options are missing.
    #[test]
    fn with_options_it_takes_three_segments() {
        let mut policy = Bsd::new(Ticks::FINE);
        assert_eq!(policy.arrived(&segment(1, 500)), Decision::At(TICK_NS));
        assert_eq!(policy.arrived(&segment(1, 1000)), Decision::At(TICK_NS));
        assert_eq!(policy.arrived(&segment(1, 1500)), Decision::Now);
    }
}
