//! The networks, timers and settings that the parts share.

use crate::{Ledger, Settings};
use onramp_scenario::{Case, Framing};

/// Figure 1: the high-speed WAN.
pub(super) const WAN: &str = include_str!("wan.toml");

/// Figure 2 with a round trip of 580 ms: the satellite network.
pub(super) const SATELLITE: &str = include_str!("satellite.toml");

/// The paper's numbers.
pub(super) fn ledger() -> Ledger {
    Ledger::read(include_str!("paper.toml"))
}

/// See the notes of A.fig3.data.
pub(super) const KB: f64 = 1e3;
pub(super) const MB: f64 = 1e6;

/// The three kinds of timers that the paper compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timing {
    /// 4.4BSD's timers.
    Original,
    /// With the scaling of Brakmo & Peterson.
    Brakmo,
    /// The paper's: measured by a clock of 1 ms, scheduled by one of 500 ms.
    Proposed,
}

impl Timing {
    pub(super) const ALL: [Timing; 3] = [Timing::Original, Timing::Brakmo, Timing::Proposed];

    /// Its name in the paper's figures.
    pub(super) fn name(self) -> &'static str {
        match self {
            Timing::Original => "orig-timer",
            Timing::Brakmo => "Brakmo & Peterson",
            Timing::Proposed => "prop-timer",
        }
    }

    pub(super) fn settings(self) -> Settings {
        match self {
            Timing::Original => timers("bsd"),
            Timing::Brakmo => timers("brakmo"),
            Timing::Proposed => decoupled("500 ms"),
        }
    }
}

pub(super) fn timers(name: &'static str) -> Settings {
    Settings::of([("transfer.timers", name), ("traffic.timers", name)])
}

/// The paper's timers on a host that measures time in steps of 1 ms, as all its proposals do
/// (section 5), and schedules events with this tick.
pub(super) fn decoupled(tick: &'static str) -> Settings {
    let clocks = [
        ("transfer.clock", "1 ms"),
        ("traffic.clock", "1 ms"),
        ("transfer.tick", tick),
        ("traffic.tick", tick),
    ];
    timers("decoupled").and(&Settings::of(clocks))
}

/// The decided TCP Lite and its receivers, for `wan.toml`, which has others. This folder's own
/// files have them already.
pub(super) fn lite() -> Settings {
    let recovery = [("transfer.recovery", "reno"), ("traffic.recovery", "reno")];
    Settings::of(recovery).and(&Settings::of([("receiver.timestamps", false)]))
}

/// The maximum rate of useful data over the bottleneck, which is each scenario's first link, in
/// bytes per second. Of packets it is their TCP payload. Of ATM cells it is what the cells carry:
/// both columns of figure 3 have this maximum.
pub(super) fn payload_rate(case: &Case) -> f64 {
    let link = &case.network.links[0];
    let bytes_per_s = link.forward.packet_bits_per_s() as f64 / 8.0;
    match link.forward.framing {
        Framing::Packets => {
            let headers_bytes = if case.receiver.timestamps { 52 } else { 40 };
            bytes_per_s * f64::from(link.mtu_bytes - headers_bytes) / f64::from(link.mtu_bytes)
        }
        Framing::Aal5 | Framing::Aal5Snap => bytes_per_s,
    }
}
