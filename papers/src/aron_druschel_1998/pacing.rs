//! Figures 9 and 10: ssthresh estimation and pacing (section 5.2).

use super::setup::{decoupled, ledger, lite, payload_rate, SATELLITE, WAN};
use crate::{Bench, Error, Figure, Flow, Measured, Run, Settings, Watch, Windows};
use onramp_core::PHASE_PACING;
use onramp_plot::plot::{draw_plot, Annotation, Plot, PlotMarks, PlotSeries, PlotStyle};
use onramp_report::statistics::{mean, median};

/// Interval of the times at which curves are compared.
const STEP_S: f64 = 0.1;

/// The points of one run in the figures.
struct Curve {
    /// Throughput of a run that is cut at each step, as a share of the bottleneck's payload rate:
    /// what its senders know to have arrived, as in figure 3.
    throughput: Vec<f64>,
    /// When each sender's slow start ended, since the first sender's start.
    slow_start_ends_s: Vec<f64>,
    /// How many of these a loss ended.
    ended_by_loss: usize,
    /// How long each sender that paced was in this phase.
    pacing_s: Vec<f64>,
}

/// How long a sender paced half of its estimate; `None` if it did not.
fn pacing_s(flow: &Flow) -> Option<f64> {
    let paces = |windows: &Windows| {
        let phase = windows.startup.map(|(phase, _)| phase);
        phase == Some(PHASE_PACING)
    };
    let begin = flow.windows.iter().position(paces)?;
    let phase = &flow.windows[begin..];
    let end = phase.iter().find(|at| !paces(at))?;
    Some(end.at_s - phase[0].at_s)
}

/// When a sender's slow start ended, and whether a loss ended it.
fn slow_start_end(flow: &Flow) -> Option<(f64, bool)> {
    let end = flow.windows.iter().find(|windows| !windows.slow_start)?;
    let timeouts = flow.timeouts.iter().map(|timeout| timeout.at_s);
    let mut repairs = flow.recoveries_s.iter().copied().chain(timeouts);
    Some((end.at_s, repairs.any(|at_s| at_s <= end.at_s)))
}

/// A line of the figures.
pub(super) struct Line {
    /// Its name in the figures.
    label: &'static str,
    /// One curve for each seed.
    curves: Vec<Curve>,
}

/// TCP Lite. All lines of the figures have this initial window.
pub(super) fn original() -> Settings {
    lite().and(&Settings::of([("transfer.initial_window", "paper")]))
}

/// TCP Lite with ssthresh estimation, pacing and the timer framework, on a host with this tick.
pub(super) fn proposed(tick: &'static str) -> Settings {
    let startup = [("transfer.startup", "paced"), ("transfer.train", "closest")];
    original().and(&Settings::of(startup)).and(&decoupled(tick))
}

impl Line {
    pub(super) fn run(
        bench: &Bench<'_>,
        scenario: &str,
        label: &'static str,
        settings: &Settings,
        watch: &Watch,
    ) -> Result<Line, Error> {
        Ok(Line {
            label,
            curves: bench.run(scenario, settings, watch, |run| Curve::of(&run))?,
        })
    }

    /// The median throughput of runs of this length, in percent.
    fn percent(&self, at_s: f64) -> f64 {
        100.0 * median(self.curves.iter().map(|curve| curve.at(at_s)))
    }

    /// The median curve.
    fn series(&self, until_s: f64) -> PlotSeries {
        let points = steps(STEP_S, until_s).map(|at_s| (at_s, self.percent(at_s)));
        PlotSeries::new(self.label, PlotStyle::Line, points.collect())
    }
}

impl Curve {
    fn of(run: &Run<'_>) -> Curve {
        let end_s = run.case.duration_ns.expect("the scenario has an end") as f64 / 1e9;
        let max_rate = payload_rate(run.case);
        let origin_s = run.watch.origin_s();
        let throughput = steps(STEP_S, end_s)
            .map(|at_s| run.watch.acknowledged_by(origin_s + at_s) as f64 / (max_rate * at_s));
        let ends = run.watch.flows.iter().filter_map(slow_start_end);
        let ends: Vec<(f64, bool)> = ends.collect();
        Curve {
            throughput: throughput.collect(),
            slow_start_ends_s: ends.iter().map(|(at_s, _)| at_s - origin_s).collect(),
            ended_by_loss: ends.iter().filter(|(_, by_loss)| *by_loss).count(),
            pacing_s: run.watch.flows.iter().filter_map(pacing_s).collect(),
        }
    }

    fn at(&self, at_s: f64) -> f64 {
        self.throughput[(at_s / STEP_S).round() as usize - 1]
    }
}

fn steps(from_s: f64, until_s: f64) -> impl Iterator<Item = f64> {
    let step = |time_s: f64| (time_s / STEP_S).round() as u32;
    (step(from_s)..=step(until_s)).map(|step| f64::from(step) * STEP_S)
}

/// For each seed, the ratio of two lines' mean throughputs over a span of time.
fn ratios(one: &Line, other: &Line, from_s: f64, until_s: f64) -> Vec<f64> {
    let mean_of = |curve: &Curve| {
        let shares: Vec<f64> = steps(from_s, until_s).map(|at_s| curve.at(at_s)).collect();
        mean(&shares).unwrap_or(f64::NAN)
    };
    one.curves
        .iter()
        .zip(&other.curves)
        .map(|(one, other)| mean_of(one) / mean_of(other))
        .collect()
}

fn figure(
    name: &str,
    lines: &[&Line],
    until_s: f64,
    marks: Vec<PlotMarks>,
    annotation: Annotation,
) -> Figure {
    ledger().figure(name, |plot| {
        draw_plot(&Plot {
            series: lines.iter().map(|line| line.series(until_s)).collect(),
            marks,
            annotations: vec![annotation],
            ..plot
        })
    })
}

pub fn measure_satellite(bench: &Bench<'_>) -> Result<Measured, Error> {
    let line = |label, settings: &Settings| {
        Line::run(bench, SATELLITE, label, settings, &Watch::default())
    };
    let lite = line("orig-Lite-500ms", &original())?;
    let coarse = line("prop-Lite-500ms", &proposed("500 ms"))?;
    let fine = line("prop-Lite-10ms", &proposed("10 ms"))?;
    let mut measured = Measured::default();
    let peak = |curve: &Curve| 100.0 * curve.throughput.iter().copied().fold(0.0, f64::max);
    measured.numbers("A.fig9.peak", lite.curves.iter().map(peak));
    measured.numbers("A.fig9.estimation", ratios(&coarse, &lite, 20.0, 30.0));
    measured.numbers("A.fig9.pacing", ratios(&fine, &coarse, STEP_S, 5.0));
    measured.remarks.push(at_lengths(
        &[&lite, &coarse, &fine],
        &[1.0, 5.0, 10.0, 20.0, 30.0],
    ));
    if bench.draws() {
        measured.figures.push(figure_9([&lite, &coarse, &fine]));
    }
    Ok(measured)
}

/// The lines' throughput in runs of these lengths.
pub(super) fn at_lengths(lines: &[&Line], lengths_s: &[f64]) -> String {
    let of_line = |line: &&Line| {
        let shares = lengths_s
            .iter()
            .map(|at_s| format!("{:.1}", line.percent(*at_s)));
        format!("{} {} %", line.label, shares.collect::<Vec<_>>().join(", "))
    };
    let lengths: Vec<String> = lengths_s.iter().map(f64::to_string).collect();
    let lines: Vec<String> = lines.iter().map(of_line).collect();
    format!(
        "Runs of {} s have (medians): {}.",
        lengths.join(", "),
        lines.join("; ")
    )
}

/// Times a line's throughput, at these times: what the paper says of another line.
fn times(of: &Line, factor: f64, at_s: &[f64]) -> Vec<(f64, f64)> {
    let points = at_s.iter().map(|at_s| (*at_s, factor * of.percent(*at_s)));
    points.collect()
}

fn figure_9(lines: [&Line; 3]) -> Figure {
    let number = |row: &str| ledger().number(row);
    let most = Annotation::Horizontal {
        y: number("A.fig9.peak"),
        text: "paper: most of orig-Lite-500ms".to_owned(),
    };
    let estimation = times(lines[0], number("A.fig9.estimation"), &[20.0, 25.0, 30.0]);
    let pacing = times(lines[1], number("A.fig9.pacing"), &[2.0, 3.0, 4.0, 5.0]);
    let marks = vec![
        PlotMarks::new("paper, prop-Lite-500ms", estimation)
            .look(1)
            .texts(["5 x orig"]),
        PlotMarks::new("paper, prop-Lite-10ms", pacing)
            .look(2)
            .texts(["5 x prop-500ms"]),
    ];
    figure("figure-9", &lines, 30.0, marks, most)
}

pub fn measure_wan(bench: &Bench<'_>) -> Result<Measured, Error> {
    let until_s = 5.0;
    let span = Settings::of([("run.duration", "6 s")]);
    let watch = Watch::with_windows();
    let line =
        |label, settings: Settings| Line::run(bench, WAN, label, &settings.and(&span), &watch);
    let lite = line("orig-Lite-500ms", original())?;
    let coarse = line("prop-Lite-500ms", proposed("500 ms"))?;
    let ten = line("prop-Lite-10ms", proposed("10 ms"))?;
    let two = line("prop-Lite-2ms", proposed("2 ms"))?;
    let mut measured = Measured::default();
    let ends = |curve: &Curve| median(&curve.slow_start_ends_s);
    measured.numbers("A.fig10.slow-start", coarse.curves.iter().map(ends));
    measured.numbers(
        "A.fig10.estimation",
        ratios(&coarse, &lite, STEP_S, until_s),
    );
    // The end of the start-up in the paper.
    let during = 0.7;
    let gain = |line: &Line| -> Vec<f64> {
        ratios(line, &coarse, during, during)
            .into_iter()
            .map(|ratio| 100.0 * (ratio - 1.0))
            .collect()
    };
    let (gain_ten, gain_two) = (gain(&ten), gain(&two));
    let in_order = |(ten, two): (&f64, &f64)| *ten > 0.0 && two > ten;
    let in_order: Vec<bool> = gain_ten.iter().zip(&gain_two).map(in_order).collect();
    measured.numbers("A.fig10.pacing-10ms", gain_ten);
    measured.numbers("A.fig10.pacing-2ms", gain_two);
    measured.answers("A.fig10.order", in_order);
    measured.remarks.push(at_lengths(
        &[&lite, &coarse, &ten, &two],
        &[during, 1.0, 2.0, 5.0],
    ));
    measured.remarks.push(format!(
        "Of the {} senders of prop-Lite-500ms {} leave slow start by a loss, the others by the \
         estimate.",
        8 * coarse.curves.len(),
        coarse
            .curves
            .iter()
            .map(|curve| curve.ended_by_loss)
            .sum::<usize>(),
    ));
    let without = lite.curves.iter().map(ends);
    measured.remarks.push(format!(
        "Without an estimate slow start ends after {:.3} s, by the overflow of the queue (median).",
        median(without)
    ));
    measured.remarks.extend([&ten, &two].map(pacing_times));
    if bench.draws() {
        let lines = [&lite, &coarse, &ten, &two];
        measured.figures.push(figure_10(lines, during, until_s));
    }
    Ok(measured)
}

/// How many senders pace, and for how long.
fn pacing_times(line: &Line) -> String {
    let times = || line.curves.iter().flat_map(|curve| &curve.pacing_s);
    format!(
        "{}: {} of {} senders pace, for {:.2} ms (median) and {:.2} ms at most.",
        line.label,
        times().count(),
        8 * line.curves.len(),
        1e3 * median(times()),
        1e3 * times().copied().fold(0.0, f64::max),
    )
}

/// `during` is the paper's end of the start-up.
fn figure_10(lines: [&Line; 4], during: f64, until_s: f64) -> Figure {
    let number = |row: &str| ledger().number(row);
    let coarse = lines[1];
    let more = |row: &str| times(coarse, 1.0 + number(row) / 100.0, &[during]);
    let of_figure_3 = [1.0, 5.0].map(|at_s| (at_s, number(&format!("A.fig3.{at_s}s"))));
    let marks = vec![
        PlotMarks::new("paper, orig-Lite of figure 3", of_figure_3.to_vec())
            .look(0)
            .texts(of_figure_3.map(|(_, share)| format!("{share} %"))),
        PlotMarks::new("paper, prop-Lite-10ms", more("A.fig10.pacing-10ms"))
            .look(2)
            .texts(["+20 %"]),
        PlotMarks::new("paper, prop-Lite-2ms", more("A.fig10.pacing-2ms"))
            .look(3)
            .texts(["+85 %"]),
    ];
    let ends = Annotation::Vertical {
        x: number("A.fig10.slow-start"),
        text: "paper: slow start ends".to_owned(),
    };
    figure("figure-10", &lines, until_s, marks, ends)
}
