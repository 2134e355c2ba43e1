//! The satellite link, its settings and its model, which the parts share.

use crate::{Bench, Error, Flow, Ledger, Run, Settings, Sum, Watch};
use onramp_scenario::{Case, QueueLimit, TrafficKind};
use onramp_theory::formulas::double_slow_start::Path;

/// The paper's numbers.
pub(super) fn ledger() -> Ledger {
    Ledger::read(include_str!("paper.toml"))
}

/// Section 5: source, satellite and destination.
pub(super) const SATELLITE: &str = include_str!("satellite.toml");

/// Long enough for a mean over many cycles. A cycle lasts more than a minute.
pub(super) const LONG: &str = "1000 s";

/// The scenario with that duration, under a name of its own.
pub(super) fn long() -> Settings {
    Settings::of([("name", "geo-long"), ("run.duration", LONG)])
}

/// The same under another name, for the sweeps of figures 3 to 5: some alternatives set keys of
/// `geo-long` alone, because the sweeps are too many runs.
pub(super) fn sweep() -> Settings {
    long().and(&Settings::of([("name", "geo-sweep")]))
}

/// Payload of a packet.
pub(super) const SEGMENT_BYTES: f64 = 472.0;
/// Size of a packet.
pub(super) const PACKET_BITS: f64 = 512.0 * 8.0;

/// An ssthresh of this share of the window, after every loss.
pub(super) fn gamma(share: f64) -> Settings {
    Settings::of([
        ("transfer.startup", "gamma".to_owned()),
        ("transfer.gamma", format!("{:.4} %", 100.0 * share)),
    ])
}

/// Slow start paced at this rate.
pub(super) fn spacing(packets_per_s: f64) -> Settings {
    let rate = format!("{:.0} bit/s", packets_per_s * PACKET_BITS);
    Settings::of([
        ("transfer.startup", "spaced".to_owned()),
        ("transfer.pace", rate),
    ])
}

/// ns's queues hold this many packets less than their limit.
pub(super) const BELOW_LIMIT: u32 = 1;

/// Links with a buffer of another limit. The access link never queues more than the two packets
/// that an ACK releases.
pub(super) fn buffer(packets: u32) -> Settings {
    Settings::of([("link.queue", format!("{} packets", packets - BELOW_LIMIT))])
}

/// The fluid model of a scenario's satellite link.
pub(super) fn model(case: &Case) -> Path {
    let link = &case.network.links[0];
    let packet_bits = f64::from(link.mtu_bytes) * 8.0;
    let background: f64 = case
        .traffic
        .iter()
        .map(|traffic| match &traffic.kind {
            TrafficKind::Constant(packets) | TrafficKind::Poisson(packets) => {
                packets.rate_bits_per_s as f64
            }
            TrafficKind::OnOff(turns) => {
                let share = turns.mean_on_ns as f64 / (turns.mean_on_ns + turns.mean_off_ns) as f64;
                turns.on.rate_bits_per_s as f64 * share
            }
            TrafficKind::Transfers(_) => 0.0,
        })
        .sum();
    let delay_ns: u64 = case
        .network
        .links
        .iter()
        .map(|link| link.forward.delay_ns + link.reverse.delay_ns)
        .sum();
    let QueueLimit::Packets(buffer) = link.forward.queue else {
        panic!("the scenario's queue is in packets")
    };
    let rate = link.forward.rate_bits_per_s as f64;
    Path::new(
        rate / packet_bits,
        background / packet_bits,
        f64::from(buffer + BELOW_LIMIT),
        delay_ns as f64 / 1e9,
    )
    .expect("the scenario is within the model")
}

/// The single transfer of a run.
pub(super) fn transfer<'a>(run: &'a Run<'_>) -> &'a Flow {
    run.watch
        .flows
        .iter()
        .find(|flow| flow.established.is_some())
        .expect("the transfer has begun")
}

pub(super) fn duration_s(case: &Case) -> f64 {
    case.duration_ns.expect("the scenario has an end") as f64 / 1e9
}

/// Packets per second that the receiver got, over the whole run.
pub(super) fn throughput(run: &Run<'_>) -> f64 {
    let end_s = duration_s(run.case);
    run.watch.delivered_by(end_s) as f64 / SEGMENT_BYTES / end_s
}

/// The throughput of each seed.
pub(super) fn throughputs(bench: &Bench<'_>, settings: &Settings) -> Result<Vec<f64>, Error> {
    let watch = Watch::of_sums(&[Sum::Delivered]);
    let cell = [settings.clone()];
    let all = bench.run_cells_once(SATELLITE, &cell, bench.seeds(), &watch, throughput)?;
    Ok(all.concat())
}
