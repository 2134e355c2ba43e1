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
//! In the long run, the fraction of packets in the bad state is p / (p + r). A stay in the bad
//! state lasts 1/r packets on average. For each packet the chain first makes its transition; the
//! packet is then subject to the new state.

use crate::random::{happens, probability};
use rand_pcg::Pcg32;

#[derive(Clone, Debug)]
pub(crate) struct GilbertElliott {
    /// Probability of leaving the good and the bad state.
    transition: [u64; 2],
    /// Probability of a loss in the good and the bad state.
    loss: [u64; 2],
    is_bad: bool,
}

impl GilbertElliott {
    /// Probabilities of leaving the good and the bad state, and of a loss in each, in parts per
    /// million.
    pub fn new(leaves_ppm: [u32; 2], loses_ppm: [u32; 2]) -> GilbertElliott {
        GilbertElliott {
            transition: leaves_ppm.map(probability),
            loss: loses_ppm.map(probability),
            is_bad: false,
        }
    }

    pub fn loses(&mut self, random: &mut Pcg32) -> bool {
        self.is_bad ^= happens(self.transition[usize::from(self.is_bad)], random);
        happens(self.loss[usize::from(self.is_bad)], random)
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

    /// p = 1 %, r = 25 %: the chain is in the bad state for p / (p + r) = 3.846 % of the packets.
    /// Consecutive states have the correlation 1 - p - r = 0.74. The mean of 10^6 packets therefore
    /// has a standard deviation of 0.05 %. The bounds are five standard deviations.
    #[test]
    fn the_loss_rate_matches_the_stationary_distribution() {
        let gilbert = share(&losses([10_000, 250_000], [0, 1_000_000]));
        assert!((gilbert - 0.03846).abs() < 0.0025, "{gilbert}");
        // loss_good = 0.1 %, loss_bad = 50 %: 0.001 x 0.96154 + 0.5 x 0.03846.
        let elliott = share(&losses([10_000, 250_000], [1_000, 500_000]));
        assert!((elliott - 0.02019).abs() < 0.0015, "{elliott}");
    }

    #[test]
    fn the_mean_burst_length_is_one_over_r() {
        let lost = losses([10_000, 250_000], [0, 1_000_000]);
        let bursts = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        let mean = lost.iter().filter(|lost| **lost).count() as f64 / bursts;
        // A geometric distribution with mean 4 and standard deviation 3.5. Over some 9,600 bursts,
        // the mean has a standard deviation of 0.035.
        assert!((mean - 4.0).abs() < 0.18, "{mean}");
    }

    #[test]
    fn a_chain_that_never_leaves_the_good_state_loses_nothing() {
        assert!(losses([0, 250_000], [0, 1_000_000])
            .iter()
            .all(|lost| !lost));
    }
}
