//! One Reno flow through a drop-tail queue: the utilisation of the link, and the period of the
//! sawtooth.

use crate::comparison::{Allowed, Comparison, Quantity, Section};
use crate::formulas::sawtooth as model;
use crate::scenario_text::{Single, Tcp};

const RTT_MS: u32 = 100;
/// The BDP in packets.
const BDP_PACKETS: u32 = 200;
/// The BDP and the packet that is being sent, which is not in the queue.
const PIPE_PACKETS: f64 = 201.0;
/// Propagation delay and the serialisation of one packet, in seconds.
const RTT_S: f64 = 0.1 * 201.0 / 200.0;
const RATE_BYTES_PER_S: u32 = BDP_PACKETS * 1500 * 1000 / RTT_MS;
/// Periods of the sawtooth in the steady state.
const TEETH: f64 = 20.0;
/// Round trips of a period that the formula does not have. One passes until the loss is detected:
/// the window grows once more in it, and a second packet is lost. One round trip repairs each of
/// the two losses. One is for windows that are whole segments.
const MORE_RTTS: f64 = 4.0;

static UTILISATION: Section = Section {
    title: "5a. Reno through a drop-tail queue: the link's use",
    formula: "3/4 (1+q)^2 / (1 + q + q^2) for a queue of q < 1 bdp, else 1; \
              formulas/sawtooth.rs",
    unit: "share of the rate",
    reason:
        "a period may be up to four round trips longer than in the formula (see 5b), at half to \
             all of the rate",
};

static PERIOD: Section = Section {
    title: "5b. Reno through a drop-tail queue: the sawtooth's period",
    formula: "(1 + q + q^2) / 2 bdp for q < 1, else 3/8 (1+q)^2 bdp, one packet a round trip",
    unit: "round trips without queueing",
    reason:
        "up to four round trips more than in the formula, with a full queue: one until the loss \
             is detected, in which the window grows once more and a second packet is lost; two to \
             repair both; one because windows are whole segments. lite is not judged: it grows by \
             MSS * MSS / cwnd in whole bytes, up to a third less at 500 packets",
};

/// Sections 5a and 5b.
pub fn sawtooth() -> Vec<Comparison> {
    let queues = [5u32, 10, 25, 50, 75, 100, 150];
    let mut rows: Vec<Comparison> = queues.into_iter().map(utilisation).collect();
    rows.extend(
        queues
            .into_iter()
            .map(|percent| period("linux", Single::LINUX, percent)),
    );
    rows.extend(
        [25, 150]
            .into_iter()
            .map(|percent| period("lite", Single::LITE, percent)),
    );
    rows
}

fn utilisation(percent: u32) -> Comparison {
    let q = queue_share(percent);
    let tolerance = MORE_RTTS * (1.0 + q) / model::period_rtts(q, PIPE_PACKETS) / 2.0;
    let row = Comparison {
        section: &UTILISATION,
        quantity: Quantity::Utilisation(f64::from(RATE_BYTES_PER_S)),
        predicted: model::utilisation(q),
        allowed: Allowed::Shares(1.0 - tolerance, 1.0 + tolerance),
        ..period("linux", Single::LINUX, percent)
    };
    Comparison {
        is_quick: percent <= 5,
        ..row
    }
}

fn period(name: &str, tcp: Tcp, percent: u32) -> Comparison {
    let q = queue_share(percent);
    let predicted = model::period_rtts(q, PIPE_PACKETS);
    let max = 1.0 + MORE_RTTS * (1.0 + q) / predicted;
    Comparison {
        section: &PERIOD,
        what: format!("{name}, queue of {} bdp", f64::from(percent) / 100.0),
        scenario: scenario(
            tcp,
            BDP_PACKETS * percent / 100,
            TEETH * predicted * RTT_S / 0.8,
        ),
        warm_up: 0.2,
        quantity: Quantity::PeriodRtts(RTT_S),
        predicted,
        allowed: if name == "linux" {
            Allowed::Shares(0.99, max)
        } else {
            Allowed::Anything
        },
        is_quick: percent <= 5,
    }
}

/// The q of the formulas: with a window of (1 + q) BDP, the last packet finds no room in the queue.
fn queue_share(percent: u32) -> f64 {
    f64::from(BDP_PACKETS * percent / 100 + 1) / PIPE_PACKETS
}

fn scenario(tcp: Tcp, queue_packets: u32, duration_s: f64) -> String {
    let rate_bits_per_s = RATE_BYTES_PER_S * 8;
    let duration_ms = (duration_s * 1000.0).ceil();
    let ssthresh_bytes = BDP_PACKETS / 2 * Single::MSS_BYTES;
    format!(
        "name = \"theory-sawtooth\"\n\
         \n[run]\nduration = \"{duration_ms} ms\"\n\
         \n[path]\nrate = \"{rate_bits_per_s} bit/s\"\nrtt = \"{RTT_MS} ms\"\n\
         queue = \"{queue_packets} packets\"\n\
         {}initial_ssthresh = \"{ssthresh_bytes} B\"\n",
        tcp.tables()
    )
}
