//! Independent losses with a constant probability.

use crate::random::{happens, probability};
use rand_pcg::Pcg32;

/// Drops each packet with the same probability, independently of all others.
#[derive(Clone, Debug)]
pub(crate) struct Bernoulli {
    probability: u64,
}

impl Bernoulli {
    /// The probability is rounded down to a multiple of 2^-32.
    pub fn new(loss_ppm: u32) -> Bernoulli {
        Bernoulli {
            probability: probability(loss_ppm),
        }
    }

    #[inline]
    pub fn loses(&mut self, random: &mut Pcg32) -> bool {
        happens(self.probability, random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(loss_ppm: u32, mut random: Pcg32, packets: u32) -> Vec<bool> {
        let mut process = Bernoulli::new(loss_ppm);
        (0..packets).map(|_| process.loses(&mut random)).collect()
    }

    #[test]
    fn the_loss_rate_matches_the_configured_probability() {
        // 10^6 draws at 2 %: the standard deviation is 140 losses, the bound five of them.
        let lost = losses(20_000, Pcg32::new(42, 1), 1_000_000)
            .into_iter()
            .filter(|lost| *lost)
            .count();
        assert!(lost.abs_diff(20_000) < 700, "{lost} of 1,000,000");
    }

    #[test]
    fn a_seed_always_gives_the_same_losses() {
        let lost: Vec<usize> = losses(100_000, Pcg32::new(1, 2), 60)
            .into_iter()
            .enumerate()
            .filter_map(|(at, lost)| lost.then_some(at))
            .collect();
        assert_eq!(lost, [0, 23, 38, 42, 43, 47, 52]);
    }
}
