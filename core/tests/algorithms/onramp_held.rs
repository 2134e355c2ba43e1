//! `onramp` where the receiver holds the sender back.

use crate::flights::MS;
use crate::onramp::{arrive, in_approach, validated};
use crate::onramp::{RATE, RTT, SEGMENT};
use onramp_core::ACK_CWND_LIMITED;

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
