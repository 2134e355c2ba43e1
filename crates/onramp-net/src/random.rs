//! Random numbers: one stream for each element, the same on every machine.
//!
//! The generator is PCG32 (O'Neill 2014, "XSH RR" 64/32). Its initial state is the link's seed
//! after one round of SplitMix64 (Steele, Lea & Flood 2014), so that the seeds 1, 2 and 3 give
//! unrelated numbers. Its stream is the number of the element, so that switching one element on
//! does not change the numbers of another.
//!
//! Seeding and probabilities are computed here and not by the `rand` crate. Its results may change
//! from version to version, and recorded results must not.

use rand_core::Rng;
use rand_pcg::Pcg32;

/// The element that draws. These values determine what a seed means: add new ones at the end, and
/// never renumber.
#[derive(Clone, Copy)]
pub(crate) enum Element {
    Loss = 0,
    Queue = 1,
    Jitter = 2,
    Duplication = 3,
    Service = 4,
    Steps = 5,
    Aggregation = 6,
    Late = 7,
}

/// The random stream of one element of the link with this seed.
pub(crate) fn stream(seed: u64, element: Element) -> Pcg32 {
    Pcg32::new(splitmix64(seed, 0), element as u64)
}

/// The output with this index, from 0, of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014) started at
/// this seed.
pub fn splitmix64(seed: u64, index: u64) -> u64 {
    let steps = index.wrapping_add(1);
    let state = seed.wrapping_add(steps.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A number above 0 and at most 1, in steps of 2^-53, from 64 random bits.
#[inline]
pub fn unit(bits: u64) -> f64 {
    ((bits >> 11) + 1) as f64 / (1u64 << 53) as f64
}

/// An exponentially distributed number with this mean, from a [`unit()`]. The logarithm is
/// `libm`'s,
/// which returns the same bits on every machine.
pub fn exponential(unit: f64, mean: f64) -> f64 {
    -mean * libm::log(unit)
}

/// A normally distributed number with mean 0 and deviation 1, from two [`unit()`]s (Box & Muller
/// 1958).
pub fn normal(first: f64, second: f64) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(first));
    radius * libm::cos(std::f64::consts::TAU * second)
}

/// A probability in parts per million, as a fixed-point number with 32 fractional bits, rounded
/// down.
pub(crate) fn probability(ppm: u32) -> u64 {
    (u64::from(ppm) << 32) / 1_000_000
}

/// Draws whether an event of this probability (fixed-point, 32 fractional bits) happens. A
/// probability of zero draws no random number.
#[inline]
pub(crate) fn happens(probability: u64, random: &mut Pcg32) -> bool {
    probability > 0 && u64::from(random.next_u32()) < probability
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probability_zero_never_happens_and_one_always_happens() {
        let mut random = stream(3, Element::Loss);
        assert!((0..1000).all(|_| happens(probability(1_000_000), &mut random)));
        let before = random.clone();
        assert!((0..1000).all(|_| !happens(probability(0), &mut random)));
        assert_eq!(random, before);
    }

    #[test]
    fn each_seed_and_each_element_has_its_own_stream() {
        let first = |seed, element| -> Vec<u32> {
            let mut random = stream(seed, element);
            (0..4).map(|_| random.next_u32()).collect()
        };
        assert_eq!(first(1, Element::Loss), first(1, Element::Loss));
        assert_ne!(first(1, Element::Loss), first(1, Element::Queue));
        assert_ne!(first(1, Element::Loss), first(2, Element::Loss));
    }
}
