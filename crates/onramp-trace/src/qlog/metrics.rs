//! What of a sender's state is told when it changes: metrics, and where congestion control stands.

use onramp_core::{phase_name, UNLIMITED};
use onramp_tcp::{Connection, Stats};

/// Names and values of `recovery:metrics_updated`; `None` is unknown, or without limit.
type Metrics = [(&'static str, Option<Value>); 8];

/// A number of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// As it is.
    Count(u64),
    /// Nanoseconds, told as milliseconds.
    Time(u64),
}

/// What has been told.
#[derive(Debug, Default)]
pub(super) struct Told {
    metrics: Option<Metrics>,
    state: Option<&'static str>,
    stats: Stats,
    /// A recovery lasts until this place is acknowledged (RFC 6582, section 3.2; RFC 6675, section
    /// 5).
    recovery_point: Option<u64>,
    pub latest_rtt_ns: Option<u64>,
    min_rtt_ns: Option<u64>,
}

/// A change of state: from, to, and what gave rise to it.
pub(super) type Change = (Option<&'static str>, &'static str, Option<&'static str>);

impl Told {
    /// A packet's round trip was measured.
    pub fn measured(&mut self, rtt_ns: u64) {
        self.latest_rtt_ns = Some(rtt_ns);
        self.min_rtt_ns = Some(
            self.min_rtt_ns
                .map_or(rtt_ns, |least_ns| least_ns.min(rtt_ns)),
        );
    }

    /// The metrics that are others than those told before; what is unknown now is left out.
    pub fn changed_metrics(
        &mut self,
        sender: &Connection,
    ) -> impl Iterator<Item = (&'static str, Value)> {
        let window = sender.window();
        let known = |value: u64| Some(value).filter(|value| *value != 0);
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
            ("smoothed_rtt", known(sender.srtt_ns()).map(Value::Time)),
            ("latest_rtt", self.latest_rtt_ns.map(Value::Time)),
            ("min_rtt", self.min_rtt_ns.map(Value::Time)),
            // In bits per second, as the draft has it.
            (
                "pacing_rate",
                sender
                    .pacing_bytes_per_s()
                    .map(|rate| Value::Count(rate.saturating_mul(8))),
            ),
            ("retransmission_timeout", Some(Value::Time(sender.rto_ns()))),
        ];
        let before = self.metrics.replace(now);
        let is_new =
            move |place: usize| before.is_none_or(|before| before[place].1 != now[place].1);
        now.into_iter()
            .enumerate()
            .filter(move |(place, _)| is_new(*place))
            .filter_map(|(_, (name, value))| Some((name, value?)))
    }

    /// Where congestion control stands, if that is new.
    pub fn changed_state(&mut self, sender: &Connection) -> Option<Change> {
        let stats = sender.stats();
        let timed_out = stats.timeouts > self.stats.timeouts;
        let recovers = stats.recoveries > self.stats.recoveries;
        self.stats = stats;
        if recovers {
            self.recovery_point = Some(sender.acked_bytes() + sender.outstanding_bytes());
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
            () if recovers => Some("loss_detected"),
            () => None,
        };
        Some((self.state.replace(new), new, trigger))
    }
}

/// qlog has names for the usual states, with underscores; a start-up's own phases keep theirs.
fn state_of_phase(phase: &'static str) -> &'static str {
    match phase {
        "slow-start" => "slow_start",
        other => other,
    }
}
