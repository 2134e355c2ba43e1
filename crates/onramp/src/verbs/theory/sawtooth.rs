//! One Reno flow through a drop-tail queue: how much of the link it uses, and how long a tooth
//! lasts.

use super::comparison::{Allowed, Comparison, Quantity, Section};
use super::text::{Single, Tcp};
use onramp_model::sawtooth as model;

const RTT_MS: u32 = 100;
/// The bandwidth-delay product.
const PATH_PACKETS: u32 = 200;
/// With the packet in service, which is not in the queue.
const HELD_PACKETS: f64 = 201.0;
/// Propagation and that packet's serialisation.
const RTT_S: f64 = 0.1 * 201.0 / 200.0;
const RATE_BYTES_PER_S: u32 = PATH_PACKETS * 1500 * 1000 / RTT_MS;
/// Periods in the steady state.
const TEETH: f64 = 20.0;
/// Round trips of a period that the formula has not: one until the loss is found, in which the
/// window grows once more and a second packet is lost; one to repair each of the two; one for whole
/// segments.
const MORE_RTTS: f64 = 4.0;

static UTILISATION: Section = Section {
    title: "5a. Reno through a drop-tail queue: the link's use",
    formula: "3/4 (1+q)^2 / (1 + q + q^2) for a queue of q < 1 bdp, else 1; onramp-model, sawtooth.rs",
    unit: "share of the rate",
    reason: "up to four round trips a period more than in the formula (see 5b), at half to all of the rate",
};

static PERIOD: Section = Section {
    title: "5b. Reno through a drop-tail queue: the sawtooth's period",
    formula: "(1 + q + q^2) / 2 bdp for q < 1, else 3/8 (1+q)^2 bdp, one packet a round trip",
    unit: "round trips without queueing",
    reason: "up to four round trips more than in the formula, with the queue full: until the loss is found, when the \
             window has grown once more and a second packet is lost; two to repair both; whole segments. lite, which is not \
             judged, grows by whole bytes of MSS * MSS / cwnd: up to a third less at 500 packets",
};

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
    let off = MORE_RTTS * (1.0 + q) / model::period_rtts(q, HELD_PACKETS) / 2.0;
    let row = Comparison {
        section: &UTILISATION,
        quantity: Quantity::Utilisation(f64::from(RATE_BYTES_PER_S)),
        predicted: model::utilisation(q),
        allowed: Allowed::Shares(1.0 - off, 1.0 + off),
        ..period("linux", Single::LINUX, percent)
    };
    Comparison {
        quick: percent <= 5,
        ..row
    }
}

fn period(name: &str, tcp: Tcp, percent: u32) -> Comparison {
    let q = queue_share(percent);
    let predicted = model::period_rtts(q, HELD_PACKETS);
    let most = 1.0 + MORE_RTTS * (1.0 + q) / predicted;
    Comparison {
        section: &PERIOD,
        what: format!("{name}, queue of {} bdp", f64::from(percent) / 100.0),
        scenario: scenario(
            tcp,
            PATH_PACKETS * percent / 100,
            TEETH * predicted * RTT_S / 0.8,
        ),
        warm_up: 0.2,
        quantity: Quantity::PeriodRtts(RTT_S),
        predicted,
        allowed: if name == "linux" {
            Allowed::Shares(0.99, most)
        } else {
            Allowed::Anything
        },
        quick: percent <= 5,
    }
}

/// q such that (1 + q) of the path is the window whose last packet finds no room.
fn queue_share(percent: u32) -> f64 {
    f64::from(PATH_PACKETS * percent / 100 + 1) / HELD_PACKETS
}

fn scenario(tcp: Tcp, queue_packets: u32, duration_s: f64) -> String {
    let rate_bits_per_s = RATE_BYTES_PER_S * 8;
    let duration_ms = (duration_s * 1000.0).ceil();
    let ssthresh_bytes = PATH_PACKETS / 2 * Single::MSS_BYTES;
    format!(
        "name = \"theory-sawtooth\"\n\
         \n[run]\nduration = \"{duration_ms} ms\"\n\
         \n[path]\nrate = \"{rate_bits_per_s} bit/s\"\nrtt = \"{RTT_MS} ms\"\nqueue = \"{queue_packets} packets\"\n\
         {}initial_ssthresh = \"{ssthresh_bytes} B\"\n",
        tcp.tables()
    )
}
