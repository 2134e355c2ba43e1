//! The initial rate that a host with these connections would have learned
//! (core/parts/first_round.h).

use crate::class::{Class, Part};
use onramp_core::{line_bits_per_s, FirstRound};
use onramp_report::statistics::median;

/// FIRST_ROUND_CARRIED and FIRST_ROUND_TOO_FAST of core/startup.h.
const CARRIED: u8 = 1;
const TOO_FAST: u8 = 2;

/// Early segments that tell something (FIRST_ROUND_MIN_SEGMENTS).
const MIN_EARLY_SEGMENTS: u64 = 8;

/// Connections after which the rate has settled: it needs 35 to rise from its first value to its
/// maximum.
const SETTLED_AFTER: usize = 200;

/// The rate on the line at which `onramp` would send behind the initial window, in bits per second.
pub(crate) fn learned_bits_per_s(classes: &[Class]) -> u64 {
    let paths = in_turn(classes);
    let mut host = FirstRound::default();
    let mut rates = Vec::new();
    let rounds = SETTLED_AFTER.div_ceil(paths.len().max(1)) + 1;
    for (path_bytes_per_s, is_lower_bound) in paths.iter().cycle().take(rounds * paths.len()) {
        let is_carried = *path_bytes_per_s >= host.rate(1) as f64;
        match (is_carried, is_lower_bound) {
            (true, _) => host.learn(CARRIED, 1),
            (false, false) => host.learn(TOO_FAST, 1),
            (false, true) => {} // nobody knows
        }
        rates.push(host.rate(1) as f64);
    }
    match rates.len().checked_sub(SETTLED_AFTER.min(paths.len())) {
        Some(settled) if !rates.is_empty() => line_bits_per_s(median(&rates[settled..]) as u64),
        _ => line_bits_per_s(host.rate(1)),
    }
}

/// The rate of each connection's path, and whether it is a lower bound. The connections of a class
/// are spread evenly among all.
fn in_turn(classes: &[Class]) -> Vec<(f64, bool)> {
    let mut paths = Vec::new();
    for class in classes.iter().filter(|class| class.part == Part::First) {
        let early = u64::from(class.initial_cwnd_segments) + MIN_EARLY_SEGMENTS;
        let size = class.connections.len() as f64;
        let tells =
            class.connections.iter().enumerate().filter(|(_, seen)| {
                seen.transfers[0].bytes > early * u64::from(class.path.mss_bytes)
            });
        let path = (class.path.rate_bytes_per_s, class.path.rate_is_lower_bound);
        paths.extend(tells.map(|(place, _)| ((place as f64 + 0.5) / size, path)));
    }
    paths.sort_by(|a, b| a.0.total_cmp(&b.0));
    paths.into_iter().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcomes_are_those_of_the_core() {
        let mut host = FirstRound::default();
        let first = host.rate(1);
        host.learn(CARRIED, 1);
        assert!(host.rate(1) > first);
        host.learn(TOO_FAST, 1);
        assert!(host.rate(1) < first);
        assert!((4.9e6..5.1e6).contains(&(learned_bits_per_s(&[]) as f64)));
    }
}
