//! The number of parallel connections of a sending application that adapts this number itself.
//!
//! XFTP found "the appropriate number of connections so to not overload the network" by an adaptive
//! algorithm (Chaher, Barakat, Dabbous & Altman 1998, section 1, about Allman, Kruse & Ostermann
//! 1996, who write of "congestion avoidance at the application level"). The sources do not describe
//! the algorithm further. The rule below is that of TCP, one level higher.
//!
//! ```text
//!   once per round trip
//!     retransmissions, and not yet halved for them   half as many
//!     a queue, or connections still opening          as many
//!     otherwise, before the first such sign          twice as many
//!     otherwise                                      one more
//! ```

use onramp_scenario::Connections;

/// Initial number of connections. With one segment each, they send together the largest initial
/// window of RFC 3390.
pub(super) const FIRST_CONNECTIONS: u32 = 4;
/// Ratio of the current RTT to the min RTT, in eighths, above which there is a queue.
const QUEUE_EIGHTHS: u64 = 10;

/// State of the adaptation.
#[derive(Debug, Default)]
pub(super) struct Adaptation {
    round_ends_ns: u64,
    min_srtt_ns: u64,
    retransmitted_segments: u64,
    /// Whether there was a sign of congestion so far.
    is_avoiding: bool,
    /// Whether the number was halved in the last round. Further retransmissions then belong to the
    /// same loss.
    has_halved: bool,
    /// Whether all connections were sending at the last decision.
    were_all_sending: bool,
}

/// What the application observes of its connections.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation {
    pub now_ns: u64,
    /// Smoothed RTT of the first connection.
    pub srtt_ns: u64,
    /// Segments retransmitted so far, by all connections of the transfer.
    pub retransmitted_segments: u64,
    /// Connections that get data, or will get data as soon as they are open.
    pub number: u32,
    /// Whether all of these are open.
    pub all_are_sending: bool,
}

impl Adaptation {
    /// Whether a round trip has passed since the last decision.
    pub fn is_due(&self, now_ns: u64) -> bool {
        now_ns >= self.round_ends_ns
    }

    /// The number of connections for the next round trip, and the reason.
    pub fn next_count(&mut self, observation: Observation) -> (u32, &'static str) {
        let Observation {
            now_ns,
            srtt_ns,
            number,
            ..
        } = observation;
        let is_first = self.min_srtt_ns == 0;
        self.round_ends_ns = now_ns.saturating_add(srtt_ns);
        self.min_srtt_ns = if is_first {
            srtt_ns
        } else {
            self.min_srtt_ns.min(srtt_ns)
        };
        let has_lost = std::mem::replace(
            &mut self.retransmitted_segments,
            observation.retransmitted_segments,
        ) < observation.retransmitted_segments;
        let has_halved = std::mem::take(&mut self.has_halved);
        // New connections have not had a round trip yet to load the network.
        let all_were_sending =
            std::mem::replace(&mut self.were_all_sending, observation.all_are_sending)
                && observation.all_are_sending;
        let has_queue = 8 * srtt_ns > QUEUE_EIGHTHS * self.min_srtt_ns;
        self.is_avoiding |= has_lost || has_queue;
        match () {
            () if has_lost && !has_halved => {
                self.has_halved = true;
                ((number / 2).max(1), "a loss")
            }
            () if has_lost || has_queue || !all_were_sending => (number, "waits"),
            () if self.is_avoiding => ((number + 1).min(Connections::MAX), "no congestion"),
            () => ((2 * number).min(Connections::MAX), "no congestion so far"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RTT_NS: u64 = 100;

    fn numbers(rounds: &[(u64, u64, bool)]) -> Vec<u32> {
        let (mut adaptation, mut number) = (Adaptation::default(), FIRST_CONNECTIONS);
        (0..)
            .zip(rounds)
            .map(
                |(round, &(srtt_ns, retransmitted_segments, all_are_sending))| {
                    let observation = Observation {
                        now_ns: round * RTT_NS,
                        srtt_ns,
                        retransmitted_segments,
                        number,
                        all_are_sending,
                    };
                    number = adaptation.next_count(observation).0;
                    number
                },
            )
            .collect()
    }

    #[test]
    fn the_number_doubles_until_congestion_then_adds_one_and_halves_at_losses() {
        let round = |srtt_ns, retransmitted| (srtt_ns, retransmitted, true);
        let rounds = [
            (100, 0),
            (100, 0),
            (110, 0),
            (126, 0),
            (125, 0),
            (100, 3),
            (100, 7),
            (100, 7),
            (100, 8),
        ];
        assert_eq!(
            numbers(&rounds.map(|(srtt, retransmitted)| round(srtt, retransmitted))),
            [4, 8, 16, 16, 17, 8, 8, 9, 4]
        );
    }

    #[test]
    fn the_number_is_kept_until_all_connections_were_open_for_a_round_trip() {
        let open =
            [true, true, false, false, true, true].map(|all_are_sending| (100, 0, all_are_sending));
        assert_eq!(numbers(&open), [4, 8, 8, 8, 8, 16]);
    }

    #[test]
    fn a_decision_is_due_once_per_round_trip() {
        let mut adaptation = Adaptation::default();
        assert!(adaptation.is_due(0));
        adaptation.next_count(Observation {
            now_ns: 1000,
            srtt_ns: RTT_NS,
            retransmitted_segments: 0,
            number: 1,
            all_are_sending: true,
        });
        assert!(!adaptation.is_due(1099) && adaptation.is_due(1100));
    }

    proptest! {
        #[test]
        fn the_number_stays_within_its_bounds(
            rounds in prop::collection::vec((1u64..1000, 0u64..3, any::<bool>()), 1..200),
        ) {
            let sums = rounds.into_iter().scan(0, |sum, (srtt, more, all)| {
                *sum += more;
                Some((srtt, *sum, all))
            });
            let sums: Vec<_> = sums.collect();
            for number in numbers(&sums) {
                prop_assert!((1..=Connections::MAX).contains(&number));
            }
        }
    }
}
