//! Figures 6 to 10: the window over time (section 5).

use super::cycles::{cycles, slow_starts, Cycle};
use super::{duration_s, gamma, model, spacing, throughput, throughputs, transfer, SATELLITE, SEGMENT_BYTES};
use crate::reproduce::Figure;
use crate::statistics::median;
use crate::{Bench, Error, Measured, Run, Settings, Value, Watch};
use onramp_model::double_slow_start::Source;
use onramp_report::plot::{draw_plot, Annotation, Axis, Plot, PlotSeries, PlotStyle};

/// Figure 7: between a quarter and gamma_max.
const GAMMA_FIGURE_7: f64 = 0.34;
/// Figure 8: "we reduce W_max by more than four times"; see the ledger's question.
const GAMMA_FIGURE_8: f64 = 0.2;
/// The paper does not say which.
const OTHER_GAMMAS_FIGURE_8: [f64; 3] = [0.24, 0.15, 0.1];
/// Figures 9 and 10.
const RATE_FIGURE_9: f64 = 440.0;
const RATE_FIGURE_10: f64 = 300.0;

/// What a run says.
struct Answer {
    throughput: f64,
    /// Slow starts of each cycle.
    slow_starts: Vec<u32>,
    /// Where congestion avoidance began after a loss at W_max, as shares of that window.
    begins: Vec<f64>,
    /// The window, now and then.
    curve: Vec<(f64, f64)>,
}

fn answer(run: &Run<'_>) -> Answer {
    let flow = transfer(run);
    let round_trip_s = longest_round_trip_s(run);
    let cycles = cycles(flow, SEGMENT_BYTES);
    Answer {
        throughput: throughput(run),
        slow_starts: slow_starts(&cycles, round_trip_s, duration_s(run.case)),
        begins: begins(&cycles, round_trip_s),
        curve: flow.windows.iter().map(|at| (at.at_s, at.cwnd_bytes as f64 / SEGMENT_BYTES)).collect(),
    }
}

/// With the queue full.
pub(super) fn longest_round_trip_s(run: &Run<'_>) -> f64 {
    let model = model(run.case);
    model.max_window() / model.available()
}

fn begins(cycles: &[Cycle], round_trip_s: f64) -> Vec<f64> {
    let pairs = cycles.windows(2).filter(|pair| !pair[0].is_of_slow_start(round_trip_s));
    pairs.filter_map(|pair| Some(pair[1].avoidance?.1 / pair[0].end?.window)).collect()
}

/// A figure of the paper: how it is set, and what the seeds gave.
struct Line {
    number: u32,
    label: String,
    source: Source,
    answers: Vec<Answer>,
}

impl Line {
    fn throughputs(&self) -> impl Iterator<Item = f64> + '_ {
        self.answers.iter().map(|answer| answer.throughput)
    }

    fn median(&self) -> f64 {
        median(&self.throughputs().collect::<Vec<f64>>())
    }

    fn cycles(&self) -> impl Iterator<Item = u32> + '_ {
        self.answers.iter().flat_map(|answer| &answer.slow_starts).copied()
    }

    /// Of the cycles, those that took so many slow starts, in percent.
    fn share_of(&self, is: impl Fn(u32) -> bool) -> f64 {
        100.0 * self.cycles().filter(|count| is(*count)).count() as f64 / self.cycles().count() as f64
    }

    /// The seed whose throughput is in the middle.
    fn typical(&self) -> &Answer {
        let middle = self.median();
        let distance = |answer: &&Answer| (answer.throughput - middle).abs();
        self.answers.iter().min_by(|one, other| distance(one).total_cmp(&distance(other))).expect("there are seeds")
    }
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let line = |number, label: &str, settings: Settings, source| {
        let answers = bench.run(SATELLITE, &settings, &Watch::with_windows(), |run| answer(&run))?;
        Ok(Line { number, label: label.to_owned(), source, answers })
    };
    let with_gamma = |gamma| Source { gamma, ..Source::TAHOE };
    let with_rate = |rate| Source { spaced_rate: Some(rate), ..Source::TAHOE };
    let tahoe = line(6, "Tahoe", Settings::default(), Source::TAHOE)?;
    let good = line(7, "gamma = 0.34", gamma(GAMMA_FIGURE_7), with_gamma(GAMMA_FIGURE_7))?;
    let small = line(8, "gamma = 0.2", gamma(GAMMA_FIGURE_8), with_gamma(GAMMA_FIGURE_8))?;
    let fast = line(9, "spacing, R = 440", spacing(RATE_FIGURE_9), with_rate(RATE_FIGURE_9))?;
    let slow = line(10, "spacing, R = 300", spacing(RATE_FIGURE_10), with_rate(RATE_FIGURE_10))?;
    let measuring = throughputs(bench, &Settings::of([("transfer.startup", "spaced")]))?;
    let lines = [&tahoe, &good, &small, &fast, &slow];

    let mut measured = Measured::default();
    let available = bench.run_seed(SATELLITE, &Settings::default(), 0, &Watch::default(), |run| model(run.case))?;
    measured.numbers("C.fig6.throughput", tahoe.throughputs());
    measured.numbers("C.fig6.share", tahoe.throughputs().map(|rate| 100.0 * rate / available.available()));
    measured.exactly("C.fig6.double", Value::Number(tahoe.share_of(|count| count > 1)));
    measured.numbers("C.fig7.throughput", good.throughputs());
    measured.exactly("C.fig7.single", Value::Number(good.share_of(|count| count > 1)));
    measured.numbers("C.fig8.throughput", small.throughputs());
    measured.exactly("C.fig8.single", Value::Number(small.share_of(|count| count > 1)));
    measured.numbers("C.fig9.throughput", fast.throughputs());
    measured.numbers("C.fig9.begin", fast.answers.iter().map(|answer| median(&answer.begins)));
    measured.exactly("C.fig9.single", Value::Number(fast.share_of(|count| count > 1)));
    measured.numbers("C.fig10.throughput", slow.throughputs());
    measured.exactly("C.fig10.single", Value::Number(slow.share_of(|count| count > 1)));
    measured.numbers("C.spacing", measuring);
    let rising = [small.median(), tahoe.median(), good.median(), fast.median().min(slow.median())];
    measured.exactly("C.order", Value::yes_no(rising.windows(2).all(|pair| pair[0] < pair[1])));
    let counts =
        lines.map(|line| format!("{} of {}", line.cycles().filter(|count| *count > 1).count(), line.cycles().count()));
    measured.remarks.push(format!(
        "Cycles with more than one slow start, of all that the seeds' runs complete: {} with Tahoe, {} with gamma 0.34, {} with 0.2, \
         {} with R = 440, {} with R = 300.",
        counts[0], counts[1], counts[2], counts[3], counts[4],
    ));
    let modelled: Vec<String> = lines
        .iter()
        .map(|line| {
            let cycle = available.cycle(&line.source).expect("the paper's settings are within the model");
            format!("{:.0}", cycle.packets_per_s())
        })
        .collect();
    measured
        .remarks
        .push(format!("The fluid model's cycles have {} packets/s (figures 6 to 10).", modelled.join(", ")));
    let mut medians = Vec::new();
    for share in OTHER_GAMMAS_FIGURE_8 {
        medians.push(format!("{:.0} with {share}", median(&throughputs(bench, &gamma(share))?)));
    }
    measured.remarks.push(format!("Figure 8 with another gamma has {} packets/s (medians).", medians.join(", ")));
    if bench.draws() {
        measured.figures = lines.map(|line| figure(line, available.max_window(), available.overflow_window())).into();
    }
    Ok(measured)
}

fn figure(line: &Line, most: f64, overflow: f64) -> Figure {
    let answer = line.typical();
    let at = |y: f64, text: String| Annotation::Horizontal { y, text };
    let plot = Plot {
        title: format!("Figure {}: {}", line.number, line.label),
        x: Axis::new("time (s)"),
        y: Axis::new("congestion window (packets)"),
        series: vec![PlotSeries::new(line.label.clone(), PlotStyle::Steps, answer.curve.clone())],
        annotations: vec![
            at(most, format!("model: W_max = {most:.0}")),
            at(overflow, format!("model: W_B = {overflow:.0}")),
        ],
        height: Some(220.0),
        ..Plot::default()
    };
    let caption =
        format!("Figure {}: {}, the seed in the middle: {:.0} packets/s.", line.number, line.label, answer.throughput);
    Figure { svg: draw_plot(&plot), caption }
}
