//! Random numbers of a run. Each element has its own stream, which is the same on every machine, in
//! simulator and lab.

use crate::seed::case_seed;
use onramp_config::units::{format_time, parse_time, UnitError};
use onramp_net::random;
use rand_core::Rng as _;
use rand_pcg::Pcg32;
use std::fmt;

/// An element that draws random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// A source: arrivals, sizes, on and off times. (The number 0 is a link:
    /// [`link_seed`](crate::link_seed).)
    Source = 1,
    /// The sequence numbers and timestamps of a flow.
    Flow = 2,
    /// The think times of a copy of the transfer.
    Think = 3,
}

/// The seed of one element, derived from the seed of the case by SplitMix64.
pub fn seed_of(case: u64, element: Element, number: u32) -> u64 {
    case_seed(case_seed(case, element as u64), u64::from(number))
}

/// A time that is constant or drawn, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interval {
    /// Always this time.
    Fixed(u64),
    /// Exponentially distributed with this mean.
    Exponential(u64),
}

impl Interval {
    const EXPONENTIAL: &str = "exponential ";

    /// The time of a text, such as `200 ms` or `exponential 200 ms`.
    ///
    /// # Errors
    /// If the time has no unit, or is too long.
    pub fn parse(text: &str) -> Result<Interval, UnitError> {
        match text.strip_prefix(Interval::EXPONENTIAL) {
            Some(mean) => parse_time(mean).map(Interval::Exponential),
            None => parse_time(text).map(Interval::Fixed),
        }
    }

    /// The time, or the mean of times that are drawn.
    pub fn mean_ns(self) -> u64 {
        match self {
            Interval::Fixed(ns) | Interval::Exponential(ns) => ns,
        }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = format_time(self.mean_ns());
        match self {
            Interval::Fixed(_) => write!(f, "{time}"),
            Interval::Exponential(_) => write!(f, "{}{time}", Interval::EXPONENTIAL),
        }
    }
}

/// The random stream of one source.
#[derive(Clone, Debug)]
pub struct Stream(Pcg32);

impl Stream {
    /// The stream with this seed.
    pub fn new(seed: u64) -> Stream {
        Stream(Pcg32::new(seed, 0))
    }

    /// A uniformly distributed number above 0 and at most 1, in steps of 2^-53.
    pub fn unit(&mut self) -> f64 {
        random::unit(self.0.next_u64())
    }

    /// An exponentially distributed number with this mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        random::exponential(self.unit(), mean)
    }

    /// A normally distributed number with mean 0 and deviation 1.
    pub fn normal(&mut self) -> f64 {
        random::normal(self.unit(), self.unit())
    }

    /// A time in nanoseconds.
    pub fn interval(&mut self, interval: Interval) -> u64 {
        match interval {
            Interval::Fixed(ns) => ns,
            // At least a nanosecond, so that time passes with every draw.
            Interval::Exponential(mean_ns) => (self.exponential(mean_ns as f64) as u64).max(1),
        }
    }

    /// A uniformly distributed number below this limit.
    pub fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.0.next_u32()) * u64::from(limit)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(mut draw: impl FnMut() -> f64) -> f64 {
        (0..1_000_000).map(|_| draw()).sum::<f64>() / 1e6
    }

    #[test]
    fn exponentials_have_their_mean_and_deviation() {
        let mut stream = Stream::new(1);
        // With a million draws the standard deviation of the mean is 0.1 %, that of the second
        // moment 0.22 %.
        let first = mean(|| stream.exponential(5.0));
        let second = mean(|| stream.exponential(5.0).powi(2));
        assert!((first - 5.0).abs() < 0.025, "{first}");
        assert!((second - 50.0).abs() < 0.6, "{second}");
    }

    #[test]
    fn normals_have_their_mean_and_deviation() {
        let mut stream = Stream::new(1);
        let first = mean(|| stream.normal());
        let second = mean(|| stream.normal().powi(2));
        assert!(
            first.abs() < 0.004 && (second - 1.0).abs() < 0.006,
            "{first}, {second}"
        );
    }

    #[test]
    fn choices_are_even() {
        let mut stream = Stream::new(2);
        let mut counts = [0; 3];
        (0..300_000).for_each(|_| counts[stream.below(3) as usize] += 1);
        assert!(
            counts
                .iter()
                .all(|count: &i32| count.abs_diff(100_000) < 1300),
            "{counts:?}"
        );
    }

    #[test]
    fn elements_have_streams_of_their_own() {
        let sources = [Element::Source, Element::Flow, Element::Think].into_iter();
        let mut seeds: Vec<u64> = sources
            .flat_map(|element| (0..100).map(move |number| seed_of(7, element, number)))
            .chain((0..100).map(|number| crate::seed::link_seed(7, number)))
            .collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 400);
    }
}
