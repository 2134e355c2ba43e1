//! Figures 3, 4 and 5: TCP Lite over the WAN (section 3).

use super::setup::{ledger, lite, payload_rate, KB, MB, WAN};
use crate::expectation::digits;
use crate::watch::Flow;
use crate::{Bench, Error, Figure, Measured, Run, Settings, Watch};
use onramp_plot::plot::{draw_plot, Annotation, Plot, PlotMarks, PlotSeries, PlotStyle};
use onramp_plot::trace_graph::{kilobytes_sent, trace_graph, TraceGraph};
use onramp_report::statistics::median;

/// Times at which the paper cuts its runs.
const CUTS_S: [f64; 5] = [1.0, 5.0, 10.0, 20.0, 30.0];
/// Losses within this time are of one window: two round trips.
const TOGETHER_S: f64 = 0.12;
/// A sender's share of the pipe (section 3.3).
const PART_OF_PIPE_BYTES: u64 = 145_000;
/// Long enough for the second loss of most senders.
const DURATION: &str = "45 s";
/// Figure 4 ends here.
const FIGURE_4_UNTIL_S: f64 = 30.0;
/// Figure 5 is the beginning of figure 4.
const FIGURE_5_UNTIL_S: f64 = 4.0;

/// The measurements of one run.
struct Answer {
    /// Data delivered to all receivers, at each cut.
    delivered: [f64; 5],
    /// Data acknowledged to all senders, at each cut.
    acknowledged: [f64; 5],
    /// The same as shares of the bottleneck's payload rate.
    throughput: [f64; 5],
    /// One story for each sender.
    stories: Vec<Story>,
}

/// The events of one sender (figure 4), in seconds since its handshake began; NaN for an event that
/// it did not reach.
#[derive(Clone, Copy, Debug)]
struct Story {
    established_s: f64,
    window_bytes: u64,
    loss_s: f64,
    timeout_s: f64,
    slow_start_ends_s: f64,
    /// From the timeout until cwnd is a sender's share of the pipe.
    fill_s: f64,
    next_loss_s: f64,
    /// Segments lost then, within two round trips.
    next_lost: f64,
    next_by_fast_retransmit: bool,
    /// From the last segment before the timeout to the timeout.
    idle_s: f64,
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let settings = lite().and(&Settings::of([("run.duration", DURATION)]));
    let answers = bench.run(WAN, &settings, &Watch::with_windows(), |run| answer(&run))?;
    let mut measured = Measured::default();
    for (place, cut_s) in CUTS_S.into_iter().enumerate() {
        let unit = if cut_s == 1.0 { KB } else { MB };
        measured.numbers(
            format!("A.fig3.{cut_s}s"),
            answers
                .iter()
                .map(|answer| 100.0 * answer.throughput[place]),
        );
        measured.numbers(
            format!("A.fig3.data.{cut_s}s"),
            answers
                .iter()
                .map(|answer| answer.acknowledged[place] / 8.0 / unit),
        );
    }
    measured.remarks.push(delivered_remark(&answers));
    let (seed, sender) = typical(&answers);
    // For each run, the median of its senders.
    let of_runs = |value: fn(&Story) -> f64| {
        answers
            .iter()
            .map(move |answer| median_of(answer.stories.iter(), value))
    };
    measured.numbers("A.fig4.loss", of_runs(|story| story.loss_s));
    measured.numbers("A.fig4.timeout", of_runs(|story| story.timeout_s));
    measured.numbers(
        "A.fig4.slow-start",
        of_runs(|story| story.slow_start_ends_s),
    );
    measured.numbers("A.fig4.next-loss", of_runs(|story| story.next_loss_s));
    measured.numbers("A.fig4.single", of_runs(|story| story.next_lost));
    measured.numbers("A.fig4.idle", of_runs(|story| story.idle_s));
    measured.numbers("A.fig4.fill", of_runs(|story| story.fill_s));
    measured.numbers("A.fig5", of_runs(|story| 1000.0 * story.established_s));
    measured.answers(
        "A.fig4.fast-retransmit",
        answers.iter().map(|answer| is_fast(&answer.stories)),
    );
    let has_window = |story: &Story| story.window_bytes == 512 * 1024;
    measured.answers(
        "A.fig5.window",
        answers
            .iter()
            .map(|answer| answer.stories.iter().all(has_window)),
    );
    let stories = || answers.iter().flat_map(|answer| &answer.stories);
    let lost = stories()
        .filter(|story| story.next_loss_s.is_finite())
        .count();
    let repaired = stories()
        .filter(|story| story.next_by_fast_retransmit)
        .count();
    measured.remarks.push(format!(
        "The trace is that of the typical sender: of all senders and seeds the one nearest to the \
         medians of loss, timeout, end of slow start and next loss. In 45 s {lost} of {} senders \
         have a next loss, and {repaired} of these repair it by fast retransmit.",
        stories().count(),
    ));
    if bench.draws() {
        let graph = bench.run_seed(WAN, &settings, seed, &Watch::with_windows(), |run| {
            graph(&run.watch.flows[sender])
        })?;
        measured.figures = vec![figure_3(&answers)];
        measured.figures.extend(figures(&graph));
        measured.figures.push(beside_the_paper(&graph));
    }
    Ok(measured)
}

/// Whether most of the senders that have a next loss repair it by fast retransmit.
fn is_fast(stories: &[Story]) -> bool {
    let lost = || stories.iter().filter(|story| story.next_loss_s.is_finite());
    let repaired = lost().filter(|story| story.next_by_fast_retransmit);
    2 * repaired.count() > lost().count()
}

/// The data that had been delivered by each cut, and not yet acknowledged at all.
fn delivered_remark(answers: &[Answer]) -> String {
    let of_cut = |place: usize| median(answers.iter().map(|answer| answer.delivered[place] / 8.0));
    let first = digits(of_cut(0) / KB);
    let later: Vec<String> = (1..CUTS_S.len())
        .map(|place| digits(of_cut(place) / MB))
        .collect();
    format!(
        "Figure 3 counts what its senders know to have arrived. By the same times {first} KB, {} \
         MB have been delivered.",
        later.join(", ")
    )
}

fn answer(run: &Run<'_>) -> Answer {
    let origin_s = run.watch.origin_s();
    let delivered = CUTS_S.map(|cut_s| run.watch.delivered_by(origin_s + cut_s) as f64);
    let acknowledged = CUTS_S.map(|cut_s| run.watch.acknowledged_by(origin_s + cut_s) as f64);
    let max_rate = payload_rate(run.case);
    let throughput = std::array::from_fn(|place| acknowledged[place] / (max_rate * CUTS_S[place]));
    Answer {
        delivered,
        acknowledged,
        throughput,
        stories: run.watch.flows.iter().map(story).collect(),
    }
}

fn story(flow: &Flow) -> Story {
    let start_s = flow.sender_start_s();
    let first = |times: &[f64], after_s: f64| times.iter().copied().find(|at_s| *at_s > after_s);
    let timeouts_s: Vec<f64> = flow.timeouts.iter().map(|timeout| timeout.at_s).collect();
    let loss_s = first(&flow.drops_s, start_s);
    let timeout_s = loss_s
        .and_then(|loss_s| first(&timeouts_s, loss_s))
        .unwrap_or(f64::NAN);
    let after = || {
        flow.windows
            .iter()
            .filter(|windows| windows.at_s > timeout_s)
    };
    let slow_start_ends_s = after()
        .find(|windows| !windows.slow_start)
        .map_or(f64::NAN, |windows| windows.at_s);
    let is_full =
        |windows: &&crate::Windows| !windows.slow_start && windows.cwnd_bytes >= PART_OF_PIPE_BYTES;
    // A loss that did not happen is later than all others.
    let next_loss_s = first(&flow.drops_s, slow_start_ends_s).unwrap_or(f64::INFINITY);
    let recovery_s = first(&flow.recoveries_s, next_loss_s);
    let repaired_s = recovery_s.and_then(|at_s| acknowledged_s(flow, at_s));
    let next_timeout_s = first(&timeouts_s, next_loss_s);
    let next_lost = flow
        .drops_s
        .iter()
        .filter(|at_s| (next_loss_s..next_loss_s + TOGETHER_S).contains(*at_s))
        .count();
    let sent_before = flow
        .sent
        .iter()
        .rfind(|(at_s, _)| *at_s < timeout_s)
        .map_or(f64::NAN, |(at_s, _)| *at_s);
    Story {
        established_s: flow
            .established
            .map_or(f64::NAN, |(at_s, _)| at_s - start_s),
        window_bytes: flow.established.map_or(0, |(_, bytes)| bytes),
        loss_s: loss_s.map_or(f64::NAN, |at_s| at_s - start_s),
        timeout_s: timeout_s - start_s,
        slow_start_ends_s: slow_start_ends_s - start_s,
        fill_s: after()
            .find(is_full)
            .map_or(f64::NAN, |windows| windows.at_s - timeout_s),
        next_loss_s: next_loss_s - start_s,
        next_lost: match next_lost {
            0 => f64::NAN,
            lost => lost as f64,
        },
        next_by_fast_retransmit: repaired_s
            .is_some_and(|at_s| next_timeout_s.is_none_or(|timeout_s| at_s < timeout_s)),
        idle_s: timeout_s - sent_before,
    }
}

/// When everything that had been sent by this time was acknowledged.
fn acknowledged_s(flow: &Flow, by_s: f64) -> Option<f64> {
    let sent = flow.sent.iter().rfind(|(at_s, _)| *at_s <= by_s);
    sent.and_then(|(_, bytes)| flow.acknowledged.reached_s(*bytes))
}

/// The median over the senders that reached the event. A loss that did not happen counts as later
/// than all others.
fn median_of<'a>(stories: impl Iterator<Item = &'a Story>, value: fn(&Story) -> f64) -> f64 {
    median(stories.map(value).filter(|value| !value.is_nan()))
}

/// Seed and sender of the story nearest to all medians.
fn typical(answers: &[Answer]) -> (usize, usize) {
    let parts: [fn(&Story) -> f64; 4] = [
        |story| story.loss_s,
        |story| story.timeout_s,
        |story| story.slow_start_ends_s,
        |story| story.next_loss_s,
    ];
    let medians =
        parts.map(|part| median_of(answers.iter().flat_map(|answer| &answer.stories), part));
    let distance = |story: &Story| -> f64 {
        let distances = parts
            .iter()
            .zip(medians)
            .map(|(part, median)| (part(story) / median - 1.0).abs());
        // A sender that did not reach an event is not typical.
        distances
            .map(|distance| {
                if distance.is_finite() {
                    distance
                } else {
                    f64::INFINITY
                }
            })
            .sum()
    };
    let all = answers.iter().enumerate().flat_map(|(seed, answer)| {
        answer
            .stories
            .iter()
            .enumerate()
            .map(move |(sender, story)| ((seed, sender), distance(story)))
    });
    all.min_by(|one, other| one.1.total_cmp(&other.1))
        .map_or((0, 0), |(place, _)| place)
}

fn graph(flow: &Flow) -> TraceGraph {
    let start_s = flow.sender_start_s();
    let since = |times: &[f64]| -> Vec<f64> { times.iter().map(|at_s| at_s - start_s).collect() };
    let window = |bytes: fn(&crate::Windows) -> u64| -> Vec<(f64, u64)> {
        flow.windows
            .iter()
            .map(|windows| (windows.at_s - start_s, bytes(windows)))
            .collect()
    };
    let sent: Vec<(f64, u64)> = flow
        .sent
        .iter()
        .map(|(at_s, bytes)| (at_s - start_s, *bytes))
        .collect();
    let end_s = flow.windows.last().map_or(start_s, |windows| windows.at_s);
    let checks_s = flow.slow_timer_s.map_or(Vec::new(), |(first_s, period_s)| {
        let ticks = (0..).map(|tick| first_s + f64::from(tick) * period_s);
        ticks
            .skip_while(|at_s| *at_s < start_s)
            .take_while(|at_s| *at_s <= end_s)
            .map(|at_s| at_s - start_s)
            .collect()
    });
    TraceGraph {
        acks_s: since(&flow.acks_s),
        sends_s: sent.iter().map(|(at_s, _)| *at_s).collect(),
        kilobytes: kilobytes_sent(&sent),
        timer_checks_s: checks_s,
        timeouts_s: flow
            .timeouts
            .iter()
            .map(|timeout| timeout.at_s - start_s)
            .collect(),
        retransmissions_s: since(&flow.retransmissions_s),
        ssthresh: window(|windows| windows.ssthresh_bytes),
        send_window: window(|windows| windows.send_window_bytes),
        cwnd: window(|windows| windows.cwnd_bytes),
        unacked: window(|windows| windows.unacked_bytes),
    }
}

/// The table of figure 3 as a plot.
fn figure_3(answers: &[Answer]) -> Figure {
    let of_cut = |place: usize, pick: fn(&[f64]) -> f64| {
        let shares: Vec<f64> = answers
            .iter()
            .map(|one| 100.0 * one.throughput[place])
            .collect();
        (CUTS_S[place], pick(&shares))
    };
    let line = |name: &str, style, pick: fn(&[f64]) -> f64| {
        let points = (0..CUTS_S.len()).map(|place| of_cut(place, pick));
        PlotSeries::new(name, style, points.collect())
    };
    let least = |shares: &[f64]| shares.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |shares: &[f64]| shares.iter().copied().fold(0.0, f64::max);
    let paper = CUTS_S.map(|cut_s| (cut_s, ledger().number(&format!("A.fig3.{cut_s}s"))));
    let texts = paper.map(|(_, share)| format!("{share} %"));
    ledger().figure("figure-3", |plot| {
        draw_plot(&Plot {
            series: vec![
                line("median of the seeds", PlotStyle::Line, |values| {
                    median(values)
                }),
                line("least", PlotStyle::Dashed, least).look(0),
                line("most", PlotStyle::Dashed, most).look(0),
            ],
            marks: vec![PlotMarks::new("paper", paper.to_vec()).texts(texts)],
            ..plot
        })
    })
}

/// The windows of figure 4 with the times that the paper's text has for its trace.
fn beside_the_paper(graph: &TraceGraph) -> Figure {
    let in_kb = |points: &[(f64, u64)]| -> Vec<(f64, f64)> {
        let finite = points.iter().filter(|(_, bytes)| *bytes < u64::MAX);
        finite
            .map(|(at_s, bytes)| (*at_s, *bytes as f64 / KB))
            .collect()
    };
    let times = [
        ("first loss", "A.fig4.loss"),
        ("timeout", "A.fig4.timeout"),
        ("end of slow start", "A.fig4.slow-start"),
        ("next loss", "A.fig4.next-loss"),
    ];
    let mark = |(look, (name, row)): (usize, (&str, &str))| {
        let name = format!("paper: {name}");
        let at_s = ledger().number(row);
        PlotMarks::new(name, vec![(at_s, 0.0)])
            .look(look + 2)
            .texts([format!("{at_s} s")])
    };
    ledger().figure("figure-4-times", |plot| {
        draw_plot(&Plot {
            series: vec![
                PlotSeries::new("congestion window", PlotStyle::Steps, in_kb(&graph.cwnd)),
                PlotSeries::new("ssthresh", PlotStyle::Steps, in_kb(&graph.ssthresh)),
            ],
            marks: times.into_iter().enumerate().map(mark).collect(),
            annotations: vec![Annotation::Horizontal {
                y: PART_OF_PIPE_BYTES as f64 / KB,
                text: "paper: reached more than 16 s after the timeout".to_owned(),
            }],
            ..plot
        })
    })
}

fn figures(graph: &TraceGraph) -> [Figure; 2] {
    let times = [
        ("figure-4", FIGURE_4_UNTIL_S),
        ("figure-5", FIGURE_5_UNTIL_S),
    ];
    times.map(|(name, until_s)| {
        ledger().figure(name, |plot| trace_graph(&plot.title, graph, 0.0, until_s))
    })
}
