//! Figure 1: normal TCP over a reserved rate, by the path's RTT, and the dependence of the result
//! on open questions.

use super::arrivals::Arrivals;
use super::curves::{self, kilobytes};
use super::setup::{alternative, ledger, FIGURE_1, RESERVED, RESERVED_BITS_PER_S};
use crate::{Bench, Error, Figure, Measured, Settings, Table, Value, Watch};
use onramp_plot::plot::{Plot, PlotMarks, PlotSeries, PlotStyle};

/// RTTs in ms: "increasing from 10ms up to 500ms".
pub const RTTS: [u32; 7] = [10, 50, 100, 200, 300, 400, 500];
/// Transfer sizes in kB.
const SIZES: [u32; 7] = [20, 50, 100, 200, 300, 500, 1000];
/// Reserved rates.
const RESERVED_KBIT_PER_S: [u32; 7] = [256, 512, 520, 600, 630, 640, 1000];
/// Packet sizes, initial windows and ACKs: the decided answers and the ledger's alternatives.
const PACKETS: [&str; 2] = ["576 bytes", "1500 bytes"];
const WINDOWS: [&str; 4] = ["1 segment", "2 segments", "3 segments", "4 segments"];
const ACKS: [&str; 2] = [
    "first at once, then every second",
    "every second, or after 200 ms",
];

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let of_figure = Settings::of([("name", FIGURE_1)]);
    let sweep = Pair::run(bench, &RTTS.map(|rtt_ms| rtt(rtt_ms).and(&of_figure)))?;
    // Shares are of 1 Mbit/s, unless an alternative reserves another rate.
    let reserved = bench.measure("reserved_kbit_per_s");
    let reserved = reserved.map_or(1000.0, |rate| rate.parse().expect("a rate"));
    let shares: Vec<f64> = sweep
        .iter()
        .map(|pair| pair.normal.share() * 1000.0 / reserved)
        .collect();
    let longest = shares.last().expect("there are round-trip times");

    let mut measured = Measured::default();
    measured.exactly("R.fig1", Value::Number(*longest));
    let falls = shares.windows(2).all(|pair| pair[1] < pair[0]);
    measured.exactly("R.fig1.monotonic", Value::yes_no(falls));
    let line: Vec<(f64, f64)> = sweep
        .iter()
        .map(|pair| (pair.normal.rtt_s, pair.gain()))
        .collect();
    measured.exactly("R.fig1.linear", Value::Number(determination(&line)));
    let with_drops = sweep.iter().filter(|pair| pair.normal.dropped > 0);
    measured.exactly("R.fig1.dropped", Value::Number(with_drops.count() as f64));
    if bench.draws() {
        measured.figures.push(figure(&sweep));
        measured.tables.push(by_reserved_rate(bench)?);
        let shaped = Pair::run(bench, &RTTS.map(rtt))?;
        let policed = Pair::run(
            bench,
            &RTTS.map(|rtt_ms| rtt(rtt_ms).and(&alternative("an expedited profile"))),
        )?;
        measured.tables.push(by_rtt("rtt-leaky-bucket", &shaped));
        measured.tables.push(by_rtt("rtt-profile", &policed));
        if let Some((rtt_ms, _)) = RTTS
            .iter()
            .zip(&policed)
            .rfind(|(_, pair)| pair.gain() < 1.0)
        {
            measured.remarks.push(format!(
                "Behind the expedited profile, whose burst is half of the transfer, normal TCP \
                 ends before the modified one up to {rtt_ms} ms: a token bucket that keeps the \
                 rate has no use for the burst."
            ));
        }
        measured.tables.push(by_size(bench)?);
        measured.tables.push(readings(bench)?);
    }
    Ok(measured)
}

pub fn rtt(rtt_ms: u32) -> Settings {
    Settings::of([("path.rtt", format!("{rtt_ms} ms"))])
}

/// The coefficient of determination of a straight line: r squared.
fn determination(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| {
        points
            .iter()
            .map(|point| of(point.0 - x, point.1 - y))
            .sum::<f64>()
    };
    sum(&|x, y| x * y).powi(2) / sum(&|x, _| x * x) / sum(&|_, y| y * y)
}

fn figure(sweep: &[Pair]) -> Figure {
    let series = RTTS.iter().zip(sweep).map(|(rtt_ms, pair)| {
        let arrivals = &pair.normal;
        let point = |(at_s, bytes): &(f64, u64)| (at_s - arrivals.first_s(), kilobytes(*bytes));
        PlotSeries::new(
            format!("{rtt_ms} ms"),
            PlotStyle::Steps,
            arrivals.in_order.iter().map(point).collect(),
        )
    });
    let full = kilobytes((RESERVED_BITS_PER_S / 8.0) as u64);
    let size = 100.0;
    let end_s = size / full / (ledger().number("R.fig1") / 100.0);
    let reserved = PlotSeries::new(
        "what is reserved",
        PlotStyle::Dashed,
        vec![(0.0, 0.0), (size / full, size)],
    );
    let mark = PlotMarks::new("paper, 500 ms", vec![(end_s, size)]);
    ledger().plot("figure-1", |plot| Plot {
        series: series.chain([reserved]).collect(),
        marks: vec![mark.look(RTTS.len() - 1).texts(["37 % of the rate"])],
        ..plot
    })
}

/// Normal TCP, and the modified one with a scaled window.
struct Pair {
    normal: Arrivals,
    modified: Arrivals,
}

impl Pair {
    /// Runs both with each of these keys.
    fn run(bench: &Bench<'_>, cells: &[Settings]) -> Result<Vec<Pair>, Error> {
        let all = curves::all(bench);
        let run = |curve: usize| {
            let cells: Vec<Settings> = cells
                .iter()
                .map(|cell| all[curve].clone().and(cell))
                .collect();
            bench.run_cells(RESERVED, &cells, &Watch::with_packets(), |run| {
                Arrivals::of(&run).since(bench.measure("clock"))
            })
        };
        let pairs = run(curves::NORMAL)?.into_iter().zip(run(curves::SCALED)?);
        Ok(pairs
            .map(|(normal, modified)| Pair { normal, modified })
            .collect())
    }

    fn gain(&self) -> f64 {
        self.normal.seconds() / self.modified.seconds()
    }
}

fn by_rtt(name: &str, pairs: &[Pair]) -> Table {
    let row = |(rtt_ms, pair): (&u32, &Pair)| {
        let of = |one: &Arrivals| {
            [
                format!("{:.1}", one.share()),
                format!("{:.3}", one.seconds()),
                one.dropped.to_string(),
            ]
        };
        let begin = std::iter::once(rtt_ms.to_string())
            .chain(of(&pair.normal))
            .chain(of(&pair.modified));
        begin.chain([format!("{:.2}", pair.gain())]).collect()
    };
    ledger().table(name, RTTS.iter().zip(pairs).map(row).collect())
}

fn by_size(bench: &Bench<'_>) -> Result<Table, Error> {
    let size = |kilobytes: u32| Settings::of([("transfer.size", format!("{kilobytes} kB"))]);
    let row = |(kilobytes, pair): (&u32, &Pair)| {
        let numbers =
            [pair.normal.share(), pair.modified.share()].map(|share| format!("{share:.1}"));
        std::iter::once(kilobytes.to_string())
            .chain(numbers)
            .chain([format!("{:.2}", pair.gain())])
            .collect()
    };
    let pairs = Pair::run(bench, &SIZES.map(size))?;
    let rows = SIZES.iter().zip(&pairs).map(row);
    Ok(ledger().table("size", rows.collect()))
}

/// Figure 1 at 500 ms by the reserved rate, which its text does not give.
fn by_reserved_rate(bench: &Bench<'_>) -> Result<Table, Error> {
    let of_rate = |rate: u32| {
        Settings::of([
            ("path.shaper_rate", format!("{} bit/s", rate * 1100)),
            ("transfer.qos_rate[1 Mbit/s]", format!("{rate} kbit/s")),
        ])
    };
    let pairs = Pair::run(bench, &RESERVED_KBIT_PER_S.map(of_rate))?;
    let row = |(rate, pair): (u32, &Pair)| {
        let share = |one: &Arrivals| format!("{:.1}", one.share() * 1000.0 / f64::from(rate));
        vec![
            rate.to_string(),
            share(&pair.normal),
            share(&pair.modified),
            format!("{:.2}", pair.gain()),
        ]
    };
    let rows = RESERVED_KBIT_PER_S.into_iter().zip(&pairs).map(row);
    Ok(ledger().table("reserved-rate", rows.collect()))
}

/// The keys of the ledger's alternative of this name. The decided answers have no keys.
fn reading(name: &str) -> Settings {
    match name {
        "576 bytes" | "2 segments" | "first at once, then every second" => Settings::default(),
        other => alternative(other),
    }
}

fn readings(bench: &Bench<'_>) -> Result<Table, Error> {
    let all = PACKETS.into_iter().flat_map(|packet| {
        WINDOWS
            .into_iter()
            .flat_map(move |window| ACKS.map(|acks| [packet, window, acks]))
    });
    let all: Vec<[&str; 3]> = all.collect();
    let cells: Vec<Settings> = all
        .iter()
        .map(|names| {
            names
                .iter()
                .fold(Settings::default(), |keys, name| keys.and(&reading(name)))
        })
        .collect();
    let row = |(names, pair): (&[&str; 3], &Pair)| {
        let normal = &pair.normal;
        let shares = [normal.first_s(), normal.sent_s, normal.syn_s]
            .map(|from_s| format!("{:.1}", normal.share_since(from_s)));
        let names = names.iter().map(|name| (*name).to_owned());
        names
            .chain(shares)
            .chain([format!("{:.2}", pair.gain())])
            .collect()
    };
    let pairs = Pair::run(bench, &cells)?;
    let rows = all.iter().zip(&pairs).map(row);
    Ok(ledger().table("readings", rows.collect()))
}

#[cfg(test)]
mod tests {
    use super::determination;

    #[test]
    fn a_line_determines_all_and_what_has_no_trend_nothing() {
        assert!((determination(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]) - 1.0).abs() < 1e-12);
        assert!(determination(&[(0.0, 1.0), (1.0, 5.0), (2.0, 1.0)]).abs() < 1e-12);
    }
}
