//! The eligible rate estimate of `core/measure/eligible_rate.h`, against its definition.
//!
//! The C estimate keeps ACKs by sixteenths of a round trip. Three tests show the effect: the
//! interval of the throughput, and that of a sample, may be longer or shorter by a sixteenth of a
//! round trip; the filter behind them is exact. The total error has no simple bound. The filter's
//! time constant lies between one and eleven round trips, by how unstable samples are compared with
//! themselves. On a path without any noise, the error of the sixteenths decides. The table measures
//! the total.

use crate::exact_rate::{interval_ns, reading, ExactRate, Filter, History};
use crate::flights::MS;
use onramp_core::eligible_rate::EligibleRate;
use onramp_core::Ack;
use proptest::prelude::*;
use std::fmt::Write;

pub(crate) const MSS: u64 = 1000;
const RTT_NS: u64 = 100 * MS;
const NS_PER_S: f64 = 1e9;

/// How the ACKs of a connection arrive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) rtt_ns: u64,
    /// The time between two segments at the bottleneck.
    pub(crate) spacing_ns: u64,
    /// Segments that one ACK covers.
    pub(crate) stride: u64,
    /// Each ACK is late by a random time below this one. The order stays.
    pub(crate) jitter_ns: u64,
    /// This many ACKs arrive back to back, when the last of them is due.
    pub(crate) batch: u64,
}

pub(crate) const EVEN: Shape = Shape {
    rtt_ns: RTT_NS,
    spacing_ns: MS,
    stride: 1,
    jitter_ns: 0,
    batch: 1,
};

/// The time between two ACKs that arrive back to back: 1000 bytes at 1.6 Gbit/s.
const LEAST_NS: u64 = 5_000;

/// A pseudo-random number (SplitMix64).
fn random(n: u64) -> u64 {
    let z = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 11
}

/// The ACKs of one flight per round trip. Each flight is a pair: its segments, and cwnd in
/// segments.
pub(crate) fn stream(shape: Shape, flights: &[(u64, u64)]) -> Vec<Ack> {
    let mut acks: Vec<Ack> = Vec::new();
    let (mut begin_ns, mut delivered) = (10_000 * MS, 0);
    for &(segments, window) in flights {
        let srtt_ns = shape.rtt_ns.max(segments * shape.spacing_ns);
        let acked = (0..segments)
            .step_by(shape.stride as usize)
            .map(|first| (first + shape.stride).min(segments));
        let mut before = 0;
        for last in acked {
            let number = acks.len() as u64;
            let batch_end = last + (shape.batch - 1 - number % shape.batch) * shape.stride;
            let late_ns = random(number) % shape.jitter_ns.max(1);
            let due_ns = begin_ns + batch_end * shape.spacing_ns + late_ns;
            delivered += (last - before) * MSS;
            acks.push(Ack {
                now_ns: due_ns.max(acks.last().map_or(0, |ack| ack.now_ns + LEAST_NS)),
                acked_bytes: (last - before) * MSS,
                delivered_bytes: delivered,
                srtt_ns,
                rtt_ns: shape.rtt_ns,
                cwnd_bytes: window * MSS,
                mss_bytes: MSS as u32,
                ..Ack::default()
            });
            before = last;
        }
        begin_ns += srtt_ns;
    }
    acks
}

/// Flights of slow start: two segments, then twice as many in each flight.
fn slow_start(flights: u32) -> Vec<(u64, u64)> {
    (1..=flights)
        .map(|flight| (1 << flight, 1 << flight))
        .collect()
}

/// The estimate after these ACKs.
pub(crate) fn after(acks: &[Ack], variant: u64) -> EligibleRate {
    let mut rate = EligibleRate::new(variant);
    acks.iter().for_each(|ack| rate.ack(ack));
    rate
}

/// Slow start, then flights that deliver all or a part of cwnd, on paths of any rate and with any
/// jitter and ACK aggregation.
fn streams() -> impl Strategy<Value = Vec<Ack>> {
    let shape = (1..600 * MS, 1u64..200, 1u64..4, 0u64..64, 1u64..9);
    (
        shape,
        1u32..6,
        1u64..250,
        prop::collection::vec(1u64..1000, 0..6),
    )
        .prop_map(|(shape, starts, most, windows)| {
            let (rtt_ns, path, stride, jitter, batch) = shape;
            let rtt_ns = rtt_ns.max(10 * LEAST_NS * path);
            let shape = Shape {
                rtt_ns,
                spacing_ns: rtt_ns / path,
                stride,
                jitter_ns: jitter * rtt_ns / 256,
                batch,
            };
            // At most the BDP is in flight, so there is no queue and the RTT is constant.
            let flights = slow_start(starts)
                .into_iter()
                .chain(windows.into_iter().map(|window| (most, most.max(window))));
            let flights: Vec<_> = flights
                .map(|(segments, window)| (segments.min(path), window))
                .collect();
            stream(shape, &flights)
        })
}

/// The tolerance: the C estimate rounds down rates and the parts of a round trip.
fn rounding(rate: f64) -> f64 {
    rate * 1e-4 + 2.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_throughput_is_that_of_a_round_trip_give_or_take_a_sixteenth(acks in streams()) {
        let (mut rate, mut history) = (EligibleRate::new(0), History::default());
        for ack in &acks {
            let before = rate.throughput_bytes_per_s() as f64;
            rate.ack(ack);
            history.push(ack);
            let rtt_ns = ack.srtt_ns as f64;
            let of = |sixteenths: f64| {
                let bytes = history.bytes_in(ack.now_ns, rtt_ns * sixteenths / 16.0);
                0.6 * before + 0.4 * bytes / rtt_ns * NS_PER_S
            };
            let (least, through, most) = (of(15.0), rate.throughput_bytes_per_s() as f64, of(17.0));
            prop_assert!(
                through >= least - rounding(least),
                "{through} is less than {least}"
            );
            prop_assert!(
                through <= most + rounding(most),
                "{through} is more than {most}"
            );
        }
    }

    /// The interval is computed from the C estimate's own throughput. If the interval lies between
    /// two ACKs, the sample must be exact.
    #[test]
    fn a_sample_is_that_of_its_interval_give_or_take_a_sixteenth_of_a_round_trip(
        acks in streams(),
    ) {
        let (mut rate, mut history) = (EligibleRate::new(0), History::default());
        let mut last_ns = None;
        for ack in &acks {
            rate.ack(ack);
            history.push(ack);
            let apart_ns = last_ns.map_or(ack.srtt_ns, |last_ns| ack.now_ns - last_ns) as f64;
            last_ns = Some(ack.now_ns);
            let asked_ns =
                interval_ns(ack, rate.throughput_bytes_per_s() as f64, ack.rtt_ns as f64);
            // The throughput was rounded to a byte per second, and to a byte of cwnd.
            let rounded_bytes = 1.0 + ack.rtt_ns as f64 / NS_PER_S;
            let rounded_ns = 2.0 + ack.srtt_ns as f64 * rounded_bytes / ack.cwnd_bytes as f64;
            let part_ns = match asked_ns + rounded_ns < apart_ns {
                true => 0.0,
                false => ack.srtt_ns as f64 / 16.0 + rounded_ns,
            };
            let interval_ns = asked_ns.max(apart_ns);
            let of = |more_ns: f64| {
                history.bytes_in(ack.now_ns, interval_ns + more_ns) / interval_ns * NS_PER_S
            };
            let (least, sample, most) =
                (of(-part_ns), rate.sample_bytes_per_s() as f64, of(part_ns));
            let rounded = 1.0 + 2.0 * rounded_ns / interval_ns;
            prop_assert!(
                sample >= least / rounded - rounding(least),
                "{sample} is less than {least}"
            );
            prop_assert!(
                sample <= most * rounded + rounding(most),
                "{sample} is more than {most}"
            );
        }
    }

    #[test]
    fn the_filter_is_exact(
        acks in streams(),
        variant in prop::sample::select(vec![
            0,
            reading("latest"),
            reading("calm"),
            reading("latest") | reading("calm"),
        ]),
    ) {
        let mut rate = EligibleRate::new(variant);
        let mut filter = Filter::new(variant);
        let (mut last_ns, mut most) = (0, 0.0f64);
        for ack in &acks {
            rate.ack(ack);
            let sample = rate.sample_bytes_per_s() as f64;
            let expected = filter.next(sample, (ack.now_ns - last_ns) as f64, ack.srtt_ns as f64);
            last_ns = ack.now_ns;
            most = most.max(sample);
            let estimate = rate.bytes_per_s() as f64;
            prop_assert!(
                (estimate - expected).abs() <= most * 1e-6 + 2.0,
                "{estimate} instead of {expected}"
            );
        }
    }
}

/// Twenty round trips in which 100 segments are delivered. cwnd is `times` as large.
pub(crate) fn windows(times: u64) -> Vec<(u64, u64)> {
    vec![(100, 100 * times); 20]
}

pub(crate) fn at(spacing_ns: u64, stride: u64) -> Shape {
    Shape {
        spacing_ns,
        stride,
        ..EVEN
    }
}

pub(crate) fn late(jitter_ns: u64, stride: u64) -> Shape {
    Shape {
        jitter_ns,
        stride,
        ..EVEN
    }
}

/// The minimum and the maximum error of the estimate, compared with the exact one that keeps every
/// ACK: in the first ten round trips, and later.
fn errors(shape: Shape, flights: &[(u64, u64)]) -> [String; 2] {
    let acks = stream(shape, flights);
    let (mut rate, mut exact) = (EligibleRate::new(0), ExactRate::new(0));
    let mut errors = [(0.0f64, 0.0f64); 2];
    for ack in &acks {
        rate.ack(ack);
        let error = rate.bytes_per_s() as f64 / exact.ack(ack) - 1.0;
        let (least, most) = &mut errors[usize::from(ack.now_ns - acks[0].now_ns > 10 * RTT_NS)];
        (*least, *most) = (least.min(error), most.max(error));
    }
    // Rounded to an integer, a small negative error is `+0 %`.
    let percent = |part: f64| (100.0 * part).round() as i64;
    errors.map(|(least, most)| format!("{:+} % {:+} %", percent(least), percent(most)))
}

#[test]
fn the_estimate_is_near_the_exact_one() {
    let rows = [
        ("slow start, 80 Mbit/s", at(MS / 10, 1), slow_start(9)),
        (
            "the same, each second acknowledged",
            at(MS / 10, 2),
            slow_start(9),
        ),
        (
            "the same, late by up to 1 ms",
            Shape {
                jitter_ns: MS,
                ..at(MS / 10, 2)
            },
            slow_start(9),
        ),
        ("8 Mbit/s, full", EVEN, windows(1)),
        (
            "the same, late by up to 100 us",
            late(MS / 10, 1),
            windows(1),
        ),
        ("the same, late by up to 1 ms", late(MS, 1), windows(1)),
        ("the same, late by up to 5 ms", late(5 * MS, 1), windows(1)),
        (
            "each second acknowledged, up to 1 ms",
            late(MS, 2),
            windows(1),
        ),
        (
            "eight one after the other",
            Shape { batch: 8, ..EVEN },
            windows(1),
        ),
        ("flights at 32 Mbit/s", at(MS / 4, 1), windows(1)),
        ("the window half delivered", EVEN, windows(2)),
        ("the same, late by up to 1 ms", late(MS, 1), windows(2)),
        (
            "each second acknowledged, up to 1 ms",
            late(MS, 2),
            windows(2),
        ),
        ("flights at 32 Mbit/s", at(MS / 4, 1), windows(2)),
    ];
    let mut table = format!("{:36} {:>14} {:>14}\n", "", "ten RTTs", "then");
    for (name, shape, flights) in rows {
        let [first, later] = errors(shape, &flights);
        writeln!(table, "{name:36} {first:>14} {later:>14}").unwrap();
    }
    insta::assert_snapshot!(table);
}

/// Bursts of ten segments at 32 Mbit/s, one every 10 ms. 100 segments are delivered in a round
/// trip, and cwnd is `times` as large.
fn bursts(times: u64) -> Vec<Ack> {
    let mut acks = stream(EVEN, &windows(times));
    for (index, ack) in acks.iter_mut().enumerate() {
        ack.now_ns -= (index as u64 % 10) * (MS - MS / 4);
    }
    acks
}

/// "no congestion": everything that cwnd permits is delivered in a round trip.
#[test]
fn without_congestion_a_sample_is_the_bandwidth() {
    let sample = after(&bursts(1), 0).sample_bytes_per_s();
    assert!(sample.abs_diff(4_000_000) <= 1, "{sample} bytes per second");
}

#[test]
fn under_congestion_a_sample_is_the_share() {
    let sample = after(&bursts(10), 0).sample_bytes_per_s();
    assert!(
        sample.abs_diff(1_000_000) <= 70_000,
        "{sample} bytes per second"
    );
}

/// The interval then covers a part of a burst, the gap before the burst, or several bursts.
#[test]
fn a_sample_falls_from_bandwidth_to_rate_as_less_of_cwnd_is_delivered() {
    let samples = [100, 105, 150].map(|window| {
        let mut acks = bursts(1);
        acks.iter_mut()
            .for_each(|ack| ack.cwnd_bytes = window * MSS);
        after(&acks, 0).sample_bytes_per_s()
    });
    assert!(
        samples.windows(2).all(|pair| pair[0] > pair[1] * 3 / 2),
        "{samples:?}"
    );
}

/// Eight ACKs that arrive back to back give samples of a gigabit per second for an instant. The
/// mean of two samples keeps half of that during the gap that follows.
#[test]
fn the_latest_sample_alone_is_not_misled_by_acks_that_come_together() {
    let acks = stream(Shape { batch: 8, ..EVEN }, &windows(1));
    let estimates = [reading("latest"), 0].map(|variant| after(&acks, variant).bytes_per_s());
    assert!(
        estimates[0].abs_diff(1_000_000) <= 50_000 && estimates[1] > 50_000_000,
        "{estimates:?}"
    );
}

/// The samples of a calm path differ by little. This is much compared with the ten samples before,
/// and little compared with the noise at the beginning of the connection. Compared with the latter,
/// the estimate follows within a few round trips instead of eleven.
#[test]
fn a_calm_path_is_followed_quickly_where_the_whole_connection_is_remembered() {
    // Two round trips with much noise, ten with little, then a rate that is 12.5 % higher.
    let noisy = stream(
        Shape {
            batch: 8,
            ..late(MS, 1)
        },
        &[(100, 100); 2],
    );
    let calm = stream(late(MS / 100, 1), &[(100, 100); 10]);
    let more = stream(
        Shape {
            spacing_ns: MS * 8 / 9,
            ..late(MS / 100, 1)
        },
        &[(112, 112); 3],
    );
    let mut acks = noisy;
    for later in [calm, more] {
        let last = *acks.last().unwrap();
        let begin_ns = later[0].now_ns;
        acks.extend(later.into_iter().map(|ack| Ack {
            now_ns: ack.now_ns - begin_ns + last.now_ns + MS,
            delivered_bytes: ack.delivered_bytes + last.delivered_bytes,
            ..ack
        }));
    }
    let variants = [0, reading("calm")].map(|variant| variant | reading("latest"));
    let estimates = variants.map(|variant| after(&acks, variant).bytes_per_s());
    assert!(
        estimates[0] < 1_050_000 && estimates[1] > 1_100_000,
        "{estimates:?}"
    );
}
