//! What a run is measured by: counts of each flow in equal stretches of its steady state.

use onramp_sim::observe::{Direction, FlowStart, Observer, PacketEvent};
use onramp_tcp::Connection;

/// Stretches of a steady state: enough for a standard error, and long enough each.
pub const STRETCHES: usize = 20;
/// The link whose use is measured: the first one of the scenario, forward.
const MEASURED_LINK: u32 = 0;

/// A flow in its steady state.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// Segments with payload that its sender sent, in each stretch.
    pub sent: [u64; STRETCHES],
    /// Bytes by which the end of what had arrived moved on, in each stretch.
    pub delivered: [u64; STRETCHES],
    /// When the sender sent a segment again.
    pub retransmissions_ns: Vec<u64>,
    /// Smoothed round-trip times, one at each thing that the sender did, and how many.
    srtt_sum_ns: f64,
    srtt_samples: u64,
    arrived_bytes: u64,
}

impl Flow {
    /// Mean round-trip time in seconds, queueing included.
    pub fn rtt_s(&self) -> f64 {
        self.srtt_sum_ns / self.srtt_samples.max(1) as f64 / 1e9
    }

    /// Bytes that arrived.
    pub fn delivered_bytes(&self) -> u64 {
        self.delivered.iter().sum()
    }
}

/// Looks on from one time to another, the steady state.
#[derive(Clone, Debug)]
pub struct Meter {
    from_ns: u64,
    until_ns: u64,
    /// The flows, as they started.
    pub flows: Vec<Flow>,
    /// Bytes of packets that left the first link, in each stretch.
    pub carried: [u64; STRETCHES],
}

impl Meter {
    pub fn new(from_ns: u64, until_ns: u64) -> Meter {
        Meter {
            from_ns,
            until_ns,
            flows: Vec::new(),
            carried: [0; STRETCHES],
        }
    }

    /// Seconds of each stretch.
    pub fn stretch_s(&self) -> f64 {
        (self.until_ns - self.from_ns) as f64 / STRETCHES as f64 / 1e9
    }

    fn stretch(&self, time_ns: u64) -> Option<usize> {
        let since_ns = time_ns
            .checked_sub(self.from_ns)
            .filter(|_| time_ns < self.until_ns)?;
        Some(
            (u128::from(since_ns) * STRETCHES as u128 / u128::from(self.until_ns - self.from_ns))
                as usize,
        )
    }
}

impl Observer for Meter {
    fn flow_started(&mut self, flow: &FlowStart) {
        debug_assert_eq!(
            flow.flow as usize,
            self.flows.len(),
            "flows are numbered as they start"
        );
        self.flows.push(Flow::default());
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        if let (Direction::Data, Some(stretch)) = (packet.direction, self.stretch(packet.time_ns)) {
            let flow = &mut self.flows[packet.flow as usize];
            flow.sent[stretch] += u64::from(packet.segment.payload_bytes > 0);
            if packet.retransmission {
                flow.retransmissions_ns.push(packet.time_ns);
            }
        }
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        if packet.direction != Direction::Data {
            return;
        }
        let stretch = self.stretch(packet.time_ns);
        let flow = &mut self.flows[packet.flow as usize];
        let end = packet.stream_start + u64::from(packet.segment.payload_bytes);
        if let Some(stretch) = stretch {
            flow.delivered[stretch] += end.saturating_sub(flow.arrived_bytes);
        }
        flow.arrived_bytes = flow.arrived_bytes.max(end);
    }

    fn departed(&mut self, link: u32, packet: &PacketEvent<'_>) {
        if let (MEASURED_LINK, Some(stretch)) = (link, self.stretch(packet.time_ns)) {
            self.carried[stretch] += u64::from(packet.wire_bytes);
        }
    }

    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection) {
        if self.stretch(time_ns).is_none() {
            return;
        }
        let flow = &mut self.flows[flow as usize];
        flow.srtt_sum_ns += sender.srtt_ns() as f64;
        flow.srtt_samples += 1;
    }
}
