//! Delay that varies: uniform, drawn for each packet alone, as when a medium is shared with
//! strangers.

use crate::random::{stream, Element};
use crate::Jitter;
use rand_core::Rng;
use rand_pcg::Pcg32;

/// Draws the extra delays of a link.
#[derive(Debug)]
pub(crate) struct ExtraDelay {
    /// They are below this.
    below_ns: u64,
    random: Pcg32,
}

impl ExtraDelay {
    pub fn new(config: &Jitter, seed: u64) -> ExtraDelay {
        ExtraDelay {
            below_ns: config.most_ns + 1,
            random: stream(seed, Element::Jitter),
        }
    }

    /// The next packet's.
    pub fn draw_ns(&mut self) -> u64 {
        ((u128::from(self.random.next_u64()) * u128::from(self.below_ns)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_uniform_from_nothing_to_the_most() {
        let mut extra = ExtraDelay::new(
            &Jitter {
                most_ns: 9,
                reorder: false,
            },
            1,
        );
        let mut seen = [0u32; 10];
        (0..100_000).for_each(|_| seen[extra.draw_ns() as usize] += 1);
        // The standard deviation of each count is 95; the bound is five of them.
        assert!(
            seen.iter().all(|count| count.abs_diff(10_000) < 475),
            "{seen:?}"
        );
    }
}
