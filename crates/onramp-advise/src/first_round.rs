//! The initial rates that a host with these connections would have learned
//! (core/parts/first_round.h).

use crate::class::{Class, Part};
use onramp_core::{line_bits_per_s, FirstRound};
use onramp_report::statistics::median;
use std::collections::BTreeMap;

/// FIRST_ROUND_CARRIED and FIRST_ROUND_TOO_FAST of core/startup.h.
const CARRIED: u8 = 1;
const TOO_FAST: u8 = 2;

/// Any time: nothing that is learned here is too old.
const NOW_NS: u64 = 1;

/// They are too fast by more than this factor of the path's rate (FIRST_ROUND_CREDIBLE_FACTOR).
const CREDIBLE_FACTOR: f64 = 2.0;

/// Early segments that tell something (FIRST_ROUND_MIN_SEGMENTS).
const MIN_EARLY_SEGMENTS: u64 = 8;

/// Connections after which a rate has settled: where connections were too fast, it needs 47 to rise
/// from its minimum to eight times its first value.
const SETTLED_AFTER: usize = 200;

/// The rates on the line at which `onramp` would send behind the initial window, in bits per
/// second.
pub(crate) struct InitialRates {
    /// To a network that nothing is known of.
    pub host_bits_per_s: u64,
    by_destination: BTreeMap<String, u64>,
}

/// A connection that would tell something.
struct Teller<'a> {
    destination: &'a str,
    path_bytes_per_s: f64,
    is_lower_bound: bool,
}

impl Teller<'_> {
    /// What became of early segments at this rate. `None`: nobody knows.
    fn outcome(&self, bytes_per_s: u64) -> Option<u8> {
        match CREDIBLE_FACTOR * self.path_bytes_per_s >= bytes_per_s as f64 {
            true => Some(CARRIED),
            false if self.is_lower_bound => None,
            false => Some(TOO_FAST),
        }
    }
}

impl InitialRates {
    /// The host serves the same connections again and again. Its own rate counts the first
    /// connection to each network, and each network begins there.
    pub fn learned_from(classes: &[Class]) -> InitialRates {
        let tellers = in_turn(classes);
        let mut by_destination: BTreeMap<&str, Vec<&Teller>> = BTreeMap::new();
        for teller in &tellers {
            by_destination
                .entry(teller.destination)
                .or_default()
                .push(teller);
        }
        let firsts: Vec<&Teller> = by_destination.values().map(|all| all[0]).collect();
        let count = tellers.len();
        let turns = |count: usize| SETTLED_AFTER.div_ceil(count.max(1)) + 1;
        let host = settled(FirstRound::default(), &firsts, turns(firsts.len()));
        let to_network = |(destination, tellers): (&str, Vec<&Teller>)| {
            let rate = settled(host, &tellers, turns(count));
            (destination.to_owned(), line_bits_per_s(rate.rate(NOW_NS)))
        };
        InitialRates {
            host_bits_per_s: line_bits_per_s(host.rate(NOW_NS)),
            by_destination: by_destination.into_iter().map(to_network).collect(),
        }
    }

    /// To this network.
    pub fn to(&self, destination: &str) -> u64 {
        let known = self.by_destination.get(destination).copied();
        known.unwrap_or(self.host_bits_per_s)
    }
}

/// The rate after so many turns of connections, from this rate on: the median of the last turn.
fn settled(mut rate: FirstRound, tellers: &[&Teller], turns: usize) -> FirstRound {
    let mut last = Vec::new();
    for turn in 1..=turns {
        for teller in tellers {
            if let Some(outcome) = teller.outcome(rate.rate(NOW_NS)) {
                rate.learn(outcome, NOW_NS);
            }
            if turn == turns {
                last.push(rate.rate(NOW_NS) as f64);
            }
        }
    }
    if !last.is_empty() {
        rate.bytes_per_s = median(&last) as u64;
        rate.learned_ns = NOW_NS;
    }
    rate
}

/// The connections that tell something. Those of a class are spread evenly among all.
fn in_turn(classes: &[Class]) -> Vec<Teller<'_>> {
    let mut tellers = Vec::new();
    for class in classes.iter().filter(|class| class.part == Part::First) {
        let early = u64::from(class.initial_cwnd_segments) + MIN_EARLY_SEGMENTS;
        let size = class.connections.len() as f64;
        let tells =
            class.connections.iter().enumerate().filter(|(_, seen)| {
                seen.transfers[0].bytes > early * u64::from(class.path.mss_bytes)
            });
        tellers.extend(tells.map(|(place, _)| {
            let teller = Teller {
                destination: &class.destination,
                path_bytes_per_s: class.path.rate_bytes_per_s,
                is_lower_bound: class.path.rate_is_lower_bound,
            };
            ((place as f64 + 0.5) / size, teller)
        }));
    }
    tellers.sort_by(|a, b| a.0.total_cmp(&b.0));
    tellers.into_iter().map(|(_, teller)| teller).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcomes_are_those_of_the_core() {
        let mut host = FirstRound::default();
        let first = host.rate(NOW_NS);
        host.learn(CARRIED, NOW_NS);
        let raised = host.rate(NOW_NS);
        assert!(raised > first);
        host.learn(TOO_FAST, NOW_NS);
        assert!(host.rate(NOW_NS) < raised);
        let rates = InitialRates::learned_from(&[]);
        assert!((4.9e6..5.1e6).contains(&(rates.host_bits_per_s as f64)));
        assert_eq!(rates.to("192.0.2.0/24"), rates.host_bits_per_s);
    }
    #[test]
    fn a_slow_network_has_a_rate_of_its_own() {
        let teller = |destination, path_bytes_per_s| Teller {
            destination,
            path_bytes_per_s,
            is_lower_bound: false,
        };
        let (slow, fast) = (teller("slow", 2e5), teller("fast", 6e6));
        let mbit_per_s = |rate: FirstRound| line_bits_per_s(rate.rate(NOW_NS)) as f64 / 1e6;
        let host = settled(FirstRound::default(), &[&slow, &fast], 100);
        assert!(
            (1.6..3.6).contains(&mbit_per_s(host)),
            "{}",
            mbit_per_s(host)
        );
        assert!(mbit_per_s(settled(host, &[&fast], 100)) > 39.0);
        assert!(mbit_per_s(settled(host, &[&slow], 100)) < 3.6);
    }
}
