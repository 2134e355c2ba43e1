//! Losses in bursts: the two-state Markov chain of Gilbert (Bell System Technical Journal 39,
//! 1960), with a loss probability in both states as Elliott (BSTJ 42, 1963) added it.
//!
//! ```text
//!            p
//!        ---------->
//!   good             bad       loss: loss_good in one, loss_bad in the other
//!        <----------
//!            r
//! ```
//!
//! In the long run the chain is bad for p / (p + r) of the packets, for 1/r packets at a time. With
//! each packet the chain moves first; the packet then meets the state it has moved to.

use crate::random::{happens, probability};
use rand_pcg::Pcg32;

#[derive(Clone, Debug)]
pub(crate) struct GilbertElliott {
    /// Probability of leaving each state, good and bad.
    leaves: [u64; 2],
    /// Probability of a loss in each.
    loses: [u64; 2],
    bad: bool,
}

impl GilbertElliott {
    /// Probabilities of leaving the good and the bad state, and of a loss in each.
    pub fn new(leaves_ppm: [u32; 2], loses_ppm: [u32; 2]) -> GilbertElliott {
        GilbertElliott {
            leaves: leaves_ppm.map(probability),
            loses: loses_ppm.map(probability),
            bad: false,
        }
    }

    pub fn loses(&mut self, random: &mut Pcg32) -> bool {
        self.bad ^= happens(self.leaves[usize::from(self.bad)], random);
        happens(self.loses[usize::from(self.bad)], random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKETS: usize = 1_000_000;

    fn losses(leaves_ppm: [u32; 2], loses_ppm: [u32; 2]) -> Vec<bool> {
        let (mut process, mut random) =
            (GilbertElliott::new(leaves_ppm, loses_ppm), Pcg32::new(7, 0));
        (0..PACKETS).map(|_| process.loses(&mut random)).collect()
    }

    fn share(lost: &[bool]) -> f64 {
        lost.iter().filter(|lost| **lost).count() as f64 / PACKETS as f64
    }

    /// p = 1 %, r = 25 %: bad for p / (p + r) = 3.846 % of the time. Consecutive states correlate
    /// by 1 - p - r = 0.74, which makes the mean of 10^6 packets deviate by 0.05 % as a standard;
    /// the bounds are five of those.
    #[test]
    fn the_stationary_loss_is_that_of_the_chain() {
        let simple = share(&losses([10_000, 250_000], [0, 1_000_000]));
        assert!((simple - 0.03846).abs() < 0.0025, "{simple}");
        // loss_good = 0.1 %, loss_bad = 50 %: 0.001 x 0.96154 + 0.5 x 0.03846.
        let full = share(&losses([10_000, 250_000], [1_000, 500_000]));
        assert!((full - 0.02019).abs() < 0.0015, "{full}");
    }

    #[test]
    fn a_burst_lasts_for_one_over_r_packets() {
        let lost = losses([10_000, 250_000], [0, 1_000_000]);
        let bursts = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        let mean = lost.iter().filter(|lost| **lost).count() as f64 / bursts;
        // Geometric with mean 4 and deviation 3.5, over some 9,600 bursts: deviation of the mean
        // 0.035.
        assert!((mean - 4.0).abs() < 0.18, "{mean}");
    }

    #[test]
    fn a_chain_that_never_leaves_the_good_state_is_gilberts_good_state() {
        assert!(losses([0, 250_000], [0, 1_000_000])
            .iter()
            .all(|lost| !lost));
    }
}
