//! `spaced`: the pacing rate of slow start, when the start-up ends, and how it returns.

use crate::flights::{start, Host, MS, MSS};
use crate::path::Path;
use onramp_core::{
    exit_name, phase_name, Clock, Start, ACK_CWND_LIMITED, LOSS_TIMEOUT, PHASE_AVOIDANCE, UNLIMITED,
};

const SEGMENT: u64 = MSS as u64;
/// 10 MB/s and 100 ms: 1000 segments.
const PATH: Path = Path {
    rate_bytes_per_s: 10_000_000,
    delay_ns: 100 * MS,
    mss_bytes: MSS,
};

#[test]
fn segments_leave_an_eighth_faster_than_acks_arrive() {
    let mut host = Host::new("spaced", start(), 100 * MS);
    assert_eq!(
        host.decision.pacing_bytes_per_s, UNLIMITED,
        "nothing is measured yet"
    );
    host.flight(MS, ACK_CWND_LIMITED);
    assert_eq!(host.decision.estimate_bytes_per_s, 1_000_000);
    assert_eq!(host.decision.pacing_bytes_per_s, 1_125_000);
}

/// cwnd grows as in slow start. On a path without losses, the queue is no longer than sending at
/// 9/8 of the path's rate makes it.
#[test]
fn the_first_slow_start_ends_at_the_bdp_with_a_queue_of_an_eighth() {
    let transfer = PATH.transfer("spaced", start(), 5000);
    let (place, end) = transfer.first_in("avoidance").expect("it ends");
    assert_eq!(exit_name(end.decision.exit), "estimate");
    let path_segments = PATH.bdp_bytes() / SEGMENT;
    let window = end.decision.cwnd_bytes / SEGMENT;
    assert!(
        (path_segments * 95 / 100..=path_segments * 115 / 100).contains(&window),
        "{window} of {path_segments}"
    );
    let most = transfer.steps[..place]
        .iter()
        .map(|step| step.ack.srtt_ns)
        .max()
        .unwrap();
    assert!(
        most < PATH.delay_ns * 5 / 4,
        "round trips of {} ms",
        most / MS
    );
    // Less is in flight than in standard slow start.
    let standard = PATH.transfer("standard", start(), 5000);
    let at = |steps: &[crate::path::Step]| {
        steps[..place]
            .iter()
            .map(|step| step.ack.inflight_bytes)
            .max()
            .unwrap()
    };
    assert!(at(&transfer.steps) < at(&standard.steps));
}

/// Segments that slow start permitted and that pacing still holds back leave at the paced rate.
#[test]
fn a_window_that_is_not_filled_is_filled_at_the_rate_before_avoidance_begins() {
    let mut host = Host::new(
        "spaced",
        Start {
            ssthresh_bytes: 40 * SEGMENT,
            ..start()
        },
        100 * MS,
    );
    host.flight(MS, ACK_CWND_LIMITED);
    while host.decision.cwnd_bytes < 40 * SEGMENT {
        host.ack(MS, 20 * SEGMENT, ACK_CWND_LIMITED);
    }
    assert_eq!(
        (
            phase_name(host.decision.phase),
            host.decision.pacing_bytes_per_s
        ),
        ("pacing", 1_125_000)
    );
    host.ack(MS, 30 * SEGMENT, ACK_CWND_LIMITED);
    assert_eq!(phase_name(host.decision.phase), "pacing");
    let end = host.ack(MS, 39 * SEGMENT, ACK_CWND_LIMITED);
    assert_eq!(
        (end.phase, exit_name(end.exit)),
        (PHASE_AVOIDANCE, "ssthresh")
    );
    assert_eq!(
        (end.cwnd_bytes, end.pacing_bytes_per_s),
        (40 * SEGMENT, UNLIMITED)
    );
}

#[test]
fn pacing_ends_after_a_round_trip_where_the_window_is_not_filled() {
    let mut host = Host::new(
        "spaced",
        Start {
            ssthresh_bytes: 12 * SEGMENT,
            ..start()
        },
        100 * MS,
    );
    host.ack(MS, 2 * SEGMENT, ACK_CWND_LIMITED);
    host.ack(MS, 2 * SEGMENT, ACK_CWND_LIMITED);
    assert_eq!(phase_name(host.decision.phase), "pacing");
    host.ack(99 * MS, 2 * SEGMENT, 0);
    assert_eq!(phase_name(host.decision.phase), "pacing");
    host.ack(MS, 2 * SEGMENT, 0);
    assert_eq!(phase_name(host.decision.phase), "avoidance");
}

#[test]
fn it_comes_back_with_the_next_slow_start_and_what_it_has_measured() {
    let mut host = Host::new("spaced", start(), 100 * MS);
    host.flight(MS, ACK_CWND_LIMITED);
    let lost = host.loss(LOSS_TIMEOUT, 20 * SEGMENT, 8 * SEGMENT);
    assert_eq!(
        (lost.phase, exit_name(lost.exit)),
        (PHASE_AVOIDANCE, "timeout")
    );
    assert_eq!(
        (lost.ssthresh_bytes, lost.pacing_bytes_per_s),
        (8 * SEGMENT, UNLIMITED)
    );
    host.decision.cwnd_bytes = SEGMENT;
    let again = host.ack(500 * MS, 0, ACK_CWND_LIMITED);
    assert_eq!(
        (phase_name(again.phase), again.pacing_bytes_per_s),
        ("slow-start", 1_125_000)
    );
    assert_eq!(
        (again.cwnd_bytes, again.ssthresh_bytes),
        (2 * SEGMENT, 8 * SEGMENT),
        "the loss set ssthresh"
    );
}

/// The user's rate is the paper's constant R. With it, only the host sets ssthresh.
#[test]
fn a_rate_that_is_given_is_the_rate() {
    let mut host = Host::new(
        "spaced",
        Start {
            pace_bytes_per_s: 700_000,
            ..start()
        },
        100 * MS,
    );
    for _ in 0..3 {
        host.flight(MS, ACK_CWND_LIMITED);
        assert_eq!(
            (
                host.decision.pacing_bytes_per_s,
                host.decision.ssthresh_bytes
            ),
            (700_000, UNLIMITED)
        );
    }
}

#[test]
fn a_host_of_coarse_ticks_does_not_space_what_a_tick_would_bunch() {
    let clock = Clock {
        measure_ns: 1,
        event_ns: 10 * MS,
    };
    let rate_after = |spacing_ns| {
        let mut host = Host::new("spaced", Start { clock, ..start() }, 100 * MS);
        host.flight(spacing_ns, ACK_CWND_LIMITED).pacing_bytes_per_s
    };
    assert_eq!(rate_after(2 * MS), 562_500, "5.6 segments a tick");
    assert_eq!(rate_after(MS / 2), UNLIMITED, "22 of them");
}

/// A small initial window, and a receiver that delays every second ACK by 200 ms: the first flights
/// have at most two ACKs, the last of them late.
#[test]
fn flights_of_a_few_acks_give_no_rate() {
    let mut host = Host::new(
        "spaced",
        Start {
            cwnd_bytes: 2 * SEGMENT,
            ..start()
        },
        100 * MS,
    );
    for _ in 0..3 {
        host.ack(100 * MS, 2 * SEGMENT, ACK_CWND_LIMITED);
        let late = host.ack(200 * MS, 0, ACK_CWND_LIMITED);
        assert_eq!(
            (late.estimate_bytes_per_s, late.pacing_bytes_per_s),
            (0, UNLIMITED)
        );
        assert_eq!(
            (phase_name(late.phase), late.ssthresh_bytes),
            ("slow-start", UNLIMITED)
        );
    }
}

/// A part of each flight waits for an ACK that the receiver delayed. A rate from both pieces would
/// be cwnd / RTT.
#[test]
fn a_flight_in_two_pieces_gives_no_rate() {
    let mut host = Host::new("spaced", start(), 400 * MS);
    for _ in 0..4 {
        let segments = host.decision.cwnd_bytes / SEGMENT;
        for place in 1..=segments {
            let gap_ns = if place == 1 || place == segments / 3 {
                200 * MS
            } else {
                MS
            };
            host.ack(gap_ns, (segments - place) * SEGMENT, ACK_CWND_LIMITED);
        }
        assert_eq!(
            (
                host.decision.estimate_bytes_per_s,
                host.decision.ssthresh_bytes
            ),
            (0, UNLIMITED)
        );
    }
}

/// A host may set an ssthresh above the BDP. NewReno does so where a timeout ends a recovery that
/// had inflated cwnd.
#[test]
fn an_ssthresh_beyond_the_path_is_not_waited_for() {
    let transfer = PATH.transfer(
        "spaced",
        Start {
            ssthresh_bytes: 5000 * SEGMENT,
            ..start()
        },
        5000,
    );
    let (_, end) = transfer.first_in("avoidance").expect("it ends");
    assert_eq!(exit_name(end.decision.exit), "estimate");
    assert!(
        end.decision.cwnd_bytes < PATH.bdp_bytes() * 5 / 4,
        "{} bytes",
        end.decision.cwnd_bytes
    );
}

/// A host that paused while a flight left measures a rate that is too low. It paces the next flight
/// at that rate, which seems to confirm it. The sender's own rate must not end slow start.
#[test]
fn a_rate_that_is_its_own_is_not_the_path_s() {
    let mut host = Host::new("spaced", start(), 100 * MS);
    let slow = host.flight(2 * MS, ACK_CWND_LIMITED);
    assert_eq!(slow.estimate_bytes_per_s, 500_000);
    // The second flight left before a rate was known. It arrived in two pieces and gives no rate.
    let segments = host.decision.cwnd_bytes / SEGMENT;
    for place in 1..=segments {
        let gap_ns = if place == 1 || place == segments / 3 {
            50 * MS
        } else {
            MS
        };
        host.ack(gap_ns, (segments - place) * SEGMENT, ACK_CWND_LIMITED);
    }
    assert_eq!(host.decision.estimate_bytes_per_s, 500_000);
    for _ in 0..3 {
        let before = host.decision;
        let spacing_ns = SEGMENT * 1_000_000_000 / before.pacing_bytes_per_s;
        let after = host.flight(spacing_ns, ACK_CWND_LIMITED);
        assert_eq!(
            (phase_name(after.phase), after.ssthresh_bytes),
            ("slow-start", UNLIMITED)
        );
        assert!(
            after.estimate_bytes_per_s > before.estimate_bytes_per_s,
            "{before:?} {after:?}"
        );
    }
}
