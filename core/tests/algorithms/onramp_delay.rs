//! `onramp` when the delay rises: cwnd is held, and the pipe is full, drained or neither.

use crate::flights::{Host, MS};
use crate::onramp::{
    arrive, assert_segments, host_on, in_approach, in_drain, in_two_aggregates, phase, round,
    until, validated,
};
use crate::onramp::{PACED_RATE, QUEUED, RATE, RTT, SEGMENT};
use onramp_core::{exit_name, Decision, ACK_CWND_LIMITED, UNLIMITED};

/// All but the last segment of the excess arrive.
fn drain_excess(host: &mut Host) -> Decision {
    arrive(
        host,
        host.ack.inflight_bytes / SEGMENT - 1,
        RATE / 2,
        QUEUED,
    )
}

#[test]
fn eight_delayed_samples_hold_cwnd() {
    let mut host = in_approach();
    let window = arrive(&mut host, 7, PACED_RATE, QUEUED).cwnd_bytes;
    assert_eq!(phase(&host), "approach");
    assert_eq!(arrive(&mut host, 1, PACED_RATE, QUEUED).cwnd_bytes, window);
    assert_eq!(phase(&host), "hold");
    assert_eq!(arrive(&mut host, 50, PACED_RATE, QUEUED).cwnd_bytes, window);
    assert_eq!(phase(&host), "hold");
}

#[test]
fn one_undelayed_sample_of_eight_lets_cwnd_grow() {
    let mut host = in_approach();
    for _ in 0..5 {
        arrive(&mut host, 7, PACED_RATE, QUEUED);
        arrive(&mut host, 1, PACED_RATE, RTT);
        assert_eq!(phase(&host), "approach");
    }
}

/// A sixteenth of the min RTT, but at least 1 ms and at most 16 ms.
#[test]
fn a_delay_is_a_sixteenth_of_the_min_rtt() {
    for (rtt_ms, queue_ns) in [(10, MS), (32, 2 * MS), (100, MS * 25 / 4), (600, 16 * MS)] {
        for (more_ns, name) in [(0, "approach"), (1, "hold")] {
            let rtt_ns = rtt_ms * MS;
            let mut host = host_on(rtt_ns);
            host.flight(MS / 10, ACK_CWND_LIMITED);
            until(&mut host, "approach", RATE, rtt_ns);
            arrive(&mut host, 8, RATE, rtt_ns + queue_ns + more_ns);
            assert_eq!(phase(&host), name, "{rtt_ms} ms");
        }
    }
}

#[test]
fn one_undelayed_sample_ends_a_hold() {
    let mut host = validated();
    until(&mut host, "hold", RATE, QUEUED);
    arrive(&mut host, 500, RATE, QUEUED);
    let window = host.decision.cwnd_bytes;
    arrive(&mut host, 1, RATE, QUEUED - 1);
    assert_eq!(
        (phase(&host), host.decision.cwnd_bytes),
        ("approach", window)
    );
    assert_eq!(
        arrive(&mut host, 80, RATE, RTT).cwnd_bytes,
        window + 10 * SEGMENT,
        "growth is as it was"
    );
}

/// With a third more of cwnd, the rate grows by an eighth. Half of the growth of cwnd would be a
/// sixth.
#[test]
fn a_rate_that_does_not_grow_with_cwnd_lets_cwnd_rest() {
    let mut host = validated();
    until(&mut host, "hold", RATE, QUEUED);
    let window = host.decision.cwnd_bytes;
    let decision = round(&mut host, PACED_RATE / 8 * 9, QUEUED);
    assert_eq!(
        (phase(&host), exit_name(decision.exit), decision.is_full),
        ("rest", "none", 0)
    );
    assert_eq!(
        (decision.cwnd_bytes, decision.ssthresh_bytes),
        (window, UNLIMITED)
    );
    assert_eq!(
        decision.estimate_bytes_per_s / 1000,
        PACED_RATE / 8 * 9 / 1000
    );
}

#[test]
fn a_rate_that_grows_with_cwnd_lets_cwnd_grow_faster() {
    let mut host = validated();
    until(&mut host, "hold", RATE, QUEUED);
    let window = host.decision.cwnd_bytes;
    round(&mut host, PACED_RATE / 5 * 6, QUEUED);
    assert_eq!(
        (
            phase(&host),
            host.decision.cwnd_bytes,
            host.decision.is_full
        ),
        ("approach", window, 0)
    );
    assert_eq!(
        arrive(&mut host, 40, RATE, RTT).cwnd_bytes,
        window + 10 * SEGMENT
    );
}

/// The delay is the new baseline: only a larger one is a further queue.
#[test]
fn a_delay_with_a_growing_rate_becomes_the_baseline() {
    let mut host = validated();
    until(&mut host, "hold", RATE, QUEUED);
    round(&mut host, PACED_RATE / 5 * 6, QUEUED);
    arrive(&mut host, 80, RATE, QUEUED);
    assert_eq!(phase(&host), "approach");
    until(&mut host, "hold", RATE, QUEUED + RTT / 16 + 1);
}

/// The whole paced flight arrives at two thirds of the rate at which it left: in 3/2 of a round
/// trip.
#[test]
fn a_paced_flight_that_is_not_carried_drains_to_what_was_carried() {
    let mut host = in_approach();
    let begin_ns = host.ack.now_ns;
    until(&mut host, "hold", PACED_RATE / 3 * 2, QUEUED);
    let decision = until(&mut host, "drain", PACED_RATE / 3 * 2, QUEUED);
    assert!(
        (host.ack.now_ns - begin_ns).abs_diff(RTT / 2 * 3) < MS,
        "{} ns",
        host.ack.now_ns - begin_ns
    );
    assert_segments(decision.cwnd_bytes, 760 * 2 / 3);
    assert_eq!(decision.ssthresh_bytes, UNLIMITED);
    assert_eq!((decision.pacing_bytes_per_s, decision.exit), (UNLIMITED, 0));
}

/// 20 segments before the paced flight, and the path carries only five in a round trip.
#[test]
fn drain_does_not_go_below_the_prior_cwnd() {
    let mut host = in_approach();
    let decision = until(&mut host, "drain", RATE / 200, QUEUED);
    assert_eq!(decision.cwnd_bytes, 20 * SEGMENT);
}

/// The flight arrives at more than seven eighths of the rate at which it left.
#[test]
fn a_paced_flight_that_is_carried_in_spite_of_a_delay_goes_on() {
    let mut host = in_approach();
    until(&mut host, "hold", PACED_RATE / 9 * 8, QUEUED);
    let window = host.decision.cwnd_bytes;
    until(&mut host, "approach", PACED_RATE / 9 * 8, QUEUED);
    assert_eq!(host.decision.cwnd_bytes, window);
}

/// cwnd is the BDP at the delivery rate already. It needs no pacing, and no further validation.
#[test]
fn a_drained_path_is_filled_a_second_time_at_the_delivery_rate() {
    let mut host = in_drain();
    let window = drain_excess(&mut host).cwnd_bytes;
    assert_eq!((phase(&host), window), ("drain", 500 * SEGMENT));
    arrive(&mut host, 7, RATE / 2, RTT);
    assert_eq!(phase(&host), "drain");
    let decision = arrive(&mut host, 1, RATE / 2, RTT);
    assert_eq!((phase(&host), decision.exit), ("pacing", 0));
    assert_eq!(decision.estimate_bytes_per_s, RATE / 2);
    assert_eq!(
        (decision.cwnd_bytes, decision.pacing_bytes_per_s),
        (window, UNLIMITED)
    );
    until(&mut host, "approach", RATE / 2, RTT);
    let (before, in_flight) = (host.decision.cwnd_bytes, host.ack.inflight_bytes);
    let after = round(&mut host, RATE / 2, RTT).cwnd_bytes;
    assert_segments(after - before, in_flight / SEGMENT / 8);
}

/// cwnd is what was carried, and slow start goes no further.
#[test]
fn a_queue_that_stays_is_a_competing_flows_and_ends_the_startup_at_what_was_carried() {
    let mut host = in_drain();
    let decision = until(&mut host, "done", RATE / 2, QUEUED);
    assert_eq!((exit_name(decision.exit), decision.is_full), ("delay", 0));
    assert_eq!(
        (decision.cwnd_bytes, decision.pacing_bytes_per_s),
        (500 * SEGMENT, UNLIMITED)
    );
    assert_eq!(decision.ssthresh_bytes, decision.cwnd_bytes);
}

/// Slow start goes on from the prior cwnd, to a quarter of what was carried.
#[test]
fn ssthresh_after_a_drain_is_at_least_the_cwnd() {
    let mut host = in_approach();
    until(&mut host, "drain", RATE / 200, QUEUED);
    let decision = until(&mut host, "done", RATE / 200, QUEUED);
    assert_eq!(
        (decision.cwnd_bytes, decision.ssthresh_bytes),
        (20 * SEGMENT, 20 * SEGMENT)
    );
}

#[test]
fn drain_waits_for_a_queue_that_becomes_shorter() {
    let mut host = in_drain();
    drain_excess(&mut host);
    for more_ms in [40, 30, 20] {
        arrive(&mut host, 8, RATE / 2, RTT + more_ms * MS);
        assert_eq!(phase(&host), "drain");
    }
    arrive(&mut host, 8, RATE / 2, RTT);
    assert_eq!(phase(&host), "pacing");
}

/// The queue before the first flight belonged to a competing flow too.
#[test]
fn an_rtt_below_the_baseline_is_not_the_baseline() {
    let mut host = in_drain();
    let decision = until(&mut host, "done", RATE / 2, RTT - 10 * MS);
    assert_eq!(exit_name(decision.exit), "delay");
}

#[test]
fn delayed_samples_at_the_begin_of_a_flight_hold_slow_start() {
    let mut host = host_on(RTT);
    in_two_aggregates(&mut host);
    arrive(&mut host, 7, RATE, QUEUED);
    assert_eq!(phase(&host), "slow-start");
    let window = host.decision.cwnd_bytes;
    arrive(&mut host, 1, RATE, QUEUED);
    assert_eq!((phase(&host), host.decision.cwnd_bytes), ("hold", window));
}

/// The pipe is full: 100 KB/s, of which 10 segments are the BDP.
#[test]
fn a_held_slow_start_without_more_rate_rests_and_ends_the_startup() {
    let mut host = host_on(RTT);
    in_two_aggregates(&mut host);
    in_two_aggregates(&mut host);
    arrive(&mut host, 8, RATE / 100, QUEUED);
    assert_eq!(phase(&host), "hold");
    let window = host.decision.cwnd_bytes;
    let decision = round(&mut host, RATE / 100, QUEUED);
    assert_eq!((phase(&host), decision.cwnd_bytes), ("rest", window));
    let decision = until(&mut host, "done", RATE / 100, QUEUED);
    assert_eq!((exit_name(decision.exit), decision.is_full), ("delay", 1));
    assert_eq!(decision.cwnd_bytes, window);
    assert_segments(decision.learned_bytes, 10);
}

/// The later segments of a flight wait for its first ones.
#[test]
fn delayed_samples_later_in_a_flight_hold_nothing() {
    let mut host = host_on(RTT);
    in_two_aggregates(&mut host);
    host.ack.rtt_ns = RTT;
    for place in 0..20 {
        let gap_ns = if place == 10 { 40 * MS } else { 1000 };
        host.ack.rtt_ns = if place < 8 { RTT } else { 2 * RTT };
        host.ack(gap_ns, host.decision.cwnd_bytes - SEGMENT, ACK_CWND_LIMITED);
    }
    assert_eq!(
        (phase(&host), host.decision.cwnd_bytes),
        ("slow-start", 40 * SEGMENT)
    );
}
