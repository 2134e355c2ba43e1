//! Random numbers from a seed.

use onramp_core::SplitMix64;

/// A random number generator.
#[derive(Clone, Debug)]
pub struct Rng(SplitMix64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(SplitMix64::new(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.draw()
    }

    /// A number in `0..bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// A number in `min..=max`.
    pub fn between(&mut self, min: u64, max: u64) -> u64 {
        min + self.below(max - min + 1)
    }

    /// A number between `min` and `max` whose logarithm is uniformly distributed.
    pub fn magnitude(&mut self, min: u64, max: u64) -> u64 {
        let ratio =
            (max as f64 / min.max(1) as f64).powf(self.below(1 << 20) as f64 / f64::from(1 << 20));
        (min.max(1) as f64 * ratio) as u64
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}
