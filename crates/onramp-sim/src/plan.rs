//! The plan that the engine runs: a case with resolved names, routes and configurations.

#[cfg(feature = "quic")]
use crate::quic::QuicPlan;
use crate::routes::Routes;
use onramp_scenario::{Application, Arrivals, Connect, Connections, Dscp, RequestsPlan};
use onramp_tcp::{Config, Ensembles};

/// The plan of a run.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Directed links, in the scenario's order, forward before reverse.
    pub links: Vec<onramp_net::Config>,
    /// The routes of all flows.
    pub routes: Routes,
    /// Groups of TCP and QUIC flows.
    pub groups: Vec<Group>,
    /// The sources, which start flows and send datagrams. They are numbered in this order.
    pub loads: Vec<Load>,
    /// Times at which the delivered traffic is read, ascending. The run continues until the last of
    /// them, but at most one minute after the last measured transfer.
    pub meter_ns: Vec<u64>,
    /// Latest end of the run.
    pub until_ns: u64,
    /// Seed of all random streams.
    pub seed: u64,
}

/// TCP or QUIC flows that differ only in their hosts and sizes.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Configuration of the end that sends the data.
    pub sender: Config,
    /// Configuration of the end that receives the data.
    pub receiver: Config,
    /// The protocol of the flows.
    pub protocol: Protocol,
    /// Which end opens the connection.
    pub connect: Connect,
    /// DSCP of the sender's packets.
    pub dscp: Dscp,
    /// Paths of the flows, which use them in turn.
    pub paths: Vec<Path>,
    /// Index of the flows' `[[traffic]]` table. `None` for copies of the transfer.
    pub traffic: Option<u32>,
    /// Whether each flow has a record.
    pub measured: bool,
    /// How the sending application writes. `None`: all at once.
    pub application: Option<Application>,
    /// The requests of the receiver. `None`: one, for the whole payload.
    pub requests: Option<RequestsPlan>,
    /// Time at which the sending application resets the connection.
    pub stop_ns: u64,
    /// The connections of a transfer with several connections, each of which is a flow of another
    /// group. `None`: one connection.
    pub bundle: Option<BundlePlan>,
}

/// The protocol of a group's flows.
#[derive(Clone, Debug)]
pub(crate) enum Protocol {
    Tcp,
    /// QUIC. The MSS and the IP version are the sender's.
    #[cfg(feature = "quic")]
    Quic(QuicPlan),
}

/// The connections of one transfer.
#[derive(Clone, Debug)]
pub(crate) struct BundlePlan {
    /// Groups of the connections in series, from the sender to the receiver.
    pub hops: Vec<u32>,
    /// Number of such series in parallel.
    pub connections: Connections,
}

/// A path through the network, with its return path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    /// Node that sends the data.
    pub from: u32,
    /// Node that receives the data.
    pub to: u32,
    /// Index of the first hop of the data's route.
    pub data: u32,
    /// Index of the first hop of the ACKs' route.
    pub acks: u32,
    /// The directed link of the data's route with the lowest rate; the first of them if there are
    /// several.
    pub bottleneck: u32,
    /// Maximum payload of a segment without options.
    pub mss_bytes: u16,
}

/// The task of a source.
#[derive(Debug)]
pub(crate) enum Load {
    /// Starts flows.
    Launch(Launch),
    /// Sends datagrams.
    Datagrams(Datagrams),
}

/// Flows that a source starts.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// Group of the flows.
    pub group: u32,
    /// Times and payload sizes.
    pub arrivals: Arrivals,
}

/// Datagrams that a source sends.
#[derive(Clone, Debug)]
pub(crate) struct Datagrams {
    /// Index of the first hop of their route.
    pub route: u32,
    /// Node that sends them.
    pub from: u32,
    /// Node that receives them.
    pub to: u32,
    /// Directed link of the route with the lowest rate.
    pub bottleneck: u32,
    /// Index of the `[[traffic]]` table.
    pub traffic: u32,
    /// DSCP of the packets.
    pub dscp: Dscp,
    /// Their times and their size.
    pub times: onramp_scenario::Datagrams,
}

impl Plan {
    /// The TCP senders count their connections and learn initial rates in `ensembles`.
    pub fn share(&mut self, ensembles: Ensembles) {
        for group in &mut self.groups {
            group.sender.ensembles = Some(ensembles.clone());
        }
    }
}

impl Path {
    /// Key of this path in the sender's path memory: sender and receiver, in 48 bits. A network has
    /// fewer than 2^24 nodes.
    pub fn memory_key(&self) -> u64 {
        u64::from(self.from) << 24 | u64::from(self.to)
    }
}

impl Group {
    /// The path of a copy, counted from 0.
    pub fn path(&self, copy: u64) -> &Path {
        &self.paths[(copy % self.paths.len() as u64) as usize]
    }
}

impl Load {
    /// Whether the source starts flows that have records.
    pub fn is_measured(&self, groups: &[Group]) -> bool {
        match self {
            Load::Launch(launch) => groups[launch.group as usize].measured,
            Load::Datagrams(_) => false,
        }
    }
}
