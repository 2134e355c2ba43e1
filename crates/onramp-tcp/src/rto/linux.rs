//! Linux's retransmission timer: RFC 6298 without its minimum of 1 s. The deviation term is at
//! least 200 ms, and a peak of the deviation is kept for one round trip.
//!
//! ```text
//! srtt    moves by 1/8 of the error
//! mdev    moves by 1/4 of the error; by 1/32 if a shorter RTT would raise it
//! rttvar  the maximum of 4 mdev in the current round trip, at least 200 ms; at the end of a round
//!         trip whose maximum was smaller, rttvar falls by 1/4 of the difference
//! RTO     srtt + rttvar, at most 120 s
//! ```
//!
//! mdev rises slowly when RTTs fall. Otherwise a path that just became faster would raise its own
//! timeout (compare Ludwig & Sklower, "The Eifel Retransmission Timer", CCR 30(3), 2000). The
//! minimum applies to the deviation term and not to the RTO. It allows for receivers that delay
//! ACKs by up to 200 ms. Sarolahti & Kuznetsov, "Congestion Control in Linux TCP" (USENIX 2002),
//! describe all of it. 120 s is `tcp_rto_max_ms` in the kernel's documentation, and the linear SYN
//! timeouts are `tcp_syn_linear_timeouts`.
//!
//! Measurements are whole microseconds. NOTE: the kernel delimits round trips by sequence numbers.
//! Here a round trip ends when a segment that was sent since its start is acknowledged, at most one
//! ACK later.

use super::Rto;
use crate::timing::{Events, Measurement};
use crate::Ticks;

const SECOND_US: i64 = 1_000_000;
/// RTO before the first measurement (RFC 6298, 2.1).
const INITIAL_RTO_US: i64 = SECOND_US;
/// Minimum of the deviation term.
const MIN_RTTVAR_US: i64 = 200_000;
/// Maximum RTO.
const MAX_RTO_US: i64 = 120 * SECOND_US;
/// RTO if the handshake gave no measurement (RFC 6298, 5.7).
const FALLBACK_RTO_US: i64 = 3 * SECOND_US;
/// Default of `tcp_syn_linear_timeouts` (since Linux 6.5).
const LINEAR_SYN_TIMEOUTS: u32 = 4;
/// This many doublings take any timeout to its maximum.
const MAX_SHIFT: u32 = 10;
/// Longer measurements count as an hour, so that nothing overflows.
const MAX_RTT_US: u64 = 3600 * SECOND_US as u64;

/// Linux's estimator.
#[derive(Clone, Debug)]
pub struct Linux {
    measurement: Measurement,
    events: Events,
    /// Eight times the smoothed RTT; 0 before the first measurement.
    srtt_8_us: i64,
    /// Four times the mean deviation.
    mdev_4_us: i64,
    /// Maximum of `mdev_4_us` in the current round trip, at least 200 ms.
    peak_us: i64,
    /// The deviation term of the RTO.
    rttvar_us: i64,
    /// When the current round trip began.
    round_start_ns: u64,
    /// RTO without backoff.
    rto_us: i64,
    /// Number of timeouts in a row.
    shift: u32,
}

impl Linux {
    /// An estimator on a host with these clocks.
    pub fn new(ticks: Ticks) -> Linux {
        Linux {
            measurement: ticks.measurement(),
            events: ticks.events(),
            srtt_8_us: 0,
            mdev_4_us: 0,
            peak_us: MIN_RTTVAR_US,
            rttvar_us: MIN_RTTVAR_US,
            round_start_ns: 0,
            rto_us: INITIAL_RTO_US,
            shift: 0,
        }
    }

    fn first(&mut self, rtt_us: i64, now_ns: u64) {
        self.srtt_8_us = 8 * rtt_us;
        self.mdev_4_us = 2 * rtt_us;
        self.rttvar_us = self.mdev_4_us.max(MIN_RTTVAR_US);
        self.peak_us = self.rttvar_us;
        self.round_start_ns = now_ns;
    }

    fn next(&mut self, rtt_us: i64, sent_ns: u64, now_ns: u64) {
        let error_us = rtt_us - self.srtt_8_us / 8;
        self.srtt_8_us = (self.srtt_8_us + error_us).max(1);
        let mut change_us = error_us.abs() - self.mdev_4_us / 4;
        if error_us < 0 && change_us > 0 {
            change_us /= 8;
        }
        self.mdev_4_us += change_us;
        if self.mdev_4_us > self.peak_us {
            self.peak_us = self.mdev_4_us;
            self.rttvar_us = self.rttvar_us.max(self.peak_us);
        }
        if sent_ns >= self.round_start_ns {
            self.rttvar_us -= (self.rttvar_us - self.peak_us).max(0) / 4;
            self.peak_us = MIN_RTTVAR_US;
            self.round_start_ns = now_ns;
        }
    }
}

impl Rto for Linux {
    fn sample(&mut self, sent_ns: u64, now_ns: u64) {
        let rtt_us =
            (self.measurement.elapsed_ns(sent_ns, now_ns) / 1000).clamp(1, MAX_RTT_US) as i64;
        if self.srtt_8_us == 0 {
            self.first(rtt_us, now_ns);
        } else {
            self.next(rtt_us, sent_ns, now_ns);
        }
        self.shift = 0;
        self.rto_us = (self.srtt_8_us / 8 + self.rttvar_us).min(MAX_RTO_US);
    }

    fn established(&mut self) {
        if self.srtt_8_us == 0 {
            self.rto_us = FALLBACK_RTO_US;
            self.shift = 0;
        }
    }

    fn linear_syn_timeouts(&self) -> u32 {
        LINEAR_SYN_TIMEOUTS
    }

    fn deadline_ns(&self, now_ns: u64) -> u64 {
        self.events
            .at_or_after_ns(now_ns.saturating_add(self.timeout_ns()))
    }

    fn timeout_ns(&self) -> u64 {
        (self.rto_us << self.shift).min(MAX_RTO_US) as u64 * 1000
    }

    fn back_off(&mut self) {
        self.shift = (self.shift + 1).min(MAX_SHIFT);
    }

    fn srtt_ns(&self) -> u64 {
        self.srtt_8_us as u64 * 1000 / 8
    }

    fn rttvar_ns(&self) -> u64 {
        self.mdev_4_us as u64 * 1000 / 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS_NS: u64 = 1_000_000;

    /// Takes one sample per round trip.
    struct Path {
        rto: Linux,
        now_ns: u64,
    }

    impl Path {
        fn new() -> Path {
            Path {
                rto: Linux::new(Ticks::FINE),
                now_ns: 1000 * MS_NS,
            }
        }

        fn rtt_ms(&mut self, rtt_ms: u64) -> u64 {
            let sent_ns = self.now_ns;
            self.now_ns += rtt_ms * MS_NS;
            self.rto.sample(sent_ns, self.now_ns);
            self.rto.timeout_ns() / MS_NS
        }
    }

    #[test]
    fn a_first_round_trip_counts_three_times() {
        assert_eq!(Path::new().rtt_ms(600), 1800);
    }

    #[test]
    fn the_deviation_term_is_at_least_200_ms() {
        assert_eq!(Path::new().rtt_ms(10), 210);
        let mut path = Path::new();
        for _ in 0..100 {
            path.rtt_ms(600);
        }
        assert_eq!(path.rto.timeout_ns() / MS_NS, 800);
    }

    #[test]
    fn the_deviation_term_decays_once_a_round_trip() {
        let mut path = Path::new();
        // Four mean deviations are 1200 ms, then 900: below the first peak, which holds until this
        // sample.
        path.rtt_ms(600);
        assert_eq!(path.rtt_ms(600), 1800);
        // From now on each peak is that of one round trip: 675, and 1200 - (1200 - 675) / 4.
        assert_eq!(path.rtt_ms(600), 600 + 1068);
        let before_ms = path.rto.timeout_ns() / MS_NS;
        // Samples of segments that were sent before the round trip began do not end it.
        let sent_ns = path.now_ns - 500 * MS_NS;
        path.rto.sample(sent_ns, sent_ns + 600 * MS_NS);
        assert_eq!(path.rto.timeout_ns() / MS_NS, before_ms);
    }

    #[test]
    fn a_shorter_round_trip_raises_the_deviation_by_an_eighth_as_much() {
        let settled = || {
            let mut path = Path::new();
            for _ in 0..60 {
                path.rtt_ms(600);
            }
            path
        };
        let (mut shorter, mut longer) = (settled(), settled());
        shorter.rtt_ms(200);
        longer.rtt_ms(1000);
        assert_eq!(longer.rto.rttvar_ns() / MS_NS, 100);
        assert_eq!(shorter.rto.rttvar_ns() / MS_NS, 12);
    }

    /// RFC 6298, 5.7, where the handshake gave no measurement.
    #[test]
    fn three_seconds_without_a_measurement_of_the_handshake() {
        let mut rto = Linux::new(Ticks::FINE);
        assert_eq!(
            (rto.timeout_ns(), rto.linear_syn_timeouts()),
            (1000 * MS_NS, 4)
        );
        rto.established();
        assert_eq!(rto.timeout_ns(), 3000 * MS_NS);
        let mut path = Path::new();
        path.rtt_ms(100);
        path.rto.established();
        assert_eq!(path.rto.timeout_ns(), 300 * MS_NS);
    }

    #[test]
    fn the_timer_doubles_up_to_two_minutes() {
        let mut path = Path::new();
        path.rtt_ms(600);
        for _ in 0..10 {
            path.rto.back_off();
        }
        assert_eq!(path.rto.timeout_ns(), 120_000 * MS_NS);
    }
}
