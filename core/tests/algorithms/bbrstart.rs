//! `bbrstart`: delivery rate samples, gains, what ends STARTUP and DRAIN, and losses that do not
//! (draft-ietf-ccwg-bbr).

use crate::flights::{start, Host, MS, MSS};
use crate::path::{Path, Transfer};
use onramp_core::{
    exit_name, phase_name, Decision, Start, ACK_APP_LIMITED, ACK_CWND_LIMITED, ACK_RECOVERING,
    LOSS_RECOVERY, LOSS_TIMEOUT, PHASE_DONE, UNLIMITED,
};

const SEGMENT: u64 = MSS as u64;
const RTT_NS: u64 = 100 * MS;

/// 10 MB/s, 100 ms: a BDP of 1000 segments.
const PATH: Path = Path {
    rate_bytes_per_s: 10_000_000,
    delay_ns: RTT_NS,
    mss_bytes: MSS,
};

fn transfer(path: &Path, segments: usize) -> Transfer {
    let start = Start {
        srtt_ns: path.delay_ns,
        ..start()
    };
    path.transfer("bbrstart", start, segments)
}

/// Section "Delivery Rate Samples": on a path that delivers each segment at its rate, the highest
/// sample is that rate.
#[test]
fn the_highest_delivery_rate_is_the_rate_of_the_path() {
    for (rate_bytes_per_s, delay_ns) in [
        (1_000_000, 50 * MS),
        (10_000_000, 100 * MS),
        (100_000_000, 20 * MS),
        (5_000_000, 600 * MS),
    ] {
        let path = Path {
            rate_bytes_per_s,
            delay_ns,
            ..PATH
        };
        let end = transfer(&path, 40_000).steps.pop().unwrap().decision;
        let permille = end.estimate_bytes_per_s * 1000 / rate_bytes_per_s;
        assert!((985..=1001).contains(&permille), "{path:?}: {permille}");
    }
}

/// "Doubling the sending rate each round", at 2.77 times the delivery rate less 1 %.
#[test]
fn startup_doubles_the_rate_in_a_round() {
    let path = Path {
        rate_bytes_per_s: 1_000_000_000,
        ..PATH
    };
    let transfer = transfer(&path, 3000);
    // The first flight is sent at this pace, so rates grow from the third round on.
    let paced: Vec<u64> = (4..9)
        .map(|round| {
            let mut steps = transfer.steps.iter();
            let step = steps.find(|step| step.ack.now_ns >= round * 101 * MS);
            step.unwrap().decision.pacing_bytes_per_s
        })
        .collect();
    for pair in paced.windows(2) {
        let percent = pair[1] * 100 / pair[0];
        assert!((180..=225).contains(&percent), "{paced:?}");
    }
    let last = transfer.steps.last().unwrap().decision;
    let gain = last.pacing_bytes_per_s * 1000 / last.estimate_bytes_per_s;
    assert!((2740..=2743).contains(&gain), "2.77 less 1 %: {gain}");
}

/// STARTUP, DRAIN, and then congestion avoidance at the BDP.
#[test]
fn the_startup_ends_at_the_bdp_without_a_queue() {
    let transfer = transfer(&PATH, 30_000);
    let (_, drain) = transfer.first_in("drain").unwrap();
    let paced = drain.decision.pacing_bytes_per_s;
    assert!((4_850_000..=4_960_000).contains(&paced), "{paced}");
    let (_, done) = transfer.first_in("done").unwrap();
    assert_eq!(exit_name(done.decision.exit), "estimate");
    let bdp = PATH.bdp_bytes();
    for bytes in [done.decision.cwnd_bytes, done.decision.ssthresh_bytes] {
        assert!(
            (bdp * 97 / 100..=bdp * 103 / 100).contains(&bytes),
            "{bytes}"
        );
    }
    assert!(done.ack.inflight_bytes <= bdp * 103 / 100);
    // The queue of STARTUP is gone about a round trip after DRAIN began.
    let took_ns = done.ack.now_ns - drain.ack.now_ns;
    assert!(took_ns < 3 * RTT_NS, "{took_ns}");
    let most = transfer
        .steps
        .iter()
        .map(|step| step.ack.inflight_bytes)
        .max();
    assert!(
        most.unwrap() < 3 * bdp,
        "cwnd is at most two BDP and what is aggregated: {most:?}"
    );
}

/// A host after a few rounds, with 80 segments of cwnd or more.
fn started() -> Host {
    let mut host = Host::new(
        "bbrstart",
        Start {
            srtt_ns: RTT_NS,
            ..start()
        },
        RTT_NS,
    );
    host.ack.rtt_ns = RTT_NS;
    while host.decision.cwnd_bytes < 80 * SEGMENT {
        host.flight(MS / 100, ACK_CWND_LIMITED);
    }
    assert_eq!(phase_name(host.decision.phase), "slow-start");
    host
}

#[test]
fn a_loss_alone_changes_nothing() {
    let mut host = started();
    let before = host.decision;
    host.ack.lost_bytes += SEGMENT;
    let after = host.loss(LOSS_RECOVERY, before.cwnd_bytes, before.cwnd_bytes / 2);
    assert_eq!(phase_name(after.phase), "repair");
    assert_eq!(
        (
            after.cwnd_bytes,
            after.pacing_bytes_per_s,
            after.ssthresh_bytes
        ),
        (before.cwnd_bytes, before.pacing_bytes_per_s, UNLIMITED)
    );
    for _ in 0..before.cwnd_bytes / SEGMENT {
        host.ack(
            MS,
            before.cwnd_bytes - SEGMENT,
            ACK_RECOVERING | ACK_CWND_LIMITED,
        );
        assert_eq!(phase_name(host.decision.phase), "repair");
    }
    let repaired = host.ack(MS, before.cwnd_bytes - SEGMENT, ACK_CWND_LIMITED);
    assert_eq!(phase_name(repaired.phase), "slow-start");
    assert!(repaired.cwnd_bytes >= before.cwnd_bytes);
}

/// The phase after a recovery whose ACKs show `events` losses of a segment each, in a flight of at
/// least 80.
fn after_losses(events: u64) -> Decision {
    let mut host = started();
    let cwnd = host.decision.cwnd_bytes;
    host.ack.lost_bytes += SEGMENT;
    host.loss(LOSS_RECOVERY, cwnd, cwnd / 2);
    for ack in 1..cwnd / SEGMENT + 3 {
        host.ack.lost_bytes += u64::from(1 < ack && ack <= events) * SEGMENT;
        host.ack(MS, cwnd - SEGMENT, ACK_RECOVERING | ACK_CWND_LIMITED);
        if host.decision.is_over() {
            break;
        }
    }
    host.decision
}

/// Section "Exiting Startup Based on Packet Loss": six losses and 2 % of a whole round.
#[test]
fn two_percent_of_a_round_with_six_losses_end_startup() {
    assert_eq!(phase_name(after_losses(5).phase), "repair");
    let lossy = after_losses(8);
    assert!(lossy.phase == PHASE_DONE || lossy.pacing_bytes_per_s < lossy.estimate_bytes_per_s);
    if lossy.phase == PHASE_DONE {
        assert_eq!(exit_name(lossy.exit), "loss");
    }
}

/// A mark is congestion without a loss. Nothing else would reduce cwnd for it.
#[test]
fn an_ecn_mark_ends_the_startup() {
    let mut host = started();
    let done = host.loss(LOSS_RECOVERY, 40 * SEGMENT, 28 * SEGMENT);
    assert_eq!(
        (done.phase, done.ssthresh_bytes, exit_name(done.exit)),
        (PHASE_DONE, 28 * SEGMENT, "loss")
    );
}

#[test]
fn a_timeout_ends_the_startup() {
    let mut host = started();
    let done = host.loss(LOSS_TIMEOUT, 40 * SEGMENT, 28 * SEGMENT);
    assert_eq!(
        (done.phase, done.ssthresh_bytes, exit_name(done.exit)),
        (PHASE_DONE, 28 * SEGMENT, "timeout")
    );
}

/// An application that sends little does not look like a full pipe.
#[test]
fn app_limited_rounds_are_no_plateau() {
    let mut host = started();
    host.jump(RTT_NS, host.ack.inflight_bytes);
    for _ in 0..50 {
        host.ack(RTT_NS, 0, ACK_APP_LIMITED);
    }
    assert_eq!(phase_name(host.decision.phase), "slow-start");
}
