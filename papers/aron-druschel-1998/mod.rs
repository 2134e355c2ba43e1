//! M. Aron, P. Druschel: TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control. Rice University
//! TR98-318, 1998.

mod pacing;
mod rto;
mod timers;
mod wan;

use crate::{Ledger, Paper, Part, Settings};

/// The paper and how it is measured.
pub fn paper() -> Paper {
    Paper { ledger: Ledger::read(include_str!("paper.toml")), parts: PARTS, kernel: KERNEL }
}

const PARTS: &[Part] = &[
    Part {
        ids: &["A.fig3", "A.fig4", "A.fig5"],
        title: "Eight transfers of TCP Lite over the WAN (section 3)",
        quick: false,
        closed: false,
        measure: wan::measure,
    },
    Part {
        ids: &["A.fig6"],
        title: "Retransmission timeouts from the paper's round trips (section 4.1)",
        quick: true,
        closed: true,
        measure: rto::measure,
    },
    Part {
        ids: &["A.fig7"],
        title: "A second sender on the T1 link (section 5.1.1)",
        quick: true,
        closed: false,
        measure: timers::measure_t1,
    },
    Part {
        ids: &["A.fig8"],
        title: "An eighth sender on the WAN (section 5.1.2)",
        quick: false,
        closed: false,
        measure: timers::measure_wan,
    },
    Part {
        ids: &["A.fig9"],
        title: "One transfer over the satellite (section 5.2.1)",
        quick: true,
        closed: false,
        measure: pacing::measure_satellite,
    },
    Part {
        ids: &["A.fig10"],
        title: "Eight transfers with ssthresh estimation and pacing over the WAN (section 5.2.2)",
        quick: false,
        closed: false,
        measure: pacing::measure_wan,
    },
];

/// Both networks with the TCP of today.
const KERNEL: &[&str] =
    &[include_str!("../../scenarios/satellite-paper.toml"), include_str!("../../scenarios/wan-paper.toml")];

/// Figure 1: the high-speed WAN.
const WAN: &str = include_str!("../../scenarios/wan.toml");

/// The paper's timers: one of three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timing {
    /// 4.4BSD's.
    Original,
    /// With the scaling of Brakmo & Peterson.
    Brakmo,
    /// Measured by a clock of 1 ms, scheduled by one of 500 ms.
    Proposed,
}

impl Timing {
    const ALL: [Timing; 3] = [Timing::Original, Timing::Brakmo, Timing::Proposed];

    /// As the paper's figures call it.
    fn name(self) -> &'static str {
        match self {
            Timing::Original => "orig-timer",
            Timing::Brakmo => "Brakmo & Peterson",
            Timing::Proposed => "prop-timer",
        }
    }

    fn settings(self) -> Settings {
        match self {
            Timing::Original => Settings::of([("transfer.timers", "bsd"), ("traffic.timers", "bsd")]),
            Timing::Brakmo => Settings::of([("transfer.timers", "brakmo"), ("traffic.timers", "brakmo")]),
            Timing::Proposed => {
                Settings::of([("transfer.timers", "decoupled"), ("traffic.timers", "decoupled")]).and(&host("500 ms"))
            }
        }
    }
}

/// A host that measures with 1 ms, as all of the paper's proposals do (section 5), and schedules with this tick.
fn host(tick: &'static str) -> Settings {
    Settings::of([
        ("transfer.clock", "1 ms"),
        ("traffic.clock", "1 ms"),
        ("transfer.tick", tick),
        ("traffic.tick", tick),
    ])
}

/// What a link carries of payload, in bytes a second, when it is full of the transfer's largest packets.
fn payload_rate(case: &onramp_scenario::Case, link: usize) -> f64 {
    let link = &case.network.links[link];
    let headers_bytes = if case.receiver.timestamps { 52 } else { 40 };
    let share = f64::from(link.mtu_bytes - headers_bytes) / f64::from(link.mtu_bytes);
    link.forward.rate_bits_per_s as f64 / 8.0 * share
}
