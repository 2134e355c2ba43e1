//! Eq. (8): a gamma derived from losses (section 3), and pacing at a measured rate (section 4).

use super::cycles::{cycles, Cycle};
use super::setup::{
    duration_s, ledger, long, model, throughput, throughputs, transfer, LONG, SATELLITE,
    SEGMENT_BYTES,
};
use crate::{Bench, Error, Figure, Measured, Run, Settings, Watch};
use onramp_plot::plot::{Annotation, Plot, PlotSeries, PlotStyle};
use onramp_report::statistics::median;

/// core/algorithms/gamma.h uses this share of Eq. (8)'s result, because Eq. (7) needs a gamma below
/// gamma_max.
pub const BELOW_EQUATION: f64 = 15.0 / 16.0;

/// The measurements of one run of adaptive gamma.
#[derive(Clone)]
struct Answer {
    throughput: f64,
    /// For each loss at W_max: the time, and ssthresh as a share of the window.
    shares: Vec<(f64, f64)>,
    /// Number of losses in slow start, in the first and the second half of the run.
    overflows: [usize; 2],
}

fn answer(run: &Run<'_>) -> Answer {
    let middle_s = duration_s(run.case) / 2.0;
    let cycles = cycles(transfer(run), SEGMENT_BYTES);
    let share = |cycle: &Cycle| {
        cycle
            .end
            .map(|(at_s, threshold)| (at_s, threshold / cycle.window))
    };
    // The first slow start has no ssthresh.
    let later = || {
        cycles
            .iter()
            .filter(|cycle| cycle.threshold.is_finite() && cycle.end.is_some())
    };
    let overflows = later().filter(|cycle| cycle.is_of_slow_start());
    let early = overflows
        .clone()
        .filter(|cycle| cycle.begin_s < middle_s)
        .count();
    Answer {
        throughput: throughput(run),
        shares: later()
            .filter(|cycle| !cycle.is_of_slow_start())
            .filter_map(share)
            .collect(),
        overflows: [early, overflows.count() - early],
    }
}

fn startup(name: &'static str) -> Settings {
    Settings::of([("transfer.startup", name)]).and(&long())
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let (cell, watch) = ([startup("gamma")], Watch::with_windows());
    let all = bench.run_cells_once(SATELLITE, &cell, bench.seeds(), &watch, answer)?;
    let answers = all.concat();
    let model = bench.run_seed(SATELLITE, &long(), 0, &Watch::default(), |run| {
        model(run.case)
    })?;
    let mut measured = Measured::default();
    let last = |answer: &Answer| {
        answer
            .shares
            .last()
            .map_or(f64::NAN, |(_, share)| share / BELOW_EQUATION)
    };
    measured.numbers("C.eq8.gamma", answers.iter().map(last));
    measured.numbers(
        "C.eq8.settles",
        answers.iter().map(|answer| answer.overflows[1] as f64),
    );
    if bench.draws() {
        measured.remarks.push(remark(bench, &answers)?);
        measured.figures.push(figure(&answers, model.gamma_max()));
    }
    Ok(measured)
}

/// The throughput of the three senders that are told nothing, and the losses of slow start.
fn remark(bench: &Bench<'_>, answers: &[Answer]) -> Result<String, Error> {
    let tahoe = throughputs(bench, &startup("none"))?;
    let spaced = throughputs(bench, &startup("spaced"))?;
    let rates = answers.iter().map(|answer| answer.throughput);
    let overflows = |half: usize| {
        let counts = answers.iter().map(|answer| answer.overflows[half]);
        counts.sum::<usize>()
    };
    Ok(format!(
        "Told nothing of the path, in runs of {LONG}: Tahoe {:.0} packets/s, adaptive gamma {:.0}, \
         spacing at the rate of the acknowledgements {:.0} (medians). Slow start overflowed the \
         buffer {} times in the first halves of all runs with adaptive gamma and {} times in the \
         second halves.",
        median(&tahoe),
        median(rates),
        median(&spaced),
        overflows(0),
        overflows(1),
    ))
}

fn figure(answers: &[Answer], gamma_max: f64) -> Figure {
    let series = |(number, answer): (usize, &Answer)| {
        PlotSeries::new(
            format!("seed {}", number + 1),
            PlotStyle::Steps,
            answer.shares.clone(),
        )
    };
    let line = |y: f64, text: String| Annotation::Horizontal { y, text };
    ledger().plot("equation-8", |plot| Plot {
        series: answers.iter().enumerate().take(5).map(series).collect(),
        annotations: vec![
            line(gamma_max, format!("model: gamma_max = {gamma_max:.3}")),
            line(0.25, "no gain below".to_owned()),
        ],
        ..plot
    })
}
