//! "the modifications can be switched on or off at the socket interface, thus per flow": a transfer
//! that reserves nothing. "The usage of the reserved rate does not influence other flows": it
//! shares its link with one that does.

use super::setup::RESERVED;
use crate::{Bench, Crossing, Error, Measured, Settings, Value, Watch};

/// Beside another one.
const BESIDE: &str = include_str!("isolation.toml");
/// On one link.
const SHARED: &str = include_str!("shared.toml");
/// The rate of that link that is not reserved, in bits of IP packets per second.
const UNRESERVED_BITS_PER_S: f64 = 8.9e6;
/// Payload and size of its packets.
const PAYLOAD_OF_PACKET: f64 = 524.0 / 576.0;
/// The testbed with unmarked packets. It has a name of its own, so that alternatives about its
/// router do not apply to it.
pub const UNMARKED: &str = "guaranteed-unmarked";

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let (alone, _) = BESIDE
        .split_once("[[traffic]]")
        .expect("the other transfer comes last");
    let normal = Settings::default();
    let reserved = Settings::of([
        ("traffic.startup", "qos"),
        ("traffic.qos_rate", "1 Mbit/s"),
        ("traffic.dscp", "ef"),
    ]);
    let mut beside = packets(bench, BESIDE, &[normal, reserved])?;
    beside.extend(packets(bench, alone, &[Settings::default()])?);

    let unmarked = Settings::of([("transfer.dscp", "best-effort"), ("name", UNMARKED)]);
    let profile = Settings::of([("path.ef_rate", "1.1 Mbit/s"), ("path.ef_burst", "50 kB")]);
    let profiles = packets(bench, RESERVED, &[unmarked.clone(), profile.and(&unmarked)])?;

    let mut measured = Measured::default();
    measured.exactly("R.isolation.beside", Value::yes_no(are_same(&beside)));
    measured.exactly("R.isolation.profile", Value::yes_no(are_same(&profiles)));
    let (alone, _) = SHARED
        .split_once("[[traffic]]")
        .expect("the other transfer comes last");
    let by_option = Settings::of([("traffic.startup", "qos"), ("traffic.qos_rate", "1 Mbit/s")]);
    let beside = unreserved_percent(bench, SHARED, &[by_option, Settings::default()])?;
    let alone = unreserved_percent(bench, alone, &[Settings::default()])?;
    measured.exactly("R.isolation.shared", Value::Number(beside[0]));
    measured.remarks.push(format!(
        "Of the rate that is not reserved a transfer without a reservation has {:.1} % beside the \
         option, {:.1} % beside normal TCP with the same reservation, and {:.1} % alone, which is \
         more than all of it: here the router lends what nobody uses.",
        beside[0], beside[1], alone[0]
    ));
    Ok(measured)
}

/// The transfer's throughput on the shared link, of the rate that is not reserved.
fn unreserved_percent(
    bench: &Bench<'_>,
    scenario: &str,
    cells: &[Settings],
) -> Result<Vec<f64>, Error> {
    bench.run_cells(scenario, cells, &Watch::default(), |run| {
        let end_s = run.case.duration_ns.expect("the scenario has an end") as f64 / 1e9;
        let bits = 8.0 * run.transfer().delivered.by(end_s) as f64;
        100.0 * bits / (end_s * UNRESERVED_BITS_PER_S * PAYLOAD_OF_PACKET)
    })
}

/// Every packet of the transfer with its times, until the application has all data. A run of the
/// transfer alone ends at that time.
fn packets(
    bench: &Bench<'_>,
    scenario: &str,
    cells: &[Settings],
) -> Result<Vec<Vec<Crossing>>, Error> {
    bench.run_cells(scenario, cells, &Watch::with_packets(), |run| {
        let flow = run.transfer();
        let end_s = flow
            .delivered
            .reached_s(run.case.transfer.size_bytes)
            .expect("it is complete");
        let by_the_end = |packet: &Crossing| Crossing {
            arrived_s: packet.arrived_s.filter(|at_s| *at_s <= end_s),
            ..*packet
        };
        flow.packets
            .iter()
            .filter(|packet| packet.sent_s <= end_s)
            .map(by_the_end)
            .collect()
    })
}

fn are_same(traces: &[Vec<Crossing>]) -> bool {
    assert!(
        traces.iter().all(|packets| packets.len() > 100),
        "there is something to compare"
    );
    traces.windows(2).all(|pair| pair[0] == pair[1])
}
