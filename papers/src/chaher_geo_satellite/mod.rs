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

use crate::{Measure, Paper};

/// The paper and how it is measured.
pub fn paper() -> Paper {
    let measures: &[(&str, Measure)] = &[
        ("closed-form", closed_form::measure),
        ("sweeps-gamma", sweeps::measure_gamma),
        ("adaptive", adaptive::measure),
        ("equation-7", equation_7::measure),
        ("avoidance", avoidance::measure),
        ("remedies", remedies::measure),
        ("sweeps-spacing", sweeps::measure_spacing),
        ("windows", windows::measure),
    ];
    Paper::new(setup::ledger(), measures, KERNEL)
}

/// A satellite with outages, after which today's TCP makes a slow start.
const KERNEL: &[&str] = &[include_str!("double-slow-start.toml")];
