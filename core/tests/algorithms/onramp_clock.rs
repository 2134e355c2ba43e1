//! `onramp` with the receiver's clock: the timestamps of ACKs show when segments arrived.

use crate::flights::{start, Host, Receiver, MS, MSS};
use crate::onramp::{phase, SEGMENT};
use onramp_core::{Decision, Start, Without, UNLIMITED};

const US: u64 = 1000;
/// Long enough for eight ticks of each length.
const RTT: u64 = 400 * MS;

const fn ticks_of(tick_ns: u64) -> Receiver {
    Receiver {
        tick_ns,
        first_tsval: u32::MAX - 20,
    }
}

const MILLISECONDS: Receiver = ticks_of(MS);

fn host(start: Start) -> Host {
    Host::new("onramp", start, RTT)
}

/// The variant that goes without this idea.
pub fn without(idea: &str) -> u64 {
    Without::named(idea).unwrap().bits("onramp")
}

/// A whole window leaves back to back. For each segment, when the receiver acknowledged it, and
/// when the ACK arrived, beyond an RTT.
fn flight(
    host: &mut Host,
    receiver: Receiver,
    sent_ns: impl Fn(u64) -> u64,
    acked_ns: impl Fn(u64) -> u64,
) -> Decision {
    for n in 0..host.decision.cwnd_bytes / SEGMENT {
        let tsval = receiver.tsval(RTT + sent_ns(n));
        host.ack_with_time(RTT + acked_ns(n), 0, tsval);
    }
    host.decision
}

/// The return path delivers all ACKs of the first ten segments within 9 us.
fn in_one_aggregate(spacing_ns: u64) -> impl Fn(u64) -> u64 {
    move |n| 9 * spacing_ns + n
}

#[test]
fn aggregated_acks_show_the_rate_by_the_receivers_clock() {
    for (tick_ns, spacing_ns) in [
        (US, 200 * US),
        (US, MS),
        (MS, MS),
        (4 * MS, 2 * MS),
        (10 * MS, 5 * MS),
    ] {
        let receiver = ticks_of(tick_ns);
        let mut host = host(receiver.start());
        let aggregate = in_one_aggregate(spacing_ns);
        let decision = flight(&mut host, receiver, |n| n * spacing_ns, aggregate);
        assert_eq!(phase(&host), "pacing", "{tick_ns} ns");
        let (rate, exact) = (
            decision.estimate_bytes_per_s,
            1_000_000_000_000 / spacing_ns,
        );
        // Whole ticks are exact, ticks of two segments are known to a quarter.
        let error = if tick_ns <= spacing_ns { 1 } else { exact / 4 };
        assert!(rate.abs_diff(exact) <= error, "{tick_ns} ns: {rate}");
    }
}

/// A flight of nine gaps that lasts less than four ticks. ACKs show the rate then.
#[test]
fn less_than_four_ticks_leave_the_rate_to_acks() {
    let rates = [300 * US, 400 * US, 500 * US].map(|spacing_ns| {
        let mut host = host(MILLISECONDS.start());
        // The return path spaces ACKs by 800 us.
        let acked = |n| n * 800 * US;
        flight(&mut host, MILLISECONDS, |n| n * spacing_ns, acked).estimate_bytes_per_s
    });
    let of_acks = 1_250_000;
    assert_eq!(rates[..2], [of_acks; 2]);
    assert!((1_500_000..2_500_000).contains(&rates[2]), "{rates:?}");
}

/// ACKs on a line give no rate where the receiver shows that the segments formed none.
#[test]
fn arrivals_that_form_no_line_are_a_veto() {
    let mut host = host(MILLISECONDS.start());
    let in_two_heaps = |n| if n < 5 { 0 } else { 8 * MS };
    let decision = flight(&mut host, MILLISECONDS, in_two_heaps, |n| n * MS);
    assert_eq!((phase(&host), decision.estimate_bytes_per_s), ("probe", 0));
}

/// Forty segments leave one each millisecond, and jitter of the forward path makes the last one
/// late by a millisecond. The spacing is the sender's own, also for a clock that shows the jitter.
#[test]
fn jitter_does_not_make_the_spacing_of_the_sender_that_of_the_path() {
    for tick_ns in [US, MS] {
        let receiver = ticks_of(tick_ns);
        let mut host = host(Start {
            cwnd_bytes: 40 * SEGMENT,
            ..receiver.start()
        });
        for n in 0..40 {
            let arrived_ns = RTT + n * (MS + 25 * US);
            host.ack_with_time(arrived_ns, n * MS, receiver.tsval(arrived_ns));
        }
        assert_eq!(host.decision.estimate_bytes_per_s, 0, "{tick_ns} ns");
    }
}

/// A receiver says that 200 segments arrived within 0.4 ms. Their ACKs, one each millisecond, show
/// 1.4 MB/s. Segments that left at once seem spaced by the path, others by the sender.
#[test]
fn a_rate_that_the_senders_own_clock_does_not_support_is_none() {
    let receiver = ticks_of(US);
    let pipe_bytes = 1000 * SEGMENT * RTT / 1_000_000_000;
    for leaving_ns in [0, MS] {
        let mut host = host(Start {
            cwnd_bytes: 200 * SEGMENT,
            ..receiver.start()
        });
        for n in 0..200 {
            let tsval = receiver.tsval(RTT + 2 * US * n);
            host.ack_with_time(RTT + n * MS, n * leaving_ns, tsval);
        }
        let decision = host.decision;
        assert_eq!((phase(&host), decision.estimate_bytes_per_s), ("probe", 0));
        assert!(
            decision.cwnd_bytes < 8 * pipe_bytes,
            "{} segments",
            decision.cwnd_bytes / SEGMENT
        );
    }
}

/// Two paths: the ACKs of one are spaced, those of the other aggregated.
fn decisions(start: Start, tsval: impl Fn(u64) -> u64) -> Vec<Decision> {
    let mut all = Vec::new();
    for aggregate_ns in [1, 5 * MS] {
        let mut host = host(start);
        for n in 1..500 {
            let sent_ns = RTT + n * MS;
            let now_ns = sent_ns.next_multiple_of(aggregate_ns) + n;
            all.push(host.ack_with_time(now_ns, now_ns - RTT, tsval(sent_ns)));
            if host.decision.is_over() {
                break;
            }
        }
    }
    all
}

/// Each decision is as without timestamps.
#[test]
fn a_clock_that_is_not_recognised_changes_nothing() {
    let constant = |_| 77;
    let backwards = |at_ns: u64| u64::from(u32::MAX) - at_ns / MS;
    let random = |at_ns: u64| (at_ns + 1).wrapping_mul(0xd129_42a0_92f3_8ba5) >> 32;
    let unusual = |at_ns: u64| at_ns / (2 * MS);
    let plain = decisions(start(), constant);
    for tsval in [constant, backwards, random, unusual] {
        let start = Start {
            tsval: tsval(0),
            ..MILLISECONDS.start()
        };
        assert_eq!(decisions(start, tsval), plain);
    }
    let with_clock = decisions(MILLISECONDS.start(), |at_ns| MILLISECONDS.tsval(at_ns));
    assert_ne!(with_clock, plain);
}

#[test]
fn without_the_clock_timestamps_change_nothing() {
    let right = |at_ns| MILLISECONDS.tsval(at_ns);
    let start_without = Start {
        variant: without("clock"),
        ..MILLISECONDS.start()
    };
    assert_eq!(decisions(start_without, right), decisions(start(), right));
}

/// Ten segments arrive within three ticks, and their ACKs at once. By the ACKs alone, aggregation
/// may have hidden 10 ms. By the receiver's clock it is two ticks and 2 ms.
#[test]
fn the_receivers_clock_raises_the_lower_bound() {
    for (variant, time_ns) in [(0, 4 * MS), (without("clock"), 10 * MS + 9)] {
        let mut host = host(Start {
            variant,
            ..MILLISECONDS.start()
        });
        let decision = flight(
            &mut host,
            MILLISECONDS,
            |n| n * 300 * US,
            in_one_aggregate(0),
        );
        let bound = 9 * u64::from(MSS) * 1_000_000_000 / time_ns;
        assert_eq!(
            (phase(&host), decision.pacing_bytes_per_s),
            ("probe", bound / 8 * 40)
        );
    }
}

/// On a path of 5 ms, eight ticks pass while the flight arrives, one segment each 400 us. The clock
/// has seen the last two arrive. They bound the rate by one segment in 2 ms, not by nine.
#[test]
fn a_clock_recognised_late_bounds_only_what_it_has_seen() {
    let rtt_ns = 5 * MS;
    let mut host = Host::new("onramp", MILLISECONDS.start(), rtt_ns);
    for n in 0..10 {
        let sent_ns = rtt_ns + n * 400 * US;
        let now_ns = rtt_ns + 9 * 400 * US + n;
        host.ack_with_time(now_ns, 0, MILLISECONDS.tsval(sent_ns));
    }
    // The BDP at 2.5 MB/s is 12 segments. The bound by the ACKs permits five.
    assert_eq!(
        (host.decision.cwnd_bytes, host.decision.pacing_bytes_per_s),
        (20 * SEGMENT, UNLIMITED)
    );
}

/// Segments leave at the rate, a millisecond apart. They meet this queue, and their ACKs this delay
/// on the return path. Returns whether cwnd is held.
fn is_held(start: Start, queue_ns: u64, return_ns: u64) -> bool {
    let mut host = host(start);
    flight(&mut host, MILLISECONDS, |n| n * MS, |n| n * MS);
    assert_eq!(phase(&host), "pacing");
    (10..1000).any(|n| {
        let sent_ns = RTT + n * MS + queue_ns;
        host.ack_with_time(sent_ns + return_ns, n * MS, MILLISECONDS.tsval(sent_ns));
        phase(&host) == "hold"
    })
}

#[test]
fn delays_of_the_return_path_do_not_count_up_to_twice_the_smallest_queue() {
    let with = MILLISECONDS.start();
    let without = Start {
        variant: without("clock"),
        ..with
    };
    for (queue_ms, return_ms, with_clock, without_clock) in [
        (0, 0, false, false),
        (0, 24, false, true),
        // A receiver that lies could hide a queue of this length.
        (0, 40, true, true),
        (20, 0, true, true),
        (20, 40, true, true),
    ] {
        let held = [with, without].map(|start| is_held(start, queue_ms * MS, return_ms * MS));
        assert_eq!(held, [with_clock, without_clock], "{queue_ms} {return_ms}");
    }
}
