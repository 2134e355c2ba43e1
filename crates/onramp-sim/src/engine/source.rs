//! The sources of a run, which start flows and send datagrams. Each source has its own random
//! numbers.

use crate::plan::{Datagrams, Launch, Load};

/// An active source.
#[derive(Clone)]
pub(super) struct Source {
    /// Its task and state.
    pub kind: SourceKind,
    /// Whether the flows that it starts have records.
    pub is_measured: bool,
}

/// The task of a source and its state.
#[derive(Clone)]
pub(super) enum SourceKind {
    /// Starts flows.
    Launch(Launch),
    /// Sends datagrams.
    Datagrams {
        /// The plan of the datagrams.
        plan: Datagrams,
        /// Number of its flow, once it has sent a datagram.
        flow: Option<u32>,
        /// Number of datagrams sent.
        sent: u64,
    },
}

impl Source {
    /// Creates the source of this load.
    pub fn new(load: Load, is_measured: bool) -> Source {
        let kind = match load {
            Load::Launch(plan) => SourceKind::Launch(plan),
            Load::Datagrams(plan) => SourceKind::Datagrams {
                plan,
                flow: None,
                sent: 0,
            },
        };
        Source { kind, is_measured }
    }

    /// Time of its next event. `None`: the source is exhausted.
    pub fn next_ns(&self) -> Option<u64> {
        match &self.kind {
            SourceKind::Launch(plan) => plan.arrivals.next_ns(),
            SourceKind::Datagrams { plan, .. } => plan.times.next_ns(),
        }
    }
}
