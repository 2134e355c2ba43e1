//! Figures 3, 4 and 5: throughput and the window at which congestion avoidance begins, over gamma
//! and over R, for three buffers (sections 3 and 4).

use super::cycles::cycles;
use super::setup::{
    buffer, gamma, ledger, model, spacing, sweep, throughput, throughputs, transfer, SATELLITE,
    SEGMENT_BYTES,
};
use crate::{Bench, Error, Figure, Measured, Run, Settings, Sum, Value, Watch};
use onramp_plot::plot::{Annotation, Plot, PlotMarks, PlotSeries, PlotStyle};
use onramp_report::statistics::{mean, median};
use onramp_theory::formulas::double_slow_start::{Path, Source};

/// The figures' normalised buffers, and the nearest whole numbers of packets at tau (mu - lambda) =
/// 149.
const BUFFERS: [(&str, u32); 3] = [("0.5", 75), ("0.25", 37), ("0.125", 19)];
/// Simulated shares, from the largest.
const GAMMAS: [f64; 12] = [
    0.5, 0.46, 0.42, 0.38, 0.34, 0.3, 0.26, 0.22, 0.18, 0.14, 0.1, 0.06,
];
/// Simulated rates, from the smallest that section 4 permits.
const RATES: [f64; 12] = [
    270.0, 290.0, 310.0, 330.0, 350.0, 390.0, 430.0, 470.0, 510.0, 550.0, 590.0, 630.0,
];

/// The fluid model of the scenario with these settings.
fn path_model(bench: &Bench<'_>, settings: &Settings) -> Result<Path, Error> {
    let watch = Watch::of_sums(&[]);
    bench.run_seed(SATELLITE, settings, 0, &watch, |run| model(run.case))
}

/// Throughput over gamma or R, for one buffer.
struct Curve {
    beta: &'static str,
    model: Path,
    /// (x, packets/s of each seed).
    points: Vec<(f64, Vec<f64>)>,
}

impl Curve {
    fn run(
        bench: &Bench<'_>,
        (beta, packets): (&'static str, u32),
        xs: &[f64],
        settings: fn(f64) -> Settings,
    ) -> Result<Curve, Error> {
        let with_buffer = |x: f64| settings(x).and(&buffer(packets)).and(&sweep());
        let model = path_model(bench, &with_buffer(xs[0]))?;
        let point = |x: &f64| Ok((*x, throughputs(bench, &with_buffer(*x))?));
        Ok(Curve {
            beta,
            model,
            points: xs.iter().map(point).collect::<Result<_, _>>()?,
        })
    }

    /// Enters the number of each seed into the row for this buffer.
    fn enter(&self, measured: &mut Measured, row: &str, of_seed: impl Fn(usize) -> f64) {
        let numbers = (0..self.points[0].1.len()).map(of_seed);
        measured.numbers(format!("{row}.{}", self.beta), numbers);
    }

    /// By how many percent the last point below a limit exceeds the first point above it, for a
    /// seed.
    fn jump(&self, limit: f64, seed: usize) -> f64 {
        let rate =
            |point: Option<&(f64, Vec<f64>)>| point.map_or(f64::NAN, |(_, rates)| rates[seed]);
        let below = self
            .points
            .iter()
            .filter(|(x, _)| *x < limit)
            .max_by(|one, other| one.0.total_cmp(&other.0));
        let above = self
            .points
            .iter()
            .filter(|(x, _)| *x >= limit)
            .min_by(|one, other| one.0.total_cmp(&other.0));
        100.0 * (rate(below) / rate(above) - 1.0)
    }

    /// Throughput at the points between two values of x, for a seed.
    fn within(&self, from: f64, to: f64, seed: usize) -> Vec<f64> {
        let chosen = self.points.iter().filter(|(x, _)| (from..=to).contains(x));
        chosen.map(|(_, rates)| rates[seed]).collect()
    }

    /// The median curve.
    fn medians(&self) -> Vec<(f64, f64)> {
        let points = self.points.iter();
        points.map(|(x, rates)| (*x, median(rates))).collect()
    }
}

/// By how many percent the most exceeds the least.
fn range(rates: &[f64]) -> f64 {
    let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
    100.0 * (rates.iter().copied().fold(0.0, f64::max) / least - 1.0)
}

/// The largest change from one of these to the next, in percent.
fn largest_step(rates: &[f64]) -> f64 {
    let steps = rates.windows(2).map(range);
    steps.fold(0.0, f64::max)
}

pub fn measure_gamma(bench: &Bench<'_>) -> Result<Measured, Error> {
    let mut measured = Measured::default();
    let curve = |buffer| Curve::run(bench, buffer, &GAMMAS, gamma);
    let (smallest, begins) = with_begins(bench)?;
    let curves = [curve(BUFFERS[0])?, curve(BUFFERS[1])?, smallest];
    for curve in &curves {
        let gain = |seed: usize| {
            let smaller = curve.within(0.0, curve.model.gamma_max().min(0.49), seed);
            let most = smaller.into_iter().fold(0.0, f64::max);
            100.0 * (most / curve.points[0].1[seed] - 1.0)
        };
        curve.enter(&mut measured, "C.fig4.gain", gain);
    }
    for curve in &curves[1..] {
        let jump = |seed| curve.jump(curve.model.gamma_max(), seed);
        curve.enter(&mut measured, "C.fig4.jump", jump);
    }
    for curve in &curves[1..] {
        let deteriorates = |seed| {
            let wrong = curve.within(curve.model.gamma_max(), 0.49, seed);
            100.0 * (mean(&wrong).unwrap_or(f64::NAN) / curve.points[0].1[seed] - 1.0)
        };
        curve.enter(&mut measured, "C.fig4.wrong", deteriorates);
    }
    let small = &curves[2].model;
    let (shape, breaks) = pieces(small);
    measured.exactly("C.fig3.pieces", Value::yes_no(shape));
    measured.exactly("C.fig3.breaks", Value::yes_no(breaks));
    if bench.draws() {
        let falls = |pair: &&[(f64, f64)]| pair[1].1 - pair[0].1;
        let steepest = begins
            .windows(2)
            .max_by(|one, other| falls(one).total_cmp(&falls(other)))
            .expect("points");
        measured.remarks.push(format!(
            "Figure 3's break comes between gamma = {} and {} in the simulation; the model has \
             gamma_max = {:.3}.",
            steepest[1].0,
            steepest[0].0,
            small.gamma_max(),
        ));
        measured
            .remarks
            .extend(curves[1..].iter().map(wrong_gammas));
        measured.figures = vec![figure_3(begins, small), figure_4(&curves)];
    }
    Ok(measured)
}

/// What each gamma from gamma_max to 1/2 gains over 1/2.
fn wrong_gammas(curve: &Curve) -> String {
    let gammas = curve.points.iter().skip(1);
    let wrong = gammas.take_while(|(gamma, _)| *gamma >= curve.model.gamma_max());
    let gain = |(gamma, rates): &(f64, Vec<f64>)| {
        let pairs = rates.iter().zip(&curve.points[0].1);
        let gains = pairs.map(|(wrong, half)| 100.0 * (wrong / half - 1.0));
        format!("{gamma} {:+.1} %", median(gains))
    };
    format!(
        "beta = {}, gamma_max = {:.3}: a wrong gamma has, more than 1/2 (medians): {}.",
        curve.beta,
        curve.model.gamma_max(),
        wrong.map(gain).collect::<Vec<_>>().join(", "),
    )
}

/// Section 3's case of gamma_max < 1/4. Returns whether the pieces are gamma W_max, gamma^2 W_max
/// and 2 gamma W_B, and whether they break at gamma_max with a step down and at 2 gamma_max without
/// a step.
fn pieces(path: &Path) -> (bool, bool) {
    let (gamma_max, max_window, overflow) =
        (path.gamma_max(), path.max_window(), path.overflow_window());
    let begin = |gamma: f64| path.avoidance_window(gamma).expect("a share from 0 to 1/2");
    let close = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-6;
    let piece = |gamma: f64| match gamma {
        gamma if gamma < gamma_max => gamma * max_window,
        gamma if gamma < 2.0 * gamma_max => gamma * gamma * max_window,
        gamma => 2.0 * gamma * overflow,
    };
    let shape = gamma_max < 0.25
        && (1..500)
            .map(|step| f64::from(step) / 1000.0)
            .all(|g| close(begin(g), piece(g)));
    let (before, after) = (1.0 - 1e-9, 1.0 + 1e-9);
    let falls = close(
        begin(gamma_max * after) / begin(gamma_max * before),
        gamma_max,
    );
    let goes_on = close(
        begin(2.0 * gamma_max * after),
        begin(2.0 * gamma_max * before),
    );
    (shape, falls && goes_on && close(begin(0.5), overflow))
}

/// The windows at which lasting congestion avoidance began, of all cycles of a run.
fn avoidance_windows(run: &Run<'_>) -> Vec<f64> {
    let cycles = cycles(transfer(run), SEGMENT_BYTES);
    cycles
        .iter()
        .filter(|cycle| cycle.threshold.is_finite() && cycle.lasts())
        .filter_map(|cycle| cycle.avoidance)
        .map(|(_, window)| window)
        .collect()
}

/// The curve of the smallest buffer. And for each gamma, from the largest, the median window at
/// which lasting congestion avoidance began, in the same runs.
fn with_begins(bench: &Bench<'_>) -> Result<(Curve, Vec<(f64, f64)>), Error> {
    let (beta, packets) = BUFFERS[2];
    let settings = |share: f64| gamma(share).and(&buffer(packets)).and(&sweep());
    let watch = Watch {
        windows: true,
        ..Watch::of_sums(&[Sum::Delivered])
    };
    let (mut points, mut begins) = (Vec::new(), Vec::new());
    for share in GAMMAS {
        let cell = [settings(share)];
        let runs = bench.run_cells_once(SATELLITE, &cell, bench.seeds(), &watch, |run| {
            (throughput(run), avoidance_windows(run))
        })?;
        let (rates, windows): (Vec<f64>, Vec<Vec<f64>>) = runs.concat().into_iter().unzip();
        points.push((share, rates));
        begins.push((share, median(windows.concat())));
    }
    let model = path_model(bench, &settings(GAMMAS[0]))?;
    Ok((
        Curve {
            beta,
            model,
            points,
        },
        begins,
    ))
}

fn figure_3(points: Vec<(f64, f64)>, model: &Path) -> Figure {
    let curve = (20..=500).map(|step| f64::from(step) / 1000.0);
    let modelled = curve
        .map(|g| (g, model.avoidance_window(g).expect("a share from 0 to 1/2")))
        .collect();
    ledger().plot("figure-3", |plot| Plot {
        series: vec![
            PlotSeries::new("simulated", PlotStyle::Points, points),
            PlotSeries::new("the paper's equations", PlotStyle::Dashed, modelled),
        ],
        annotations: breaks(model),
        ..plot
    })
}

fn breaks(model: &Path) -> Vec<Annotation> {
    let gamma_max = model.gamma_max();
    let at = |x: f64, text: &str| Annotation::Vertical {
        x,
        text: text.to_owned(),
    };
    vec![
        at(gamma_max, "gamma_max"),
        at(2.0 * gamma_max, "2 gamma_max"),
    ]
}

/// A figure with simulated points, and the model's curve in the same colour.
fn throughput_figure(
    name: &str,
    curves: &[Curve],
    source: impl Fn(f64) -> Source,
    mark: impl Fn(&Path) -> Option<f64>,
    paper: &[(f64, &str)],
) -> Figure {
    let mut series = Vec::new();
    let mut annotations = Vec::new();
    for (look, curve) in curves.iter().enumerate() {
        series.push(
            PlotSeries::new(
                format!("beta = {}", curve.beta),
                PlotStyle::Line,
                curve.medians(),
            )
            .look(look),
        );
        let ends = |pick: fn(f64, f64) -> f64, from: f64| {
            curve.points.iter().map(|(x, _)| *x).fold(from, pick)
        };
        let (first, last) = (
            ends(f64::min, f64::INFINITY),
            ends(f64::max, f64::NEG_INFINITY),
        );
        let steps = (0..=200).map(|step| first + (last - first) * f64::from(step) / 200.0);
        let modelled =
            steps.filter_map(|x| Some((x, curve.model.cycle(&source(x)).ok()?.packets_per_s())));
        let label = format!("beta = {}, fluid model", curve.beta);
        series.push(PlotSeries::new(label, PlotStyle::Dashed, modelled.collect()).look(look));
        let text = format!("beta = {}", curve.beta);
        annotations.extend(mark(&curve.model).map(|x| Annotation::Vertical { x, text }));
    }
    let points = paper.iter().map(|(x, row)| (*x, ledger().number(row)));
    let texts: Vec<String> = points.clone().map(|(_, rate)| rate.to_string()).collect();
    let marks = PlotMarks::new("paper, figures 6 to 10: beta = 0.27", points.collect());
    ledger().plot(name, |plot| Plot {
        series,
        annotations,
        marks: vec![marks.texts(texts)],
        ..plot
    })
}

fn figure_4(curves: &[Curve]) -> Figure {
    let paper = [
        (0.5, "C.fig6.throughput"),
        (0.34, "C.fig7.throughput"),
        (0.2, "C.fig8.throughput"),
    ];
    let source = |gamma| Source {
        gamma,
        ..Source::TAHOE
    };
    let mark = |model: &Path| Some(model.gamma_max()).filter(|gamma_max| *gamma_max < 0.5);
    throughput_figure("figure-4", curves, source, mark, &paper)
}

pub fn measure_spacing(bench: &Bench<'_>) -> Result<Measured, Error> {
    let mut measured = Measured::default();
    let curve = |buffer| Curve::run(bench, buffer, &RATES, spacing);
    let curves = [curve(BUFFERS[0])?, curve(BUFFERS[1])?, curve(BUFFERS[2])?];
    for curve in &curves[1..] {
        let max_rate = curve.model.max_spaced_rate().expect("the buffer is small");
        let below = |seed| curve.within(0.0, max_rate, seed);
        let jump = |seed| curve.jump(max_rate, seed) - largest_step(&below(seed));
        curve.enter(&mut measured, "C.fig5.jump", jump);
        curve.enter(&mut measured, "C.fig5.flat", |seed| range(&below(seed)));
    }
    let large = &curves[0];
    let flat = |seed| range(&large.within(0.0, f64::INFINITY, seed));
    large.enter(&mut measured, "C.fig5.flat", flat);
    if bench.draws() {
        let paper = [(440.0, "C.fig9.throughput"), (300.0, "C.fig10.throughput")];
        let source = |rate| Source {
            spaced_rate: Some(rate),
            ..Source::TAHOE
        };
        let mark = |model: &Path| model.max_spaced_rate().filter(|rate| *rate < 640.0);
        let figure = throughput_figure("figure-5", &curves, source, mark, &paper);
        measured.figures.push(figure);
    }
    Ok(measured)
}
