//! How measured connections moved: an observer that collects what the report draws.

use crate::observe::{Direction, FlowStart, Loss, Observer, Sight};
use onramp_core::UNLIMITED;
use onramp_scenario::{SegmentSample, SenderSample, Trace};
use onramp_tcp::Connection;
use std::collections::BTreeMap;

/// Collects the traces of all measured flows.
#[derive(Debug, Default)]
pub(crate) struct Tracer {
    watched: BTreeMap<u32, Watched>,
}

#[derive(Debug)]
struct Watched {
    started_ns: u64,
    bottleneck: u32,
    /// The newest of the sender's samples that is a round trip old, from which the delivery rate is counted.
    round_trip_ago: usize,
    trace: Trace,
}

impl Watched {
    fn time_s(&self, time_ns: u64) -> f64 {
        (time_ns - self.started_ns) as f64 / 1e9
    }

    /// What was acknowledged in the last round trip, per second.
    fn delivery_bytes_per_s(&mut self, time_s: f64, acked_bytes: u64, srtt_s: f64) -> u64 {
        let samples = &self.trace.sender;
        while samples.get(self.round_trip_ago + 1).is_some_and(|next| next.time_s <= time_s - srtt_s) {
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
    /// The trace of a flow, without its start-up's events.
    pub fn take(&mut self, flow: u32) -> Trace {
        self.watched.remove(&flow).map(|watched| watched.trace).unwrap_or_default()
    }

    /// A data segment at the entrance of a link.
    fn segment(&mut self, link: u32, packet: &Sight<'_>, dropped: bool) {
        if packet.direction != Direction::Data || packet.segment.payload_bytes == 0 {
            return;
        }
        let Some(watched) = self.watched.get_mut(&packet.flow).filter(|watched| watched.bottleneck == link) else {
            return;
        };
        let sample = SegmentSample {
            time_s: watched.time_s(packet.time_ns),
            start_byte: packet.stream_start,
            length_bytes: packet.segment.payload_bytes,
            retransmission: packet.retransmission,
            dropped,
        };
        watched.trace.segments.push(sample);
    }
}

impl Observer for Tracer {
    fn flow_started(&mut self, flow: &FlowStart) {
        if flow.measured {
            let (started_ns, bottleneck, trace) = (flow.time_ns, flow.bottleneck, Trace::default());
            self.watched.insert(flow.flow, Watched { started_ns, bottleneck, round_trip_ago: 0, trace });
        }
    }

    fn entered(&mut self, link: u32, packet: &Sight<'_>) {
        self.segment(link, packet, false);
    }

    fn lost(&mut self, link: u32, _why: Loss, packet: &Sight<'_>) {
        self.segment(link, packet, true);
    }

    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection) {
        let Some(watched) = self.watched.get_mut(&flow) else { return };
        let (window, acked_bytes) = (sender.window(), sender.acked_bytes());
        let (time_s, srtt_s) = (watched.time_s(time_ns), sender.srtt_ns() as f64 / 1e9);
        let delivery_bytes_per_s = watched.delivery_bytes_per_s(time_s, acked_bytes, srtt_s);
        watched.trace.sender.push(SenderSample {
            time_s,
            acked_bytes,
            cwnd_bytes: window.cwnd_bytes,
            ssthresh_bytes: (window.ssthresh_bytes != UNLIMITED).then_some(window.ssthresh_bytes),
            inflight_bytes: sender.inflight_bytes(),
            pacing_bytes_per_s: sender.pacing_bytes_per_s(),
            delivery_bytes_per_s,
            srtt_s,
        });
    }
}
