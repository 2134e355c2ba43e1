//! `rapid`: growth while the RTT floor holds, the paced first flight, and the arithmetic of its
//! recovery (draft-kazuho-ccwg-rapid-start-02).

use crate::flights::{start, Host, MS, MSS};
use onramp_core::{
    exit_name, phase_name, Decision, Start, ACK_CWND_LIMITED, ACK_RECOVERING, LOSS_RECOVERY,
    LOSS_TIMEOUT, PHASE_DONE, UNLIMITED,
};

const SEGMENT: u64 = MSS as u64;
const RTT_NS: u64 = 100 * MS;

/// A host whose ACKs have this RTT sample.
fn host(rtt_ns: u64) -> Host {
    let mut host = Host::new("rapid", start(), rtt_ns);
    host.ack.rtt_ns = rtt_ns;
    host
}

/// cwnd in segments after a round trip in which each ACK has this RTT sample.
fn round(host: &mut Host, rtt_ns: u64) -> u64 {
    host.ack.rtt_ns = rtt_ns;
    host.flight(MS / 100, ACK_CWND_LIMITED).cwnd_bytes / SEGMENT
}

/// Section "Rapid Start Phase": 2 bytes for each acknowledged byte.
#[test]
fn cwnd_triples_in_a_round_while_the_floor_holds() {
    let mut host = host(RTT_NS);
    let rounds: Vec<_> = (0..4).map(|_| round(&mut host, RTT_NS)).collect();
    assert_eq!(rounds, [30, 90, 270, 810]);
}

/// The threshold is the lower of min_rtt + 4 ms and 1.1 * min_rtt.
#[test]
fn a_floor_above_the_threshold_doubles_cwnd() {
    for (min_ms, limit_us) in [(100, 104_000), (20, 22_000), (40, 44_000)] {
        let mut host = host(min_ms * MS);
        assert_eq!(round(&mut host, min_ms * MS), 30);
        assert_eq!(round(&mut host, limit_us * 1000), 90, "{min_ms} ms");
        assert_eq!(round(&mut host, limit_us * 1000 + 1), 180, "{min_ms} ms");
        // Once the queue is gone, cwnd triples again.
        assert_eq!(round(&mut host, min_ms * MS), 540, "{min_ms} ms");
    }
}

/// The floor is a minimum: one ACK without a delay is enough for the round trip after it.
#[test]
fn a_single_low_sample_holds_the_floor_for_a_round_trip() {
    let mut host = host(RTT_NS);
    round(&mut host, RTT_NS);
    let before = host.decision.cwnd_bytes;
    host.ack.rtt_ns = 150 * MS;
    let ack = |host: &mut Host, gap_ns| host.ack(gap_ns, 29 * SEGMENT, ACK_CWND_LIMITED).cwnd_bytes;
    assert_eq!(ack(&mut host, 50 * MS), before + 2 * SEGMENT);
    // Four quarters of the minimum RTT later, nothing of the low sample is left.
    let late = (0..5).map(|_| ack(&mut host, 26 * MS)).last().unwrap();
    assert_eq!(ack(&mut host, MS), late + SEGMENT);
}

#[test]
fn a_cwnd_that_does_not_limit_the_sender_stays() {
    let mut host = host(RTT_NS);
    assert_eq!(host.ack(MS, 0, 0).cwnd_bytes, 10 * SEGMENT);
}

/// Section "Pacing Requirement": 2 * IW over a round trip.
#[test]
fn the_first_flight_is_twice_the_window_paced_over_a_round_trip() {
    let with_srtt = Start {
        srtt_ns: RTT_NS,
        ..start()
    };
    let mut host = Host::new("rapid", with_srtt, RTT_NS);
    assert_eq!(host.decision.cwnd_bytes, 20 * SEGMENT);
    assert_eq!(host.decision.pacing_bytes_per_s, 200 * SEGMENT);
    let after = host.ack(RTT_NS, 19 * SEGMENT, ACK_CWND_LIMITED);
    assert_eq!(after.pacing_bytes_per_s, UNLIMITED);
    let coarse = Start {
        clock: onramp_core::Clock {
            measure_ns: 1,
            event_ns: 500 * MS,
        },
        ..with_srtt
    };
    let host = Host::new("rapid", coarse, RTT_NS);
    assert_eq!(
        (host.decision.cwnd_bytes, host.decision.pacing_bytes_per_s),
        (10 * SEGMENT, UNLIMITED)
    );
}

/// A host with a cwnd of 90 segments, all in flight, that finds a loss. `share`: ssthresh of
/// congestion avoidance, in tenths of cwnd.
fn at_a_loss(share: u64) -> Host {
    let mut host = host(RTT_NS);
    round(&mut host, RTT_NS);
    round(&mut host, RTT_NS);
    host.loss(LOSS_RECOVERY, 90 * SEGMENT, 90 * SEGMENT * share / 10);
    host
}

/// An ACK of the recovery that delivers and loses these segments.
fn recovers(host: &mut Host, delivered: u64, lost: u64) -> Decision {
    host.ack.lost_bytes += lost * SEGMENT;
    host.ack.delivered_bytes += delivered * SEGMENT;
    host.ack.delivered_bytes -= SEGMENT;
    host.ack(MS, 0, ACK_RECOVERING)
}

/// Section "Deriving the Reduction Factors": 53/60, 11/60 and 53/60 for a beta of 0.7, 29/36, 11/36
/// and 29/36 for 0.5.
#[test]
fn each_ack_and_each_loss_lowers_cwnd_by_its_factor() {
    let near = |bytes: u64, segments: f64| bytes.abs_diff((segments * 1000.0) as u64) <= 2;
    for (share, silence, ack_factor) in
        [(7, 53.0 / 60.0, 11.0 / 60.0), (5, 29.0 / 36.0, 11.0 / 36.0)]
    {
        let mut host = at_a_loss(share);
        assert_eq!(phase_name(host.decision.phase), "repair");
        assert!(
            near(host.decision.cwnd_bytes, 90.0 * silence),
            "{:?}",
            host.decision
        );
        let after = recovers(&mut host, 10, 0);
        assert!(
            near(after.cwnd_bytes, 90.0 * silence - 10.0 * ack_factor),
            "{after:?}"
        );
        let after = recovers(&mut host, 1, 5);
        let expected = 90.0 * silence - 11.0 * ack_factor - 5.0 * silence;
        assert!(near(after.cwnd_bytes, expected), "{after:?}");
        assert_eq!(after.ssthresh_bytes, after.cwnd_bytes);
    }
}

/// "At the end of the recovery period, the congestion window becomes as large as the full BDP
/// multiplied by beta": beta times what arrived.
#[test]
fn the_recovery_leads_to_beta_times_what_arrived() {
    for (share, beta) in [(7, 0.7), (5, 0.5)] {
        for lost in [0, 1, 30, 60] {
            let mut host = at_a_loss(share);
            recovers(&mut host, 40.min(90 - lost), 0);
            let arrived = 90 - lost;
            let after = recovers(&mut host, arrived - 40.min(arrived), lost);
            let expected = (arrived as f64 * beta * 1000.0) as u64;
            assert!(
                after.cwnd_bytes.abs_diff(expected) <= 3,
                "{lost} lost: {after:?}"
            );
        }
    }
}

/// Not below the window for a flight of which two thirds are lost.
#[test]
fn more_than_two_thirds_lost_lower_cwnd_no_further() {
    let mut host = at_a_loss(7);
    let after = recovers(&mut host, 5, 85);
    assert_eq!(after.cwnd_bytes, 21 * SEGMENT);
}

/// beta * IW: "preserves classic slow start's aggressiveness on connections with tiny BDPs".
#[test]
fn the_initial_window_bounds_the_reduction() {
    let mut host = host(RTT_NS);
    host.ack(MS, 9 * SEGMENT, 0);
    host.loss(LOSS_RECOVERY, 9 * SEGMENT, 7 * SEGMENT);
    assert_eq!(recovers(&mut host, 2, 7).cwnd_bytes, 7 * SEGMENT);
}

/// Retransmissions that arrive are not part of the flight at the loss.
#[test]
fn cwnd_stays_once_the_flight_is_accounted_for() {
    let mut host = at_a_loss(7);
    let accounted = recovers(&mut host, 80, 10);
    assert_eq!(recovers(&mut host, 10, 0), accounted);
    let done = host.ack(MS, 0, ACK_CWND_LIMITED);
    assert_eq!((done.phase, exit_name(done.exit)), (PHASE_DONE, "loss"));
    assert_eq!(
        (done.cwnd_bytes, done.ssthresh_bytes),
        (accounted.cwnd_bytes, accounted.cwnd_bytes)
    );
}

#[test]
fn a_timeout_ends_the_startup() {
    let mut host = host(RTT_NS);
    round(&mut host, RTT_NS);
    let done = host.loss(LOSS_TIMEOUT, 30 * SEGMENT, 21 * SEGMENT);
    assert_eq!(
        (done.ssthresh_bytes, exit_name(done.exit)),
        (21 * SEGMENT, "timeout")
    );
    let mut host = at_a_loss(7);
    let repaired = recovers(&mut host, 30, 60);
    let done = host.loss(LOSS_TIMEOUT, SEGMENT, UNLIMITED);
    assert_eq!(
        (done.ssthresh_bytes, exit_name(done.exit)),
        (repaired.ssthresh_bytes, "timeout")
    );
}

#[test]
fn slow_start_goes_on_where_the_host_undoes_the_reduction() {
    let mut host = at_a_loss(7);
    recovers(&mut host, 90, 0);
    (host.decision.cwnd_bytes, host.decision.ssthresh_bytes) = (90 * SEGMENT, UNLIMITED);
    let after = host.ack(MS, 89 * SEGMENT, ACK_CWND_LIMITED);
    assert_eq!(phase_name(after.phase), "slow-start");
    assert!(after.cwnd_bytes > 90 * SEGMENT);
}

#[test]
fn the_hosts_first_ssthresh_ends_slow_start() {
    let bounded = Start {
        ssthresh_bytes: 25 * SEGMENT,
        ..start()
    };
    let mut host = Host::new("rapid", bounded, RTT_NS);
    host.ack.rtt_ns = RTT_NS;
    let done = host.flight(MS / 100, ACK_CWND_LIMITED);
    assert_eq!(
        (done.cwnd_bytes, exit_name(done.exit)),
        (25 * SEGMENT, "ssthresh")
    );
}
