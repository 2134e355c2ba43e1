//! `lift`: the peak rate lifts cwnd, and what ends slow start (picoquic's CUBIC).

use crate::flights::{start, Host, MS, MSS};
use crate::path::Path;
use onramp_core::{
    exit_name, phase_name, Start, ACK_CWND_LIMITED, ACK_RECOVERING, LOSS_RECOVERY, LOSS_TIMEOUT,
    UNLIMITED,
};

const SEGMENT: u64 = MSS as u64;
const RTT_NS: u64 = 100 * MS;

fn host(rtt_ns: u64) -> Host {
    let mut host = Host::new("lift", start(), rtt_ns);
    host.ack.rtt_ns = rtt_ns;
    host
}

/// The first flight of ten segments shows the rate of the bottleneck.
#[test]
fn the_first_flight_lifts_cwnd_to_half_of_the_bdp() {
    for (rate_bytes_per_s, delay_ns) in [(6_250_000, 600 * MS), (1_000_000, 100 * MS)] {
        let path = Path {
            rate_bytes_per_s,
            delay_ns,
            mss_bytes: MSS,
        };
        let transfer = path.transfer("lift", start(), 100);
        let cwnd = transfer.steps[9].decision.cwnd_bytes;
        let share = cwnd * 100 / path.bdp_bytes();
        assert!((48..=62).contains(&share), "{path:?}: {share} %");
    }
}

/// The rate at which the segments left bounds a sample: compressed ACKs show no more.
#[test]
fn acks_that_arrive_faster_than_their_segments_left_do_not_lift() {
    let mut host = host(RTT_NS);
    for left_ms in 0..10 {
        // A segment each 10 ms, all acknowledged within 2 ms.
        let now_ns = 200 * MS + left_ms * MS / 5;
        host.ack_with_time(now_ns, left_ms * 10 * MS, 0);
    }
    assert!(
        host.decision.estimate_bytes_per_s <= 100 * SEGMENT,
        "{:?}",
        host.decision
    );
    assert!(host.decision.cwnd_bytes <= 20 * SEGMENT);
}

#[test]
fn a_lifted_window_is_paced_at_a_quarter_above_its_rate() {
    let path = Path {
        rate_bytes_per_s: 6_250_000,
        delay_ns: 600 * MS,
        mss_bytes: MSS,
    };
    let transfer = path.transfer("lift", start(), 100);
    let step = &transfer.steps[9];
    let expected =
        u128::from(step.decision.cwnd_bytes) * 1_250_000_000 / u128::from(step.ack.srtt_ns);
    let paced = u128::from(step.decision.pacing_bytes_per_s);
    assert!(paced.abs_diff(expected) <= 2, "{paced}, {expected}");
    assert_eq!(transfer.steps[0].decision.pacing_bytes_per_s, UNLIMITED);
}

/// RTT samples 2 ms apart, in a host with a cwnd of 40 segments or more. `rtts`: their values in
/// milliseconds and numbers. Returns the exit and cwnd in percent of the one before.
fn after_rtts(base_ms: u64, rtts: &[(u64, u32)]) -> (&'static str, u64) {
    let mut host = host(base_ms * MS);
    let mut before = 0;
    for &(rtt_ms, count) in rtts {
        for _ in 0..count {
            before = host.decision.cwnd_bytes + SEGMENT;
            host.ack.rtt_ns = rtt_ms * MS;
            host.ack(2 * MS, host.decision.cwnd_bytes - SEGMENT, ACK_CWND_LIMITED);
            if host.decision.is_over() {
                return (
                    exit_name(host.decision.exit),
                    host.decision.cwnd_bytes * 100 / before,
                );
            }
        }
    }
    (
        exit_name(host.decision.exit),
        host.decision.cwnd_bytes * 100 / before,
    )
}

/// Seven samples fill the window, then seven minima are above 125 ms.
#[test]
fn a_delay_that_stays_ends_slow_start_at_half_the_window() {
    assert_eq!(after_rtts(80, &[(80, 30), (110, 12)]), ("none", 100));
    assert_eq!(after_rtts(80, &[(80, 30), (110, 13)]), ("delay", 50));
    assert_eq!(after_rtts(80, &[(80, 30), (99, 60)]), ("none", 100));
    assert_eq!(
        after_rtts(80, &[(80, 30), (110, 12), (80, 1), (110, 12)]),
        ("none", 100)
    );
}

/// Half of the share beyond that of a path of 100 ms.
#[test]
fn a_long_path_keeps_more_of_the_window() {
    let (exit, percent) = after_rtts(600, &[(600, 30), (800, 14)]);
    assert_eq!(exit, "delay");
    assert!((57..=59).contains(&percent), "{percent}: 1 - 5/12");
}

/// A segment is acknowledged in recovery, and these are lost.
fn recovers(host: &mut Host, lost: u64) {
    host.ack.lost_bytes += lost * SEGMENT;
    host.ack(
        10 * MS,
        host.decision.cwnd_bytes,
        ACK_RECOVERING | ACK_CWND_LIMITED,
    );
}

fn at_a_loss() -> Host {
    let mut host = host(RTT_NS);
    // 10 ms apart: cwnd is above the BDP, so nothing lifts it.
    host.flight(10 * MS, ACK_CWND_LIMITED);
    host.ack.lost_bytes += SEGMENT;
    host.loss(LOSS_RECOVERY, 20 * SEGMENT, 14 * SEGMENT);
    host
}

/// "Cubic will only back off after repeated losses, not just after a single loss."
#[test]
fn one_loss_does_not_end_slow_start() {
    let mut host = at_a_loss();
    assert_eq!(phase_name(host.decision.phase), "repair");
    let before = host.decision.cwnd_bytes;
    (0..20).for_each(|_| recovers(&mut host, 0));
    assert_eq!(host.decision.cwnd_bytes, before + 20 * SEGMENT);
    host.ack(MS, 0, ACK_CWND_LIMITED);
    assert_eq!(phase_name(host.decision.phase), "slow-start");
    // Forty segments later, a further loss is the first again.
    host.flight(10 * MS, ACK_CWND_LIMITED);
    host.ack.lost_bytes += SEGMENT;
    let cwnd = host.decision.cwnd_bytes;
    host.loss(LOSS_RECOVERY, cwnd, cwnd * 7 / 10);
    assert_eq!(phase_name(host.decision.phase), "repair");
}

#[test]
fn three_losses_in_a_row_end_slow_start() {
    let mut host = at_a_loss();
    recovers(&mut host, 1);
    assert_eq!(phase_name(host.decision.phase), "repair");
    let before = host.decision.cwnd_bytes;
    recovers(&mut host, 1);
    assert_eq!(exit_name(host.decision.exit), "loss");
    let share = host.decision.ssthresh_bytes * 100 / before;
    assert!((69..=74).contains(&share), "{share} % of cwnd, as CUBIC's");
    let mut host = self::host(RTT_NS);
    host.flight(MS / 100, ACK_CWND_LIMITED);
    host.ack.lost_bytes += 3 * SEGMENT;
    let done = host.loss(LOSS_RECOVERY, 20 * SEGMENT, 14 * SEGMENT);
    assert_eq!(
        (done.ssthresh_bytes, exit_name(done.exit)),
        (14 * SEGMENT, "loss")
    );
}

/// A mark is congestion without a loss. picoquic leaves slow start for it too.
#[test]
fn an_ecn_mark_ends_slow_start() {
    let mut host = host(RTT_NS);
    host.flight(10 * MS, ACK_CWND_LIMITED);
    let done = host.loss(LOSS_RECOVERY, 20 * SEGMENT, 14 * SEGMENT);
    assert_eq!(
        (done.ssthresh_bytes, exit_name(done.exit)),
        (14 * SEGMENT, "loss")
    );
}

#[test]
fn a_timeout_ends_slow_start() {
    let mut host = at_a_loss();
    let done = host.loss(LOSS_TIMEOUT, SEGMENT, UNLIMITED);
    assert_eq!(
        (done.ssthresh_bytes, exit_name(done.exit)),
        (14 * SEGMENT, "timeout")
    );
}

#[test]
fn the_hosts_first_ssthresh_ends_slow_start() {
    let bounded = Start {
        ssthresh_bytes: 15 * SEGMENT,
        ..start()
    };
    let mut host = Host::new("lift", bounded, RTT_NS);
    let done = host.flight(MS / 100, ACK_CWND_LIMITED);
    assert_eq!(
        (done.cwnd_bytes, exit_name(done.exit)),
        (15 * SEGMENT, "ssthresh")
    );
}
