//! Turns the decisions of a start-up into events.

use crate::{exit_name, phase_name, Decision, UNLIMITED};
use serde::{Deserialize, Serialize};

/// A change that the start-up decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartupEvent {
    /// Time of the sample or event.
    pub time_s: f64,
    /// The kind of event: `phase`, `estimate` or `exit`; `connections` where the application
    /// changes their number.
    pub kind: String,
    /// The new phase, the exit reason, or the number of connections and the reason.
    pub what: String,
    /// Bandwidth estimate (payload), 0 before the first.
    pub estimate_bytes_per_s: u64,
    /// Congestion window after the change.
    pub cwnd_bytes: u64,
    /// ssthresh after the change, 0 if none.
    pub ssthresh_bytes: u64,
    /// Pacing rate after the change, 0 if not paced.
    pub pacing_bytes_per_s: u64,
    /// The remembered BDP of the path (payload) that the start-up got at its beginning, 0 if none.
    #[serde(default)]
    pub remembered_bytes: u64,
}

/// Compares each decision of a connection's start-up with the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartupWatch {
    /// Phase and estimate of the last decision, and whether the start-up was over.
    last: Option<(u32, u64, bool)>,
    remembered_bytes: u64,
    /// What the start-up counts of a full packet, and the payload in it, if they differ (QUIC).
    counted_and_payload_bytes: Option<(u64, u64)>,
}

impl StartupWatch {
    /// A connection of QUIC, whose start-up counts the UDP payload of its datagrams: so many bytes
    /// of a full one, with `payload_bytes` of streams in it. The estimate and the remembered BDP
    /// of its events count the payload of streams in full datagrams, as the capacity of a record
    /// does. cwnd, ssthresh and the pacing rate remain those of QUIC.
    pub fn of_quic(datagram_bytes: u64, payload_bytes: u64) -> StartupWatch {
        StartupWatch {
            counted_and_payload_bytes: Some((datagram_bytes, payload_bytes)),
            ..StartupWatch::default()
        }
    }

    /// Sets the remembered BDP that the start-up got, in the bytes that it counts; 0: none.
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
        let counted_and_payload_bytes = self.counted_and_payload_bytes;
        let payload = |counted: u64| match counted_and_payload_bytes {
            None => counted,
            Some((of_full, payload)) => scaled(counted, payload, of_full.max(1)),
        };
        let (estimate_bytes_per_s, remembered_bytes) = (
            payload(decision.estimate_bytes_per_s),
            payload(self.remembered_bytes),
        );
        let change = |kind: &str, what: &str| StartupEvent {
            time_s,
            kind: kind.to_owned(),
            what: what.to_owned(),
            estimate_bytes_per_s,
            cwnd_bytes: decision.cwnd_bytes,
            ssthresh_bytes: unlimited_as_zero(decision.ssthresh_bytes),
            pacing_bytes_per_s: unlimited_as_zero(decision.pacing_bytes_per_s),
            remembered_bytes,
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

/// `value * numerator / denominator`, rounded.
fn scaled(value: u64, numerator: u64, denominator: u64) -> u64 {
    let [value, numerator, denominator] = [value, numerator, denominator].map(u128::from);
    let rounded = (value * numerator + denominator / 2) / denominator;
    u64::try_from(rounded).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PHASE_AVOIDANCE, PHASE_DONE, PHASE_SAFE};

    #[test]
    fn over_quic_the_estimate_counts_the_payload_of_the_stream() {
        let mut watch = StartupWatch::of_quic(1472, 1440);
        watch.remembers(147_200);
        let decision = Decision {
            cwnd_bytes: 14_720,
            ssthresh_bytes: UNLIMITED,
            pacing_bytes_per_s: UNLIMITED,
            // 50 Mbit/s of packets with 1,472 of 1,500 bytes.
            estimate_bytes_per_s: 6_133_333,
            ..Decision::default()
        };
        let event = watch.look(0.0, &decision).next().unwrap();
        assert_eq!(
            (event.estimate_bytes_per_s, event.remembered_bytes),
            (6_000_000, 144_000)
        );
        assert_eq!(event.cwnd_bytes, 14_720);
    }

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
