//! "or other traffic joins in during the slow-start phase": packets without congestion control, or
//! connections.

use super::senders::{Beginning, OF_ASTART, OF_HOE, OF_RENO};
use super::setup::buffer;
use super::sweep::{Point, Sweep};
use crate::{Bench, Error, Measured, Settings, Value};

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
/// Numbers of connections.
const COUNTS: [u32; 3] = [1, 5, 10];

/// Utilization of the rate that the packets leave, in percent.
fn of_the_rest(point: &Point, beginning: &Beginning) -> f64 {
    beginning.utilization_20 / (100.0 - point.x) * 100.0
}

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

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let rate = |taken: u32| Settings::of([("traffic.rate", format!("{taken} Mbit/s"))]);
    let packets = run(bench, PACKETS, TAKEN, rate)?;
    let cells = || packets.points.iter().zip(&packets.beginnings);
    let lost = |sender: usize| cells().map(move |(_, of)| of[sender].lost_together);
    let rest = |sender: usize| cells().map(move |(point, of)| of_the_rest(point, &of[sender]));

    let mut measured = Measured::default();
    let mut count = |id: &str, lost: Option<usize>| {
        measured.exactly(id, Value::Number(lost.unwrap_or_default() as f64))
    };
    count("W.hoe.joined.lost", lost(OF_HOE).max());
    count("W.astart.joined.lost", lost(OF_ASTART).max());
    let mut share = |id: &str, share: f64| measured.exactly(id, Value::Number(share));
    share(
        "W.hoe.joined.utilization",
        rest(OF_HOE).fold(f64::INFINITY, f64::min),
    );
    share(
        "W.astart.joined.utilization",
        rest(OF_ASTART).fold(f64::INFINITY, f64::min),
    );
    if bench.draws() {
        let many = lost(OF_HOE).filter(|lost| *lost > 1).count();
        measured.remarks.push(format!(
            "The paper says that Hoe's estimate may cause multiple losses where others join: in \
             {many} of these {} cells it does. Where packets take a quarter of the bandwidth, the \
             buffer makes up for it.",
            packets.points.len(),
        ));
        let labels = ["packets (Mbit/s)", "RTT (ms)", "buffer (BDP)"];
        let what = "of 100 Mbit/s, by what packets of a constant rate take from 0.5 s on";
        measured
            .tables
            .extend(packets.tables("joined-packets", what, &labels));
        draw_flows(bench, &mut measured)?;
    }
    Ok(measured)
}

fn draw_flows(bench: &Bench<'_>, measured: &mut Measured) -> Result<(), Error> {
    let count = |count: u32| Settings::of([("traffic.count", i64::from(count))]);
    let flows = run(bench, FLOWS, COUNTS, count)?;
    let labels = ["connections", "RTT (ms)", "buffer (BDP)"];
    let what = "at 100 Mbit/s, by how many connections of NewReno join at 0.5 s";
    measured
        .tables
        .extend(flows.tables("joined-connections", what, &labels));
    let wins = flows
        .beginnings
        .iter()
        .filter(|of| of[OF_ASTART].utilization_20 > of[OF_RENO].utilization_20)
        .count();
    let lost = flows
        .beginnings
        .iter()
        .map(|of| of[OF_HOE].lost)
        .max()
        .unwrap_or_default();
    measured.remarks.push(format!(
        "Connections of NewReno that join with a threshold of 32 packets are slow themselves, and \
         leave most of the path: Hoe loses {lost} segments at most, and in {wins} of {} cells \
         Astart uses more of the path than Reno.",
        flows.points.len(),
    ));
    Ok(())
}
