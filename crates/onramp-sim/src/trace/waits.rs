//! How long the data packets of measured flows wait in the queues of links.

use crate::decimated::Decimated;
use crate::observe::PacketEvent;
use onramp_results::{LinkQueue, PacketSample, QueueSample};
use onramp_scenario::{Hop, Network};
use std::collections::{BTreeMap, HashMap};

/// Maximum number of samples of a link, and of packets that arrived.
const MAX_SAMPLES: usize = 20_000;

/// Data packets on their way, by their slots.
#[derive(Debug, Default)]
pub(super) struct OnTheirWay(HashMap<u32, Packet>);

#[derive(Clone, Copy, Debug)]
struct Packet {
    sent_ns: u64,
    /// When it entered the queue in which it is now.
    entered_ns: u64,
    queued_ns: u64,
}

impl OnTheirWay {
    pub fn sent(&mut self, packet: &PacketEvent<'_>) {
        let sent = Packet {
            sent_ns: packet.time_ns,
            entered_ns: packet.time_ns,
            queued_ns: 0,
        };
        self.0.insert(packet.slot, sent);
    }

    pub fn entered(&mut self, packet: &PacketEvent<'_>) {
        if let Some(known) = self.0.get_mut(&packet.slot) {
            known.entered_ns = packet.time_ns;
        }
    }

    pub fn dropped(&mut self, packet: &PacketEvent<'_>) {
        self.0.remove(&packet.slot);
    }
}

/// The waiting of one flow's packets.
#[derive(Debug)]
pub(super) struct Waits {
    links: BTreeMap<u32, Decimated<QueueSample>>,
    arrived: Decimated<PacketSample>,
}

impl Default for Waits {
    fn default() -> Waits {
        Waits {
            links: BTreeMap::new(),
            arrived: Decimated::new(MAX_SAMPLES),
        }
    }
}

impl Waits {
    /// A link has begun to transmit the packet.
    pub fn served(
        &mut self,
        ways: &mut OnTheirWay,
        link: u32,
        packet: &PacketEvent<'_>,
        started_ns: u64,
    ) {
        let Some(known) = ways.0.get_mut(&packet.slot) else {
            return;
        };
        let wait_ns = packet.time_ns - known.entered_ns;
        known.queued_ns += wait_ns;
        let samples = self.links.entry(link);
        let samples = samples.or_insert_with(|| Decimated::new(MAX_SAMPLES));
        samples.push(QueueSample {
            time_s: seconds(known.entered_ns.saturating_sub(started_ns)),
            wait_s: seconds(wait_ns),
        });
    }

    /// The packet has arrived at its receiver.
    pub fn arrived(&mut self, ways: &mut OnTheirWay, packet: &PacketEvent<'_>, started_ns: u64) {
        if let Some(known) = ways.0.remove(&packet.slot) {
            self.arrived.push(PacketSample {
                time_s: seconds(packet.time_ns - started_ns),
                delay_s: seconds(packet.time_ns - known.sent_ns),
                queued_s: seconds(known.queued_ns),
            });
        }
    }

    /// The links on which a packet waited, and the packets that arrived. The flag states whether
    /// samples were discarded.
    pub fn into_parts(self, network: &Network) -> (Vec<LinkQueue>, Vec<PacketSample>, bool) {
        let mut is_decimated = self.arrived.interval() > 1;
        let mut queues = Vec::new();
        for (link, samples) in self.links {
            is_decimated |= samples.interval() > 1;
            let samples = samples.into_entries();
            if samples.iter().any(|sample| sample.wait_s > 0.0) {
                let link = name(network, link);
                queues.push(LinkQueue { link, samples });
            }
        }
        (queues, self.arrived.into_entries(), is_decimated)
    }
}

/// The nodes at the ends of a directed link.
fn name(network: &Network, number: u32) -> String {
    let hop = Hop::of_number(number);
    let link = &network.links[hop.link];
    let (from, to) = match hop.is_forward {
        true => (link.from, link.to),
        false => (link.to, link.from),
    };
    format!("{} - {}", network.nodes[from], network.nodes[to])
}

fn seconds(time_ns: u64) -> f64 {
    time_ns as f64 / 1e9
}
