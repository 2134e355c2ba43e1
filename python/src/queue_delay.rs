//! How long data segments waited at the bottleneck of each measured transfer.

use onramp_sim::observe::{Direction, DropReason, FlowStart, Observer, PacketEvent};
use onramp_sim::Decimated;
use std::collections::{BTreeMap, VecDeque};

/// Beyond this number of samples of a transfer every other one is left out.
const MAX_SAMPLES: usize = 100_000;

/// Observes the first connection of each measured transfer at its bottleneck.
#[derive(Debug, Default)]
pub struct QueueDelays {
    flows: BTreeMap<u32, Flow>,
}

/// The delays of a transfer's segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Delays {
    /// Number of the transfer's row among those of the case, from 0.
    pub row: usize,
    /// For each segment: when it arrived at the bottleneck, in seconds since the connect, and how
    /// much longer than the fastest one it took to cross the link, in seconds.
    pub samples: Vec<(f64, f64)>,
}

#[derive(Debug)]
struct Flow {
    start: FlowStart,
    /// Stream offset and time of the segments that are in the link.
    inside: VecDeque<(u64, u64)>,
    /// Times of arrival, and times from there to the far end.
    samples: Decimated<(u64, u64)>,
}

impl Flow {
    /// Removes a segment from those in the link. Returns when it arrived there.
    fn take(&mut self, stream_start: u64) -> Option<u64> {
        let mut inside = self.inside.iter();
        let place = inside.position(|(start, _)| *start == stream_start)?;
        self.inside.remove(place).map(|(_, entered_ns)| entered_ns)
    }

    fn keep(&mut self, entered_ns: u64, time_ns: u64) {
        self.samples.push((entered_ns, time_ns - entered_ns));
    }

    fn delays(&self) -> Vec<(f64, f64)> {
        let samples = self.samples.entries();
        let min_ns = samples.iter().map(|(_, crossing_ns)| *crossing_ns);
        let min_ns = min_ns.min().unwrap_or(0);
        let seconds = |ns: u64| ns as f64 / 1e9;
        samples
            .iter()
            .map(|(entered_ns, crossing_ns)| {
                let time_ns = entered_ns - self.start.time_ns;
                (seconds(time_ns), seconds(crossing_ns - min_ns))
            })
            .collect()
    }
}

impl QueueDelays {
    /// The delays of all transfers of a case that has this many rows. The rows of copies come
    /// first, and those of traffic are the last ones.
    pub fn finish(self, rows: usize) -> Vec<Delays> {
        let (copies, traffic): (Vec<Flow>, Vec<Flow>) = self
            .flows
            .into_values()
            .partition(|flow| flow.start.traffic.is_none());
        let first_of_traffic = rows.saturating_sub(traffic.len());
        let copies = copies.iter().enumerate();
        let traffic = (first_of_traffic..).zip(&traffic);
        copies
            .chain(traffic)
            .map(|(row, flow)| Delays {
                row,
                samples: flow.delays(),
            })
            .collect()
    }

    /// The flow of a data segment, if it is watched at this link.
    fn watched(&mut self, link: u32, packet: &PacketEvent<'_>) -> Option<&mut Flow> {
        if packet.direction != Direction::Data || packet.segment.payload_bytes == 0 {
            return None;
        }
        let flow = self.flows.get_mut(&packet.flow)?;
        (flow.start.bottleneck == link).then_some(flow)
    }
}

impl Observer for QueueDelays {
    fn flow_started(&mut self, flow: &FlowStart) {
        if flow.measured && flow.transfer == flow.flow {
            let watched = Flow {
                start: *flow,
                inside: VecDeque::new(),
                samples: Decimated::new(MAX_SAMPLES),
            };
            self.flows.insert(flow.flow, watched);
        }
    }

    fn entered(&mut self, link: u32, packet: &PacketEvent<'_>) {
        let arrival = (packet.stream_start, packet.time_ns);
        if let Some(flow) = self.watched(link, packet) {
            flow.inside.push_back(arrival);
        }
    }

    fn departed(&mut self, link: u32, packet: &PacketEvent<'_>) {
        let (start, time_ns) = (packet.stream_start, packet.time_ns);
        if let Some(flow) = self.watched(link, packet) {
            if let Some(entered_ns) = flow.take(start) {
                flow.keep(entered_ns, time_ns);
            }
        }
    }

    fn dropped(&mut self, link: u32, why: DropReason, packet: &PacketEvent<'_>) {
        if why == DropReason::Evicted {
            let start = packet.stream_start;
            if let Some(flow) = self.watched(link, packet) {
                flow.take(start);
            }
        }
    }
}
