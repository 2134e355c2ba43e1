//! `astart`: ssthresh, the growth of cwnd below and above ssthresh, and for how long each kind of
//! loss ends the start-up.

use crate::exact_rate::reading;
use crate::flights::{start, Host, MS, MSS};
use crate::path::{Path, Transfer};
use onramp_core::{
    exit_name, phase_name, Decision, Start, ACK_CWND_LIMITED, LOSS_RECOVERY, LOSS_TAHOE,
    LOSS_TIMEOUT, PHASE_AVOIDANCE, PHASE_LINEAR, UNLIMITED,
};

const SEGMENT: u64 = MSS as u64;
const RTT_NS: u64 = 100 * MS;
/// 10 MB/s and 100 ms: 1000 segments.
const PATH: Path = Path {
    rate_bytes_per_s: 10_000_000,
    delay_ns: RTT_NS,
    mss_bytes: MSS,
};

fn host(start: Start) -> Host {
    let mut host = Host::new(
        "astart",
        Start {
            now_ns: 1_000 * MS,
            ..start
        },
        RTT_NS,
    );
    host.ack.rtt_ns = RTT_NS;
    host
}

/// A host with an initial ssthresh of this many segments.
fn up_to(segments: u64) -> Host {
    host(Start {
        ssthresh_bytes: segments * SEGMENT,
        ..start()
    })
}

fn ack(host: &mut Host, gap_ns: u64) -> Decision {
    host.ack(gap_ns, host.decision.cwnd_bytes - SEGMENT, ACK_CWND_LIMITED)
}

/// ACKs of a path of 1 MB/s, whose eligible window is 100 segments.
fn fast(host: &mut Host, acks: u64) -> Decision {
    (0..acks).for_each(|_| _ = ack(host, MS));
    host.decision
}

/// ACKs that give an eligible window of 10 segments.
fn slow(host: &mut Host, acks: u64) -> Decision {
    (0..acks).for_each(|_| _ = ack(host, 10 * MS));
    host.decision
}

/// cwnd goes back to one segment, as after a timeout.
fn timeout(host: &mut Host, ssthresh_segments: u64) -> Decision {
    let decision = host.loss(
        LOSS_TIMEOUT,
        host.decision.cwnd_bytes,
        ssthresh_segments * SEGMENT,
    );
    host.decision.cwnd_bytes = SEGMENT;
    decision
}

fn transfer() -> Transfer {
    PATH.transfer(
        "astart",
        Start {
            now_ns: 1_000 * MS,
            ..start()
        },
        20_000,
    )
}

#[test]
fn the_first_ssthresh_is_the_host_s_or_32_kib() {
    assert_eq!(host(start()).decision.ssthresh_bytes, 32 * 1024);
    for segments in [5, 1000] {
        assert_eq!(up_to(segments).decision.ssthresh_bytes, segments * SEGMENT);
    }
}

/// "ssthresh = max(ssthresh, ERE * RTT_min)"
#[test]
fn ssthresh_is_the_largest_eligible_window_that_there_was_in_whole_segments() {
    let transfer = transfer();
    let mut most = 32 * 1024;
    let mut rtt_min_ns = u64::MAX;
    for step in &transfer.steps {
        rtt_min_ns = rtt_min_ns.min(step.ack.rtt_ns);
        most = most.max(onramp_core::mul_div(
            step.decision.estimate_bytes_per_s,
            rtt_min_ns,
            1_000_000_000,
        ));
        assert_eq!(
            step.decision.ssthresh_bytes,
            most / SEGMENT * SEGMENT,
            "at {} ns",
            step.ack.now_ns
        );
    }
    assert!(most > 320 * 1024, "{most}");
}

#[test]
fn a_falling_estimate_does_not_lower_ssthresh() {
    let mut host = up_to(10);
    let high = fast(&mut host, 300);
    let low = slow(&mut host, 300);
    assert!(
        low.estimate_bytes_per_s < high.estimate_bytes_per_s / 2,
        "{high:?} {low:?}"
    );
    assert!(
        low.ssthresh_bytes >= high.ssthresh_bytes,
        "{high:?} {low:?}"
    );
}

#[test]
fn slow_start_and_linear_growth_take_turns() {
    let transfer = transfer();
    let phases: Vec<_> = transfer
        .steps
        .iter()
        .map(|step| phase_name(step.decision.phase))
        .collect();
    let turns = phases.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(
        turns >= 4
            && phases
                .iter()
                .all(|phase| ["slow-start", "linear"].contains(phase)),
        "{turns}"
    );
    for pair in transfer.steps.windows(2) {
        let grown = pair[1].decision.cwnd_bytes - pair[0].decision.cwnd_bytes;
        let most = if pair[1].ack.cwnd_bytes < pair[1].decision.ssthresh_bytes {
            pair[1].ack.acked_bytes
        } else {
            SEGMENT
        };
        assert!(grown <= most, "{grown} at {} ns", pair[1].ack.now_ns);
    }
}

/// The purpose of the algorithm: slow start alone would stop at 32 KiB.
#[test]
fn cwnd_grows_to_the_bdp() {
    let most = transfer().steps.last().unwrap().decision.cwnd_bytes;
    assert!(most > PATH.bdp_bytes() * 9 / 10, "{most} bytes");
}

#[test]
fn linear_growth_is_a_segment_for_each_window_that_is_acknowledged() {
    let mut host = up_to(20);
    slow(&mut host, 10);
    assert_eq!(
        (host.decision.phase, host.decision.cwnd_bytes),
        (PHASE_LINEAR, 20 * SEGMENT)
    );
    for window in 20..30 {
        assert_eq!(slow(&mut host, window - 1).cwnd_bytes, window * SEGMENT);
        assert_eq!(slow(&mut host, 1).cwnd_bytes, (window + 1) * SEGMENT);
    }
}

/// Seven of these ACKs cover 21 segments. One segment is beyond a cwnd of 20 and counts for the
/// next cwnd.
#[test]
fn bytes_acknowledged_beyond_a_cwnd_count_for_the_next() {
    let mut host = up_to(20);
    slow(&mut host, 10);
    for window in [21, 22, 23] {
        (0..7).for_each(|_| _ = host.jump(30 * MS, 3 * SEGMENT));
        assert_eq!(host.decision.cwnd_bytes, window * SEGMENT);
    }
}

/// 32 KiB are 32.768 segments. A host that counts segments, as most do, never has that cwnd.
#[test]
fn a_window_of_whole_segments_grows_linearly_too() {
    let mut host = host(start());
    for _ in 0..22 + 32 {
        slow(&mut host, 1);
        host.decision.cwnd_bytes -= host.decision.cwnd_bytes % SEGMENT;
    }
    assert_eq!(
        (host.decision.phase, host.decision.cwnd_bytes),
        (PHASE_LINEAR, 33 * SEGMENT)
    );
}

#[test]
fn a_window_that_does_not_limit_grows_in_neither_way() {
    let mut host = up_to(20);
    for _ in 0..200 {
        host.ack(10 * MS, 5 * SEGMENT, 0);
    }
    assert_eq!(
        (phase_name(host.decision.phase), host.decision.cwnd_bytes),
        ("slow-start", 10 * SEGMENT)
    );
    slow(&mut host, 10);
    for _ in 0..200 {
        host.ack(10 * MS, 5 * SEGMENT, 0);
    }
    assert_eq!(
        (host.decision.phase, host.decision.cwnd_bytes),
        (PHASE_LINEAR, 20 * SEGMENT)
    );
}

/// HyStart lowers ssthresh when a queue builds up, whatever its cause.
#[test]
fn a_lower_ssthresh_of_the_host_is_not_used() {
    let mut host = up_to(20);
    slow(&mut host, 2);
    host.decision.ssthresh_bytes = 12 * SEGMENT;
    let decision = slow(&mut host, 1);
    assert_eq!(
        (phase_name(decision.phase), decision.ssthresh_bytes),
        ("slow-start", 20 * SEGMENT)
    );
}

#[test]
fn a_loss_ends_it_with_the_hosts_ssthresh() {
    for (kind, exit) in [
        (LOSS_RECOVERY, "loss"),
        (LOSS_TAHOE, "loss"),
        (LOSS_TIMEOUT, "timeout"),
    ] {
        for acks in [2, 30] {
            let mut host = up_to(20);
            let before = slow(&mut host, acks);
            let lost = host.loss(kind, before.cwnd_bytes, 7 * SEGMENT);
            assert_eq!((lost.phase, exit_name(lost.exit)), (PHASE_AVOIDANCE, exit));
            assert_eq!(
                (lost.cwnd_bytes, lost.ssthresh_bytes),
                (before.cwnd_bytes, 7 * SEGMENT)
            );
            assert_eq!(
                (lost.pacing_bytes_per_s, lost.estimate_bytes_per_s),
                (UNLIMITED, before.estimate_bytes_per_s)
            );
        }
    }
}

/// "from the beginning and after each coarse timeout"
#[test]
fn after_a_timeout_it_begins_again_from_the_hosts_ssthresh() {
    let mut host = up_to(40);
    slow(&mut host, 60);
    for _ in 0..2 {
        timeout(&mut host, 20);
        let again = slow(&mut host, 1);
        assert_eq!(
            (phase_name(again.phase), exit_name(again.exit)),
            ("slow-start", "none")
        );
        assert_eq!(
            (again.cwnd_bytes, again.ssthresh_bytes),
            (2 * SEGMENT, 20 * SEGMENT)
        );
        let reached = slow(&mut host, 18);
        assert_eq!(
            (reached.phase, reached.cwnd_bytes),
            (PHASE_LINEAR, 20 * SEGMENT),
            "and waits there"
        );
    }
    assert!(
        fast(&mut host, 500).ssthresh_bytes > 60 * SEGMENT,
        "{:?}",
        host.decision
    );
}

/// Westwood's rule, which a user chooses. The paper does not say it of Astart.
#[test]
fn westwoods_timeout_leaves_the_eligible_window() {
    for (kind, is_measured) in [(LOSS_TIMEOUT, true), (LOSS_RECOVERY, false)] {
        let mut host = host(Start {
            ssthresh_bytes: 10 * SEGMENT,
            variant: reading("westwood"),
            ..start()
        });
        let unknown = host.loss(kind, 10 * SEGMENT, 7 * SEGMENT);
        assert_eq!(unknown.ssthresh_bytes, 7 * SEGMENT, "without an estimate");
        let before = fast(&mut host, 300);
        let lost = host.loss(kind, before.cwnd_bytes, 7 * SEGMENT);
        let eligible = before.estimate_bytes_per_s / 10;
        assert!(eligible > 90 * SEGMENT, "{before:?}");
        assert_eq!(
            lost.ssthresh_bytes,
            if is_measured { eligible } else { 7 * SEGMENT }
        );
    }
}

#[test]
fn a_timeout_resets_the_count_of_linear_growth() {
    let mut host = up_to(20);
    slow(&mut host, 10 + 19);
    timeout(&mut host, 20);
    assert_eq!(slow(&mut host, 19).phase, PHASE_LINEAR);
    assert_eq!(slow(&mut host, 19).cwnd_bytes, 20 * SEGMENT);
    assert_eq!(slow(&mut host, 1).cwnd_bytes, 21 * SEGMENT);
}

/// After a recovery, slow start does not raise ssthresh. Nor does it after a later idle time.
#[test]
fn after_a_recovery_slow_starts_end_at_the_hosts_ssthresh() {
    for kind in [LOSS_RECOVERY, LOSS_TAHOE] {
        let mut host = up_to(10);
        fast(&mut host, 300);
        host.loss(kind, host.decision.cwnd_bytes, 30 * SEGMENT);
        host.decision.cwnd_bytes = 10 * SEGMENT;
        let decision = fast(&mut host, 19);
        assert!(
            decision.estimate_bytes_per_s / 10 > 30 * SEGMENT,
            "{decision:?}"
        );
        assert_eq!(
            (phase_name(decision.phase), decision.ssthresh_bytes),
            ("slow-start", 30 * SEGMENT)
        );
        let end = fast(&mut host, 1);
        assert_eq!(
            (end.phase, exit_name(end.exit)),
            (PHASE_AVOIDANCE, "ssthresh")
        );
        assert_eq!(
            (end.cwnd_bytes, end.ssthresh_bytes),
            (30 * SEGMENT, 30 * SEGMENT)
        );
    }
}

#[test]
fn a_timeout_after_a_recovery_begins_it_again() {
    let mut host = up_to(10);
    fast(&mut host, 300);
    host.loss(LOSS_RECOVERY, host.decision.cwnd_bytes, 30 * SEGMENT);
    timeout(&mut host, 15);
    let again = fast(&mut host, 40);
    assert!(
        !again.is_over() && again.ssthresh_bytes > 30 * SEGMENT,
        "{again:?}"
    );
}

#[test]
fn a_recovery_after_a_timeout_ends_it_again() {
    let mut host = up_to(10);
    timeout(&mut host, 15);
    fast(&mut host, 100);
    host.loss(LOSS_RECOVERY, host.decision.cwnd_bytes, 12 * SEGMENT);
    host.decision.cwnd_bytes = 11 * SEGMENT;
    let end = fast(&mut host, 1);
    assert_eq!(
        (end.phase, end.ssthresh_bytes),
        (PHASE_AVOIDANCE, 12 * SEGMENT)
    );
}
