//! H. Ritter, K. Wehrle, L. Wolf: Improving the Performance of TCP on guaranteed bandwidth
//! connections. University of Karlsruhe.

mod arrivals;
mod burst;
mod contract;
mod curves;
mod isolation;
mod setup;
mod sweep;

use crate::{Measure, Paper};

/// The paper and how it is measured.
pub fn paper() -> Paper {
    let measures: &[(&str, Measure)] = &[
        ("sweep", sweep::measure),
        ("curves", curves::measure),
        ("contract", contract::measure),
        ("burst", burst::measure),
        ("isolation", isolation::measure),
    ];
    Paper {
        kernel_figures: Some(curves::on_kernel),
        ..Paper::new(setup::ledger(), measures, KERNEL)
    }
}

/// Figure 4's curves between real sockets.
const KERNEL: &[&str] = &[include_str!("kernel.toml")];
