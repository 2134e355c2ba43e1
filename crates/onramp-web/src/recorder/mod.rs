//! The recorder: an observer that keeps what the page draws, within limits.

mod packets;
mod phases;
mod queue;
mod rtt;

pub use packets::MAX_PACKETS;

use crate::columns::Table;
use crate::drawn_path::DrawnPath;
use onramp_sim::observe::{DropReason, FlowStart, Observer, PacketEvent};
use onramp_tcp::Connection;
use packets::Packets;
pub use phases::Change;
use phases::Phases;
use queue::Queue;
use rtt::Rtts;
use std::collections::BTreeMap;

/// Records one case.
pub struct Recorder<'a> {
    path: &'a DrawnPath,
    packets: Packets,
    queue: Queue,
    flows: BTreeMap<u32, FlowStart>,
    senders: BTreeMap<u32, Sender>,
}

/// What is recorded of the sender of a measured transfer's first connection.
#[derive(Default)]
struct Sender {
    rtts: Rtts,
    phases: Phases,
}

/// What was recorded of a case.
pub struct Recording {
    /// Packets on the drawn path, in the order in which they were sent.
    pub packets: Table,
    /// One of this many packets is in the table.
    pub packet_interval: u64,
    /// The flows that the table refers to, by their places in this list.
    pub flows: Vec<FlowStart>,
    /// The queue of the bottleneck.
    pub queue: Table,
    /// The measured transfers that started: the copies of the transfer, then those of traffic, each
    /// in the order of their starts, as in the records.
    pub transfers: Vec<RecordedTransfer>,
}

/// A measured transfer: its first connection.
pub struct RecordedTransfer {
    /// Its start.
    pub start: FlowStart,
    /// The sender's RTT samples.
    pub rtt: Table,
    /// The phases of its start-up.
    pub phases: Vec<Change>,
}

impl<'a> Recorder<'a> {
    /// A recorder of this path.
    pub fn new(path: &'a DrawnPath) -> Recorder<'a> {
        Recorder {
            path,
            packets: Packets::default(),
            queue: Queue::default(),
            flows: BTreeMap::new(),
            senders: BTreeMap::new(),
        }
    }

    /// What was recorded, when the run is over.
    pub fn finish(mut self) -> Recording {
        let is_first = |flow: &FlowStart| flow.measured && flow.flow == flow.transfer;
        let firsts = self.flows.values().filter(|flow| is_first(flow));
        let (copies, traffic): (Vec<FlowStart>, Vec<FlowStart>) =
            firsts.partition(|flow| flow.traffic.is_none());
        let mut transfer = |start: FlowStart| {
            let sender = self.senders.remove(&start.flow).unwrap_or_default();
            RecordedTransfer {
                start,
                rtt: sender.rtts.into_table(),
                phases: sender.phases.into_changes(),
            }
        };
        let transfers = copies
            .into_iter()
            .chain(traffic)
            .map(&mut transfer)
            .collect();
        let (packets, packet_interval, flows) = self.packets.into_table();
        Recording {
            packets,
            packet_interval,
            flows: flows
                .iter()
                .filter_map(|flow| self.flows.get(flow).copied())
                .collect(),
            queue: self.queue.into_table(),
            transfers,
        }
    }
}

impl Observer for Recorder<'_> {
    const WATCHES_SERVICE: bool = true;

    fn flow_started(&mut self, flow: &FlowStart) {
        self.flows.insert(flow.flow, *flow);
        if flow.measured {
            self.packets.measure(flow.flow);
            if flow.flow == flow.transfer {
                self.senders.insert(flow.flow, Sender::default());
            }
        }
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        self.packets.sent(packet);
    }

    fn entered(&mut self, link: u32, packet: &PacketEvent<'_>) {
        if self.path.is_drawn(link) {
            self.packets.entered(packet);
        }
        if link == self.path.bottleneck() {
            self.queue.add(packet.time_ns, packet.wire_bytes);
        }
    }

    fn served(&mut self, link: u32, packet: &PacketEvent<'_>) {
        if self.path.is_drawn(link) {
            self.packets.served(packet);
        }
        if link == self.path.bottleneck() {
            self.queue.remove(packet.time_ns, packet.wire_bytes);
        }
    }

    fn departed(&mut self, link: u32, packet: &PacketEvent<'_>) {
        if self.path.is_drawn(link) {
            self.packets.departed(packet);
        }
    }

    fn dropped(&mut self, link: u32, why: DropReason, packet: &PacketEvent<'_>) {
        let was_queued = matches!(why, DropReason::Evicted | DropReason::Thinned);
        if was_queued && link == self.path.bottleneck() {
            self.queue.remove(packet.time_ns, packet.wire_bytes);
        }
        let is_drawn = self.path.is_drawn(link);
        self.packets
            .dropped(self.path.place(link), is_drawn, why, packet);
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        self.packets.arrived(packet);
    }

    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection) {
        if let Some(recorded) = self.senders.get_mut(&flow) {
            recorded.rtts.look(time_ns, sender);
            recorded.phases.look(time_ns, sender);
        }
    }
}
