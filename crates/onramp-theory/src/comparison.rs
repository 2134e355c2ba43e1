//! One comparison: a scenario, the quantity measured in it, and the value that a formula predicts.

use crate::formulas::rtt_bias;
use crate::meter::{Meter, INTERVALS};
use onramp_sim::{run_observed, Error, Options};

/// The comparisons with one formula: a section of `docs/theory.md`.
#[derive(Debug)]
pub struct Section {
    /// Title, with the number of the section.
    pub title: &'static str,
    /// The formula, with its source.
    pub formula: &'static str,
    /// Unit of measured values and predictions.
    pub unit: &'static str,
    /// Why a measurement may differ from the prediction by the allowed amount.
    pub reason: &'static str,
}

/// A scenario with the prediction for one quantity in it.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The section that it belongs to.
    pub section: &'static Section,
    /// What distinguishes it from the others of its section.
    pub what: String,
    /// The text of a scenario file. All its cases are runs of this comparison.
    pub scenario: String,
    /// Share of the run, 0 to 1, that is left out of the measurement until the flow is steady.
    pub warm_up: f64,
    /// What is measured.
    pub quantity: Quantity,
    /// The value of the formula.
    pub predicted: f64,
    /// How far the measurement may lie from the prediction.
    pub allowed: Allowed,
    /// It takes seconds, not minutes.
    pub is_quick: bool,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// Segments sent in one round trip. The value is the round-trip time in seconds.
    PacketsPerRtt(f64),
    /// The exponent k in `rate ~ (1 / RTT)^k` of two flows. The RTTs include queueing delay.
    RttExponent,
    /// The share of the first of two flows in the bytes that both deliver.
    FirstShare,
    /// The share of the first link's rate that is used. The value is that rate in bytes per second.
    Utilisation(f64),
    /// The time from the first retransmission of one recovery to that of the next, in round trips.
    /// The value is the round-trip time in seconds.
    PeriodRtts(f64),
}

/// How far a measurement may lie from its prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowed {
    /// Between these two multiples of the prediction.
    Shares(f64, f64),
    /// Between these two values.
    Values(f64, f64),
    /// Anything: the row is shown for comparison with others and is not judged.
    Anything,
}

/// A measured value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The mean of the samples, in the unit of the section.
    pub value: f64,
    /// Standard error of the mean; 0 if there is one sample.
    pub error: f64,
}

impl Comparison {
    /// Runs the scenario and measures the quantity.
    ///
    /// # Errors
    /// The simulator was stopped or cannot run the scenario.
    ///
    /// # Panics
    /// If the scenario is invalid. The scenarios of this crate are valid; a test reads them all.
    pub fn measure(&self, options: &Options) -> Result<Measured, Error> {
        let scenario = onramp_scenario::parse("theory.toml", &self.scenario)
            .unwrap_or_else(|error| panic!("{error}\n{}", self.scenario));
        let mut runs = Vec::new();
        for case in &scenario.cases {
            let until_ns = case
                .duration_ns
                .expect("every scenario of a comparison has a duration");
            let from_ns = (until_ns as f64 * self.warm_up) as u64;
            runs.push(run_observed(case, options, Meter::new(from_ns, until_ns))?.1);
        }
        Ok(self.quantity.of(&runs))
    }

    /// Whether a measured value is allowed; `None` if the row is not judged.
    pub fn judge(&self, measured: f64) -> Option<bool> {
        match self.allowed {
            Allowed::Shares(min, max) => Some((min..=max).contains(&(measured / self.predicted))),
            Allowed::Values(min, max) => Some((min..=max).contains(&measured)),
            Allowed::Anything => None,
        }
    }
}

impl Quantity {
    fn of(self, runs: &[Meter]) -> Measured {
        let samples: Vec<f64> = match self {
            Quantity::PacketsPerRtt(rtt_s) => samples_per_interval(runs, |meter, interval| {
                meter.flows[0].sent[interval] as f64 * rtt_s / meter.interval_s()
            }),
            Quantity::Utilisation(bytes_per_s) => samples_per_interval(runs, |meter, interval| {
                meter.carried_bytes[interval] as f64 / meter.interval_s() / bytes_per_s
            }),
            Quantity::FirstShare => runs.iter().map(first_share).collect(),
            Quantity::RttExponent => runs.iter().map(rtt_exponent).collect(),
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

/// One sample for each interval of each run.
fn samples_per_interval(runs: &[Meter], value: impl Fn(&Meter, usize) -> f64) -> Vec<f64> {
    let all = runs
        .iter()
        .flat_map(|meter| (0..INTERVALS).map(move |interval| (meter, interval)));
    all.map(|(meter, interval)| value(meter, interval))
        .collect()
}

/// Retransmissions within this many round trips of a recovery's first one belong to that recovery.
/// A recovery lasts a few round trips, a period of the formulas at least a hundred.
const MAX_RECOVERY_RTTS: f64 = 10.0;

/// The round trips between the first retransmissions of successive recoveries.
fn periods(retransmissions_ns: &[u64], rtt_s: f64) -> Vec<f64> {
    let rtts = |from_ns: u64, to_ns: u64| (to_ns - from_ns) as f64 / 1e9 / rtt_s;
    let mut firsts: Vec<u64> = Vec::new();
    for &time_ns in retransmissions_ns {
        if firsts
            .last()
            .is_none_or(|first_ns| rtts(*first_ns, time_ns) > MAX_RECOVERY_RTTS)
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

fn rtt_exponent(meter: &Meter) -> f64 {
    let rates = [0, 1].map(|flow: usize| meter.flows[flow].delivered_bytes() as f64);
    rtt_bias::exponent(rates, [0, 1].map(|flow: usize| meter.flows[flow].rtt_s()))
}

/// The mean of independent samples and its standard error.
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
    fn the_error_is_the_standard_error_of_the_mean() {
        let Measured { value, error } = mean(&[1.0, 3.0, 1.0, 3.0]);
        assert_eq!((value, error), (2.0, (4.0f64 / 3.0 / 4.0).sqrt()));
    }

    #[test]
    fn retransmissions_of_one_recovery_start_one_period() {
        assert_eq!(
            periods(&[1, 3, 101, 102, 301].map(|rtts| rtts * 1_000_000_000), 1.0),
            [100.0, 200.0]
        );
    }

    #[test]
    fn one_sample_has_error_zero() {
        assert_eq!(
            mean(&[5.0]),
            Measured {
                value: 5.0,
                error: 0.0
            }
        );
    }
}
