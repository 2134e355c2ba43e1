//! Periodic losses: every n-th packet is lost. Reno follows the square-root law, CUBIC its response
//! function.

use crate::comparison::{Allowed, Comparison, Quantity, Section};
use crate::formulas::{cubic, square_root};
use crate::scenario_text::{Single, Tcp};

/// Losses in the steady state of a run with Reno, that is, teeth of its sawtooth.
const TEETH: f64 = 100.0;
/// Losses in the steady state of a run with CUBIC.
const CUBIC_TEETH: f64 = 20.0;
/// The share by which an incomplete tooth can change the mean of [`TEETH`] teeth: the measurement
/// ends in the middle of one.
const PART_OF_A_TOOTH: f64 = 0.01;

static SQUARE_ROOT: Section = Section {
    title: "1. Reno, every n-th packet lost",
    formula: "sqrt(3 / (2 b p)), Mathis, Semke, Mahdavi, Ott 1997",
    unit: "packets a round trip",
    reason:
        "a period may be up to 2 + b round trips longer than in the formula: one until the loss \
             is detected, one to repair it, and b because windows and their halves are whole \
             segments; a stack that counts ACKs grows by MSS * MSS / cwnd in whole bytes",
};

static RESPONSE: Section = Section {
    title: "4. CUBIC, every n-th packet lost",
    formula: "max of (C (3 + beta) / (4 (1 - beta)))^(1/4) (RTT / p)^(3/4) and sqrt(3 / (2 p)), \
              RFC 9438, 5.1 and 4.3",
    unit: "packets a round trip",
    reason:
        "a period may be up to three round trips longer, as with Reno; in the cubic region, any \
             window is stable whose loss comes within cbrt(1 / C) = 1.36 s of the plateau, because \
             the curve changes by less than a segment there",
};

/// The minimum share of the predicted rate if each period takes `more_rtts` more round trips. This
/// is a lower bound: it counts no packets for the additional round trips.
fn min_share_with_more_rtts(rtts_between_losses: f64, more_rtts: f64) -> f64 {
    rtts_between_losses / (rtts_between_losses + more_rtts)
}

/// One flow over a path that loses every `every`-th packet.
fn periodic(tcp: Tcp, every: u32, rtt_ms: u32, peak_packets: f64, duration_s: f64) -> Single {
    let (loss, ssthresh_packets) = (
        format!("loss_every = \"{every} packets\""),
        peak_packets as u32,
    );
    Single {
        tcp,
        rtt_ms,
        loss,
        ssthresh_packets,
        duration_s,
        repeat: 1,
    }
}

/// Section 1: Reno with periodic losses.
pub fn square_root_law() -> Vec<Comparison> {
    let stacks = [
        ("lite, ACK of each segment", Single::LITE, 1.0),
        ("lite, delayed ACKs", Single::LITE_DELAYED, 2.0),
        ("linux, delayed ACKs", Single::LINUX, 1.0),
    ];
    let losses =
        [100u32, 300, 1_000, 10_000].map(|every| [20u32, 200].map(|rtt_ms| (every, rtt_ms)));
    let row = |(name, tcp, b): (&str, Tcp, f64), (every, rtt_ms): (u32, u32)| {
        let (p, rtt_s) = (1.0 / f64::from(every), f64::from(rtt_ms) / 1000.0);
        let (predicted, rtts) = (
            square_root::packets_per_rtt(p, b),
            square_root::rtts_between_losses(p, b),
        );
        // The window of the lite stack grows by MSS * MSS / cwnd, rounded down to a byte.
        let whole_bytes = if tcp.stack == "lite" {
            (1.0 - predicted / f64::from(Single::MSS_BYTES)).sqrt()
        } else {
            1.0
        };
        let duration_s = TEETH * (rtts + 2.0) * rtt_s / 0.9;
        Comparison {
            section: &SQUARE_ROOT,
            what: format!("{name}, p = 1/{every}, {rtt_ms} ms"),
            scenario: periodic(
                tcp,
                every,
                rtt_ms,
                square_root::peak_window(p, b),
                duration_s,
            )
            .scenario("periodic-loss"),
            warm_up: 0.1,
            quantity: Quantity::PacketsPerRtt(rtt_s),
            predicted,
            allowed: Allowed::Shares(
                min_share_with_more_rtts(rtts, 2.0 + b) * whole_bytes - PART_OF_A_TOOTH,
                1.0 + PART_OF_A_TOOTH,
            ),
            is_quick: every <= 300,
        }
    };
    let losses = losses.as_flattened();
    stacks
        .into_iter()
        .flat_map(|stack| losses.iter().map(move |loss| row(stack, *loss)))
        .collect()
}

/// Section 4: CUBIC with periodic losses.
pub fn cubic_response() -> Vec<Comparison> {
    let settings = [
        (300u32, 20u32),
        (3_000, 20),
        (10_000, 100),
        (30_000, 100),
        (10_000, 400),
        (100_000, 100),
    ];
    settings
        .into_iter()
        .map(|(every, rtt_ms)| response(every, rtt_ms))
        .collect()
}

fn response(every: u32, rtt_ms: u32) -> Comparison {
    let (p, rtt_s) = (1.0 / f64::from(every), f64::from(rtt_ms) / 1000.0);
    let predicted = cubic::packets_per_rtt(cubic::C, p, rtt_s);
    let rtts = 1.0 / (p * predicted);
    let is_friendly = predicted == cubic::reno_friendly_region(p);
    let [min, max] = match is_friendly {
        true => [min_share_with_more_rtts(rtts, 3.0), 1.0],
        false => cubic::stationary_range(cubic::C, p, rtt_s, 3.0),
    };
    let region = if is_friendly {
        "Reno-friendly"
    } else {
        "cubic"
    };
    let duration_s = CUBIC_TEETH * (rtts + 2.0) * rtt_s / 0.8;
    Comparison {
        section: &RESPONSE,
        what: format!("{region} region, p = 1/{every}, {rtt_ms} ms"),
        scenario: periodic(Single::LINUX_CUBIC, every, rtt_ms, predicted, duration_s)
            .scenario("cubic"),
        warm_up: 0.2,
        quantity: Quantity::PacketsPerRtt(rtt_s),
        predicted,
        allowed: Allowed::Shares(min - PART_OF_A_TOOTH, max + PART_OF_A_TOOTH),
        is_quick: every <= 3_000,
    }
}
