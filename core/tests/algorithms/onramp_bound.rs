//! `onramp` where a flight gives no rate: the lower bound of the rate, and the probe that it
//! permits.

use crate::flights::{start, Host, MS};
use crate::onramp::{arrive, early_host, host_on, phase, RATE, RTT, SEGMENT};
use crate::onramp_clock::without;
use crate::path::time_ns;
use onramp_core::{
    exit_name, Decision, Start, ACK_APP_LIMITED, ACK_CWND_LIMITED, LOSS_TIMEOUT, OPTION_PAIRS,
    UNLIMITED,
};

/// A window that arrives in this many aggregates, with this time from one to the next. In an
/// aggregate, ACKs are a microsecond apart.
fn in_bunches(host: &mut Host, bunches: u64, apart_ns: u64, flags: u32) -> Decision {
    let segments = host.decision.cwnd_bytes / SEGMENT;
    let in_bunch = segments / bunches;
    for n in 0..segments {
        let gap_ns = match n % in_bunch {
            0 if n == 0 => RTT,
            0 => apart_ns - (in_bunch - 1) * 1000,
            _ => 1000,
        };
        host.ack(gap_ns, host.decision.cwnd_bytes - SEGMENT, flags);
    }
    host.decision
}

fn host_with_window(segments: u64, options: u32, rtt_ns: u64) -> Host {
    host_without(0, segments, options, rtt_ns)
}

fn host_without(variant: u64, segments: u64, options: u32, rtt_ns: u64) -> Host {
    let start = Start {
        cwnd_bytes: segments * SEGMENT,
        options,
        variant,
        ..start()
    };
    let mut host = Host::new("onramp", start, rtt_ns);
    host.ack.rtt_ns = rtt_ns;
    host
}

/// These segments in this time, as a rate.
fn bound(segments: u64, time_ns: u64) -> u64 {
    segments * SEGMENT * 1_000_000_000 / time_ns
}

/// The BDP at this rate, but at most three quarters of it and ten segments.
fn probe_bytes(bytes_per_s: u64, rtt_ns: u64) -> u64 {
    let bdp_bytes = (u128::from(bytes_per_s) * u128::from(rtt_ns) / 1_000_000_000) as u64;
    bdp_bytes.min(bdp_bytes / 4 * 3 + 10 * SEGMENT)
}

/// The probe that a bound permits: its size, and the rate at which it leaves.
#[track_caller]
fn assert_probe(host: &Host, bytes_per_s: u64) {
    let decision = &host.decision;
    assert_eq!((phase(host), decision.estimate_bytes_per_s), ("probe", 0));
    assert_eq!(
        (decision.cwnd_bytes, decision.pacing_bytes_per_s),
        (probe_bytes(bytes_per_s, RTT), bytes_per_s / 8 * 40)
    );
}

/// Three aggregates are as far apart as the longest silence, which may have come before the first
/// one too.
#[test]
fn three_bunches_hide_another_silence() {
    for apart_ns in [MS, 4 * MS, 10 * MS] {
        let mut host = host_with_window(30, 0, RTT);
        in_bunches(&mut host, 3, apart_ns, ACK_CWND_LIMITED);
        let silence_ns = apart_ns - 9000;
        assert_probe(&host, bound(29, 2 * apart_ns + 9000 + silence_ns));
        // The rate is ten segments in the time from one aggregate to the next.
        assert!(bound(29, 3 * apart_ns) <= bound(10, apart_ns));
    }
}

/// One or two aggregates may hide 10 ms.
#[test]
fn one_or_two_bunches_hide_10_ms() {
    let mut host = host_with_window(10, 0, RTT);
    in_bunches(&mut host, 1, 0, ACK_CWND_LIMITED);
    assert_probe(&host, bound(9, 10 * MS + 9000));
    for apart_ns in [MS, 4 * MS, 10 * MS] {
        let mut host = host_with_window(20, 0, RTT);
        in_bunches(&mut host, 2, apart_ns, ACK_CWND_LIMITED);
        assert_probe(&host, bound(19, 10 * MS + apart_ns + 9000));
    }
}

#[test]
fn an_app_limited_flight_bounds_nothing() {
    let mut host = host_with_window(30, 0, RTT);
    let decision = in_bunches(&mut host, 3, MS, ACK_APP_LIMITED);
    assert_eq!(
        (decision.cwnd_bytes, decision.pacing_bytes_per_s),
        (30 * SEGMENT, UNLIMITED)
    );
    // What the application sent into the next flight shows nothing either.
    let decision = in_bunches(&mut host, 3, MS, ACK_CWND_LIMITED);
    assert_eq!(
        (decision.cwnd_bytes, decision.pacing_bytes_per_s),
        (60 * SEGMENT, UNLIMITED)
    );
}

#[test]
fn a_bound_below_slow_starts_next_window_permits_no_probe() {
    let mut host = host_with_window(10, 0, RTT);
    let decision = in_bunches(&mut host, 2, 40 * MS, ACK_CWND_LIMITED);
    assert_eq!(
        (decision.cwnd_bytes, decision.pacing_bytes_per_s),
        (20 * SEGMENT, UNLIMITED)
    );
}

#[test]
fn a_probe_is_at_most_64_times_slow_starts_next_window() {
    for (rtt_ns, is_limited) in [(1000 * MS, false), (3000 * MS, true)] {
        let mut host = host_with_window(10, 0, rtt_ns);
        let decision = in_bunches(&mut host, 1, 0, ACK_CWND_LIMITED);
        let permitted = probe_bytes(bound(9, 10 * MS + 9000), rtt_ns);
        let limit = 64 * 20 * SEGMENT;
        assert_eq!(permitted > limit, is_limited);
        assert_eq!(decision.cwnd_bytes, permitted.min(limit));
    }
}

/// A probe has left, and none of it has arrived. Returns its pacing rate too.
fn probing() -> (Host, u64) {
    let mut host = host_with_window(10, 0, RTT);
    let decision = in_bunches(&mut host, 1, 0, ACK_CWND_LIMITED);
    assert_probe(&host, bound(9, 10 * MS + 9000));
    (host, decision.pacing_bytes_per_s)
}

/// What has left before the probe arrives. cwnd stays full.
fn arrives_before(host: &mut Host) {
    let in_flight_bytes = host.decision.cwnd_bytes - SEGMENT;
    for n in 0..host.ack.inflight_bytes / SEGMENT {
        host.ack(
            if n == 0 { RTT } else { 1000 },
            in_flight_bytes,
            ACK_CWND_LIMITED,
        );
    }
}

/// The probe arrives at this rate, behind what has left before it. It left at its pacing rate.
fn arrives(host: &mut Host, bytes_per_s: u64) {
    let arrival_ns = time_ns(SEGMENT, bytes_per_s);
    let left_ns = time_ns(SEGMENT, host.decision.pacing_bytes_per_s);
    let in_flight_bytes = host.decision.cwnd_bytes / SEGMENT * SEGMENT - SEGMENT;
    let probe = host.decision.cwnd_bytes - host.ack.inflight_bytes;
    arrives_before(host);
    for n in 0..probe.div_ceil(SEGMENT) {
        host.ack.rtt_ns = RTT + n * (arrival_ns - left_ns);
        host.ack(arrival_ns, in_flight_bytes, ACK_CWND_LIMITED);
    }
    host.ack.rtt_ns = RTT;
}

/// Slow start's two segments for each ACK leave at twice the rate of the probe.
#[test]
fn while_a_probe_arrives_twice_its_rate_is_paced() {
    let (mut host, paced) = probing();
    arrives_before(&mut host);
    let before = host.decision.cwnd_bytes;
    let decision = arrive(&mut host, 1, paced / 2, RTT);
    assert_eq!(
        (decision.cwnd_bytes, decision.pacing_bytes_per_s),
        (before + SEGMENT, 2 * paced)
    );
}

/// Three quarters of its own rate: the bottleneck has spaced a slower probe.
#[test]
fn a_probe_that_arrives_slower_than_it_left_shows_the_rate() {
    for (hundredths, is_known) in [(50, true), (74, true), (76, false), (100, false)] {
        let (mut host, paced) = probing();
        let rate = paced / 100 * hundredths;
        arrives(&mut host, rate);
        let (name, decision) = (phase(&host), host.decision);
        assert_eq!(name == "pacing", is_known, "{hundredths}");
        let estimate = if is_known { rate } else { 0 };
        assert!(
            decision.estimate_bytes_per_s.abs_diff(estimate) <= estimate / 1000,
            "{decision:?}"
        );
    }
}

/// Its line is a bound that is nearly exact: the next probe leaves at 3/2 of it.
#[test]
fn a_probe_that_arrives_as_fast_as_it_left_permits_a_larger_one() {
    let (mut host, paced) = probing();
    arrives(&mut host, paced);
    let decision = host.decision;
    let faster = paced / 8 * 12;
    assert!(
        decision.pacing_bytes_per_s.abs_diff(faster) <= faster / 1000,
        "{decision:?}"
    );
    let larger = probe_bytes(paced, RTT);
    assert!(
        decision.cwnd_bytes.abs_diff(larger) <= larger / 1000,
        "{decision:?}"
    );
    // The path is slower than that: now the rate is known.
    arrives(&mut host, paced);
    assert_eq!(phase(&host), "pacing");
    assert!(host.decision.estimate_bytes_per_s.abs_diff(paced) <= paced / 1000);
}

/// The segments of the first round arrive before the probe.
#[test]
fn a_probe_is_measured_without_the_segments_of_the_first_round() {
    let mut host = early_host(20);
    host.ack.rtt_ns = RTT;
    for n in 0..10 {
        host.ack(
            if n == 0 { RTT } else { 1000 },
            19 * SEGMENT,
            ACK_CWND_LIMITED,
        );
    }
    assert_eq!(phase(&host), "probe");
    let paced = host.decision.pacing_bytes_per_s;
    arrives(&mut host, paced / 2);
    assert_eq!(phase(&host), "pacing");
    let estimate = host.decision.estimate_bytes_per_s;
    assert!(estimate.abs_diff(paced / 2) <= paced / 1000, "{estimate}");
}

#[test]
fn an_rto_of_a_probe_ends_the_startup() {
    let (mut host, _) = probing();
    let window = host.decision.cwnd_bytes;
    let decision = host.lose(LOSS_TIMEOUT, window, window / 2);
    assert_eq!(
        (phase(&host), exit_name(decision.exit)),
        ("done", "timeout")
    );
    assert_eq!(decision.ssthresh_bytes, window / 2);
}

#[test]
fn without_probing_slow_start_goes_on() {
    for idea in ["probing", "measuring"] {
        let mut host = host_without(without(idea), 10, 0, RTT);
        for segments in [20, 40, 80] {
            let decision = in_bunches(&mut host, 1, 0, ACK_CWND_LIMITED);
            assert_eq!(
                (decision.cwnd_bytes, decision.pacing_bytes_per_s),
                (segments * SEGMENT, UNLIMITED)
            );
        }
    }
}

/// With a line, no probe is needed.
#[test]
fn a_flight_that_gives_a_rate_is_no_reason_for_a_probe() {
    let mut host = host_on(RTT);
    host.flight(time_ns(SEGMENT, RATE), ACK_CWND_LIMITED);
    assert_eq!(
        (phase(&host), host.decision.estimate_bytes_per_s),
        ("pacing", RATE)
    );
}

/// The data arrive in two aggregates within 2 ms. The ACKs of a slow return path take 36 ms.
#[test]
fn packet_pairs_that_are_no_line_give_a_lower_bound() {
    let mut host = host_with_window(10, OPTION_PAIRS, RTT);
    for n in 0..10 {
        host.ack.pair_interval_ns = if n < 5 { 1 + n } else { 2 * MS + n };
        host.ack.pair_bytes = host.ack.delivered_bytes;
        let gap_ns = if n == 0 { RTT } else { 4 * MS };
        host.ack(gap_ns, host.decision.cwnd_bytes - SEGMENT, ACK_CWND_LIMITED);
    }
    assert_eq!(phase(&host), "probe");
    // The first segment is the begin of the interval. 2 ms more may be hidden.
    let at_least = bound(9, 4 * MS + 10);
    assert!(host.decision.cwnd_bytes >= probe_bytes(at_least, RTT));
    assert_ne!(host.decision.pacing_bytes_per_s, UNLIMITED);
}
