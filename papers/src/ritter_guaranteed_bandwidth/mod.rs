//! H. Ritter, K. Wehrle, L. Wolf: Improving the Performance of TCP on guaranteed bandwidth
//! connections. University of Karlsruhe.

mod arrivals;
mod burst;
mod contract;
mod curves;
mod isolation;
mod setup;
mod sweep;

use crate::{Paper, Part};

/// The paper and how it is measured.
pub fn paper() -> Paper {
    Paper {
        ledger: setup::ledger(),
        parts: PARTS,
        kernel: KERNEL,
        kernel_figures: Some(curves::on_kernel),
    }
}

const PARTS: &[Part] = &[
    Part {
        ids: &["R.fig1"],
        title: "Normal TCP over a reserved rate (section 2, figure 1)",
        quick: true,
        is_long: false,
        scenarios: &[setup::FIGURE_1, "guaranteed"],
        measure: sweep::measure,
    },
    Part {
        ids: &["R.fig4"],
        title: "Slow start off (section 5, figure 4)",
        quick: true,
        is_long: false,
        scenarios: &["guaranteed", setup::UNDELAYED],
        measure: curves::measure,
    },
    Part {
        ids: &["R.police"],
        title: "The traffic contract (section 2.1)",
        quick: true,
        is_long: false,
        scenarios: &["guaranteed-long", contract::LEAKY],
        measure: contract::measure,
    },
    Part {
        ids: &["R.burst"],
        title: "The burst after a repair (section 2.1, figure 1)",
        quick: true,
        is_long: false,
        scenarios: &["guaranteed", contract::LEAKY],
        measure: burst::measure,
    },
    Part {
        ids: &["R.isolation"],
        title: "Connections that reserve nothing (sections 3 and 6)",
        quick: true,
        is_long: false,
        scenarios: &[
            isolation::UNMARKED,
            "guaranteed-beside",
            "guaranteed-shared",
        ],
        measure: isolation::measure,
    },
];

/// Figure 4's curves between real sockets.
const KERNEL: &[&str] = &[include_str!("kernel.toml")];
