//! N. Chaher, C. Barakat, W. Dabbous, E. Altman: Improving TCP/IP over Geostationary Satellite
//! Links. INRIA RR-3573, 1998.

mod adaptive;
mod avoidance;
mod closed_form;
mod cycles;
mod equation_7;
mod remedies;
mod setup;
mod sweeps;
mod windows;

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
        ids: &["C.eq", "C.fig2"],
        title: "The fluid model (sections 2 to 4)",
        quick: true,
        is_long: false,
        scenarios: &[],
        measure: closed_form::measure,
    },
    Part {
        ids: &["C.fig3", "C.fig4"],
        title: "A smaller threshold (section 3)",
        quick: false,
        is_long: true,
        scenarios: &["geo-long"],
        measure: sweeps::measure_gamma,
    },
    Part {
        ids: &["C.eq8"],
        title: "The threshold that finds itself (section 3)",
        quick: false,
        is_long: false,
        scenarios: &["geo-long"],
        measure: adaptive::measure,
    },
    Part {
        ids: &["C.eq7"],
        title: "The threshold by packet pairs and RTT tracking (section 3)",
        quick: false,
        is_long: true,
        scenarios: &["geo-long"],
        measure: equation_7::measure,
    },
    Part {
        ids: &["C.avoidance"],
        title: "Spacing in congestion avoidance too (section 4)",
        quick: false,
        is_long: true,
        scenarios: &["geo-long"],
        measure: avoidance::measure,
    },
    Part {
        ids: &[],
        title: "Feedback and ACK spacing (sections 1 and 6)",
        quick: false,
        is_long: true,
        scenarios: &["geo-long"],
        measure: remedies::measure,
    },
    Part {
        ids: &["C.fig5"],
        title: "Spacing (section 4)",
        quick: false,
        is_long: true,
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
        is_long: false,
        scenarios: &["geo-tahoe"],
        measure: windows::measure,
    },
];

/// A satellite with outages, after which today's TCP makes a slow start.
const KERNEL: &[&str] = &[include_str!("double-slow-start.toml")];
