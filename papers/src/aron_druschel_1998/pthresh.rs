//! "transmitting pthresh's worth of data in the network would not even increase the queue occupancy
//! at the routers" (section 4.2.1).

use super::pacing::proposed;
use super::setup::{payload_rate, SATELLITE};
use crate::{Bench, Error, Measured, Run, Watch};
use onramp_core::PHASE_PACING;

/// "if bandwidth is estimated correctly": within the 10 % by which two of the paper's estimates
/// agree.
const CORRECT: f64 = 0.1;

/// The satellite's round trip.
const RTT_S: f64 = 0.58;
/// Packets of 512 bytes at 1.5 Mbit/s, per second.
const PACKETS_PER_S: f64 = 1.5e6 / 8.0 / 512.0;

/// By how much the longest wait of the segments that leave while the sender paces exceeds that of
/// the segments of the round trip before, in packets of the bottleneck; NaN if the sender does not
/// pace, or by a wrong estimate.
fn increase(run: &Run<'_>) -> f64 {
    let flow = &run.watch.flows[0];
    let paces = |windows: &&crate::Windows| {
        windows
            .startup
            .is_some_and(|(phase, _)| phase == PHASE_PACING)
    };
    let Some(begin) = flow.windows.iter().find(paces) else {
        return f64::NAN;
    };
    let end_s = flow
        .windows
        .iter()
        .rfind(paces)
        .map_or(begin.at_s, |windows| windows.at_s);
    let estimate = begin
        .startup
        .map_or(0.0, |(_, bytes_per_s)| bytes_per_s as f64);
    if (estimate / payload_rate(run.case) - 1.0).abs() > CORRECT {
        return f64::NAN;
    }
    let longest = |from_s: f64, to_s: f64| {
        let sent = flow.packets.iter().filter(|packet| packet.is_data());
        let sent = sent.filter(|packet| (from_s..=to_s).contains(&packet.sent_s));
        sent.filter_map(|packet| Some(packet.arrived_s? - packet.sent_s))
            .fold(f64::NAN, f64::max)
    };
    let before_s = longest(begin.at_s - RTT_S, begin.at_s);
    (longest(begin.at_s, end_s) - before_s) * PACKETS_PER_S
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let watch = Watch {
        packets: true,
        ..Watch::with_windows()
    };
    let mut measured = Measured::default();
    for (row, tick) in [("A.pthresh.10ms", "10 ms"), ("A.pthresh.2ms", "2 ms")] {
        let increases = bench.run(SATELLITE, &proposed(tick), &watch, |run| increase(&run))?;
        measured.numbers(row, increases);
    }
    Ok(measured)
}
