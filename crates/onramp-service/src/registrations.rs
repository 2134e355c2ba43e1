//! The registered start-ups of this host and their totals, as counts.

use crate::counts::RegistrationCounts;
use onramp_kernel::{loaded, Loaded, Result};

/// What the connections of all registered start-ups did, whoever registered them.
///
/// # Errors
/// Without root (CAP_BPF), or where the kernel has no BPF.
pub fn registrations() -> Result<Vec<RegistrationCounts>> {
    loaded()?.iter().map(counts).collect()
}

fn counts(loaded: &Loaded) -> Result<RegistrationCounts> {
    let totals = loaded.totals()?;
    let governor = loaded.governor()?;
    let exits = totals.exits.iter();
    Ok(RegistrationCounts {
        name: loaded.name.clone(),
        startup: loaded.startup.clone(),
        avoidance: loaded.avoidance.to_owned(),
        connections: totals.started,
        live: totals.live,
        exits: exits
            .map(|(exit, startups)| ((*exit).to_owned(), *startups))
            .collect(),
        initial_bytes_per_s: loaded.initial_bytes_per_s,
        startup_sent_segments: totals.startup_sent_segments,
        startup_retransmitted_segments: totals.startup_retransmitted_segments,
        governor_holds_all: governor
            .as_ref()
            .is_some_and(|governor| governor.host.holds),
        governor_held_destinations: governor
            .map_or(0, |governor| governor.held_destinations() as u64),
        events_lost: totals.events_lost,
    })
}
