//! Figures 7 and 8: the cost of a timeout when another sender starts (section 5.1).

use super::setup::{ledger, payload_rate, Timing, KB, MB};
use crate::{Bench, Error, Figure, Flow, Measured, Run, Sum, Timeout, Value, Watch};
use onramp_plot::plot::{draw_plot, Plot, PlotMarks, PlotSeries, PlotStyle};
use onramp_report::statistics::{mean, median};

/// The figures measure for this time after the last sender's start.
const WINDOW_S: f64 = 5.0;
/// The bottleneck of figure 7.
const T1_BITS_PER_S: f64 = 1.5e6;
/// Interval of the points of their curves.
const STEP_S: f64 = 0.1;

/// From where a timeout's delay counts.
#[derive(Clone, Copy)]
enum Counted {
    /// From the start of its timer: sections 4.1 and 5.1.
    FromTimer,
    /// From the previous packet: section 3.1.
    FromPacket,
}

impl Counted {
    /// As decided, or as an alternative has it.
    fn of(bench: &Bench<'_>) -> Counted {
        match bench.measure("delay") {
            None => Counted::FromTimer,
            Some("from the previous packet") => Counted::FromPacket,
            Some(other) => panic!("no delay counts {other}"),
        }
    }

    fn delay_s(self, timeout: &Timeout) -> f64 {
        match self {
            Counted::FromTimer => timeout.delay_s,
            Counted::FromPacket => timeout.silent_s,
        }
    }
}

/// The measurements of one run.
struct Answer {
    /// Bytes of IP packets over the bottleneck since the last sender's start, at each step.
    curve: Vec<f64>,
    /// All of them, as a share of the bottleneck's rate.
    throughput: f64,
    /// The data that the senders know to have arrived, as a share of the most that the bottleneck
    /// could carry.
    useful: f64,
    /// Delay of each timeout.
    delays_s: Vec<f64>,
    /// Number of earlier senders that had a timeout.
    timed_out: usize,
    /// Whether each sender had one.
    all_timed_out: bool,
    /// When the last sender lost its first segment, since its start, and the bytes that had crossed
    /// the bottleneck by then.
    first_loss: Option<(f64, f64)>,
}

impl Answer {
    fn of(run: &Run<'_>, counted: Counted) -> Answer {
        let last = run
            .watch
            .flows
            .iter()
            .max_by(|one, other| one.started_s.total_cmp(&other.started_s));
        let last = last.expect("a scenario has flows");
        let from_s = last.sender_start_s();
        let before = run.watch.carried.by(from_s);
        let steps = 1..=(WINDOW_S / STEP_S).round() as u32;
        let curve: Vec<f64> = steps
            .map(|step| (run.watch.carried.by(from_s + f64::from(step) * STEP_S) - before) as f64)
            .collect();
        let within = |at_s: f64| (from_s..=from_s + WINDOW_S).contains(&at_s);
        let flows = &run.watch.flows;
        let timeouts = flows.iter().flat_map(|flow| &flow.timeouts);
        let timeouts = timeouts.filter(|timeout| within(timeout.at_s));
        let timed_out = |flow: &&Flow| flow.timeouts.iter().any(|timeout| within(timeout.at_s));
        let earlier = flows.iter().filter(|flow| flow.started_s < last.started_s);
        let first_loss_s = last.drops_s.iter().copied().find(|at_s| within(*at_s));
        let rate = run.case.network.links[0].forward.packet_bits_per_s() as f64 / 8.0;
        let acknowledged = |at_s| run.watch.acknowledged_by(at_s) as f64;
        let useful = acknowledged(from_s + WINDOW_S) - acknowledged(from_s);
        Answer {
            useful: useful / payload_rate(run.case) / WINDOW_S,
            throughput: curve.last().copied().unwrap_or(0.0) / rate / WINDOW_S,
            curve,
            delays_s: timeouts.map(|timeout| counted.delay_s(timeout)).collect(),
            first_loss: first_loss_s
                .map(|at_s| (at_s - from_s, (run.watch.carried.by(at_s) - before) as f64)),
            timed_out: earlier.filter(timed_out).count(),
            all_timed_out: flows.iter().all(|flow| timed_out(&flow)),
        }
    }

    fn bytes(&self) -> f64 {
        self.curve.last().copied().unwrap_or(0.0)
    }
}

/// The runs of the three timers, in the order of [`Timing::ALL`].
fn answers(bench: &Bench<'_>, scenario: &str) -> Result<[Vec<Answer>; 3], Error> {
    let watch = Watch::of_sums(&[Sum::Carried, Sum::Acknowledged]);
    let counted = Counted::of(bench);
    let take = |run: Run<'_>| Answer::of(&run, counted);
    let mut all = Timing::ALL.map(|_| Vec::new());
    for (answers, timing) in all.iter_mut().zip(Timing::ALL) {
        *answers = bench.run(scenario, &timing.settings(), &watch, take)?;
    }
    Ok(all)
}

/// The mean delay of each run in which a timer expired.
fn delays(answers: &[Answer]) -> impl Iterator<Item = f64> + '_ {
    answers
        .iter()
        .filter_map(|answer| mean(&answer.delays_s))
        .filter(|delay_s| delay_s.is_finite())
}

/// The maximum delay of all seeds.
fn longest(answers: &[Answer]) -> Value {
    Value::Number(
        answers
            .iter()
            .flat_map(|answer| &answer.delays_s)
            .copied()
            .fold(0.0, f64::max),
    )
}

fn gains<'a>(all: &'a [Vec<Answer>; 3], unit: f64) -> impl Iterator<Item = f64> + 'a {
    let [original, _, proposed] = all;
    proposed
        .iter()
        .zip(original)
        .map(move |(proposed, original)| (proposed.bytes() - original.bytes()) / unit)
}

fn figure(name: &str, all: &[Vec<Answer>; 3], unit: f64, marks: Vec<PlotMarks>) -> Figure {
    let series = all.iter().zip(Timing::ALL).map(|(answers, timing)| {
        let points = (0..answers[0].curve.len()).map(|step| {
            let bytes = answers.iter().map(|answer| answer.curve[step] / unit);
            (f64::from(step as u32 + 1) * STEP_S, median(bytes))
        });
        PlotSeries::new(
            timing.name(),
            PlotStyle::Line,
            std::iter::once((0.0, 0.0)).chain(points).collect(),
        )
    });
    ledger().figure(name, |plot| {
        draw_plot(&Plot {
            series: series.collect(),
            marks,
            ..plot
        })
    })
}

pub fn measure_t1(bench: &Bench<'_>) -> Result<Measured, Error> {
    let all = answers(bench, include_str!("t1.toml"))?;
    let [original, brakmo, proposed] = &all;
    let mut measured = Measured::default();
    for (name, answers) in ["original", "brakmo", "proposed"].into_iter().zip(&all) {
        measured.numbers(
            format!("A.fig7.{name}"),
            answers.iter().map(|answer| 100.0 * answer.throughput),
        );
    }
    measured.numbers("A.fig7.delay.original", delays(original));
    measured.numbers("A.fig7.delay.brakmo", delays(brakmo));
    measured.exactly("A.fig7.delay.proposed", longest(proposed));
    measured.numbers("A.fig7.gain", gains(&all, KB));
    let both = |answers: &[Answer]| -> Vec<bool> {
        answers.iter().map(|answer| answer.all_timed_out).collect()
    };
    measured.answers("A.fig7.both.original", both(original));
    measured.answers("A.fig7.both.proposed", both(proposed));
    let useful = all.each_ref().map(|answers| {
        let shares = answers.iter().map(|answer| 100.0 * answer.useful);
        format!("{:.1}", median(shares))
    });
    measured.remarks.push(format!(
        "By the data that is acknowledged, as in figure 3, the throughputs are {} % (medians).",
        useful.join(", ")
    ));
    if bench.draws() {
        let shares = ["original", "brakmo", "proposed"];
        let marks = shares.iter().zip(Timing::ALL).enumerate();
        let mark = |(look, (row, timing)): (usize, (&&str, Timing))| {
            let share = ledger().number(&format!("A.fig7.{row}")) / 100.0;
            let data = share * T1_BITS_PER_S / 8.0 * WINDOW_S / KB;
            let percent = format!("{:.0} %", 100.0 * share);
            PlotMarks::new(format!("paper, {}", timing.name()), vec![(WINDOW_S, data)])
                .look(look)
                .texts([percent])
        };
        let marks = marks.map(mark).collect();
        measured.figures.push(figure("figure-7", &all, KB, marks));
    }
    Ok(measured)
}

pub fn measure_wan(bench: &Bench<'_>) -> Result<Measured, Error> {
    let all = answers(bench, include_str!("wan-late.toml"))?;
    let [original, brakmo, proposed] = &all;
    let mut measured = Measured::default();
    measured.numbers(
        "A.fig8.timeouts",
        original.iter().map(|answer| answer.timed_out as f64),
    );
    measured.numbers(
        "A.fig8.total",
        original.iter().map(|answer| answer.bytes() / MB),
    );
    measured.numbers("A.fig8.gain", gains(&all, MB));
    measured.numbers("A.fig8.delay.original", delays(original));
    measured.numbers("A.fig8.delay.brakmo", delays(brakmo));
    measured.numbers("A.fig8.delay.proposed", delays(proposed));
    measured.exactly("A.fig8.delay.longest", longest(proposed));
    let losses = || original.iter().filter_map(|answer| answer.first_loss);
    measured.remarks.push(format!(
        "With the original timers the eighth sender's slow start loses its first segment {:.2} s \
         after its start; {:.1} MB have crossed the bottleneck by then (medians).",
        median(losses().map(|(at_s, _)| at_s)),
        median(losses().map(|(_, bytes)| bytes / MB)),
    ));
    if bench.draws() {
        measured.figures.push(figure_8(&all));
    }
    Ok(measured)
}

fn figure_8(all: &[Vec<Answer>; 3]) -> Figure {
    let ledger = ledger();
    let bytes: Vec<f64> = all[0].iter().map(|answer| answer.bytes() / MB).collect();
    let more = median(&bytes) + ledger.number("A.fig8.gain");
    let most = ledger.number("A.fig8.total");
    let mark = |name: &str, megabytes: f64| PlotMarks::new(name, vec![(WINDOW_S, megabytes)]);
    let marks = vec![
        mark("paper, orig-timer", most).look(0).texts(["< 20 MB"]),
        mark("paper, prop-timer", more)
            .look(2)
            .texts(["1.5 MB more"]),
    ];
    figure("figure-8", all, MB, marks)
}
