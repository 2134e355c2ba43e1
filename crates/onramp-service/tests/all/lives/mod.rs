//! Simulated lives of a policy: connections over a path, put into groups at random.

use onramp_service::counts::{GroupCounts, PolicyCounts, State};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::f64::consts::TAU;

/// How long connections take over a path, and what they lose.
#[derive(Clone, Debug)]
pub struct Path {
    /// The median time until 100 kB were acknowledged.
    pub median_us: f64,
    /// The standard deviation of its logarithm.
    pub spread: f64,
    /// The share of connections that lose a burst.
    pub loss: f64,
    /// The largest burst; bursts of all sizes are equally likely.
    pub max_burst: u64,
}

impl Path {
    /// Many paths and sizes of answers: nine of ten connections take 70 ms to 1 s.
    pub fn wide() -> Path {
        Path {
            median_us: 250_000.0,
            spread: 0.8,
            loss: 0.05,
            max_burst: 10,
        }
    }

    /// One path without other traffic: all times within a few percent.
    pub fn quiet() -> Path {
        Path {
            median_us: 250_000.0,
            spread: 0.02,
            loss: 0.0,
            max_burst: 1,
        }
    }

    /// Few connections lose, but then many segments.
    pub fn bursty() -> Path {
        Path {
            loss: 0.02,
            max_burst: 60,
            ..Path::wide()
        }
    }

    pub fn slower(&self, factor: f64) -> Path {
        Path {
            median_us: factor * self.median_us,
            ..self.clone()
        }
    }

    fn connect(&self, random: &mut StdRng, group: &mut GroupCounts) {
        let time_us = self.median_us * (self.spread * standard_normal(random)).exp();
        group.connections += 1;
        group.time_to_100_kb.add(time_us as u64);
        let is_long = random.random_bool(0.2);
        if is_long {
            group.time_to_1_mb.add((2.5 * time_us) as u64);
        }
        let sent = if is_long { 700 } else { 80 };
        let lost = match random.random_bool(self.loss) {
            true => random.random_range(1..=self.max_burst),
            false => 0,
        };
        group.segments.add(sent + lost, lost);
    }
}

/// A number of the normal distribution, by the method of Box and Muller.
fn standard_normal(random: &mut StdRng) -> f64 {
    let (radius, turn): (f64, f64) = (1.0 - random.random::<f64>(), random.random());
    (-2.0 * radius.ln()).sqrt() * (TAU * turn).cos()
}

/// A policy whose connections are simulated.
pub struct Life {
    random: StdRng,
    policy: PolicyCounts,
}

impl Life {
    pub fn new(seed: u64, percent: f64) -> Life {
        Life {
            random: StdRng::seed_from_u64(seed),
            policy: PolicyCounts {
                name: "web".to_owned(),
                startup: Some("onramp".to_owned()),
                avoidance: "cubic".to_owned(),
                congestion_control: None,
                state: State::Canary { percent },
                with_startup: GroupCounts::default(),
                control: GroupCounts::default(),
                comparison: None,
            },
        }
    }

    pub fn policy(&self) -> &PolicyCounts {
        &self.policy
    }

    pub fn set_percent(&mut self, percent: f64) {
        self.policy.state = State::Canary { percent };
    }

    /// Further connections of both groups.
    pub fn live(&mut self, connections: u64, startup: &Path, control: &Path) {
        let share = self.policy.state.share();
        for _ in 0..connections {
            match self.random.random_bool(share) {
                true => startup.connect(&mut self.random, &mut self.policy.with_startup),
                false => control.connect(&mut self.random, &mut self.policy.control),
            }
        }
    }
}
