//! A rate that takes another random value again and again, as over a satellite in a low orbit or a
//! fading radio channel.

use crate::random::{happens, probability, stream, Element};
use crate::{Change, Config, RateSteps};
use rand_core::Rng;
use rand_pcg::Pcg32;
use std::num::NonZeroU64;

/// The rate of an outage. A packet in service keeps its bits until the outage ends.
pub(super) const STANDSTILL: NonZeroU64 = NonZeroU64::MIN;

/// The coming steps of a rate. There is always a next one.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    config: RateSteps,
    max_bits_per_s: u64,
    random: Pcg32,
    next_ns: u64,
    /// The current value, before an outage.
    rate_bits_per_s: Option<u64>,
    is_out: bool,
}

impl Steps {
    /// The steps of a link, if it has them. The first value is drawn at the beginning.
    pub fn new(config: &Config) -> Option<Steps> {
        Some(Steps {
            config: config.steps?,
            max_bits_per_s: config.rate_bits_per_s.get(),
            random: stream(config.seed, Element::Steps),
            next_ns: config.begin_ns,
            rate_bits_per_s: None,
            is_out: false,
        })
    }

    /// Time of the next step.
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Takes the next step.
    pub fn pop(&mut self) -> Change {
        let at_ns = self.next_ns;
        let begins_outage = match self.config.outages {
            // No outage follows another one at once, and none is at the beginning.
            Some(outages) if !self.is_out && self.rate_bits_per_s.is_some() => {
                happens(probability(outages.begin_ppm), &mut self.random).then_some(outages)
            }
            _ => None,
        };
        self.is_out = begins_outage.is_some();
        let (rate_bits_per_s, length_ns) = match begins_outage {
            Some(outages) => (STANDSTILL, outages.length_ns.max(1)),
            None => (self.draw(), self.config.every_ns),
        };
        self.next_ns = at_ns.saturating_add(length_ns);
        Change {
            at_ns,
            rate_bits_per_s: Some(rate_bits_per_s),
            delay_ns: None,
            loss_ppm: None,
        }
    }

    /// Draws the next value evenly from the part of the range that is near enough.
    fn draw(&mut self) -> NonZeroU64 {
        let (min, max) = (self.config.min_bits_per_s.get(), self.max_bits_per_s);
        let distance = u128::from(max - min) * u128::from(self.config.move_ppm) / 1_000_000;
        let (low, high) = match self.rate_bits_per_s {
            Some(rate) if self.config.move_ppm < 1_000_000 => (
                rate.saturating_sub(distance as u64).max(min),
                rate.saturating_add(distance as u64).min(max),
            ),
            _ => (min, max),
        };
        let drawn = (u128::from(self.random.next_u64()) * (u128::from(high - low) + 1)) >> 64;
        let rate = low + drawn as u64;
        self.rate_bits_per_s = Some(rate);
        NonZeroU64::new(rate).unwrap_or(STANDSTILL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limit, Outages};

    const MS: u64 = 1_000_000;

    fn rates(move_ppm: u32, outages: Option<Outages>, seed: u64) -> Vec<(u64, u64)> {
        let mut config = Config::plain(280.try_into().unwrap(), 0, Limit::Packets(0));
        config.steps = Some(RateSteps {
            every_ns: 500 * MS,
            min_bits_per_s: 20.try_into().unwrap(),
            move_ppm,
            outages,
        });
        (config.begin_ns, config.seed) = (7, seed);
        config.check().unwrap();
        let mut steps = Steps::new(&config).unwrap();
        let pop = |_| {
            let change = steps.pop();
            (change.at_ns - 7, change.rate_bits_per_s.unwrap().get())
        };
        (0..1000).map(pop).collect()
    }

    #[test]
    fn values_are_drawn_from_the_whole_range_at_equal_intervals() {
        let rates = rates(1_000_000, None, 1);
        assert!((0..)
            .zip(&rates)
            .all(|(step, (at_ns, _))| *at_ns == step * 500 * MS));
        let values = || rates.iter().map(|(_, rate)| *rate);
        assert_eq!((values().min(), values().max()), (Some(20), Some(280)));
        let mean = values().sum::<u64>() / 1000;
        assert!((140..160).contains(&mean), "{mean}");
    }

    #[test]
    fn a_value_may_be_near_the_one_before() {
        let rates = rates(100_000, None, 1);
        let far = |pair: &[(u64, u64)]| pair[0].1.abs_diff(pair[1].1);
        assert!(rates.windows(2).all(|pair| far(pair) <= 26));
        let values = || rates.iter().map(|(_, rate)| *rate);
        assert!(values().min() < Some(40) && values().max() > Some(260));
    }

    #[test]
    fn outages_have_their_length_and_frequency() {
        let outages = Outages {
            length_ns: 1500 * MS,
            begin_ppm: 100_000,
        };
        let rates = rates(1_000_000, Some(outages), 1);
        let out = rates.windows(2).filter(|pair| pair[0].1 == 1);
        assert!(out
            .clone()
            .all(|pair| pair[1].0 - pair[0].0 == 1500 * MS && pair[1].1 > 1));
        assert!((60..120).contains(&out.count()));
        assert!(rates[0].1 > 1);
    }

    #[test]
    fn another_seed_gives_other_values() {
        assert_eq!(rates(500_000, None, 1), rates(500_000, None, 1));
        assert_ne!(rates(500_000, None, 1), rates(500_000, None, 2));
    }
}
