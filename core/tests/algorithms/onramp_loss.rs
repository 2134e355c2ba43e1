//! `onramp` when a loss is found.

use crate::flights::{Host, MS};
use crate::onramp::{
    arrive, assert_segments, host_on, in_approach, in_pacing, phase, until, validated,
};
use crate::onramp::{PACED_RATE, QUEUED, RATE, RTT, SEGMENT};
use crate::path::time_ns;
use onramp_core::{
    exit_name, Decision, ACK_CWND_LIMITED, ACK_RECOVERING, LOSS_RECOVERY, LOSS_TAHOE, LOSS_TIMEOUT,
    UNLIMITED,
};

/// cwnd was full when the loss was found. One segment is marked lost.
pub fn lose(host: &mut Host, kind: u32, ssthresh_segments: u64) -> Decision {
    let decision = host.lose(kind, host.decision.cwnd_bytes, ssthresh_segments * SEGMENT);
    host.ack.lost_bytes += SEGMENT;
    decision
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

/// So many further segments are marked lost, and one arrives.
fn mark_lost(host: &mut Host, segments: u64) -> Decision {
    host.ack.lost_bytes += segments * SEGMENT;
    recover(host, 1, RATE)
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

/// `host` with so many segments in flight ends at an RTO, where the host's ssthresh is 70 segments.
#[track_caller]
fn assert_rto_ends_at(host: &mut Host, in_flight: u64, ssthresh: u64) {
    for (kind, exit) in [(LOSS_TAHOE, "loss"), (LOSS_TIMEOUT, "timeout")] {
        let decision = host.lose(kind, in_flight * SEGMENT, 70 * SEGMENT);
        assert_done(&decision, exit);
        assert_eq!(decision.ssthresh_bytes, ssthresh * SEGMENT);
    }
}

/// cwnd may never have been filled.
#[test]
fn an_rto_ends_at_the_hosts_ssthresh_or_at_the_flight() {
    for mut host in [host_on(RTT), in_pacing(), in_approach()] {
        arrive(&mut host, 5, RATE, RTT);
        assert_rto_ends_at(&mut host, 100, 70);
        assert_rto_ends_at(&mut host, 30, 30);
    }
}

/// The end of a message may be all that is in flight.
#[test]
fn an_rto_of_few_segments_leaves_the_window_that_has_been_used() {
    let initial = 10;
    assert_rto_ends_at(&mut host_on(RTT), 1, initial);
    assert_rto_ends_at(&mut validated(), 1, 70);
}

/// The first of ten segments: the ACKs before its repair acknowledge nothing, and give no sample.
#[test]
fn a_loss_before_the_first_sample_ends_the_startup_when_it_is_repaired() {
    let mut host = host_on(RTT);
    let decision = lose(&mut host, LOSS_RECOVERY, 7);
    assert_eq!(phase(&host), "retreat");
    assert!(decision.ssthresh_bytes >= 10 * SEGMENT);
    host.ack.rtt_ns = 0;
    assert_eq!(recover(&mut host, 1, RATE).pacing_bytes_per_s, UNLIMITED);
    host.ack.rtt_ns = RTT;
    assert_done(&recovered(&mut host), "loss");
    // Most of the flight is lost: what has arrived remains, and what the host chooses at most.
    let mut host = host_on(RTT);
    lose(&mut host, LOSS_RECOVERY, 7);
    host.ack.rtt_ns = 0;
    assert_eq!(mark_lost(&mut host, 7).ssthresh_bytes, 7 * SEGMENT);
    assert_done(&recovered(&mut host), "loss");
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

/// Ten of the last forty segments are lost, but of hundreds that one round trip has carried.
#[test]
fn a_loss_at_the_end_of_a_message_is_light_where_more_has_been_carried() {
    let mut host = validated();
    let window = host.decision.cwnd_bytes;
    let decision = host.lose(LOSS_RECOVERY, 40 * SEGMENT, 7 * SEGMENT);
    assert!(decision.ssthresh_bytes >= window);
    host.ack.lost_bytes += SEGMENT;
    assert!(mark_lost(&mut host, 9).ssthresh_bytes >= window);
}

#[test]
fn a_light_loss_holds_cwnd_and_the_phase_goes_on() {
    for mut host in [host_on(RTT), in_approach(), validated()] {
        arrive(&mut host, 5, RATE, RTT);
        let (before, window) = (phase(&host), host.decision.cwnd_bytes);
        let decision = lose(&mut host, LOSS_RECOVERY, 7);
        assert_eq!((phase(&host), decision.exit), ("retreat", 0));
        assert!(decision.ssthresh_bytes >= window);
        // Five segments are few of any flight.
        assert_eq!(
            mark_lost(&mut host, 4).ssthresh_bytes,
            decision.ssthresh_bytes
        );
        let decision = recovered(&mut host);
        assert_eq!((phase(&host), decision.exit), (before, 0));
        assert_eq!(decision.ssthresh_bytes, UNLIMITED);
        assert!(decision.cwnd_bytes >= window);
    }
}

/// The ssthresh of the loss is the whole BDP, of which the paced window was three quarters.
#[test]
fn a_light_loss_of_a_paced_window_holds_the_bdp() {
    let mut host = in_approach();
    assert_eq!(
        lose(&mut host, LOSS_RECOVERY, 500).ssthresh_bytes,
        1000 * SEGMENT
    );
    let paced = recover(&mut host, 10, RATE).pacing_bytes_per_s;
    assert_eq!(paced, RATE, "in a round trip");
}

#[test]
fn after_a_light_loss_in_pacing_growth_begins() {
    let mut host = in_pacing();
    host.lose(LOSS_RECOVERY, 30 * SEGMENT, 500 * SEGMENT);
    recover(&mut host, 30, RATE);
    recovered(&mut host);
    until(&mut host, "approach", RATE, RTT);
    assert!(host.decision.cwnd_bytes >= 760 * SEGMENT);
}

/// 38 of 760 segments are a twentieth.
#[test]
fn a_loss_of_more_than_a_twentieth_of_the_flight_is_heavy() {
    let mut host = in_approach();
    lose(&mut host, LOSS_RECOVERY, 1000);
    assert_segments(mark_lost(&mut host, 37).ssthresh_bytes, 1000);
    assert_segments(mark_lost(&mut host, 1).ssthresh_bytes, (760 - 39) * 7 / 8);
    assert_segments(mark_lost(&mut host, 361).ssthresh_bytes, 360 * 7 / 8);
    let decision = recovered(&mut host);
    assert_done(&decision, "loss");
    assert_segments(decision.ssthresh_bytes, 315);
}

#[test]
fn an_ssthresh_below_what_a_heavy_loss_has_left_stays() {
    let mut host = validated();
    lose(&mut host, LOSS_RECOVERY, 300);
    assert_eq!(mark_lost(&mut host, 100).ssthresh_bytes, 300 * SEGMENT);
    assert_done(&recovered(&mut host), "loss");
}

/// ACKs have validated slow start's 20 segments.
#[test]
fn a_heavy_loss_of_a_paced_window_leaves_the_window_before_it() {
    let mut host = in_approach();
    lose(&mut host, LOSS_RECOVERY, 500);
    assert_eq!(mark_lost(&mut host, 750).ssthresh_bytes, 20 * SEGMENT);
}

/// A policer drops retransmissions too. They are not of the flight.
#[test]
fn retransmissions_that_are_lost_again_change_nothing() {
    let mut host = in_approach();
    lose(&mut host, LOSS_RECOVERY, 500);
    let ssthresh_bytes = mark_lost(&mut host, 399).ssthresh_bytes;
    assert_segments(ssthresh_bytes, 315);
    assert_eq!(recover(&mut host, 359, RATE).ssthresh_bytes, ssthresh_bytes);
    assert_eq!(mark_lost(&mut host, 100).ssthresh_bytes, ssthresh_bytes);
}

#[test]
fn a_second_loss_in_a_repair_leaves_a_heavy_loss_heavy() {
    let mut host = in_approach();
    lose(&mut host, LOSS_RECOVERY, 500);
    mark_lost(&mut host, 399);
    assert!(lose(&mut host, LOSS_RECOVERY, 400).ssthresh_bytes <= 400 * SEGMENT);
    assert_done(&recovered(&mut host), "loss");
}

/// One sample may be late for another reason.
#[test]
fn the_smoothed_rtt_shows_a_queue() {
    let mut host = validated();
    arrive(&mut host, 8, RATE, RTT);
    arrive(&mut host, 3, RATE, RTT);
    arrive(&mut host, 4, RATE, QUEUED);
    lose(&mut host, LOSS_RECOVERY, 100);
    recovered(&mut host);
    assert_eq!(phase(&host), "approach");
}

/// A queue of a validated window is its own. The BDP is that of the delivery rate, 760 segments.
#[test]
fn a_loss_that_meets_a_queue_of_a_validated_window_ends_the_startup() {
    for (ssthresh, expected) in [(100, 760), (800, 800)] {
        let mut host = validated();
        host.ack.srtt_ns = QUEUED;
        until(&mut host, "hold", PACED_RATE, QUEUED);
        let decision = lose(&mut host, LOSS_RECOVERY, ssthresh);
        assert_segments(decision.ssthresh_bytes, expected);
        let decision = recovered(&mut host);
        assert_eq!(
            (phase(&host), exit_name(decision.exit)),
            ("avoidance", "loss")
        );
        assert_segments(decision.ssthresh_bytes, expected);
        // An idle time leaves three quarters of it, and ten segments.
        assert_segments(decision.host_restart_bytes(0, 0), expected / 4 * 3 + 10);
    }
}

/// The queue of a window that nothing has validated may be that of competing flows. 360 segments
/// have arrived.
fn repaired_among_others() -> Host {
    let mut host = in_approach();
    host.ack.srtt_ns = QUEUED;
    until(&mut host, "hold", RATE, QUEUED);
    lose(&mut host, LOSS_RECOVERY, 500);
    assert_segments(mark_lost(&mut host, 402).ssthresh_bytes, 90);
    let decision = recovered(&mut host);
    assert_eq!((phase(&host), decision.exit), ("approach", 0));
    assert_segments(decision.cwnd_bytes, 90);
    host
}

/// Without its queue, the flight would have been 360 * 16/17 segments. Three quarters of them and
/// ten segments are filled as in slow start.
#[test]
fn what_arrived_is_filled_again_while_no_queue_is_there() {
    let mut host = repaired_among_others();
    for _ in 0..174 {
        let before = host.decision.cwnd_bytes;
        let grown = arrive(&mut host, 1, RATE / 2, RTT).cwnd_bytes - before;
        assert_eq!((phase(&host), grown), ("approach", SEGMENT));
    }
    let before = host.decision.cwnd_bytes;
    assert_segments(
        arrive(&mut host, 8, RATE / 2, RTT).cwnd_bytes,
        before / SEGMENT + 1,
    );
}

#[test]
fn a_queue_that_is_still_there_ends_the_startup() {
    let mut host = repaired_among_others();
    until(&mut host, "hold", RATE / 20, QUEUED);
    let decision = until(&mut host, "avoidance", RATE / 20, QUEUED);
    assert_eq!(exit_name(decision.exit), "delay");
    assert!(decision.cwnd_bytes <= 100 * SEGMENT);
}

#[test]
fn an_rto_while_a_loss_is_repaired_ends_the_startup() {
    let mut host = in_approach();
    lose(&mut host, LOSS_RECOVERY, 500);
    let decision = lose(&mut host, LOSS_TIMEOUT, 60);
    assert_done(&decision, "timeout");
    assert_eq!(decision.ssthresh_bytes, 60 * SEGMENT);
}

/// An RTO that the host has not reported: slow start has restarted.
#[test]
fn a_cwnd_below_ssthresh_after_a_repair_ends_the_startup() {
    let mut host = in_approach();
    lose(&mut host, LOSS_RECOVERY, 500);
    recover(&mut host, 10, RATE);
    host.decision.cwnd_bytes = 4 * SEGMENT;
    let decision = host.ack(MS, 3 * SEGMENT, ACK_CWND_LIMITED);
    assert_done(&decision, "loss");
    assert_eq!(decision.cwnd_bytes, 4 * SEGMENT);
}

/// All segments have arrived after all, and the host has restored cwnd and ssthresh.
#[test]
fn a_loss_that_the_host_takes_back_does_not_end_the_startup() {
    for lost in [0, 400] {
        let mut host = in_approach();
        lose(&mut host, LOSS_RECOVERY, 500);
        mark_lost(&mut host, lost);
        host.decision.ssthresh_bytes = UNLIMITED;
        host.decision.cwnd_bytes = 760 * SEGMENT;
        let decision = host.ack(MS, 700 * SEGMENT, ACK_CWND_LIMITED);
        assert_eq!((phase(&host), decision.exit), ("approach", 0));
        assert!(decision.cwnd_bytes >= 760 * SEGMENT);
    }
}
