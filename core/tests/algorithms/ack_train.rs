//! The rate of a path from the spacing of ACKs (Aron & Druschel, section 4.2.1).

use crate::path::time_ns;
use onramp_core::train::AckTrain;
use onramp_core::Train;
use proptest::prelude::*;

pub const MSS: u32 = 1448;
pub const MS: u64 = 1_000_000;
pub const FIFTY_MBIT: u64 = 50_000_000 / 8;

/// The variant of `paced` with this reading of trains.
fn by(name: &str) -> u64 {
    Train::named(name).unwrap().bits("paced")
}

/// A train. The list has the time of each ACK, and the segments that it acknowledges in total.
pub fn train(points: &[(u64, u64)], mss_bytes: u32, rtt_ns: u64) -> AckTrain {
    let mss = u64::from(mss_bytes);
    let mut train = AckTrain::begin(
        points[0].0,
        points[0].1 * mss,
        (points[points.len() - 1].1 - points[0].1) * mss,
    );
    for &(now_ns, segments) in &points[1..] {
        train.add(now_ns, segments * mss, mss_bytes, rtt_ns);
    }
    train
}

/// The ACKs of this many segments, spaced as by a bottleneck, one ACK for every `stride` segments.
pub fn spaced(
    segments: u64,
    stride: u64,
    rate_bytes_per_s: u64,
    mss_bytes: u32,
) -> Vec<(u64, u64)> {
    let arrival_ns =
        |segment| 7_777 * MS + time_ns(segment * u64::from(mss_bytes), rate_bytes_per_s);
    (stride..=segments)
        .step_by(stride as usize)
        .map(|segment| (arrival_ns(segment), segment))
        .collect()
}

fn error(estimate: Option<u64>, truth: u64) -> f64 {
    estimate.map_or(1.0, |estimate| (estimate as f64 / truth as f64 - 1.0).abs())
}

#[track_caller]
fn assert_exact(rates_bit_per_s: &[u64], rtts_ns: &[u64]) {
    for &rate in rates_bit_per_s {
        for mss in [536, 1448, 1460, 8960] {
            for &rtt_ns in rtts_ns {
                let rate = rate / 8;
                let srtt_ns = rtt_ns + time_ns(mss.into(), rate);
                let estimate = train(&spaced(64, 1, rate, mss), mss, srtt_ns).bytes_per_s(mss);
                let error = error(estimate, rate);
                assert!(
                    error < 1e-3,
                    "{rate} B/s, {mss} B, {rtt_ns} ns: {estimate:?} is {:.2} % off",
                    error * 100.0
                );
            }
        }
    }
}

const RTTS_NS: [u64; 6] = [20_000, MS, 20 * MS, 100 * MS, 600 * MS, 10_000 * MS];

/// Aron & Druschel, 4.2.1: "bw is estimated based on the interarrival times of closely spaced
/// acknowledgements".
#[test]
fn the_rate_of_an_even_train_is_exact_up_to_100_mbit_per_s() {
    assert_exact(
        &[
            10_000,
            100_000,
            1_500_000,
            10_000_000,
            50_000_000,
            100_000_000,
        ],
        &RTTS_NS[..5],
    );
}

#[test]
fn the_rate_of_an_even_train_is_exact_on_round_trips_of_seconds() {
    assert_exact(
        &[10_000, 100_000, 1_500_000, 10_000_000, 50_000_000],
        &RTTS_NS[5..],
    );
}

#[test]
fn the_rate_of_an_even_train_is_exact_from_1_to_100_gbit_per_s() {
    assert_exact(
        &[
            1_000_000_000,
            10_000_000_000,
            25_000_000_000,
            100_000_000_000,
        ],
        &RTTS_NS,
    );
}

/// The case with the largest sums.
#[test]
fn the_rate_of_a_thousand_segments_in_a_round_trip_is_exact() {
    for rtt_ns in &RTTS_NS[1..] {
        let rate = 1000 * u64::from(MSS) * 1_000_000_000 / rtt_ns;
        let estimate = train(&spaced(1000, 1, rate, MSS), MSS, *rtt_ns).bytes_per_s(MSS);
        assert!(
            error(estimate, rate) < 1e-3,
            "{rtt_ns} ns: {estimate:?} is not {rate}"
        );
    }
}

/// "such that the total acknowledged data used to estimate the bandwidth is at least 2 segments"
#[test]
fn less_than_two_segments_give_no_rate() {
    let points = spaced(3, 1, FIFTY_MBIT, MSS);
    assert_eq!(train(&points[..1], MSS, 100 * MS).bytes_per_s(MSS), None);
    assert_eq!(train(&points[..2], MSS, 100 * MS).bytes_per_s(MSS), None);
    assert!(error(train(&points, MSS, 100 * MS).bytes_per_s(MSS), FIFTY_MBIT) < 1e-3);
}

/// Hosts that count bytes may begin a flight in the middle of a segment.
#[test]
fn segments_are_rounded_to_the_nearest() {
    let points = spaced(3, 1, FIFTY_MBIT, MSS);
    let mut train = AckTrain::begin(points[0].0, u64::from(MSS) + 100, 2 * u64::from(MSS));
    train.add(points[1].0, 2 * u64::from(MSS), MSS, 100 * MS);
    train.add(points[2].0, 3 * u64::from(MSS), MSS, 100 * MS);
    assert!(error(train.bytes_per_s(MSS), FIFTY_MBIT) < 1e-3);
}

#[test]
fn acks_at_one_instant_give_no_rate() {
    let at_once: Vec<_> = (1..=10).map(|segment| (5 * MS, segment)).collect();
    assert_eq!(train(&at_once, MSS, 100 * MS).bytes_per_s(MSS), None);
}

/// With generic receive offload one ACK covers up to 64 KiB, and with delayed ACKs two segments.
#[test]
fn one_ack_for_many_segments_gives_the_same_rate() {
    for stride in [2, 3, 8, 45] {
        let estimate =
            train(&spaced(stride * 10, stride, FIFTY_MBIT, MSS), MSS, 100 * MS).bytes_per_s(MSS);
        assert!(error(estimate, FIFTY_MBIT) < 1e-3, "{stride}: {estimate:?}");
    }
}

#[track_caller]
fn assert_delay_is_ignored(segments: u64, rtt_ns: u64) {
    for delay_ms in [40, 100, 200, 500] {
        let mut points = spaced(segments, 2, FIFTY_MBIT, MSS);
        let last_ns = points.last().unwrap().0;
        points.push((last_ns + delay_ms * MS, segments + 1));
        let estimate = train(&points, MSS, rtt_ns).bytes_per_s(MSS);
        assert!(
            error(estimate, FIFTY_MBIT) < 1e-3,
            "{delay_ms} ms: {estimate:?}"
        );
    }
}

/// Aron & Druschel, 4.2.1: only "closely spaced" ACKs count.
#[test]
fn a_delayed_ack_of_the_last_segment_does_not_count() {
    assert_delay_is_ignored(10, 20 * MS);
    assert_delay_is_ignored(10, 600 * MS);
}

#[test]
fn a_delayed_ack_does_not_count_on_a_round_trip_of_seconds() {
    assert_delay_is_ignored(10, 10_000 * MS);
}

#[test]
fn a_delayed_ack_does_not_count_behind_a_train_of_two() {
    assert_delay_is_ignored(4, 100 * MS);
}

/// A gap ends a train; the train before it counts.
#[test]
fn acks_after_a_gap_do_not_count() {
    let mut points = spaced(20, 1, FIFTY_MBIT, MSS);
    let last_ns = points.last().unwrap().0;
    points.extend((1..=10).map(|i| (last_ns + 90 * MS + i, 20 + i)));
    let estimate = train(&points, MSS, 100 * MS).bytes_per_s(MSS);
    assert!(error(estimate, FIFTY_MBIT) < 1e-3, "{estimate:?}");
}

/// If a train is too long for its record, its beginning gives the rate.
#[test]
fn a_train_of_thousands_is_measured_by_its_first_points() {
    let mut points = spaced(1024, 1, FIFTY_MBIT, MSS);
    let (last_ns, segments) = *points.last().unwrap();
    points.extend((1..5000).map(|i| (last_ns + i * MS, segments + i)));
    let estimate = train(&points, MSS, 10_000 * MS).bytes_per_s(MSS);
    assert!(error(estimate, FIFTY_MBIT) < 1e-3, "{estimate:?}");
}

/// ACKs in batches of `batch`, a microsecond apart. A batch arrives when its last ACK is due.
pub fn batched(mut points: Vec<(u64, u64)>, batch: usize, phase: usize) -> Vec<(u64, u64)> {
    let due: Vec<u64> = points.iter().map(|point| point.0).collect();
    for (i, point) in points.iter_mut().enumerate() {
        let place = (i + phase) % batch;
        let last = (i + batch - 1 - place).min(due.len() - 1);
        point.0 = due[last] + place as u64 * 1000;
    }
    points
}

/// A batch at the head of a flight must not determine the rate of the flight: the sender would send
/// at an overestimated rate.
#[test]
fn batches_do_not_inflate_the_rate() {
    for (rate, rtt_ns) in [
        (FIFTY_MBIT, 100 * MS),
        (12_500_000, 20 * MS),
        (125_000, 200 * MS),
    ] {
        for batch in 2..=8 {
            for phase in 0..batch {
                let points = batched(spaced(20, 1, rate, MSS), batch, phase);
                let estimate = train(&points, MSS, rtt_ns).bytes_per_s(MSS).unwrap_or(0);
                assert!(
                    estimate < 2 * rate,
                    "{rate} B/s, {rtt_ns} ns, {batch} from {phase}: {:.1} times the rate",
                    estimate as f64 / rate as f64
                );
            }
        }
    }
}

/// A clock that steps back at most ends the train. The estimate stays the rate of the path.
#[test]
fn time_that_goes_backwards_does_not_invent_a_rate() {
    for back_ns in [1, 1000, 5 * MS, u64::MAX / 2] {
        let mut points = spaced(20, 1, FIFTY_MBIT, MSS);
        points[15].0 = points[15].0.wrapping_sub(back_ns);
        let estimate = train(&points, MSS, 100 * MS).bytes_per_s(MSS);
        assert!(
            error(estimate, FIFTY_MBIT) < 0.05,
            "{back_ns}: {estimate:?}"
        );
    }
}

/// A total that shrinks ends the train. (The kernel counts segments in 32 bits. The MSS may
/// change.)
#[test]
fn a_total_that_shrinks_does_not_invent_a_rate() {
    let mut points = spaced(20, 1, FIFTY_MBIT, MSS);
    for point in &mut points[12..] {
        point.1 -= 12;
    }
    let estimate = train(&points, MSS, 100 * MS).bytes_per_s(MSS);
    assert!(error(estimate, FIFTY_MBIT) < 1e-3, "{estimate:?}");
}

/// Numbers of every length in bits.
pub fn any_size() -> impl Strategy<Value = u64> {
    (0u32..=64, any::<u64>())
        .prop_map(|(bits, number)| if bits == 0 { 0 } else { number >> (64 - bits) })
}

proptest! {
    /// The native build of a test traps on undefined behaviour.
    #[test]
    fn no_input_is_undefined(
        first in (any_size(), any_size(), any_size()),
        acks in prop::collection::vec((any_size(), any_size(), 1u32..), 0..50),
        mss_bytes in 1u32..,
    ) {
        let mut train = AckTrain::begin(first.0, first.1, first.2);
        for (now_ns, delivered_bytes, mss_bytes) in acks {
            train.add(now_ns, delivered_bytes, mss_bytes, 100 * MS);
            train.bytes_per_s(mss_bytes);
        }
        train.bytes_per_s(mss_bytes);
    }

    /// All points lie between two lines from the first point. Sums that overflow would leave this
    /// interval at once.
    #[test]
    fn the_rate_lies_between_the_slowest_and_the_fastest_gap(
        srtt_ns in any_size(),
        gaps in prop::collection::vec((1_000u64..20_000_000, 1u64..64), 2..1500),
    ) {
        let mut points = vec![(0, 0)];
        for (gap_ns, segments) in &gaps {
            let &(now_ns, total) = points.last().unwrap();
            points.push((now_ns + gap_ns, total + segments));
        }
        let rates: Vec<f64> = gaps
            .iter()
            .map(|(gap_ns, n)| *n as f64 * f64::from(MSS) * 1e9 / *gap_ns as f64)
            .collect();
        if let Some(estimate) = train(&points, MSS, srtt_ns).bytes_per_s(MSS) {
            let (slowest, fastest) = rates
                .iter()
                .fold((f64::MAX, 0.0f64), |(l, h), r| (l.min(*r), h.max(*r)));
            prop_assert!(
                estimate as f64 >= slowest * 0.99 && estimate as f64 <= fastest * 1.01,
                "{estimate} is not in {slowest}..{fastest}"
            );
        }
    }
}

/// Three interpretations of "interarrival times of closely spaced acknowledgements" agree where the
/// path spaces all ACKs.
#[test]
fn all_readings_of_an_even_train_are_its_rate() {
    let train = train(&spaced(200, 2, FIFTY_MBIT, MSS), MSS, 100 * MS);
    for variant in [0, by("ends"), by("closest")] {
        assert!(
            error(train.bytes_per_s_by(MSS, variant), FIFTY_MBIT) < 1e-3,
            "{variant}"
        );
    }
}

/// A gap in the middle, as a delayed ACK causes it, affects two of the interpretations and not the
/// third.
#[test]
fn the_closest_acks_are_not_affected_by_a_gap() {
    let mut points = spaced(40, 2, FIFTY_MBIT, MSS);
    points
        .iter_mut()
        .skip(10)
        .for_each(|(at_ns, _)| *at_ns += 20 * MS);
    let train = train(&points, MSS, 100 * MS);
    assert!(error(train.bytes_per_s_by(MSS, by("closest")), FIFTY_MBIT) < 1e-3);
    assert!(error(train.bytes_per_s_by(MSS, by("ends")), FIFTY_MBIT) > 0.5);
    assert!(error(train.bytes_per_s(MSS), FIFTY_MBIT) > 0.5);
}

/// "of the order of two orders of magnitude larger than the MTU": ACKs more than RTT / 32 apart are
/// not close.
#[test]
fn acks_that_are_far_apart_are_no_pair() {
    let points =
        [(0, 3), (40 * MS, 6), (80 * MS, 9)].map(|(at_ns, segments)| (at_ns + MS, segments));
    let closest = |rtt_ns| train(&points, MSS, rtt_ns).bytes_per_s_by(MSS, by("closest"));
    assert_eq!(closest(1200 * MS), None);
    assert!(error(closest(1300 * MS), 3 * u64::from(MSS) * 25) < 1e-3);
}

/// On a clock with ticks of a millisecond, many ACKs have the same time. A pair begins with the
/// first of them.
#[test]
fn a_coarse_clock_makes_one_pair_of_many() {
    let points: Vec<(u64, u64)> = (0..12)
        .map(|ack| ((5 + ack / 4) * MS, 3 + 3 * ack))
        .collect();
    let train = train(&points, MSS, 100 * MS);
    // From the first ACK at 5 ms to the first ACK at 6 ms, four ACKs of three segments arrive.
    assert_eq!(
        train.bytes_per_s_by(MSS, by("closest")),
        Some(12 * u64::from(MSS) * 1000)
    );
}
