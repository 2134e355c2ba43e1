//! Figures 6 to 10: the window over time (section 5).

use super::cycles::{cycles, restarts, Restart};
use super::setup::{
    gamma, ledger, model, spacing, throughput, throughputs, transfer, SATELLITE, SEGMENT_BYTES,
};
use crate::{Bench, Error, Figure, Measured, Run, Settings, Table, Watch};
use onramp_plot::plot::{draw_plot, Annotation, Axis, Plot, PlotMarks, PlotSeries, PlotStyle};
use onramp_report::statistics::median;
use onramp_theory::formulas::double_slow_start::{Path, Source};

/// Figure 7: between a quarter and gamma_max.
const GAMMA_FIGURE_7: f64 = 0.34;
/// Figure 8: "we reduce W_max by more than four times"; see the ledger's question.
const GAMMA_FIGURE_8: f64 = 0.2;
/// Figures 9 and 10.
const RATE_FIGURE_9: f64 = 440.0;
const RATE_FIGURE_10: f64 = 300.0;

/// Lengths of runs in the table of throughput.
const LENGTHS_S: [f64; 7] = [50.0, 100.0, 200.0, 300.0, 400.0, 600.0, 1000.0];
/// The time that the figures show.
const SHOWN_S: f64 = 200.0;

/// The measurements of one run.
#[derive(Clone)]
struct Answer {
    throughput: f64,
    /// The restarts after losses of congestion avoidance.
    restarts: Vec<Restart>,
    /// Throughput by the length of the run: see [`LENGTHS_S`].
    by_length: [f64; LENGTHS_S.len()],
}

fn answer(run: &Run<'_>) -> Answer {
    let flow = transfer(run);
    Answer {
        throughput: throughput(run),
        restarts: restarts(&cycles(flow, SEGMENT_BYTES)),
        by_length: LENGTHS_S
            .map(|length_s| run.watch.delivered_by(length_s) as f64 / SEGMENT_BYTES / length_s),
    }
}

/// The window over time in packets, as far as the figures show it.
fn curve(run: &Run<'_>) -> Vec<(f64, f64)> {
    let shown = transfer(run)
        .windows
        .iter()
        .take_while(|at| at.at_s <= SHOWN_S);
    shown
        .map(|at| (at.at_s, at.cwnd_bytes as f64 / SEGMENT_BYTES))
        .collect()
}

impl Answer {
    /// Percentage of the run's cycles with more than one slow start; `None` without cycles.
    fn share_of_doubles(&self) -> Option<f64> {
        let doubles = self.restarts.iter().filter(|one| one.slow_starts > 1);
        let share = doubles.count() as f64 / self.restarts.len() as f64;
        (!self.restarts.is_empty()).then_some(100.0 * share)
    }

    /// The window at which lasting congestion avoidance began, in packets: the median of the run.
    fn begins(&self) -> f64 {
        median(self.restarts.iter().map(|restart| restart.avoidance))
    }

    /// The window at a loss of congestion avoidance, in packets: the median of the run.
    fn window_at_loss(&self) -> f64 {
        median(self.restarts.iter().map(|restart| restart.lost_at))
    }
}

/// A figure of the paper: its settings, and the runs of all seeds.
struct Line {
    number: u32,
    label: String,
    settings: Settings,
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
        let (cell, watch) = ([settings.clone()], Watch::with_windows());
        let all = bench.run_cells_once(SATELLITE, &cell, bench.seeds(), &watch, answer)?;
        let answers = all.concat();
        Ok(Line {
            number,
            label: label.to_owned(),
            settings: settings.clone(),
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

    /// Percentage of each run's cycles with more than one slow start.
    fn doubles(&self) -> impl Iterator<Item = f64> + '_ {
        self.answers.iter().filter_map(Answer::share_of_doubles)
    }

    /// The seed with the median throughput.
    fn typical(&self) -> usize {
        let middle = self.median();
        let distance = |seed: &usize| (self.answers[*seed].throughput - middle).abs();
        (0..self.answers.len())
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

    /// By how many percent the largest window at a loss of the five senders exceeds the smallest,
    /// for each seed.
    fn window_ranges(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.tahoe.answers.len()).map(move |seed| {
            let windows = self.all().map(|line| line.answers[seed].window_at_loss());
            let least = windows.iter().copied().fold(f64::INFINITY, f64::min);
            100.0 * (windows.iter().copied().fold(0.0, f64::max) / least - 1.0)
        })
    }

    /// By how many points of the available bandwidth a line has more than Tahoe, for each seed.
    fn gains<'a>(&'a self, of: &'a Line, path: &'a Path) -> impl Iterator<Item = f64> + 'a {
        let pairs = of.throughputs().zip(self.tahoe.throughputs());
        pairs.map(|(more, tahoe)| 100.0 * (more - tahoe) / path.available())
    }

    /// Whether throughput rises from the small gamma to Tahoe, the good gamma and spacing, for each
    /// seed.
    fn are_in_order(&self) -> impl Iterator<Item = bool> + '_ {
        let of = |line: &Line, seed: usize| line.answers[seed].throughput;
        (0..self.tahoe.answers.len()).map(move |seed| {
            let rising = [
                of(&self.small, seed),
                of(&self.tahoe, seed),
                of(&self.good, seed),
                of(&self.fast, seed).min(of(&self.slow, seed)),
            ];
            rising.windows(2).all(|pair| pair[0] < pair[1])
        })
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
    measured.numbers("C.fig6.double", tahoe.doubles());
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
    let lines = Lines::run(bench)?;
    let measuring = throughputs(bench, &Settings::of([("transfer.startup", "spaced")]))?;
    let rule = [
        ("transfer.startup", "spaced"),
        ("transfer.train", "remaining"),
    ];
    let remaining = throughputs(bench, &Settings::of(rule))?;
    let Lines {
        tahoe,
        good,
        small,
        fast,
        slow,
    } = &lines;
    tahoe_rows(&mut measured, tahoe, &path);
    measured.numbers("C.fig7.throughput", good.throughputs());
    measured.numbers("C.fig7.single", good.doubles());
    measured.numbers("C.fig8.throughput", small.throughputs());
    measured.numbers("C.fig8.single", small.doubles());
    measured.numbers("C.fig9.throughput", fast.throughputs());
    for line in [tahoe, good, fast, slow] {
        let begins = |answer: &Answer| answer.begins() / path.max_window();
        measured.numbers(
            format!("C.fig{}.begin", line.number),
            line.answers.iter().map(begins),
        );
    }
    measured.numbers("C.fig7.gain", lines.gains(&lines.good, &path));
    measured.numbers("C.fig9.gain", lines.gains(&lines.fast, &path));
    measured.numbers("C.fig10.gain", lines.gains(&lines.slow, &path));
    measured.numbers("C.fig10.window", lines.window_ranges());
    measured.numbers("C.fig9.single", fast.doubles());
    measured.numbers("C.fig10.throughput", slow.throughputs());
    measured.numbers("C.fig10.single", slow.doubles());
    measured.numbers("C.spacing", measuring);
    measured.numbers("C.spacing.remaining", remaining);
    measured.answers("C.order", lines.are_in_order());
    if bench.draws() {
        measured.remarks = remarks(&lines, &path);
        measured.tables = vec![by_length(&lines)];
        for line in lines.all() {
            measured.figures.push(figure(bench, line, &path)?);
        }
    }
    Ok(measured)
}

/// Further results of the runs: losses, and the fluid model.
fn remarks(lines: &Lines, path: &Path) -> Vec<String> {
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
    vec![losses, modelled]
}

/// Throughput by the length of the run, which the paper does not state.
fn by_length(lines: &Lines) -> Table {
    let row = |place: usize| {
        let rates = lines.all().map(|line| {
            let rates = line.answers.iter().map(|answer| answer.by_length[place]);
            format!("{:.0}", median(rates))
        });
        std::iter::once(LENGTHS_S[place].to_string())
            .chain(rates)
            .collect()
    };
    let paper = [6, 7, 8, 9, 10].map(|figure| {
        let row = format!("C.fig{figure}.throughput");
        ledger().number(&row).to_string()
    });
    let paper = std::iter::once("the paper".to_owned())
        .chain(paper)
        .collect();
    let rows = (0..LENGTHS_S.len()).map(row).chain([paper]);
    ledger().table("run-length", rows.collect())
}

fn figure(bench: &Bench<'_>, line: &Line, path: &Path) -> Result<Figure, Error> {
    let (max_window, overflow) = (path.max_window(), path.overflow_window());
    let answer = &line.answers[line.typical()];
    let watch = Watch::with_windows();
    let curve = bench.run_seed(SATELLITE, &line.settings, line.typical(), &watch, |run| {
        curve(&run)
    })?;
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
            let begins = begins.take_while(|restart| restart.begin_s <= SHOWN_S);
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
        series: vec![PlotSeries::new(line.label.clone(), PlotStyle::Steps, curve)],
        marks,
        annotations,
        height: Some(220.0),
    };
    let caption = format!(
        "Figure {}: {}, the first {SHOWN_S} s of the seed in the middle, which has {:.0} packets/s \
         in all of its run; the paper has {paper}. W_max and \
         W_B are those of the paper's equations (3) and (4), and the share of W_max is its text's. \
         The paper's times are not known: the diamonds are at ours.",
        line.number, line.label, answer.throughput,
    );
    let name = format!("figure-{}", line.number);
    Ok(Figure::new(name, draw_plot(&plot), caption))
}
