//! Random tests: with any options of the two ends, any path and any applications, both streams
//! arrive once, in order and complete, and both ends close.
//!
//! A seed determines a case. `ONRAMP_CASES` is the number of cases and `ONRAMP_SEED` the first
//! seed. A failure prints its seed.

mod draw;
mod invariants;
mod noise;
mod rng;
mod world;

use draw::Case;
use world::World;

const DEFAULT_CASES: u64 = 250;
/// Number of events for an end whose peer sends random segments.
const EVENTS: u64 = 300;

/// Prints the seed when a case fails.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{:#?}", Case::of(self.0));
            eprintln!(
                "reproduce: ONRAMP_SEED={} cargo test -p onramp-tcp --test random",
                self.0
            );
        }
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable)
        .ok()
        .map(|text| text.parse().expect("a number"))
}

/// Runs a case for each seed.
fn for_each_seed(case: impl Fn(u64)) {
    let first = number("ONRAMP_SEED");
    let cases = number("ONRAMP_CASES").unwrap_or(if first.is_some() { 1 } else { DEFAULT_CASES });
    let first = first.unwrap_or(0);
    for seed in first..first + cases {
        let _seed = Seed(seed);
        case(seed);
    }
}

#[test]
fn both_streams_arrive_whatever_happens() {
    for_each_seed(|seed| World::new(Case::of(seed), seed).run());
}

#[test]
fn any_segments_are_survived() {
    for_each_seed(|seed| noise::live(seed, EVENTS));
}
