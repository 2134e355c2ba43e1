//! `gamma` and `spaced`, which control later slow starts too: after a timeout, and after the
//! application did not fill cwnd.

use crate::flights::{start, Host, MS, MSS};
use onramp_core::{
    exit_name, phase_name, Decision, ACK_CWND_LIMITED, LOSS_RECOVERY, LOSS_TIMEOUT, UNLIMITED,
};

const SEGMENT: u64 = MSS as u64;

/// A host whose cwnd has grown to 80 segments by slow start and congestion avoidance, with fast
/// recovery between them.
fn in_avoidance(algorithm: &str) -> Host {
    let mut host = Host::new(algorithm, start(), 100 * MS);
    (0..3).for_each(|_| _ = host.flight(MS, ACK_CWND_LIMITED));
    host.loss(LOSS_RECOVERY, 60 * SEGMENT, 40 * SEGMENT);
    grown_to(&mut host, 80);
    host
}

/// In congestion avoidance, whose ACKs are not reported, cwnd grows to this many segments.
fn grown_to(host: &mut Host, segments: u64) {
    host.ack.now_ns += 10_000 * MS;
    host.ack.delivered_bytes += 3000 * SEGMENT;
    host.decision.cwnd_bytes = segments * SEGMENT;
}

/// A retransmission timeout, after which cwnd is one segment.
fn timeout(host: &mut Host) -> Decision {
    let window = host.decision.cwnd_bytes;
    let decision = host.loss(LOSS_TIMEOUT, window, window / 2);
    host.decision.cwnd_bytes = SEGMENT;
    decision
}

/// Slow start up to ssthresh, with one ACK for each segment.
fn slow_start(host: &mut Host) {
    while !host.decision.is_over() || host.decision.cwnd_bytes < host.decision.ssthresh_bytes {
        host.ack(MS, host.decision.cwnd_bytes - SEGMENT, ACK_CWND_LIMITED);
    }
}

#[test]
fn gamma_is_a_half_until_a_slow_start_loses() {
    let mut host = in_avoidance("gamma");
    assert_eq!(timeout(&mut host).ssthresh_bytes, 40 * SEGMENT);
    slow_start(&mut host);
    grown_to(&mut host, 80);
    assert_eq!(timeout(&mut host).ssthresh_bytes, 40 * SEGMENT);
}

/// The slow start after the first timeout has an ssthresh of 40 and overflows a buffer at 30. When
/// the loss is found, 20 segments were acknowledged in congestion avoidance (2 * 30 - 40). gamma is
/// 15/16 of 30 / 80.
#[test]
fn gamma_learns_where_fast_recovery_had_ended_the_first_slow_start() {
    let mut host = in_avoidance("gamma");
    timeout(&mut host);
    slow_start(&mut host);
    host.ack.delivered_bytes += 20 * SEGMENT;
    host.loss(LOSS_RECOVERY, 40 * SEGMENT, 20 * SEGMENT);
    grown_to(&mut host, 80);
    assert_eq!(timeout(&mut host).ssthresh_bytes, 30 * SEGMENT * 15 / 16);
}

/// If a timeout follows fast recovery within a cwnd of segments, cwnd is not W_max.
#[test]
fn gamma_takes_no_share_of_a_window_that_was_just_cut() {
    let mut host = in_avoidance("gamma");
    timeout(&mut host);
    slow_start(&mut host);
    host.ack.delivered_bytes += 20 * SEGMENT;
    host.loss(LOSS_RECOVERY, 40 * SEGMENT, 20 * SEGMENT);
    host.ack.delivered_bytes += 15 * SEGMENT;
    host.decision.cwnd_bytes = 20 * SEGMENT;
    assert_eq!(timeout(&mut host).ssthresh_bytes, 10 * SEGMENT);
}

/// Linux undoes a spurious timeout (F-RTO): it restores cwnd and ssthresh. No slow start followed,
/// so a later loss shows nothing about slow start.
#[test]
fn gamma_learns_nothing_from_a_timeout_that_was_undone() {
    let mut host = in_avoidance("gamma");
    timeout(&mut host);
    grown_to(&mut host, 80);
    host.loss(LOSS_RECOVERY, 80 * SEGMENT, 40 * SEGMENT);
    grown_to(&mut host, 80);
    assert_eq!(timeout(&mut host).ssthresh_bytes, 40 * SEGMENT);
}

/// After an outage, the first ACK covers all segments that arrived while ACKs were lost. It raises
/// cwnd from one segment to ssthresh.
#[test]
fn spaced_spaces_what_one_ack_permits() {
    let mut host = in_avoidance("spaced");
    let rate = host.decision.estimate_bytes_per_s;
    timeout(&mut host);
    let decision = host.jump(100 * MS, 60 * SEGMENT);
    assert_eq!(
        (decision.cwnd_bytes, decision.ssthresh_bytes),
        (40 * SEGMENT, 40 * SEGMENT)
    );
    assert_eq!(phase_name(decision.phase), "pacing");
    assert_eq!(decision.pacing_bytes_per_s, rate + rate / 8);
    // Half of cwnd is filled, then all of it.
    assert_eq!(
        phase_name(host.ack(50 * MS, 20 * SEGMENT, ACK_CWND_LIMITED).phase),
        "pacing"
    );
    let filled = host.ack(MS, 39 * SEGMENT, ACK_CWND_LIMITED);
    assert_eq!(
        (phase_name(filled.phase), exit_name(filled.exit)),
        ("avoidance", "ssthresh")
    );
    assert_eq!(filled.pacing_bytes_per_s, UNLIMITED);
}

/// The ACKs of five segments, a fifth of a round trip apart, give a rate of five segments in a
/// round trip. At that rate slow start would not double cwnd.
#[test]
fn spaced_never_takes_longer_than_a_round_trip_for_a_window() {
    let mut host = in_avoidance("spaced");
    timeout(&mut host);
    for _ in 0..30 {
        let decision = host.ack(20 * MS, 4 * SEGMENT, ACK_CWND_LIMITED);
        let in_a_round_trip = decision.pacing_bytes_per_s / 10;
        assert!(in_a_round_trip >= decision.cwnd_bytes, "{decision:?}");
    }
    assert!(
        host.decision.estimate_bytes_per_s < 60 * SEGMENT,
        "{:?}",
        host.decision
    );
}

/// An application that sends little data shows nothing about the path: its ACKs change neither the
/// rate nor ssthresh.
#[test]
fn spaced_learns_nothing_from_what_does_not_fill_cwnd() {
    let mut host = Host::new("spaced", start(), 100 * MS);
    host.flight(MS, ACK_CWND_LIMITED);
    let estimate = host.decision.estimate_bytes_per_s;
    for _ in 0..100 {
        let decision = host.ack(20 * MS, 4 * SEGMENT, 0);
        assert_eq!(
            (phase_name(decision.phase), decision.ssthresh_bytes),
            ("slow-start", UNLIMITED)
        );
        assert_eq!(decision.estimate_bytes_per_s, estimate);
    }
}
