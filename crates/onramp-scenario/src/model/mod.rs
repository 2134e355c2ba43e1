//! A scenario after its lists have been multiplied out: every value is one value, every unit is
//! fixed.

mod channel;
mod flow;
mod network;
mod traffic;

pub use channel::*;
pub use flow::*;
pub use network::*;
pub use traffic::*;

use std::ops::Range;
use std::sync::Arc;

/// A scenario file, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Short name, used in tables and file names.
    pub name: String,
    /// One sentence for the report.
    pub description: String,
    /// The cross product of all lists in the file: conditions outermost, then sizes, then repeats,
    /// and innermost the transfers that are compared with each other (`docs/scenarios.md`).
    pub cases: Vec<Case>,
}

/// One transfer, or some copies of it, over one network: what a simulator or a lab runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Name of the scenario it comes from.
    pub scenario: String,
    /// Its place among the scenario's cases, from 1.
    pub number: u32,
    /// Nodes and links.
    pub network: Arc<Network>,
    /// The way of the transfer's first copy through the network.
    pub path: Path,
    /// How many copies of the transfer share each link.
    pub crossings: Crossings,
    /// The host that sends the data, and every other that sends.
    pub sender: Sender,
    /// The host that receives the data.
    pub receiver: Receiver,
    /// What else is on the network.
    pub traffic: Arc<[Traffic]>,
    /// The transfer that is measured.
    pub transfer: Transfer,
    /// The run ends at this time, whatever is unfinished; `None`: when all that is measured is
    /// finished.
    pub duration_ns: Option<u64>,
    /// Which repetition this is, from 1.
    pub run: u32,
    /// Seed of every random stream of this run.
    pub seed: u64,
}

impl Case {
    /// When the transfer's first copy starts, since the beginning of the run: late enough for all
    /// traffic that is to be under way before it.
    pub fn transfer_start_ns(&self) -> u64 {
        let leads = self.traffic.iter().map(|traffic| match traffic.start {
            TrafficStart::Lead(lead_ns) => lead_ns,
            TrafficStart::At(_) => 0,
        });
        leads.fold(self.transfer.start_ns, u64::max)
    }

    /// When traffic of this case begins, since the beginning of the run.
    pub fn traffic_start_ns(&self, traffic: &Traffic) -> u64 {
        match traffic.start {
            TrafficStart::Lead(lead_ns) => self.transfer_start_ns().saturating_sub(lead_ns),
            TrafficStart::At(start_ns) => start_ns,
        }
    }

    /// When there is traffic without records, since the beginning of the run: from its first start
    /// to its last stop.
    pub fn traffic_span(&self) -> Option<Range<u64>> {
        let unmeasured = || self.traffic.iter().filter(|traffic| !traffic.measured);
        let first_ns = unmeasured()
            .map(|traffic| self.traffic_start_ns(traffic))
            .min()?;
        let last_ns = unmeasured()
            .map(|traffic| traffic.stop_ns.unwrap_or(u64::MAX))
            .max()?;
        Some(first_ns..last_ns)
    }
}
