//! Eq. (7): "Some functions must be added at the source to estimate, on runtime, the network
//! parameters" (section 3), by packet pairs and RTT tracking.
//!
//! The source is Tahoe's: its own times of segments and ACKs give the four parameters of the model.
//! A second run with the same seed then has the gamma of Eq. (7).

use super::adaptive::BELOW_EQUATION;
use super::cycles::cycles;
use super::setup::{gamma, long, throughput, transfer, SATELLITE, SEGMENT_BYTES};
use crate::watch::Flow;
use crate::{Bench, Error, Measured, Run, Settings, Sum, Watch};
use onramp_report::statistics::median;
use onramp_theory::formulas::double_slow_start::Path;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// A segment whose ACK arrived.
struct Acknowledged {
    sent_s: f64,
    acked_s: f64,
}

/// What the source has learnt of the network.
#[derive(Clone, Copy)]
struct Estimates {
    /// Rate of the bottleneck, in packets/s: packet pairs.
    mu: f64,
    /// Buffer in packets: RTT tracking.
    buffer: f64,
    /// Gamma by Eq. (7).
    gamma_max: f64,
}

/// The segments that were acknowledged alone, and not sent twice: by Karn's rule all segments that
/// were out when a loss was detected do not count.
fn acknowledged(flow: &Flow) -> Vec<Acknowledged> {
    let mut all = Vec::new();
    let (mut acked_bytes, mut trusted_from_bytes) = (0, 0);
    for pair in flow.windows.windows(2) {
        let [before, now] = [pair[0], pair[1]];
        let sent = flow.sent.partition_point(|(at_s, _)| *at_s <= now.at_s);
        let sent_bytes = sent.checked_sub(1).map_or(0, |last| flow.sent[last].1);
        if now.cwnd_bytes < before.cwnd_bytes {
            trusted_from_bytes = sent_bytes;
        }
        let acked = sent_bytes - now.unacked_bytes;
        let is_one = acked == acked_bytes + SEGMENT_BYTES as u64;
        if is_one && acked > trusted_from_bytes {
            let first = flow.sent.partition_point(|(_, end)| *end < acked);
            all.push(Acknowledged {
                sent_s: flow.sent[first].0,
                acked_s: now.at_s,
            });
        }
        acked_bytes = acked;
    }
    all
}

impl Estimates {
    fn of(run: &Run<'_>) -> Estimates {
        let flow = transfer(run);
        let segments = acknowledged(flow);
        let pairs = segments
            .windows(2)
            .filter(|pair| pair[0].sent_s == pair[1].sent_s);
        let mu = 1.0 / median(pairs.map(|pair| pair[1].acked_s - pair[0].acked_s));
        let rtts = || {
            segments
                .iter()
                .map(|segment| segment.acked_s - segment.sent_s)
        };
        let (min_s, max_s) = (
            rtts().fold(f64::INFINITY, f64::min),
            rtts().fold(0.0, f64::max),
        );
        let buffer = (max_s - min_s) * mu;
        // What the path delivers while it is full: in the round trip before each loss of congestion
        // avoidance.
        let acked_in = |from_s: f64, to_s: f64| {
            let by = |at_s: f64| segments.partition_point(|segment| segment.acked_s <= at_s);
            (by(to_s) - by(from_s)) as f64
        };
        let cycles = cycles(flow, SEGMENT_BYTES);
        let lost = cycles
            .iter()
            .filter(|cycle| cycle.lasts())
            .filter_map(|cycle| cycle.end);
        let available =
            median(lost.map(|(at_s, _)| acked_in(at_s - 2.0 * max_s, at_s - max_s) / max_s));
        let path = Path::new(mu, mu - available, buffer, min_s - 1.0 / mu);
        Estimates {
            mu,
            buffer,
            gamma_max: path.map_or(f64::NAN, |path| path.gamma_max()),
        }
    }
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let tahoe = Watch {
        windows: true,
        ..Watch::of_sums(&[Sum::Delivered])
    };
    let learnt = bench.run(SATELLITE, &long(), &tahoe, |run| {
        (Estimates::of(&run), throughput(&run))
    })?;
    let delivered = Watch::of_sums(&[Sum::Delivered]);
    let gain = |(seed, (estimates, before)): (usize, &(Estimates, f64))| {
        let share = BELOW_EQUATION * estimates.gamma_max.min(0.5);
        let settings: Settings = gamma(share).and(&long());
        let take = |run: Run<'_>| throughput(&run);
        let with = bench.run_seed(SATELLITE, &settings, seed, &delivered, take)?;
        Ok(100.0 * (with / before - 1.0))
    };
    let seeds: Vec<(usize, &(Estimates, f64))> = learnt.iter().enumerate().collect();
    let gains: Vec<f64> = seeds
        .into_par_iter()
        .map(gain)
        .collect::<Result<_, Error>>()?;

    let mut measured = Measured::default();
    let of =
        |value: fn(&Estimates) -> f64| learnt.iter().map(move |(estimates, _)| value(estimates));
    measured.numbers("C.eq7.bandwidth", of(|estimates| estimates.mu));
    measured.numbers("C.eq7.buffer", of(|estimates| estimates.buffer));
    measured.numbers("C.eq7.gamma", of(|estimates| estimates.gamma_max));
    measured.numbers("C.eq7.gain", gains);
    Ok(measured)
}
