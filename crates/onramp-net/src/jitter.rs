//! Jitter: extra delay with a uniform distribution, drawn independently for each packet, as on a
//! shared medium.

use crate::random::{stream, Element};
use crate::Jitter;
use rand_core::Rng;
use rand_pcg::Pcg32;

/// Draws the extra delay of each packet of a link.
#[derive(Clone, Debug)]
pub(crate) struct ExtraDelay {
    /// All delays are below this bound.
    bound_ns: u64,
    random: Pcg32,
}

impl ExtraDelay {
    pub fn new(config: &Jitter, seed: u64) -> ExtraDelay {
        ExtraDelay {
            bound_ns: config.max_ns + 1,
            random: stream(seed, Element::Jitter),
        }
    }

    /// Extra delay of the next packet.
    pub fn draw_ns(&mut self) -> u64 {
        ((u128::from(self.random.next_u64()) * u128::from(self.bound_ns)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_uniform_from_zero_to_the_maximum() {
        let mut extra = ExtraDelay::new(
            &Jitter {
                max_ns: 9,
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
