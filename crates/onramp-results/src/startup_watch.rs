//! Turns the decisions of a start-up into events.

use crate::trace::StartupEvent;
use onramp_core::{exit_name, phase_name, Decision, UNLIMITED};

/// Compares each decision of a connection's start-up with the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartupWatch {
    /// Phase and estimate of the last decision, and whether the start-up was over.
    last: Option<(u32, u64, bool)>,
    remembered_bytes: u64,
}

impl StartupWatch {
    /// Sets the remembered BDP that the start-up got, in bytes of payload; 0: none.
    pub fn remembers(&mut self, bytes: u64) {
        self.remembered_bytes = bytes;
    }

    /// The events of a decision that is in force at this time: `estimate` first, then `phase` or
    /// `exit`. After the end of a start-up only phases follow.
    pub fn look(&mut self, time_s: f64, decision: &Decision) -> impl Iterator<Item = StartupEvent> {
        let now = (
            decision.phase,
            decision.estimate_bytes_per_s,
            decision.is_over(),
        );
        let before = self.last.replace(now);
        let unlimited_as_zero = |value: u64| if value == UNLIMITED { 0 } else { value };
        let change = |kind: &str, what: &str| StartupEvent {
            time_s,
            kind: kind.to_owned(),
            what: what.to_owned(),
            estimate_bytes_per_s: decision.estimate_bytes_per_s,
            cwnd_bytes: decision.cwnd_bytes,
            ssthresh_bytes: unlimited_as_zero(decision.ssthresh_bytes),
            pacing_bytes_per_s: unlimited_as_zero(decision.pacing_bytes_per_s),
            remembered_bytes: self.remembered_bytes,
        };
        let phase = || phase_name(decision.phase);
        let estimate = before
            .map_or(now.1 != 0, |(_, estimate, _)| estimate != now.1)
            .then(|| change("estimate", phase()));
        let ends = now.2 && before.is_none_or(|(_, _, was_over)| !was_over);
        let phase = before
            .is_none_or(|(phase, _, _)| phase != now.0)
            .then(|| match ends {
                true => change("exit", exit_name(decision.exit)),
                false => change("phase", phase()),
            });
        estimate.into_iter().chain(phase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_core::{PHASE_AVOIDANCE, PHASE_DONE, PHASE_SAFE};

    #[test]
    fn only_changes_of_phase_and_estimate_are_events() {
        let mut watch = StartupWatch::default();
        let mut look = |decision: Decision| {
            let events = watch.look(1.5, &decision);
            events
                .map(|event| format!("{} {}", event.kind, event.what))
                .collect::<Vec<_>>()
        };
        let slow = Decision {
            cwnd_bytes: 1000,
            ssthresh_bytes: UNLIMITED,
            ..Decision::default()
        };
        assert_eq!(look(slow), ["phase slow-start"]);
        assert_eq!(
            look(Decision {
                cwnd_bytes: 2000,
                ..slow
            }),
            [""; 0]
        );
        let measured = Decision {
            estimate_bytes_per_s: 7,
            ..slow
        };
        assert_eq!(look(measured), ["estimate slow-start"]);
        let done = Decision {
            phase: PHASE_DONE,
            exit: 2,
            ..measured
        };
        assert_eq!(look(done), ["exit estimate"]);
        assert_eq!(look(done), [""; 0]);
        assert_eq!(look(measured), ["phase slow-start"]);
        assert_eq!(
            look(Decision {
                phase: PHASE_SAFE,
                ..done
            }),
            ["exit estimate"]
        );
        assert_eq!(
            look(Decision {
                phase: PHASE_AVOIDANCE,
                ..done
            }),
            ["phase avoidance"],
            "the start-up ended before"
        );
    }
}
