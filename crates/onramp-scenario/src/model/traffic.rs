//! The traffic that shares the network with the transfer.

use super::choice::choice;
use super::host::{Avoidance, Clocks, Receiver};
use super::sizes::Sizes;
use super::transfer::{Connect, Dscp, Given};
use onramp_tcp::{IpVersion, Recovery, Stack, Timers};

/// Traffic that competes with the transfer.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// The kind of the traffic, with its parameters.
    pub kind: TrafficKind,
    /// The node that sends the data.
    pub from: usize,
    /// The node that receives it.
    pub to: usize,
    /// How its sender marks its packets.
    pub dscp: Dscp,
    /// Each of its transfers has a record.
    pub measured: bool,
    /// When the traffic begins.
    pub start: TrafficStart,
    /// When the traffic stops, since the beginning of the run; `None`: at the end of the run.
    pub stop_ns: Option<u64>,
}

impl Traffic {
    /// Its transfers; `None`: it consists of packets without TCP.
    pub fn transfers(&self) -> Option<&Transfers> {
        match &self.kind {
            TrafficKind::Transfers(transfers) => Some(transfers),
            TrafficKind::Constant(_) | TrafficKind::Poisson(_) | TrafficKind::OnOff(_) => None,
        }
    }

    /// Whether its times or sizes depend on the seed of the run.
    pub(crate) fn is_random(&self) -> bool {
        match &self.kind {
            TrafficKind::Transfers(transfers) => {
                let draws_sizes = match &transfers.sizes {
                    Sizes::Of(sizes) => sizes.len() > 1,
                    Sizes::Drawn(_) => true,
                };
                draws_sizes || transfers.arrivals.is_some() || transfers.clocks.are_coarse()
            }
            TrafficKind::Constant(_) => false,
            TrafficKind::Poisson(_) => true,
            TrafficKind::OnOff(on_off) => on_off.distribution == Distribution::Exponential,
        }
    }

    /// The IP version of its packets. Those without TCP are IPv4.
    pub fn ip(&self) -> IpVersion {
        self.transfers()
            .map_or(IpVersion::V4, |transfers| transfers.ip)
    }
}

/// When traffic begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrafficStart {
    /// This time before the transfer, in nanoseconds.
    Lead(u64),
    /// This time after the beginning of the run, in nanoseconds.
    At(u64),
}

/// A kind of traffic, with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum TrafficKind {
    /// TCP transfers.
    Transfers(Box<Transfers>),
    /// Packets at a constant rate, without reaction to losses.
    Constant(Packets),
    /// Packets of a Poisson process: each comes at a time that is independent of the others.
    Poisson(Packets),
    /// Packets at a constant rate, alternating with silence.
    OnOff(OnOff),
}

/// TCP transfers.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfers {
    /// The start-up algorithm: a name from `core/registry.h`, or
    /// [`NO_STARTUP`](crate::NO_STARTUP).
    pub startup: String,
    /// Parameters of the start-up.
    pub given: Given,
    /// The congestion avoidance.
    pub avoidance: Avoidance,
    /// The IP version of their packets.
    pub ip: IpVersion,
    /// The sender's TCP.
    pub stack: Stack,
    /// Both ends use explicit congestion notification (RFC 3168).
    pub ecn: bool,
    /// The sender's loss recovery.
    pub recovery: Recovery,
    /// The sender's retransmission timer.
    pub timers: Timers,
    /// The granularity with which the sender's host measures time and schedules events.
    pub clocks: Clocks,
    /// The end that opens each connection.
    pub connect: Connect,
    /// The initial ssthresh of each transfer; `None`: unlimited.
    pub initial_ssthresh_bytes: Option<u64>,
    /// The host that receives the data.
    pub receiver: Receiver,
    /// The payload of each.
    pub sizes: Sizes,
    /// How many transfers there are; `None`: as many as arrive, with
    /// [`arrivals`](Transfers::arrivals) only.
    pub count: Option<u32>,
    /// The times at which transfers begin; `None`: all begin at once.
    pub arrivals: Option<Poisson>,
}

/// A Poisson process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Poisson {
    /// Mean number of arrivals in a million seconds.
    pub per_million_s: u64,
}

impl Poisson {
    /// Mean time from one arrival to the next.
    pub fn mean_interval_ns(self) -> u64 {
        1_000_000_000_000_000 / self.per_million_s.max(1)
    }
}

/// Packets without TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packets {
    /// Rate of IP packets, or the mean rate of a Poisson process.
    pub rate_bits_per_s: u64,
    /// Size of each IP packet.
    pub packet_bytes: u32,
}

/// Packets at a constant rate for some time, then none for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnOff {
    /// The packets while it sends.
    pub on: Packets,
    /// Mean time of sending.
    pub mean_on_ns: u64,
    /// Mean time of silence.
    pub mean_off_ns: u64,
    /// How both times are distributed.
    pub distribution: Distribution,
}

choice! {
    /// How times are distributed around their mean.
    pub enum Distribution {
        /// Exponential distribution.
        Exponential = "exponential",
        /// Every time is the mean.
        Fixed = "fixed",
    }
}
