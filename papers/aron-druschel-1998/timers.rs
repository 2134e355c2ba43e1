//! Figures 7 and 8: what a timeout costs when another sender starts.

use super::Timing;
use crate::statistics::mean;
use crate::{Bench, Error, Measured, Run, Watch};

/// For so long after the last sender's start the figures measure.
const WINDOW_S: f64 = 5.0;

struct Answer {
    /// Bytes of IP packets over the bottleneck.
    carried: f64,
    /// Share of what it can carry.
    throughput: f64,
    /// Of all timeouts.
    delays_s: Vec<f64>,
    /// Senders of those that were there before that timed out.
    timed_out: usize,
}

fn answers(bench: &Bench<'_>, scenario: &str) -> Result<[Vec<Answer>; 3], Error> {
    let mut all = Timing::ALL.map(|_| Vec::new());
    for (answers, timing) in all.iter_mut().zip(Timing::ALL) {
        *answers = bench.run(scenario, &timing.settings(), &Watch::default(), |run| answer(&run))?;
    }
    Ok(all)
}

fn answer(run: &Run<'_>) -> Answer {
    let from_s = run.watch.flows.iter().map(|flow| flow.started_s).fold(0.0, f64::max);
    let until_s = from_s + WINDOW_S;
    let carried = (run.watch.carried_by(until_s) - run.watch.carried_by(from_s)) as f64;
    let within = |at_s: f64| (from_s..=until_s).contains(&at_s);
    let timeouts = run.watch.flows.iter().flat_map(|flow| &flow.timeouts).filter(|timeout| within(timeout.at_s));
    let earlier = run.watch.flows.iter().filter(|flow| flow.started_s < from_s);
    let rate = run.case.network.links[0].forward.rate_bits_per_s as f64 / 8.0;
    Answer {
        carried,
        throughput: carried / rate / WINDOW_S,
        delays_s: timeouts.map(|timeout| timeout.delay_s).collect(),
        timed_out: earlier.filter(|flow| flow.timeouts.iter().any(|timeout| within(timeout.at_s))).count(),
    }
}

fn delays(answers: &[Answer]) -> Vec<f64> {
    answers.iter().map(|answer| mean(&answer.delays_s)).filter(|delay_s| delay_s.is_finite()).collect()
}

fn longest(answers: &[Answer]) -> f64 {
    answers.iter().flat_map(|answer| &answer.delays_s).copied().fold(0.0, f64::max)
}

pub fn measure_t1(bench: &Bench<'_>) -> Result<Measured, Error> {
    let all = answers(bench, include_str!("t1.toml"))?;
    let [original, brakmo, proposed] = &all;
    let mut measured = Measured::default();
    for (name, answers) in ["original", "brakmo", "proposed"].into_iter().zip(&all) {
        measured.numbers(format!("A.fig7.{name}"), answers.iter().map(|answer| 100.0 * answer.throughput));
    }
    measured.numbers("A.fig7.delay.original", delays(original));
    measured.numbers("A.fig7.delay.brakmo", delays(brakmo));
    measured.numbers("A.fig7.delay.proposed", [longest(proposed)]);
    let gain = |(proposed, original): (&Answer, &Answer)| (proposed.carried - original.carried) / 1024.0;
    measured.numbers("A.fig7.gain", proposed.iter().zip(original).map(gain));
    Ok(measured)
}

pub fn measure_wan(bench: &Bench<'_>) -> Result<Measured, Error> {
    let all = answers(bench, include_str!("wan-late.toml"))?;
    let [original, brakmo, proposed] = &all;
    let mut measured = Measured::default();
    measured.numbers("A.fig8.timeouts", original.iter().map(|answer| answer.timed_out as f64));
    measured.numbers("A.fig8.total", original.iter().map(|answer| answer.carried / (1 << 20) as f64));
    let gain = |(proposed, original): (&Answer, &Answer)| (proposed.carried - original.carried) / (1 << 20) as f64;
    measured.numbers("A.fig8.gain", proposed.iter().zip(original).map(gain));
    measured.numbers("A.fig8.delay.original", delays(original));
    measured.numbers("A.fig8.delay.brakmo", delays(brakmo));
    measured.numbers("A.fig8.delay.proposed", delays(proposed));
    measured.numbers("A.fig8.delay.longest", [longest(proposed)]);
    Ok(measured)
}
