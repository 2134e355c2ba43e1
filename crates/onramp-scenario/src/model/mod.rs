//! A scenario after its lists have been multiplied out: every key has one value in a fixed unit.

mod byte_counting;
mod choice;
mod host;
mod network;
mod requests;
mod sizes;
mod traffic;
mod transfer;

pub use byte_counting::format_byte_counting;
pub(crate) use byte_counting::parse_byte_counting;
pub use host::*;
pub use network::*;
pub use requests::*;
pub use sizes::*;
pub use traffic::*;
pub use transfer::*;

use onramp_tcp::{IpVersion, PacketPair};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// A scenario file, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Short name, used in tables and file names.
    pub name: String,
    /// One sentence for the report.
    pub description: String,
    /// The cross product of all lists in the file. Conditions change most slowly, then sizes, then
    /// repeats, then the transfers that are compared with each other (`docs/scenarios.md`).
    pub cases: Vec<Case>,
    /// Repeats of a case have the same result in a simulator.
    pub repeats_are_alike: bool,
}

impl Scenario {
    /// What a user should know about the repeats before he sums them up.
    pub fn note(&self) -> Option<String> {
        self.repeats_are_alike.then(|| {
            format!(
                "{}: nothing is random and the hosts are exact, so all repeats of a case are the \
                 same run; `hosts = \"noisy\"` in [run] makes them differ",
                self.name
            )
        })
    }
}

/// One run of a simulator or a lab: one transfer, or some copies of it, over one network.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Name of the scenario.
    pub scenario: String,
    /// Number of the case within its scenario, from 1.
    pub number: u32,
    /// Nodes and links.
    pub network: Arc<Network>,
    /// The path of the transfer's first copy through the network.
    pub path: Path,
    /// How many copies of the transfer share each directed link.
    pub crossings: Crossings,
    /// The host that sends the data, and all other sending hosts.
    pub sender: Sender,
    /// The host that receives the data.
    pub receiver: Receiver,
    /// The traffic that competes with the transfer.
    pub traffic: Arc<[Traffic]>,
    /// The transfer that is measured.
    pub transfer: Transfer,
    /// The run ends at this time, even if transfers are unfinished; `None`: the run ends when all
    /// measured transfers are finished.
    pub duration_ns: Option<u64>,
    /// How long hosts take to process a packet.
    pub hosts: Hosts,
    /// Number of the repetition, from 1.
    pub run: u32,
    /// Seed of every random stream of this run.
    pub seed: u64,
}

impl Case {
    /// The same run with another start-up, or [`NO_STARTUP`]. A receiver that answers packet pairs
    /// because of the start-up alone does so where the new one needs it.
    pub fn with_startup(&self, startup: &str) -> Case {
        let usual = |startup: &str| PacketPair::of_startup(startup, self.sender.packet_pairs);
        let mut case = self.clone();
        if case.receiver.packet_pair == usual(&case.transfer.startup) {
            case.receiver.packet_pair = usual(startup);
        }
        case.transfer.startup = startup.to_owned();
        case
    }

    /// The IP versions of its transfers and of its traffic, each once.
    pub fn ip_versions(&self) -> impl Iterator<Item = IpVersion> {
        let traffic = self.traffic.iter().map(Traffic::ip);
        let used: BTreeSet<_> = traffic.chain([self.transfer.ip]).collect();
        used.into_iter()
    }

    /// When the transfer's first copy starts, since the beginning of the run: late enough for all
    /// traffic that leads it.
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

    /// The time of traffic without records, since the beginning of the run: from its first start to
    /// its last stop. `None` without such traffic.
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
