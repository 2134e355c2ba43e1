//! What the page tells about a case besides its numbers over time.

use crate::drawn_path::DrawnPath;
use onramp_results::{describe_case, Record};
use onramp_scenario::{Case, Hop};
use serde::Serialize;

/// `Run` of `page/src/engine/types.ts`, without its cases.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunFacts {
    /// `name` of the scenario.
    pub name: String,
    /// `description` of the scenario.
    pub description: String,
    /// What `onramp sim --json` prints.
    pub records_json: String,
    /// Sentences for the user.
    pub warnings: Vec<String>,
}

/// `CaseRun` of `types.ts`, without its tables.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseFacts {
    /// Number of the case in the scenario, from 1.
    pub number: u32,
    /// The case in one line.
    pub title: String,
    /// The start-up of the transfer.
    pub startup: String,
    /// The algorithms of the transfer.
    pub algorithms: String,
    /// The seed in decimal digits: a number of JavaScript has 53 bits.
    pub seed: String,
    /// Number of the repetition, from 1.
    pub run: u32,
    /// The end of the run.
    pub end_s: f64,
    /// Names of the nodes on the way of the data.
    pub nodes: Vec<String>,
    /// The links on the way of the data.
    pub links: Vec<LinkFacts>,
    /// The links on the way of ACKs.
    pub return_links: Vec<LinkFacts>,
    /// Place in `links` of the link whose queue is drawn.
    pub bottleneck: usize,
    /// Place in `return_links` of the slowest link.
    pub return_bottleneck: usize,
    /// Propagation round trip.
    pub rtt_s: f64,
    /// Payload that the path sustains.
    pub capacity_bytes_per_s: u64,
    /// Their product.
    pub bdp_bytes: f64,
    /// The flows of the packets.
    pub flows: Vec<FlowFacts>,
    /// One of this many packets is there.
    pub packet_interval: u64,
}

/// A directed link.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkFacts {
    /// Its ends.
    pub name: String,
    /// Rate of IP packets.
    pub rate_bytes_per_s: f64,
    /// The rate changes.
    pub rate_varies: bool,
    /// Propagation delay.
    pub delay_s: f64,
    /// The delay changes.
    pub delay_varies: bool,
    /// Limit of the queue as the scenario has it.
    pub queue: String,
    /// The limit in bytes; `None` where it counts packets.
    pub queue_bytes: Option<f64>,
    /// Other elements.
    pub elements: String,
}

/// A flow of the packets.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowFacts {
    /// Its number in the run.
    pub number: u32,
    /// Place of its transfer; -1: other traffic.
    pub transfer: i64,
    /// Its start.
    pub start_s: f64,
}

impl CaseFacts {
    /// The facts that are known before the run.
    pub fn of(case: &Case, path: &DrawnPath) -> CaseFacts {
        let record = Record::of_case(case, "sim");
        let name = |node: &usize| case.network.nodes[*node].clone();
        let rtt_s = record.rtt_ms / 1e3;
        CaseFacts {
            number: case.number,
            title: describe_case(case),
            startup: case.transfer.startup.clone(),
            algorithms: record.algorithms(),
            seed: case.seed.to_string(),
            run: case.run,
            end_s: 0.0,
            nodes: path.nodes.iter().map(name).collect(),
            links: links(case, &path.forward, &path.nodes),
            return_links: links(case, &path.reverse, &path.return_nodes),
            bottleneck: path.bottleneck,
            return_bottleneck: path.return_bottleneck,
            rtt_s,
            capacity_bytes_per_s: record.capacity_bytes_per_s,
            bdp_bytes: record.capacity_bytes_per_s as f64 * rtt_s,
            flows: Vec::new(),
            packet_interval: 1,
        }
    }
}

fn links(case: &Case, route: &[Hop], nodes: &[usize]) -> Vec<LinkFacts> {
    let link = |(hop, ends): (&Hop, &[usize])| {
        let channel = case.network.channel(*hop);
        let [from, to] = [ends[0], ends[1]].map(|node| &case.network.nodes[node]);
        let changes =
            |test: fn(&onramp_scenario::ChannelChange) -> bool| channel.changes.iter().any(test);
        let loss = channel.describe_loss();
        let elements = channel.describe().into_iter();
        let elements = elements.chain((loss != "0 %").then(|| format!("loss {loss}")));
        LinkFacts {
            name: format!("{from} to {to}"),
            rate_bytes_per_s: channel.packet_bits_per_s() as f64 / 8.0,
            rate_varies: channel.has_recorded_rate()
                || channel.is_poisson
                || channel.steps.is_some()
                || changes(|change| change.rate_bits_per_s.is_some()),
            delay_s: channel.delay_ns as f64 / 1e9,
            delay_varies: channel.recorded_delay.is_some()
                || changes(|change| change.delay_ns.is_some()),
            queue: channel.queue.to_string(),
            queue_bytes: channel
                .queue
                .bytes(channel.packet_bits_per_s(), case.path.rtt_ns)
                .map(|bytes| bytes as f64),
            elements: elements.collect::<Vec<_>>().join(", "),
        }
    };
    route.iter().zip(nodes.windows(2)).map(link).collect()
}
