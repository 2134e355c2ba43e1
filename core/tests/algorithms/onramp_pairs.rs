//! `onramp` with packet pairs: what the receiver reports, and what is used of it
//! (core/measure/pair_rate.h).

use crate::flights::{start, Host, MS};
use crate::onramp::{phase, QUEUED, RATE, RTT, SEGMENT};
use crate::path::time_ns;
use onramp_core::{
    Decision, Start, ACK_CWND_LIMITED, LOSS_RECOVERY, LOSS_TIMEOUT, OPTION_PAIRS,
    OPTION_RESUME_AT_ONCE, PAIR_NONE, PAIR_TRAIN, UNLIMITED,
};

/// The time between two segments at the bottleneck.
const SPACING: u64 = 100_000;

fn host() -> Host {
    Host::new(
        "onramp",
        Start {
            options: OPTION_PAIRS,
            ..start()
        },
        RTT,
    )
}

/// A segment is acknowledged that left at this time. The receiver reports the time since the first
/// segment arrived.
fn ack_with_report(host: &mut Host, now_ns: u64, left_ns: u64, arrived_ns: u64) -> Decision {
    host.ack.rtt_ns = now_ns - left_ns;
    (host.ack.pair_interval_ns, host.ack.pair_bytes) = (arrived_ns, host.ack.delivered_bytes);
    let decision = host.ack(
        now_ns - host.ack.now_ns,
        host.decision.cwnd_bytes - SEGMENT,
        ACK_CWND_LIMITED,
    );
    host.ack.pair_interval_ns = 0;
    decision
}

/// The first flight: for each of its segments, when it left, when it arrived, and by how much its
/// ACK exceeded a round trip.
fn flight(
    host: &mut Host,
    left_ns: fn(u64) -> u64,
    arrived_ns: fn(u64) -> u64,
    acked_ns: fn(u64) -> u64,
) -> Decision {
    for n in 0..host.decision.cwnd_bytes / SEGMENT {
        ack_with_report(host, RTT + acked_ns(n), left_ns(n), arrived_ns(n));
    }
    host.decision
}

const AT_ONCE: fn(u64) -> u64 = |_| 0;
const SPACED: fn(u64) -> u64 = |n| n * SPACING;
/// The ACK spacing of a return path that is ten times as slow.
const SLOWLY: fn(u64) -> u64 = |n| n * 10 * SPACING;
const IN_TWO_HEAPS: fn(u64) -> u64 = |n| if n < 5 { n } else { 20 * MS + n };

#[test]
fn pairs_are_requested_where_the_user_chooses_them_until_the_startup_is_over() {
    assert_eq!(Host::new("onramp", start(), RTT).decision.pair, PAIR_NONE);
    let mut host = host();
    assert_eq!(host.decision.pair, PAIR_TRAIN);
    assert_eq!(flight(&mut host, AT_ONCE, SPACED, SPACED).pair, PAIR_TRAIN);
    assert_eq!(phase(&host), "pacing");
    host.lose(LOSS_RECOVERY, 10 * SEGMENT, 5 * SEGMENT);
    assert_eq!((phase(&host), host.decision.pair), ("retreat", PAIR_NONE));
    host.lose(LOSS_TIMEOUT, 10 * SEGMENT, 5 * SEGMENT);
    assert_eq!((phase(&host), host.decision.pair), ("done", PAIR_NONE));
}

#[test]
fn the_rate_is_the_receivers_whatever_the_return_path_does_to_acks() {
    for acked_ns in [SPACED, SLOWLY, IN_TWO_HEAPS, AT_ONCE] {
        let mut host = host();
        let decision = flight(&mut host, AT_ONCE, SPACED, acked_ns);
        assert_eq!(
            (phase(&host), decision.estimate_bytes_per_s),
            ("pacing", RATE)
        );
    }
    let mut without = Host::new("onramp", start(), RTT);
    assert_eq!(
        flight(&mut without, AT_ONCE, |_| 0, SLOWLY).estimate_bytes_per_s,
        RATE / 10
    );
}

#[test]
fn the_rate_behind_the_initial_window_of_a_remembered_path_is_the_receivers_too() {
    for acked_ns in [SPACED, SLOWLY, IN_TWO_HEAPS, AT_ONCE] {
        let options = OPTION_PAIRS | OPTION_RESUME_AT_ONCE;
        let remembered = Start {
            remembered_bytes: 1000 * SEGMENT,
            jump_bytes: 500 * SEGMENT,
            remembered_rtt_ns: RTT,
            ..start()
        };
        let mut host = Host::new(
            "onramp",
            Start {
                options,
                srtt_ns: RTT,
                ..remembered
            },
            RTT,
        );
        assert_eq!((phase(&host), host.decision.pair), ("pacing", PAIR_TRAIN));
        for n in 0..10 {
            assert_eq!(host.decision.estimate_bytes_per_s, 0);
            ack_with_report(&mut host, RTT + acked_ns(n), 0, SPACED(n));
        }
        assert_eq!(
            (phase(&host), host.decision.estimate_bytes_per_s),
            ("pacing", RATE)
        );
    }
}

/// Without reports, each decision is as without the option.
#[test]
fn a_peer_without_the_option_changes_nothing() {
    let mut hosts = [host(), Host::new("onramp", start(), RTT)];
    let run = |host: &mut Host| {
        let mut all = vec![flight(host, AT_ONCE, |_| 0, SPACED)];
        for n in 0..20_000 {
            host.ack.rtt_ns = if n < 1000 { RTT } else { QUEUED };
            all.push(host.ack(
                SPACING,
                host.decision.cwnd_bytes - SEGMENT,
                ACK_CWND_LIMITED,
            ));
            if host.decision.is_over() {
                break;
            }
        }
        all.iter()
            .map(|decision| Decision {
                pair: PAIR_NONE,
                ..*decision
            })
            .collect::<Vec<_>>()
    };
    let [with, without] = hosts.each_mut().map(run);
    assert_eq!(with, without);
    assert!(with.last().unwrap().is_over());
}

/// ACKs that form a line give no rate where the segments formed none.
#[test]
fn reports_that_form_no_line_are_a_veto() {
    // Two aggregates; three aggregates on a line; a rate above the maximum.
    let three_heaps = |n| n / 4 * 4 * SPACING + 1;
    for arrived_ns in [IN_TWO_HEAPS, three_heaps, |n| n * 31_000 / 2] {
        let mut host = host();
        flight(&mut host, AT_ONCE, arrived_ns, SPACED);
        assert_eq!(
            (phase(&host), host.decision.estimate_bytes_per_s),
            ("probe", 0)
        );
    }
}

#[test]
fn the_senders_own_spacing_gives_no_rate() {
    let left_in = |left_ns| {
        let mut host = host();
        flight(&mut host, left_ns, SPACED, SPACED).estimate_bytes_per_s
    };
    assert_eq!(left_in(|n| n * SPACING / 2), RATE);
    // With RTTs measured in microseconds, the first segment may seem to have left last.
    assert_eq!(left_in(|n| 1000 - 100 * n), RATE);
    assert_eq!(left_in(|n| n * SPACING / 5 * 4), 0);
}

/// The paced flight, and what follows it. Segments left at the rate. They arrived queue_ns later
/// than without a queue, and their ACKs return_ns later than that. Returns whether a HOLD lasts a
/// round trip.
fn is_held(host: &mut Host, queue_ns: u64, return_ns: u64, reply_every: u64) -> bool {
    flight(host, AT_ONCE, SPACED, SPACED);
    assert_eq!(phase(host), "pacing");
    let begin_ns = RTT;
    for n in 0..2000 {
        let left_ns = begin_ns + n * SPACING;
        let now_ns = left_ns + RTT + queue_ns + return_ns;
        if n % reply_every == 0 {
            ack_with_report(host, now_ns, left_ns, left_ns + SPACING + queue_ns);
        } else {
            host.ack.rtt_ns = now_ns - left_ns;
            host.ack(
                now_ns - host.ack.now_ns,
                host.decision.cwnd_bytes - SEGMENT,
                ACK_CWND_LIMITED,
            );
        }
        if phase(host) == "hold" {
            return true;
        }
    }
    false
}

#[test]
fn delays_of_the_return_path_do_not_count() {
    let queued = QUEUED - RTT;
    for reply_every in [1, 8] {
        assert!(!is_held(&mut host(), 0, 0, reply_every));
        assert!(
            !is_held(&mut host(), 0, 10 * queued, reply_every),
            "the return path"
        );
        assert!(
            is_held(&mut host(), queued, 0, reply_every),
            "the way there"
        );
        assert!(
            is_held(&mut host(), queued, 10 * queued, reply_every),
            "both"
        );
    }
}

/// ACK aggregation of 15 ms. It is no RTT noise in which a queue of 6 ms could hide.
#[test]
fn ack_aggregation_on_the_return_path_hides_no_queue() {
    let mut host = host();
    flight(&mut host, AT_ONCE, SPACED, SPACED);
    let held = (0..4000).find(|n| {
        let left_ns = RTT + n * SPACING;
        let queue_ns = if *n < 2500 { 0 } else { QUEUED - RTT };
        ack_with_report(
            &mut host,
            (left_ns + RTT + queue_ns).next_multiple_of(15 * MS),
            left_ns,
            left_ns + SPACING + queue_ns,
        );
        phase(&host) == "hold"
    });
    assert!(held.is_some_and(|n| (2500..2520).contains(&n)), "{held:?}");
}

#[test]
fn the_return_delay_of_a_reply_holds_for_a_round_trip() {
    let mut host = host();
    flight(&mut host, AT_ONCE, SPACED, SPACED);
    let mut at_ns = RTT;
    let mut acked = |host: &mut Host, is_told: bool| {
        at_ns += SPACING;
        let now_ns = at_ns + 2 * RTT;
        if is_told {
            ack_with_report(host, now_ns, at_ns, at_ns + SPACING);
        } else {
            host.ack.rtt_ns = 2 * RTT;
            host.ack(
                now_ns - host.ack.now_ns,
                host.decision.cwnd_bytes - SEGMENT,
                ACK_CWND_LIMITED,
            );
        }
        phase(host) == "hold"
    };
    assert!(!acked(&mut host, true));
    let until = (1..).find(|_| acked(&mut host, false)).unwrap();
    assert!(
        (RTT / SPACING..RTT / SPACING + 20).contains(&until),
        "{until}"
    );
}

/// A peer may report anything.
#[test]
fn no_report_makes_a_window_beyond_the_maximum_rate() {
    let mut least = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..2000 {
        let mut host = host();
        for n in 0..400 {
            least = least.wrapping_mul(0xd129_42a0_92f3_8ba5).wrapping_add(1);
            let interval_ns = least >> (32 + n % 32);
            let now_ns = RTT + n * SPACING;
            host.ack.rtt_ns = RTT + least % MS;
            (host.ack.pair_interval_ns, host.ack.pair_bytes) = (interval_ns, least >> 40);
            let inflight_bytes = host.decision.cwnd_bytes - SEGMENT;
            let before_bytes = host.decision.cwnd_bytes;
            let decision = host.ack(now_ns - host.ack.now_ns, inflight_bytes, ACK_CWND_LIMITED);
            // 360 Mbit/s, three quarters of the BDP and ten segments; or slow start's cwnd.
            let most_bytes = time_bytes(host.ack.rtt_ns) / 4 * 3 + 11 * SEGMENT;
            assert!(
                decision.cwnd_bytes <= most_bytes.max(before_bytes + SEGMENT),
                "{decision:?}"
            );
            assert_ne!(decision.cwnd_bytes, UNLIMITED);
            if decision.is_over() {
                break;
            }
        }
    }
}

/// The BDP of a path whose segments are 32 us apart: about the fastest one on which the ten
/// segments of the first flight arrive in 288 us.
fn time_bytes(rtt_ns: u64) -> u64 {
    rtt_ns / 32_000 * SEGMENT
}

#[test]
fn the_rate_of_the_tests_is_one_segment_each_spacing() {
    assert_eq!(time_ns(SEGMENT, RATE), SPACING);
}
