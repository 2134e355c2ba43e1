//! `onramp` when a loss is found.

use crate::flights::{Host, MS};
use crate::onramp::{
    arrive, assert_segments, host_on, in_approach, in_drain, in_pacing, phase, until, validated,
};
use crate::onramp::{QUEUED, RATE, RTT, SEGMENT};
use crate::path::time_ns;
use onramp_core::{
    exit_name, Decision, ACK_CWND_LIMITED, ACK_RECOVERING, LOSS_RECOVERY, LOSS_TAHOE, LOSS_TIMEOUT,
    UNLIMITED,
};

/// cwnd was full when the loss was found.
pub fn lose(host: &mut Host, kind: u32, ssthresh_segments: u64) -> Decision {
    host.lose(kind, host.decision.cwnd_bytes, ssthresh_segments * SEGMENT)
}

/// This many segments arrive while the loss is repaired.
pub fn recover(host: &mut Host, segments: u64, bytes_per_s: u64) -> Decision {
    for _ in 0..segments {
        host.ack(
            time_ns(SEGMENT, bytes_per_s),
            host.ack.inflight_bytes,
            ACK_RECOVERING | ACK_CWND_LIMITED,
        );
    }
    host.decision
}

/// The loss is repaired: cwnd is ssthresh.
pub fn recovered(host: &mut Host) -> Decision {
    host.decision.cwnd_bytes = host.decision.ssthresh_bytes;
    host.ack(MS, host.decision.cwnd_bytes - SEGMENT, ACK_CWND_LIMITED)
}

#[track_caller]
pub fn assert_done(decision: &Decision, exit: &str) {
    assert_eq!((decision.is_over(), exit_name(decision.exit)), (true, exit));
    assert_eq!(
        (decision.pacing_bytes_per_s, decision.is_full),
        (UNLIMITED, 0)
    );
}

#[test]
fn a_loss_of_slow_start_ends_at_the_hosts_ssthresh() {
    for (kind, exit) in [
        (LOSS_RECOVERY, "loss"),
        (LOSS_TAHOE, "loss"),
        (LOSS_TIMEOUT, "timeout"),
    ] {
        let mut host = host_on(RTT);
        arrive(&mut host, 5, RATE, RTT);
        let decision = host.lose(kind, 14 * SEGMENT, 7 * SEGMENT);
        assert_done(&decision, exit);
        assert_eq!(
            (decision.cwnd_bytes, decision.ssthresh_bytes),
            (15 * SEGMENT, 7 * SEGMENT)
        );
    }
}

#[test]
fn the_part_of_a_paced_window_that_was_not_sent_is_not_halved() {
    for (kind, exit) in [(LOSS_RECOVERY, "loss"), (LOSS_TIMEOUT, "timeout")] {
        let mut host = in_pacing();
        let decision = host.lose(kind, 190 * SEGMENT, 380 * SEGMENT);
        assert_done(&decision, exit);
        assert_eq!(
            (decision.cwnd_bytes, decision.ssthresh_bytes),
            (760 * SEGMENT, 95 * SEGMENT)
        );
        // In slow start, the window is what congestion avoidance would have too.
        let mut host = host_on(RTT);
        arrive(&mut host, 5, RATE, RTT);
        let decision = host.lose(kind, 10 * SEGMENT, 9 * SEGMENT);
        assert_done(&decision, exit);
        assert_eq!(decision.ssthresh_bytes, 9 * SEGMENT);
    }
    let mut host = in_pacing();
    assert_eq!(
        host.lose(LOSS_RECOVERY, 800 * SEGMENT, 380 * SEGMENT)
            .ssthresh_bytes,
        380 * SEGMENT
    );
}

#[test]
fn an_rto_ends_the_approach_at_the_hosts_ssthresh() {
    for (kind, exit) in [(LOSS_TAHOE, "loss"), (LOSS_TIMEOUT, "timeout")] {
        let decision = lose(&mut in_approach(), kind, 380);
        assert_done(&decision, exit);
        assert_eq!(decision.ssthresh_bytes, 380 * SEGMENT);
    }
}

/// When all segments in flight at the loss have arrived.
#[test]
fn ssthresh_is_lowered_to_what_was_carried() {
    let mut host = validated();
    let in_flight = host.decision.cwnd_bytes / SEGMENT;
    let decision = lose(&mut host, LOSS_RECOVERY, 700);
    assert_eq!(
        (phase(&host), decision.exit, decision.pacing_bytes_per_s),
        ("retreat", 0, UNLIMITED)
    );
    assert_eq!(decision.ssthresh_bytes, 700 * SEGMENT);
    assert_eq!(
        recover(&mut host, in_flight - 1, RATE / 2).ssthresh_bytes,
        700 * SEGMENT
    );
    let decision = recover(&mut host, 1, RATE / 2);
    assert_eq!(phase(&host), "retreat");
    assert_segments(decision.ssthresh_bytes, 500);
    // Later arrivals change nothing.
    assert_eq!(
        recover(&mut host, 100, RATE / 10).ssthresh_bytes,
        decision.ssthresh_bytes
    );
    let ssthresh_bytes = decision.ssthresh_bytes;
    let decision = recovered(&mut host);
    assert_done(&decision, "loss");
    assert_eq!(decision.ssthresh_bytes, ssthresh_bytes);
}

/// A repair of 500 segments that leaves `in_flight` of them in flight.
fn repaired_with(in_flight: u64) -> Host {
    let mut host = validated();
    let all = host.decision.cwnd_bytes / SEGMENT;
    lose(&mut host, LOSS_RECOVERY, 700);
    recover(&mut host, all, RATE / 2);
    host.decision.cwnd_bytes = host.decision.ssthresh_bytes;
    assert_segments(host.decision.cwnd_bytes, 500);
    host.ack(MS, in_flight * SEGMENT, ACK_CWND_LIMITED);
    host
}

/// Otherwise 400 segments would leave at once.
#[test]
fn after_a_repair_what_cwnd_permits_is_paced_for_a_round_trip() {
    let mut host = repaired_with(100);
    let (cwnd_bytes, ssthresh_bytes) = (host.decision.cwnd_bytes, host.decision.ssthresh_bytes);
    assert_eq!(
        (phase(&host), exit_name(host.decision.exit)),
        ("safe-transmit", "loss")
    );
    assert!(host.decision.is_over(), "congestion avoidance owns cwnd");
    let paced = host.decision.pacing_bytes_per_s;
    let expected = cwnd_bytes * 1_000_000_000 / RTT;
    assert!(
        paced.abs_diff(expected) <= expected / 100,
        "{paced}, not {expected}"
    );
    let mut acks = 0;
    while phase(&host) == "safe-transmit" {
        host.ack(RTT / 100, cwnd_bytes, ACK_CWND_LIMITED);
        acks += 1;
    }
    assert!((90..=110).contains(&acks), "{acks} % of a round trip");
    let decision = host.decision;
    assert_done(&decision, "loss");
    assert_eq!(decision.ssthresh_bytes, ssthresh_bytes);
}

#[test]
fn a_loss_after_a_repair_is_repaired_too() {
    let mut host = repaired_with(100);
    let decision = lose(&mut host, LOSS_RECOVERY, 300);
    assert_eq!(
        (phase(&host), decision.ssthresh_bytes),
        ("retreat", 300 * SEGMENT)
    );
    host = repaired_with(100);
    assert_done(&lose(&mut host, LOSS_TIMEOUT, 300), "timeout");
}

#[test]
fn a_repair_that_leaves_most_of_cwnd_in_flight_ends_the_startup() {
    assert_done(&repaired_with(450).decision, "loss");
}

/// Nothing is marked lost.
#[test]
fn an_ecn_mark_ends_the_startup_at_the_hosts_ssthresh() {
    let mut host = validated();
    let in_flight_bytes = host.decision.cwnd_bytes;
    let decision = host.loss(LOSS_RECOVERY, in_flight_bytes, 700 * SEGMENT);
    assert_done(&decision, "loss");
    assert_eq!(decision.ssthresh_bytes, 700 * SEGMENT);
}

#[test]
fn an_ssthresh_below_what_was_carried_stays() {
    let mut host = validated();
    let in_flight = host.decision.cwnd_bytes / SEGMENT;
    lose(&mut host, LOSS_RECOVERY, 300);
    assert_eq!(
        recover(&mut host, in_flight, RATE / 2).ssthresh_bytes,
        300 * SEGMENT
    );
}

#[test]
fn a_loss_in_hold_is_handled_as_in_the_approach() {
    let mut host = validated();
    until(&mut host, "hold", RATE, QUEUED);
    let in_flight = host.decision.cwnd_bytes / SEGMENT;
    lose(&mut host, LOSS_RECOVERY, 700);
    assert_segments(recover(&mut host, in_flight, RATE / 2).ssthresh_bytes, 500);
    assert_done(&recovered(&mut host), "loss");
}

/// A segment that is marked lost is accounted for, too.
#[test]
fn segments_marked_lost_meanwhile_are_not_waited_for() {
    let mut host = validated();
    let in_flight = host.decision.cwnd_bytes / SEGMENT;
    lose(&mut host, LOSS_RECOVERY, 700);
    host.ack.lost_bytes += 400 * SEGMENT;
    assert_eq!(
        recover(&mut host, in_flight - 401, RATE / 2).ssthresh_bytes,
        700 * SEGMENT
    );
    assert_segments(recover(&mut host, 1, RATE / 2).ssthresh_bytes, 500);
}

/// The last segments are lost, so nothing arrives until retransmissions do, a round trip later.
#[test]
fn a_silence_after_a_flight_does_not_lower_its_rate() {
    let mut host = validated();
    let in_flight = host.decision.cwnd_bytes / SEGMENT;
    lose(&mut host, LOSS_RECOVERY, 700);
    recover(&mut host, in_flight - 401, RATE / 2);
    host.ack.lost_bytes += 401 * SEGMENT;
    let late = host.ack(
        RTT,
        host.ack.inflight_bytes,
        ACK_RECOVERING | ACK_CWND_LIMITED,
    );
    assert_segments(late.ssthresh_bytes, 500);
}

#[test]
fn less_than_half_a_round_trip_gives_no_rate() {
    let mut host = validated();
    let in_flight = host.decision.cwnd_bytes / SEGMENT;
    lose(&mut host, LOSS_RECOVERY, 700);
    // All but ten segments of the flight are lost.
    host.ack.lost_bytes += (in_flight - 10) * SEGMENT;
    // 500 us for each segment. The measured time begins with the first segment.
    assert_eq!(
        recover(&mut host, 100, RATE / 5).ssthresh_bytes,
        700 * SEGMENT
    );
    assert_segments(recover(&mut host, 1, RATE / 5).ssthresh_bytes, 200);
}

#[test]
fn a_repair_that_ends_early_leaves_the_hosts_ssthresh() {
    for mut host in [validated(), in_approach()] {
        lose(&mut host, LOSS_RECOVERY, 700);
        recover(&mut host, 10, RATE);
        let ssthresh_bytes = host.decision.ssthresh_bytes;
        let decision = recovered(&mut host);
        assert_done(&decision, "loss");
        assert_eq!(decision.ssthresh_bytes, ssthresh_bytes);
    }
}

/// A paced flight that was too large filled a queue, lost segments, and arrives at two thirds of
/// its rate.
fn measured_as_too_large() -> Host {
    let mut host = in_approach();
    arrive(&mut host, 1, RATE, QUEUED);
    assert_eq!(
        lose(&mut host, LOSS_RECOVERY, 500).ssthresh_bytes,
        20 * SEGMENT,
        "the window before it"
    );
    recover(&mut host, 760, RATE / 2);
    host
}

#[test]
fn a_paced_flight_that_was_too_large_leads_to_a_quarter_of_the_bdp_and_drains() {
    let mut host = measured_as_too_large();
    assert_eq!(phase(&host), "retreat");
    assert_segments(host.decision.ssthresh_bytes, 125);
    let decision = recovered(&mut host);
    assert_eq!(
        (phase(&host), decision.exit, decision.pacing_bytes_per_s),
        ("drain", 0, UNLIMITED)
    );
    assert_segments(decision.cwnd_bytes, 125);
    assert_eq!(decision.ssthresh_bytes, decision.cwnd_bytes);
}

#[test]
fn a_path_drained_after_a_loss_is_paced_at_the_delivery_rate() {
    let mut host = measured_as_too_large();
    recovered(&mut host);
    let decision = until(&mut host, "pacing", RATE / 2, RTT);
    assert_eq!(
        (decision.estimate_bytes_per_s, decision.ssthresh_bytes),
        (RATE / 2, UNLIMITED)
    );
    assert_segments(decision.cwnd_bytes, 385);
}

#[test]
fn a_queue_that_stays_after_a_loss_ends_the_startup() {
    let mut host = measured_as_too_large();
    recovered(&mut host);
    let decision = until(&mut host, "done", RATE / 2, QUEUED);
    assert_done(&decision, "loss");
    assert_segments(decision.ssthresh_bytes, 125);
}

/// More than seven eighths of the rate at which it left: the loss had another cause.
#[test]
fn a_paced_flight_that_arrived_as_fast_as_it_left_was_carried() {
    let mut host = in_approach();
    lose(&mut host, LOSS_RECOVERY, 600);
    assert_eq!(
        recover(&mut host, 760, RATE / 10 * 7).ssthresh_bytes,
        600 * SEGMENT
    );
    assert_done(&recovered(&mut host), "loss");
}

/// A second paced flight that was too large: 385 segments, at twice the rate that the path has now.
fn in_second_drain() -> Host {
    let mut host = measured_as_too_large();
    recovered(&mut host);
    until(&mut host, "pacing", RATE / 2, RTT);
    until(&mut host, "approach", RATE / 2, RTT);
    until(&mut host, "drain", RATE / 5, QUEUED);
    host
}

/// No competing flow is there, so the rate of the path varies. Growth is slow start's, from the 200
/// segments that were carried.
#[test]
fn a_second_drain_whose_rtt_falls_to_the_baseline_grows_again() {
    let mut host = in_second_drain();
    assert_segments(host.decision.cwnd_bytes, 200);
    let decision = until(&mut host, "approach", RATE / 5, RTT);
    assert_eq!((decision.exit, decision.ssthresh_bytes), (0, UNLIMITED));
    let before = decision.cwnd_bytes;
    let after = arrive(&mut host, 100, RATE / 5, RTT).cwnd_bytes;
    assert_eq!((phase(&host), after), ("approach", before + 100 * SEGMENT));
}

#[test]
fn a_second_drain_whose_queue_stays_ends_the_startup() {
    let mut host = in_second_drain();
    let decision = until(&mut host, "done", RATE / 5, QUEUED);
    assert_eq!((exit_name(decision.exit), decision.is_full), ("delay", 0));
    assert_segments(decision.ssthresh_bytes, 200);
}

#[test]
fn an_rto_while_a_loss_is_repaired_ends_the_startup() {
    let mut host = measured_as_too_large();
    let decision = lose(&mut host, LOSS_TIMEOUT, 60);
    assert_done(&decision, "timeout");
    assert!(decision.ssthresh_bytes <= 60 * SEGMENT);
}

/// The repair is over, and slow start has restarted.
#[test]
fn a_cwnd_below_ssthresh_after_a_repair_ends_the_startup() {
    let mut host = measured_as_too_large();
    host.decision.cwnd_bytes = 4 * SEGMENT;
    let decision = host.ack(MS, 3 * SEGMENT, ACK_CWND_LIMITED);
    assert_done(&decision, "loss");
    assert_eq!(decision.cwnd_bytes, 4 * SEGMENT);
}

/// The delivery rate is known from before the loss: cwnd is what was carried.
#[test]
fn a_loss_in_drain_leads_to_a_quarter_of_the_bdp() {
    let mut host = in_drain();
    arrive(&mut host, 100, RATE / 2, QUEUED);
    assert_eq!(
        lose(&mut host, LOSS_RECOVERY, 10).ssthresh_bytes,
        10 * SEGMENT
    );
    assert_eq!(phase(&host), "retreat");
    assert_eq!(
        recover(&mut host, 499, RATE / 5).ssthresh_bytes,
        10 * SEGMENT
    );
    assert_segments(recover(&mut host, 1, RATE / 5).ssthresh_bytes, 125);
    recovered(&mut host);
    assert_eq!(phase(&host), "drain");
}
