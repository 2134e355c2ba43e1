//! What 4.4BSD's timer and its descendants share: Eq. (1) of Aron & Druschel on the ticks of a
//! clock that measures, a [`Rule`] that makes ticks of events of it, and what happens when the
//! timer ends.
//!
//! | | `bsd`, `brakmo` | `decoupled` |
//! |---|---|---|
//! | measures by, acts at | 4.4BSD's slow timer, whatever the host | the two services of the host |
//! | rule | as many ticks as Eq. (1) says | Eq. (2), and its floor |
//!
//! Constants are those of `tcp_timer.h` as Wright & Stevens, "TCP/IP Illustrated, Volume 2" (1995),
//! chapter 25, prints them: 6 s for a connection's first timer, from the default round trip of 3 s,
//! as `tcp_newtcpcb` computes it; 12 s in the estimator, which show once a SYN has timed out (6 s,
//! then 24 s, then 48 s); two ticks at least, `TCPTV_MIN`, and 64 s at most, `TCPTV_REXMTMAX`;
//! factors 1, 2, 4 to 64 for timeouts in a row; a mean that is taken to be wrong, and forgotten,
//! after more than three of them. One segment is timed per round trip.

use super::scaled::ScaledEstimator;
use super::Rto;
use crate::timing::{Events, Measurement};
use crate::Ticks;

const SECOND_NS: u64 = 1_000_000_000;
/// Least timeout, in ticks of events.
pub(super) const LEAST_TICKS: u64 = 2;
/// Bound of the timeout.
const MOST_NS: u64 = 64 * SECOND_NS;
/// First timer of a connection.
const INITIAL_NS: u64 = 6 * SECOND_NS;
/// What the estimator begins with.
const INITIAL_ESTIMATE_NS: u64 = 12 * SECOND_NS;
/// The timeout stops doubling here.
const MOST_SHIFT: u32 = 6;
/// Beyond so many timeouts in a row the mean is forgotten.
const TRUSTED_SHIFT: u32 = 3;

/// How a timeout that was estimated becomes one that is scheduled.
pub trait Rule: std::fmt::Debug + Send {
    /// What it is on a host that can act at these moments.
    fn new(events: Events) -> Self;

    /// The timeout in ticks of events, for one of so many nanoseconds and this mean round trip.
    fn event_ticks(&self, rto_ns: u64, srtt_ns: u64) -> u64;

    /// Whether the timestamp option's measurement counts too.
    const RECONCILES: bool;
}

/// An estimator that counts ticks, with the rule that it is given.
#[derive(Debug)]
pub struct Ticked<R> {
    measurement: Measurement,
    events: Events,
    estimator: ScaledEstimator,
    rule: R,
    /// Timeouts in a row.
    shift: u32,
    /// In ticks of events, backoff included.
    rto_ticks: u64,
}

impl<R: Rule> Ticked<R> {
    /// On a host with these clocks, with this scaling, which is told its initial timeout in ticks.
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
        }
    }

    /// A round trip took so long, by the measurement service.
    fn measure(&mut self, rtt_ns: u64) {
        self.estimator
            .measure(rtt_ns / self.measurement.resolution_ns());
        self.shift = 0;
        self.set_timeout();
    }

    fn set_timeout(&mut self) {
        let rto_ns = self
            .estimator
            .rto_ticks()
            .saturating_mul(self.measurement.resolution_ns());
        let ticks = self
            .rule
            .event_ticks(rto_ns, self.srtt_ns())
            .saturating_mul(1 << self.shift.min(MOST_SHIFT));
        self.rto_ticks = ticks
            .min(MOST_NS / self.events.granularity_ns())
            .max(LEAST_TICKS);
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
        R::RECONCILES
    }

    fn sample_echoed(&mut self, sent_ns: Option<u64>, option_ns: u64, now_ns: u64) {
        let own_ns = sent_ns.map(|sent_ns| self.measurement.elapsed_ns(sent_ns, now_ns));
        self.measure(own_ns.map_or(option_ns, |own_ns| {
            super::decoupled::reconcile_ns(own_ns, option_ns)
        }));
    }

    fn deadline_ns(&self, now_ns: u64) -> u64 {
        self.events.nth_tick_after_ns(now_ns, self.rto_ticks)
    }

    fn timeout_ns(&self) -> u64 {
        self.rto_ticks.saturating_mul(self.events.granularity_ns())
    }

    fn back_off(&mut self) {
        self.shift = (self.shift + 1).min(MOST_SHIFT);
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
