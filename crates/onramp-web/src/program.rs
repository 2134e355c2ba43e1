//! What the program can do, for the controls of the page.

use crate::play::MAX_CASES;
use crate::recorder::MAX_PACKETS;
use onramp_core::{startup_names, summary};
use onramp_scenario::{Avoidance, NO_STARTUP};
use serde::Serialize;

/// `Facts` of `page/src/engine/types.ts`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgramFacts {
    version: &'static str,
    startups: Vec<Startup>,
    avoidances: Vec<&'static str>,
    max_cases: usize,
    max_packets: usize,
}

#[derive(Clone, Debug, Serialize)]
struct Startup {
    name: &'static str,
    summary: &'static str,
}

/// What this version can do.
pub fn program_facts() -> ProgramFacts {
    let plain = Startup {
        name: NO_STARTUP,
        summary: "the slow start of the congestion avoidance",
    };
    let startup = |name: &&'static str| Startup {
        name,
        summary: summary(name).unwrap_or_default(),
    };
    let is_simulated = |avoidance: &Avoidance| avoidance.in_simulator().is_some();
    ProgramFacts {
        version: env!("CARGO_PKG_VERSION"),
        startups: [plain]
            .into_iter()
            .chain(startup_names().iter().map(startup))
            .collect(),
        avoidances: Avoidance::ALL
            .into_iter()
            .filter(is_simulated)
            .map(Avoidance::name)
            .collect(),
        max_cases: MAX_CASES,
        max_packets: MAX_PACKETS,
    }
}
