//! Figures 6 to 10: the window over time (section 5).

use super::cycles::{cycles, restarts, Restart};
use super::setup::{
    gamma, ledger, model, spacing, throughput, throughputs, transfer, SATELLITE, SEGMENT_BYTES,
};
use crate::{Bench, Error, Figure, Measured, Run, Settings, Value, Watch};
use onramp_plot::plot::{draw_plot, Annotation, Axis, Plot, PlotMarks, PlotSeries, PlotStyle};
use onramp_report::statistics::median;
use onramp_theory::formulas::double_slow_start::{Path, Source};

/// Figure 7: between a quarter and gamma_max.
const GAMMA_FIGURE_7: f64 = 0.34;
/// Figure 8: "we reduce W_max by more than four times"; see the ledger's question.
const GAMMA_FIGURE_8: f64 = 0.2;
/// Other candidates, because the paper does not state its gamma.
const OTHER_GAMMAS_FIGURE_8: [f64; 3] = [0.24, 0.15, 0.1];
/// Figures 9 and 10.
const RATE_FIGURE_9: f64 = 440.0;
const RATE_FIGURE_10: f64 = 300.0;

/// The rows that need more than Tahoe.
const OTHERS: [&str; 6] = [
    "C.fig7",
    "C.fig8",
    "C.fig9",
    "C.fig10",
    "C.spacing",
    "C.order",
];

/// The measurements of one run.
struct Answer {
    throughput: f64,
    /// The restarts after losses of congestion avoidance.
    restarts: Vec<Restart>,
    /// The window over time, in packets.
    curve: Vec<(f64, f64)>,
}

fn answer(run: &Run<'_>) -> Answer {
    let flow = transfer(run);
    Answer {
        throughput: throughput(run),
        restarts: restarts(&cycles(flow, SEGMENT_BYTES)),
        curve: flow
            .windows
            .iter()
            .map(|at| (at.at_s, at.cwnd_bytes as f64 / SEGMENT_BYTES))
            .collect(),
    }
}

impl Answer {
    /// Percentage of the run's cycles with more than one slow start; `None` without cycles.
    fn share_of_doubles(&self) -> Option<f64> {
        let doubles = self.restarts.iter().filter(|one| one.slow_starts > 1);
        let share = doubles.count() as f64 / self.restarts.len() as f64;
        (!self.restarts.is_empty()).then_some(100.0 * share)
    }

    /// The window at which lasting congestion avoidance began, over the window before the loss.
    fn begins(&self) -> f64 {
        let restarts = self.restarts.iter();
        median(restarts.map(|restart| restart.avoidance / restart.lost_at))
    }
}

/// A figure of the paper: its settings, and the runs of all seeds.
struct Line {
    number: u32,
    label: String,
    source: Source,
    /// The window at which the paper's congestion avoidance begins.
    begins: Begins,
    answers: Vec<Answer>,
}

/// What the paper says of the window at which congestion avoidance begins, as a share of W_max.
#[derive(Clone, Copy)]
enum Begins {
    At(f64),
    Below(f64),
}

impl Line {
    fn run(
        bench: &Bench<'_>,
        (number, label): (u32, &str),
        settings: &Settings,
        source: Source,
        begins: Begins,
    ) -> Result<Line, Error> {
        let answers = bench.run(SATELLITE, settings, &Watch::with_windows(), |run| {
            answer(&run)
        })?;
        Ok(Line {
            number,
            label: label.to_owned(),
            source,
            begins,
            answers,
        })
    }

    /// Figure 6: "the congestion avoidance phase starts at one fourth the maximum window".
    fn tahoe(bench: &Bench<'_>) -> Result<Line, Error> {
        let (settings, begins) = (Settings::default(), Begins::At(0.25));
        Line::run(bench, (6, "Tahoe"), &settings, Source::TAHOE, begins)
    }

    fn throughputs(&self) -> impl Iterator<Item = f64> + '_ {
        self.answers.iter().map(|answer| answer.throughput)
    }

    fn median(&self) -> f64 {
        median(self.throughputs())
    }

    fn cycles(&self) -> impl Iterator<Item = u32> + '_ {
        self.answers
            .iter()
            .flat_map(|answer| &answer.restarts)
            .map(|restart| restart.slow_starts)
    }

    /// Percentage of the cycles whose number of slow starts satisfies `is`.
    fn share_of(&self, is: impl Fn(u32) -> bool) -> f64 {
        100.0 * self.cycles().filter(|count| is(*count)).count() as f64
            / self.cycles().count() as f64
    }

    /// The run with the median throughput.
    fn typical(&self) -> &Answer {
        let middle = self.median();
        let distance = |answer: &&Answer| (answer.throughput - middle).abs();
        self.answers
            .iter()
            .min_by(|one, other| distance(one).total_cmp(&distance(other)))
            .expect("there are seeds")
    }
}

/// The lines of figures 6 to 10, in the order in which the paper has them.
struct Lines {
    tahoe: Line,
    /// gamma = 0.34.
    good: Line,
    /// gamma = 0.2.
    small: Line,
    /// R = 440.
    fast: Line,
    /// R = 300.
    slow: Line,
}

impl Lines {
    fn run(bench: &Bench<'_>) -> Result<Lines, Error> {
        let with_gamma = |figure, share: f64, begins| {
            let source = Source {
                gamma: share,
                ..Source::TAHOE
            };
            Line::run(bench, figure, &gamma(share), source, begins)
        };
        let with_rate = |figure, rate: f64| {
            let source = Source {
                spaced_rate: Some(rate),
                ..Source::TAHOE
            };
            Line::run(bench, figure, &spacing(rate), source, Begins::At(0.5))
        };
        let at_gamma = Begins::At(GAMMA_FIGURE_7);
        Ok(Lines {
            tahoe: Line::tahoe(bench)?,
            good: with_gamma((7, "gamma = 0.34"), GAMMA_FIGURE_7, at_gamma)?,
            small: with_gamma((8, "gamma = 0.2"), GAMMA_FIGURE_8, Begins::Below(0.25))?,
            fast: with_rate((9, "spacing, R = 440"), RATE_FIGURE_9)?,
            slow: with_rate((10, "spacing, R = 300"), RATE_FIGURE_10)?,
        })
    }

    fn all(&self) -> [&Line; 5] {
        [&self.tahoe, &self.good, &self.small, &self.fast, &self.slow]
    }

    /// Does the throughput rise from the small gamma to Tahoe, the good gamma and spacing?
    fn is_in_order(&self) -> bool {
        let rising = [
            self.small.median(),
            self.tahoe.median(),
            self.good.median(),
            self.fast.median().min(self.slow.median()),
        ];
        rising.windows(2).all(|pair| pair[0] < pair[1])
    }
}

/// The rows of figure 6.
fn tahoe_rows(measured: &mut Measured, tahoe: &Line, path: &Path) {
    measured.numbers("C.fig6.throughput", tahoe.throughputs());
    measured.numbers(
        "C.fig6.share",
        tahoe
            .throughputs()
            .map(|rate| 100.0 * rate / path.available()),
    );
    let doubles = tahoe.answers.iter().filter_map(Answer::share_of_doubles);
    measured.numbers("C.fig6.double", doubles);
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let path = bench.run_seed(
        SATELLITE,
        &Settings::default(),
        0,
        &Watch::default(),
        |run| model(run.case),
    )?;
    let mut measured = Measured::default();
    if !OTHERS.iter().any(|row| bench.needs(row)) {
        let tahoe = Line::tahoe(bench)?;
        tahoe_rows(&mut measured, &tahoe, &path);
        return Ok(measured);
    }
    let lines = Lines::run(bench)?;
    let measuring = throughputs(bench, &Settings::of([("transfer.startup", "spaced")]))?;
    let Lines {
        tahoe,
        good,
        small,
        fast,
        slow,
    } = &lines;
    let several = |line: &Line| Value::Number(line.share_of(|count| count > 1));
    tahoe_rows(&mut measured, tahoe, &path);
    measured.numbers("C.fig7.throughput", good.throughputs());
    measured.exactly("C.fig7.single", several(good));
    measured.numbers("C.fig8.throughput", small.throughputs());
    measured.exactly("C.fig8.single", several(small));
    measured.numbers("C.fig9.throughput", fast.throughputs());
    measured.numbers("C.fig9.begin", fast.answers.iter().map(Answer::begins));
    measured.exactly("C.fig9.single", several(fast));
    measured.numbers("C.fig10.throughput", slow.throughputs());
    measured.exactly("C.fig10.single", several(slow));
    measured.numbers("C.spacing", measuring);
    measured.exactly("C.order", Value::yes_no(lines.is_in_order()));
    measured.remarks = remarks(bench, &lines, &path)?;
    if bench.draws() {
        measured.figures = lines
            .all()
            .map(|line| figure(line, path.max_window(), path.overflow_window()))
            .into();
    }
    Ok(measured)
}

/// Further results of the runs: losses, the fluid model, and figure 8 with another gamma.
fn remarks(bench: &Bench<'_>, lines: &Lines, path: &Path) -> Result<Vec<String>, Error> {
    let counts = lines.all().map(|line| {
        format!(
            "{} of {}",
            line.cycles().filter(|count| *count > 1).count(),
            line.cycles().count()
        )
    });
    let losses = format!(
        "Losses of congestion avoidance that more than one slow start followed, of all in the \
         seeds' runs: {} with Tahoe, {} with gamma 0.34, {} with 0.2, {} with R = 440, {} with R = \
         300.",
        counts[0], counts[1], counts[2], counts[3], counts[4],
    );
    let modelled = lines.all().map(|line| {
        let cycle = path
            .cycle(&line.source)
            .expect("the paper's settings are within the model");
        format!("{:.0}", cycle.packets_per_s())
    });
    let modelled = format!(
        "The fluid model's cycles have {} packets/s (figures 6 to 10).",
        modelled.join(", ")
    );
    let mut medians = Vec::new();
    for share in OTHER_GAMMAS_FIGURE_8 {
        medians.push(format!(
            "{:.0} with {share}",
            median(&throughputs(bench, &gamma(share))?)
        ));
    }
    let others = format!(
        "Figure 8 with another gamma has {} packets/s (medians).",
        medians.join(", ")
    );
    Ok(vec![losses, modelled, others])
}

fn figure(line: &Line, max_window: f64, overflow: f64) -> Figure {
    let answer = line.typical();
    let at = |y: f64, text: String| Annotation::Horizontal { y, text };
    let mut annotations = vec![
        at(max_window, format!("paper: W_max = {max_window:.0}")),
        at(overflow, format!("paper: W_B = {overflow:.0}")),
    ];
    let mut marks = Vec::new();
    match line.begins {
        Begins::At(share) => {
            let name = format!("paper: congestion avoidance begins at {share} W_max");
            let begins = answer.restarts.iter();
            let points = begins.map(|restart| (restart.begin_s, share * max_window));
            marks.push(PlotMarks::new(name, points.collect()).look(0));
        }
        Begins::Below(share) => annotations.push(at(
            share * max_window,
            format!("paper: congestion avoidance begins below {share} W_max"),
        )),
    }
    let paper = ledger().number(&format!("C.fig{}.throughput", line.number));
    let plot = Plot {
        title: format!(
            "Figure {}: {}, {:.0} packets/s (paper: {paper})",
            line.number, line.label, answer.throughput
        ),
        x: Axis::new("time (s)"),
        y: Axis::new("congestion window (packets)"),
        series: vec![PlotSeries::new(
            line.label.clone(),
            PlotStyle::Steps,
            answer.curve.clone(),
        )],
        marks,
        annotations,
        height: Some(220.0),
    };
    let caption = format!(
        "Figure {}: {}, the seed in the middle: {:.0} packets/s; the paper has {paper}. W_max and \
         W_B are those of the paper's equations (3) and (4), and the share of W_max is its text's. \
         The paper's times are not known: the diamonds are at ours.",
        line.number, line.label, answer.throughput,
    );
    Figure::new(format!("figure-{}", line.number), draw_plot(&plot), caption)
}
