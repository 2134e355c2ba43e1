//! Made-up recordings of a link that fades. A file of one line describes such a recording:
//! `fading seed=1 seconds=30 min_mbits_per_s=1 max_mbits_per_s=40`.
//!
//! The rate is a random walk between the minimum and the maximum. Every 20 ms its logarithm moves
//! by a normally distributed step. One step in 250 begins a fade to the minimum for 100 to 400 ms.
//! The numbers are our choice and those of no particular network. A seed gives the same recording
//! on every machine.

use super::OPPORTUNITY_BYTES;
use crate::random::{normal, splitmix64, unit};

/// The first word of the line.
pub(super) const WORD: &str = "fading";
/// Time between two steps, in milliseconds.
const STEP_MS: u64 = 20;
/// Standard deviation of a step of the rate's natural logarithm.
const DEVIATION: f64 = 0.15;
/// One step in so many begins a fade.
const FADE_ONE_IN: f64 = 250.0;
/// The shortest fade and the difference to the longest one, in milliseconds.
const FADE_MS: (f64, f64) = (100.0, 300.0);
/// What a recording may carry at most. It limits the memory that a line of text takes.
const MAX_MBITS: f64 = 100_000.0;

/// The description of a recording. Rates are in Mbit/s.
pub(super) struct Fading {
    seed: u64,
    seconds: u32,
    min_mbits_per_s: f64,
    max_mbits_per_s: f64,
}

impl Fading {
    /// Reads a line. `None`: it is no such description, or the recording would be too large.
    pub fn parse(line: &str) -> Option<Fading> {
        let mut words = line.split_ascii_whitespace();
        words.next().filter(|word| *word == WORD)?;
        let mut value = |name| words.next()?.strip_prefix(name)?.strip_prefix('=');
        let fading = Fading {
            seed: value("seed")?.parse().ok()?,
            seconds: value("seconds")?.parse().ok()?,
            min_mbits_per_s: value("min_mbits_per_s")?.parse().ok()?,
            max_mbits_per_s: value("max_mbits_per_s")?.parse().ok()?,
        };
        let rates = fading.min_mbits_per_s..=fading.max_mbits_per_s;
        let is_possible = fading.min_mbits_per_s > 0.0
            && !rates.is_empty()
            && f64::from(fading.seconds) * rates.end() <= MAX_MBITS;
        (is_possible && words.next().is_none()).then_some(fading)
    }

    /// The moments of the recording, in milliseconds.
    pub fn at_ms(&self) -> Vec<u64> {
        let mut draws = 0..;
        let mut unit = || unit(splitmix64(self.seed, draws.next().unwrap_or_default()));
        let (min, max) = (self.min_mbits_per_s, self.max_mbits_per_s);
        let (mut rate, mut fade_until_ms, mut bits) = (libm::sqrt(min * max), 0.0, 0.0);
        let mut at_ms = Vec::new();
        for ms in 1..=u64::from(self.seconds) * 1000 {
            if ms % STEP_MS == 0 {
                let step = DEVIATION * normal(unit(), unit());
                rate = (rate * libm::exp(step)).clamp(min, max);
                if unit() * FADE_ONE_IN < 1.0 {
                    fade_until_ms = ms as f64 + FADE_MS.0 + FADE_MS.1 * unit();
                }
            }
            let is_faded = (ms as f64) < fade_until_ms;
            bits += if is_faded { min } else { rate } * 1000.0;
            while bits >= f64::from(OPPORTUNITY_BYTES * 8) {
                bits -= f64::from(OPPORTUNITY_BYTES * 8);
                at_ms.push(ms);
            }
        }
        at_ms
    }
}
