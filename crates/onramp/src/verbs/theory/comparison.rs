//! One row: a scenario, what is measured in it, and what a formula says of that.

use super::meter::{Meter, STRETCHES};
use onramp_model::rtt_bias;
use onramp_sim::{run_observed, Error, Options};

/// Rows of one formula; a part of `docs/theory.md`.
#[derive(Debug)]
pub struct Section {
    /// What it is about.
    pub title: &'static str,
    /// The formula, with its source.
    pub formula: &'static str,
    /// Unit of measured values and predictions.
    pub unit: &'static str,
    /// Why a measurement may be as far off as it may.
    pub reason: &'static str,
}

/// What to hold against what.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub section: &'static Section,
    /// What is special of this row.
    pub what: String,
    /// The text of a scenario file; all its cases are runs of this row.
    pub scenario: String,
    /// Share of the run after which it counts as steady.
    pub warm_up: f64,
    pub quantity: Quantity,
    /// What the formula says.
    pub predicted: f64,
    pub allowed: Allowed,
    /// It is among those that take seconds.
    pub quick: bool,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// Segments that are sent in a round trip of so many seconds.
    PacketsPerRtt(f64),
    /// The exponent of two flows' round trips, queueing included, in their rates.
    RttExponent,
    /// The first of two flows' share of what both deliver.
    FirstShare,
    /// Share of the first link's rate, in bytes a second.
    Utilisation(f64),
    /// From the first retransmission of one recovery to that of the next, in round trips of so many
    /// seconds.
    PeriodRtts(f64),
}

/// How far off a measurement may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowed {
    /// From the first to the second share of the prediction.
    Shares(f64, f64),
    /// Between these values.
    Values(f64, f64),
    /// It is shown beside others, and is not judged.
    Anything,
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    pub value: f64,
    /// Standard error of the value.
    pub error: f64,
}

impl Comparison {
    /// Runs the scenario.
    ///
    /// # Panics
    /// Where the scenario is wrong: all of them are ours, and a test reads them.
    pub fn measure(&self, options: &Options) -> Result<Measured, Error> {
        let scenario = onramp_scenario::parse("theory.toml", &self.scenario)
            .unwrap_or_else(|error| panic!("{error}\n{}", self.scenario));
        let mut runs = Vec::new();
        for case in &scenario.cases {
            let until_ns = case
                .duration_ns
                .expect("a scenario of theory has a duration");
            let from_ns = (until_ns as f64 * self.warm_up) as u64;
            runs.push(run_observed(case, options, Meter::new(from_ns, until_ns))?.1);
        }
        Ok(self.quantity.of(&runs))
    }

    /// Whether what was measured is allowed; `None` where nothing is judged.
    pub fn judge(&self, measured: f64) -> Option<bool> {
        match self.allowed {
            Allowed::Shares(least, most) => {
                Some((least..=most).contains(&(measured / self.predicted)))
            }
            Allowed::Values(least, most) => Some((least..=most).contains(&measured)),
            Allowed::Anything => None,
        }
    }
}

impl Quantity {
    fn of(self, runs: &[Meter]) -> Measured {
        let samples: Vec<f64> = match self {
            Quantity::PacketsPerRtt(rtt_s) => stretches(runs, |meter, stretch| {
                meter.flows[0].sent[stretch] as f64 * rtt_s / meter.stretch_s()
            }),
            Quantity::Utilisation(bytes_per_s) => stretches(runs, |meter, stretch| {
                meter.carried[stretch] as f64 / meter.stretch_s() / bytes_per_s
            }),
            Quantity::FirstShare => runs.iter().map(first_share).collect(),
            Quantity::RttExponent => runs.iter().map(exponent).collect(),
            Quantity::PeriodRtts(rtt_s) => {
                let periods = runs
                    .iter()
                    .flat_map(|meter| periods(&meter.flows[0].retransmissions_ns, rtt_s));
                periods.collect()
            }
        };
        mean(&samples)
    }
}

fn stretches(runs: &[Meter], value: impl Fn(&Meter, usize) -> f64) -> Vec<f64> {
    let all = runs
        .iter()
        .flat_map(|meter| (0..STRETCHES).map(move |stretch| (meter, stretch)));
    all.map(|(meter, stretch)| value(meter, stretch)).collect()
}

/// A recovery lasts round trips, a period of the formulas at least a hundred: what follows a
/// retransmission within ten is of the same recovery.
fn periods(retransmissions_ns: &[u64], rtt_s: f64) -> Vec<f64> {
    let rtts = |from_ns: u64, to_ns: u64| (to_ns - from_ns) as f64 / 1e9 / rtt_s;
    let mut firsts: Vec<u64> = Vec::new();
    for &time_ns in retransmissions_ns {
        if firsts
            .last()
            .is_none_or(|first_ns| rtts(*first_ns, time_ns) > 10.0)
        {
            firsts.push(time_ns);
        }
    }
    firsts
        .windows(2)
        .map(|pair| rtts(pair[0], pair[1]))
        .collect()
}

fn first_share(meter: &Meter) -> f64 {
    let [first, second] = [0, 1].map(|flow: usize| meter.flows[flow].delivered_bytes() as f64);
    first / (first + second)
}

fn exponent(meter: &Meter) -> f64 {
    let rates = [0, 1].map(|flow: usize| meter.flows[flow].delivered_bytes() as f64);
    rtt_bias::exponent(rates, [0, 1].map(|flow: usize| meter.flows[flow].rtt_s()))
}

/// Of independent samples, for the error.
fn mean(samples: &[f64]) -> Measured {
    let count = samples.len() as f64;
    let value = samples.iter().sum::<f64>() / count;
    let squares: f64 = samples.iter().map(|sample| (sample - value).powi(2)).sum();
    Measured {
        value,
        error: (squares / (count - 1.0).max(1.0) / count).sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_that_of_the_mean() {
        let Measured { value, error } = mean(&[1.0, 3.0, 1.0, 3.0]);
        assert_eq!((value, error), (2.0, (4.0f64 / 3.0 / 4.0).sqrt()));
    }

    #[test]
    fn two_segments_of_one_recovery_are_one_loss() {
        assert_eq!(
            periods(&[1, 3, 101, 102, 301].map(|rtts| rtts * 1_000_000_000), 1.0),
            [100.0, 200.0]
        );
    }

    #[test]
    fn one_sample_has_no_error_to_tell() {
        assert_eq!(
            mean(&[5.0]),
            Measured {
                value: 5.0,
                error: 0.0
            }
        );
    }
}
