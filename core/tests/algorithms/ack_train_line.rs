//! core/measure/ack_train.h: which ACK trains are a line, whose slope is a rate.

use crate::ack_train::{spaced, train, FIFTY_MBIT, MS, MSS};
use proptest::prelude::*;

/// An exact line, of any slope and any length.
#[test]
fn evenly_spaced_acks_are_a_line() {
    for rate_bits_per_s in [
        10_000u64,
        1_500_000,
        50_000_000,
        1_000_000_000,
        100_000_000_000,
    ] {
        for (segments, stride) in [(3, 1), (10, 1), (40, 4), (1000, 1), (60_000, 60)] {
            let points = spaced(segments, stride, rate_bits_per_s / 8, MSS);
            assert!(
                train(&points, MSS, 100 * MS).is_line(),
                "{rate_bits_per_s} bit/s, {segments} by {stride}"
            );
        }
    }
}

/// One point has no slope, and neither have points with the same time or the same total.
#[test]
fn points_without_extent_are_no_line() {
    let points = spaced(10, 1, FIFTY_MBIT, MSS);
    assert!(!train(&points[..1], MSS, 100 * MS).is_line());
    assert!(!train(&[(5 * MS, 3); 10], MSS, 100 * MS).is_line());
    assert!(!train(
        &(1..=10)
            .map(|segment| (5 * MS, segment))
            .collect::<Vec<_>>(),
        MSS,
        100 * MS
    )
    .is_line());
    assert!(!train(
        &(1..=10).map(|time| (time * MS, 3)).collect::<Vec<_>>(),
        MSS,
        100 * MS
    )
    .is_line());
}

/// ACK aggregation by interrupt coalescing, or by a network that sends in turns.
#[test]
fn two_aggregates_are_no_line() {
    for clump in [5, 8, 20] {
        for apart_ns in [MS, 20 * MS] {
            let arrival_ns =
                |segment| 5 * MS + segment * 1000 + if segment > clump { apart_ns } else { 0 };
            let points: Vec<_> = (1..=2 * clump)
                .map(|segment| (arrival_ns(segment), segment))
                .collect();
            assert!(
                !train(&points, MSS, 100 * MS).is_line(),
                "twice {clump}, {apart_ns} ns apart"
            );
        }
    }
}

/// The squared correlation of all points; of four or more points, without the first.
fn r_squared(points: &[(u64, u64)]) -> f64 {
    let points = &points[usize::from(points.len() >= 4)..];
    let n = points.len() as f64;
    let mean_of = |value: fn(&(u64, u64)) -> u64| {
        points.iter().map(|point| value(point) as f64).sum::<f64>() / n
    };
    let (mean_t, mean_b) = (mean_of(|point| point.0), mean_of(|point| point.1));
    let (tt, bb, tb) = points
        .iter()
        .fold((0.0, 0.0, 0.0), |(tt, bb, tb), &(t, b)| {
            let (t, b) = (t as f64 - mean_t, b as f64 - mean_b);
            (tt + t * t, bb + b * b, tb + t * b)
        });
    if tt * bb > 0.0 {
        tb * tb / (tt * bb)
    } else {
        0.0
    }
}

fn is_line_iff_nine_tenths_are_explained(points: &[(u64, u64)]) -> Result<(), TestCaseError> {
    let truth = r_squared(points);
    prop_assume!((truth - 0.9).abs() > 0.01);
    let is_line = train(points, MSS, 100 * MS).is_line();
    prop_assert_eq!(is_line, truth > 0.9, "{}", truth);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    /// Jitter up to the length of the whole train, without gaps that end the train.
    #[test]
    fn a_line_explains_nine_tenths(
        (bits, jitter) in prop_oneof![(6u32..30, 0.0f64..6.0), (6u32..19, 6.0f64..30.0)],
        part in 1.0f64..2.0,
        gaps in prop::collection::vec((0.0f64..1.0, 1u64..8), 2..300),
    ) {
        let spacing_ns = (part * f64::from(1 << bits)) as u64;
        let mut points = vec![(0, 0)];
        for (i, (late, segments)) in (1u64..).zip(&gaps) {
            let &(last_ns, total) = points.last().unwrap();
            let now_ns = i * spacing_ns + (jitter * late * spacing_ns as f64) as u64;
            points.push((now_ns.max(last_ns), total + segments));
        }
        is_line_iff_nine_tenths_are_explained(&points)?;
    }

    /// Random steps, some of them long: trains that are far from even.
    #[test]
    fn this_holds_for_uneven_trains(
        unit_ns in (0u32..16).prop_flat_map(|bits| 1u64 << bits..2 << bits),
        gaps in prop::collection::vec(
            (prop_oneof![8 => 0u64..10, 1 => 0u64..300], prop_oneof![8 => 1u64..4, 1 => 1u64..200]),
            2..100,
        ),
    ) {
        let mut points = vec![(0, 0)];
        for (gap, segments) in &gaps {
            let &(last_ns, total) = points.last().unwrap();
            points.push((last_ns + gap * unit_ns, total + segments));
        }
        is_line_iff_nine_tenths_are_explained(&points)?;
    }
}

/// Jitter of ten times the spacing makes a flight of ten segments no line.
#[test]
fn a_train_with_jitter_above_its_spacing_is_no_line() {
    let spacing_ns = MS / 10;
    let late = [9, 2, 7, 0, 8, 1, 6, 3, 9, 0];
    let mut points = spaced(10, 1, u64::from(MSS) * 10_000, MSS);
    let mut last_ns = 0;
    for (point, late) in points.iter_mut().zip(late) {
        last_ns = (point.0 + late * 3 * spacing_ns).max(last_ns);
        point.0 = last_ns;
    }
    assert!(r_squared(&points) < 0.89);
    assert!(!train(&points, MSS, 100 * MS).is_line());
}
