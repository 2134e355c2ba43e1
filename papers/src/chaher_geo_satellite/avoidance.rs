//! "transmitting always at exactly mu - lambda avoids a queue building at the bottleneck even in
//! congestion avoidance. Thus, a TCP packet isn't lost when W = W_max. The window continues growing
//! until it reaches that advertised by the receiver" (section 4).

use super::setup::{long, throughput, transfer, LONG, SATELLITE, SEGMENT_BYTES};
use crate::{Bench, Error, Measured, Run, Settings, Watch, Windows};
use onramp_report::statistics::median;

/// mu - lambda, in bits of packets per second: 1.5 Mbit/s less 100 packets of 512 bytes a second.
const AVAILABLE: &str = "1090400 bit/s";
/// The receiver's buffer: more than twice W_max = 179. It advertises a window of up to 500 packets.
const BUFFER_SEGMENTS: u64 = 400;
/// W_max / 2, from which the paper's congestion avoidance begins.
const BEGIN_SEGMENTS: u64 = 89;

/// The source's interface sends at mu - lambda at most, whatever the window permits.
fn spaced() -> Settings {
    let bytes = |segments: u64| format!("{} B", segments * SEGMENT_BYTES as u64);
    long().and(&Settings::of([
        ("link[1].rate", AVAILABLE.to_owned()),
        ("link[1].queue", "1000 packets".to_owned()),
        ("receiver.buffer", bytes(BUFFER_SEGMENTS)),
        ("transfer.initial_ssthresh", bytes(BEGIN_SEGMENTS)),
    ]))
}

/// What became of a run.
struct Answer {
    lost: f64,
    /// Whether cwnd reached the window that the receiver advertised.
    reached: bool,
    /// The largest cwnd and the largest advertised window, in packets.
    largest: [f64; 2],
    throughput: f64,
}

impl Answer {
    fn of(run: &Run<'_>) -> Answer {
        let flow = transfer(run);
        // Before the first ACK the sender does not know the receiver's window.
        let known_s = flow.acks_s.first().copied().unwrap_or(f64::INFINITY);
        let known = || flow.windows.iter().filter(|at| at.at_s >= known_s);
        let largest = |bytes: fn(&Windows) -> u64| {
            known().map(bytes).max().unwrap_or(0) as f64 / SEGMENT_BYTES
        };
        Answer {
            lost: flow.drops_s.len() as f64,
            reached: known().any(|at| at.cwnd_bytes >= at.send_window_bytes),
            largest: [
                largest(|at| at.cwnd_bytes),
                largest(|at| at.send_window_bytes),
            ],
            throughput: throughput(run),
        }
    }
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let watch = Watch::with_windows();
    let answers = bench.run(SATELLITE, &spaced(), &watch, |run| Answer::of(&run))?;
    let mut measured = Measured::default();
    measured.numbers("C.avoidance.lost", answers.iter().map(|answer| answer.lost));
    measured.answers(
        "C.avoidance.window",
        answers.iter().map(|answer| answer.reached),
    );
    if bench.draws() {
        let even = spaced().and(&Settings::of([("traffic.kind", "constant")]));
        let even = bench.run_seed(SATELLITE, &even, 0, &watch, |run| Answer::of(&run))?;
        let window = if even.reached {
            "reaches"
        } else {
            "does not reach"
        };
        let most = |of: usize| {
            let most = answers.iter().map(|answer| answer.largest[of]);
            most.fold(0.0, f64::max)
        };
        measured.remarks.push(format!(
            "Spaced in congestion avoidance too, in runs of {LONG}: {:.0} packets/s (median). The \
             largest window of a run is {:.0} packets (median; {:.0} in all runs), and the \
             receiver's {:.0}. With an even background the source loses {:.0} segments, its window \
             {window} the receiver's, and it has {:.0} packets/s.",
            median(answers.iter().map(|answer| answer.throughput)),
            median(answers.iter().map(|answer| answer.largest[0])),
            most(0),
            most(1),
            even.lost,
            even.throughput,
        ));
    }
    Ok(measured)
}
