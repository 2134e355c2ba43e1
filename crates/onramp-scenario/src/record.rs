//! What a transfer answered: one flat record, the same for simulator and lab.

use crate::{units, Case, NO_STARTUP};
use serde::{Deserialize, Serialize};

/// One transfer's result. Field names are the column names of every export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the scenario.
    pub scenario: String,
    /// Where it ran: `sim` or `kernel`.
    pub host: String,
    /// Bottleneck rate.
    pub rate_bits_per_s: u64,
    /// Round-trip propagation time.
    pub rtt_ms: f64,
    /// Queue of the bottleneck as the scenario gives it, for example `0.4 bdp`.
    pub queue: String,
    /// Random loss of the data's direction as the scenario gives it, for example `0.1 %`.
    pub loss: String,
    /// Receive buffer as the scenario gives it, for example `64 MiB`.
    pub receiver_buffer: String,
    /// Send buffer as the scenario gives it.
    pub sender_buffer: String,
    /// Start-up algorithm, or `none`.
    pub startup: String,
    /// Congestion avoidance after the start-up.
    pub avoidance: String,
    /// Initial window as the scenario gives it: `host`, `paper` or a number of segments.
    pub initial_window: String,
    /// Payload.
    pub size_bytes: u64,
    /// Which repetition, from 1.
    pub run: u32,
    /// Seed of the run's random streams.
    pub seed: u64,
    /// From the receiver's connect to its last byte.
    pub completion_s: f64,
    /// The least possible: see [`bound_s`].
    pub bound_s: f64,
    /// Round trips wasted: (completion - bound) / RTT.
    pub excess_rtts: f64,
    /// Data segments sent again by the measured transfer.
    pub retransmitted_segments: u64,
    /// Packets dropped on the path for want of queue room, all flows.
    pub dropped_packets: u64,
    /// Packets lost at random, all flows, both directions.
    pub lost_packets: u64,
    /// Most bytes that stood in the forward queue, in BDPs.
    pub peak_queue_bdp: f64,
    /// Why the start-up ended; `none` without one, `unfinished` where the transfer ended first.
    pub exit_reason: String,
    /// cwnd when the start-up ended, if it did.
    pub exit_cwnd_bytes: Option<u64>,
    /// Time from the connect to the start-up's end, if it ended.
    pub exit_time_s: Option<f64>,
    /// The start-up's last bandwidth estimate (payload), if it made one.
    pub estimate_bytes_per_s: Option<u64>,
    /// What the competing traffic delivered in the 20 round trips before the transfer, if there was any.
    pub traffic_before_bytes_per_s: Option<f64>,
    /// What it delivered in the 20 round trips from the transfer's start on.
    pub traffic_during_bytes_per_s: Option<f64>,
    /// The emulator's own delay of packets beyond the path's, 99th percentile (0 in `sim`).
    pub lateness_p99_us: f64,
    /// The largest of them.
    pub lateness_max_us: f64,
    /// Lateness was large enough to change the result: repeat this run on a quieter machine.
    pub suspect: bool,
}

impl Record {
    /// The record of a case that has not run yet: the columns that the scenario gives, and no result. `host` is
    /// `sim` or `kernel`. [`complete`](Record::complete) it with the time it took, and fill in what else is known.
    pub fn of_case(case: &Case, host: &str) -> Self {
        let forward = &case.path.forward;
        Record {
            scenario: case.scenario.clone(),
            host: host.to_owned(),
            rate_bits_per_s: forward.rate_bits_per_s,
            rtt_ms: case.path.rtt_ns as f64 / 1e6,
            queue: forward.queue.to_string(),
            loss: units::format_percent(forward.loss_ppm),
            receiver_buffer: case.receiver.buffer.to_string(),
            sender_buffer: case.sender.buffer.to_string(),
            startup: case.transfer.startup.clone(),
            avoidance: case.transfer.avoidance.name().to_owned(),
            initial_window: case.transfer.initial_window.to_string(),
            size_bytes: case.transfer.size_bytes,
            run: case.run,
            seed: case.seed,
            completion_s: 0.0,
            bound_s: bound_s(case),
            excess_rtts: 0.0,
            retransmitted_segments: 0,
            dropped_packets: 0,
            lost_packets: 0,
            peak_queue_bdp: 0.0,
            exit_reason: if case.transfer.startup == NO_STARTUP { NO_STARTUP } else { "unfinished" }.to_owned(),
            exit_cwnd_bytes: None,
            exit_time_s: None,
            estimate_bytes_per_s: None,
            traffic_before_bytes_per_s: None,
            traffic_during_bytes_per_s: None,
            lateness_p99_us: 0.0,
            lateness_max_us: 0.0,
            suspect: false,
        }
    }

    /// Enters the completion time and, with it, the round trips wasted.
    pub fn complete(&mut self, case: &Case, completion_s: f64) {
        self.completion_s = completion_s;
        self.excess_rtts = excess_rtts(case, completion_s);
    }
}

/// Round trips that a transfer took beyond [`bound_s`]: the figure by which start-ups are compared.
pub fn excess_rtts(case: &Case, completion_s: f64) -> f64 {
    (completion_s - bound_s(case)) / (case.path.rtt_ns as f64 / 1e9)
}

/// How the measured connection moved: what the report draws.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Samples of the sender's state, in order of time.
    pub sender: Vec<SenderSample>,
    /// Data segments entering the bottleneck, in order of time.
    pub segments: Vec<SegmentSample>,
    /// Changes that the start-up algorithm reported.
    pub events: Vec<StartupEvent>,
}

/// The sender's state at one moment. Times are seconds since the receiver's connect.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SenderSample {
    /// When.
    pub time_s: f64,
    /// Payload acknowledged so far.
    pub acked_bytes: u64,
    /// Congestion window.
    pub cwnd_bytes: u64,
    /// Slow-start threshold, if one is set.
    pub ssthresh_bytes: Option<u64>,
    /// Sent and not acknowledged.
    pub inflight_bytes: u64,
    /// Pacing rate, if the connection is paced.
    pub pacing_bytes_per_s: Option<u64>,
    /// Delivery rate that the host measured last.
    pub delivery_bytes_per_s: u64,
    /// Smoothed round-trip time.
    pub srtt_s: f64,
}

/// A data segment as the bottleneck saw it arrive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SegmentSample {
    /// When.
    pub time_s: f64,
    /// First payload byte, relative to the start of the stream.
    pub start_byte: u64,
    /// Payload length.
    pub length_bytes: u32,
    /// It had been sent before.
    pub retransmission: bool,
    /// The queue had no room for it, or it was lost at random.
    pub dropped: bool,
}

/// A change of the start-up's mind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartupEvent {
    /// When.
    pub time_s: f64,
    /// What happened: `phase`, `estimate` or `exit`.
    pub kind: String,
    /// The new phase, or the exit's reason.
    pub what: String,
    /// Bandwidth estimate (payload), 0 if none yet.
    pub estimate_bytes_per_s: u64,
    /// Congestion window after the change.
    pub cwnd_bytes: u64,
    /// Slow-start threshold after the change, 0 if none.
    pub ssthresh_bytes: u64,
    /// Pacing rate after the change, 0 if not paced.
    pub pacing_bytes_per_s: u64,
}

/// IP and TCP headers of a data segment with timestamps: 20 + 20 + 12.
pub const HEADER_BYTES: u64 = 52;

/// The least time a cold transfer can take: handshake and request (two round trips), then every packet on
/// the wire at the bottleneck's rate.
pub fn bound_s(case: &Case) -> f64 {
    let payload_bytes = u64::from(case.path.mtu_bytes) - HEADER_BYTES;
    let wire_bytes = case.transfer.size_bytes + case.transfer.size_bytes.div_ceil(payload_bytes) * HEADER_BYTES;
    2.0 * case.path.rtt_ns as f64 / 1e9 + wire_bytes as f64 * 8.0 / case.path.forward.rate_bits_per_s as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> Case {
        let text = "name = \"x\"\n[path]\nrate = \"50 Mbit/s\"\nrtt = \"600 ms\"\nqueue = \"0.4 bdp\"\n\
                    [receiver]\nbuffer = \"64 MiB\"\n[[transfer]]\nsize = \"1448 B\"\nstartup = \"paced\"\n";
        crate::parse("x.toml", text).unwrap().cases.remove(0)
    }

    #[test]
    fn a_record_begins_with_the_wording_of_its_scenario() {
        let record = Record::of_case(&case(), "sim");
        assert_eq!((record.rate_bits_per_s, record.rtt_ms), (50_000_000, 600.0));
        assert_eq!((record.queue.as_str(), record.receiver_buffer.as_str()), ("0.4 bdp", "64 MiB"));
        assert_eq!((record.startup.as_str(), record.avoidance.as_str()), ("paced", "cubic"));
        assert_eq!((record.initial_window.as_str(), record.exit_reason.as_str()), ("host", "unfinished"));
    }

    #[test]
    fn the_bound_is_two_round_trips_and_the_wire() {
        assert_eq!(bound_s(&case()), 1.2 + 1500.0 * 8.0 / 50e6);
    }

    #[test]
    fn excess_is_counted_in_round_trips() {
        let case = case();
        let mut record = Record::of_case(&case, "sim");
        record.complete(&case, bound_s(&case) + 1.5);
        assert!((record.excess_rtts - 2.5).abs() < 1e-12);
        assert_eq!(record.completion_s, bound_s(&case) + 1.5);
    }
}
