//! Figures 3, 4 and 5: TCP Lite over the WAN.

use super::WAN;
use crate::statistics::median;
use crate::watch::Flow;
use crate::{Bench, Error, Measured, Run, Settings, Watch};

/// Where the paper cuts its runs.
const CUTS_S: [f64; 5] = [1.0, 5.0, 10.0, 20.0, 30.0];
/// A sender's part of the pipe (section 3.3).
const PART_OF_PIPE_BYTES: u64 = 145 * 1024;
/// The paper's MB: see the note of A.fig3.data.
const MB: f64 = (1 << 20) as f64;

/// The link between the routers is the scenario's first.
const BOTTLENECK: usize = 0;

/// What a run says.
struct Answer {
    /// Delivered to all receivers, at each cut.
    delivered: [f64; 5],
    /// As shares of what the bottleneck can carry.
    throughput: [f64; 5],
    traces: Vec<Trace>,
}

/// One sender's story (figure 4).
#[derive(Clone, Debug)]
struct Trace {
    first_loss_s: f64,
    timeout_s: f64,
    slow_start_ends_s: f64,
    fill_s: f64,
    next_loss_s: f64,
    next_by_fast_retransmit: bool,
    established_s: f64,
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let settings =
        Settings::of([("transfer.recovery", "reno"), ("run.duration", "30 s"), ("transfer.connect", "receiver")]);
    let answers = bench.run(WAN, &settings, &Watch::with_windows(), |run| answer(&run))?;
    let mut measured = Measured::default();
    for (place, cut_s) in CUTS_S.into_iter().enumerate() {
        measured.numbers(format!("A.fig3.{cut_s}s"), answers.iter().map(|answer| 100.0 * answer.throughput[place]));
        let unit = if cut_s == 1.0 { 1024.0 } else { MB };
        measured.numbers(
            format!("A.fig3.data.{cut_s}s"),
            answers.iter().map(|answer| answer.delivered[place] / 8.0 / unit),
        );
    }
    // A typical sender: the median of a run's eight.
    let typical = |value: fn(&Trace) -> f64| {
        answers.iter().map(move |answer| {
            let values: Vec<f64> = answer.traces.iter().map(value).filter(|value| value.is_finite()).collect();
            median(&values)
        })
    };
    measured.numbers("A.fig4.loss", typical(|trace| trace.first_loss_s));
    measured.numbers("A.fig4.timeout", typical(|trace| trace.timeout_s));
    measured.numbers("A.fig4.slow-start", typical(|trace| trace.slow_start_ends_s));
    measured.numbers("A.fig4.next-loss", typical(|trace| trace.next_loss_s));
    measured.numbers("A.fig4.fast-retransmit", typical(|trace| f64::from(u8::from(trace.next_by_fast_retransmit))));
    measured.numbers("A.fig4.fill", typical(|trace| trace.fill_s));
    measured.numbers("A.fig5", typical(|trace| 1000.0 * trace.established_s));
    Ok(measured)
}

fn answer(run: &Run<'_>) -> Answer {
    let delivered = CUTS_S.map(|cut_s| run.watch.delivered_by(cut_s) as f64);
    let most_bytes_per_s = super::payload_rate(run.case, BOTTLENECK);
    let throughput = std::array::from_fn(|place| delivered[place] / (most_bytes_per_s * CUTS_S[place]));
    Answer { delivered, throughput, traces: run.watch.flows.iter().map(trace).collect() }
}

fn trace(flow: &Flow) -> Trace {
    let first =
        |times: &[f64], after_s: f64| times.iter().copied().find(|time_s| *time_s > after_s).unwrap_or(f64::NAN);
    let first_loss_s = first(&flow.drops_s, 0.0);
    let timeout_s = flow.timeouts.first().map_or(f64::NAN, |timeout| timeout.at_s);
    let after = flow.windows.iter().filter(|windows| windows.at_s > timeout_s);
    let slow_start_ends_s = after.clone().find(|windows| !windows.slow_start).map_or(f64::NAN, |windows| windows.at_s);
    let full = after.clone().find(|windows| windows.cwnd_bytes >= PART_OF_PIPE_BYTES && !windows.slow_start);
    let next_loss_s = first(&flow.drops_s, slow_start_ends_s);
    let recovery_s = first(&flow.recoveries_s, next_loss_s);
    let timeouts: Vec<f64> = flow.timeouts.iter().map(|timeout| timeout.at_s).collect();
    let next_timeout_s = first(&timeouts, next_loss_s);
    Trace {
        first_loss_s,
        timeout_s,
        slow_start_ends_s,
        fill_s: full.map_or(f64::NAN, |windows| windows.at_s - timeout_s),
        next_loss_s,
        next_by_fast_retransmit: recovery_s.is_finite() && !(next_timeout_s < recovery_s),
        established_s: flow.established.map_or(f64::NAN, |(at_s, _)| at_s - flow.started_s),
    }
}
