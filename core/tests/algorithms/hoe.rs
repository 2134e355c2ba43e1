//! `hoe`: which ACKs give the rate, that it is measured once, and what ends slow start.

use crate::flights::{start, Host, MS, MSS};
use onramp_core::{
    exit_name, phase_name, Decision, Start, ACK_APP_LIMITED, ACK_CWND_LIMITED, LOSS_RECOVERY,
    LOSS_TAHOE, LOSS_TIMEOUT, PHASE_DONE, UNLIMITED,
};

const SEGMENT: u64 = MSS as u64;
const RTT_NS: u64 = 100 * MS;

/// A host with a cwnd of ten segments, none of which is acknowledged.
fn host(ssthresh_bytes: u64) -> Host {
    let mut host = Host::new(
        "hoe",
        Start {
            ssthresh_bytes,
            ..start()
        },
        RTT_NS,
    );
    host.ack.rtt_ns = RTT_NS;
    host
}

/// ACKs of one segment each, `gap_ns` apart. cwnd is full.
fn acks(host: &mut Host, count: u64, gap_ns: u64) -> Decision {
    (0..count)
        .for_each(|_| _ = host.ack(gap_ns, host.decision.cwnd_bytes - SEGMENT, ACK_CWND_LIMITED));
    host.decision
}

/// A host that has measured the rate: one segment in a millisecond, 100 in a round trip.
fn measured() -> Host {
    let mut host = host(UNLIMITED);
    acks(&mut host, 3, MS);
    assert_eq!(host.decision.estimate_bytes_per_s, 1_000_000);
    host
}

#[test]
fn the_third_ack_of_a_flight_gives_the_rate() {
    let mut host = host(UNLIMITED);
    let two = acks(&mut host, 2, MS);
    assert_eq!(
        (two.estimate_bytes_per_s, two.ssthresh_bytes),
        (0, UNLIMITED)
    );
    let three = acks(&mut host, 1, MS);
    assert_eq!(
        (three.estimate_bytes_per_s, three.ssthresh_bytes),
        (1_000_000, 100 * SEGMENT)
    );
}

/// The rate is the slope of the line, not the quotient of its ends: 2 + 4 segments in 2 + 2 ms.
#[test]
fn acks_of_several_segments_count_for_what_they_are() {
    let mut host = host(UNLIMITED);
    acks(&mut host, 1, MS);
    for bytes in [2 * SEGMENT, 4 * SEGMENT] {
        host.ack.delivered_bytes += bytes - SEGMENT;
        acks(&mut host, 1, 2 * MS);
    }
    assert_eq!(host.decision.estimate_bytes_per_s, 1_500_000);
}

#[test]
fn acks_of_several_flights_give_no_rate() {
    let mut host = host(UNLIMITED);
    for _ in 0..10 {
        host.ack(RTT_NS, SEGMENT, ACK_CWND_LIMITED);
        host.ack(MS, 0, ACK_CWND_LIMITED);
    }
    assert_eq!(
        (
            host.decision.estimate_bytes_per_s,
            host.decision.ssthresh_bytes
        ),
        (0, UNLIMITED)
    );
}

#[test]
fn the_measured_ssthresh_stays() {
    let mut host = measured();
    let later = acks(&mut host, 60, MS / 4);
    assert_eq!(
        (later.estimate_bytes_per_s, later.ssthresh_bytes),
        (1_000_000, 100 * SEGMENT)
    );
}

/// HyStart lowers ssthresh when a queue builds up, whatever its cause.
#[test]
fn a_lower_ssthresh_of_the_host_is_not_used() {
    for acknowledged in [1, 3] {
        let mut host = host(UNLIMITED);
        let before = acks(&mut host, acknowledged, MS);
        host.decision.ssthresh_bytes = 12 * SEGMENT;
        let after = acks(&mut host, 1, MS);
        assert_eq!(
            (phase_name(after.phase), after.ssthresh_bytes),
            ("slow-start", before.ssthresh_bytes)
        );
    }
}

#[test]
fn the_measured_ssthresh_replaces_the_hosts_first_one() {
    for segments in [50, 200] {
        let mut host = host(segments * SEGMENT);
        assert_eq!(acks(&mut host, 3, MS).ssthresh_bytes, 100 * SEGMENT);
    }
}

/// The BDP is that of the path without queues.
#[test]
fn the_rtt_is_the_shortest_that_was_seen() {
    let mut host = host(UNLIMITED);
    for rtt_ns in [80 * MS, 50 * MS, 200 * MS] {
        host.ack.rtt_ns = rtt_ns;
        acks(&mut host, 1, MS);
    }
    assert_eq!(host.decision.ssthresh_bytes, 50 * SEGMENT);
}

#[test]
fn without_a_round_trip_there_is_no_window() {
    let mut host = host(UNLIMITED);
    host.ack.rtt_ns = 0;
    assert_eq!(acks(&mut host, 9, MS).ssthresh_bytes, UNLIMITED);
    host.ack.rtt_ns = RTT_NS;
    assert_eq!(acks(&mut host, 1, MS).ssthresh_bytes, 100 * SEGMENT);
}

#[test]
fn acks_at_one_moment_wait_for_a_later_one() {
    let mut host = host(UNLIMITED);
    let at_once = acks(&mut host, 5, 0);
    assert_eq!(
        (at_once.estimate_bytes_per_s, at_once.ssthresh_bytes),
        (0, UNLIMITED)
    );
    // The slope of the line through the second to the sixth ACK.
    assert_eq!(acks(&mut host, 1, 2 * MS).estimate_bytes_per_s, 1_250_000);
}

/// The next flight gives no rate either: the application held it back when it was sent.
#[test]
fn a_flight_that_the_application_held_back_gives_no_rate() {
    let mut host = host(UNLIMITED);
    let flight = |host: &mut Host, flags| {
        for left in (0..10).rev() {
            host.ack(MS, left * SEGMENT, flags);
        }
        host.decision.estimate_bytes_per_s
    };
    assert_eq!(flight(&mut host, ACK_APP_LIMITED), 0);
    assert_eq!(flight(&mut host, ACK_CWND_LIMITED), 0);
    assert_eq!(flight(&mut host, ACK_CWND_LIMITED), 1_000_000);
}

#[test]
fn slow_start_ends_where_the_path_is_full() {
    let mut host = measured();
    let before = acks(&mut host, 86, MS);
    assert_eq!(
        (phase_name(before.phase), before.cwnd_bytes),
        ("slow-start", 99 * SEGMENT)
    );
    let end = acks(&mut host, 1, MS);
    assert_eq!((end.phase, exit_name(end.exit)), (PHASE_DONE, "estimate"));
    assert_eq!(
        (end.cwnd_bytes, end.ssthresh_bytes),
        (100 * SEGMENT, 100 * SEGMENT)
    );
    assert_eq!(end.pacing_bytes_per_s, UNLIMITED);
}

#[test]
fn a_window_that_is_more_than_the_bdp_stays_and_ends_it() {
    let mut host = host(UNLIMITED);
    let end = acks(&mut host, 3, 20 * MS);
    assert_eq!((end.phase, exit_name(end.exit)), (PHASE_DONE, "estimate"));
    assert_eq!(
        (end.cwnd_bytes, end.ssthresh_bytes),
        (12 * SEGMENT, 5 * SEGMENT)
    );
}

#[test]
fn a_hosts_ssthresh_that_comes_first_ends_it() {
    let mut host = host(12 * SEGMENT);
    let end = acks(&mut host, 2, MS);
    assert_eq!((end.phase, exit_name(end.exit)), (PHASE_DONE, "ssthresh"));
    assert_eq!(
        (end.cwnd_bytes, end.ssthresh_bytes),
        (12 * SEGMENT, 12 * SEGMENT)
    );
}

#[test]
fn a_loss_ends_it_with_the_hosts_ssthresh() {
    for (kind, exit) in [
        (LOSS_RECOVERY, "loss"),
        (LOSS_TAHOE, "loss"),
        (LOSS_TIMEOUT, "timeout"),
    ] {
        let mut host = measured();
        let end = host.loss(kind, 12 * SEGMENT, 6 * SEGMENT);
        assert_eq!((end.phase, exit_name(end.exit)), (PHASE_DONE, exit));
        assert_eq!(
            (end.cwnd_bytes, end.ssthresh_bytes),
            (13 * SEGMENT, 6 * SEGMENT)
        );
        assert_eq!(end.estimate_bytes_per_s, 1_000_000);
    }
}
