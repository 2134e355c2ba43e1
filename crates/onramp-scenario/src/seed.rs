//! Seeds of runs and of links.

use onramp_net::random::splitmix64;

/// The seed of a repetition, counted from 0: the output with that index of SplitMix64 started at
/// the file's seed. All cases of a repetition share the seed, so that start-ups are compared under
/// the same random events. Seeds of different repetitions are unrelated.
pub fn case_seed(file_seed: u64, repetition: u64) -> u64 {
    splitmix64(file_seed, repetition)
}

/// The seed of a directed link in a run with this seed. The network's n-th link has the number 2 n,
/// its reverse direction 2 n + 1.
pub fn link_seed(run_seed: u64, number: u32) -> u64 {
    case_seed(case_seed(run_seed, 0), u64::from(number))
}
