//! `pair`: when two segments leave at once, what the bucket is driven by, and when it is taken
//! away.

use crate::flights::{start, Host, MS, MSS};
use onramp_core::{
    exit_name, phase_name, Clock, Decision, Start, Train, ACK_CWND_LIMITED, LOSS_RECOVERY,
    LOSS_TAHOE, LOSS_TIMEOUT, UNLIMITED,
};

const SEGMENT: u64 = MSS as u64;
/// Figure 5: 40 ms for a segment.
const INTERVAL_NS: u64 = 40 * MS;
const RATE: u64 = SEGMENT * 25;

/// A host of figure 5 whose first segment has just been acknowledged.
fn figure_5() -> Host {
    figure_5_by(0)
}

/// The same host with this variant.
fn figure_5_by(variant: u64) -> Host {
    let mut host = Host::new(
        "pair",
        Start {
            cwnd_bytes: SEGMENT,
            variant,
            ..start()
        },
        240 * MS,
    );
    ack(&mut host, 0, 0);
    host
}

fn reading(name: &str) -> u64 {
    Train::named(name).unwrap().bits("pair")
}

/// The ACK of one segment. Afterwards `inflight` segments are in flight.
fn ack(host: &mut Host, gap_ns: u64, inflight: u64) -> Decision {
    let decision = host.ack(gap_ns, inflight * SEGMENT, ACK_CWND_LIMITED);
    host.ack.pair_interval_ns = 0;
    decision
}

/// The same ACK, with the interval that the peer reports.
fn replied(host: &mut Host, gap_ns: u64, inflight: u64, interval_ns: u64) -> Decision {
    host.ack.pair_interval_ns = interval_ns;
    ack(host, gap_ns, inflight)
}

/// Figure 5 has ACKs at 0.300, 0.540, 0.580, 0.780 and 0.820 s, one for each segment.
#[test]
fn pairs_and_paced_segments_are_those_of_figure_5() {
    let mut host = Host::new(
        "pair",
        Start {
            cwnd_bytes: SEGMENT,
            ..start()
        },
        240 * MS,
    );
    let unpaced_pair =
        |decision: Decision| (decision.pair, decision.pacing_bytes_per_s) == (1, UNLIMITED);
    assert!(
        unpaced_pair(ack(&mut host, 0, 0)),
        "0.300: the first of which two may leave"
    );
    assert!(
        unpaced_pair(ack(&mut host, 240 * MS, 1)),
        "0.540: the first of that pair has been acknowledged"
    );
    let decision = replied(&mut host, 40 * MS, 2, INTERVAL_NS);
    assert_eq!(
        (decision.pair, decision.pacing_bytes_per_s),
        (0, RATE),
        "0.580: the bucket"
    );
    let decision = ack(&mut host, 200 * MS, 3);
    assert_eq!(
        (decision.pair, decision.pacing_bytes_per_s),
        (1, RATE),
        "0.780: a pair, and the bucket goes on"
    );
    let decision = ack(&mut host, 40 * MS, 4);
    assert_eq!(
        (decision.pair, decision.pacing_bytes_per_s),
        (0, RATE),
        "0.820"
    );
    assert_eq!(
        (decision.cwnd_bytes, decision.estimate_bytes_per_s),
        (6 * SEGMENT, RATE)
    );
}

#[test]
fn without_replies_it_is_slow_start() {
    let mut host = Host::new("pair", start(), 100 * MS);
    for segments in 11..200 {
        let decision = host.ack(MS, host.decision.cwnd_bytes - SEGMENT, ACK_CWND_LIMITED);
        assert_eq!(
            (decision.cwnd_bytes, decision.pacing_bytes_per_s),
            (segments * SEGMENT, UNLIMITED)
        );
        assert_eq!(phase_name(decision.phase), "slow-start");
    }
}

#[test]
fn the_last_report_counts() {
    let mut host = figure_5();
    assert_eq!(
        replied(&mut host, MS, 3, INTERVAL_NS).pacing_bytes_per_s,
        RATE
    );
    assert_eq!(
        replied(&mut host, MS, 3, INTERVAL_NS / 2).pacing_bytes_per_s,
        2 * RATE
    );
    assert_eq!(ack(&mut host, MS, 3).pacing_bytes_per_s, 2 * RATE);
}

/// HyStart mistakes delays of the return path for delays of the forward path.
#[test]
fn an_ssthresh_that_the_host_lowers_meanwhile_counts_until_an_interval_is_known() {
    for is_known in [false, true] {
        let mut host = Host::new("pair", start(), 100 * MS);
        replied(&mut host, 0, 9, if is_known { MS } else { 0 });
        host.decision.ssthresh_bytes = 11 * SEGMENT;
        let decision = ack(&mut host, MS, 10);
        assert_eq!(
            exit_name(decision.exit),
            if is_known { "none" } else { "ssthresh" }
        );
        assert_eq!(
            decision.ssthresh_bytes,
            if is_known { UNLIMITED } else { 11 * SEGMENT }
        );
    }
}

/// The minimum rate is two segments in a round trip.
#[test]
fn an_interval_of_more_than_half_a_round_trip_is_not_used() {
    let mut host = figure_5();
    assert_eq!(
        replied(&mut host, MS, 3, 120 * MS + 1).pacing_bytes_per_s,
        UNLIMITED
    );
    assert_eq!(
        replied(&mut host, MS, 3, 120 * MS).pacing_bytes_per_s,
        SEGMENT * 1000 / 120
    );
}

#[test]
fn no_pair_is_due_where_cwnd_has_room_for_one_segment_only() {
    let mut host = figure_5();
    // cwnd is two segments, and each of these ACKs raises it by one.
    assert_eq!(ack(&mut host, 240 * MS, 2).pair, 0);
    assert_eq!(ack(&mut host, MS, 2).pair, 1);
}

#[test]
fn what_the_bucket_holds_at_ssthresh_is_sent_by_safe_transmit() {
    let mut host = Host::new(
        "pair",
        Start {
            ssthresh_bytes: 12 * SEGMENT,
            ..start()
        },
        100 * MS,
    );
    replied(&mut host, 0, 9, INTERVAL_NS);
    let decision = ack(&mut host, MS, 8);
    assert_eq!(
        (phase_name(decision.phase), exit_name(decision.exit)),
        ("safe-transmit", "ssthresh")
    );
    assert_eq!(
        (decision.cwnd_bytes, decision.pacing_bytes_per_s),
        (12 * SEGMENT, RATE)
    );
    // Congestion avoidance owns cwnd meanwhile.
    host.decision.cwnd_bytes = 13 * SEGMENT;
    let decision = ack(&mut host, MS, 9);
    assert_eq!(
        (phase_name(decision.phase), decision.cwnd_bytes),
        ("safe-transmit", 13 * SEGMENT)
    );
    let decision = ack(&mut host, MS, 12);
    assert_eq!(
        (phase_name(decision.phase), exit_name(decision.exit)),
        ("avoidance", "ssthresh"),
        "it was full"
    );
    assert_eq!(decision.pacing_bytes_per_s, UNLIMITED);
}

#[test]
fn safe_transmit_ends_after_a_round_trip() {
    let mut host = figure_5();
    replied(&mut host, MS, 1, INTERVAL_NS);
    host.loss(LOSS_RECOVERY, 4 * SEGMENT, 2 * SEGMENT);
    assert_eq!(
        phase_name(ack(&mut host, 500 * MS, 0).phase),
        "safe-transmit",
        "however long the recovery took"
    );
    assert_eq!(
        phase_name(ack(&mut host, 239 * MS, 0).phase),
        "safe-transmit"
    );
    assert_eq!(phase_name(ack(&mut host, MS, 0).phase), "avoidance");
}

/// "When new acknowledgement packet is received, The new TCP enters in 'safe-transmit' mode": what
/// leaves during the recovery is not shaped.
#[test]
fn by_the_papers_words_safe_transmit_begins_with_the_ack_after_the_recovery() {
    let mut host = figure_5_by(reading("new-ack"));
    replied(&mut host, MS, 1, INTERVAL_NS);
    let lost = host.loss(LOSS_RECOVERY, 4 * SEGMENT, 2 * SEGMENT);
    assert_eq!(
        (phase_name(lost.phase), lost.pacing_bytes_per_s),
        ("safe-transmit", UNLIMITED)
    );
    let decision = ack(&mut host, 500 * MS, 0);
    assert_eq!(
        (phase_name(decision.phase), decision.pacing_bytes_per_s),
        ("safe-transmit", RATE)
    );
}

#[test]
fn until_full_safe_transmit_lasts_until_cwnd_is_full() {
    let mut host = figure_5_by(reading("until-full"));
    replied(&mut host, MS, 1, INTERVAL_NS);
    host.loss(LOSS_RECOVERY, 4 * SEGMENT, 2 * SEGMENT);
    for _ in 0..10 {
        let decision = ack(&mut host, 240 * MS, 0);
        assert_eq!(
            (phase_name(decision.phase), decision.pacing_bytes_per_s),
            ("safe-transmit", RATE)
        );
    }
    let window = host.decision.cwnd_bytes / SEGMENT;
    assert_eq!(
        phase_name(ack(&mut host, MS, window - 1).phase),
        "avoidance"
    );
}

/// Section 4.2.2.
#[test]
fn a_recovery_is_followed_by_safe_transmit_and_slow_start_by_itself() {
    for (kind, phase, exit) in [
        (LOSS_RECOVERY, "safe-transmit", "loss"),
        (LOSS_TAHOE, "avoidance", "loss"),
        (LOSS_TIMEOUT, "avoidance", "timeout"),
    ] {
        let mut host = figure_5();
        replied(&mut host, MS, 1, INTERVAL_NS);
        let decision = host.loss(kind, 4 * SEGMENT, 2 * SEGMENT);
        assert_eq!(
            (phase_name(decision.phase), exit_name(decision.exit)),
            (phase, exit)
        );
        let rate = if kind == LOSS_RECOVERY {
            RATE
        } else {
            UNLIMITED
        };
        assert_eq!(
            (decision.pacing_bytes_per_s, decision.ssthresh_bytes),
            (rate, 2 * SEGMENT)
        );
    }
}

#[test]
fn a_slow_start_that_restarts_knows_the_interval() {
    let mut host = figure_5();
    replied(&mut host, MS, 1, INTERVAL_NS);
    host.loss(LOSS_TIMEOUT, 4 * SEGMENT, 8 * SEGMENT);
    host.decision.cwnd_bytes = SEGMENT;
    let decision = ack(&mut host, 1000 * MS, 0);
    assert_eq!(
        (phase_name(decision.phase), exit_name(decision.exit)),
        ("slow-start", "none")
    );
    assert_eq!((decision.pair, decision.pacing_bytes_per_s), (1, RATE));
}

/// The paper's timer has ticks of 10 ms. At a rate that is paced, at most 10 segments leave per
/// tick.
#[test]
fn a_clock_that_cannot_keep_the_rate_leaves_slow_start_as_it_is() {
    let clock = Clock {
        measure_ns: 10 * MS,
        event_ns: 10 * MS,
    };
    for (interval_ns, is_paced) in [(MS, true), (MS * 9 / 10, false)] {
        let mut host = Host::new("pair", Start { clock, ..start() }, 240 * MS);
        let decision = replied(&mut host, MS, 9, interval_ns);
        assert_eq!(decision.pacing_bytes_per_s != UNLIMITED, is_paced);
        let decision = host.loss(LOSS_RECOVERY, 4 * SEGMENT, 2 * SEGMENT);
        assert_eq!(
            phase_name(decision.phase),
            if is_paced {
                "safe-transmit"
            } else {
                "avoidance"
            }
        );
    }
}

#[test]
fn without_an_ssthresh_slow_start_ends_at_the_bdp() {
    // The BDP is 25 segments. The first report shows half of the rate and ends nothing.
    let mut host = Host::new("pair", start(), 1000 * MS);
    replied(&mut host, MS, 9, 2 * INTERVAL_NS);
    while host.decision.cwnd_bytes < 20 * SEGMENT {
        let inflight = host.decision.cwnd_bytes / SEGMENT - 1;
        assert!(!ack(&mut host, MS, inflight).is_over());
    }
    // Nor does the third report, which is as low.
    replied(&mut host, MS, 19, INTERVAL_NS);
    replied(&mut host, MS, 20, 2 * INTERVAL_NS);
    while !host.decision.is_over() {
        assert!(host.decision.cwnd_bytes < 25 * SEGMENT);
        assert_eq!(
            host.decision.ssthresh_bytes, UNLIMITED,
            "while it may still move"
        );
        let inflight = host.decision.cwnd_bytes / SEGMENT - 1;
        ack(&mut host, MS, inflight);
    }
    assert_eq!(
        (host.decision.cwnd_bytes, host.decision.ssthresh_bytes),
        (25 * SEGMENT, 25 * SEGMENT)
    );
    assert_eq!(
        (
            phase_name(host.decision.phase),
            exit_name(host.decision.exit)
        ),
        ("safe-transmit", "estimate")
    );
}
