//! `onramp` on a remembered path (the rules of the memory: memory.rs).

use crate::flights::{start, Host, MS};
use crate::onramp::{arrive, assert_segments, in_two_aggregates, phase, round, until, validated};
use crate::onramp::{burst, PACED_RATE, QUEUED, RATE, RTT, SEGMENT};
use crate::path::time_ns;
use onramp_core::{
    Start, ACK_APP_LIMITED, ACK_CWND_LIMITED, ACK_RECOVERING, LOSS_RECOVERY, OPTION_RESUME_AT_ONCE,
    UNLIMITED,
};

const CAREFUL: u32 = 0;

/// A BDP of this many segments is remembered. At once, half of it may be sent.
fn host(options: u32, remembered_segments: u64) -> Host {
    let remembered_bytes = remembered_segments * SEGMENT;
    let start = Start {
        options,
        srtt_ns: RTT,
        remembered_bytes,
        jump_bytes: if options == CAREFUL {
            0
        } else {
            remembered_bytes / 2
        },
        remembered_rtt_ns: RTT,
        ..start()
    };
    let mut host = Host::new("onramp", start, RTT);
    host.ack.rtt_ns = RTT;
    host
}

/// The initial window has arrived.
fn measured(options: u32, remembered_segments: u64) -> Host {
    let mut host = host(options, remembered_segments);
    burst(&mut host, 10, RATE);
    host
}

#[test]
fn half_of_the_remembered_bdp_leaves_behind_the_initial_window_paced() {
    let mut host = host(OPTION_RESUME_AT_ONCE, 1000);
    assert_eq!(
        (phase(&host), host.decision.cwnd_bytes),
        ("pacing", 510 * SEGMENT)
    );
    assert_eq!(host.decision.pacing_bytes_per_s, 5_100_000);
    arrive(&mut host, 9, RATE, RTT);
    assert_eq!(
        (phase(&host), host.decision.cwnd_bytes),
        ("pacing", 510 * SEGMENT)
    );
}

/// The path memory bounds what may be sent before an ACK arrives (memory.rs).
#[test]
fn at_once_no_more_than_the_jump_leaves_behind_the_initial_window() {
    for (jump_segments, segments) in [(1, 11), (100, 110)] {
        let start = Start {
            options: OPTION_RESUME_AT_ONCE,
            srtt_ns: RTT,
            remembered_bytes: 1000 * SEGMENT,
            remembered_rtt_ns: RTT,
            jump_bytes: jump_segments * SEGMENT,
            ..start()
        };
        let mut host = Host::new("onramp", start, RTT);
        assert_eq!(
            (phase(&host), host.decision.cwnd_bytes),
            ("pacing", segments * SEGMENT)
        );
        host.ack.rtt_ns = RTT;
        // The first flight gives no rate: half of what is remembered may be sent now.
        let mut without = Host::new("onramp", start, RTT);
        without.ack.rtt_ns = RTT;
        in_two_aggregates(&mut without);
        assert_segments(without.decision.cwnd_bytes, 500);
        // The first flight confirms the whole of what is remembered.
        burst(&mut host, 10, RATE);
        assert_segments(host.decision.cwnd_bytes, 1000);
    }
}

/// The BDP is 1000 segments.
#[test]
fn the_whole_bdp_is_filled_where_the_first_flight_confirms_it_otherwise_three_quarters() {
    for (remembered, segments) in [
        (1000, 1000),
        (800, 1000),
        (500, 1000),
        (499, 760),
        (40, 760),
    ] {
        let host = measured(OPTION_RESUME_AT_ONCE, remembered);
        assert_eq!(
            (phase(&host), host.decision.estimate_bytes_per_s),
            ("pacing", RATE)
        );
        assert_segments(host.decision.cwnd_bytes, segments);
        assert_eq!(host.decision.learned_bytes, 0);
    }
}

/// The initial window arrives at once, which 10 ms of aggregation may cause: 90 segments in an RTT.
/// The probe has 77 segments.
#[test]
fn a_probe_is_preferred_to_a_jump_of_less_than_twice_its_size() {
    for options in [CAREFUL, OPTION_RESUME_AT_ONCE] {
        for (remembered, at, segments) in [(200, "probe", 77), (400, "pacing", 200)] {
            let start = Start {
                options,
                srtt_ns: RTT,
                remembered_bytes: remembered * SEGMENT,
                remembered_rtt_ns: RTT,
                jump_bytes: u64::from(options) / u64::from(OPTION_RESUME_AT_ONCE) * SEGMENT,
                ..start()
            };
            let mut host = Host::new("onramp", start, RTT);
            host.ack.rtt_ns = RTT;
            burst(&mut host, 10, 1_000_000_000);
            assert_eq!(phase(&host), at);
            assert_segments(host.decision.cwnd_bytes, segments);
        }
    }
}

/// RFC 9959, section 3.2: not before the initial window is acknowledged. By then the path is
/// usually measured.
#[test]
fn carefully_the_remembered_bdp_is_used_where_the_first_flight_gave_no_rate() {
    let host = measured(CAREFUL, 1000);
    assert_segments(host.decision.cwnd_bytes, 760);

    let mut host = self::host(CAREFUL, 1000);
    assert_eq!(
        (phase(&host), host.decision.cwnd_bytes),
        ("slow-start", 10 * SEGMENT)
    );
    in_two_aggregates(&mut host);
    assert_eq!(
        (phase(&host), host.decision.estimate_bytes_per_s),
        ("pacing", 0)
    );
    assert_segments(host.decision.cwnd_bytes, 500);
    assert_eq!(host.decision.pacing_bytes_per_s, 5_000_000);
    // Slow start goes on from there, paced, towards the remembered BDP.
    let decision = until(&mut host, "approach", RATE, RTT);
    assert!(decision.pacing_bytes_per_s > 9_900_000, "{decision:?}");
}

/// Section 4.2.1: an RTT of half or less, or of more than ten times, is another path's.
#[test]
fn an_rtt_that_does_not_fit_uses_nothing() {
    for (rtt_ns, used) in [
        (RTT / 2, false),
        (RTT / 2 + MS, true),
        (10 * RTT, true),
        (10 * RTT + 1, false),
    ] {
        let mut host = host(CAREFUL, 1000);
        host.ack.rtt_ns = rtt_ns;
        in_two_aggregates(&mut host);
        assert_eq!(phase(&host) == "pacing", used, "{rtt_ns}");
    }
}

/// Section 3.3. The application has given data for only a part of the jump.
#[test]
fn the_unused_part_of_the_jump_is_lost() {
    let mut host = host(OPTION_RESUME_AT_ONCE, 1000);
    for left in (10..20).rev() {
        // In two aggregates: no rate.
        host.ack(
            if left == 15 { 20 * MS } else { 1000 },
            left * SEGMENT,
            ACK_APP_LIMITED,
        );
    }
    assert_segments(host.decision.cwnd_bytes, 20);
}

/// The BDP is 100 segments, and ten times as much is remembered. The first flight shows this before
/// a loss does.
#[test]
fn a_remembered_bdp_that_is_too_large_is_forgotten_and_the_measured_one_used() {
    let mut host = host(OPTION_RESUME_AT_ONCE, 1000);
    let decision = burst(&mut host, 10, RATE / 10);
    assert_segments(decision.cwnd_bytes, 100);
    assert_eq!(decision.learned_bytes, UNLIMITED);
}

/// Section 3.5: half of what has arrived, until all is accounted for. Then it is reduced by the
/// factor of congestion avoidance.
#[test]
fn a_loss_before_validation_is_a_safe_retreat() {
    let mut host = measured(OPTION_RESUME_AT_ONCE, 1000);
    host.ack.inflight_bytes = 500 * SEGMENT;
    let cwnd_bytes = host.decision.cwnd_bytes;
    let decision = host.lose(LOSS_RECOVERY, 500 * SEGMENT, cwnd_bytes / 10 * 7);
    assert_eq!(
        (phase(&host), decision.learned_bytes),
        ("retreat", UNLIMITED)
    );
    let arrives = |host: &mut Host, lost: u64| {
        host.ack.lost_bytes += lost * SEGMENT;
        host.ack(
            time_ns(SEGMENT, RATE),
            400 * SEGMENT,
            ACK_RECOVERING | ACK_CWND_LIMITED,
        )
    };
    for _ in 0..90 {
        arrives(&mut host, 0);
    }
    assert_segments(host.decision.ssthresh_bytes, 50);
    // 400 segments are lost, and 20 more arrive: in total 120 of the initial window and the jump.
    for _ in 0..20 {
        arrives(&mut host, 20);
    }
    assert_segments(host.decision.ssthresh_bytes, 84);
}

/// After everything has been validated, a loss is no Safe Retreat, even if the memory was wrong
/// before: ssthresh would rise.
#[test]
fn a_loss_after_validation_is_no_safe_retreat() {
    let mut host = host(OPTION_RESUME_AT_ONCE, 1000);
    assert_eq!(burst(&mut host, 10, RATE / 10).learned_bytes, UNLIMITED);
    until(&mut host, "approach", RATE / 10, RTT);
    for _ in 0..3 {
        round(&mut host, RATE / 10, RTT);
    }
    let cwnd_bytes = host.decision.cwnd_bytes;
    let decision = host.lose(LOSS_RECOVERY, cwnd_bytes, cwnd_bytes / 10 * 7);
    assert!(decision.ssthresh_bytes >= cwnd_bytes, "a light loss");
    assert_eq!(
        (phase(&host), decision.learned_bytes),
        ("retreat", 0),
        "it is forgotten once"
    );
    while host.ack.delivered_bytes < 2000 * SEGMENT {
        host.ack(
            time_ns(SEGMENT, RATE / 10),
            10 * SEGMENT,
            ACK_RECOVERING | ACK_CWND_LIMITED,
        );
        assert_eq!(host.decision.ssthresh_bytes, decision.ssthresh_bytes);
    }
}

#[test]
fn the_bdp_of_a_full_pipe_is_learned() {
    let mut host = validated();
    until(&mut host, "hold", RATE, QUEUED);
    round(&mut host, PACED_RATE / 8 * 9, QUEUED);
    let decision = until(&mut host, "avoidance", PACED_RATE / 8 * 9, QUEUED);
    assert_segments(decision.learned_bytes, 855);
    assert_eq!(decision.learned_rtt_ns, RTT);
}

/// 200 segments of a flight arrive at three quarters of the rate. Then the transfer ends.
#[test]
fn a_short_transfer_learns_its_delivery_rate() {
    let mut host = measured(CAREFUL, 0);
    until(&mut host, "approach", RATE, RTT);
    arrive(&mut host, 38, RATE * 3 / 4, RTT);
    assert_eq!(host.decision.learned_bytes, 0, "too little has arrived");
    let reported: Vec<u64> = (0..162)
        .map(|_| arrive(&mut host, 1, RATE * 3 / 4, RTT).learned_bytes)
        .collect();
    let news: Vec<u64> = reported.into_iter().filter(|bytes| *bytes > 0).collect();
    assert!(
        (1..4).contains(&news.len()),
        "an unchanged BDP is not reported again: {news:?}"
    );
    assert_segments(*news.last().unwrap(), 750);
}

/// A connection that does not fill the pipe knows only a lower bound.
#[test]
fn a_bdp_below_the_remembered_one_is_not_learned() {
    let mut host = measured(OPTION_RESUME_AT_ONCE, 1500);
    round(&mut host, RATE, RTT);
    round(&mut host, RATE, RTT);
    assert_eq!(host.decision.learned_bytes, 0);
}
