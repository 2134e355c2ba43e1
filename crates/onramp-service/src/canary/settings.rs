//! What the canary's test needs to know.

use serde::{Deserialize, Serialize};

/// When a start-up is switched off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The probability that a start-up that is not worse is switched off by the comparison, over
    /// the life of the policy: more than 0, less than 1. The budget has the same once more.
    pub error_rate: f64,
    /// Slower by no more than this share is tolerated: 0.03 is 3 %.
    pub tolerated_slowdown: f64,
    /// A retransmitted share that is larger by no more than this is tolerated: 0.002 is 0.2
    /// percentage points.
    pub tolerated_retransmissions: f64,
    /// A quantity is compared when each group has so many connections with it. The test relies on
    /// sums of many values.
    pub min_connections: u64,
    /// A test ends, and the next begins, when each group has so many connections that were
    /// measured.
    pub test_connections: u64,
    /// The start-up is switched off if its connections retransmit more than this share of their
    /// segments, whatever the control group does; `None`: no budget.
    pub retransmission_budget: Option<f64>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            error_rate: 0.01,
            tolerated_slowdown: 0.03,
            tolerated_retransmissions: 0.002,
            min_connections: 200,
            test_connections: 20_000,
            retransmission_budget: None,
        }
    }
}

impl Settings {
    /// The part of the error rate that test number `test` has, from 1 on. The parts of all tests
    /// add up to the whole.
    pub fn error_rate_of(&self, test: u64) -> f64 {
        let test = test as f64;
        self.error_rate / (test * (test + 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tests_together_have_the_error_rate() {
        let settings = Settings::default();
        let sum: f64 = (1..100_000).map(|test| settings.error_rate_of(test)).sum();
        assert!(sum < settings.error_rate && sum > 0.9999 * settings.error_rate);
    }
}
