//! Whatever the two ends' options, whatever the path and the applications do: both streams arrive
//! once, in order and whole, and both ends close.
//!
//! A case is all that one seed determines. `ONRAMP_CASES` says how many there are, `ONRAMP_SEED`
//! the first seed; a failure prints the one that it came from.

mod draw;
mod invariants;
mod noise;
mod rng;
mod world;

use draw::Case;
use world::World;

const DEFAULT_CASES: u64 = 250;
/// Events in the life of an end whose peer sends anything.
const EVENTS: u64 = 300;

/// Tells the seed when a case fails.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{:#?}", Case::of(self.0));
            eprintln!(
                "again: ONRAMP_SEED={} cargo test -p onramp-tcp --test random",
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

/// Does something for each seed.
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
fn any_segments_at_all_are_survived() {
    for_each_seed(|seed| noise::live(seed, EVENTS));
}
