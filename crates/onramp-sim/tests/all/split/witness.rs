//! An observer that records the data that relays hold and receivers read.

use onramp_sim::observe::{Direction, FlowStart, Observer, PacketEvent};
use onramp_tcp::Connection;
use std::collections::BTreeMap;

/// The data that relays hold and receivers read.
#[derive(Default)]
pub struct Witness {
    pub started: Vec<FlowStart>,
    /// For each flow, the ranges of its stream that have arrived.
    arrived: BTreeMap<u32, Vec<(u64, u64)>>,
    /// For each flow, the bytes that its receiver has acknowledged.
    acked: BTreeMap<u32, u64>,
    pub delivered: Vec<(u32, u64)>,
    pub ended: usize,
    /// Maximum of the bytes that one relay held at a time.
    pub max_held_bytes: u64,
}

impl Witness {
    pub fn in_order(&self, flow: u32) -> u64 {
        let mut ranges = self.arrived.get(&flow).cloned().unwrap_or_default();
        ranges.sort_unstable();
        ranges.into_iter().fold(
            0,
            |end, (from, to)| if from <= end { end.max(to) } else { end },
        )
    }

    pub fn hop(&self, transfer: u32, hop: u32) -> Option<u32> {
        self.started
            .iter()
            .find(|flow| flow.transfer == transfer && flow.hop == hop)
            .map(|flow| flow.flow)
    }

    /// Updates the bytes that the relay behind a flow holds.
    fn update_held_bytes(&mut self, flow: u32) {
        let Some(start) = self
            .started
            .iter()
            .find(|start| start.flow == flow)
            .copied()
        else {
            return;
        };
        let Some(next) = self.hop(start.transfer, start.hop + 1) else {
            return;
        };
        let held = self.in_order(flow) - self.acked.get(&next).copied().unwrap_or(0);
        self.max_held_bytes = self.max_held_bytes.max(held);
    }
}

impl Observer for Witness {
    fn flow_started(&mut self, flow: &FlowStart) {
        self.started.push(*flow);
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        if packet.direction == Direction::Data && packet.segment.payload_bytes > 0 {
            let (start, end) = (
                packet.stream_start,
                packet.stream_start + u64::from(packet.segment.payload_bytes),
            );
            let ranges = self.arrived.entry(packet.flow).or_default();
            match ranges.last_mut().filter(|last| last.1 == start) {
                Some(last) => last.1 = end,
                None => ranges.push((start, end)),
            }
            self.update_held_bytes(packet.flow);
        }
    }

    fn delivered(&mut self, _time_ns: u64, flow: u32, bytes: u64) {
        self.delivered.push((flow, bytes));
    }

    fn sender_acted(&mut self, _time_ns: u64, flow: u32, sender: &Connection) {
        self.acked.insert(flow, sender.acked_bytes());
    }

    fn flow_ended(&mut self, _time_ns: u64, _flow: u32) {
        self.ended += 1;
    }
}
