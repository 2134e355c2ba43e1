//! Two flows with different round-trip times share one queue.

use crate::comparison::{Allowed, Comparison, Quantity, Section};
use crate::formulas::rtt_bias;
use crate::scenario_text::{Single, Tcp};

const SEEDS: u32 = 8;
/// Tolerance for chance: two standard errors of the ratio of the rates.
const CHANCE: f64 = 0.15;
/// One-way delay of the bottleneck. The access links have the rest of the round-trip time.
const BOTTLENECK_US: u32 = 5_000;

static SECTION: Section = Section {
    title: "3. Two flows through one queue, round trips r : 1",
    formula: "k in rate ~ (1/RTT)^k. Reno: 1 (every packet has the same loss probability) to 2 \
              (both flows lose at the same moments), Lakshman and Madhow 1997. CUBIC: 1/4 to 1. \
              The table shows the bound that the queue is nearer to",
    unit: "exponent; with 1 : 1, share of the first flow",
    reason: "a queue lies between the two bounds: RED is nearer to the first, a full drop-tail \
             queue nearer to the second; chance 15 % in the ratio of the rates",
};

/// The avoidance, the round-trip time of the shorter flow, and the bottleneck. CUBIC leaves its
/// Reno-friendly region at windows above about (1.16 / RTT)^3 / 3 packets: 600 packets with an RTT
/// of 20 ms, and 50 packets with 100 ms.
#[derive(Clone, Copy)]
struct Setting {
    avoidance: &'static str,
    tcp: Tcp,
    short_ms: u32,
    rate_mbit_per_s: u32,
    drop_tail_packets: u32,
    duration_s: u32,
    /// The exponents of the two bounds: the minimum and the maximum.
    bounds: [f64; 2],
}

/// Section 3.
pub fn rtt_bias() -> Vec<Comparison> {
    let reno = Setting {
        avoidance: "reno",
        tcp: Single::LINUX,
        short_ms: 20,
        rate_mbit_per_s: 24,
        drop_tail_packets: 50,
        duration_s: 200,
        bounds: [
            rtt_bias::equal_loss_rate_reno(),
            rtt_bias::synchronised_loss_reno(),
        ],
    };
    let cubic = Setting {
        avoidance: "cubic",
        tcp: Single::LINUX_CUBIC,
        short_ms: 100,
        rate_mbit_per_s: 48,
        drop_tail_packets: 100,
        duration_s: 250,
        bounds: [
            rtt_bias::equal_loss_rate_cubic(),
            rtt_bias::synchronised_loss_cubic(),
        ],
    };
    let mut rows = Vec::new();
    for setting in [reno, cubic] {
        for discipline in ["drop-tail", "red"] {
            rows.extend([1, 2, 4, 8].map(|ratio| row(&setting, discipline, ratio)));
        }
    }
    rows
}

fn row(setting: &Setting, discipline: &str, ratio: u32) -> Comparison {
    let [min, max] = setting.bounds;
    let (quantity, predicted, allowed) = match ratio {
        1 => (
            Quantity::FirstShare,
            0.5,
            Allowed::Values(0.5 - CHANCE / 4.0, 0.5 + CHANCE / 4.0),
        ),
        _ => {
            let predicted = if discipline == "red" { min } else { max };
            let chance = CHANCE / f64::from(ratio).ln();
            (
                Quantity::RttExponent,
                predicted,
                Allowed::Values(min - chance, max + chance),
            )
        }
    };
    Comparison {
        section: &SECTION,
        what: format!("{}, {discipline}, {ratio} : 1", setting.avoidance),
        scenario: scenario(setting, discipline, ratio),
        warm_up: 0.2,
        quantity,
        predicted,
        allowed,
        is_quick: false,
    }
}

/// The bottleneck is the first link. The access links have jitter of at most the time of one
/// packet. Without it, the packets of the flows would arrive at the full queue in a fixed pattern
/// (S. Floyd, V. Jacobson: On Traffic Phase Effects in Packet-Switched Gateways, 1992).
fn scenario(setting: &Setting, discipline: &str, ratio: u32) -> String {
    let Setting {
        tcp,
        short_ms,
        rate_mbit_per_s,
        drop_tail_packets,
        duration_s,
        ..
    } = setting;
    let nodes: String = ["left", "right", "near", "far"]
        .map(|name| format!("\n[[node]]\nname = \"{name}\"\n"))
        .concat();
    let queue = match discipline {
        "red" => "queue = \"500 packets\"\ndiscipline = \"red\"\n\
                  \n[link.red]\nmin = \"25 packets\"\nmax = \"125 packets\"\n\
                  probability = \"10 %\"\n"
            .to_owned(),
        _ => format!("queue = \"{drop_tail_packets} packets\"\n"),
    };
    let access = |from: &str, rtt_ms: u32| {
        let delay_us = rtt_ms * 500 - BOTTLENECK_US;
        format!(
            "\n[[link]]\nfrom = \"{from}\"\nto = \"left\"\nrate = \"1 Gbit/s\"\n\
             delay = \"{delay_us} us\"\n\
             queue = \"10000 packets\"\njitter = \"500 us\"\n"
        )
    };
    format!(
        "name = \"theory-two-round-trips\"\n\
         \n[run]\nduration = \"{duration_s} s\"\n{nodes}\
         \n[[link]]\nfrom = \"left\"\nto = \"right\"\nrate = \"{rate_mbit_per_s} Mbit/s\"\n\
         delay = \"{BOTTLENECK_US} us\"\n{queue}\
         {}{}{}initial_ssthresh = \"30 kB\"\nfrom = [\"near\", \"far\"]\nto = [\"right\"]\n\
         count = 2\nrepeat = {SEEDS}\n",
        access("near", *short_ms),
        access("far", short_ms * ratio),
        tcp.tables(),
    )
}
