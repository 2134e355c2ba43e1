//! Random losses: the model of Padhye et al., and the square-root law with its constant for random
//! losses.

use crate::comparison::{Allowed, Comparison, Quantity, Section};
use crate::formulas::{padhye::Path, square_root};
use crate::scenario_text::{Single, Tcp};

const RTT_MS: u32 = 200;
const RTT_S: f64 = 0.2;
/// The minimum RTO of RFC 6298. It is far above the round-trip time and its variation. With a fine
/// clock, each series of timeouts begins with this RTO.
const TIMEOUT_S: f64 = 1.0;
/// Losses in all runs of a row. This many are needed because the standard deviation of a period's
/// length is about as large as its mean.
const LOSSES: f64 = 2000.0;
const SEEDS: u32 = 4;
/// Tolerance for chance, as a share: two standard errors.
const CHANCE: f64 = 0.03;
/// The mean window with independent losses over that with periodic ones: 1.3098 / sqrt(3 / 2).
const INDEPENDENT: f64 = 1.0694;

static SQUARE_ROOT: Section = Section {
    title: "2a. Reno, packets lost at random and rarely",
    formula: "1.31 / sqrt(b p), Mathis, Semke, Mahdavi, Ott 1997, table 1",
    unit: "packets a round trip",
    reason: "a period may be up to 2 + b round trips longer than in the formula, as with periodic \
             losses; chance 3 %",
};

static PADHYE: Section = Section {
    title: "2b. Reno with timeouts, packets lost at random",
    formula: "equation 31 with T0 = 1 s, Padhye, Firoiu, Towsley, Kurose 1998",
    unit: "packets sent in a round trip",
    reason: "below: a period may be up to 2 + b round trips longer than in the model; above: the \
             model's mean window is that of periodic losses, 7 % less than that of independent \
             ones; chance 3 %",
};

/// Section 2a: rare random losses.
pub fn square_root_law() -> Vec<Comparison> {
    let row = |(per_10_000, b): (u32, f64)| {
        let p = f64::from(per_10_000) / 10_000.0;
        let predicted = square_root::packets_per_rtt_random_loss(p, b);
        let min = 1.0 / (1.0 + (2.0 + b) * p * predicted) - CHANCE;
        let allowed = Allowed::Shares(min, 1.0 + CHANCE);
        row(&SQUARE_ROOT, "newreno", per_10_000, b, predicted, allowed)
    };
    [(10u32, 1.0), (10, 2.0)].into_iter().map(row).collect()
}

/// Section 2b: random losses frequent enough for timeouts. Only recovery `reno`, which the model
/// describes, is judged.
pub fn padhye() -> Vec<Comparison> {
    let all = [10u32, 30, 100, 200, 300, 500];
    let mut rows: Vec<Comparison> = [1.0, 2.0]
        .into_iter()
        .flat_map(|b| all.into_iter().map(move |share| model("reno", share, b)))
        .collect();
    let not_modelled = ["newreno", "sack", "rack"].into_iter();
    rows.extend(not_modelled.flat_map(|recovery| {
        [100, 500]
            .into_iter()
            .map(move |share| model(recovery, share, 1.0))
    }));
    rows
}

fn model(recovery: &'static str, per_10_000: u32, b: f64) -> Comparison {
    let p = f64::from(per_10_000) / 10_000.0;
    let predicted = Path {
        rtt_s: RTT_S,
        timeout_s: TIMEOUT_S,
        b,
    }
    .packets_per_s(p)
        * RTT_S;
    let min = 1.0 / (1.0 + (2.0 + b) * p * predicted) - CHANCE;
    let allowed = match recovery {
        "reno" => Allowed::Shares(min, INDEPENDENT + CHANCE),
        _ => Allowed::Anything,
    };
    row(&PADHYE, recovery, per_10_000, b, predicted, allowed)
}

fn row(
    section: &'static Section,
    recovery: &'static str,
    per_10_000: u32,
    b: f64,
    predicted: f64,
    allowed: Allowed,
) -> Comparison {
    let p = f64::from(per_10_000) / 10_000.0;
    // The lite stack has no SACK. The linux stack counts segments instead of ACKs, which makes no
    // difference where each segment is acknowledged.
    let sack = matches!(recovery, "sack" | "rack");
    let stack = if sack { "linux" } else { "lite" };
    let acks = if b == 1.0 { "every" } else { "delayed" };
    let single = Single {
        tcp: Tcp {
            stack,
            recovery,
            timers: "rfc6298",
            acks,
            avoidance: "reno",
            sack,
        },
        rtt_ms: RTT_MS,
        loss: format!("loss = \"{} %\"", f64::from(per_10_000) / 100.0),
        ssthresh_packets: square_root::peak_window(p, b) as u32,
        duration_s: LOSSES / f64::from(SEEDS) / p / predicted * RTT_S / 0.95,
        repeat: SEEDS,
    };
    Comparison {
        section,
        what: format!("{recovery}, b = {b}, p = {p}"),
        scenario: single.scenario("random-loss"),
        warm_up: 0.05,
        quantity: Quantity::PacketsPerRtt(RTT_S),
        predicted,
        allowed,
        is_quick: per_10_000 >= 300 && recovery == "reno",
    }
}
