//! "with initial ssthresh set to 32 Kbytes, a TCP connection takes about 100 sec to reach the ideal
//! window ...": Reno's numbers, and the five senders' windows on the same path.

use super::senders::{
    bandwidth, bdp_packets, packet_bytes, rate, segment_bytes, Beginning, Sender, ASTART, HOE,
    NEWRENO, OF_ASTART, OF_RENO, RENO, SENDERS,
};
use super::setup::{ledger, START};
use crate::{Bench, Error, Figure, Measured, Run, Settings, Sum, Table, Value, Watch};
use onramp_plot::plot::{Annotation, Plot, PlotMarks, PlotSeries, PlotStyle};

/// The scenario's name here. The open questions about Reno's numbers affect nothing else.
pub const NAME: &str = "astart-example";
/// Long enough for Reno to fill the pipe.
const LONG: &str = "150 s";
/// The time that the figures of windows show.
const SHOWN_S: f64 = 10.0;
/// The longest run of the figure of utilization, and the distance of its points.
const USED_S: f64 = 20.0;
const STEP_S: f64 = 0.25;

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let mut measured = Measured::default();
    let long = example(&RENO).and(&Settings::of([("run.duration", LONG)]));
    let draws = bench.draws();
    let counts_payload = match bench.measure("utilization") {
        None => false,
        Some("payload") => true,
        Some(other) => panic!("no utilization is called {other}"),
    };
    let (time_s, used, reno) = bench.run_seed(START, &long, 0, &Watch::with_windows(), |run| {
        let ideal = bdp_packets(&run) * segment_bytes(&run);
        let reno = draws.then(|| Curve::of(&run, f64::INFINITY));
        let used = Beginning::of(&run).utilization_10;
        let payload = match counts_payload {
            true => segment_bytes(&run) / packet_bytes(&run),
            false => 1.0,
        };
        (window_reaches_s(&run, ideal), used * payload, reno)
    })?;
    measured.exactly("W.reno.time", Value::Number(time_s));
    measured.exactly("W.reno.utilization", Value::Number(used));
    if let Some(reno) = reno {
        measured.tables.push(by_threshold(bench)?);
        let curves = curves(bench)?;
        measured.figures = vec![
            until_ideal(reno),
            utilization(&curves),
            windows(&curves),
            thresholds(&curves[OF_ASTART]),
        ];
    }
    Ok(measured)
}

fn example(sender: &Sender) -> Settings {
    sender.settings().and(&Settings::of([("name", NAME)]))
}

/// When the sender's window reached `bytes`, since it could send; NaN if it never did.
pub(super) fn window_reaches_s(run: &Run<'_>, bytes: f64) -> f64 {
    let flow = run.transfer();
    let (from_s, _) = flow.established.expect("the connection stands");
    let reached = flow
        .windows
        .iter()
        .find(|windows| windows.cwnd_bytes as f64 >= bytes);
    reached.map_or(f64::NAN, |windows| windows.at_s - from_s)
}

/// A sender's windows over time and the path's BDP, in packets, and how much of the path the sender
/// has used by then.
struct Curve {
    cwnd: Vec<(f64, f64)>,
    ssthresh: Vec<(f64, f64)>,
    /// Length of the run, and percentage of the bandwidth that its packets used.
    used: Vec<(f64, f64)>,
    bdp: f64,
}

impl Curve {
    /// The windows of the first seconds, and the use of the first 20.
    fn of(run: &Run<'_>, windows_s: f64) -> Curve {
        let flow = run.transfer();
        let (from_s, _) = flow.established.expect("the connection stands");
        let segment = segment_bytes(run);
        let shown = || {
            flow.windows
                .iter()
                .filter(|windows| (from_s..from_s + windows_s).contains(&windows.at_s))
        };
        let point = |at_s: f64, bytes: u64| (at_s - from_s, bytes as f64 / segment);
        let used = |step: u32| {
            let length_s = f64::from(step) * STEP_S;
            let share = rate(flow, from_s, from_s + length_s) / bandwidth(run);
            (length_s, 100.0 * share)
        };
        Curve {
            cwnd: shown()
                .map(|windows| point(windows.at_s, windows.cwnd_bytes))
                .collect(),
            ssthresh: shown()
                .map(|windows| point(windows.at_s, windows.ssthresh_bytes))
                .collect(),
            used: (1..=(USED_S / STEP_S).round() as u32).map(used).collect(),
            bdp: bdp_packets(run),
        }
    }
}

/// The curves of all senders.
fn curves(bench: &Bench<'_>) -> Result<Vec<Curve>, Error> {
    let cells: Vec<Settings> = SENDERS.iter().map(example).collect();
    bench.run_cells(START, &cells, &Watch::with_windows(), |run| {
        Curve::of(&run, SHOWN_S)
    })
}

/// "an arbitrary value, ranging from 4K to 64K Bytes": what the initial threshold decides.
fn by_threshold(bench: &Bench<'_>) -> Result<Table, Error> {
    const KILOBYTES: [u32; 5] = [4, 8, 16, 32, 64];
    const OTHERS: [Sender; 4] = [RENO, NEWRENO, HOE, ASTART];
    let of_threshold = |kilobytes: u32| {
        let threshold = Settings::of([("transfer.initial_ssthresh", format!("{kilobytes} kB"))]);
        OTHERS.map(|sender| example(&sender).and(&threshold))
    };
    let cells: Vec<Settings> = KILOBYTES.into_iter().flat_map(of_threshold).collect();
    let watch = Watch::of_sums(&[Sum::FlowCarried]);
    let used = bench.run_cells(START, &cells, &watch, |run| {
        format!("{:.1}", Beginning::of(&run).utilization_20)
    })?;
    let rows = KILOBYTES.into_iter().zip(used.chunks(OTHERS.len()));
    let rows = rows.map(|(kilobytes, used)| {
        let first = std::iter::once(kilobytes.to_string());
        first.chain(used.iter().cloned()).collect()
    });
    Ok(ledger().table("initial-threshold", rows.collect()))
}

/// The paper's example: how long Reno takes to the ideal window.
fn until_ideal(reno: Curve) -> Figure {
    let paper_s = ledger().number("W.reno.time");
    let end_s = reno.cwnd.last().map_or(0.0, |(at_s, _)| *at_s);
    let mark = PlotMarks::new("abstract", vec![(paper_s, reno.bdp)]);
    ledger().plot("reno-window", |plot| Plot {
        x: plot.x.range(0.0, end_s),
        series: vec![PlotSeries::new("Reno", PlotStyle::Steps, reno.cwnd)],
        marks: vec![mark.look(0).texts([format!("about {paper_s} s")])],
        annotations: vec![ideal(reno.bdp)],
        ..plot
    })
}

/// How much of the path each sender has used, by the length of the run.
fn utilization(curves: &[Curve]) -> Figure {
    let paper = ledger().number("W.reno.utilization");
    let series = SENDERS
        .iter()
        .zip(curves)
        .map(|(sender, curve)| PlotSeries::new(sender.name, PlotStyle::Line, curve.used.clone()));
    let mark = PlotMarks::new("abstract, Reno", vec![(10.0, paper)]);
    ledger().plot("utilization", |plot| Plot {
        series: series.collect(),
        marks: vec![mark.look(OF_RENO).texts([format!("{paper} %")])],
        ..plot
    })
}

fn windows(curves: &[Curve]) -> Figure {
    let series = SENDERS
        .iter()
        .zip(curves)
        .map(|(sender, curve)| PlotSeries::new(sender.name, PlotStyle::Steps, curve.cwnd.clone()));
    ledger().plot("windows", |plot| Plot {
        series: series.collect(),
        annotations: vec![ideal(curves[0].bdp)],
        ..plot
    })
}

fn ideal(packets: f64) -> Annotation {
    Annotation::Horizontal {
        y: packets,
        text: format!("ideal window: {packets:.0} packets"),
    }
}

/// Astart's ssthresh, which its window follows.
fn thresholds(astart: &Curve) -> Figure {
    let steps = |name: &str, points: &[(f64, f64)]| {
        PlotSeries::new(name, PlotStyle::Steps, points.to_vec())
    };
    ledger().plot("threshold", |plot| Plot {
        annotations: vec![ideal(astart.bdp)],
        series: vec![
            steps("congestion window", &astart.cwnd),
            steps("slow-start threshold", &astart.ssthresh),
        ],
        ..plot
    })
}
