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

use crate::{Measure, Paper};

/// The paper and how it is measured.
pub fn paper() -> Paper {
    let measures: &[(&str, Measure)] = &[
        ("first-seconds", first_seconds::measure),
        ("sweep-grid", sweep::measure_grid),
        ("sweep-buffers", sweep::measure_buffers),
        ("high", high::measure),
        ("restart", restart::measure),
        ("joined", joined::measure),
        ("sizes", sizes::measure),
        ("friendly", friendly::measure),
    ];
    Paper::new(setup::ledger(), measures, KERNEL)
}

/// Today's start-ups and these, before a small and a large buffer.
const KERNEL: &[&str] = &[include_str!("astart.toml")];
