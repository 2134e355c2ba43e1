//! Figures 9 and 10: ssthresh estimation and pacing.

use super::{host, WAN};
use crate::{Bench, Error, Measured, Run, Settings, Watch};

/// Times at which curves are compared.
const STEP_S: f64 = 0.1;

/// A curve of the figures: throughput, as a share of what the bottleneck can carry, cut at each step.
type Curve = Vec<f64>;

fn original() -> Settings {
    Settings::of([
        ("transfer.initial_window", "paper"),
        ("transfer.recovery", "reno"),
        ("transfer.connect", "receiver"),
    ])
}

/// With ssthresh estimation, pacing and the timer framework on a host with this tick.
fn proposed(tick: &'static str) -> Settings {
    let proposals = Settings::of([("transfer.startup", "paced"), ("transfer.timers", "decoupled")]);
    original().and(&proposals).and(&host(tick))
}

fn curves(bench: &Bench<'_>, scenario: &str, settings: &Settings) -> Result<Vec<Curve>, Error> {
    bench.run(scenario, settings, &Watch::default(), |run| curve(&run))
}

fn curve(run: &Run<'_>) -> Curve {
    let end_s = run.case.duration_ns.expect("the scenario has an end") as f64 / 1e9;
    let most_bytes_per_s = super::payload_rate(run.case, 0);
    let steps = (end_s / STEP_S).round() as usize;
    (1..=steps)
        .map(|step| step as f64 * STEP_S)
        .map(|at_s| run.watch.delivered_by(at_s) as f64 / (most_bytes_per_s * at_s))
        .collect()
}

fn at(curve: &Curve, at_s: f64) -> f64 {
    curve[(at_s / STEP_S).round() as usize - 1]
}

/// The mean ratio of two curves over a span of time.
fn ratio(one: &Curve, other: &Curve, from_s: f64, until_s: f64) -> f64 {
    let steps = (from_s / STEP_S).round() as usize..=(until_s / STEP_S).round() as usize;
    let ratios: Vec<f64> = steps.map(|step| step as f64 * STEP_S).map(|at_s| at(one, at_s) / at(other, at_s)).collect();
    crate::statistics::mean(&ratios)
}

pub fn measure_satellite(bench: &Bench<'_>) -> Result<Measured, Error> {
    let scenario = include_str!("satellite.toml");
    let original = curves(bench, scenario, &original())?;
    let coarse = curves(bench, scenario, &proposed("500 ms"))?;
    let fine = curves(bench, scenario, &proposed("10 ms"))?;
    let mut measured = Measured::default();
    measured.numbers("A.fig9.peak", original.iter().map(|curve| 100.0 * curve.iter().copied().fold(0.0, f64::max)));
    measured
        .numbers("A.fig9.estimation", coarse.iter().zip(&original).map(|(one, other)| ratio(one, other, 20.0, 30.0)));
    measured.numbers("A.fig9.pacing", fine.iter().zip(&coarse).map(|(one, other)| ratio(one, other, 1.0, 5.0)));
    for (name, curves) in [("orig", &original), ("500", &coarse), ("10", &fine)] {
        eprintln!(
            "sat {name} {:?}",
            [1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 10.0, 15.0, 20.0, 25.0, 30.0]
                .map(|t| (at(&curves[0], t) * 1000.0).round() / 10.0)
        );
    }
    Ok(measured)
}

pub fn measure_wan(bench: &Bench<'_>) -> Result<Measured, Error> {
    let span = Settings::of([("run.duration", "5 s")]);
    let run = |settings: Settings| curves(bench, WAN, &settings.and(&span));
    let original = run(original())?;
    let coarse = run(proposed("500 ms"))?;
    let ten = run(proposed("10 ms"))?;
    let two = run(proposed("2 ms"))?;
    let mut measured = Measured::default();
    measured
        .numbers("A.fig10.estimation", coarse.iter().zip(&original).map(|(one, other)| ratio(one, other, 1.0, 5.0)));
    measured.numbers("A.fig10.pacing-10ms", ten.iter().zip(&coarse).map(|(one, other)| ratio(one, other, 0.4, 0.7)));
    measured.numbers("A.fig10.pacing-2ms", two.iter().zip(&coarse).map(|(one, other)| ratio(one, other, 0.4, 0.7)));
    for (name, curves) in [("orig", &original), ("500", &coarse), ("10", &ten), ("2", &two)] {
        eprintln!(
            "wan {name} {:?}",
            [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0]
                .map(|t| (at(&curves[0], t) * 1000.0).round() / 10.0)
        );
    }
    Ok(measured)
}
