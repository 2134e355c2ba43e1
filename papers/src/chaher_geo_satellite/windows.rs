//! Figures 6 to 10: the window over time (section 5).

use super::cycles::{cycles, restarts, Restart};
use super::{gamma, model, spacing, throughput, throughputs, transfer, SATELLITE, SEGMENT_BYTES};
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
    /// What followed the losses of congestion avoidance.
    restarts: Vec<Restart>,
    /// The window, now and then.
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
    /// Where congestion avoidance began that lasted, over the window before the loss.
    fn begins(&self) -> f64 {
        median(
            &self
                .restarts
                .iter()
                .map(|restart| restart.avoidance / restart.lost_at)
                .collect::<Vec<f64>>(),
        )
    }
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
        self.answers
            .iter()
            .flat_map(|answer| &answer.restarts)
            .map(|restart| restart.slow_starts)
    }

    /// Of the cycles, those that took so many slow starts, in percent.
    fn share_of(&self, is: impl Fn(u32) -> bool) -> f64 {
        100.0 * self.cycles().filter(|count| is(*count)).count() as f64
            / self.cycles().count() as f64
    }

    /// The seed whose throughput is in the middle.
    fn typical(&self) -> &Answer {
        let middle = self.median();
        let distance = |answer: &&Answer| (answer.throughput - middle).abs();
        self.answers
            .iter()
            .min_by(|one, other| distance(one).total_cmp(&distance(other)))
            .expect("there are seeds")
    }
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let line = |number, label: &str, settings: Settings, source| {
        let answers = bench.run(SATELLITE, &settings, &Watch::with_windows(), |run| {
            answer(&run)
        })?;
        Ok(Line {
            number,
            label: label.to_owned(),
            source,
            answers,
        })
    };
    let with_gamma = |gamma| Source {
        gamma,
        ..Source::TAHOE
    };
    let with_rate = |rate| Source {
        spaced_rate: Some(rate),
        ..Source::TAHOE
    };
    let tahoe = line(6, "Tahoe", Settings::default(), Source::TAHOE)?;
    let good = line(
        7,
        "gamma = 0.34",
        gamma(GAMMA_FIGURE_7),
        with_gamma(GAMMA_FIGURE_7),
    )?;
    let small = line(
        8,
        "gamma = 0.2",
        gamma(GAMMA_FIGURE_8),
        with_gamma(GAMMA_FIGURE_8),
    )?;
    let fast = line(
        9,
        "spacing, R = 440",
        spacing(RATE_FIGURE_9),
        with_rate(RATE_FIGURE_9),
    )?;
    let slow = line(
        10,
        "spacing, R = 300",
        spacing(RATE_FIGURE_10),
        with_rate(RATE_FIGURE_10),
    )?;
    let measuring = throughputs(bench, &Settings::of([("transfer.startup", "spaced")]))?;
    let lines = [&tahoe, &good, &small, &fast, &slow];

    let mut measured = Measured::default();
    let available = bench.run_seed(
        SATELLITE,
        &Settings::default(),
        0,
        &Watch::default(),
        |run| model(run.case),
    )?;
    measured.numbers("C.fig6.throughput", tahoe.throughputs());
    measured.numbers(
        "C.fig6.share",
        tahoe
            .throughputs()
            .map(|rate| 100.0 * rate / available.available()),
    );
    measured.exactly(
        "C.fig6.double",
        Value::Number(tahoe.share_of(|count| count > 1)),
    );
    measured.numbers("C.fig7.throughput", good.throughputs());
    measured.exactly(
        "C.fig7.single",
        Value::Number(good.share_of(|count| count > 1)),
    );
    measured.numbers("C.fig8.throughput", small.throughputs());
    measured.exactly(
        "C.fig8.single",
        Value::Number(small.share_of(|count| count > 1)),
    );
    measured.numbers("C.fig9.throughput", fast.throughputs());
    measured.numbers("C.fig9.begin", fast.answers.iter().map(Answer::begins));
    measured.exactly(
        "C.fig9.single",
        Value::Number(fast.share_of(|count| count > 1)),
    );
    measured.numbers("C.fig10.throughput", slow.throughputs());
    measured.exactly(
        "C.fig10.single",
        Value::Number(slow.share_of(|count| count > 1)),
    );
    measured.numbers("C.spacing", measuring);
    let rising = [
        small.median(),
        tahoe.median(),
        good.median(),
        fast.median().min(slow.median()),
    ];
    measured.exactly(
        "C.order",
        Value::yes_no(rising.windows(2).all(|pair| pair[0] < pair[1])),
    );
    let counts = lines.map(|line| {
        format!(
            "{} of {}",
            line.cycles().filter(|count| *count > 1).count(),
            line.cycles().count()
        )
    });
    measured.remarks.push(format!(
        "Losses of congestion avoidance that more than one slow start followed, of all in the \
         seeds' runs: {} with Tahoe, {} with gamma 0.34, {} with 0.2, {} with R = 440, {} with R = \
         300.",
        counts[0], counts[1], counts[2], counts[3], counts[4],
    ));
    let modelled: Vec<String> = lines
        .iter()
        .map(|line| {
            let cycle = available
                .cycle(&line.source)
                .expect("the paper's settings are within the model");
            format!("{:.0}", cycle.packets_per_s())
        })
        .collect();
    measured.remarks.push(format!(
        "The fluid model's cycles have {} packets/s (figures 6 to 10).",
        modelled.join(", ")
    ));
    let mut medians = Vec::new();
    for share in OTHER_GAMMAS_FIGURE_8 {
        medians.push(format!(
            "{:.0} with {share}",
            median(&throughputs(bench, &gamma(share))?)
        ));
    }
    measured.remarks.push(format!(
        "Figure 8 with another gamma has {} packets/s (medians).",
        medians.join(", ")
    ));
    if bench.draws() {
        measured.figures = lines
            .map(|line| figure(line, available.max_window(), available.overflow_window()))
            .into();
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
        series: vec![PlotSeries::new(
            line.label.clone(),
            PlotStyle::Steps,
            answer.curve.clone(),
        )],
        annotations: vec![
            at(most, format!("model: W_max = {most:.0}")),
            at(overflow, format!("model: W_B = {overflow:.0}")),
        ],
        height: Some(220.0),
        ..Plot::default()
    };
    let caption = format!(
        "Figure {}: {}, the seed in the middle: {:.0} packets/s.",
        line.number, line.label, answer.throughput
    );
    Figure {
        svg: draw_plot(&plot),
        caption,
    }
}
