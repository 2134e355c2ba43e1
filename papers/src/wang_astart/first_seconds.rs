//! "with initial ssthresh set to 32 Kbytes, a TCP connection takes about 100 sec to reach the ideal
//! window ...": Reno's numbers, and the five senders' windows on the same path.

use super::senders::{
    bdp_packets, segment_bytes, transfer, Beginning, Sender, ASTART, RENO, SENDERS,
};
use super::setup::START;
use crate::{Bench, Error, Figure, Measured, Run, Settings, Value, Watch};
use onramp_report::plot::{draw_plot, Annotation, Axis, Plot, PlotSeries, PlotStyle};

/// The scenario's name here. The open questions about Reno's numbers affect nothing else.
pub const NAME: &str = "astart-example";
/// Long enough for Reno to fill the pipe.
const LONG: &str = "150 s";
/// The time that the figure shows.
const SHOWN_S: f64 = 10.0;

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let mut measured = Measured::default();
    let long = example(&RENO).and(&Settings::of([("run.duration", LONG)]));
    let (time_s, beginning) = bench.run_seed(START, &long, 0, &Watch::with_windows(), |run| {
        let ideal = bdp_packets(&run) * segment_bytes(&run);
        (window_reaches_s(&run, ideal), Beginning::of(&run))
    })?;
    measured.exactly("W.reno.time", Value::Number(time_s));
    measured.exactly(
        "W.reno.utilization",
        Value::Number(beginning.utilization_10),
    );
    if bench.draws() {
        measured.figures = vec![windows(bench)?, thresholds(bench)?];
    }
    Ok(measured)
}

fn example(sender: &Sender) -> Settings {
    sender.settings().and(&Settings::of([("name", NAME)]))
}

/// When the sender's window reached `bytes`, since it could send; NaN if it never did.
fn window_reaches_s(run: &Run<'_>, bytes: f64) -> f64 {
    let flow = transfer(run);
    let (from_s, _) = flow.established.expect("the connection stands");
    let reached = flow
        .windows
        .iter()
        .find(|windows| windows.cwnd_bytes as f64 >= bytes);
    reached.map_or(f64::NAN, |windows| windows.at_s - from_s)
}

/// A sender's windows over time and the path's BDP, in packets.
struct Curve {
    cwnd: Vec<(f64, f64)>,
    ssthresh: Vec<(f64, f64)>,
    bdp: f64,
}

fn curve(run: &Run<'_>) -> Curve {
    let flow = transfer(run);
    let (from_s, _) = flow.established.expect("the connection stands");
    let segment = segment_bytes(run);
    let shown = || {
        flow.windows
            .iter()
            .filter(|windows| (from_s..from_s + SHOWN_S).contains(&windows.at_s))
    };
    let point = |at_s: f64, bytes: u64| (at_s - from_s, bytes as f64 / segment);
    Curve {
        cwnd: shown()
            .map(|windows| point(windows.at_s, windows.cwnd_bytes))
            .collect(),
        ssthresh: shown()
            .map(|windows| point(windows.at_s, windows.ssthresh_bytes))
            .collect(),
        bdp: bdp_packets(run),
    }
}

fn curves(bench: &Bench<'_>) -> Result<Vec<Curve>, Error> {
    let cells: Vec<Settings> = SENDERS.iter().map(example).collect();
    bench.run_cells(START, &cells, &Watch::with_windows(), |run| curve(&run))
}

fn windows(bench: &Bench<'_>) -> Result<Figure, Error> {
    let curves = curves(bench)?;
    let series = SENDERS
        .iter()
        .zip(&curves)
        .map(|(sender, curve)| PlotSeries::new(sender.name, PlotStyle::Steps, curve.cwnd.clone()));
    let plot = Plot {
        title: "Congestion windows".to_owned(),
        x: Axis::new("time since the sender may send (s)").range(0.0, SHOWN_S),
        y: Axis::new("congestion window (packets)"),
        series: series.collect(),
        annotations: vec![ideal(curves[0].bdp)],
        ..Plot::default()
    };
    let caption =
        "Congestion windows in the first 10 s at 100 Mbit/s and 100 ms, with a buffer of \
        one BDP. Reno and NewReno are one line.";
    Ok(Figure {
        svg: draw_plot(&plot),
        caption: caption.to_owned(),
    })
}

fn ideal(packets: f64) -> Annotation {
    Annotation::Horizontal {
        y: packets,
        text: format!("ideal window: {packets:.0} packets"),
    }
}

/// Astart's ssthresh, which its window follows.
fn thresholds(bench: &Bench<'_>) -> Result<Figure, Error> {
    let curve = bench.run_seed(START, &example(&ASTART), 0, &Watch::with_windows(), |run| {
        curve(&run)
    })?;
    let plot = Plot {
        title: "Astart's window and threshold".to_owned(),
        x: Axis::new("time since the sender may send (s)").range(0.0, SHOWN_S),
        y: Axis::new("packets"),
        annotations: vec![ideal(curve.bdp)],
        series: vec![
            PlotSeries::new("congestion window", PlotStyle::Steps, curve.cwnd),
            PlotSeries::new("slow-start threshold", PlotStyle::Steps, curve.ssthresh),
        ],
        ..Plot::default()
    };
    let caption = "The same of Astart: each time the eligible rate says more than the threshold, \
        it is raised, and slow start goes on; in between the window grows by a packet a round \
        trip.";
    Ok(Figure {
        svg: draw_plot(&plot),
        caption: caption.to_owned(),
    })
}
