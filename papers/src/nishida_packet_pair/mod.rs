//! Y. Nishida, O. Nakamura, J. Murai: New Congestion Control mechanism for TCP with Packet Pair
//! scheme. Keio University.

mod ladder;
mod segments;

use crate::{Flow, Ledger, Paper, Part, Run, Settings};

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
        ids: &["N.fig5"],
        title: "The first second of a connection (section 4.2.1)",
        quick: true,
        scenarios: &["pair-ladder"],
        measure: ladder::measure,
    },
    Part {
        ids: &["N.fig8", "N.fig9"],
        title: "A symmetric path (section 5.1)",
        quick: true,
        scenarios: &["pair-symmetric"],
        measure: segments::measure_symmetric,
    },
    Part {
        ids: &["N.fig11", "N.fig12", "N.fig13"],
        title: "A slow way back (section 5.2)",
        quick: true,
        scenarios: &["pair-asymmetric"],
        measure: segments::measure_asymmetric,
    },
];

/// The slow return path between two kernels that exchange the option.
const KERNEL: &[&str] = &[include_str!("kernel.toml")];

/// Section 4: the paper's own TCP, with a timer of 10 ms at both ends, and a receiver that handles
/// pairs in this way.
fn new_tcp(packet_pair: &str) -> Settings {
    Settings::of([
        ("transfer.startup", "pair"),
        ("transfer.clock", "10 ms"),
        ("transfer.tick", "10 ms"),
        ("receiver.packet_pair", packet_pair),
        ("receiver.pair_option", "paper"),
        ("receiver.pair_clock", "10 ms"),
    ])
}

/// The single flow of a run.
fn flow<'a>(run: &'a Run<'_>) -> &'a Flow {
    run.watch.flows.first().expect("the transfer has begun")
}

/// When its sender could send. ns has no handshake, so this is time 0 of the paper.
fn origin_s(flow: &Flow) -> f64 {
    flow.established.expect("the connection stands").0
}
