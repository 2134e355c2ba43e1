//! An observer of a simulated run. It counts what each flow sends and delivers in equal intervals
//! of the steady state.

use onramp_sim::observe::{Direction, FlowStart, Observer, PacketEvent};
use onramp_tcp::Connection;

/// Intervals of the steady state. There are enough of them for a standard error, and each is long
/// enough to be a sample.
pub const INTERVALS: usize = 20;
/// The link whose utilisation is measured: the first link of the scenario, forward.
const MEASURED_LINK: u32 = 0;

/// The counts of one flow in its steady state.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// Segments with payload that the sender sent in each interval.
    pub sent: [u64; INTERVALS],
    /// Bytes by which the highest byte that arrived advanced in each interval.
    pub delivered: [u64; INTERVALS],
    /// When the sender retransmitted a segment.
    pub retransmissions_ns: Vec<u64>,
    /// The sum of the smoothed RTTs, sampled whenever the sender acted, and the number of samples.
    srtt_sum_ns: f64,
    srtt_samples: u64,
    arrived_bytes: u64,
}

impl Flow {
    /// Mean round-trip time in seconds, with queueing delay.
    pub fn rtt_s(&self) -> f64 {
        self.srtt_sum_ns / self.srtt_samples.max(1) as f64 / 1e9
    }

    /// Bytes that arrived in the steady state.
    pub fn delivered_bytes(&self) -> u64 {
        self.delivered.iter().sum()
    }
}

/// Observes a run from one time to another: the steady state.
#[derive(Clone, Debug)]
pub struct Meter {
    from_ns: u64,
    until_ns: u64,
    /// The flows, in the order in which they started.
    pub flows: Vec<Flow>,
    /// Bytes of the packets that left the measured link in each interval.
    pub carried_bytes: [u64; INTERVALS],
}

impl Meter {
    /// A meter for the steady state between two times of the simulated clock.
    pub fn new(from_ns: u64, until_ns: u64) -> Meter {
        Meter {
            from_ns,
            until_ns,
            flows: Vec::new(),
            carried_bytes: [0; INTERVALS],
        }
    }

    /// The length of an interval in seconds.
    pub fn interval_s(&self) -> f64 {
        (self.until_ns - self.from_ns) as f64 / INTERVALS as f64 / 1e9
    }

    /// The interval that a time belongs to; `None` outside the steady state.
    fn interval(&self, time_ns: u64) -> Option<usize> {
        let since_ns = time_ns
            .checked_sub(self.from_ns)
            .filter(|_| time_ns < self.until_ns)?;
        Some(
            (u128::from(since_ns) * INTERVALS as u128 / u128::from(self.until_ns - self.from_ns))
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
        if let (Direction::Data, Some(interval)) = (packet.direction, self.interval(packet.time_ns))
        {
            let flow = &mut self.flows[packet.flow as usize];
            flow.sent[interval] += u64::from(packet.segment.payload_bytes > 0);
            if packet.retransmission {
                flow.retransmissions_ns.push(packet.time_ns);
            }
        }
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        if packet.direction != Direction::Data {
            return;
        }
        let interval = self.interval(packet.time_ns);
        let flow = &mut self.flows[packet.flow as usize];
        let end = packet.stream_start + u64::from(packet.segment.payload_bytes);
        if let Some(interval) = interval {
            flow.delivered[interval] += end.saturating_sub(flow.arrived_bytes);
        }
        flow.arrived_bytes = flow.arrived_bytes.max(end);
    }

    fn departed(&mut self, link: u32, packet: &PacketEvent<'_>) {
        if let (MEASURED_LINK, Some(interval)) = (link, self.interval(packet.time_ns)) {
            self.carried_bytes[interval] += u64::from(packet.wire_bytes);
        }
    }

    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection) {
        if self.interval(time_ns).is_none() {
            return;
        }
        let flow = &mut self.flows[flow as usize];
        flow.srtt_sum_ns += sender.srtt_ns() as f64;
        flow.srtt_samples += 1;
    }
}
