//! A scenario after its lists have been multiplied out: every value is one value, every unit is fixed.

use serde::Serialize;

/// A scenario file, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Short name, used in tables and file names.
    pub name: String,
    /// One sentence for the report.
    pub description: String,
    /// The cross product of all lists in the file: conditions outermost, then sizes, then repeats, and innermost
    /// the transfers that are compared with each other (`docs/scenarios.md`).
    pub cases: Vec<Case>,
}

/// One transfer over one path: what a simulator or a lab runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Name of the scenario it comes from.
    pub scenario: String,
    /// The path between the hosts.
    pub path: Path,
    /// The host that sends the data.
    pub sender: Host,
    /// The host that receives the data.
    pub receiver: Host,
    /// Flows that are under way before the transfer starts.
    pub traffic: Vec<Traffic>,
    /// The transfer that is measured.
    pub transfer: Transfer,
    /// Which repetition this is, from 1.
    pub run: u32,
    /// Seed of every random stream of this run.
    pub seed: u64,
}

/// A bottleneck with a channel in each direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Round-trip propagation time: the sum of both channels' delays.
    pub rtt_ns: u64,
    /// Largest IP packet.
    pub mtu_bytes: u32,
    /// From sender to receiver: the data.
    pub forward: Channel,
    /// From receiver to sender: the acknowledgements.
    pub reverse: Channel,
}

/// One direction of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Serialisation rate, of IP packets.
    pub rate_bits_per_s: u64,
    /// One-way propagation delay.
    pub delay_ns: u64,
    /// Room of the drop-tail queue before the serialiser.
    pub queue: QueueLimit,
    /// Probability that a packet is lost at random, in millionths.
    pub loss_ppm: u32,
}

/// The room of a queue, in the unit in which the scenario gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// So many packets, whatever their size.
    Packets(u32),
    /// So many bytes of IP packets.
    Bytes(u64),
    /// A share of rate x round-trip time, in millionths.
    BdpPpm(u64),
}

impl QueueLimit {
    /// Room in bytes on a channel of this rate and round-trip time; `None` where the limit counts packets.
    pub fn bytes(self, rate_bits_per_s: u64, rtt_ns: u64) -> Option<u64> {
        match self {
            QueueLimit::Packets(_) => None,
            QueueLimit::Bytes(bytes) => Some(bytes),
            QueueLimit::BdpPpm(ppm) => {
                Some((u128::from(bytes_in(rate_bits_per_s, rtt_ns)) * u128::from(ppm) / 1_000_000) as u64)
            }
        }
    }
}

impl Path {
    /// Bandwidth-delay product of the forward channel: the bytes that fill the path without a queue.
    pub fn bdp_bytes(&self) -> u64 {
        bytes_in(self.forward.rate_bits_per_s, self.rtt_ns)
    }
}

/// Bytes that a rate carries in a time, rounded down.
pub fn bytes_in(rate_bits_per_s: u64, time_ns: u64) -> u64 {
    (u128::from(rate_bits_per_s) * u128::from(time_ns) / 8_000_000_000) as u64
}

/// What a scenario says about a host's TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    /// Socket buffer: the send buffer of a sender, the receive buffer of a receiver.
    pub buffer: Buffer,
}

/// Size of a socket buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// Auto-tuned as Linux does it with its default limits.
    LinuxDefault,
    /// This many bytes from the start (receiver), or auto-tuned up to this many (sender).
    Bytes(u64),
}

/// A flow that competes with the transfer.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// Its start-up algorithm.
    pub startup: String,
    /// Its congestion avoidance.
    pub avoidance: Avoidance,
    /// How long before the transfer it starts; it goes on until the run ends.
    pub lead_ns: u64,
}

/// The transfer that is measured: the receiver connects, asks, and is sent `size_bytes`.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// Bytes of payload.
    pub size_bytes: u64,
    /// Start-up algorithm: a name from `core/registry.h`, or [`NO_STARTUP`].
    pub startup: String,
    /// Congestion avoidance that follows the start-up.
    pub avoidance: Avoidance,
    /// The sender's initial window.
    pub initial_window: InitialWindow,
}

/// The start-up of a transfer that runs none of Onramp's code: the avoidance as the host ships it.
pub const NO_STARTUP: &str = "none";

/// Congestion avoidance: what controls the window once the start-up is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Avoidance {
    /// CUBIC (RFC 9438).
    Cubic,
    /// BBR.
    Bbr,
    /// Reno (RFC 5681).
    Reno,
}

impl Avoidance {
    /// All of them, in the order in which help texts list them.
    pub const ALL: [Avoidance; 3] = [Avoidance::Cubic, Avoidance::Bbr, Avoidance::Reno];

    /// The name that scenario files, the command line and the kernel use.
    pub fn name(self) -> &'static str {
        match self {
            Avoidance::Cubic => "cubic",
            Avoidance::Bbr => "bbr",
            Avoidance::Reno => "reno",
        }
    }
}

/// What a sender may send before the first acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InitialWindow {
    /// As the host has it (Linux: 10 segments, RFC 6928).
    Host,
    /// Aron & Druschel section 4.2.1, as RFC 3390: min(4 MSS, max(2 MSS, 4380 bytes)).
    Paper,
    /// This many segments.
    Segments(u32),
}
