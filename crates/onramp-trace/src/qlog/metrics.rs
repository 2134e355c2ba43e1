//! The state of a sender that is logged when it changes: metrics and the congestion state.

use onramp_core::{phase_name, UNLIMITED};
use onramp_tcp::{Connection, Stats};

/// Names and values of `recovery:metrics_updated`; `None` is unknown or unlimited.
type Metrics = [(&'static str, Option<Value>); 8];

/// A value of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A number.
    Count(u64),
    /// Nanoseconds, logged as milliseconds.
    Time(u64),
}

/// The state that was logged last, and what is needed to find the next one.
#[derive(Debug, Default)]
pub(super) struct Reported {
    metrics: Option<Metrics>,
    state: Option<&'static str>,
    stats: Stats,
    /// A recovery lasts until all bytes before this offset are acknowledged (RFC 6582, section 3.2;
    /// RFC 6675, section 5).
    recovery_point: Option<u64>,
    pub latest_rtt_ns: Option<u64>,
    min_rtt_ns: Option<u64>,
}

/// A change of the congestion state: from, to, and its trigger.
pub(super) type Change = (Option<&'static str>, &'static str, Option<&'static str>);

impl Reported {
    /// Takes an RTT sample.
    pub fn measured(&mut self, rtt_ns: u64) {
        self.latest_rtt_ns = Some(rtt_ns);
        self.min_rtt_ns = Some(self.min_rtt_ns.map_or(rtt_ns, |min_ns| min_ns.min(rtt_ns)));
    }

    /// The metrics that differ from those logged before. Metrics that are unknown now are left out.
    pub fn changed_metrics(
        &mut self,
        sender: &Connection,
    ) -> impl Iterator<Item = (&'static str, Value)> {
        let window = sender.window();
        let non_zero = |value: u64| Some(value).filter(|value| *value != 0);
        let now: Metrics = [
            ("congestion_window", Some(Value::Count(window.cwnd_bytes))),
            (
                "bytes_in_flight",
                Some(Value::Count(sender.inflight_bytes())),
            ),
            (
                "ssthresh",
                Some(window.ssthresh_bytes)
                    .filter(|bytes| *bytes != UNLIMITED)
                    .map(Value::Count),
            ),
            ("smoothed_rtt", non_zero(sender.srtt_ns()).map(Value::Time)),
            ("latest_rtt", self.latest_rtt_ns.map(Value::Time)),
            ("min_rtt", self.min_rtt_ns.map(Value::Time)),
            // In bits per second, as in the draft.
            (
                "pacing_rate",
                sender
                    .pacing_bytes_per_s()
                    .map(|rate| Value::Count(rate.saturating_mul(8))),
            ),
            ("retransmission_timeout", Some(Value::Time(sender.rto_ns()))),
        ];
        let before = self.metrics.replace(now);
        let is_new = move |at: usize| before.is_none_or(|before| before[at].1 != now[at].1);
        now.into_iter()
            .enumerate()
            .filter(move |(at, _)| is_new(*at))
            .filter_map(|(_, (name, value))| Some((name, value?)))
    }

    /// The congestion state, if it is new. A retransmission timeout always is.
    pub fn changed_state(&mut self, sender: &Connection) -> Option<Change> {
        let stats = sender.stats();
        let timed_out = stats.timeouts > self.stats.timeouts;
        let enters_recovery = stats.recoveries > self.stats.recoveries;
        self.stats = stats;
        if enters_recovery {
            self.recovery_point = Some(sender.acked_bytes() + sender.flight_size_bytes());
        } else if timed_out
            || self
                .recovery_point
                .is_some_and(|point| sender.acked_bytes() >= point)
        {
            self.recovery_point = None;
        }
        let new = match sender.startup().filter(|decision| !decision.is_over()) {
            _ if self.recovery_point.is_some() => "recovery",
            Some(decision) => state_of_phase(phase_name(decision.phase)),
            None if sender.window().in_slow_start() => "slow_start",
            None => "congestion_avoidance",
        };
        if self.state == Some(new) && !timed_out {
            return None;
        }
        let trigger = match () {
            () if timed_out => Some("retransmission_timeout"),
            () if enters_recovery => Some("loss_detected"),
            () => None,
        };
        Some((self.state.replace(new), new, trigger))
    }
}

/// The usual states have names in qlog, with underscores. Phases of a start-up keep their names.
fn state_of_phase(phase: &'static str) -> &'static str {
    match phase {
        "slow-start" => "slow_start",
        other => other,
    }
}
