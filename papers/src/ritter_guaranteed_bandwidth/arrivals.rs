//! The arrivals of a transfer's data, from which all of the paper's measurements are derived.

use super::setup::RESERVED_BITS_PER_S;
use crate::{Crossing, Run};
use std::ops::Range;

/// The arrivals of a transfer.
pub struct Arrivals {
    /// When data segments arrived, with the bytes received so far.
    pub received: Vec<(f64, u64)>,
    /// When the application got data, with its total in order.
    pub in_order: Vec<(f64, u64)>,
    /// When the application had all data; NaN if it never did.
    pub end_s: f64,
    /// When the server sent the first data.
    pub sent_s: f64,
    /// When the client began to connect.
    pub syn_s: f64,
    /// When the clock of rates and shares begins.
    begin_s: f64,
    /// RTT of the path.
    pub rtt_s: f64,
    size_bytes: u64,
    /// Number of segments that did not arrive.
    pub dropped: usize,
}

impl Arrivals {
    pub fn of(run: &Run<'_>) -> Arrivals {
        let flow = run.transfer();
        let data = || flow.packets.iter().filter(|packet| packet.is_data());
        let arrival = |packet: &Crossing| {
            let end = packet.stream_start + u64::from(packet.segment.payload_bytes);
            packet
                .arrived_s
                .map(|at_s| (at_s, packet.stream_start..end))
        };
        let mut arrivals: Vec<(f64, Range<u64>)> = data().filter_map(arrival).collect();
        arrivals.sort_by(|(one_s, _), (other_s, _)| one_s.total_cmp(other_s));
        let size_bytes = run.case.transfer.size_bytes;
        let received = received(arrivals);
        Arrivals {
            begin_s: received.first().expect("data arrives").0,
            received,
            in_order: flow.delivered.steps().to_vec(),
            end_s: flow.delivered.reached_s(size_bytes).unwrap_or(f64::NAN),
            sent_s: data().next().expect("data is sent").sent_s,
            syn_s: flow.started_s,
            rtt_s: run.case.path.rtt_ns as f64 / 1e9,
            size_bytes,
            dropped: flow.drops_s.len(),
        }
    }

    /// Time 0 of the paper's figures: the first arrival.
    pub fn first_s(&self) -> f64 {
        self.received.first().expect("data arrives").0
    }

    /// The same arrivals on the clock that an alternative has: since the server `sent` data, or
    /// since the `syn`. As decided it begins with the first arrival.
    pub fn since(self, clock: Option<&str>) -> Arrivals {
        let begin_s = match clock {
            None => self.begin_s,
            Some("sent") => self.sent_s,
            Some("syn") => self.syn_s,
            Some(other) => panic!("no clock is called {other}"),
        };
        Arrivals { begin_s, ..self }
    }

    /// Time from the begin of the clock until the application has all data.
    pub fn seconds(&self) -> f64 {
        self.end_s - self.begin_s
    }

    /// Payload rate over this time.
    pub fn kbit_per_s(&self) -> f64 {
        self.bits() / self.seconds() / 1e3
    }

    /// The same in percent of the reserved rate.
    pub fn share(&self) -> f64 {
        self.share_since(self.begin_s)
    }

    /// The payload rate since `from_s`, in percent of the reserved rate.
    pub fn share_since(&self, from_s: f64) -> f64 {
        100.0 * self.bits() / (self.end_s - from_s) / RESERVED_BITS_PER_S
    }

    /// Lengths of the silences: times without arrivals of more than a quarter of an RTT.
    pub fn silences_s(&self) -> Vec<f64> {
        let gaps = self.received.windows(2).map(|pair| pair[1].0 - pair[0].0);
        gaps.filter(|gap_s| *gap_s > self.rtt_s / 4.0).collect()
    }

    fn bits(&self) -> f64 {
        self.size_bytes as f64 * 8.0
    }

    /// The rate between [`silences_s`](Self::silences_s), as a multiple of the reserved rate: the
    /// segments of each burst but its first, in the time from its first to its last.
    pub fn burst_rate(&self) -> f64 {
        let steps = self.received.windows(2);
        let step = |pair: &[(f64, u64)]| (pair[1].0 - pair[0].0, (pair[1].1 - pair[0].1) as f64);
        let of_burst = steps
            .map(step)
            .filter(|(gap_s, _)| *gap_s <= self.rtt_s / 4.0);
        let (seconds, bytes) = of_burst.fold((0.0, 0.0), |sum, (gap_s, bytes)| {
            (sum.0 + gap_s, sum.1 + bytes)
        });
        bytes * 8.0 / seconds / RESERVED_BITS_PER_S
    }
}

/// The bytes received after each of these parts of the stream, in the order of their arrival.
/// Repeated bytes count once.
pub fn received(parts: impl IntoIterator<Item = (f64, Range<u64>)>) -> Vec<(f64, u64)> {
    let mut has = Vec::new();
    let mut total = 0;
    let after = |(at_s, part): (f64, Range<u64>)| {
        let [start, end] = [part.start, part.end].map(|place| place as usize);
        has.resize(has.len().max(end), false);
        total += has[start..end].iter().filter(|has_it| !**has_it).count() as u64;
        has[start..end].fill(true);
        (at_s, total)
    };
    parts.into_iter().map(after).collect()
}

#[cfg(test)]
mod tests {
    use super::received;

    #[test]
    fn repeated_bytes_count_once_and_late_bytes_count_at_their_arrival() {
        let parts = [(0.0, 0..10), (1.0, 20..30), (2.0, 15..25), (3.0, 10..20)];
        assert_eq!(
            received(parts),
            [(0.0, 10), (1.0, 20), (2.0, 25), (3.0, 30)]
        );
    }
}
