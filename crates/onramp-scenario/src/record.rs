//! What a transfer answered: one flat record, the same for simulator and lab.

use crate::Case;
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
    /// Receive buffer as the scenario gives it, for example `64 MiB`.
    pub receiver_buffer: String,
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
