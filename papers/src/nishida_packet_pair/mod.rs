//! Y. Nishida, O. Nakamura, J. Murai: New Congestion Control mechanism for TCP with Packet Pair
//! scheme. Keio University.

mod ladder;
mod segments;
mod setup;

use crate::{Measure, Paper};

/// The paper and how it is measured.
pub fn paper() -> Paper {
    let measures: &[(&str, Measure)] = &[
        ("ladder", ladder::measure),
        ("segments-symmetric", segments::measure_symmetric),
        ("segments-asymmetric", segments::measure_asymmetric),
    ];
    Paper::new(setup::ledger(), measures, KERNEL)
}

/// The slow return path between two kernels that exchange the option.
const KERNEL: &[&str] = &[include_str!("kernel.toml")];
