//! Figure 4: a transfer of 100 kB, with and without slow start, delayed ACKs and a scaled window.

use super::arrivals::{received, Arrivals};
use super::setup::{ledger, modified, RESERVED, RESERVED_BITS_PER_S, UNDELAYED};
use crate::{Bench, Error, Figure, Measured, Settings, Value, Watch};
use onramp_plot::plot::{Plot, PlotMarks, PlotSeries, PlotStyle};
use onramp_report::Run;
use onramp_results::SegmentSample;

/// Indexes of the curves in [`all`].
pub const NORMAL: usize = 0;
const UNDELAYED_NORMAL: usize = 1;
const SMALL_WINDOW: usize = 2;
const UNDELAYED_SMALL_WINDOW: usize = 3;
pub const SCALED: usize = 4;

/// Names of the curves, as in the paper's text.
const NAMES: [&str; 5] = [
    "1: normal TCP",
    "2: no delayed ACKs",
    "3: slow start off",
    "4: slow start off, no delayed ACKs",
    "5: slow start off, scaled window",
];

/// A window that is scaled, and larger than what path and bucket hold.
pub fn scaled() -> Settings {
    Settings::of([("receiver.buffer", "256 KiB")])
        .and(&Settings::of([("receiver.window_scaling", true)]))
}

/// The keys of all curves. An alternative smooths those of normal TCP.
pub fn all(bench: &Bench<'_>) -> [Settings; 5] {
    let undelayed = Settings::of([("name", UNDELAYED), ("receiver.acks", "every")]);
    let normal = match bench.measure("smoothed") {
        None => Settings::default(),
        Some(_) => Settings::of([
            ("transfer.startup", "spaced"),
            ("transfer.pace", "1.1 Mbit/s"),
        ]),
    };
    [
        normal.clone(),
        normal.and(&undelayed),
        modified(),
        modified().and(&undelayed),
        modified().and(&scaled()),
    ]
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let clock = bench.measure("clock");
    let curves = bench.run_cells(RESERVED, &all(bench), &Watch::with_packets(), |run| {
        Arrivals::of(&run).since(clock)
    })?;
    let rate = |curve: usize| curves[curve].kbit_per_s();
    let more = |curve: usize, than: usize| 100.0 * (rate(curve) / rate(than) - 1.0);
    let normal = &curves[NORMAL];
    let silences_s = normal.silences_s();

    let mut measured = Measured::default();
    let mut number = |id: &str, number: f64| measured.exactly(id, Value::Number(number));
    number("R.fig4.1.gaps", silences_s.len() as f64);
    number(
        "R.fig4.1.silent",
        100.0 * silences_s.iter().sum::<f64>() / normal.seconds(),
    );
    number("R.fig4.1.bursts", normal.burst_rate());
    number("R.fig4.2", more(UNDELAYED_NORMAL, NORMAL));
    number("R.fig4.3", rate(SMALL_WINDOW));
    number("R.fig4.4", more(UNDELAYED_SMALL_WINDOW, SMALL_WINDOW));
    number("R.fig4.5", rate(SCALED));
    number("R.fig4.5.gain", rate(SCALED) / rate(NORMAL));
    let slow_start = [NORMAL, UNDELAYED_NORMAL];
    let small_window = [SMALL_WINDOW, UNDELAYED_SMALL_WINDOW];
    let is_slower = |some: [usize; 2], than: &[usize]| {
        some.iter()
            .all(|one| than.iter().all(|other| rate(*one) < rate(*other)))
    };
    let in_order = is_slower(slow_start, &small_window) && is_slower(small_window, &[SCALED]);
    measured.exactly("R.fig4.5.order", Value::yes_no(in_order));
    if bench.draws() {
        measured.figures.push(figure(&curves));
    }
    Ok(measured)
}

/// Bytes in kB, for the figures' axes.
pub fn kilobytes(bytes: u64) -> f64 {
    bytes as f64 / 1e3
}

fn figure(curves: &[Arrivals]) -> Figure {
    let series = NAMES.iter().zip(curves).map(|(name, curve)| {
        let point = |(at_s, bytes): &(f64, u64)| (kilobytes(*bytes), at_s - curve.first_s());
        PlotSeries::new(
            *name,
            PlotStyle::Line,
            curve.received.iter().map(point).collect(),
        )
    });
    draw("figure-4", series.collect(), paper_ends())
}

/// A plot of arrival times over received data, with the end points from the paper's text.
fn draw(name: &str, series: Vec<PlotSeries>, marks: Vec<PlotMarks>) -> Figure {
    ledger().plot(name, |plot| Plot {
        series,
        marks,
        ..plot
    })
}

/// Where curves 1, 3 and 5 end by the paper's text: the curve, its rate in bits per second, and the
/// text.
const ENDS: [(usize, f64, &str); 3] = [
    (NORMAL, RESERVED_BITS_PER_S / 3.0, "a third of curve 5"),
    (SMALL_WINDOW, 512e3, "512 kbit/s"),
    (SCALED, RESERVED_BITS_PER_S, "1 Mbit/s"),
];

/// The end points, in the colours of the curves.
fn paper_ends() -> Vec<PlotMarks> {
    const SIZE_KB: f64 = 100.0;
    let mark = |(curve, rate, text): (usize, f64, &str)| {
        let end = vec![(SIZE_KB, SIZE_KB * 8e3 / rate)];
        PlotMarks::new("paper", end).look(curve).texts([text])
    };
    ENDS.map(mark).into()
}

/// Figure 4 from the first run of each kind on a real kernel.
pub fn on_kernel(runs: &[Run]) -> Vec<Figure> {
    let traced = runs
        .iter()
        .filter(|run| run.record.run == 1)
        .filter_map(|run| Some((&run.record, run.trace.as_ref()?)));
    let series = traced.filter_map(|(record, trace)| {
        let arrive = trace.segments.iter().filter(|segment| !segment.dropped);
        let part = |segment: &SegmentSample| {
            (
                segment.time_s,
                segment.start_byte..segment.start_byte + u64::from(segment.length_bytes),
            )
        };
        let received = received(arrive.map(part));
        let (first_s, _) = *received.first()?;
        let point = |(at_s, bytes): &(f64, u64)| (kilobytes(*bytes), at_s - first_s);
        let name = format!(
            "{} + {}, receive buffer {}",
            record.startup, record.avoidance, record.receiver_buffer
        );
        Some(PlotSeries::new(
            name,
            PlotStyle::Line,
            received.iter().map(point).collect(),
        ))
    });
    let series: Vec<PlotSeries> = series.collect();
    if series.is_empty() {
        return Vec::new();
    }
    let one_colour = |marks: PlotMarks| PlotMarks {
        look: None,
        ..marks
    };
    let ends = paper_ends().into_iter().map(one_colour).collect();
    vec![draw("figure-4-on-kernel", series, ends)]
}
