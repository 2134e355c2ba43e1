//! Y. Nishida, O. Nakamura, J. Murai: New Congestion Control mechanism for TCP with Packet Pair
//! scheme. Keio University.

mod ladder;
mod segments;
mod setup;

use crate::{Paper, Part};

/// The paper and how it is measured.
pub fn paper() -> Paper {
    Paper {
        ledger: setup::ledger(),
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
        is_long: false,
        scenarios: &["pair-ladder"],
        measure: ladder::measure,
    },
    Part {
        ids: &["N.fig8", "N.fig9"],
        title: "A symmetric path (section 5.1)",
        quick: true,
        is_long: false,
        scenarios: &["pair-symmetric"],
        measure: segments::measure_symmetric,
    },
    Part {
        ids: &["N.fig11", "N.fig12", "N.fig13"],
        title: "A slow return path (section 5.2)",
        quick: true,
        is_long: false,
        scenarios: &["pair-asymmetric"],
        measure: segments::measure_asymmetric,
    },
];

/// The slow return path between two kernels that exchange the option.
const KERNEL: &[&str] = &[include_str!("kernel.toml")];
