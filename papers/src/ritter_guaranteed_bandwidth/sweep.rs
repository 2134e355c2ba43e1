//! Figure 1: normal TCP over a reserved rate, by the path's RTT, and the dependence of the result
//! on open questions.

use super::arrivals::Arrivals;
use super::curves::{self, kilobytes};
use super::setup::{alternative, ledger, FIGURE_1, RESERVED, RESERVED_BITS_PER_S};
use crate::{Bench, Error, Figure, Measured, Settings, Table, Value, Watch};
use onramp_plot::plot::{draw_plot, Axis, Plot, PlotMarks, PlotSeries, PlotStyle};

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
        measured.tables.push(by_rtt(
            "leaky-bucket",
            "a leaky bucket of 50,000 bytes",
            &shaped,
        ));
        measured.tables.push(by_rtt(
            "profile",
            "an expedited profile with a burst of 50,000 bytes",
            &policed,
        ));
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
    let plot = Plot {
        title: "Figure 1: normal TCP, by round-trip time".to_owned(),
        x: Axis::new("time since the first arrival (s)"),
        y: Axis::new("data that the application has (kB)"),
        series: series.chain([reserved]).collect(),
        marks: vec![PlotMarks::new("paper, 500 ms", vec![(end_s, size)])
            .look(RTTS.len() - 1)
            .texts(["37 % of the rate"])],
        ..Plot::default()
    };
    let caption = "Figure 1: a transfer of 100 kB with 1 Mbit/s reserved, normal TCP, by the \
        path's round-trip time. Which axes the paper has is not known here; these are chosen. \
        Diamond: where 37 % of what is reserved end.";
    Figure::new("figure-1", draw_plot(&plot), caption)
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

fn head<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

fn by_rtt(router: &str, what: &str, pairs: &[Pair]) -> Table {
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
    Table {
        name: format!("rtt-{router}"),
        caption: format!("100 kB by round-trip time behind {what}: curves 1 and 5"),
        head: head([
            "RTT (ms)",
            "normal, of the reserved rate (%)",
            "normal (s)",
            "normal, dropped",
            "modified, of the reserved rate (%)",
            "modified (s)",
            "modified, dropped",
            "gain",
        ]),
        rows: RTTS.iter().zip(pairs).map(row).collect(),
    }
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
    Ok(Table {
        name: "size".to_owned(),
        caption: "By size at 500 ms, of what is reserved: curves 1 and 5".to_owned(),
        head: head(["size (kB)", "normal (%)", "modified (%)", "gain"]),
        rows: SIZES
            .iter()
            .zip(&Pair::run(bench, &SIZES.map(size))?)
            .map(row)
            .collect(),
    })
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
    Ok(Table {
        name: "reserved-rate".to_owned(),
        caption:
            "100 kB at 500 ms by the reserved rate, of it: curves 1 and 5. The paper has 37 %, \
                  and a gain of 3 with 1 Mbit/s"
                .to_owned(),
        head: head(["reserved (kbit/s)", "normal (%)", "modified (%)", "gain"]),
        rows: RESERVED_KBIT_PER_S
            .into_iter()
            .zip(&pairs)
            .map(row)
            .collect(),
    })
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
    Ok(Table {
        name: "readings".to_owned(),
        caption: "Normal TCP at 500 ms, of what is reserved, by what the paper leaves open and by \
            when the clock starts; and how much more curve 5 has. The paper: 37 % and 3"
            .to_owned(),
        head: head([
            "packets",
            "initial window",
            "ACKs",
            "since the first arrival (%)",
            "since the server sends (%)",
            "since the SYN (%)",
            "gain",
        ]),
        rows: all
            .iter()
            .zip(&Pair::run(bench, &cells)?)
            .map(row)
            .collect(),
    })
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
