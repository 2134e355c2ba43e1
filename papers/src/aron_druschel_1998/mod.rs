//! M. Aron, P. Druschel: TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control.
//! Rice University TR98-318, 1998.

mod pacing;
mod rto;
mod timers;
mod wan;

use crate::{Ledger, Paper, Part, Settings};
use onramp_scenario::Case;

/// The paper and how it is measured.
pub fn paper() -> Paper {
    Paper {
        ledger: Ledger::read(include_str!("paper.toml")),
        parts: PARTS,
        kernel: KERNEL,
        kernel_figures: None,
    }
}

const PARTS: &[Part] = &[
    Part {
        ids: &["A.fig3", "A.fig4", "A.fig5"],
        title: "Eight transfers of TCP Lite over the WAN (section 3)",
        quick: false,
        scenarios: &["wan"],
        measure: wan::measure,
    },
    Part {
        ids: &["A.fig6"],
        title: "Retransmission timeouts from the paper's round trips (section 4.1)",
        quick: true,
        scenarios: &[],
        measure: rto::measure,
    },
    Part {
        ids: &["A.fig7"],
        title: "A second sender on the T1 link (section 5.1.1)",
        quick: true,
        scenarios: &["t1"],
        measure: timers::measure_t1,
    },
    Part {
        ids: &["A.fig8"],
        title: "An eighth sender on the WAN (section 5.1.2)",
        quick: false,
        scenarios: &["wan-late"],
        measure: timers::measure_wan,
    },
    Part {
        ids: &["A.fig9"],
        title: "One transfer over the satellite (section 5.2.1)",
        quick: true,
        scenarios: &["satellite"],
        measure: pacing::measure_satellite,
    },
    Part {
        ids: &["A.fig10"],
        title: "Eight transfers with ssthresh estimation and pacing over the WAN (section 5.2.2)",
        quick: false,
        scenarios: &["wan"],
        measure: pacing::measure_wan,
    },
];

/// Both networks with today's TCP.
const KERNEL: &[&str] = &[
    include_str!("satellite-paper.toml"),
    include_str!("wan-paper.toml"),
];

/// Figure 1: the high-speed WAN.
const WAN: &str = include_str!("wan.toml");

/// See the notes of A.fig3.data.
const KB: f64 = 1e3;
const MB: f64 = 1e6;

/// The three kinds of timers that the paper compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timing {
    /// 4.4BSD's timers.
    Original,
    /// With the scaling of Brakmo & Peterson.
    Brakmo,
    /// The paper's: measured by a clock of 1 ms, scheduled by one of 500 ms.
    Proposed,
}

impl Timing {
    const ALL: [Timing; 3] = [Timing::Original, Timing::Brakmo, Timing::Proposed];

    /// Its name in the paper's figures.
    fn name(self) -> &'static str {
        match self {
            Timing::Original => "orig-timer",
            Timing::Brakmo => "Brakmo & Peterson",
            Timing::Proposed => "prop-timer",
        }
    }

    fn settings(self) -> Settings {
        match self {
            Timing::Original => timers("bsd"),
            Timing::Brakmo => timers("brakmo"),
            Timing::Proposed => decoupled("500 ms"),
        }
    }
}

fn timers(name: &'static str) -> Settings {
    Settings::of([("transfer.timers", name), ("traffic.timers", name)])
}

/// The paper's timers on a host that measures time in steps of 1 ms, as all its proposals do
/// (section 5), and schedules events with this tick.
fn decoupled(tick: &'static str) -> Settings {
    let clocks = [
        ("transfer.clock", "1 ms"),
        ("traffic.clock", "1 ms"),
        ("transfer.tick", tick),
        ("traffic.tick", tick),
    ];
    timers("decoupled").and(&Settings::of(clocks))
}

/// The decided recovery of TCP Lite, for `wan.toml`, which has another one. This folder's own files
/// have it already.
fn lite() -> Settings {
    Settings::of([
        ("transfer.recovery", "careful-reno"),
        ("traffic.recovery", "careful-reno"),
    ])
}

/// The decided receivers of section 5, for `wan.toml`. This folder's own files have them already.
fn every_second() -> Settings {
    Settings::of([("receiver.timestamps", false)])
}

/// The maximum payload rate of the bottleneck, which is each scenario's first link, in bytes per
/// second.
fn payload_rate(case: &Case) -> f64 {
    let link = &case.network.links[0];
    let headers_bytes = if case.receiver.timestamps { 52 } else { 40 };
    let share = f64::from(link.mtu_bytes - headers_bytes) / f64::from(link.mtu_bytes);
    link.forward.rate_bits_per_s as f64 / 8.0 * share
}
