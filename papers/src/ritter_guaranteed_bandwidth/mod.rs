//! H. Ritter, K. Wehrle, L. Wolf: Improving the Performance of TCP on guaranteed bandwidth
//! connections. University of Karlsruhe.

mod arrivals;
mod contract;
mod curves;
mod isolation;
mod sweep;

use crate::{Flow, Ledger, Paper, Part, Run, Settings};

/// The paper and how it is measured.
pub fn paper() -> Paper {
    Paper {
        ledger: ledger(),
        parts: PARTS,
        kernel: KERNEL,
        kernel_figures: Some(curves::on_kernel),
    }
}

fn ledger() -> Ledger {
    Ledger::read(include_str!("paper.toml"))
}

const PARTS: &[Part] = &[
    Part {
        ids: &["R.fig1"],
        title: "Normal TCP over a reserved rate (section 2, figure 1)",
        quick: true,
        scenarios: &["guaranteed", UNDELAYED],
        measure: sweep::measure,
    },
    Part {
        ids: &["R.fig4"],
        title: "Slow start off (section 5, figure 4)",
        quick: true,
        scenarios: &["guaranteed", UNDELAYED],
        measure: curves::measure,
    },
    Part {
        ids: &["R.police"],
        title: "The traffic contract (section 2.1)",
        quick: true,
        scenarios: &["guaranteed-long", contract::LEAKY],
        measure: contract::measure,
    },
    Part {
        ids: &["R.isolation"],
        title: "Connections that reserve nothing (sections 3 and 6)",
        quick: true,
        scenarios: &[isolation::UNMARKED, "guaranteed-beside"],
        measure: isolation::measure,
    },
];

/// Figure 4's curves between real sockets.
const KERNEL: &[&str] = &[include_str!("kernel.toml")];

/// The testbed.
const RESERVED: &str = include_str!("reserved.toml");
/// Name of the testbed with a receiver that acknowledges each segment. Alternatives about delayed
/// ACKs do not apply to it.
const UNDELAYED: &str = "guaranteed-undelayed";

/// The reserved rate, in bits of payload per second.
const RESERVED_BITS_PER_S: f64 = 1e6;

/// The sender of section 4, in place of normal TCP.
fn modified() -> Settings {
    Settings::of([
        ("transfer.startup", "qos"),
        ("transfer.qos_rate", "1 Mbit/s"),
    ])
}

/// The keys of one of the ledger's alternatives.
fn alternative(name: &str) -> Settings {
    let ledger = ledger();
    let mut all = ledger
        .choices
        .iter()
        .flat_map(|choice| &choice.alternatives);
    let one = all.find(|alternative| alternative.name == name);
    Settings::of_table(
        &one.unwrap_or_else(|| panic!("the ledger has no alternative {name}"))
            .set,
    )
}

/// The observed flow.
fn transfer<'a>(run: &'a Run<'_>) -> &'a Flow {
    run.watch
        .flows
        .iter()
        .find(|flow| flow.traffic.is_none())
        .expect("the transfer has begun")
}
