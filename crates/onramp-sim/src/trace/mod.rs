//! Traces of measured connections: an observer that collects the data for the report's charts, with
//! a limit for each flow.

mod waits;

use crate::decimated::Decimated;
use crate::observe::{Direction, DropReason, FlowStart, Observer, PacketEvent};
use onramp_core::UNLIMITED;
use onramp_results::{ReceiverSample, SegmentSample, SenderSample, Trace};
use onramp_scenario::Network;
use onramp_tcp::{Connection, Flags};
use std::collections::BTreeMap;
use waits::{OnTheirWay, Waits};

/// Maximum number of samples per sender.
const MAX_SAMPLES: usize = 100_000;
/// Maximum number of samples per receiver.
const MAX_RECEIVER_SAMPLES: usize = 100_000;
/// Maximum number of segments per flow that were retransmitted or dropped, and of other segments.
const MAX_SEGMENTS: usize = 100_000;

/// Collects the traces of all measured flows.
#[derive(Debug, Default)]
pub(crate) struct Tracer {
    traced: BTreeMap<u32, TracedFlow>,
    on_their_way: OnTheirWay,
}

#[derive(Debug)]
struct TracedFlow {
    started_ns: u64,
    bottleneck: u32,
    /// Index of the newest kept sender sample that is at least one round trip old. The delivery
    /// rate is measured from it.
    round_trip_ago: usize,
    sender: Decimated<SenderSample>,
    /// Segments that were neither retransmitted nor dropped, each with its number among all
    /// segments.
    plain: Decimated<(u64, SegmentSample)>,
    /// Retransmitted and dropped segments. They are rare and the most interesting, so they have a
    /// limit of their own.
    problem: Decimated<(u64, SegmentSample)>,
    segments: u64,
    receiver: Decimated<ReceiverSample>,
    /// The newest sample of the receiver, which may not be among those that are kept.
    received: Option<ReceiverSample>,
    waits: Waits,
}

impl TracedFlow {
    fn time_s(&self, time_ns: u64) -> f64 {
        (time_ns - self.started_ns) as f64 / 1e9
    }

    /// Delivery rate: bytes acknowledged in the last round trip, per second.
    fn delivery_bytes_per_s(&mut self, time_s: f64, acked_bytes: u64, srtt_s: f64) -> u64 {
        let samples = self.sender.entries();
        while samples
            .get(self.round_trip_ago + 1)
            .is_some_and(|next| next.time_s <= time_s - srtt_s)
        {
            self.round_trip_ago += 1;
        }
        match samples.get(self.round_trip_ago) {
            Some(then) if then.time_s < time_s => {
                ((acked_bytes - then.acked_bytes) as f64 / (time_s - then.time_s)) as u64
            }
            _ => 0,
        }
    }
}

impl Tracer {
    /// Removes the trace of a flow. It has no start-up events yet. The flag states whether samples
    /// were discarded to stay within the limits.
    pub fn take(&mut self, flow: u32, network: &Network) -> (Trace, bool) {
        let Some(TracedFlow {
            sender,
            plain,
            problem,
            receiver,
            received,
            waits,
            ..
        }) = self.traced.remove(&flow)
        else {
            return Default::default();
        };
        let (queues, packets, waits_are_decimated) = waits.into_parts(network);
        let is_decimated = sender
            .interval()
            .max(plain.interval())
            .max(problem.interval())
            .max(receiver.interval())
            > 1
            || waits_are_decimated;
        let mut receiver = receiver.into_entries();
        receiver.extend(received.filter(|last| receiver.last() != Some(last)));
        let mut segments = plain.into_entries();
        segments.extend(problem.into_entries());
        segments.sort_unstable_by_key(|(number, _)| *number);
        let segments = segments.into_iter().map(|(_, segment)| segment).collect();
        (
            Trace {
                sender: sender.into_entries(),
                segments,
                receiver,
                events: Vec::new(),
                queues,
                packets,
            },
            is_decimated,
        )
    }

    /// Records a data segment that arrives at its bottleneck link.
    fn segment(&mut self, link: u32, packet: &PacketEvent<'_>, dropped: bool) {
        // Packets of QUIC are no segments of TCP: they have no flags, and their place in the stream
        // is encrypted.
        let is_tcp = packet.segment.flags != Flags::default();
        if packet.direction != Direction::Data || packet.segment.payload_bytes == 0 || !is_tcp {
            return;
        }
        let Some(traced) = self
            .traced
            .get_mut(&packet.flow)
            .filter(|traced| traced.bottleneck == link)
        else {
            return;
        };
        let sample = SegmentSample {
            time_s: traced.time_s(packet.time_ns),
            start_byte: packet.stream_start,
            length_bytes: packet.segment.payload_bytes,
            retransmission: packet.retransmission,
            dropped,
        };
        let number = traced.segments;
        traced.segments += 1;
        let is_problem = sample.retransmission || sample.dropped;
        let kept = if is_problem {
            &mut traced.problem
        } else {
            &mut traced.plain
        };
        kept.push((number, sample));
    }
}

impl Observer for Tracer {
    const WATCHES_SERVICE: bool = true;

    fn flow_started(&mut self, flow: &FlowStart) {
        if flow.measured {
            let first = self.traced.get(&flow.transfer);
            let traced = TracedFlow {
                started_ns: first.map_or(flow.time_ns, |first| first.started_ns),
                bottleneck: flow.bottleneck,
                round_trip_ago: 0,
                sender: Decimated::new(MAX_SAMPLES),
                plain: Decimated::new(MAX_SEGMENTS),
                problem: Decimated::new(MAX_SEGMENTS),
                segments: 0,
                receiver: Decimated::new(MAX_RECEIVER_SAMPLES),
                received: None,
                waits: Waits::default(),
            };
            self.traced.insert(flow.flow, traced);
        }
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        let has_data = packet.direction == Direction::Data && packet.segment.payload_bytes > 0;
        if has_data && self.traced.contains_key(&packet.flow) {
            self.on_their_way.sent(packet);
        }
    }

    fn entered(&mut self, link: u32, packet: &PacketEvent<'_>) {
        self.on_their_way.entered(packet);
        self.segment(link, packet, false);
    }

    fn served(&mut self, link: u32, packet: &PacketEvent<'_>) {
        if let Some(traced) = self.traced.get_mut(&packet.flow) {
            let started_ns = traced.started_ns;
            let ways = &mut self.on_their_way;
            traced.waits.served(ways, link, packet, started_ns);
        }
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        if let Some(traced) = self.traced.get_mut(&packet.flow) {
            let started_ns = traced.started_ns;
            traced
                .waits
                .arrived(&mut self.on_their_way, packet, started_ns);
        }
    }

    fn dropped(&mut self, link: u32, _why: DropReason, packet: &PacketEvent<'_>) {
        self.on_their_way.dropped(packet);
        self.segment(link, packet, true);
    }

    fn delivered(&mut self, time_ns: u64, flow: u32, bytes: u64) {
        let Some(traced) = self.traced.get_mut(&flow) else {
            return;
        };
        let before = traced.received.map_or(0, |last| last.received_bytes);
        let sample = ReceiverSample {
            time_s: traced.time_s(time_ns),
            received_bytes: before + bytes,
        };
        traced.received = Some(sample);
        traced.receiver.push(sample);
    }

    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection) {
        let Some(traced) = self.traced.get_mut(&flow) else {
            return;
        };
        let (window, acked_bytes) = (sender.window(), sender.acked_bytes());
        let (time_s, srtt_s) = (traced.time_s(time_ns), sender.srtt_ns() as f64 / 1e9);
        let delivery_bytes_per_s = traced.delivery_bytes_per_s(time_s, acked_bytes, srtt_s);
        let was_decimated = traced.sender.push(SenderSample {
            time_s,
            acked_bytes,
            cwnd_bytes: window.cwnd_bytes,
            ssthresh_bytes: (window.ssthresh_bytes != UNLIMITED).then_some(window.ssthresh_bytes),
            inflight_bytes: sender.inflight_bytes(),
            pacing_bytes_per_s: sender.pacing_bytes_per_s(),
            delivery_bytes_per_s,
            srtt_s,
        });
        if was_decimated {
            traced.round_trip_ago /= 2;
        }
    }
}
