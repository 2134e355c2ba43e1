//! Figures 8, 9 and 11 to 13: segments sent within a given time (section 5).

use super::setup::{flow, ledger, new_tcp, origin_s};
use crate::{Bench, Error, Figure, Measured, Run, Settings, Table, Watch};
use onramp_plot::plot::{draw_plot, Axis, Plot, PlotMarks, PlotSeries, PlotStyle};
use onramp_report::statistics::median;
use std::ops::RangeInclusive;

const SYMMETRIC: &str = include_str!("symmetric.toml");
const ASYMMETRIC: &str = include_str!("asymmetric.toml");

/// Delays of the return path near the paper's 200 ms, in ms.
const ABOUT_200_MS: RangeInclusive<u32> = 190..=210;

/// The measurements of one run.
struct Answer {
    /// Number of segments sent for the first time.
    segments: f64,
    /// Their times, and their numbers in the stream.
    sent: Vec<(f64, f64)>,
    /// The same for retransmissions.
    again: Vec<(f64, f64)>,
}

/// Measures the first seconds of a run.
fn answer(run: &Run<'_>, seconds: f64) -> Answer {
    let flow = flow(run);
    let begin_s = origin_s(flow);
    let data = flow.packets.iter().filter(|packet| packet.is_data());
    let early: Vec<_> = data
        .filter(|packet| packet.sent_s - begin_s <= seconds)
        .collect();
    let segment_bytes = early
        .iter()
        .map(|packet| packet.segment.payload_bytes)
        .max()
        .map_or(1.0, f64::from);
    let places = |again: bool| -> Vec<(f64, f64)> {
        let chosen = early.iter().filter(|packet| packet.again == again);
        chosen
            .map(|packet| {
                (
                    packet.sent_s - begin_s,
                    packet.stream_start as f64 / segment_bytes,
                )
            })
            .collect()
    };
    let sent = places(false);
    Answer {
        segments: sent.last().map_or(0.0, |(_, place)| place + 1.0).round(),
        sent,
        again: places(true),
    }
}

/// A figure of the paper.
struct Line {
    number: u32,
    label: &'static str,
    answers: Vec<Answer>,
}

impl Line {
    fn run(
        bench: &Bench<'_>,
        (scenario, seconds): (&str, f64),
        number: u32,
        label: &'static str,
        settings: &Settings,
    ) -> Result<Line, Error> {
        Ok(Line {
            number,
            label,
            answers: bench.run(scenario, settings, &Watch::with_packets(), |run| {
                answer(&run, seconds)
            })?,
        })
    }

    fn segments(&self) -> impl Iterator<Item = f64> + '_ {
        self.answers.iter().map(|answer| answer.segments)
    }

    fn median(&self) -> f64 {
        median(self.segments())
    }

    /// The gain over another line in percent, for each seed.
    fn gains<'a>(&'a self, over: &'a Line) -> impl Iterator<Item = f64> + 'a {
        let pairs = self.segments().zip(over.segments());
        pairs.map(|(ours, theirs)| 100.0 * (ours / theirs - 1.0))
    }

    /// The figure of the run with the median number of segments.
    fn figure(&self, seconds: f64) -> Figure {
        let middle = self.median();
        let distance = |answer: &&Answer| (answer.segments - middle).abs();
        let typical = self
            .answers
            .iter()
            .min_by(|one, other| distance(one).total_cmp(&distance(other)))
            .expect("there are seeds");
        let paper = ledger().number(&format!("N.fig{}", self.number));
        let series = |label: &str, points: &[(f64, f64)]| {
            PlotSeries::new(label, PlotStyle::Points, points.to_vec())
        };
        let plot = Plot {
            title: format!("Figure {}: {}", self.number, self.label),
            x: Axis::new("time (s)").range(0.0, seconds),
            y: Axis::new("sequence number (segments)"),
            series: vec![
                series("sent", &typical.sent),
                series("retransmitted", &typical.again),
            ],
            marks: vec![PlotMarks::new("paper", vec![(seconds, paper)])
                .texts([format!("{paper} segments")])],
            height: Some(220.0),
            ..Plot::default()
        };
        let caption = format!(
            "Figure {}: {}, the seed in the middle: {} segments; the paper has {paper}.",
            self.number, self.label, typical.segments
        );
        Figure::new(format!("figure-{}", self.number), draw_plot(&plot), caption)
    }
}

/// Section 5.1.
pub fn measure_symmetric(bench: &Bench<'_>) -> Result<Measured, Error> {
    let run = (SYMMETRIC, 10.0);
    let reno = Line::run(bench, run, 8, "Reno, symmetric path", &Settings::default())?;
    let new = Line::run(
        bench,
        run,
        9,
        "packet pairs, symmetric path",
        &new_tcp("answer-at-once"),
    )?;

    let mut measured = Measured::default();
    measured.numbers("N.fig8", reno.segments());
    measured.numbers("N.fig9", new.segments());
    measured.numbers("N.fig9.gain", new.gains(&reno));
    if bench.draws() {
        measured.figures = vec![reno.figure(10.0), new.figure(10.0)];
    }
    Ok(measured)
}

/// Figures 11 to 13 with other delays of the return path than 200 ms: how much of their numbers is
/// a matter of which ACKs are lost.
fn nearby(bench: &Bench<'_>) -> Result<Table, Error> {
    let senders = [
        Settings::default(),
        new_tcp("answer-at-once"),
        new_tcp("probe"),
    ];
    let mut rows = Vec::new();
    for delay_ms in ABOUT_200_MS {
        let scenario = ASYMMETRIC.replace("\"200 ms\"", &format!("\"{delay_ms} ms\""));
        let mut row = vec![delay_ms.to_string()];
        for settings in &senders {
            let segments = bench.run(&scenario, settings, &Watch::with_packets(), |run| {
                answer(&run, 20.0).segments
            })?;
            row.push(format!("{:.0}", median(&segments)));
        }
        rows.push(row);
    }
    Ok(ledger().table("return-delay", rows))
}

/// Section 5.2.
pub fn measure_asymmetric(bench: &Bench<'_>) -> Result<Measured, Error> {
    let run = (ASYMMETRIC, 20.0);
    let reno = Line::run(
        bench,
        run,
        11,
        "Reno, slow return path",
        &Settings::default(),
    )?;
    let one = Line::run(
        bench,
        run,
        12,
        "sender-side probing, slow return path",
        &new_tcp("answer-at-once"),
    )?;
    let both = Line::run(
        bench,
        run,
        13,
        "both sides probe, slow return path",
        &new_tcp("probe"),
    )?;
    let delayed = Line::run(bench, run, 12, "", &new_tcp("answer"))?;

    let mut measured = Measured::default();
    measured.numbers("N.fig11", reno.segments());
    measured.numbers("N.fig12", one.segments());
    measured.numbers("N.fig12.gain", one.gains(&reno));
    measured.numbers("N.fig13", both.segments());
    measured.numbers("N.fig13.gain", both.gains(&reno));
    let is_more = |(both, one): (f64, f64)| both > one;
    measured.answers(
        "N.fig13.order",
        both.segments().zip(one.segments()).map(is_more),
    );
    measured.remarks.push(format!(
        "Figure 12 where the first segment of a pair waits for the delayed acknowledgement: {:.0} \
         segments. Of figure 13's {} runs {} have less than Reno's median.",
        delayed.median(),
        both.answers.len(),
        both.segments()
            .filter(|segments| *segments < reno.median())
            .count(),
    ));
    if bench.draws() {
        measured.tables = vec![nearby(bench)?];
        measured.figures = vec![reno.figure(20.0), one.figure(20.0), both.figure(20.0)];
    }
    Ok(measured)
}
