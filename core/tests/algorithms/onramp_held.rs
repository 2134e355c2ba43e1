//! `onramp` where something else than the queue decides: the application or the receiver held the
//! sender back, or a policer drops without a queue.

use crate::flights::{Host, MS};
use crate::onramp::{arrive, assert_segments, in_approach, phase, until, validated};
use crate::onramp::{QUEUED, RATE, RTT, SEGMENT};
use crate::onramp_loss::{assert_done, lose, recover, recovered};
use onramp_core::{ACK_CWND_LIMITED, LOSS_RECOVERY, UNLIMITED};

/// A paced flight has lost segments, and arrives at two thirds of its rate. The RTT when the loss
/// was found is this.
fn lost(rtt_ns: u64) -> Host {
    let mut host = in_approach();
    arrive(&mut host, 1, RATE, rtt_ns);
    lose(&mut host, LOSS_RECOVERY, 500);
    recover(&mut host, 760, RATE / 2);
    host
}

/// Competing flows have the rest, and a queue. A policer has none: 7/8 of the 500 segments.
#[test]
fn a_loss_without_a_queue_leaves_seven_eighths_of_what_was_carried() {
    for (rtt_ns, bytes) in [(QUEUED - 1, 437_500), (QUEUED, 125_000)] {
        let host = lost(rtt_ns);
        assert_eq!(
            (phase(&host), host.decision.ssthresh_bytes),
            ("retreat", bytes)
        );
    }
}

#[test]
fn a_policed_path_is_filled_again_at_the_delivery_rate() {
    let mut host = lost(RTT);
    assert_eq!(phase(&host), "retreat");
    let decision = recovered(&mut host);
    assert_eq!((phase(&host), decision.exit), ("drain", 0));
    let decision = until(&mut host, "pacing", RATE / 2, RTT);
    assert_eq!(
        (decision.estimate_bytes_per_s, decision.ssthresh_bytes),
        (RATE / 2, UNLIMITED)
    );
    // Three quarters of the BDP and ten segments are less.
    assert_segments(decision.cwnd_bytes, 437);
}

/// Half of cwnd was in flight, so half of congestion avoidance's ssthresh is left.
#[test]
fn a_loss_of_an_unfilled_window_shows_no_rate() {
    for name in ["approach", "hold"] {
        let mut host = in_approach();
        until(&mut host, name, RATE, QUEUED);
        let window = host.decision.cwnd_bytes;
        let decision = host.lose(LOSS_RECOVERY, window / 2, 500 * SEGMENT);
        assert_eq!(
            (phase(&host), decision.ssthresh_bytes, decision.exit),
            ("retreat", 250 * SEGMENT, 0)
        );
        assert_eq!(
            recover(&mut host, 760, RATE / 10).ssthresh_bytes,
            decision.ssthresh_bytes
        );
        let decision = recovered(&mut host);
        assert_done(&decision, "loss");
        assert_eq!(
            (decision.estimate_bytes_per_s, decision.ssthresh_bytes),
            (RATE, 250 * SEGMENT)
        );
    }
}

#[test]
fn a_loss_of_seven_eighths_of_the_window_shows_a_rate() {
    for (inflight_bytes, is_held_back) in [(664_999, true), (665_000, false)] {
        let mut host = in_approach();
        assert_eq!(host.decision.cwnd_bytes, 760 * SEGMENT);
        let decision = host.lose(LOSS_RECOVERY, inflight_bytes, 500 * SEGMENT);
        let ssthresh = if is_held_back {
            500 * SEGMENT * inflight_bytes / (760 * SEGMENT)
        } else {
            20 * SEGMENT
        };
        assert_eq!(decision.ssthresh_bytes, ssthresh);
    }
}

#[test]
fn after_validation_an_unfilled_window_shows_no_rate_either() {
    let mut host = validated();
    let window = host.decision.cwnd_bytes;
    let decision = host.lose(LOSS_RECOVERY, window / 4 * 3, window / 2);
    let ssthresh = decision.ssthresh_bytes;
    assert!(ssthresh.abs_diff(window / 8 * 3) < SEGMENT, "{decision:?}");
    recover(&mut host, 1000, RATE / 10);
    assert_eq!(host.decision.ssthresh_bytes, ssthresh);
    assert_done(&recovered(&mut host), "loss");
}

/// cwnd and its growth leave in a round trip: 1013 segments. The measured rate is that of 1000.
#[test]
fn where_the_peers_window_is_the_limit_segments_leave_at_the_measured_rate_at_most() {
    let mut host = in_approach();
    let clocked = host.decision.pacing_bytes_per_s;
    assert!(clocked > RATE);
    for (peer_window_segments, pacing) in [(0, clocked), (400, RATE), (759, RATE), (760, clocked)] {
        host.ack.peer_window_bytes = peer_window_segments * SEGMENT;
        // cwnd does not limit the sender, so it stays.
        let decision = host.ack(MS / 10, 400 * SEGMENT, 0);
        assert_eq!(
            (decision.cwnd_bytes, decision.pacing_bytes_per_s),
            (760 * SEGMENT, pacing),
            "{peer_window_segments}"
        );
    }
}

/// A rate below the measured one stays.
#[test]
fn a_peers_window_does_not_raise_the_rate() {
    let mut host = in_approach();
    host.ack.peer_window_bytes = 100 * SEGMENT;
    host.ack.srtt_ns = 2 * RTT;
    let cwnd = host.ack(MS / 10, 400 * SEGMENT, 0).cwnd_bytes;
    assert_eq!(host.decision.pacing_bytes_per_s, (cwnd + cwnd / 3) * 5);
}

/// Beyond the BDP, growth needs more than the measured rate.
#[test]
fn from_the_bdp_on_the_peers_window_changes_nothing() {
    let mut host = validated();
    host.ack.peer_window_bytes = 100 * SEGMENT;
    let cwnd = arrive(&mut host, 1, RATE, RTT).cwnd_bytes;
    assert!(cwnd > 1000 * SEGMENT);
    assert_eq!(host.decision.pacing_bytes_per_s, (cwnd + cwnd / 8) * 10);
    host.ack(MS / 10, cwnd - SEGMENT, ACK_CWND_LIMITED);
}
