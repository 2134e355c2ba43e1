//! M. Aron, P. Druschel: TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control.
//! Rice University TR98-318, 1998.

mod naive;
mod pacing;
mod pthresh;
mod rto;
mod setup;
mod timers;
mod wan;

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
        ids: &["A.fig3", "A.fig4", "A.fig5"],
        title: "Eight transfers of TCP Lite over the WAN (section 3)",
        quick: false,
        is_long: false,
        scenarios: &["wan"],
        measure: wan::measure,
    },
    Part {
        ids: &["A.fig6"],
        title: "Retransmission timeouts from the paper's round trips (section 4.1)",
        quick: true,
        is_long: false,
        scenarios: &[],
        measure: rto::measure,
    },
    Part {
        ids: &["A.naive"],
        title: "A burst of the whole pipe (section 4.2)",
        quick: true,
        is_long: false,
        scenarios: &["satellite", "wan"],
        measure: naive::measure,
    },
    Part {
        ids: &["A.pthresh"],
        title: "Half of the estimate leaves no queue (section 4.2.1)",
        quick: true,
        is_long: false,
        scenarios: &["satellite"],
        measure: pthresh::measure,
    },
    Part {
        ids: &["A.fig7"],
        title: "A second sender on the T1 link (section 5.1.1)",
        quick: true,
        is_long: false,
        scenarios: &["t1"],
        measure: timers::measure_t1,
    },
    Part {
        ids: &["A.fig8"],
        title: "An eighth sender on the WAN (section 5.1.2)",
        quick: false,
        is_long: true,
        scenarios: &["wan-late"],
        measure: timers::measure_wan,
    },
    Part {
        ids: &["A.fig9"],
        title: "One transfer over the satellite (section 5.2.1)",
        quick: true,
        is_long: false,
        scenarios: &["satellite"],
        measure: pacing::measure_satellite,
    },
    Part {
        ids: &["A.fig10"],
        title: "Eight transfers with ssthresh estimation and pacing over the WAN (section 5.2.2)",
        quick: false,
        is_long: false,
        scenarios: &["wan"],
        measure: pacing::measure_wan,
    },
];

/// Both networks with today's TCP.
const KERNEL: &[&str] = &[
    include_str!("satellite-paper.toml"),
    include_str!("wan-paper.toml"),
];
