//! Seeds of runs and of links.

/// The seed of a repetition, counted from 0: the output with that index of SplitMix64 (Steele, Lea
/// and Flood, OOPSLA 2014) started at the file's seed. All cases of a repetition share the seed, so
/// that start-ups are compared under the same random events. Seeds of different repetitions are
/// unrelated.
pub fn case_seed(file_seed: u64, repetition: u64) -> u64 {
    let state = file_seed.wrapping_add(
        repetition
            .wrapping_add(1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15),
    );
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The seed of a directed link in a run with this seed. The network's n-th link has the number 2 n,
/// its reverse direction 2 n + 1.
pub fn link_seed(run_seed: u64, number: u32) -> u64 {
    case_seed(case_seed(run_seed, 0), u64::from(number))
}
