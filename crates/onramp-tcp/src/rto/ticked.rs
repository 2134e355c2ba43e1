//! The common part of 4.4BSD's timer and its descendants: Eq. (1) of Aron & Druschel on ticks of
//! the measurement clock, a [`Rule`] that converts the result into ticks of the event clock, and
//! the backoff after a timeout.
//!
//! | | `bsd`, `brakmo` | `decoupled` |
//! |---|---|---|
//! | measures with, acts at | 4.4BSD's slow timer, on any host | the two services of the host |
//! | rule | as many ticks as Eq. (1) gives | Eq. (2), and its minimum |
//!
//! The constants are those of `tcp_timer.h` in Wright & Stevens, "TCP/IP Illustrated, Volume 2"
//! (1995), chapter 25. A connection's first timer is 6 s, computed by `tcp_newtcpcb` from the
//! default RTT of 3 s. The estimator starts with 12 s, which shows after a SYN has timed out (6 s,
//! then 24 s, then 48 s). The minimum is two ticks, `TCPTV_MIN`, and the maximum 64 s,
//! `TCPTV_REXMTMAX`. Timeouts in a row have factors 1, 2, 4 to 64. After more than three of them
//! the mean is considered wrong and forgotten. One segment is timed per round trip.

use super::scaled::ScaledEstimator;
use super::Rto;
use crate::timing::{Events, Measurement};
use crate::Ticks;

const SECOND_NS: u64 = 1_000_000_000;
/// Minimum timeout, in ticks of the event clock.
pub(super) const MIN_TICKS: u64 = 2;
/// Maximum timeout.
const MAX_NS: u64 = 64 * SECOND_NS;
/// A connection's first timer.
const INITIAL_NS: u64 = 6 * SECOND_NS;
/// Initial value of the estimator.
const INITIAL_ESTIMATE_NS: u64 = 12 * SECOND_NS;
/// Maximum number of doublings.
const MAX_SHIFT: u32 = 6;
/// The mean is forgotten after more timeouts in a row than this.
const TRUSTED_SHIFT: u32 = 3;

/// Granularity of timestamps on the wire. A finer one would shorten PAWS's protection to less than
/// 24 days (RFC 7323, section 5.4).
const TIMESTAMP_NS: u64 = 1_000_000;

/// Chooses one of two measurements of a round trip. The timestamp option has a resolution of one
/// millisecond. If the host's own measurement agrees with it to one millisecond, the host's own is
/// used. Otherwise the host measured another transmission of the segment, and the option's is used
/// (section 4.1, the paragraph on the timestamp option).
pub fn reconcile_ns(own_ns: u64, timestamp_ns: u64) -> u64 {
    if own_ns.abs_diff(timestamp_ns) <= TIMESTAMP_NS {
        own_ns
    } else {
        timestamp_ns
    }
}

/// Converts an estimated timeout into a scheduled one.
pub trait Rule: std::fmt::Debug + Send {
    /// The rule on a host with these events.
    fn new(events: Events) -> Self;

    /// The timeout in ticks of the event clock, for an estimate of `rto_ns` and this smoothed RTT.
    fn event_ticks(&self, rto_ns: u64, srtt_ns: u64) -> u64;

    /// Is a retransmitted segment timed by the timestamp that its acknowledgement echoes?
    const TIMES_RETRANSMISSIONS: bool;
}

/// An estimator that counts ticks, with a given rule.
#[derive(Clone, Debug)]
pub struct Ticked<R> {
    measurement: Measurement,
    events: Events,
    estimator: ScaledEstimator,
    rule: R,
    /// Number of timeouts in a row.
    shift: u32,
    /// Timeout in ticks of the event clock, with backoff.
    rto_ticks: u64,
    /// A timeout without backoff lasts at least this many ticks more than the last measurement.
    margin_ticks: Option<u64>,
}

impl<R: Rule> Ticked<R> {
    /// An estimator on a host with these clocks. `estimator` gets its initial timeout in ticks.
    pub(super) fn on(ticks: Ticks, estimator: fn(u64) -> ScaledEstimator) -> Ticked<R> {
        let (measurement, events) = (ticks.measurement(), ticks.events());
        let rule = R::new(events);
        Ticked {
            measurement,
            events,
            estimator: estimator(INITIAL_ESTIMATE_NS.div_ceil(measurement.resolution_ns())),
            rto_ticks: rule.event_ticks(INITIAL_NS, 0),
            rule,
            shift: 0,
            margin_ticks: None,
        }
    }

    /// The same with a margin of this many ticks over each measurement. Both clocks must have the
    /// same tick.
    pub(super) fn with_margin(mut self, ticks: u64) -> Ticked<R> {
        debug_assert_eq!(
            self.measurement.resolution_ns(),
            self.events.granularity_ns()
        );
        self.margin_ticks = Some(ticks);
        self
    }

    /// Takes an RTT measured by the measurement service.
    fn measure(&mut self, rtt_ns: u64) {
        let rtt_ticks = rtt_ns / self.measurement.resolution_ns();
        self.estimator.measure(rtt_ticks);
        self.shift = 0;
        self.set_timeout();
        if let Some(margin_ticks) = self.margin_ticks {
            let floor_ticks = rtt_ticks.saturating_add(margin_ticks);
            self.rto_ticks = self.rto_ticks.max(floor_ticks).min(self.max_ticks());
        }
    }

    fn max_ticks(&self) -> u64 {
        MAX_NS / self.events.granularity_ns()
    }

    fn set_timeout(&mut self) {
        let rto_ns = self
            .estimator
            .rto_ticks()
            .saturating_mul(self.measurement.resolution_ns());
        let ticks = self
            .rule
            .event_ticks(rto_ns, self.srtt_ns())
            .saturating_mul(1 << self.shift.min(MAX_SHIFT));
        self.rto_ticks = ticks.min(self.max_ticks()).max(MIN_TICKS);
    }
}

impl<R: Rule> Rto for Ticked<R> {
    fn sample(&mut self, sent_ns: u64, now_ns: u64) {
        self.measure(self.measurement.elapsed_ns(sent_ns, now_ns));
    }

    fn wants_every_ack(&self) -> bool {
        false
    }

    fn wants_echoes(&self) -> bool {
        R::TIMES_RETRANSMISSIONS
    }

    fn sample_echoed(&mut self, sent_ns: Option<u64>, option_ns: u64, now_ns: u64) {
        let own_ns = sent_ns.map(|sent_ns| self.measurement.elapsed_ns(sent_ns, now_ns));
        self.measure(own_ns.map_or(option_ns, |own_ns| reconcile_ns(own_ns, option_ns)));
    }

    fn deadline_ns(&self, now_ns: u64) -> u64 {
        self.events.nth_tick_after_ns(now_ns, self.rto_ticks)
    }

    fn timeout_ns(&self) -> u64 {
        self.rto_ticks.saturating_mul(self.events.granularity_ns())
    }

    fn back_off(&mut self) {
        self.shift = (self.shift + 1).min(MAX_SHIFT);
        self.set_timeout();
        if self.shift > TRUSTED_SHIFT {
            self.estimator.forget_mean();
        }
    }

    fn srtt_ns(&self) -> u64 {
        self.estimator.mean_ns(self.measurement.resolution_ns())
    }

    fn rttvar_ns(&self) -> u64 {
        self.estimator
            .deviation_ns(self.measurement.resolution_ns())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_own_measurement_counts_where_the_timestamp_agrees() {
        assert_eq!(reconcile_ns(60_400_000, 60_000_000), 60_400_000);
        assert_eq!(reconcile_ns(61_000_001, 60_000_000), 60_000_000);
        assert_eq!(reconcile_ns(60_000_000, 5_000_000), 5_000_000);
    }
}
