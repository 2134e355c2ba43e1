//! "or other traffic joins in during the slow-start phase": packets without congestion control, or
//! connections.

use super::first_seconds::window_reaches_s;
use super::senders::{
    bdp_packets, segment_bytes, Beginning, First, Sender, ASTART, HOE, OF_ASTART, OF_HOE, OF_RENO,
};
use super::setup::{buffer, ledger, START};
use super::sweep::{Point, Sweep};
use crate::{Bench, Error, Measured, Settings, Sum, Table, Value, Watch};

/// Packets at a constant rate join.
const PACKETS: &str = include_str!("packets.toml");
/// NewReno connections join.
const FLOWS: &str = include_str!("flows.toml");

/// RTTs in ms.
const RTTS: [u32; 3] = [50, 100, 200];
/// Buffers in percent of the BDP.
const BUFFERS: [u32; 2] = [50, 100];
/// Rates of the packets in Mbit/s, of 100.
const TAKEN: [u32; 3] = [25, 50, 75];
/// When packets join, in ms. A sender counts only where its window is below the BDP then: "during
/// the slow-start phase".
const JOINS_MS: [u32; 3] = [500, 1500, 3000];
/// The two senders of which the paper says what joining traffic does.
const BOTH: [Sender; 2] = [HOE, ASTART];
/// Indexes in [`BOTH`].
const OF_BOTH_HOE: usize = 0;
const OF_BOTH_ASTART: usize = 1;
/// Numbers of connections.
const COUNTS: [u32; 3] = [1, 5, 10];

/// Runs each amount of joining traffic on each path.
fn run(
    bench: &Bench<'_>,
    scenario: &str,
    amounts: [u32; 3],
    traffic: fn(u32) -> Settings,
) -> Result<Sweep, Error> {
    let paths = || {
        RTTS.into_iter()
            .flat_map(|rtt| BUFFERS.map(|percent| (rtt, percent)))
    };
    let point = |(amount, (rtt, percent)): (u32, (u32, u32))| {
        let (share, queue) = buffer(percent);
        let rtt_key = Settings::of([("path.rtt", format!("{rtt} ms"))]);
        Point {
            labels: vec![amount.to_string(), rtt.to_string(), share.to_string()],
            x: amount.into(),
            settings: rtt_key.and(&queue).and(&traffic(amount)),
        }
    };
    let points = amounts
        .into_iter()
        .flat_map(|amount| paths().map(move |path| (amount, path)))
        .map(point);
    Sweep::run(bench, scenario, points.collect())
}

/// A cell of packets that join.
#[derive(Clone, Copy)]
struct Cell {
    joins_ms: u32,
    taken: u32,
    path: (u32, u32),
}

/// RTTs with buffers.
fn paths() -> Vec<(u32, u32)> {
    RTTS.into_iter()
        .flat_map(|rtt| BUFFERS.map(|percent| (rtt, percent)))
        .collect()
}

/// The keys of a path and of each of both senders on it.
fn on_path((rtt, percent): (u32, u32)) -> [Settings; BOTH.len()] {
    let path = Settings::of([("path.rtt", format!("{rtt} ms"))]).and(&buffer(percent).1);
    BOTH.map(|sender| path.clone().and(&sender.settings()))
}

impl Cell {
    /// All cells in which packets join at this time.
    fn all(joins_ms: u32) -> Vec<Cell> {
        let of_taken = |taken| {
            let cell = move |path| Cell {
                joins_ms,
                taken,
                path,
            };
            paths().into_iter().map(cell)
        };
        TAKEN.into_iter().flat_map(of_taken).collect()
    }

    fn settings(&self) -> [Settings; BOTH.len()] {
        let taken = Settings::of([("traffic.rate", format!("{} Mbit/s", self.taken))]);
        on_path(self.path).map(|path| path.and(&taken))
    }

    /// Utilization of the rate that the packets leave, in percent, from the handshake on.
    fn of_the_rest(&self, first: First, beginning: &Beginning) -> f64 {
        let (rtt_ms, _) = self.path;
        let joined_s = first.seconds - (f64::from(self.joins_ms) - f64::from(rtt_ms)) / 1e3;
        let left = 100.0 - f64::from(self.taken) * joined_s / first.seconds;
        (first.utilization)(beginning) / left * 100.0
    }
}

/// What a sender does in a cell.
struct Joined {
    beginning: Beginning,
    /// Whether its window has not reached the BDP when the packets join.
    is_starting: bool,
}

/// When the windows of both senders reach the BDP on each path, without other traffic. Before
/// packets join, they are the same with it.
fn full_s(bench: &Bench<'_>) -> Result<Vec<[f64; BOTH.len()]>, Error> {
    let cells: Vec<Settings> = paths().into_iter().flat_map(on_path).collect();
    let all = bench.run_cells(START, &cells, &Watch::with_windows(), |run| {
        let (from_s, _) = run.transfer().established.expect("the connection stands");
        from_s + window_reaches_s(&run, bdp_packets(&run) * segment_bytes(&run))
    })?;
    Ok(all.as_chunks().0.to_vec())
}

/// Both senders in each cell.
fn both(bench: &Bench<'_>) -> Result<Vec<(Cell, [Joined; BOTH.len()])>, Error> {
    let full_s = full_s(bench)?;
    let watch = Watch::of_sums(&[Sum::FlowCarried]);
    let mut all = Vec::new();
    let joins_ms = match bench.measure("joins") {
        None => &JOINS_MS[..],
        Some("0.5 s") => &JOINS_MS[..1],
        Some(other) => panic!("packets do not join at {other}"),
    };
    for &joins_ms in joins_ms {
        let scenario = PACKETS.replace("\"500 ms\"", &format!("\"{joins_ms} ms\""));
        let cells = Cell::all(joins_ms);
        let settings: Vec<Settings> = cells.iter().flat_map(Cell::settings).collect();
        let beginnings = bench.run_cells_once(&scenario, &settings, 1, &watch, Beginning::of)?;
        for (place, (cell, of)) in cells
            .into_iter()
            .zip(beginnings.chunks(BOTH.len()))
            .enumerate()
        {
            let full_s = full_s[place % full_s.len()];
            let joined = |sender: usize| {
                // A window that never reaches the BDP (NaN) is below it.
                let is_full = full_s[sender] <= f64::from(joins_ms) / 1e3;
                Joined {
                    beginning: of[sender][0],
                    is_starting: !is_full,
                }
            };
            all.push((cell, [joined(OF_BOTH_HOE), joined(OF_BOTH_ASTART)]));
        }
    }
    Ok(all)
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let (joined, first) = (both(bench)?, First::of(bench));
    let starting = |sender: usize| {
        joined
            .iter()
            .map(move |(cell, of)| (cell, &of[sender]))
            .filter(|(_, of)| of.is_starting)
    };

    let mut measured = Measured::default();
    for (sender, name) in [(OF_BOTH_HOE, "hoe"), (OF_BOTH_ASTART, "astart")] {
        let lost = starting(sender).map(|(_, of)| of.beginning.lost_together);
        let rest = starting(sender).map(|(cell, of)| cell.of_the_rest(first, &of.beginning));
        let mut number = |id: &str, number: f64| {
            measured.exactly(format!("W.{name}.joined.{id}"), Value::Number(number))
        };
        number("lost", lost.max().unwrap_or_default() as f64);
        number("utilization", rest.fold(f64::INFINITY, f64::min));
    }
    if bench.draws() {
        let many = starting(OF_BOTH_HOE).filter(|(_, of)| of.beginning.lost_together > 1);
        measured.remarks.push(format!(
            "The paper says that Hoe's estimate may cause multiple losses where others join: in \
             {} of the {} cells in which its window is below the BDP then, it does. Where packets \
             take a quarter of the bandwidth, the buffer makes up for it.",
            many.count(),
            starting(OF_BOTH_HOE).count(),
        ));
        measured.tables.push(table(&joined, first));
        let rate = |taken: u32| Settings::of([("traffic.rate", format!("{taken} Mbit/s"))]);
        let packets = run(bench, PACKETS, TAKEN, rate)?;
        let labels = ["packets (Mbit/s)", "RTT (ms)", "buffer (BDP)"];
        let what = "of 100 Mbit/s, by what packets of a constant rate take from 0.5 s on";
        measured
            .tables
            .extend(packets.tables("joined-packets", what, &labels));
        draw_flows(bench, &mut measured)?;
    }
    Ok(measured)
}

fn table(joined: &[(Cell, [Joined; BOTH.len()])], first: First) -> Table {
    let row = |(cell, of): &(Cell, [Joined; BOTH.len()])| {
        let labels = [
            format!("{}", f64::from(cell.joins_ms) / 1e3),
            cell.taken.to_string(),
            cell.path.0.to_string(),
            buffer(cell.path.1).0.to_string(),
        ];
        let of_sender = |one: &Joined| {
            [
                (if one.is_starting { "yes" } else { "no" }).to_owned(),
                one.beginning.lost_together.to_string(),
                format!("{:.1}", cell.of_the_rest(first, &one.beginning)),
            ]
        };
        labels
            .into_iter()
            .chain(of.iter().flat_map(of_sender))
            .collect()
    };
    ledger().table("joined-instants", joined.iter().map(row).collect())
}

fn draw_flows(bench: &Bench<'_>, measured: &mut Measured) -> Result<(), Error> {
    let count = |count: u32| Settings::of([("traffic.count", i64::from(count))]);
    let flows = run(bench, FLOWS, COUNTS, count)?;
    let labels = ["connections", "RTT (ms)", "buffer (BDP)"];
    let what = "at 100 Mbit/s, by how many connections of NewReno join at 0.5 s";
    measured
        .tables
        .extend(flows.tables("joined-connections", what, &labels));
    let more_than = |sender: usize| {
        let cells = flows.beginnings.iter();
        cells
            .filter(|of| of[OF_ASTART].utilization_20 > of[sender].utilization_20)
            .count()
    };
    let lost = |sender: usize, of: fn(&Beginning) -> usize| {
        let cells = flows.beginnings.iter();
        cells.map(|all| of(&all[sender])).max().unwrap_or_default()
    };
    measured.remarks.push(format!(
        "Connections of NewReno that join with a threshold of 32 packets are slow themselves, and \
         leave most of the path. Of {} cells Astart uses more of the path than Reno in {}, and \
         more than Hoe in {}. Hoe loses {} segments at most, Astart {}, of these {} together.",
        flows.points.len(),
        more_than(OF_RENO),
        more_than(OF_HOE),
        lost(OF_HOE, |of| of.lost),
        lost(OF_ASTART, |of| of.lost),
        lost(OF_ASTART, |of| of.lost_together),
    ));
    Ok(())
}
