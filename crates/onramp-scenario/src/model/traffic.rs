//! What shares the network with the transfer.

use super::flow::{Avoidance, Clocks, Connect, Dscp, Given, Receiver};
use onramp_tcp::{Recovery, Stack, Timers};
use std::sync::Arc;

/// Traffic beside the transfer.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// What it is made of.
    pub kind: TrafficKind,
    /// The node that sends the data.
    pub from: usize,
    /// The node that receives it.
    pub to: usize,
    /// How its sender marks its packets.
    pub dscp: Dscp,
    /// Each of its transfers has a record.
    pub measured: bool,
    /// When it begins.
    pub start: TrafficStart,
    /// When it stops sending, since the beginning of the run; `None`: it goes on until the run
    /// ends.
    pub stop_ns: Option<u64>,
}

/// When traffic begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrafficStart {
    /// So long before the transfer.
    Lead(u64),
    /// So long after the beginning of the run.
    At(u64),
}

/// What traffic is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum TrafficKind {
    /// TCP.
    Transfers(Transfers),
    /// Packets at a constant rate, whatever becomes of them.
    Constant(Packets),
    /// Packets that come one by one, each at a moment that has nothing to do with the others: a
    /// Poisson process.
    Poisson(Packets),
    /// The same by turns with silence.
    OnOff(OnOff),
}

/// Transfers of TCP.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfers {
    /// Their start-up algorithm: a name from `core/registry.h`, or
    /// [`NO_STARTUP`](crate::NO_STARTUP).
    pub startup: String,
    /// What their start-up is told.
    pub given: Given,
    /// Their congestion avoidance.
    pub avoidance: Avoidance,
    /// The sender's TCP.
    pub stack: Stack,
    /// Its loss recovery.
    pub recovery: Recovery,
    /// Its retransmission timer.
    pub timers: Timers,
    /// How finely the sender's host measures time and schedules events.
    pub clocks: Clocks,
    /// Which end opens each connection.
    pub connect: Connect,
    /// Threshold of the first slow start of each.
    pub initial_ssthresh_bytes: Option<u64>,
    /// The host that receives the data.
    pub receiver: Receiver,
    /// Payload: one of these, drawn evenly for each transfer. Empty: without end.
    pub sizes: Arc<[u64]>,
    /// How many there are; `None`: as many as arrive, which only [`arrivals`](Transfers::arrivals)
    /// can have.
    pub count: Option<u32>,
    /// They begin one by one; `None`: all at once.
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
    /// Of IP packets; the mean, where it is not constant.
    pub rate_bits_per_s: u64,
    /// Size of each IP packet.
    pub packet_bytes: u32,
}

/// Packets at a constant rate for a while, then none for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnOff {
    /// What it sends while it sends.
    pub on: Packets,
    /// Mean time of sending.
    pub mean_on_ns: u64,
    /// Mean time of silence.
    pub mean_off_ns: u64,
    /// How both times are distributed.
    pub distribution: Distribution,
}

/// How times are distributed around their mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Exponentially.
    Exponential,
    /// All are the mean.
    Fixed,
}

impl Distribution {
    /// All of them, in the order in which help texts list them.
    pub const ALL: [Distribution; 2] = [Distribution::Exponential, Distribution::Fixed];

    /// The name that scenario files use.
    pub fn name(self) -> &'static str {
        match self {
            Distribution::Exponential => "exponential",
            Distribution::Fixed => "fixed",
        }
    }
}
