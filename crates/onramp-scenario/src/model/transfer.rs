//! The transfer that is measured.

use super::choice::choice;
use super::host::{Avoidance, Clocks, InitialWindow};
use super::requests::{Pace, Requests};
use super::sizes::FlowSizes;
use crate::random::Interval;
use onramp_config::units::bytes_in;
pub use onramp_core::memory::Memory;
use onramp_core::{InitialRate, Parameters, SearchVersion, Train, Without};
use onramp_tcp::{ByteCounting, IpVersion, Recovery, Reservation, Stack, Timers, TCP_HEADER_BYTES};
use std::sync::Arc;

/// The UDP header.
pub const UDP_HEADER_BYTES: u32 = 8;
/// The option of timestamps (RFC 7323), with its padding.
const TIMESTAMP_BYTES: u32 = 12;

/// IP and TCP headers of a data segment, in bytes: 52 for IPv4 with timestamps, 72 for IPv6.
pub const fn header_bytes(ip: IpVersion, has_timestamps: bool) -> u64 {
    let timestamp_bytes = if has_timestamps { TIMESTAMP_BYTES } else { 0 };
    (ip.header_bytes() + TCP_HEADER_BYTES + timestamp_bytes) as u64
}

/// What a full packet of QUIC's server has besides the payload of its stream (RFC 9000, sections
/// 17.3 and 19.8): flags, a connection ID of 8 bytes, a packet number of 1 byte, the type, stream
/// and offset of a STREAM frame without length, and the authentication tag. The offset has 4 bytes,
/// as it has from 16 KiB to 1 GiB.
const QUIC_HEADER_BYTES: u64 = 1 + 8 + 1 + (1 + 1 + 4) + 16;

/// All headers of a full data packet of QUIC, in bytes: 60 for IPv4, 80 for IPv6.
pub const fn quic_header_bytes(ip: IpVersion) -> u64 {
    (ip.header_bytes() + UDP_HEADER_BYTES) as u64 + QUIC_HEADER_BYTES
}

/// What the payload of a full UDP datagram of QUIC's server has of its stream, in bytes.
pub const fn quic_stream_bytes(datagram_bytes: u64) -> u64 {
    datagram_bytes.saturating_sub(QUIC_HEADER_BYTES)
}

/// The transfer that is measured. One end [connects](Transfer::connect), and the sender sends
/// `size_bytes` to the receiver. [`count`](Transfer::count) copies of it run at the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// The name in tables; empty where tables list the transfer's choices.
    pub label: Arc<str>,
    /// Bytes of payload; the mean of sizes that are drawn.
    pub size_bytes: u64,
    /// The distribution from which each copy draws its size; `None`: all have the same.
    pub sizes: Option<FlowSizes>,
    /// The IP version of its packets.
    pub ip: IpVersion,
    /// Size of the largest IP packet, at most the MTU of the route; `None`: the MTU of the route.
    pub segment_bytes: Option<u32>,
    /// The transport protocol.
    pub transport: Transport,
    /// Start-up algorithm: a name from `core/registry.h`, or [`NO_STARTUP`].
    pub startup: String,
    /// Congestion avoidance that follows the start-up.
    pub avoidance: Avoidance,
    /// The sender's initial window.
    pub initial_window: InitialWindow,
    /// The sender's TCP.
    pub stack: Stack,
    /// The sender offers window scaling (RFC 7323).
    pub window_scaling: bool,
    /// Both ends use explicit congestion notification (RFC 3168).
    pub ecn: bool,
    /// The sender's loss recovery.
    pub recovery: Recovery,
    /// The sender's retransmission timer.
    pub timers: Timers,
    /// The granularity with which the sender's host measures time and schedules events.
    pub clocks: Clocks,
    /// The maximum growth of the congestion window per ACK in slow start (RFC 3465).
    pub byte_counting: ByteCounting,
    /// The end that opens the connection.
    pub connect: Connect,
    /// How a start-up derives a rate from the ACKs of a flight.
    pub train: Train,
    /// Parameters of its start-up.
    pub given: Given,
    /// How its start-up uses what an earlier copy measured of the path.
    pub memory: Memory,
    /// The initial ssthresh; `None`: unlimited.
    pub initial_ssthresh_bytes: Option<u64>,
    /// The nodes that send the data; see [`ends`](Transfer::ends).
    pub from: Arc<[usize]>,
    /// The nodes that receive it.
    pub to: Arc<[usize]>,
    /// The relays at which its connection is split; `None`: it is end to end.
    pub split: Option<Split>,
    /// How many parallel connections carry it.
    pub connections: Connections,
    /// How its sender marks its packets.
    pub dscp: Dscp,
    /// How many copies there are, at least 1.
    pub count: u32,
    /// The earliest start of the first copy; see
    /// [`Case::transfer_start_ns`](crate::Case::transfer_start_ns).
    pub start_ns: u64,
    /// Time from the start of one copy to the start of the next.
    pub spacing: Interval,
    /// The writes of the sending application; `None`: it has all of the payload at once.
    pub application: Option<Application>,
    /// The requests of the receiver; `None`: one, for the whole payload.
    pub requests: Option<Requests>,
}

impl Transfer {
    /// The sending and the receiving node of a copy, copies counted from 0. The copies take the
    /// senders and the receivers in turn.
    pub fn ends(&self, copy: u32) -> (usize, usize) {
        let dealt = |nodes: &[usize]| nodes[copy as usize % nodes.len()];
        (dealt(&self.from), dealt(&self.to))
    }

    /// The nodes that send and receive in each hop of a copy, from its sender on: one hop if the
    /// connection is not split.
    pub fn hops(&self, copy: u32) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (from, to) = self.ends(copy);
        let relays = self
            .split
            .iter()
            .flat_map(|split| split.nodes.iter().copied());
        let senders = std::iter::once(from).chain(relays.clone());
        senders.zip(relays.chain([to]))
    }

    /// How many expedited flows carry a copy. Each has a guarantee of its own on links that
    /// guarantee a rate.
    pub fn expedited_flows(&self) -> u32 {
        match self.dscp {
            Dscp::BestEffort => 0,
            Dscp::Ef => self.connections.max(),
        }
    }

    /// The least number of round trips after the first request in which the receiver only waits for
    /// an answer.
    pub fn later_round_trips(&self) -> u32 {
        match (self.requests, self.connections) {
            (None, _) => 0,
            (Some(_), Connections::Multiplexed) => 1,
            (Some(requests), several) => (requests.count - 1).div_ceil(several.max()),
        }
    }

    /// Whether its times or sizes depend on the seed of the run.
    pub(crate) fn is_random(&self) -> bool {
        let is_drawn = |interval| matches!(interval, Interval::Exponential(_));
        let pause = self.requests.map(|requests| requests.pace);
        self.sizes.is_some()
            || is_drawn(self.spacing)
            || matches!(pause, Some(Pace::Think(think)) if is_drawn(think))
            || self.clocks.are_coarse()
    }

    /// Size of the largest IP packet of a copy on a route with this MTU.
    pub fn packet_bytes(&self, mtu_bytes: u32) -> u32 {
        self.segment_bytes
            .map_or(mtu_bytes, |bytes| bytes.min(mtu_bytes))
    }
}

/// Relays on the forward path: each ends one TCP connection and begins the next ("virtual sources
/// and destinations", Chaher, Barakat, Dabbous & Altman 1998, section 1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// The nodes that are relays, at least one, in order from the sender to the receiver.
    pub nodes: Arc<[usize]>,
    /// Size of the receive buffer and of the send buffer of each relay.
    pub buffer_bytes: u64,
    /// The rate at which relays send, counted in IP packets; `None`: relays have the transfer's
    /// TCP.
    pub rate_bits_per_s: Option<u64>,
}

/// How many parallel connections carry a transfer (XFTP: Allman, Kruse & Ostermann 1996).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Connections {
    /// This number from the beginning, at least 1.
    Fixed(u32),
    /// The sending application adapts the number, up to [`Connections::MAX`].
    Adaptive,
    /// One, on which all answers but the first are requested at once.
    Multiplexed,
}

impl Connections {
    /// The maximum number.
    pub const MAX: u32 = 64;
    /// A single connection.
    pub const ONE: Connections = Connections::Fixed(1);

    /// The number at the beginning, or the maximum of an adaptive number.
    pub fn max(self) -> u32 {
        match self {
            Connections::Fixed(number) => number,
            Connections::Adaptive => Connections::MAX,
            Connections::Multiplexed => 1,
        }
    }
}

choice! {
    /// The transport protocol of a transfer.
    #[derive(Default)]
    pub enum Transport {
        /// TCP (RFC 9293).
        #[default]
        Tcp = "tcp",
        /// QUIC (RFC 9000).
        Quic = "quic",
    }
}

choice! {
    /// The end of a transfer that opens the connection.
    #[derive(Default)]
    pub enum Connect {
        /// The receiver connects and requests the data with 8 bytes: a download.
        #[default]
        Receiver = "receiver",
        /// The sender connects and sends as soon as its handshake is complete: an upload. The
        /// simulators of the papers' time do the same.
        Sender = "sender",
    }
}

choice! {
    /// How a sender marks its IP packets: a code point of differentiated services (RFC 2474).
    #[derive(Default)]
    pub enum Dscp {
        /// Not marked.
        #[default]
        BestEffort = "best-effort",
        /// For expedited forwarding (RFC 3246).
        Ef = "ef",
    }
}

impl Dscp {
    /// The second byte of the IP header (RFC 2474, section 3), without ECN.
    pub fn tos(self) -> u8 {
        match self {
            Dscp::BestEffort => 0,
            Dscp::Ef => 0xb8,
        }
    }

    /// The code point in this byte. Unknown code points are best effort.
    pub fn of_tos(tos: u8) -> Dscp {
        match tos & 0xfc {
            0xb8 => Dscp::Ef,
            _ => Dscp::BestEffort,
        }
    }
}

/// Parameters that a file gives to a start-up. They replace measurements (Chaher et al. 1998,
/// sections 3 and 4), add what cannot be measured (Ritter et al. 2001), or switch an idea off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Given {
    /// For `gamma`: ssthresh after a loss as a share of the window, in millionths.
    pub gamma_ppm: Option<u32>,
    /// For `spaced`: the rate of slow start's segments, counted in IP packets.
    pub pace_bits_per_s: Option<u64>,
    /// For `qos`: the rate that the network guarantees, counted in TCP payload.
    pub qos_rate_bits_per_s: Option<u64>,
    /// For `qos`: payload that may leave at once; `None`: as the start-up chooses
    /// (`core/algorithms/qos.h`).
    pub qos_burst_bytes: Option<u64>,
    /// For `onramp`: the idea that is switched off.
    pub without: Without,
    /// For `search`: its version.
    pub search: SearchVersion,
    /// For `onramp`: what leaves behind the initial window in the first round trip.
    pub initial_rate: InitialRate,
    /// For [`NO_STARTUP`] and `standard` with CUBIC: slow start without CUBIC's HyStart.
    pub hystart_is_off: bool,
    /// Its parameters: constants that its algorithm declares (`core/startup.h`).
    pub parameters: Parameters,
}

impl Given {
    /// The variant of this start-up (`onramp_core::Start::variant`) that the keys choose.
    pub fn variant(&self, startup: &str, train: Train) -> u64 {
        train.bits(startup) | self.without.bits(startup) | self.search.bits(startup)
    }

    /// The reservation of `qos`, if there is one.
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

/// An application that writes at fixed times, whether or not the connection has taken the earlier
/// writes. Payload for which the connection has no room waits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Application {
    /// Payload of the writes, in order, at least one. The last one is repeated.
    pub write_bytes: Arc<[u64]>,
    /// Times from one write to the next, in order, at least one. The last one is repeated.
    pub every_ns: Arc<[u64]>,
}

impl Application {
    /// Writes of one size at regular times.
    pub fn regular(write_bytes: u64, every_ns: u64) -> Application {
        Application {
            write_bytes: [write_bytes].into(),
            every_ns: [every_ns].into(),
        }
    }

    /// Payload written up to this time after the first write, the first write included.
    pub fn written_bytes(&self, since_first_ns: u64) -> u64 {
        self.at(since_first_ns).0
    }

    /// Time of the next write after this time; both count from the first write.
    pub fn next_write_ns(&self, since_first_ns: u64) -> u64 {
        self.at(since_first_ns).1
    }

    /// The longest time from one write to the next.
    pub fn max_pause_ns(&self) -> u64 {
        self.every_ns.iter().copied().max().unwrap_or(0)
    }

    /// The payload written up to this time, and the time of the next write.
    fn at(&self, since_first_ns: u64) -> (u64, u64) {
        let of = |list: &[u64], place: usize| list[place.min(list.len() - 1)];
        let write = |place| {
            (
                of(&self.write_bytes, place),
                of(&self.every_ns, place).max(1),
            )
        };
        let (mut written_bytes, mut next_ns) = (0_u64, 0_u64);
        let listed = self.write_bytes.len().max(self.every_ns.len());
        for place in 0..listed {
            if next_ns > since_first_ns {
                return (written_bytes, next_ns);
            }
            let (bytes, every_ns) = write(place);
            written_bytes = written_bytes.saturating_add(bytes);
            next_ns = next_ns.saturating_add(every_ns);
        }
        let Some(since_ns) = since_first_ns.checked_sub(next_ns) else {
            return (written_bytes, next_ns);
        };
        let (bytes, every_ns) = write(listed - 1);
        let repeated = (since_ns / every_ns).saturating_add(1);
        (
            written_bytes.saturating_add(bytes.saturating_mul(repeated)),
            next_ns.saturating_add(every_ns.saturating_mul(repeated)),
        )
    }
}

/// The start-up of a transfer that runs none of Onramp's code: slow start of the avoidance as the
/// host ships it.
pub const NO_STARTUP: &str = "none";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_several_writes_is_repeated() {
        let application = Application {
            write_bytes: [10, 30, 5].into(),
            every_ns: [100, 1000].into(),
        };
        let seen = |since_ns| {
            (
                application.written_bytes(since_ns),
                application.next_write_ns(since_ns),
            )
        };
        assert_eq!(
            [0, 99, 100, 1100, 2100, 3099, 3100].map(seen),
            [
                (10, 100),
                (10, 100),
                (40, 1100),
                (45, 2100),
                (50, 3100),
                (50, 3100),
                (55, 4100)
            ]
        );
    }

    #[test]
    fn an_application_writes_at_once_and_then_at_each_interval() {
        let application = Application::regular(10, 100);
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
            Application::regular(u64::MAX, 0).written_bytes(u64::MAX),
            u64::MAX
        );
    }
}
