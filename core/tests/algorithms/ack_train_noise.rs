//! The error of the least-squares line and of the plain quotient, (last - first) / time, under what
//! hosts and networks do to ACKs. The table is the reason why `core/measure/ack_train.h` uses the
//! line.

use crate::ack_train::{batched, spaced, train};
use onramp_core::SplitMix64;
use std::fmt::Write;

const MSS: u32 = 1448;
const RATE: u64 = 50_000_000 / 8;
const SPACING_NS: f64 = 231_680.0;
const RTT_NS: u64 = 100_000_000;
const TRIALS: usize = 1000;

struct Random(SplitMix64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        (self.0.draw() % n as u64) as usize
    }

    /// A sum of twelve uniform numbers: nearly Gaussian, and the same on every machine.
    fn gaussian(&mut self) -> f64 {
        (0..12)
            .map(|_| (self.0.draw() >> 11) as f64 / (1u64 << 53) as f64)
            .sum::<f64>()
            - 6.0
    }

    /// Each point late by a random time; they keep their order.
    fn jittered(&mut self, points: Vec<(u64, u64)>, sigma_ns: f64) -> Vec<(u64, u64)> {
        let mut latest_ns = 0;
        let mut late = |(due_ns, segments)| {
            let now_ns = (due_ns as f64 + self.gaussian() * sigma_ns) as u64;
            latest_ns = latest_ns.max(now_ns);
            (latest_ns, segments)
        };
        points.into_iter().map(&mut late).collect()
    }
}

/// Points of a flight of this many segments.
type Noise = fn(&mut Random, u64) -> Vec<(u64, u64)>;

fn even(segments: u64, stride: u64) -> Vec<(u64, u64)> {
    spaced(segments, stride, RATE, MSS)
}

fn in_batches(random: &mut Random, segments: u64, batch: usize) -> Vec<(u64, u64)> {
    let phase = random.below(batch);
    batched(even(segments, 1), batch, phase)
}

const NOISES: [(&str, Noise); 11] = [
    ("none", |_, n| even(n, 1)),
    ("batches of 2", |random, n| in_batches(random, n, 2)),
    ("batches of 4", |random, n| in_batches(random, n, 4)),
    ("batches of 8", |random, n| in_batches(random, n, 8)),
    ("jitter of 1/4 gap", |random, n| {
        random.jittered(even(n, 1), SPACING_NS / 4.0)
    }),
    ("jitter of 1 gap", |random, n| {
        random.jittered(even(n, 1), SPACING_NS)
    }),
    ("jitter of 4 gaps", |random, n| {
        random.jittered(even(n, 1), SPACING_NS * 4.0)
    }),
    ("last delayed 40 ms", |_, n| {
        let mut points = even(n, 1);
        points.last_mut().unwrap().0 += 40_000_000;
        points
    }),
    ("one ACK per 2", |_, n| even(n, 2)),
    ("one ACK per 8", |_, n| even(n, 8)),
    ("one per 2, jitter 1 gap", |random, n| {
        random.jittered(even(n, 2), SPACING_NS)
    }),
];

fn quotient(points: &[(u64, u64)]) -> Option<f64> {
    let (&(first_ns, first), &(last_ns, last)) = (points.first()?, points.last()?);
    let rate = (last - first) as f64 * f64::from(MSS) * 1e9 / last_ns.checked_sub(first_ns)? as f64;
    (last - first >= 2 && rate.is_finite()).then_some(rate)
}

/// Median, 5th and 95th percentile of estimate / truth.
fn summary(mut estimates: Vec<Option<f64>>) -> String {
    estimates.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let at = |percent: usize| match estimates[estimates.len() * percent / 100] {
        Some(estimate) => format!("{:.2}", estimate / RATE as f64),
        None => "none".to_string(),
    };
    format!("{:>7} {:>6} {:>6}", at(50), at(5), at(95))
}

#[test]
fn the_line_withstands_noise_better_than_the_quotient() {
    let mut table = String::from("estimate / truth over 1000 flights, 50 Mbit/s, 100 ms\n\n");
    writeln!(
        table,
        "{:<25} {:>8}  {:>21}  {:>21}",
        "", "", "line", "quotient"
    )
    .unwrap();
    let columns = "   median     p5    p95";
    writeln!(table, "{:<25} {:>8}{columns}{columns}", "noise", "segments").unwrap();
    for (name, noise) in NOISES {
        for segments in [10, 20, 80] {
            let mut random = Random(SplitMix64::new(segments));
            let (lines, quotients) = (0..TRIALS)
                .map(|_| {
                    let points = noise(&mut random, segments);
                    let line = train(&points, MSS, RTT_NS)
                        .bytes_per_s(MSS)
                        .map(|rate| rate as f64);
                    (line, quotient(&points))
                })
                .unzip();
            writeln!(
                table,
                "{name:<25} {segments:>8}  {}  {}",
                summary(lines),
                summary(quotients)
            )
            .unwrap();
        }
    }
    insta::assert_snapshot!(table);
}
