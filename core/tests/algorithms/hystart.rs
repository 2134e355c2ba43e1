//! `hystart`: what RFC 9406 demands, clause by clause, on ACKs that a test chooses. The scripts are
//! in the manner of packetdrill's for HyStart: rounds of one RTT each.

use crate::flights::{start, Host, MS, MSS};
use onramp_core::{
    exit_name, phase_name, Decision, Start, ACK_CWND_LIMITED, LOSS_RECOVERY, LOSS_TIMEOUT,
    PHASE_CONSERVATIVE, PHASE_SLOW_START, UNLIMITED,
};

const SEGMENT: u64 = MSS as u64;
const RTT_MS: u64 = 100;

/// Segments in flight after each ACK. So each round has as many ACKs.
const ROUND: u32 = 20;

fn host() -> Host {
    Host::new("hystart", start(), RTT_MS * MS)
}

/// Some ACKs of a segment each, with this RTT.
fn acks(host: &mut Host, count: u32, rtt_ms: u64) -> Decision {
    host.ack.rtt_ns = rtt_ms * MS;
    for _ in 0..count {
        if host.decision.is_over() {
            break;
        }
        host.ack(MS / 100, u64::from(ROUND) * SEGMENT, ACK_CWND_LIMITED);
    }
    host.decision
}

/// A whole round.
fn round(host: &mut Host, rtt_ms: u64) -> Decision {
    acks(host, ROUND, rtt_ms)
}

/// A host that has seen a round with this RTT. The next ACK is the first of the next round.
fn after_a_round(rtt_ms: u64) -> Host {
    let mut host = host();
    acks(&mut host, 1, rtt_ms);
    round(&mut host, rtt_ms);
    host
}

/// A host in CSS, after 8 ACKs of a round: the RTT rose from 100 ms to 120 ms.
fn in_css() -> Host {
    let mut host = after_a_round(RTT_MS);
    acks(&mut host, 8, 120);
    assert_eq!(host.decision.phase, PHASE_CONSERVATIVE);
    host
}

#[test]
fn a_steady_rtt_doubles_cwnd_in_each_round() {
    let mut host = host();
    host.ack.rtt_ns = RTT_MS * MS;
    let windows: Vec<_> = (0..5)
        .map(|_| host.flight(MS / 100, ACK_CWND_LIMITED).cwnd_bytes / SEGMENT)
        .collect();
    assert_eq!(windows, [20, 40, 80, 160, 320]);
    assert_eq!(host.decision.phase, PHASE_SLOW_START);
}

/// Section 4.2: "cwnd = cwnd + min(N, L * SMSS)", with L = 8 for a sender that does not pace.
#[test]
fn an_ack_of_many_segments_grows_cwnd_by_eight() {
    let mut host = host();
    assert_eq!(host.jump(MS, 10 * SEGMENT).cwnd_bytes, 18 * SEGMENT);
}

/// RttThresh is an eighth of the last round's minimum, from 4 ms to 16 ms. Each case: the RTT of
/// two rounds, the highest RTT that is no rise, the lowest that is one.
#[test]
fn a_rise_of_an_eighth_within_4_and_16_ms_enters_css() {
    for (rtt_ms, below_ms, above_ms) in [(10, 13, 14), (80, 89, 90), (400, 415, 416)] {
        for (risen_ms, phase) in [(below_ms, PHASE_SLOW_START), (above_ms, PHASE_CONSERVATIVE)] {
            let mut host = after_a_round(rtt_ms);
            assert_eq!(acks(&mut host, 8, risen_ms).phase, phase, "{risen_ms} ms");
        }
    }
}

#[test]
fn seven_samples_are_too_few_and_one_low_sample_is_enough() {
    let mut host = after_a_round(RTT_MS);
    assert_eq!(acks(&mut host, 7, 120).phase, PHASE_SLOW_START);
    assert_eq!(acks(&mut host, 1, RTT_MS).phase, PHASE_SLOW_START);
    assert_eq!(acks(&mut host, 12, 120).phase, PHASE_SLOW_START);
}

/// Each round compares with the round before it, not with the minimum of the connection.
#[test]
fn a_slow_rise_from_round_to_round_is_no_rise() {
    let mut host = after_a_round(100);
    for rtt_ms in [108, 116, 124, 132] {
        assert_eq!(round(&mut host, rtt_ms).phase, PHASE_SLOW_START);
    }
}

/// "cwnd = cwnd + (min(N, L * SMSS) / CSS_GROWTH_DIVISOR)"
#[test]
fn css_grows_a_quarter_as_fast() {
    let mut host = in_css();
    let before = host.decision.cwnd_bytes;
    let after = acks(&mut host, 20, 120).cwnd_bytes;
    assert_eq!(after - before, 5 * SEGMENT);
}

/// "If CSS_ROUNDS rounds are complete, enter congestion avoidance by setting the ssthresh to the
/// current cwnd." The round in which CSS begins counts.
#[test]
fn css_ends_after_five_rounds_with_ssthresh_at_cwnd() {
    let mut host = in_css();
    acks(&mut host, ROUND - 8, 120);
    for _ in 0..3 {
        round(&mut host, 120);
    }
    assert_eq!(acks(&mut host, ROUND - 1, 120).phase, PHASE_CONSERVATIVE);
    let done = acks(&mut host, 1, 120);
    assert_eq!(exit_name(done.exit), "delay");
    assert_eq!(done.ssthresh_bytes, done.cwnd_bytes);
}

/// "If (currentRoundMinRTT < cssBaselineMinRtt) ... resume slow start including HyStart++"
#[test]
fn an_rtt_below_the_baseline_resumes_slow_start() {
    let mut host = in_css();
    acks(&mut host, ROUND - 8, 120);
    assert_eq!(host.decision.phase, PHASE_CONSERVATIVE);
    let resumed = acks(&mut host, 8, 119);
    assert_eq!(phase_name(resumed.phase), "slow-start");
    let before = resumed.cwnd_bytes;
    assert_eq!(acks(&mut host, 4, 119).cwnd_bytes - before, 4 * SEGMENT);
    // And HyStart++ works again.
    acks(&mut host, ROUND - 12, 119);
    assert_eq!(acks(&mut host, 8, 140).phase, PHASE_CONSERVATIVE);
}

#[test]
fn an_rtt_at_the_baseline_is_not_below_it() {
    let mut host = in_css();
    acks(&mut host, ROUND - 8, 120);
    assert_eq!(acks(&mut host, 8, 120).phase, PHASE_CONSERVATIVE);
}

#[test]
fn a_loss_ends_both_phases_with_the_hosts_ssthresh() {
    for (mut host, kind, exit) in [
        (in_css(), LOSS_RECOVERY, "loss"),
        (host(), LOSS_TIMEOUT, "timeout"),
    ] {
        let done = host.loss(kind, 20 * SEGMENT, 14 * SEGMENT);
        assert_eq!(
            (exit_name(done.exit), done.ssthresh_bytes),
            (exit, 14 * SEGMENT)
        );
    }
}

/// Linux's own HyStart sets ssthresh too. It is not the one of this start-up.
#[test]
fn an_ssthresh_that_the_host_sets_meanwhile_is_not_used() {
    let mut host = host();
    host.decision.ssthresh_bytes = 11 * SEGMENT;
    assert_eq!(acks(&mut host, 5, RTT_MS).cwnd_bytes, 15 * SEGMENT);
    assert_eq!(host.decision.ssthresh_bytes, UNLIMITED);
}

#[test]
fn an_ssthresh_from_before_the_start_ends_slow_start() {
    let route = Start {
        ssthresh_bytes: 15 * SEGMENT,
        ..start()
    };
    let mut host = Host::new("hystart", route, RTT_MS * MS);
    let done = round(&mut host, RTT_MS);
    assert_eq!(
        (done.cwnd_bytes, exit_name(done.exit)),
        (15 * SEGMENT, "ssthresh")
    );
}
