//! R. Wang, G. Pau, M. Sanadidi, M. Gerla: Improving TCP Start-up Behavior in High-Speed Networks.
//! UCLA.

mod first_seconds;
mod friendly;
mod high;
mod joined;
mod restart;
mod senders;
mod setup;
mod sizes;
mod sweep;

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
        ids: &["W.reno"],
        title: "A threshold of 32 Kbytes (the paper's example)",
        quick: true,
        is_long: false,
        scenarios: &[first_seconds::NAME],
        measure: first_seconds::measure,
    },
    Part {
        ids: &["W.early", "W.hoe.alone", "W.astart.grid"],
        title: "Bandwidths and round-trip times, with a buffer of one BDP",
        quick: false,
        is_long: false,
        scenarios: &["astart"],
        measure: sweep::measure_grid,
    },
    Part {
        ids: &["W.hoe.buffer", "W.astart.buffer"],
        title: "Buffers",
        quick: false,
        is_long: false,
        scenarios: &["astart"],
        measure: sweep::measure_buffers,
    },
    Part {
        ids: &["W.high"],
        title: "A threshold that is too high (problem a)",
        quick: false,
        is_long: false,
        scenarios: &["astart"],
        measure: high::measure,
    },
    Part {
        ids: &["W.restart"],
        title: "After a coarse timeout",
        quick: false,
        is_long: false,
        scenarios: &["astart"],
        measure: restart::measure,
    },
    Part {
        ids: &["W.hoe.joined", "W.astart.joined"],
        title: "Other traffic joins in slow start",
        quick: false,
        is_long: false,
        scenarios: &["astart", "astart-packets", "astart-flows"],
        measure: joined::measure,
    },
    Part {
        ids: &[],
        title: "Mice and elephants",
        quick: false,
        is_long: false,
        scenarios: &["astart"],
        measure: sizes::measure,
    },
    Part {
        ids: &["W.astart.share"],
        title: "A newcomer among connections of NewReno",
        quick: false,
        is_long: true,
        scenarios: &["astart-friendly"],
        measure: friendly::measure,
    },
];

/// Today's start-ups and these, before a small and a large buffer.
const KERNEL: &[&str] = &[include_str!("astart.toml")];
