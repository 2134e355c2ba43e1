//! Random numbers: a stream per element, the same on every machine.
//!
//! The generator is PCG32 (O'Neill 2014, "XSH RR" 64/32). Its start is the link's seed after one
//! round of SplitMix64 (Steele, Lea & Flood 2014), so that seeds 1, 2, 3 have nothing in common;
//! its stream is the element's number, so that switching one element on does not change another's
//! numbers.

use rand_core::Rng;
use rand_pcg::Pcg32;

/// Who draws. The numbers are part of what a seed means: append, never renumber.
#[derive(Clone, Copy)]
pub(crate) enum Element {
    Loss = 0,
    Queue = 1,
    Jitter = 2,
    Duplication = 3,
}

/// The stream of one element of the link with this seed.
pub(crate) fn stream(seed: u64, element: Element) -> Pcg32 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    Pcg32::new(z ^ (z >> 31), element as u64)
}

/// 2^32 times a probability in millionths, rounded down.
pub(crate) fn probability(ppm: u32) -> u64 {
    (u64::from(ppm) << 32) / 1_000_000
}

/// Whether something with this probability (times 2^32) happens now. Draws nothing where it never
/// does.
#[inline]
pub(crate) fn happens(probability: u64, random: &mut Pcg32) -> bool {
    probability > 0 && u64::from(random.next_u32()) < probability
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_and_always() {
        let mut random = stream(3, Element::Loss);
        assert!((0..1000).all(|_| happens(probability(1_000_000), &mut random)));
        let before = random.clone();
        assert!((0..1000).all(|_| !happens(probability(0), &mut random)));
        assert_eq!(random, before);
    }

    #[test]
    fn seeds_and_elements_have_streams_of_their_own() {
        let first = |seed, element| -> Vec<u32> {
            let mut random = stream(seed, element);
            (0..4).map(|_| random.next_u32()).collect()
        };
        assert_eq!(first(1, Element::Loss), first(1, Element::Loss));
        assert_ne!(first(1, Element::Loss), first(1, Element::Queue));
        assert_ne!(first(1, Element::Loss), first(2, Element::Loss));
    }
}
