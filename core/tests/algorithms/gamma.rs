//! `gamma`: which ssthresh follows which loss, and which losses change gamma.

use crate::flights::{start, Host, MS, MSS};
use onramp_core::{
    exit_name, Decision, Start, ACK_CWND_LIMITED, LOSS_RECOVERY, LOSS_TAHOE, LOSS_TIMEOUT,
    PHASE_AVOIDANCE, UNLIMITED,
};

const SEGMENT: u64 = MSS as u64;

/// A host whose congestion avoidance has brought cwnd to this many segments, W_max.
fn at_w_max(start: Start, segments: u64) -> Host {
    let mut host = Host::new(
        "gamma",
        Start {
            ssthresh_bytes: 20 * SEGMENT,
            ..start
        },
        100 * MS,
    );
    slow_start(&mut host);
    acknowledge(&mut host, 10 * segments);
    host.decision.cwnd_bytes = segments * SEGMENT;
    host
}

/// ACKs of slow start up to ssthresh.
fn slow_start(host: &mut Host) {
    while host.decision.cwnd_bytes < host.decision.ssthresh_bytes {
        host.ack(MS, host.decision.cwnd_bytes, ACK_CWND_LIMITED);
    }
    assert_eq!(
        (host.decision.phase, exit_name(host.decision.exit)),
        (PHASE_AVOIDANCE, "ssthresh")
    );
}

/// ACKs in congestion avoidance, which the host does not report.
fn acknowledge(host: &mut Host, segments: u64) {
    host.ack.delivered_bytes += segments * SEGMENT;
}

/// A loss. cwnd returns to one segment if slow start follows. Returns ssthresh, in segments.
fn loss(host: &mut Host, kind: u32) -> u64 {
    let half = host.decision.cwnd_bytes / 2;
    let decision: Decision = host.loss(kind, host.decision.cwnd_bytes, half);
    assert_eq!(decision.phase, PHASE_AVOIDANCE);
    host.decision.cwnd_bytes = if kind == LOSS_RECOVERY {
        decision.ssthresh_bytes
    } else {
        SEGMENT
    };
    decision.ssthresh_bytes / SEGMENT
}

#[test]
fn eq_8_finds_the_share_and_the_next_ssthresh_is_that_of_w_max() {
    let mut host = at_w_max(start(), 200);
    assert_eq!(loss(&mut host, LOSS_TAHOE), 100, "as it begins: a half");
    // W_B = 80: the loss is seen 2 W_B - W = 60 ACKs after cwnd reached W = 100.
    slow_start(&mut host);
    acknowledge(&mut host, 60);
    assert_eq!(
        loss(&mut host, LOSS_TAHOE),
        50,
        "cwnd was not W_max: halved as usual"
    );
    slow_start(&mut host);
    acknowledge(&mut host, 2000);
    host.decision.cwnd_bytes = 200 * SEGMENT;
    assert_eq!(
        loss(&mut host, LOSS_TAHOE),
        75,
        "gamma = 15/16 * 0.5 (60 + 100) / 200 = 0.375"
    );
    slow_start(&mut host);
    acknowledge(&mut host, 2000);
    host.decision.cwnd_bytes = 200 * SEGMENT;
    assert_eq!(
        loss(&mut host, LOSS_TIMEOUT),
        75,
        "and stays, after timeouts too"
    );
}

/// "it is better to keep the problem unsolved"
#[test]
fn less_than_a_quarter_goes_back_to_a_half() {
    let mut host = at_w_max(start(), 200);
    loss(&mut host, LOSS_TAHOE);
    // The loss is found before cwnd has reached ssthresh: 2 W_B < W.
    for _ in 0..70 {
        host.ack(MS, host.decision.cwnd_bytes, ACK_CWND_LIMITED);
    }
    assert!(host.decision.cwnd_bytes < host.decision.ssthresh_bytes);
    loss(&mut host, LOSS_TAHOE);
    slow_start(&mut host);
    acknowledge(&mut host, 2000);
    host.decision.cwnd_bytes = 200 * SEGMENT;
    assert_eq!(loss(&mut host, LOSS_TAHOE), 100);
}

#[test]
fn fast_recovery_keeps_the_hosts_ssthresh_and_teaches_all_the_same() {
    let mut host = at_w_max(start(), 200);
    assert_eq!(loss(&mut host, LOSS_TIMEOUT), 100);
    slow_start(&mut host);
    acknowledge(&mut host, 60);
    assert_eq!(loss(&mut host, LOSS_RECOVERY), 50);
    acknowledge(&mut host, 20);
    assert_eq!(
        loss(&mut host, LOSS_RECOVERY),
        25,
        "no slow start led here: nothing to learn"
    );
    acknowledge(&mut host, 2000);
    host.decision.cwnd_bytes = 200 * SEGMENT;
    assert_eq!(loss(&mut host, LOSS_TIMEOUT), 75);
}

/// Section 3: "W'_th(gamma) = gamma^2 W_max".
#[test]
fn a_share_that_is_given_is_taken_at_every_loss() {
    let mut host = at_w_max(
        Start {
            gamma_ppm: 400_000,
            ..start()
        },
        200,
    );
    assert_eq!(loss(&mut host, LOSS_TAHOE), 80);
    slow_start(&mut host);
    acknowledge(&mut host, 10);
    assert_eq!(loss(&mut host, LOSS_TAHOE), 32);
}

#[test]
fn the_first_slow_start_s_loss_teaches_nothing() {
    let mut host = Host::new(
        "gamma",
        Start {
            ssthresh_bytes: UNLIMITED,
            ..start()
        },
        100 * MS,
    );
    while host.decision.cwnd_bytes < 160 * SEGMENT {
        host.ack(MS, host.decision.cwnd_bytes, ACK_CWND_LIMITED);
    }
    assert_eq!(loss(&mut host, LOSS_TAHOE), 80);
    assert_eq!(exit_name(host.decision.exit), "loss");
    slow_start(&mut host);
    acknowledge(&mut host, 20);
    loss(&mut host, LOSS_TAHOE);
    slow_start(&mut host);
    acknowledge(&mut host, 2000);
    host.decision.cwnd_bytes = 200 * SEGMENT;
    assert_eq!(loss(&mut host, LOSS_TAHOE), 100);
}
