//! The transfer that is measured, and the TCP of both hosts.

use super::channel::bytes_in;
pub use onramp_core::memory::Memory;
use onramp_core::pairs::Form as PairForm;
use onramp_core::Without;
use onramp_tcp::{Acks, ByteCounting, PacketPair, Recovery, Reservation, Stack, Timers};
use serde::Serialize;
use std::sync::Arc;

/// IP and TCP headers of a data segment with timestamps, in bytes: 20 + 20 + 12.
pub const HEADER_BYTES: u64 = 52;

/// The transfer that is measured: one end [connects](Transfer::connect), and the receiver is sent
/// `size_bytes`. [`count`](Transfer::count) copies of it run at the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// What tables call it; empty where they tell its choices.
    pub label: Arc<str>,
    /// Bytes of payload.
    pub size_bytes: u64,
    /// Largest IP packet that it is sent in; `None`: as large as the way takes. Never larger than
    /// that.
    pub segment_bytes: Option<u32>,
    /// Start-up algorithm: a name from `core/registry.h`, or [`NO_STARTUP`].
    pub startup: String,
    /// Congestion avoidance that follows the start-up.
    pub avoidance: Avoidance,
    /// The sender's initial window.
    pub initial_window: InitialWindow,
    /// The sender's TCP.
    pub stack: Stack,
    /// It takes part in window scaling (RFC 7323).
    pub window_scaling: bool,
    /// Its loss recovery.
    pub recovery: Recovery,
    /// Its retransmission timer.
    pub timers: Timers,
    /// How finely the sender's host measures time and schedules events.
    pub clocks: Clocks,
    /// How much an acknowledgement makes its window grow in slow start (RFC 3465).
    pub byte_counting: ByteCounting,
    /// Which end opens the connection.
    pub connect: Connect,
    /// How a start-up that measures a rate reads a flight's acknowledgements.
    pub train: Train,
    /// What the file gives its start-up.
    pub given: Given,
    /// What its start-up makes of what an earlier copy found of its path.
    pub memory: Memory,
    /// Threshold of the first slow start; `None` is none.
    pub initial_ssthresh_bytes: Option<u64>,
    /// The nodes that send the data; see [`ends`](Transfer::ends).
    pub from: Arc<[usize]>,
    /// The nodes that receive it.
    pub to: Arc<[usize]>,
    /// Where its connection is split; `None`: it leads from end to end.
    pub split: Option<Split>,
    /// How many connections carry it side by side.
    pub connections: Connections,
    /// How its sender marks its packets.
    pub dscp: Dscp,
    /// How many copies there are, at least 1.
    pub count: u32,
    /// When the first copy starts at the earliest; see
    /// [`Case::transfer_start_ns`](crate::Case::transfer_start_ns).
    pub start_ns: u64,
    /// From one copy's start to the next one's.
    pub spacing_ns: u64,
    /// What limits the sending application; `None`: it has all of the payload at once.
    pub application: Option<Application>,
}

impl Transfer {
    /// The nodes from which and to which a copy sends, copies counted from 0: senders and receivers
    /// are dealt in turn.
    pub fn ends(&self, copy: u32) -> (usize, usize) {
        let dealt = |nodes: &[usize]| nodes[copy as usize % nodes.len()];
        (dealt(&self.from), dealt(&self.to))
    }

    /// How many flows with a guarantee of their own carry a copy, on links that give one to
    /// expedited flows.
    pub fn expedited_flows(&self) -> u32 {
        match (self.dscp, self.connections) {
            (Dscp::BestEffort, _) => 0,
            (Dscp::Ef, Connections::Fixed(connections)) => connections,
            (Dscp::Ef, Connections::Adaptive) => Connections::MOST,
        }
    }

    /// The largest IP packet of a copy on a way that takes packets of so many bytes.
    pub fn packet_bytes(&self, mtu_bytes: u32) -> u32 {
        self.segment_bytes
            .map_or(mtu_bytes, |bytes| bytes.min(mtu_bytes))
    }
}

/// Relays on the way of the data: each ends one TCP connection and begins the next ("virtual
/// sources and destinations", Chaher, Barakat, Dabbous & Altman 1998, section 1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// The nodes that are relays, in order from the sender to the receiver, at least one.
    pub nodes: Arc<[usize]>,
    /// What the receive buffer and the send buffer of a relay may hold each.
    pub buffer_bytes: u64,
    /// Relays send at this rate, counted in IP packets; `None`: as the transfer's own TCP.
    pub rate_bits_per_s: Option<u64>,
}

/// How many connections carry a transfer side by side (XFTP: Allman, Kruse & Ostermann 1996).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Connections {
    /// So many from its beginning, at least 1.
    Fixed(u32),
    /// As many as the sending application finds good, at most [`Connections::MOST`].
    Adaptive,
}

impl Connections {
    /// The most that there may be.
    pub const MOST: u32 = 64;
    /// A transfer as any other.
    pub const ONE: Connections = Connections::Fixed(1);
}

/// What a sending host's clocks can do: the two services of Aron & Druschel (1998), section 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Clocks {
    /// Granularity of measuring time.
    pub clock_ns: u64,
    /// Granularity of scheduling events.
    pub tick_ns: u64,
}

impl Clocks {
    /// Those of a stack's hosts.
    pub fn of(stack: Stack) -> Clocks {
        let ticks = onramp_tcp::Config::of(stack, 1500).ticks;
        Clocks {
            clock_ns: ticks.measure_ns,
            tick_ns: ticks.event_ns,
        }
    }
}

/// Which end of a transfer opens the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Connect {
    /// The receiver does, and asks for the data with 8 bytes: a download.
    #[default]
    Receiver,
    /// The sender does, and sends as soon as its handshake is complete: an upload, and what
    /// simulators of the papers' time have.
    Sender,
}

impl Connect {
    /// Both, in the order in which help texts list them.
    pub const ALL: [Connect; 2] = [Connect::Receiver, Connect::Sender];

    /// The name that scenario files use.
    pub fn name(self) -> &'static str {
        match self {
            Connect::Receiver => "receiver",
            Connect::Sender => "sender",
        }
    }
}

/// How a start-up that measures a rate reads a flight's acknowledgements (`core/measure/ack_train.h`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Train {
    /// The least-squares line through them.
    #[default]
    Line,
    /// The first and the last of them.
    Ends,
    /// The most closely spaced of them.
    Closest,
    /// Of `astart`: its filter takes the latest sample alone.
    Latest,
    /// Of `astart`: instability is compared with the greatest of the connection.
    Calm,
}

impl Train {
    /// All, in the order in which help texts list them.
    pub const ALL: [Train; 5] = [
        Train::Line,
        Train::Ends,
        Train::Closest,
        Train::Latest,
        Train::Calm,
    ];

    /// The name that scenario files use.
    pub fn name(self) -> &'static str {
        match self {
            Train::Line => "line",
            Train::Ends => "ends",
            Train::Closest => "closest",
            Train::Latest => "latest",
            Train::Calm => "calm",
        }
    }
}

/// How a sender marks its IP packets: a code point of differentiated services (RFC 2474).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dscp {
    /// Not at all.
    #[default]
    BestEffort,
    /// For expedited forwarding (RFC 3246).
    Ef,
}

impl Dscp {
    /// Both, in the order in which help texts list them.
    pub const ALL: [Dscp; 2] = [Dscp::BestEffort, Dscp::Ef];

    /// The name that scenario files use.
    pub fn name(self) -> &'static str {
        match self {
            Dscp::BestEffort => "best-effort",
            Dscp::Ef => "ef",
        }
    }

    /// The second byte of the IP header (RFC 2474, section 3), without ECN.
    pub fn tos(self) -> u8 {
        match self {
            Dscp::BestEffort => 0,
            Dscp::Ef => 0xb8,
        }
    }

    /// The code point in that byte; others than these are best effort.
    pub fn of_tos(tos: u8) -> Dscp {
        match tos & 0xfc {
            0xb8 => Dscp::Ef,
            _ => Dscp::BestEffort,
        }
    }
}

/// What a file gives for what a start-up would measure (Chaher et al. 1998, sections 3 and 4), or
/// could not (Ritter et al. 2001), and takes from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Given {
    /// Of `gamma`: the share of the window that a threshold is, in millionths.
    pub gamma_ppm: Option<u32>,
    /// Of `spaced`: the rate of slow start's segments, in IP packets.
    pub pace_bits_per_s: Option<u64>,
    /// Of `qos`: the rate that the network guarantees, of TCP payload.
    pub qos_rate_bits_per_s: Option<u64>,
    /// Of `qos`: what may leave at once; `None`: as the start-up chooses (`core/algorithms/qos.h`).
    pub qos_burst_bytes: Option<u64>,
    /// Of `onramp`: the idea that is switched off.
    pub without: Without,
}

impl Given {
    /// What is reserved, if anything is.
    pub fn reservation(&self) -> Option<Reservation> {
        let bytes_per_s = bytes_in(self.qos_rate_bits_per_s?, 1_000_000_000).max(1);
        let burst_bytes = self
            .qos_burst_bytes
            .map(|bytes| u32::try_from(bytes).unwrap_or(u32::MAX));
        Some(Reservation {
            bytes_per_s,
            burst_bytes,
        })
    }
}

/// An application that writes now and then. Its writes come when they come, whether or not the
/// connection has taken what was written before: what it has no room for waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Application {
    /// Payload of each write.
    pub write_bytes: u64,
    /// From one write to the next.
    pub every_ns: u64,
}

impl Application {
    /// All that it has written so long after its first write, that one included.
    pub fn written_bytes(self, since_first_ns: u64) -> u64 {
        self.write_bytes
            .saturating_mul((since_first_ns / self.every_ns.max(1)).saturating_add(1))
    }

    /// When it writes the next time after that, since its first write.
    pub fn next_write_ns(self, since_first_ns: u64) -> u64 {
        let every_ns = self.every_ns.max(1);
        (since_first_ns / every_ns)
            .saturating_add(1)
            .saturating_mul(every_ns)
    }
}

/// The start-up of a transfer that runs none of Onramp's code: the avoidance as the host ships it.
pub const NO_STARTUP: &str = "none";

/// What a scenario says about the host that sends the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    /// Send buffer.
    pub buffer: Buffer,
    /// Waits with small segments while any are outstanding (RFC 9293, section 3.7.4).
    pub nagle: bool,
    /// Its window grows only while it limits the sender (RFC 7661).
    pub window_validation: bool,
    /// Its start-ups send packet pairs where they do without them too.
    pub packet_pairs: bool,
}

/// What a scenario says about the host that receives the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receiver {
    /// Receive buffer.
    pub buffer: Buffer,
    /// When it acknowledges.
    pub acks: Acks,
    /// Takes part in timestamps (RFC 7323).
    pub timestamps: bool,
    /// Takes part in selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Takes part in window scaling (RFC 7323).
    pub window_scaling: bool,
    /// What it does about packet pairs.
    pub packet_pair: PacketPair,
    /// How both ends write their option.
    pub pair_form: PairForm,
    /// How finely it measures their arrivals.
    pub pair_clock_ns: u64,
}

/// Size of a socket buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// Auto-tuned as Linux does it with its default limits.
    LinuxDefault,
    /// This many bytes from the start (receiver), or auto-tuned up to this many (sender).
    Bytes(u64),
}

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
    /// Vegas (Brakmo and Peterson 1995).
    Vegas,
    /// Westwood+.
    Westwood,
    /// Reno that grows by a fraction of the pipe (Aron & Druschel 1998, appendix B).
    Pipe,
}

impl Avoidance {
    /// All of them, in the order in which help texts list them.
    pub const ALL: [Avoidance; 6] = [
        Avoidance::Cubic,
        Avoidance::Bbr,
        Avoidance::Reno,
        Avoidance::Vegas,
        Avoidance::Westwood,
        Avoidance::Pipe,
    ];

    /// The name that scenario files, the command line and the kernel use.
    pub fn name(self) -> &'static str {
        match self {
            Avoidance::Cubic => "cubic",
            Avoidance::Bbr => "bbr",
            Avoidance::Reno => "reno",
            Avoidance::Vegas => "vegas",
            Avoidance::Westwood => "westwood",
            Avoidance::Pipe => "pipe",
        }
    }

    /// The same in the simulator's TCP, which has no BBR.
    pub fn in_simulator(self) -> Option<onramp_tcp::Avoidance> {
        onramp_tcp::Avoidance::from_name(self.name())
    }
}

impl From<onramp_tcp::Avoidance> for Avoidance {
    fn from(avoidance: onramp_tcp::Avoidance) -> Avoidance {
        match avoidance {
            onramp_tcp::Avoidance::Cubic => Avoidance::Cubic,
            onramp_tcp::Avoidance::Reno => Avoidance::Reno,
            onramp_tcp::Avoidance::Vegas => Avoidance::Vegas,
            onramp_tcp::Avoidance::Westwood => Avoidance::Westwood,
            onramp_tcp::Avoidance::Pipe => Avoidance::Pipe,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_application_writes_at_its_beginning_and_at_each_boundary() {
        let application = Application {
            write_bytes: 10,
            every_ns: 100,
        };
        let seen = |since_ns| {
            (
                application.written_bytes(since_ns),
                application.next_write_ns(since_ns),
            )
        };
        assert_eq!(
            [0, 99, 100, 250].map(seen),
            [(10, 100), (10, 100), (20, 200), (30, 300)]
        );
        assert_eq!(
            Application {
                write_bytes: u64::MAX,
                every_ns: 0
            }
            .written_bytes(u64::MAX),
            u64::MAX
        );
    }
}
