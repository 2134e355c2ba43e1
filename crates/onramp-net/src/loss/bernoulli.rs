//! Independent losses of one probability.

use super::LossProcess;
use rand_core::Rng;
use rand_pcg::Pcg32;

/// Loses each packet with the same probability, whatever happened before.
///
/// The random numbers are PCG32 (O'Neill 2014, "XSH RR" 64/32): one stream per element, the same on every
/// machine. One number is drawn per packet; none where the probability is 0.
#[derive(Clone, Debug)]
pub struct Bernoulli {
    /// A packet is lost if a uniform 32-bit number is below this.
    threshold: u64,
    random: Pcg32,
}

impl Bernoulli {
    /// Losses with probability `loss_ppm` / 10^6 (at most 10^6), rounded down to a multiple of 2^-32. Elements
    /// with the same seed and different streams are independent.
    pub fn new(loss_ppm: u32, seed: u64, stream: u64) -> Bernoulli {
        assert!(loss_ppm <= 1_000_000, "a probability is at most a million millionths, not {loss_ppm}");
        Bernoulli { threshold: (u64::from(loss_ppm) << 32) / 1_000_000, random: Pcg32::new(seed, stream) }
    }

    /// No losses.
    pub fn none() -> Bernoulli {
        Bernoulli::new(0, 0, 0)
    }
}

impl LossProcess for Bernoulli {
    fn loses(&mut self, _now_ns: u64, _wire_bytes: u32) -> bool {
        self.threshold > 0 && u64::from(self.random.next_u32()) < self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(mut process: Bernoulli, packets: u32) -> Vec<bool> {
        (0..packets).map(|_| process.loses(0, 1500)).collect()
    }

    #[test]
    fn the_rate_is_the_one_asked_for() {
        // 10^6 draws at 2 %: the standard deviation is 140 losses, the bound five of them.
        let lost = losses(Bernoulli::new(20_000, 42, 1), 1_000_000).into_iter().filter(|lost| *lost).count();
        assert!(lost.abs_diff(20_000) < 700, "{lost} of 1,000,000");
    }

    #[test]
    fn the_sequence_of_a_seed_is_fixed_for_ever() {
        let lost: Vec<usize> = losses(Bernoulli::new(100_000, 1, 2), 60)
            .into_iter()
            .enumerate()
            .filter_map(|(at, lost)| lost.then_some(at))
            .collect();
        assert_eq!(lost, [0, 23, 38, 42, 43, 47, 52]);
    }

    #[test]
    fn streams_of_one_seed_differ() {
        assert_ne!(losses(Bernoulli::new(500_000, 9, 0), 64), losses(Bernoulli::new(500_000, 9, 1), 64));
    }

    #[test]
    fn never_and_always() {
        assert!(losses(Bernoulli::none(), 1000).iter().all(|lost| !lost));
        assert!(losses(Bernoulli::new(1_000_000, 3, 3), 1000).iter().all(|lost| *lost));
    }
}
