//! What the engine runs: a case with its names, routes and choices resolved.

use crate::routes::Routes;
use onramp_scenario::random::Interval;
use onramp_scenario::{Application, Arrivals, Connect, Connections, Dscp};
use onramp_tcp::Config;

/// A run before its beginning.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Directed links: those of the scenario in its order, forward before reverse.
    pub links: Vec<onramp_net::Config>,
    /// The routes of all flows.
    pub routes: Routes,
    /// Kinds of TCP flows.
    pub groups: Vec<Group>,
    /// What starts flows and sends datagrams; sources are numbered in this order.
    pub loads: Vec<Load>,
    /// Moments at which the traffic's progress is noted, ascending. The run goes on until the last
    /// of them, but no longer than a minute after the last measured transfer.
    pub meter_ns: Vec<u64>,
    /// The run ends here at the latest.
    pub until_ns: u64,
    /// Of all random streams.
    pub seed: u64,
}

/// TCP flows that have everything in common but their hosts and sizes.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The end that sends the data.
    pub sender: Config,
    /// The end that receives it.
    pub receiver: Config,
    /// The end that opens the connection.
    pub connect: Connect,
    /// How the sender's packets are marked.
    pub dscp: Dscp,
    /// Where they run; flows are dealt to them in turn.
    pub paths: Vec<Path>,
    /// The scenario's `[[traffic]]` table that they belong to; `None`: they are the transfer.
    pub traffic: Option<u32>,
    /// Each of them has a record.
    pub measured: bool,
    /// What limits the sending application.
    pub application: Option<Application>,
    /// The sending application stops in the middle, and resets the connection.
    pub stop_ns: u64,
    /// It is made of several connections, each of them a flow of another group; `None`: of one.
    pub bundle: Option<BundlePlan>,
}

/// Of what connections a transfer is made.
#[derive(Clone, Debug)]
pub(crate) struct BundlePlan {
    /// In series: the groups of its hops, from the sender to the receiver.
    pub hops: Vec<u32>,
    /// Side by side: how many such series.
    pub connections: Connections,
}

/// A way through the network and back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    /// The node that sends the data.
    pub from: u32,
    /// The node that receives it.
    pub to: u32,
    /// First place of the route of the data.
    pub data: u32,
    /// First place of the route of the acknowledgements.
    pub acks: u32,
    /// The directed link of the data's route with the lowest rate, the first of several.
    pub bottleneck: u32,
    /// Largest payload of a segment without options.
    pub mss_bytes: u16,
}

/// What a source does.
#[derive(Debug)]
pub(crate) enum Load {
    /// Starts flows.
    Launch(Launch),
    /// Sends datagrams.
    Datagrams(Datagrams),
}

/// Flows that start.
#[derive(Debug)]
pub(crate) struct Launch {
    /// Of which group.
    pub group: u32,
    /// When, and with which payload.
    pub arrivals: Arrivals,
}

/// Datagrams, perhaps with pauses.
#[derive(Debug)]
pub(crate) struct Datagrams {
    /// First place of their route.
    pub route: u32,
    /// The node that sends them.
    pub from: u32,
    /// The node that receives them.
    pub to: u32,
    /// The directed link of the route with the lowest rate.
    pub bottleneck: u32,
    /// The scenario's `[[traffic]]` table.
    pub traffic: u32,
    /// The first one.
    pub start_ns: u64,
    /// None is sent from here on.
    pub stop_ns: u64,
    /// Of IP packets, on average.
    pub rate_bits_per_s: u64,
    /// Size of each IP packet.
    pub packet_bytes: u32,
    /// How it is marked.
    pub dscp: Dscp,
    /// They come one by one, as a Poisson process, not evenly.
    pub poisson: bool,
    /// How long it sends and how long it pauses; `None`: it never pauses.
    pub on_off: Option<(Interval, Interval)>,
}

impl Path {
    /// A number for what a host remembers of it: who sends to whom.
    pub fn memory_key(&self) -> u64 {
        u64::from(self.from) << 32 | u64::from(self.to)
    }
}

impl Group {
    /// The way of a copy, counted from 0.
    pub fn path(&self, copy: u64) -> &Path {
        &self.paths[(copy % self.paths.len() as u64) as usize]
    }
}

impl Datagrams {
    /// From one to the next at an even rate. Exact in the long run: what a division cuts off, in
    /// `part`, is carried into the next one.
    pub fn interval_ns(&self, part: &mut u64) -> u64 {
        let parts = u128::from(self.packet_bytes) * 8_000_000_000 + u128::from(*part);
        let rate = u128::from(self.rate_bits_per_s.max(1));
        *part = (parts % rate) as u64;
        (parts / rate) as u64
    }

    /// The same where it is drawn.
    pub fn mean_interval(&self) -> Interval {
        Interval::Exponential(self.interval_ns(&mut 0))
    }
}

impl Load {
    /// Whether what it starts has records.
    pub fn is_measured(&self, groups: &[Group]) -> bool {
        match self {
            Load::Launch(launch) => groups[launch.group as usize].measured,
            Load::Datagrams(_) => false,
        }
    }
}
