//! An observer that records what the papers measure of flows.

use onramp_sim::observe::{Direction, DropReason, FlowStart, Observer, PacketEvent};
use onramp_tcp::{Connection, Segment, Stack, State, Ticks};

/// The observed link: the scenario's first, in the forward direction.
const BOTTLENECK: u32 = 0;

/// A running total: the bytes so far, at each time at which some arrived.
#[derive(Clone, Debug, Default)]
pub struct Total(Vec<(f64, u64)>);

impl Total {
    fn add(&mut self, at_s: f64, bytes: u64) {
        self.0
            .push((at_s, self.0.last().map_or(0, |(_, before)| *before) + bytes));
    }

    /// Each time at which bytes arrived, with the total at that time.
    pub fn steps(&self) -> &[(f64, u64)] {
        &self.0
    }

    /// The total at this time.
    pub fn by(&self, at_s: f64) -> u64 {
        let later = self.0.partition_point(|(time_s, _)| *time_s <= at_s);
        later.checked_sub(1).map_or(0, |last| self.0[last].1)
    }

    /// When the total reached `bytes`; `None` if it did not.
    pub fn reached_s(&self, bytes: u64) -> Option<f64> {
        let enough = self.0.partition_point(|(_, total)| *total < bytes);
        self.0.get(enough).map(|(time_s, _)| *time_s)
    }
}

/// A retransmission timer that expired.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeout {
    /// When.
    pub at_s: f64,
    /// How long the timer had run: since the last ACK of new data, or since another event set it.
    pub delay_s: f64,
    /// How long before it the sender had sent its last packet.
    pub silent_s: f64,
}

/// A flow from its start to the end of the run. Times are the run's.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// When its first end began to connect.
    pub started_s: f64,
    /// Index of its `[[traffic]]` table, from 0; `None` for the transfer.
    pub traffic: Option<u32>,
    /// When the sender's connection was established, and the peer's window at that time.
    pub established: Option<(f64, u64)>,
    /// Bytes that its receiver's application read.
    pub delivered: Total,
    /// Bytes that its sender knows to have arrived: cumulatively acknowledged.
    pub acknowledged: Total,
    /// Bytes of its IP packets that left the scenario's first link, forward.
    pub carried: Total,
    /// When one of its segments was lost.
    pub drops_s: Vec<f64>,
    /// When it retransmitted a segment.
    pub retransmissions_s: Vec<f64>,
    /// When its retransmission timer expired.
    pub timeouts: Vec<Timeout>,
    /// When ACKs made it retransmit (fast retransmit).
    pub recoveries_s: Vec<f64>,
    /// Its windows, each time its sender acted. Recorded only with [`Watch::windows`].
    pub windows: Vec<Windows>,
    /// When it sent a segment with data, and the end of the data sent so far, as a stream offset.
    pub sent: Vec<(f64, u64)>,
    /// When an ACK arrived.
    pub acks_s: Vec<f64>,
    /// Its packets, in the order of sending. Recorded only with [`Watch::packets`].
    pub packets: Vec<Crossing>,
    /// Its host's slow timer, if it has one: the first tick, and the time between two ticks.
    pub slow_timer_s: Option<(f64, f64)>,
    sender_started_s: Option<f64>,
    /// When its retransmission timer was started last.
    timer_s: f64,
    /// The last two times at which it sent packets.
    sent_last_s: [f64; 2],
    acked_bytes: u64,
    was_idle: bool,
    seen: (u64, u64),
}

/// A packet of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// When it left its host.
    pub sent_s: f64,
    /// When it arrived at the other host; `None` if it did not.
    pub arrived_s: Option<f64>,
    /// Whether the sender of the data sent it.
    pub from_sender: bool,
    /// Stream offset of its first byte.
    pub stream_start: u64,
    /// Whether it is a retransmission.
    pub again: bool,
    /// The segment itself.
    pub segment: Segment,
}

impl Crossing {
    /// Whether it carries data of the sender.
    pub fn is_data(&self) -> bool {
        self.from_sender && self.segment.payload_bytes > 0
    }
}

/// A sender's windows, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Windows {
    /// When.
    pub at_s: f64,
    /// Congestion window.
    pub cwnd_bytes: u64,
    /// Slow-start threshold; [`u64::MAX`] while there is none.
    pub ssthresh_bytes: u64,
    /// The minimum of the sender's buffer and the receiver's window.
    pub send_window_bytes: u64,
    /// Bytes in flight: sent and not cumulatively acknowledged.
    pub unacked_bytes: u64,
    /// Whether cwnd is below ssthresh.
    pub slow_start: bool,
    /// Phase of its start-up, and the rate that the start-up has measured; `None` without one.
    pub startup: Option<(u32, u64)>,
}

impl Flow {
    fn new(started_s: f64, traffic: Option<u32>) -> Flow {
        Flow {
            started_s,
            traffic,
            timer_s: started_s,
            sent_last_s: [started_s; 2],
            was_idle: true,
            ..Flow::default()
        }
    }

    /// When it sent its last packet before this time, which may be that of the last packet.
    fn sent_before_s(&self, at_s: f64) -> f64 {
        let [before_s, last_s] = self.sent_last_s;
        if last_s < at_s {
            last_s
        } else {
            before_s
        }
    }

    /// When its sender first acted, or else when its first end began to connect.
    pub fn sender_start_s(&self) -> f64 {
        self.sender_started_s.unwrap_or(self.started_s)
    }
}

/// A running total that a [`Watch`] can record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// [`Flow::delivered`].
    Delivered,
    /// [`Flow::acknowledged`].
    Acknowledged,
    /// [`Flow::carried`].
    FlowCarried,
    /// [`Watch::carried`].
    Carried,
}

/// Records what the papers measure.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// The running totals to record; `None`: all. Each takes 16 bytes for each packet.
    pub sums: Option<&'static [Sum]>,
    /// The time at which the running totals begin, at 0.
    pub sums_from_s: f64,
    /// Record each flow's windows, segments and ACKs. This takes much memory in long runs.
    pub windows: bool,
    /// Record each packet.
    pub packets: bool,
    /// The flows, in the order in which they started.
    pub flows: Vec<Flow>,
    /// Bytes of IP packets that left the scenario's first link, forward. It is the bottleneck in
    /// all scenarios of the papers.
    pub carried: Total,
}

impl Watch {
    /// A watch that records windows too.
    pub fn with_windows() -> Watch {
        Watch {
            windows: true,
            ..Watch::default()
        }
    }

    /// A watch that records these running totals and no other.
    pub fn of_sums(sums: &'static [Sum]) -> Watch {
        Watch {
            sums: Some(sums),
            ..Watch::default()
        }
    }

    /// A watch that records packets.
    pub fn with_packets() -> Watch {
        Watch {
            packets: true,
            ..Watch::default()
        }
    }

    /// The papers' time 0: when the first sender acted.
    pub fn origin_s(&self) -> f64 {
        self.flows
            .iter()
            .filter_map(|flow| flow.sender_started_s)
            .fold(f64::INFINITY, f64::min)
    }

    /// Bytes that all receivers' applications had read by this time.
    pub fn delivered_by(&self, at_s: f64) -> u64 {
        self.flows.iter().map(|flow| flow.delivered.by(at_s)).sum()
    }

    /// Bytes that all senders knew to have arrived by this time.
    pub fn acknowledged_by(&self, at_s: f64) -> u64 {
        let flows = self.flows.iter();
        flows.map(|flow| flow.acknowledged.by(at_s)).sum()
    }

    fn records(&self, sum: Sum, at_s: f64) -> bool {
        at_s >= self.sums_from_s && self.sums.is_none_or(|sums| sums.contains(&sum))
    }

    fn flow(&mut self, number: u32) -> &mut Flow {
        &mut self.flows[number as usize]
    }
}

fn seconds(time_ns: u64) -> f64 {
    time_ns as f64 / 1e9
}

impl Observer for Watch {
    fn flow_started(&mut self, flow: &FlowStart) {
        debug_assert_eq!(
            flow.flow as usize,
            self.flows.len(),
            "flows are numbered as they start"
        );
        self.flows
            .push(Flow::new(seconds(flow.time_ns), flow.traffic));
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        if self.packets {
            self.flow(packet.flow).packets.push(Crossing {
                sent_s: seconds(packet.time_ns),
                arrived_s: None,
                from_sender: packet.direction == Direction::Data,
                stream_start: packet.stream_start,
                again: packet.retransmission,
                segment: *packet.segment,
            });
        }
        if packet.direction != Direction::Data {
            return;
        }
        let keep = self.windows;
        let flow = self.flow(packet.flow);
        let at_s = seconds(packet.time_ns);
        let [_, last_s] = flow.sent_last_s;
        if at_s > last_s {
            flow.sent_last_s = [last_s, at_s];
        }
        if packet.retransmission {
            flow.retransmissions_s.push(at_s);
        }
        if keep && packet.segment.payload_bytes > 0 {
            let end_bytes = packet.stream_start + u64::from(packet.segment.payload_bytes);
            let before_bytes = flow.sent.last().map_or(0, |(_, bytes)| *bytes);
            flow.sent.push((at_s, before_bytes.max(end_bytes)));
        }
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        if self.packets {
            // Paths are first in, first out, so take the oldest equal packet.
            let from_sender = packet.direction == Direction::Data;
            let same = |sent: &&mut Crossing| {
                sent.arrived_s.is_none()
                    && sent.from_sender == from_sender
                    && sent.segment == *packet.segment
            };
            let sent = self.flow(packet.flow).packets.iter_mut().find(same);
            sent.expect("what arrives was sent").arrived_s = Some(seconds(packet.time_ns));
        }
        if self.windows && packet.direction == Direction::Ack {
            self.flow(packet.flow).acks_s.push(seconds(packet.time_ns));
        }
    }

    fn departed(&mut self, link: u32, packet: &PacketEvent<'_>) {
        if link == BOTTLENECK {
            let at_s = seconds(packet.time_ns);
            if self.records(Sum::Carried, at_s) {
                self.carried.add(at_s, packet.wire_bytes.into());
            }
            if packet.direction == Direction::Data && self.records(Sum::FlowCarried, at_s) {
                self.flow(packet.flow)
                    .carried
                    .add(at_s, packet.wire_bytes.into());
            }
        }
    }

    fn dropped(&mut self, _link: u32, _why: DropReason, packet: &PacketEvent<'_>) {
        if packet.direction == Direction::Data {
            self.flow(packet.flow).drops_s.push(seconds(packet.time_ns));
        }
    }

    fn delivered(&mut self, time_ns: u64, flow: u32, bytes: u64) {
        let at_s = seconds(time_ns);
        if self.records(Sum::Delivered, at_s) {
            self.flow(flow).delivered.add(at_s, bytes);
        }
    }

    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection) {
        let keep = self.windows;
        let at_s = seconds(time_ns);
        let keep_acknowledged = self.records(Sum::Acknowledged, at_s);
        let flow = self.flow(flow);
        let stats = sender.stats();
        flow.sender_started_s.get_or_insert(at_s);
        if sender.config().stack == Stack::Lite {
            let period_ns = Ticks::BSD.event_ns;
            let first_s = seconds(sender.config().ticks.phase_ns % period_ns);
            flow.slow_timer_s
                .get_or_insert((first_s, seconds(period_ns)));
        }
        if flow.established.is_none() && sender.state() == State::Established {
            flow.established = Some((at_s, sender.peer_window_bytes()));
        }
        if stats.timeouts > flow.seen.0 {
            flow.timeouts.push(Timeout {
                at_s,
                delay_s: at_s - flow.timer_s,
                silent_s: at_s - flow.sent_before_s(at_s),
            });
        }
        if stats.recoveries > flow.seen.1 {
            flow.recoveries_s.push(at_s);
        }
        // The timer restarts on an ACK of new data, on a retransmission, and on the first data
        // after none was in flight.
        let acked_bytes = sender.acked_bytes();
        let restarts =
            acked_bytes > flow.acked_bytes || (stats.timeouts, stats.recoveries) != flow.seen;
        if restarts || flow.was_idle {
            flow.timer_s = at_s;
        }
        if keep_acknowledged && acked_bytes > flow.acked_bytes {
            let bytes = acked_bytes - flow.acked_bytes;
            flow.acknowledged.add(at_s, bytes);
        }
        flow.acked_bytes = acked_bytes;
        flow.was_idle = sender.flight_size_bytes() == 0;
        flow.seen = (stats.timeouts, stats.recoveries);
        if keep {
            let window = sender.window();
            flow.windows.push(Windows {
                at_s,
                cwnd_bytes: window.cwnd_bytes,
                ssthresh_bytes: window.ssthresh_bytes,
                send_window_bytes: sender
                    .peer_window_bytes()
                    .min(sender.config().send_buffer_bytes),
                unacked_bytes: sender.flight_size_bytes(),
                slow_start: window.in_slow_start(),
                startup: sender
                    .startup()
                    .map(|decision| (decision.phase, decision.estimate_bytes_per_s)),
            });
        }
    }
}
