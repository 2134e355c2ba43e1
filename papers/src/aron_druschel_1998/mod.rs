//! M. Aron, P. Druschel: TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control.
//! Rice University TR98-318, 1998.

mod naive;
mod pacing;
mod pthresh;
mod rto;
mod setup;
mod timers;
mod wan;

use crate::{Measure, Paper};

/// The paper and how it is measured.
pub fn paper() -> Paper {
    let measures: &[(&str, Measure)] = &[
        ("wan", wan::measure),
        ("rto", rto::measure),
        ("naive", naive::measure),
        ("pthresh", pthresh::measure),
        ("timers-t1", timers::measure_t1),
        ("timers-wan", timers::measure_wan),
        ("pacing-satellite", pacing::measure_satellite),
        ("pacing-wan", pacing::measure_wan),
    ];
    Paper::new(setup::ledger(), measures, KERNEL)
}

/// Both networks with today's TCP.
const KERNEL: &[&str] = &[
    include_str!("satellite-paper.toml"),
    include_str!("wan-paper.toml"),
];
