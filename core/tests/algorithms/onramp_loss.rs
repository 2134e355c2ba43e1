//! `onramp` when something is lost.

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

/// The window was full when the loss was found.
fn lose(host: &mut Host, kind: u32, ssthresh_segments: u64) -> Decision {
    host.loss(kind, host.decision.cwnd_bytes, ssthresh_segments * SEGMENT)
}

/// So many segments arrive while the loss is repaired.
fn recover(host: &mut Host, segments: u64, bytes_per_s: u64) -> Decision {
    for _ in 0..segments {
        host.ack(
            time_ns(SEGMENT, bytes_per_s),
            host.ack.inflight_bytes,
            ACK_RECOVERING | ACK_CWND_LIMITED,
        );
    }
    host.decision
}

/// The loss is repaired: the window is the threshold.
fn recovered(host: &mut Host) -> Decision {
    host.decision.cwnd_bytes = host.decision.ssthresh_bytes;
    host.ack(MS, host.decision.cwnd_bytes - SEGMENT, ACK_CWND_LIMITED)
}

#[track_caller]
fn assert_done(decision: &Decision, exit: &str) {
    assert_eq!((decision.is_over(), exit_name(decision.exit)), (true, exit));
    assert_eq!(
        (decision.pacing_bytes_per_s, decision.is_full),
        (UNLIMITED, 0)
    );
}

#[test]
fn a_loss_of_slow_start_ends_at_the_host_s_threshold() {
    for (kind, exit) in [
        (LOSS_RECOVERY, "loss"),
        (LOSS_TAHOE, "loss"),
        (LOSS_TIMEOUT, "timeout"),
    ] {
        let mut host = host_on(RTT);
        arrive(&mut host, 5, RATE, RTT);
        let decision = host.loss(kind, 12 * SEGMENT, 7 * SEGMENT);
        assert_done(&decision, exit);
        assert_eq!(
            (decision.cwnd_bytes, decision.ssthresh_bytes),
            (15 * SEGMENT, 7 * SEGMENT)
        );
    }
}

#[test]
fn of_what_was_not_yet_paced_nothing_is_halved() {
    for (kind, exit) in [(LOSS_RECOVERY, "loss"), (LOSS_TIMEOUT, "timeout")] {
        let mut host = in_pacing();
        let decision = host.loss(kind, 190 * SEGMENT, 380 * SEGMENT);
        assert_done(&decision, exit);
        assert_eq!(
            (decision.cwnd_bytes, decision.ssthresh_bytes),
            (760 * SEGMENT, 95 * SEGMENT)
        );
    }
    let mut host = in_pacing();
    assert_eq!(
        host.loss(LOSS_RECOVERY, 800 * SEGMENT, 380 * SEGMENT)
            .ssthresh_bytes,
        380 * SEGMENT
    );
}

#[test]
fn a_loss_that_slow_start_follows_ends_the_approach_at_the_host_s_threshold() {
    for (kind, exit) in [(LOSS_TAHOE, "loss"), (LOSS_TIMEOUT, "timeout")] {
        let decision = lose(&mut in_approach(), kind, 380);
        assert_done(&decision, exit);
        assert_eq!(decision.ssthresh_bytes, 380 * SEGMENT);
    }
}

/// When so much has arrived as was outstanding.
#[test]
fn a_threshold_is_lowered_to_what_was_carried() {
    let mut host = validated();
    let outstanding = host.decision.cwnd_bytes / SEGMENT;
    let decision = lose(&mut host, LOSS_RECOVERY, 700);
    assert_eq!(
        (phase(&host), decision.exit, decision.pacing_bytes_per_s),
        ("retreat", 0, UNLIMITED)
    );
    assert_eq!(decision.ssthresh_bytes, 700 * SEGMENT);
    assert_eq!(
        recover(&mut host, outstanding - 1, RATE / 2).ssthresh_bytes,
        700 * SEGMENT
    );
    let decision = recover(&mut host, 1, RATE / 2);
    assert_eq!(phase(&host), "retreat");
    assert_segments(decision.ssthresh_bytes, 500);
    // What comes later changes nothing.
    assert_eq!(
        recover(&mut host, 100, RATE / 10).ssthresh_bytes,
        decision.ssthresh_bytes
    );
    let ssthresh_bytes = decision.ssthresh_bytes;
    let decision = recovered(&mut host);
    assert_done(&decision, "loss");
    assert_eq!(decision.ssthresh_bytes, ssthresh_bytes);
}

#[test]
fn a_threshold_that_is_less_than_what_was_carried_stays() {
    let mut host = validated();
    let outstanding = host.decision.cwnd_bytes / SEGMENT;
    lose(&mut host, LOSS_RECOVERY, 300);
    assert_eq!(
        recover(&mut host, outstanding, RATE / 2).ssthresh_bytes,
        300 * SEGMENT
    );
}

#[test]
fn a_loss_while_the_window_is_held_is_one_of_the_approach() {
    let mut host = validated();
    until(&mut host, "hold", RATE, QUEUED);
    let outstanding = host.decision.cwnd_bytes / SEGMENT;
    lose(&mut host, LOSS_RECOVERY, 700);
    assert_segments(
        recover(&mut host, outstanding, RATE / 2).ssthresh_bytes,
        500,
    );
    assert_done(&recovered(&mut host), "loss");
}

/// What is lost has a known fate, too.
#[test]
fn what_is_lost_meanwhile_is_not_waited_for() {
    let mut host = validated();
    let outstanding = host.decision.cwnd_bytes / SEGMENT;
    lose(&mut host, LOSS_RECOVERY, 700);
    host.ack.lost_bytes += 400 * SEGMENT;
    assert_eq!(
        recover(&mut host, outstanding - 401, RATE / 2).ssthresh_bytes,
        700 * SEGMENT
    );
    assert_segments(recover(&mut host, 1, RATE / 2).ssthresh_bytes, 500);
}

#[test]
fn less_than_half_a_round_trip_tells_no_rate() {
    let mut host = validated();
    host.loss(LOSS_RECOVERY, 10 * SEGMENT, 700 * SEGMENT);
    // Of 500 us each; time begins with the first.
    assert_eq!(
        recover(&mut host, 100, RATE / 5).ssthresh_bytes,
        700 * SEGMENT
    );
    assert_segments(recover(&mut host, 1, RATE / 5).ssthresh_bytes, 200);
}

#[test]
fn a_repair_that_ends_before_anything_is_known_leaves_the_host_s_threshold() {
    for mut host in [validated(), in_approach()] {
        lose(&mut host, LOSS_RECOVERY, 700);
        recover(&mut host, 10, RATE);
        let ssthresh_bytes = host.decision.ssthresh_bytes;
        let decision = recovered(&mut host);
        assert_done(&decision, "loss");
        assert_eq!(decision.ssthresh_bytes, ssthresh_bytes);
    }
}

/// A paced flight that was too much has lost something, and half of what it wanted to know arrives.
fn known_to_be_too_much() -> Host {
    let mut host = in_approach();
    assert_eq!(
        lose(&mut host, LOSS_RECOVERY, 500).ssthresh_bytes,
        20 * SEGMENT,
        "the window before it"
    );
    recover(&mut host, 760, RATE / 2);
    host
}

#[test]
fn a_paced_flight_that_lost_too_much_leads_to_a_quarter_of_what_was_carried_and_drains() {
    let mut host = known_to_be_too_much();
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
fn a_path_that_was_drained_after_a_loss_is_paced_at_what_was_carried() {
    let mut host = known_to_be_too_much();
    recovered(&mut host);
    let decision = until(&mut host, "pacing", RATE / 2, RTT);
    assert_eq!(
        (decision.estimate_bytes_per_s, decision.ssthresh_bytes),
        (RATE / 2, UNLIMITED)
    );
    assert_segments(decision.cwnd_bytes, 385);
}

#[test]
fn a_queue_that_stays_after_a_loss_ends_with_it() {
    let mut host = known_to_be_too_much();
    recovered(&mut host);
    let decision = until(&mut host, "done", RATE / 2, QUEUED);
    assert_done(&decision, "loss");
    assert_segments(decision.ssthresh_bytes, 125);
}

/// More than seven eighths of the rate at which it left: what was lost, was for another reason.
#[test]
fn a_paced_flight_of_which_so_much_arrived_as_left_was_carried() {
    let mut host = in_approach();
    lose(&mut host, LOSS_RECOVERY, 600);
    assert_eq!(
        recover(&mut host, 760, RATE / 10 * 7).ssthresh_bytes,
        600 * SEGMENT
    );
    assert_done(&recovered(&mut host), "loss");
}

#[test]
fn a_time_out_while_a_loss_is_repaired_ends_it() {
    let mut host = known_to_be_too_much();
    let decision = lose(&mut host, LOSS_TIMEOUT, 60);
    assert_done(&decision, "timeout");
    assert!(decision.ssthresh_bytes <= 60 * SEGMENT);
}

/// The repair is over, and the window is one that slow start has begun with anew.
#[test]
fn a_window_below_its_threshold_behind_a_repair_ends_it() {
    let mut host = known_to_be_too_much();
    host.decision.cwnd_bytes = 4 * SEGMENT;
    let decision = host.ack(MS, 3 * SEGMENT, ACK_CWND_LIMITED);
    assert_done(&decision, "loss");
    assert_eq!(decision.cwnd_bytes, 4 * SEGMENT);
}

/// What is carried is known from before it: the window is a small one.
#[test]
fn a_loss_while_the_path_is_drained_leads_to_a_quarter_of_what_was_carried() {
    let mut host = in_drain();
    arrive(&mut host, 100, RATE / 2, QUEUED);
    assert_eq!(
        lose(&mut host, LOSS_RECOVERY, 10).ssthresh_bytes,
        10 * SEGMENT
    );
    assert_eq!(phase(&host), "retreat");
    assert_segments(recover(&mut host, 300, RATE / 5).ssthresh_bytes, 125);
    recovered(&mut host);
    assert_eq!(phase(&host), "drain");
}
