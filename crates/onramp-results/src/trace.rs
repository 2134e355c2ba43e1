//! The course of a transfer, from which reports are drawn.

use onramp_core::StartupEvent;
use serde::{Deserialize, Serialize};

/// The course of the measured connection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Samples of the sender's state, in order of time.
    pub sender: Vec<SenderSample>,
    /// Data segments entering the bottleneck, in order of time.
    pub segments: Vec<SegmentSample>,
    /// What the receiver's application has read, in order of time. Empty for a transfer whose first
    /// connection ends at a relay.
    #[serde(default)]
    pub receiver: Vec<ReceiverSample>,
    /// Changes that the start-up algorithm reported.
    pub events: Vec<StartupEvent>,
    /// The links in whose queues its data packets waited, in the order of the scenario. Empty where
    /// waiting is not measured: in the lab.
    #[serde(default)]
    pub queues: Vec<LinkQueue>,
    /// Its data packets that arrived, in order of time. Empty in the lab.
    #[serde(default)]
    pub packets: Vec<PacketSample>,
}

/// The sender's state at one time. Times are in seconds since the receiver's connect.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SenderSample {
    /// Time of the sample or event.
    pub time_s: f64,
    /// Payload acknowledged so far.
    pub acked_bytes: u64,
    /// Congestion window.
    pub cwnd_bytes: u64,
    /// ssthresh, if one is set.
    pub ssthresh_bytes: Option<u64>,
    /// Payload in flight.
    pub inflight_bytes: u64,
    /// Pacing rate, if the connection is paced.
    pub pacing_bytes_per_s: Option<u64>,
    /// The latest delivery rate that the host measured.
    pub delivery_bytes_per_s: u64,
    /// Smoothed round-trip time.
    pub srtt_s: f64,
}

/// A data segment that arrives at the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SegmentSample {
    /// Time of the sample or event.
    pub time_s: f64,
    /// First payload byte, relative to the start of the stream.
    pub start_byte: u64,
    /// Payload length.
    pub length_bytes: u32,
    /// The segment is a retransmission.
    pub retransmission: bool,
    /// The queue dropped the segment, or it was lost at random.
    pub dropped: bool,
}

/// The queue of one link in one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkQueue {
    /// The nodes at its ends: `sender - receiver`.
    pub link: String,
    /// How long data packets of the connection waited.
    pub samples: Vec<QueueSample>,
}

/// A data packet in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueSample {
    /// When it entered the queue.
    pub time_s: f64,
    /// How long it waited, behind packets of others too, until its transmission began.
    pub wait_s: f64,
}

/// A data packet that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PacketSample {
    /// When it arrived.
    pub time_s: f64,
    /// Time from sender to receiver.
    pub delay_s: f64,
    /// The part of it in queues.
    pub queued_s: f64,
}

/// The receiver's progress at one time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReceiverSample {
    /// Time of the sample or event.
    pub time_s: f64,
    /// Payload that the application has read so far. It is in order: what follows a lost segment
    /// cannot be read before the retransmission arrives.
    pub received_bytes: u64,
}
