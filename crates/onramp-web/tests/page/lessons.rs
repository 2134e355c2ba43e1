//! The lesson: what each text says about its scenario is what happens there.

use crate::transfers::{files, pair, text, Transfer};

/// Segments that arrive at the bottleneck in each round trip, from the first one on.
fn flights(transfer: &Transfer) -> Vec<usize> {
    let segments = &transfer.trace.segments;
    let mut flights = Vec::new();
    for segment in segments {
        let rtts = (segment.time_s - segments[0].time_s) / (transfer.record.rtt_ms / 1e3);
        // The RTT is the propagation time, so that a flight lasts a little longer.
        let flight = (rtts + 1e-9) as usize;
        flights.resize(flights.len().max(flight + 1), 0);
        flights[flight] += 1;
    }
    flights
}

/// The BDP in full segments.
fn bdp_segments(transfer: &Transfer) -> f64 {
    let bytes = transfer.record.capacity_bytes_per_s as f64 * transfer.record.rtt_ms / 1e3;
    bytes / f64::from(transfer.trace.segments[0].length_bytes)
}

/// The estimate as a share of the rate that the path sustains.
fn estimate(transfer: &Transfer) -> f64 {
    let estimate = transfer.record.estimate_bytes_per_s.expect("it has one");
    estimate as f64 / transfer.record.capacity_bytes_per_s as f64
}

/// The cwnd in segments when the first segment was dropped.
fn cwnd_at_first_drop(transfer: &Transfer) -> f64 {
    let mut segments = transfer.trace.segments.iter();
    let drop = segments.find(|segment| segment.dropped).expect("a drop");
    let mut samples = transfer.trace.sender.iter();
    let sample = samples.rfind(|sample| sample.time_s <= drop.time_s);
    sample.expect("a sample").cwnd_bytes as f64 / f64::from(drop.length_bytes)
}

fn startups(pair: &[Transfer; 2]) -> [&str; 2] {
    pair.each_ref().map(|transfer| &*transfer.record.startup)
}

fn lesson(name: &str) -> [Transfer; 2] {
    pair(&text("lessons", name))
}

#[test]
fn the_lesson_has_six_steps() {
    assert_eq!(files("lessons").len(), 6);
}

#[test]
fn slow_start_doubles_and_a_known_rate_fills_the_path_at_once() {
    let pair = lesson("1-slow-start");
    assert_eq!(startups(&pair), ["standard", "qos 9.6 Mbit/s"]);
    let [standard, qos] = &pair;
    assert_eq!(flights(standard)[..6], [10, 20, 40, 80, 160, 320]);
    assert_eq!(bdp_segments(standard).round(), 417.0);
    let used = flights(standard)[..6].iter().sum::<usize>() as f64 / (6.0 * 417.0);
    assert!((0.23..0.27).contains(&used), "{used}");
    assert!(flights(qos)[0] >= 415, "{:?}", flights(qos));
    assert!(qos.completion_s() < standard.completion_s() / 2.0);
}

#[test]
fn pacing_sends_half_of_the_bdp_in_the_third_round_trip_and_keeps_the_queue_empty() {
    let pair = lesson("2-pacing");
    assert_eq!(startups(&pair), ["standard", "paced"]);
    let [standard, paced] = &pair;
    let flights = flights(paced);
    assert_eq!(flights[..2], [10, 20]);
    assert!((flights[2] as f64 / bdp_segments(paced) - 0.5).abs() < 0.01);
    assert!((estimate(paced) - 1.0).abs() < 0.01);
    assert!(paced.record.peak_queue_bdp < 0.05);
    assert!(standard.record.peak_queue_bdp > 0.3);
    assert!(paced.completion_s() < 0.7 * standard.completion_s());
}

#[test]
fn hoe_overflows_a_short_queue_on_the_way_and_astart_does_not() {
    let pair = lesson("3-packet-pairs");
    assert_eq!(startups(&pair), ["hoe", "astart"]);
    let [hoe, astart] = &pair;
    assert!((estimate(hoe) - 1.0).abs() < 0.01);
    assert!(cwnd_at_first_drop(hoe) < bdp_segments(hoe) / 2.0);
    assert!(hoe.record.retransmitted_segments > 20);
    assert_eq!(astart.record.retransmitted_segments, 0);
    let (slow, fast) = (flights(astart), flights(hoe));
    assert!(slow[2] < fast[2] && slow[3] < fast[3]);
    assert!(astart.completion_s() < 0.8 * hoe.completion_s());
}

#[test]
fn the_receiver_sees_the_rate_that_a_slow_return_path_hides() {
    let pair = lesson("4-receiver");
    assert_eq!(startups(&pair), ["paced", "pair"]);
    let [paced, pair] = &pair;
    assert_eq!((estimate(paced) * 100.0).round(), 29.0);
    assert!((estimate(pair) - 1.0).abs() < 0.01);
    assert!(pair.completion_s() < 0.6 * paced.completion_s());
}

#[test]
fn a_satellite_link_loses_slow_starts_bursts_and_no_spaced_segment() {
    let pair = lesson("5-satellites");
    assert_eq!(startups(&pair), ["standard", "spaced"]);
    let [standard, spaced] = &pair;
    assert_eq!(bdp_segments(standard).round(), 205.0);
    assert!(cwnd_at_first_drop(standard) < 205.0);
    assert_eq!(standard.record.dropped_packets, 81);
    assert_eq!(spaced.record.dropped_packets, 0);
    for transfer in [standard, spaced] {
        assert_eq!(flights(transfer)[..5], [10, 20, 40, 80, 160]);
    }
    assert!(spaced.completion_s() < 0.85 * standard.completion_s());
}

#[test]
fn onramp_paces_three_quarters_of_the_bdp_in_the_second_round_trip() {
    let pair = lesson("6-onramp");
    assert_eq!(startups(&pair), ["none", "onramp"]);
    let [cubic, onramp] = &pair;
    assert_eq!(flights(cubic)[..7], [10, 20, 40, 80, 160, 320, 640]);
    assert_eq!(cubic.record.dropped_packets, 245);
    assert_eq!(onramp.record.dropped_packets, 0);
    let flights = flights(onramp);
    let share = flights[1] as f64 / bdp_segments(onramp);
    assert!((share - 0.75).abs() < 0.01, "{share}");
    assert!(flights[2] > flights[1] && flights[3] > flights[2]);
    assert!(onramp.completion_s() < 0.65 * cubic.completion_s());
}
