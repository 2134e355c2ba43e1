//! What a measured sender's start-up decided, and when it changed its mind.

use onramp_core::{Decision, PHASE_DONE};
use onramp_scenario::StartupEvent;

/// Watches one connection's start-up by comparing its decision before and after each event.
#[derive(Debug)]
pub(crate) struct StartupWatch {
    started_ns: u64,
    /// Phase and estimate of the last decision.
    last: Option<(u32, u64)>,
    /// What changed, with times since the flow's start.
    pub events: Vec<StartupEvent>,
}

impl StartupWatch {
    /// For a flow that starts at this time.
    pub fn new(started_ns: u64) -> StartupWatch {
        StartupWatch { started_ns, last: None, events: Vec::new() }
    }

    /// Looks at the decision in force.
    pub fn look(&mut self, now_ns: u64, decision: &Decision) {
        let now = (decision.phase, decision.estimate_bytes_per_s);
        if self.last == Some(now) {
            return;
        }
        let before = self.last.replace(now);
        let unlimited_as_zero = |value: u64| if value == onramp_core::UNLIMITED { 0 } else { value };
        let mut change = |kind: &str, what: &str| {
            self.events.push(StartupEvent {
                time_s: (now_ns - self.started_ns) as f64 / 1e9,
                kind: kind.to_owned(),
                what: what.to_owned(),
                estimate_bytes_per_s: decision.estimate_bytes_per_s,
                cwnd_bytes: decision.cwnd_bytes,
                ssthresh_bytes: unlimited_as_zero(decision.ssthresh_bytes),
                pacing_bytes_per_s: unlimited_as_zero(decision.pacing_bytes_per_s),
            });
        };
        let phase = onramp_core::phase_name(decision.phase);
        if before.map_or(now.1 != 0, |(_, estimate)| estimate != now.1) {
            change("estimate", phase);
        }
        if before.is_none_or(|(phase, _)| phase != now.0) {
            if decision.phase == PHASE_DONE {
                change("exit", onramp_core::exit_name(decision.exit));
            } else {
                change("phase", phase);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_of_phase_and_estimate_are_noted() {
        let mut watch = StartupWatch::new(1_000_000_000);
        let first = Decision { phase: 1, cwnd_bytes: 10, ssthresh_bytes: u64::MAX, ..Decision::default() };
        watch.look(1_000_000_000, &first);
        watch.look(1_100_000_000, &Decision { cwnd_bytes: 20, ..first });
        watch.look(1_200_000_000, &Decision { cwnd_bytes: 30, estimate_bytes_per_s: 7, ..first });
        watch.look(1_500_000_000, &Decision { phase: PHASE_DONE, estimate_bytes_per_s: 7, ..first });
        let seen: Vec<_> = watch.events.iter().map(|e| (e.kind.as_str(), e.time_s, e.cwnd_bytes)).collect();
        assert_eq!(seen, [("phase", 0.0, 10), ("estimate", 0.2, 30), ("exit", 0.5, 10)]);
    }
}
