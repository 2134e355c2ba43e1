//! "one could consider the following naive approach" (section 4.2): the measured bandwidth-delay
//! product is sent at once.

use super::pacing::{at_lengths, original, proposed, Line};
use super::setup::{SATELLITE, WAN};
use crate::watch::Flow;
use crate::{Bench, Error, Measured, Run, Settings, Watch};

/// The satellite's pipe: 1.5 Mbit/s times 580 ms, in packets of 512 bytes.
const SATELLITE_SEGMENTS: u64 = 212;
/// A sender's share of the WAN's pipe, 145 KB (section 3.3), in packets of 1500 bytes.
const WAN_SEGMENTS: u64 = 96;

/// A sender that is told the bandwidth-delay product: ssthresh and the first window are both that.
/// Its host takes the burst, which then leaves "at the capacity of the network link adjacent to the
/// sending host".
fn naive(segments: u64, payload_bytes: u64) -> Settings {
    original().and(&Settings::of([
        ("transfer.initial_window", format!("{segments} segments")),
        (
            "transfer.initial_ssthresh",
            format!("{} B", segments * payload_bytes),
        ),
    ]))
}

/// What became of the burst.
struct Burst {
    /// Percentage of its segments that were dropped.
    lost: f64,
    /// Whether a sender's timer expired.
    timed_out: bool,
}

impl Burst {
    fn of(run: &Run<'_>, rtt_s: f64) -> Burst {
        let flows = &run.watch.flows;
        let in_burst = |flow: &Flow, at_s: f64| {
            let first_s = flow.sent.first().map_or(f64::NAN, |(at_s, _)| *at_s);
            at_s < first_s + rtt_s
        };
        let sent = flows.iter().flat_map(|flow| {
            let burst = flow.sent.iter();
            burst.filter(move |(at_s, _)| in_burst(flow, *at_s))
        });
        let lost = flows.iter().flat_map(|flow| {
            let drops = flow.drops_s.iter();
            drops.filter(move |at_s| in_burst(flow, **at_s))
        });
        Burst {
            lost: 100.0 * lost.count() as f64 / sent.count() as f64,
            timed_out: flows.iter().any(|flow| !flow.timeouts.is_empty()),
        }
    }
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let watch = Watch::with_windows();
    let satellite =
        naive(SATELLITE_SEGMENTS, 472).and(&Settings::of([("link[1].queue", "1000 packets")]));
    let alone = bench.run(SATELLITE, &satellite, &watch, |run| Burst::of(&run, 0.58))?;
    let second = Settings::of([("run.duration", "1 s")]);
    let eight = naive(WAN_SEGMENTS, 1460).and(&second);
    let eight = bench.run(WAN, &eight, &watch, |run| Burst::of(&run, 0.06))?;
    let mut measured = Measured::default();
    let lost = |bursts: &[Burst]| -> Vec<f64> { bursts.iter().map(|burst| burst.lost).collect() };
    measured.numbers("A.naive.satellite", lost(&alone));
    measured.numbers("A.naive.wan", lost(&eight));
    measured.answers("A.naive.timeout", alone.iter().map(|burst| burst.timed_out));
    if bench.draws() {
        let line = |label, settings: &Settings| {
            Line::run(bench, SATELLITE, label, settings, &Watch::default())
        };
        let lines = [
            line("the burst of the whole pipe", &satellite)?,
            line("orig-Lite-500ms", &original())?,
            line("prop-Lite-10ms", &proposed("10 ms"))?,
        ];
        let [burst, lite, paced] = &lines;
        measured
            .remarks
            .push(at_lengths(&[burst, lite, paced], &[1.0, 2.0, 5.0, 30.0]));
    }
    Ok(measured)
}
