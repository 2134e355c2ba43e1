//! N. Chaher, C. Barakat, W. Dabbous, E. Altman: Improving TCP/IP over Geostationary Satellite
//! Links. INRIA RR-3573, 1998.

mod adaptive;
mod closed_form;
mod cycles;
mod sweeps;
mod windows;

use crate::{Bench, Error, Flow, Ledger, Paper, Part, Run, Settings, Watch};
use onramp_model::double_slow_start::Path;
use onramp_scenario::{Case, QueueLimit, TrafficKind};

/// The paper and how it is measured.
pub fn paper() -> Paper {
    Paper {
        ledger: Ledger::read(include_str!("paper.toml")),
        parts: PARTS,
        kernel: KERNEL,
        kernel_figures: None,
    }
}

const PARTS: &[Part] = &[
    Part {
        ids: &["C.eq", "C.fig2"],
        title: "The fluid model (sections 2 to 4)",
        quick: true,
        scenarios: &[],
        measure: closed_form::measure,
    },
    Part {
        ids: &["C.fig3", "C.fig4"],
        title: "A smaller threshold (section 3)",
        quick: false,
        scenarios: &["geo-long"],
        measure: sweeps::measure_gamma,
    },
    Part {
        ids: &["C.eq8"],
        title: "The threshold that finds itself (section 3)",
        quick: false,
        scenarios: &["geo-long"],
        measure: adaptive::measure,
    },
    Part {
        ids: &["C.fig5"],
        title: "Spacing (section 4)",
        quick: false,
        scenarios: &["geo-long"],
        measure: sweeps::measure_spacing,
    },
    Part {
        ids: &[
            "C.fig6",
            "C.fig7",
            "C.fig8",
            "C.fig9",
            "C.fig10",
            "C.spacing",
            "C.order",
        ],
        title: "Windows over time (section 5)",
        quick: false,
        scenarios: &["geo-tahoe"],
        measure: windows::measure,
    },
];

/// A satellite with outages, after which today's TCP makes a slow start.
const KERNEL: &[&str] = &[include_str!("double-slow-start.toml")];

/// Section 5: source, satellite and destination.
const SATELLITE: &str = include_str!("satellite.toml");

/// Long enough for a mean over many cycles. A cycle lasts more than a minute.
const LONG: &str = "1000 s";

/// The scenario with that duration, under a name of its own.
fn long() -> Settings {
    Settings::of([("name", "geo-long"), ("run.duration", LONG)])
}

/// Payload of a packet.
const SEGMENT_BYTES: f64 = 472.0;
/// Size of a packet.
const PACKET_BITS: f64 = 512.0 * 8.0;

/// An ssthresh of this share of the window, after every loss.
fn gamma(share: f64) -> Settings {
    Settings::of([
        ("transfer.startup", "gamma".to_owned()),
        ("transfer.gamma", format!("{:.4} %", 100.0 * share)),
    ])
}

/// Slow start paced at this rate.
fn spacing(packets_per_s: f64) -> Settings {
    let rate = format!("{:.0} bit/s", packets_per_s * PACKET_BITS);
    Settings::of([
        ("transfer.startup", "spaced".to_owned()),
        ("transfer.pace", rate),
    ])
}

/// ns's queues hold this many packets less than their limit.
const BELOW_LIMIT: u32 = 1;

/// Links with a buffer of another limit. The access link never queues more than the two packets
/// that an ACK releases.
fn buffer(packets: u32) -> Settings {
    Settings::of([("link.queue", format!("{} packets", packets - BELOW_LIMIT))])
}

/// The fluid model of a scenario's satellite link.
fn model(case: &Case) -> Path {
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
fn transfer<'a>(run: &'a Run<'_>) -> &'a Flow {
    run.watch
        .flows
        .iter()
        .find(|flow| flow.established.is_some())
        .expect("the transfer has begun")
}

fn duration_s(case: &Case) -> f64 {
    case.duration_ns.expect("the scenario has an end") as f64 / 1e9
}

/// Packets per second that the receiver got, over the whole run.
fn throughput(run: &Run<'_>) -> f64 {
    let end_s = duration_s(run.case);
    run.watch.delivered_by(end_s) as f64 / SEGMENT_BYTES / end_s
}

/// The throughput of each seed.
fn throughputs(bench: &Bench<'_>, settings: &Settings) -> Result<Vec<f64>, Error> {
    bench.run(SATELLITE, settings, &Watch::default(), |run| {
        throughput(&run)
    })
}
