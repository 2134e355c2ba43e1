//! The five senders over a path's bandwidth, buffer and RTT.

use super::senders::{self, segment_bytes, Beginning, First, RENO, VEGAS};
use super::senders::{OF_ASTART, OF_HOE, OF_NEWRENO, OF_RENO, OF_VEGAS, SENDERS};
use super::setup::{buffer, ledger, START};
use crate::{Bench, Error, Figure, Measured, Settings, Sum, Table, Value, Watch};
use onramp_plot::plot::{Annotation, Plot, PlotSeries, PlotStyle};

/// "low utilization", in percent: the rows' bound.
const LOW: f64 = 50.0;

/// A path or a load: a line of a table, and a point of a figure.
pub struct Point {
    /// The first cells of its line.
    pub labels: Vec<String>,
    /// Its position on the figure's axis.
    pub x: f64,
    pub settings: Settings,
}

/// The first seconds of each sender at each point.
pub struct Sweep {
    pub points: Vec<Point>,
    pub beginnings: Vec<[Beginning; SENDERS.len()]>,
    first: First,
}

impl Sweep {
    pub fn run(bench: &Bench<'_>, scenario: &str, points: Vec<Point>) -> Result<Sweep, Error> {
        let of_point =
            |point: &Point| SENDERS.map(|sender| point.settings.clone().and(&sender.settings()));
        let cells: Vec<Settings> = points.iter().flat_map(of_point).collect();
        let watch = Watch::of_sums(&[Sum::FlowCarried]);
        let all = bench.run_cells_once(scenario, &cells, 1, &watch, Beginning::of)?;
        let all = all.concat();
        let (beginnings, _) = all.as_chunks();
        Ok(Sweep {
            points,
            beginnings: beginnings.to_vec(),
            first: First::of(bench),
        })
    }

    /// The first seconds of one sender at the chosen points.
    pub fn of<'a>(
        &'a self,
        sender: usize,
        chosen: impl Fn(&Point) -> bool + 'a,
    ) -> impl Iterator<Item = Beginning> + 'a {
        let points = self.points.iter().zip(&self.beginnings);
        points
            .filter(move |(point, _)| chosen(point))
            .map(move |(_, beginnings)| beginnings[sender])
    }

    /// The utilization of one sender at the chosen points.
    fn used<'a>(
        &'a self,
        sender: usize,
        chosen: impl Fn(&Point) -> bool + 'a,
    ) -> impl Iterator<Item = f64> + 'a {
        let beginnings = self.of(sender, chosen);
        beginnings.map(|beginning| (self.first.utilization)(&beginning))
    }

    fn min_utilization(&self, sender: usize, chosen: impl Fn(&Point) -> bool) -> f64 {
        self.used(sender, chosen).fold(f64::INFINITY, f64::min)
    }

    fn max_utilization(&self, sender: usize, chosen: impl Fn(&Point) -> bool) -> f64 {
        self.used(sender, chosen).fold(0.0, f64::max)
    }

    /// Two tables: utilization in the first 10 and 20 s, and losses.
    pub fn tables(&self, name: &str, what: &str, labels: &[&str]) -> Vec<Table> {
        let head = |columns: [&str; 2]| {
            let of_sender =
                |index: usize| columns.map(|column| format!("{}, {column}", SENDERS[index].name));
            labels
                .iter()
                .map(|label| (*label).to_owned())
                .chain((0..SENDERS.len()).flat_map(of_sender))
                .collect()
        };
        let rows = |cells: fn(&Beginning) -> [String; 2]| {
            let row = |(point, beginnings): (&Point, &[Beginning; SENDERS.len()])| {
                point
                    .labels
                    .iter()
                    .cloned()
                    .chain(beginnings.iter().flat_map(cells))
                    .collect()
            };
            self.points.iter().zip(&self.beginnings).map(row).collect()
        };
        vec![
            Table {
                name: format!("{name}-utilization"),
                caption: format!("Utilization in the first 10 and 20 s, in percent, {what}"),
                head: head(["10 s", "20 s"]),
                rows: rows(|of| {
                    [of.utilization_10, of.utilization_20].map(|share| format!("{share:.1}"))
                }),
            },
            Table {
                name: format!("{name}-losses"),
                caption: format!("Segments lost and timeouts in the first 20 s, {what}"),
                head: head(["lost", "timeouts"]),
                rows: rows(|of| [of.lost, of.timeouts].map(|count| count.to_string())),
            },
        ]
    }

    /// Utilization in the first 20 s over one of the axes.
    pub fn figure(&self, name: &str, chosen: impl Fn(&Point) -> bool) -> Figure {
        let points: Vec<&Point> = self.points.iter().filter(|point| chosen(point)).collect();
        let of_sender = |sender: usize| {
            let shares = self
                .of(sender, &chosen)
                .map(|beginning| beginning.utilization_20);
            let line = points.iter().map(|point| point.x).zip(shares).collect();
            PlotSeries::new(SENDERS[sender].name, PlotStyle::Line, line)
        };
        let low = Annotation::Horizontal {
            y: LOW,
            text: "low is below a half: our bound".to_owned(),
        };
        ledger().plot(name, |plot| Plot {
            series: (0..SENDERS.len()).map(of_sender).collect(),
            annotations: vec![low],
            ..plot
        })
    }
}

/// Bandwidths in Mbit/s: our range; the abstract has none.
pub const BANDWIDTHS: [u32; 6] = [10, 20, 40, 70, 100, 150];
/// Bandwidths beyond it.
const FASTER: [u32; 3] = [250, 500, 1000];
/// RTTs in ms: our range.
pub const RTTS: [u32; 4] = [20, 50, 100, 200];
/// RTTs beyond it.
const LONGER: [u32; 3] = [300, 400, 600];
/// Bandwidth and RTT of the paper's example.
const BANDWIDTH: u32 = 100;
const RTT: u32 = 100;

pub fn path(bandwidth: u32, rtt: u32) -> Settings {
    Settings::of([
        ("path.rate", format!("{bandwidth} Mbit/s")),
        ("path.rtt", format!("{rtt} ms")),
    ])
}

/// The BDP in packets of 1040 bytes.
fn bdp_packets(bandwidth: u32, rtt: u32) -> u32 {
    bandwidth * rtt * 1000 / 8 / 1040
}

/// Every bandwidth of the range with every RTT of its range.
fn grid() -> Vec<Point> {
    let of_rtt = |rtt: u32| BANDWIDTHS.map(|bandwidth| (bandwidth, rtt));
    let point = |(bandwidth, rtt): (u32, u32)| Point {
        labels: vec![
            rtt.to_string(),
            bandwidth.to_string(),
            bdp_packets(bandwidth, rtt).to_string(),
        ],
        x: bandwidth.into(),
        settings: path(bandwidth, rtt),
    };
    RTTS.into_iter().flat_map(of_rtt).map(point).collect()
}

/// Whether a window of 32 packets that grows by one a round trip needs more than 40 s to fill the
/// pipe: twice the observed time, so at most half of the pipe is filled in it. These are taken for
/// the abstract's high-speed networks; on others the sender recovers from a wrong ssthresh in time.
fn is_high_speed(bandwidth: u32, rtt_ms: u32) -> bool {
    let bdp = f64::from(bdp_packets(bandwidth, rtt_ms));
    (bdp - 32.0) * f64::from(rtt_ms) / 1e3 > 40.0
}

pub fn measure_grid(bench: &Bench<'_>) -> Result<Measured, Error> {
    let grid = Sweep::run(bench, START, grid())?;
    let all = |_: &Point| true;
    let is_long = |point: &Point| {
        let [rtt, bandwidth] = [0, 1].map(|column| point.labels[column].parse().expect("a number"));
        is_high_speed(bandwidth, rtt)
    };

    let mut measured = Measured::default();
    let mut number = |id: &str, number: f64| measured.exactly(id, Value::Number(number));
    number("W.early.reno", grid.max_utilization(OF_RENO, is_long));
    number("W.early.newreno", grid.max_utilization(OF_NEWRENO, is_long));
    number("W.early.vegas", grid.max_utilization(OF_VEGAS, is_long));
    number("W.hoe.alone", grid.min_utilization(OF_HOE, all));
    number("W.astart.grid", grid.min_utilization(OF_ASTART, all));
    let at = |sender: usize, rtt: u32, bandwidth: u32| {
        let is_it =
            move |point: &Point| point.labels[..2] == [rtt.to_string(), bandwidth.to_string()];
        grid.min_utilization(sender, is_it)
    };
    let [slowest, .., fastest] = BANDWIDTHS;
    let falls = |sender: usize| {
        RTTS.into_iter()
            .all(|rtt| at(sender, rtt, fastest) < at(sender, rtt, slowest))
    };
    measured.exactly("W.early.reno.falls", Value::yes_no(falls(OF_RENO)));
    measured.exactly("W.early.vegas.falls", Value::yes_no(falls(OF_VEGAS)));
    let exits = exit_windows(bench)?;
    measured.exactly("W.early.reno.exit", Value::Number(exits[0]));
    measured.exactly("W.early.vegas.exit", Value::Number(exits[1]));
    let lost = grid
        .of(OF_ASTART, all)
        .map(|beginning| beginning.lost_together)
        .max()
        .unwrap_or_default();
    measured.exactly("W.astart.grid.lost", Value::Number(lost as f64));
    if bench.draws() {
        let labels = ["RTT (ms)", "bandwidth (Mbit/s)", "BDP (packets)"];
        measured
            .tables
            .extend(grid.tables("grid", "by round-trip time and bandwidth", &labels));
        draw_beyond(bench, &mut measured)?;
    }
    Ok(measured)
}

/// The windows with which Reno and Vegas leave slow start on the path of the paper's example, in
/// percent of the ideal one.
fn exit_windows(bench: &Bench<'_>) -> Result<Vec<f64>, Error> {
    let cells = [RENO.settings(), VEGAS.settings()];
    bench.run_cells(START, &cells, &Watch::with_windows(), |run| {
        let mut begun = run
            .transfer()
            .windows
            .iter()
            .skip_while(|windows| !windows.slow_start);
        let end = begun.find(|windows| !windows.slow_start);
        let packets = end.map_or(f64::NAN, |windows| {
            windows.cwnd_bytes as f64 / segment_bytes(&run)
        });
        100.0 * packets / senders::bdp_packets(&run)
    })
}

/// Both axes separately, beyond the grid.
fn draw_beyond(bench: &Bench<'_>, measured: &mut Measured) -> Result<(), Error> {
    let of_bandwidth = |bandwidth: u32| Point {
        labels: vec![bandwidth.to_string()],
        x: bandwidth.into(),
        settings: path(bandwidth, RTT),
    };
    let bandwidths = BANDWIDTHS
        .into_iter()
        .chain(FASTER)
        .map(of_bandwidth)
        .collect();
    let bandwidths = Sweep::run(bench, START, bandwidths)?;
    let of_rtt = |rtt: u32| Point {
        labels: vec![rtt.to_string()],
        x: rtt.into(),
        settings: path(BANDWIDTH, rtt),
    };
    let rtts = Sweep::run(
        bench,
        START,
        RTTS.into_iter().chain(LONGER).map(of_rtt).collect(),
    )?;

    let what = format!("by bandwidth, at {RTT} ms");
    measured
        .tables
        .extend(bandwidths.tables("bandwidths", &what, &["bandwidth (Mbit/s)"]));
    let what = format!("by round-trip time, at {BANDWIDTH} Mbit/s");
    measured
        .tables
        .extend(rtts.tables("round-trip-times", &what, &["RTT (ms)"]));
    measured.figures = vec![
        bandwidths.figure("bandwidths", |_| true),
        rtts.figure("round-trip-times", |_| true),
    ];
    Ok(())
}

/// Buffers in percent of the BDP.
const BUFFERS: [u32; 7] = [5, 10, 15, 25, 35, 50, 100];
/// The largest small buffer, which is ours: "relatively small comparing to BDP".
const LARGEST_SMALL: f64 = 0.25;
/// Bandwidths in Mbit/s at which buffers are varied.
const FOR_BUFFERS: [u32; 4] = [20, 40, 70, BANDWIDTH];

/// The cells of the rows on small buffers. An alternative has other bounds.
#[derive(Clone, Copy)]
struct Small {
    /// Buffers in BDPs.
    smallest: f64,
    largest: f64,
    /// The lowest bandwidth in Mbit/s.
    slowest: u32,
}

impl Small {
    fn of(bench: &Bench<'_>) -> Small {
        const NUMBER: &str = "the ledger has a number";
        let share = |key: &str| bench.measure(key).map(|text| text.parse().expect(NUMBER));
        let slowest = bench.measure("slowest_mbit_per_s");
        Small {
            smallest: share("smallest_bdp").unwrap_or_default(),
            largest: share("largest_bdp").unwrap_or(LARGEST_SMALL),
            slowest: slowest.map_or(0, |text| text.parse().expect(NUMBER)),
        }
    }

    fn has(&self, point: &Point) -> bool {
        let bandwidth: u32 = point.labels[0].parse().expect("a number");
        (self.smallest..=self.largest).contains(&point.x) && bandwidth >= self.slowest
    }
}

pub fn measure_buffers(bench: &Bench<'_>) -> Result<Measured, Error> {
    let of_bandwidth = |bandwidth: u32| BUFFERS.map(|percent| (bandwidth, percent));
    let point = |(bandwidth, percent): (u32, u32)| {
        let (share, queue) = buffer(percent);
        Point {
            labels: vec![bandwidth.to_string(), share.to_string()],
            x: share,
            settings: path(bandwidth, RTT).and(&queue),
        }
    };
    let buffers = Sweep::run(
        bench,
        START,
        FOR_BUFFERS
            .into_iter()
            .flat_map(of_bandwidth)
            .map(point)
            .collect(),
    )?;
    let of_rows = Small::of(bench);
    let small = |point: &Point| of_rows.has(point);

    let mut measured = Measured::default();
    let lost = |sender: usize| {
        buffers
            .of(sender, small)
            .map(|beginning| beginning.lost_together)
    };
    let count = |number: Option<usize>| Value::Number(number.unwrap_or_default() as f64);
    measured.exactly("W.hoe.buffer.lost", count(lost(OF_HOE).min()));
    measured.exactly(
        "W.hoe.buffer.utilization",
        Value::Number(buffers.max_utilization(OF_HOE, small)),
    );
    measured.exactly("W.astart.buffer.lost", count(lost(OF_ASTART).max()));
    measured.exactly(
        "W.astart.buffer.timeouts",
        count(
            buffers
                .of(OF_ASTART, small)
                .map(|beginning| beginning.timeouts)
                .max(),
        ),
    );
    measured.exactly(
        "W.astart.buffer.utilization",
        Value::Number(buffers.min_utilization(OF_ASTART, small)),
    );
    let best = is_astart_best(&buffers, small);
    measured.exactly("W.astart.buffer.best", Value::yes_no(best));
    if bench.draws() {
        let labels = ["bandwidth (Mbit/s)", "buffer (BDP)"];
        measured.tables.extend(buffers.tables(
            "buffers",
            "by bandwidth and buffer, at 100 ms",
            &labels,
        ));
        let chosen = |point: &Point| point.labels[0] == BANDWIDTH.to_string();
        measured.figures.push(buffers.figure("buffers", chosen));
    }
    Ok(measured)
}

/// Whether Astart uses more of the path than every other sender, at each of the chosen points.
fn is_astart_best(sweep: &Sweep, chosen: impl Fn(&Point) -> bool) -> bool {
    let points = sweep.beginnings.iter().zip(&sweep.points);
    points.filter(|(_, point)| chosen(point)).all(|(of, _)| {
        let others = of[..OF_ASTART].iter().map(sweep.first.utilization);
        others.fold(0.0, f64::max) < (sweep.first.utilization)(&of[OF_ASTART])
    })
}
