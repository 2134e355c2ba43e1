//! When a transfer's data arrives: all that the paper measures.

use super::{transfer, RESERVED_BITS_PER_S};
use crate::Run;

/// What arrives of a transfer.
pub struct Arrivals {
    /// Segments of data: when each arrived, and how far into the stream it reaches.
    pub segments: Vec<(f64, u64)>,
    /// How much the application had, from when on.
    pub in_order: Vec<(f64, u64)>,
    /// When the application had all; not a number where it never did.
    pub end_s: f64,
    /// When the server sent the first of it.
    pub sent_s: f64,
    /// When the client began to connect.
    pub syn_s: f64,
    /// The path's.
    pub rtt_s: f64,
    size_bytes: u64,
    /// Segments that did not arrive.
    pub dropped: usize,
}

impl Arrivals {
    pub fn of(run: &Run<'_>) -> Arrivals {
        let flow = transfer(run);
        let data = || flow.packets.iter().filter(|packet| packet.from_sender && packet.segment.payload_bytes > 0);
        let end = |start: u64, bytes: u32| start + u64::from(bytes);
        let arrival = |packet: &crate::Crossing| {
            packet.arrived_s.map(|at_s| (at_s, end(packet.stream_start, packet.segment.payload_bytes)))
        };
        let size_bytes = run.case.transfer.size_bytes;
        let mut segments: Vec<(f64, u64)> = data().filter_map(arrival).collect();
        segments.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        Arrivals {
            segments,
            in_order: flow.delivered.steps().to_vec(),
            end_s: flow.delivered.reached_s(size_bytes).unwrap_or(f64::NAN),
            sent_s: data().next().expect("data is sent").sent_s,
            syn_s: flow.started_s,
            rtt_s: run.case.path.rtt_ns as f64 / 1e9,
            size_bytes,
            dropped: flow.drops_s.len(),
        }
    }

    /// The clock of the paper's figures: the first arrival.
    pub fn first_s(&self) -> f64 {
        self.segments.first().expect("data arrives").0
    }

    /// From the first arrival until the application has all.
    pub fn seconds(&self) -> f64 {
        self.end_s - self.first_s()
    }

    /// Payload in this time.
    pub fn kbit_per_s(&self) -> f64 {
        self.bits() / self.seconds() / 1e3
    }

    /// The same in percent of what is reserved.
    pub fn share(&self) -> f64 {
        self.share_since(self.first_s())
    }

    /// Of what is reserved, in percent, from another moment on.
    pub fn share_since(&self, from_s: f64) -> f64 {
        100.0 * self.bits() / (self.end_s - from_s) / RESERVED_BITS_PER_S
    }

    /// Times in which nothing arrives for more than a quarter of a round trip.
    pub fn silences_s(&self) -> Vec<f64> {
        let gaps = self.segments.windows(2).map(|pair| pair[1].0 - pair[0].0);
        gaps.filter(|gap_s| *gap_s > self.rtt_s / 4.0).collect()
    }

    fn bits(&self) -> f64 {
        self.size_bytes as f64 * 8.0
    }

    /// The rate outside of [`silences_s`](Self::silences_s), times what is reserved.
    pub fn burst_rate(&self) -> f64 {
        let silent_s: f64 = self.silences_s().iter().sum();
        self.bits() / (self.seconds() - silent_s) / RESERVED_BITS_PER_S
    }
}
