//! How a transfer moved: what a report draws.

use serde::{Deserialize, Serialize};

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
    /// What happened: `phase`, `estimate` or `exit`; `connections` where the application changes
    /// their number.
    pub kind: String,
    /// The new phase, the exit's reason, or the number and why.
    pub what: String,
    /// Bandwidth estimate (payload), 0 if none yet.
    pub estimate_bytes_per_s: u64,
    /// Congestion window after the change.
    pub cwnd_bytes: u64,
    /// Slow-start threshold after the change, 0 if none.
    pub ssthresh_bytes: u64,
    /// Pacing rate after the change, 0 if not paced.
    pub pacing_bytes_per_s: u64,
    /// What the start-up was told at its beginning that the path had carried in a round trip, 0 if
    /// nothing.
    #[serde(default)]
    pub remembered_bytes: u64,
}
