//! Why `paced` ends: each reason, reached once.

use crate::flights::{paced_in, start, Host, MS, MSS};
use onramp_core::{
    exit_name, Decision, Start, ACK_APP_LIMITED, ACK_CWND_LIMITED, LOSS_RECOVERY, LOSS_TIMEOUT,
    PHASE_DONE,
};

#[track_caller]
fn assert_exit(decision: Decision, exit: &str) {
    assert_eq!(
        (decision.phase, exit_name(decision.exit)),
        (PHASE_DONE, exit)
    );
}

#[test]
fn estimate_when_cwnd_reaches_the_measured_ssthresh() {
    let mut host = paced_in("approach");
    while host.decision.phase != PHASE_DONE {
        host.ack(MS / 10, host.decision.cwnd_bytes - 1000, ACK_CWND_LIMITED);
    }
    assert_exit(host.decision, "estimate");
    assert_eq!(host.decision.cwnd_bytes, host.decision.ssthresh_bytes);
}

/// The BDP is smaller than the cwnd of the flight that measured it.
#[test]
fn estimate_when_the_first_is_below_cwnd() {
    let mut host = Host::new("paced", start(), 100 * MS);
    let done = host.flight(100 * MS / 15, ACK_CWND_LIMITED);
    assert_exit(done, "estimate");
    assert_eq!(done.cwnd_bytes, 19 * u64::from(MSS));
}

#[test]
fn ssthresh_when_cwnd_reaches_the_hosts_ssthresh() {
    let mut host = Host::new(
        "paced",
        Start {
            ssthresh_bytes: 15 * u64::from(MSS),
            ..start()
        },
        100 * MS,
    );
    assert_exit(host.flight(MS / 10, ACK_CWND_LIMITED), "ssthresh");
    assert_eq!(host.decision.cwnd_bytes, 15 * u64::from(MSS));
}

/// cwnd reaches the host's ssthresh, although an estimate exists.
#[test]
fn ssthresh_when_the_hosts_ssthresh_is_below_the_estimate() {
    let mut host = Host::new(
        "paced",
        Start {
            ssthresh_bytes: 25 * u64::from(MSS),
            ..start()
        },
        100 * MS,
    );
    host.flight(MS / 10, ACK_CWND_LIMITED);
    assert_exit(host.flight(MS / 10, ACK_CWND_LIMITED), "ssthresh");
}

#[test]
fn loss_in_every_phase() {
    for phase in ["pacing", "approach"] {
        assert_exit(paced_in(phase).loss(LOSS_RECOVERY, 100_000, 70_000), "loss");
    }
    assert_exit(
        Host::new("paced", start(), 0).loss(LOSS_RECOVERY, 10_000, 7_000),
        "loss",
    );
}

#[test]
fn timeout_in_every_phase() {
    for phase in ["pacing", "approach"] {
        assert_exit(
            paced_in(phase).loss(LOSS_TIMEOUT, 100_000, 70_000),
            "timeout",
        );
    }
    assert_exit(
        Host::new("paced", start(), 0).loss(LOSS_TIMEOUT, 10_000, 7_000),
        "timeout",
    );
}

/// All segments in flight are acknowledged, then those of a round trip that cwnd does not limit.
fn with_a_short_flight(flags: u32) -> Decision {
    let mut host = paced_in("approach");
    for left in (0..host.decision.cwnd_bytes / 1000).rev() {
        host.ack(MS / 10, left * 1000, flags);
        if host.decision.phase == PHASE_DONE {
            return host.decision;
        }
    }
    host.ack(100 * MS, 0, flags)
}

#[test]
fn application_when_it_leaves_a_round_trip_short() {
    assert_exit(with_a_short_flight(ACK_APP_LIMITED), "application");
}

#[test]
fn receiver_when_neither_cwnd_nor_application_is_the_limit() {
    assert_exit(with_a_short_flight(0), "receiver");
}

/// One ACK with cwnd as the limit is enough for the start-up to go on.
#[test]
fn a_round_trip_that_cwnd_limits_goes_on() {
    let mut host = paced_in("approach");
    for left in (0..host.decision.cwnd_bytes / 1000).rev() {
        let flags = if left == 0 { ACK_CWND_LIMITED } else { 0 };
        host.ack(MS / 10, left * 1000, flags);
    }
    assert_ne!(host.decision.phase, PHASE_DONE);
}

/// During PACING the timer held segments back, not the receiver.
#[test]
fn the_round_trip_that_was_paced_counts_against_neither() {
    let mut host = paced_in("pacing");
    let flight = host.ack.inflight_bytes / 1000;
    for _ in 0..flight {
        host.ack(100 * MS / flight + 1, host.ack.inflight_bytes, 0);
    }
    assert_eq!(onramp_core::phase_name(host.decision.phase), "approach");
    host.ack(MS, host.ack.inflight_bytes, 0);
    assert_ne!(host.decision.phase, PHASE_DONE);
}
