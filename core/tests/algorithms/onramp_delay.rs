//! `onramp` when the delay rises: cwnd is held, and the pipe is full or not.

use crate::flights::{Host, MS};
use crate::onramp::{
    arrive, assert_segments, host_on, in_approach, in_two_aggregates, phase, round, until,
    validated,
};
use crate::onramp::{PACED_RATE, QUEUED, RATE, RTT, SEGMENT};
use onramp_core::{
    exit_name, Decision, ACK_CWND_LIMITED, LOSS_RECOVERY, LOSS_TIMEOUT, PHASE_DONE, UNLIMITED,
};

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
fn a_rate_that_does_not_grow_with_cwnd_ends_the_startup_with_the_same_cwnd() {
    let mut host = validated();
    until(&mut host, "hold", RATE, QUEUED);
    let window = host.decision.cwnd_bytes;
    let decision = round(&mut host, PACED_RATE / 8 * 9, QUEUED);
    assert_eq!(
        (phase(&host), exit_name(decision.exit), decision.is_full),
        ("avoidance", "delay", 1)
    );
    assert_eq!(
        (decision.cwnd_bytes, decision.ssthresh_bytes),
        (window, window)
    );
    assert!(!paces_at(&decision, window));
    assert_segments(decision.learned_bytes, 855);
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
fn not_carried() -> Host {
    let mut host = in_approach();
    let begin_ns = host.ack.now_ns;
    until(&mut host, "hold", PACED_RATE / 3 * 2, QUEUED);
    let decision = until(&mut host, "approach", PACED_RATE / 3 * 2, QUEUED);
    assert!(
        (host.ack.now_ns - begin_ns).abs_diff(RTT / 2 * 3) < MS,
        "{} ns",
        host.ack.now_ns - begin_ns
    );
    assert_segments(decision.cwnd_bytes, 760 * 2 / 3);
    assert_eq!((decision.ssthresh_bytes, decision.exit), (UNLIMITED, 0));
    host
}

/// What was carried is the BDP, so growth begins with an eighth.
#[test]
fn a_paced_flight_that_is_not_carried_leads_to_what_was_carried() {
    let mut host = not_carried();
    let window = host.decision.cwnd_bytes;
    assert_segments(
        arrive(&mut host, 80, PACED_RATE / 3 * 2, RTT).cwnd_bytes,
        window / SEGMENT + 10,
    );
}

#[test]
fn a_queue_that_stays_then_ends_the_startup_at_what_was_carried() {
    let mut host = not_carried();
    let window = host.decision.cwnd_bytes;
    let decision = until(&mut host, "avoidance", PACED_RATE / 3 * 2, QUEUED);
    assert_eq!((exit_name(decision.exit), decision.is_full), ("delay", 1));
    assert!(decision.cwnd_bytes <= window + SEGMENT);
}

/// 20 segments before the paced flight, and the path carries only five in a round trip.
#[test]
fn cwnd_does_not_fall_below_the_one_before_the_paced_flight() {
    let mut host = in_approach();
    until(&mut host, "hold", RATE / 200, QUEUED);
    let decision = until(&mut host, "approach", RATE / 200, QUEUED);
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
fn a_held_slow_start_without_more_rate_ends_the_startup() {
    let mut host = host_on(RTT);
    in_two_aggregates(&mut host);
    in_two_aggregates(&mut host);
    arrive(&mut host, 8, RATE / 100, QUEUED);
    assert_eq!(phase(&host), "hold");
    let window = host.decision.cwnd_bytes;
    let decision = round(&mut host, RATE / 100, QUEUED);
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

/// The host paces a sender that ACKs clock, with this cwnd.
fn paces_at(decision: &Decision, cwnd_bytes: u64) -> bool {
    decision.host_paces(cwnd_bytes, decision.ssthresh_bytes, cwnd_bytes)
}

/// The start-up has ended at a full pipe.
fn full() -> Host {
    let mut host = validated();
    until(&mut host, "hold", RATE, QUEUED);
    until(&mut host, "avoidance", PACED_RATE / 8 * 9, QUEUED);
    host
}

#[test]
fn after_an_idle_time_three_quarters_of_a_full_pipe_leave_paced() {
    let mut host = full();
    let window = host.decision.cwnd_bytes;
    let kept = host.decision.host_restart_bytes(1_000 * MS, 0);
    let pipe = host.decision.learned_bytes;
    assert!(pipe / 4 * 3 <= kept && kept < pipe && pipe <= window);
    // So does the window after a shorter pause: at the rate of the pipe.
    assert!(paces_at(&host.decision, kept));
    assert_eq!(host.decision.pacing_bytes_per_s, pipe * 1_000 / (RTT / MS));
    // Up to ssthresh cwnd grows as in slow start, paced. Then congestion avoidance has it.
    host.decision.cwnd_bytes = kept;
    let decision = arrive(&mut host, 1, RATE, RTT);
    assert_eq!(decision.cwnd_bytes, kept + SEGMENT);
    assert_eq!(
        (phase(&host), exit_name(decision.exit)),
        ("avoidance", "delay")
    );
    let decision = arrive(&mut host, 1_000, RATE, RTT);
    assert_eq!(decision.cwnd_bytes, decision.ssthresh_bytes);
    assert!(!paces_at(&decision, decision.cwnd_bytes));
}

#[test]
fn a_loss_after_the_startup_is_congestion_avoidances_and_leaves_its_ssthresh() {
    let mut host = full();
    let decision = host.lose(LOSS_RECOVERY, 10 * SEGMENT, 500 * SEGMENT);
    assert_eq!(
        (phase(&host), exit_name(decision.exit)),
        ("avoidance", "delay")
    );
    assert_eq!(decision.ssthresh_bytes, 500 * SEGMENT);
    // Three quarters of what avoidance has left, and ten segments.
    assert_segments(decision.host_restart_bytes(0, 0), 385);
    assert_segments(decision.pacing_bytes_per_s * (RTT / MS) / 1_000, 500);
}

#[test]
fn an_rto_after_the_startup_ends_it_for_good() {
    let decision = full().lose(LOSS_TIMEOUT, 10 * SEGMENT, 500 * SEGMENT);
    assert_eq!(
        (decision.phase, exit_name(decision.exit)),
        (PHASE_DONE, "delay")
    );
    assert_eq!(decision.ssthresh_bytes, 500 * SEGMENT);
    assert_eq!(decision.host_restart_bytes(0, 0), 0);
}
