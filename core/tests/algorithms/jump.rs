//! `jump` and `halfback`: what leaves in the first round trip, and what a loss in it leaves.

use crate::flights::{start, Host, MS, MSS};
use onramp_core::{
    exit_name, phase_name, Start, ACK_APP_LIMITED, ACK_CWND_LIMITED, ACK_RECOVERING, LOSS_RECOVERY,
    LOSS_TIMEOUT, UNLIMITED,
};

const SEGMENT: u64 = MSS as u64;
const RTT_NS: u64 = 100 * MS;

/// The start of a connection whose receiver has a window of so many segments.
fn receiver_of(segments: u64) -> Start {
    Start {
        srtt_ns: RTT_NS,
        peer_window_bytes: segments * SEGMENT,
        ..start()
    }
}

/// A host that has sent its window of 400 segments and received the first ACK.
fn after_the_first_ack() -> Host {
    let mut host = Host::new("jump", receiver_of(400), RTT_NS);
    host.ack(RTT_NS, 399 * SEGMENT, ACK_CWND_LIMITED);
    host
}

#[test]
fn the_receivers_window_leaves_within_a_round_trip() {
    let host = Host::new("jump", receiver_of(400), RTT_NS);
    let first = host.decision;
    assert_eq!(phase_name(first.phase), "pacing");
    assert_eq!(
        (first.cwnd_bytes, first.pacing_bytes_per_s),
        (400 * SEGMENT, 4000 * SEGMENT)
    );
}

#[test]
fn halfback_sends_at_most_141_kb() {
    let window = |segments| {
        let host = Host::new("halfback", receiver_of(segments), RTT_NS);
        (host.decision.cwnd_bytes, host.decision.pacing_bytes_per_s)
    };
    assert_eq!(window(400), (141_000, 1_410_000));
    assert_eq!(window(100), (100_000, 1_000_000));
}

#[test]
fn what_had_left_at_the_first_ack_is_cwnd_until_it_is_acknowledged() {
    let mut host = Host::new("jump", receiver_of(400), RTT_NS);
    let held = host.ack(RTT_NS, 389 * SEGMENT, ACK_CWND_LIMITED);
    assert_eq!(phase_name(held.phase), "hold");
    assert_eq!(
        (held.cwnd_bytes, held.pacing_bytes_per_s),
        (390 * SEGMENT, UNLIMITED)
    );
    for _ in 0..388 {
        let held = host.ack(MS / 4, 389 * SEGMENT, ACK_CWND_LIMITED);
        assert_eq!((held.cwnd_bytes, held.exit), (390 * SEGMENT, 0));
    }
    let done = host.ack(MS / 4, 389 * SEGMENT, ACK_CWND_LIMITED);
    assert_eq!(exit_name(done.exit), "receiver");
    assert_eq!(done.cwnd_bytes, done.ssthresh_bytes);
}

#[test]
fn an_application_with_less_data_is_the_reason_for_the_end() {
    let mut host = Host::new("jump", receiver_of(400), RTT_NS);
    let done = host.ack(RTT_NS, 0, ACK_APP_LIMITED);
    assert_eq!(exit_name(done.exit), "application");
}

/// ssthresh is half of what arrived: (D - R) / 2, as recovery finds R.
#[test]
fn a_loss_leaves_half_of_what_arrived() {
    let mut host = after_the_first_ack();
    let lost = host.loss(LOSS_RECOVERY, 399 * SEGMENT, 280 * SEGMENT);
    assert_eq!(phase_name(lost.phase), "retreat");
    assert_eq!(lost.ssthresh_bytes, 200 * SEGMENT);
    for (lost_segments, ssthresh_segments) in [(100, 150), (300, 50), (399, 2)] {
        host.ack.lost_bytes = lost_segments * SEGMENT;
        let decision = host.ack(MS, 10 * SEGMENT, ACK_RECOVERING);
        assert_eq!(
            (decision.ssthresh_bytes, decision.exit),
            (ssthresh_segments * SEGMENT, 0)
        );
    }
    let done = host.ack(MS, 10 * SEGMENT, 0);
    assert_eq!(
        (exit_name(done.exit), done.ssthresh_bytes),
        ("loss", 2 * SEGMENT)
    );
}

#[test]
fn a_timeout_leaves_the_hosts_ssthresh() {
    let done = after_the_first_ack().loss(LOSS_TIMEOUT, 399 * SEGMENT, 200 * SEGMENT);
    assert_eq!(
        (exit_name(done.exit), done.ssthresh_bytes),
        ("timeout", 200 * SEGMENT)
    );
}

/// No RTT, no window, a small window, a clock that is too coarse: slow start.
#[test]
fn where_it_cannot_pace_the_window_slow_start_begins() {
    let mut no_rtt = receiver_of(400);
    no_rtt.srtt_ns = 0;
    let mut coarse = receiver_of(400);
    coarse.clock.event_ns = 500 * MS;
    for start in [no_rtt, receiver_of(0), receiver_of(9), coarse] {
        let mut host = Host::new("jump", start, RTT_NS);
        assert_eq!(phase_name(host.decision.phase), "slow-start");
        let decision = host.ack(RTT_NS, 9 * SEGMENT, ACK_CWND_LIMITED);
        assert_eq!(decision.cwnd_bytes, 11 * SEGMENT);
        let done = host.loss(LOSS_RECOVERY, 9 * SEGMENT, 7 * SEGMENT);
        assert_eq!(
            (exit_name(done.exit), done.ssthresh_bytes),
            ("loss", 7 * SEGMENT)
        );
    }
}
