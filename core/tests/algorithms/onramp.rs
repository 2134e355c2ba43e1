//! `onramp`: what it measures, how it paces and how cwnd grows. (Delays: onramp_delay.rs. Losses:
//! onramp_loss.rs.)

use crate::flights::{start, Host, MS, MSS};
use crate::path::time_ns;
use onramp_core::{
    exit_name, phase_name, Ack, Decision, Start, Startup, ACK_APP_LIMITED, ACK_CWND_LIMITED,
    UNLIMITED,
};

pub const SEGMENT: u64 = MSS as u64;
/// The BDP of 10 MB/s and 100 ms: 1000 segments, one each 100 us.
pub const RATE: u64 = 10_000_000;
pub const RTT: u64 = 100 * MS;
/// An RTT sample that is delayed.
pub const QUEUED: u64 = RTT + RTT / 16 + 1;
/// The part of the BDP that is filled at first: three quarters and ten segments, in a round trip.
const PACED_SEGMENTS: u64 = 760;
pub const PACED_RATE: u64 = 7_600_000;

pub fn host_on(rtt_ns: u64) -> Host {
    let mut host = Host::new("onramp", start(), rtt_ns);
    host.ack.rtt_ns = rtt_ns;
    host
}

pub fn phase(host: &Host) -> &'static str {
    phase_name(host.decision.phase)
}

/// This many segments arrive at this rate, each of them this RTT after it left. cwnd is full.
pub fn arrive(host: &mut Host, segments: u64, bytes_per_s: u64, rtt_ns: u64) -> Decision {
    host.ack.rtt_ns = rtt_ns;
    for _ in 0..segments {
        host.ack(
            time_ns(SEGMENT, bytes_per_s),
            host.decision.cwnd_bytes - SEGMENT,
            ACK_CWND_LIMITED,
        );
    }
    host.decision
}

/// This many segments, which left at once, arrive at this rate. cwnd is full.
pub fn burst(host: &mut Host, segments: u64, bytes_per_s: u64) -> Decision {
    for place in 0..segments {
        let behind_ns = place * time_ns(SEGMENT, bytes_per_s);
        arrive(host, 1, bytes_per_s, RTT + behind_ns);
    }
    host.ack.rtt_ns = RTT;
    host.decision
}

/// All segments in flight arrive.
pub fn round(host: &mut Host, bytes_per_s: u64, rtt_ns: u64) -> Decision {
    arrive(host, host.ack.inflight_bytes / SEGMENT, bytes_per_s, rtt_ns)
}

/// Segments arrive until the phase is this one.
pub fn until(host: &mut Host, name: &str, bytes_per_s: u64, rtt_ns: u64) -> Decision {
    while phase(host) != name {
        arrive(host, 1, bytes_per_s, rtt_ns);
    }
    host.decision
}

/// A flight that leaves back to back and arrives in two aggregates. They are so far apart that the
/// lower bound of the rate permits no more than slow start does.
pub fn in_two_aggregates(host: &mut Host) -> Decision {
    let segments = host.decision.cwnd_bytes / SEGMENT;
    let rtt_ns = host.ack.rtt_ns;
    for place in 0..segments {
        let gap_ns = if place == 0 || place == segments / 2 {
            40 * MS
        } else {
            1000
        };
        host.ack.rtt_ns = rtt_ns + if place < segments / 2 { 0 } else { 40 * MS };
        host.ack(gap_ns, host.decision.cwnd_bytes - SEGMENT, ACK_CWND_LIMITED);
    }
    host.ack.rtt_ns = rtt_ns;
    host.decision
}

pub fn in_pacing() -> Host {
    let mut host = host_on(RTT);
    host.flight(time_ns(SEGMENT, RATE), ACK_CWND_LIMITED);
    assert_eq!(phase(&host), "pacing");
    host
}

/// The first paced segment has arrived.
pub fn in_approach() -> Host {
    let mut host = in_pacing();
    until(&mut host, "approach", RATE, RTT);
    host
}

/// All paced segments have arrived as fast as they left.
pub fn validated() -> Host {
    let mut host = in_approach();
    round(&mut host, PACED_RATE, RTT);
    host
}

#[track_caller]
pub fn assert_segments(bytes: u64, segments: u64) {
    assert!(
        bytes.abs_diff(segments * SEGMENT) <= SEGMENT,
        "{bytes} bytes are not {segments} segments"
    );
}

#[test]
fn the_first_flight_gives_the_rate_and_a_window_is_paced_over_the_min_rtt() {
    let mut host = host_on(RTT);
    burst(&mut host, 9, RATE);
    assert_eq!(
        (phase(&host), host.decision.pacing_bytes_per_s),
        ("slow-start", UNLIMITED)
    );
    let decision = arrive(&mut host, 1, RATE, RTT + 9 * time_ns(SEGMENT, RATE));
    assert_eq!(
        (phase(&host), decision.estimate_bytes_per_s),
        ("pacing", RATE)
    );
    assert_eq!(
        (decision.cwnd_bytes, decision.ssthresh_bytes),
        (PACED_SEGMENTS * SEGMENT, UNLIMITED)
    );
    assert_eq!(decision.pacing_bytes_per_s, PACED_RATE);
}

/// Three quarters of the BDP and ten segments, or the BDP where that is less.
#[test]
fn a_paced_window_is_at_most_the_bdp() {
    for (path_segments, window_segments) in [(30, 30), (40, 40), (60, 55), (400, 310), (1000, 760)]
    {
        let mut host = host_on(RTT);
        host.flight(RTT / path_segments, ACK_CWND_LIMITED);
        assert_eq!(phase(&host), "pacing");
        assert_segments(host.decision.cwnd_bytes, window_segments);
    }
}

/// 12 segments: three ACKs have raised cwnd to 13 when the fourth gives the rate.
#[test]
fn slow_start_stops_at_the_bdp_while_a_flight_arrives() {
    let mut host = host_on(RTT);
    assert_segments(host.flight(RTT / 12, ACK_CWND_LIMITED).cwnd_bytes, 13);
    assert_eq!(
        host.decision.pacing_bytes_per_s, UNLIMITED,
        "what slow start would have sent too is not spaced"
    );
}

#[test]
fn a_train_that_is_no_line_gives_no_rate_but_the_next_line_does() {
    let mut host = host_on(RTT);
    let decision = in_two_aggregates(&mut host);
    assert_eq!(
        (phase(&host), decision.estimate_bytes_per_s),
        ("slow-start", 0)
    );
    assert_eq!(decision.cwnd_bytes, 20 * SEGMENT);
    let decision = host.flight(MS / 10, ACK_CWND_LIMITED);
    assert_eq!(phase(&host), "pacing");
    assert!(
        decision.estimate_bytes_per_s.abs_diff(RATE) <= 1,
        "{decision:?}"
    );
}

/// A host that paces its initial window finds its own rate in the ACKs.
#[test]
fn segments_that_arrive_as_they_left_give_no_rate() {
    for (left_hundredths, name) in [(0, "pacing"), (74, "pacing"), (76, "probe")] {
        let mut host = host_on(RTT);
        let arrived_ns = time_ns(SEGMENT, RATE);
        for place in 0..10 {
            let left_ns = arrived_ns * left_hundredths / 100;
            arrive(&mut host, 1, RATE, RTT + place * (arrived_ns - left_ns));
        }
        assert_eq!(phase(&host), name, "{left_hundredths}");
    }
}

/// A host with this initial window.
fn host_with(segments: u64) -> Host {
    let start = Start {
        cwnd_bytes: segments * SEGMENT,
        ..start()
    };
    let mut host = Host::new("onramp", start, RTT);
    host.ack.rtt_ns = RTT;
    host
}

#[test]
fn three_acks_give_no_rate() {
    for (segments, name) in [(3, "probe"), (4, "pacing")] {
        let mut host = host_with(segments);
        host.flight(MS, ACK_CWND_LIMITED);
        assert_eq!(
            (phase(&host), host.decision.estimate_bytes_per_s != 0),
            (name, name == "pacing")
        );
    }
}

/// Also where there are enough ACKs to last longer.
#[test]
fn a_segment_in_less_than_32_us_is_not_believed() {
    for (segments, spacing_ns, name) in [
        (10, 31_900, "probe"),
        (10, 32_100, "pacing"),
        (40, 31_900, "probe"),
        (40, 32_100, "pacing"),
    ] {
        let mut host = host_with(segments);
        host.flight(spacing_ns, ACK_CWND_LIMITED);
        assert_eq!(
            (phase(&host), host.decision.estimate_bytes_per_s != 0),
            (name, name == "pacing"),
            "{spacing_ns} ns"
        );
    }
}

#[test]
fn without_an_rtt_sample_there_is_no_rate() {
    let mut host = host_on(0);
    for _ in 0..3 {
        let decision = host.flight(MS / 10, ACK_CWND_LIMITED);
        assert_eq!(
            (phase(&host), decision.pacing_bytes_per_s),
            ("slow-start", UNLIMITED)
        );
    }
    assert_eq!(host.decision.cwnd_bytes, 80 * SEGMENT);
}

/// A message of ten segments, which the bottleneck has spaced.
#[test]
fn a_small_message_gives_a_rate() {
    let mut host = host_on(RTT);
    host.flight(MS / 10, ACK_APP_LIMITED);
    assert_eq!(phase(&host), "pacing");
    assert_eq!(host.decision.estimate_bytes_per_s, SEGMENT * 10_000);
}

/// Segments that left as far apart as they arrive.
#[test]
fn the_spacing_of_an_application_gives_no_rate() {
    let mut host = host_on(RTT);
    for left in (0..10).rev() {
        host.ack(MS / 10, left * SEGMENT, ACK_APP_LIMITED);
        assert_eq!(host.decision.estimate_bytes_per_s, 0);
    }
}

/// A handshake of TLS before an answer: three of the ten segments that leave at once are its own.
#[test]
fn behind_a_small_message_the_rest_of_the_initial_window_is_a_flight() {
    let mut host = early_host(60);
    host.jump(RTT, 3 * SEGMENT);
    assert_eq!(host.decision.estimate_bytes_per_s, 0);
    let spacing_ns = time_ns(SEGMENT, RATE);
    for place in 0..7 {
        assert_eq!(host.decision.estimate_bytes_per_s, 0, "segment {place}");
        host.ack.rtt_ns = RTT + place * spacing_ns;
        let gap_ns = if place == 0 { RTT } else { spacing_ns };
        host.ack(gap_ns, 60 * SEGMENT, ACK_CWND_LIMITED);
    }
    assert_eq!(
        (phase(&host), host.decision.estimate_bytes_per_s),
        ("pacing", RATE)
    );
}

#[test]
fn pacing_ends_with_the_first_paced_segment() {
    let mut host = in_pacing();
    let before = host.decision;
    let decision = round(&mut host, RATE, RTT);
    assert_eq!(
        (phase(&host), decision.cwnd_bytes),
        ("pacing", before.cwnd_bytes),
        "slow start's have arrived"
    );
    assert_eq!(decision.pacing_bytes_per_s, before.pacing_bytes_per_s);
    assert_eq!(
        arrive(&mut host, 1, PACED_RATE, RTT).cwnd_bytes,
        before.cwnd_bytes
    );
    assert_eq!(phase(&host), "approach");
}

#[test]
fn cwnd_grows_by_a_third_an_eighth_a_quarter_a_half_and_then_doubles() {
    let mut host = in_approach();
    for (one, of) in [(1, 3), (1, 8), (1, 4), (1, 2), (1, 1), (1, 1)] {
        let (before, in_flight) = (host.decision.cwnd_bytes, host.ack.inflight_bytes);
        assert_segments(before, in_flight / SEGMENT + 1);
        let after = round(&mut host, RATE, RTT).cwnd_bytes;
        assert_segments(after - before, in_flight / SEGMENT * one / of);
        assert_eq!(phase(&host), "approach");
    }
}

/// cwnd and its growth, in a round trip.
#[test]
fn segments_are_paced_in_the_approach() {
    let mut host = in_approach();
    let cwnd = host.decision.cwnd_bytes;
    assert_eq!(host.decision.pacing_bytes_per_s, (cwnd + cwnd / 3) * 10);
    let cwnd = round(&mut host, RATE, RTT).cwnd_bytes;
    assert_eq!(host.decision.pacing_bytes_per_s, (cwnd + cwnd / 8) * 10);
}

#[test]
fn a_host_without_a_smoothed_rtt_is_paced_by_the_min_rtt() {
    let mut host = in_approach();
    host.ack.srtt_ns = 0;
    let cwnd = arrive(&mut host, 9, RATE, RTT).cwnd_bytes;
    assert_eq!(host.decision.pacing_bytes_per_s, (cwnd + cwnd / 3) * 10);
}

#[test]
fn a_cwnd_that_does_not_limit_the_sender_stays() {
    let mut host = in_approach();
    for _ in 0..100 {
        assert_eq!(
            host.ack(MS / 10, 400 * SEGMENT, 0).cwnd_bytes,
            PACED_SEGMENTS * SEGMENT
        );
    }
}

/// The rate is measured, so an application that sends the rest later needs no slow start.
#[test]
fn a_measured_window_that_the_application_did_not_use_stays_also_after_an_idle_time() {
    let mut host = in_pacing();
    assert_segments(host.decision.restart_bytes, PACED_SEGMENTS);
    round(&mut host, RATE, RTT);
    let decision = host.ack(MS / 10, 5 * SEGMENT, ACK_APP_LIMITED);
    assert_eq!(phase(&host), "approach");
    assert_segments(decision.cwnd_bytes, PACED_SEGMENTS);
    assert_eq!(decision.restart_bytes, decision.cwnd_bytes);
}

/// The BDP is so small that slow start fills it, clocked by ACKs. After a pause there are none.
#[test]
fn a_window_that_slow_start_would_send_is_paced_after_a_pause_only() {
    let slow = 160 * SEGMENT;
    let pacing_with = |inflight_bytes| {
        let mut host = host_on(RTT);
        let gap_ns = time_ns(SEGMENT, slow);
        burst(&mut host, 9, slow);
        host.ack.rtt_ns = RTT + 9 * gap_ns;
        let decision = host.ack(gap_ns, inflight_bytes, ACK_CWND_LIMITED);
        assert_eq!(phase(&host), "pacing");
        assert_segments(decision.cwnd_bytes, 16);
        decision.pacing_bytes_per_s
    };
    assert_eq!(pacing_with(SEGMENT), UNLIMITED);
    assert!(pacing_with(0).abs_diff(slow) < SEGMENT);
}

#[test]
fn after_an_idle_time_a_validated_window_falls_to_what_may_be_sent_without_validation() {
    let mut host = validated();
    let decision = arrive(&mut host, 80, RATE, RTT);
    assert!(decision.cwnd_bytes > (PACED_SEGMENTS + 20) * SEGMENT);
    assert_segments(decision.restart_bytes, PACED_SEGMENTS);
}

/// A host that lets so many segments leave behind the initial window.
pub fn early_host(segments: u64) -> Host {
    let start = Start {
        srtt_ns: RTT,
        initial_bytes_per_s: segments * SEGMENT * 10,
        ..start()
    };
    let mut host = Host::new("onramp", start, RTT);
    host.ack.rtt_ns = RTT;
    host
}

/// The first flight gives no rate, and its bound permits no probe.
#[test]
fn behind_the_first_round_slow_starts_flight_leaves_within_the_min_rtt() {
    let mut host = early_host(60);
    assert_segments(host.decision.cwnd_bytes, 70);
    for gap_ns in [RTT, MS, MS, MS, MS, 40 * MS, MS, MS, MS, MS] {
        host.ack.rtt_ns += if gap_ns == RTT { 0 } else { gap_ns };
        host.ack(gap_ns, host.decision.cwnd_bytes - SEGMENT, ACK_CWND_LIMITED);
    }
    assert_eq!(
        (phase(&host), host.decision.pacing_bytes_per_s),
        ("slow-start", 80 * SEGMENT * 10)
    );
}

#[test]
fn a_cwnd_that_the_host_has_reduced_grows_back_as_in_slow_start() {
    let mut host = in_approach();
    host.decision.cwnd_bytes = (PACED_SEGMENTS - 59) * SEGMENT;
    assert_segments(arrive(&mut host, 59, RATE, RTT).cwnd_bytes, PACED_SEGMENTS);
    assert_segments(
        arrive(&mut host, 60, RATE, RTT).cwnd_bytes,
        PACED_SEGMENTS + 20,
    );
}

/// A host whose first RTT of data exceeds the handshake's by this time.
fn later_than_the_handshake(handshake_ns: u64, more_ns: u64) -> Decision {
    let mut host = Host::new(
        "onramp",
        Start {
            srtt_ns: handshake_ns,
            ..start()
        },
        RTT,
    );
    host.ack.rtt_ns = RTT + more_ns;
    host.flight(MS / 10, ACK_CWND_LIMITED);
    assert_eq!(phase(&host), "pacing");
    host.decision
}

/// 10 / (10 + 2 q): with 20 segments in front of it and 20 behind, the share is a fifth.
#[test]
fn a_first_rtt_longer_than_the_handshakes_leaves_a_share_of_the_bdp() {
    // A millisecond and the serialisation of two segments do not count as a queue of others.
    let own_ns = MS + 2 * MS / 10;
    let path = |more_ns| (RTT + more_ns) / (MS / 10);
    let filled = |path_segments: u64| path_segments * 3 / 4 + 10;
    assert_segments(
        later_than_the_handshake(RTT, own_ns).cwnd_bytes,
        filled(path(own_ns)),
    );
    let more_ns = own_ns + 2 * MS;
    assert_segments(
        later_than_the_handshake(RTT, more_ns).cwnd_bytes,
        filled(path(more_ns) / 5),
    );
    assert_segments(
        later_than_the_handshake(0, more_ns).cwnd_bytes,
        filled(path(more_ns)),
    );
}

/// The first flight gives no rate. When the second one leaves, the queue of the first is gone.
#[test]
fn the_rate_of_a_later_flight_leaves_no_share() {
    let mut host = Host::new(
        "onramp",
        Start {
            srtt_ns: RTT,
            ..start()
        },
        RTT,
    );
    host.ack.rtt_ns = RTT + 4 * MS;
    in_two_aggregates(&mut host);
    host.ack.rtt_ns = RTT;
    host.flight(MS / 10, ACK_CWND_LIMITED);
    assert_eq!(phase(&host), "pacing");
    assert_segments(host.decision.cwnd_bytes, PACED_SEGMENTS);
}

/// A proxy has answered the handshake, and the data go on to a host behind it.
#[test]
fn a_first_rtt_of_more_than_two_handshakes_leaves_no_share() {
    let proxied = later_than_the_handshake(RTT / 2 - 1, 0).cwnd_bytes;
    let queued = later_than_the_handshake(RTT / 2, 0).cwnd_bytes;
    assert_segments(proxied, 760);
    assert!(queued < proxied / 10, "{queued}");
}

/// For example a route's metric.
#[test]
fn an_ssthresh_of_the_host_from_the_beginning_ends_the_startup() {
    let mut startup = Startup::new("onramp").unwrap();
    let start = Start {
        mss_bytes: 1000,
        cwnd_bytes: 10_000,
        ssthresh_bytes: 12_000,
        ..Start::default()
    };
    assert_eq!(startup.start(&start).ssthresh_bytes, 12_000);
    let mut ack = Ack {
        now_ns: 1,
        acked_bytes: 1000,
        delivered_bytes: 1000,
        inflight_bytes: 9000,
        cwnd_bytes: 10_000,
        ssthresh_bytes: 12_000,
        mss_bytes: 1000,
        flags: ACK_CWND_LIMITED,
        ..Ack::default()
    };
    assert_eq!(startup.ack(&ack).cwnd_bytes, 11_000);
    ack = Ack {
        now_ns: 2,
        delivered_bytes: 2000,
        cwnd_bytes: 11_000,
        ..ack
    };
    let decision = startup.ack(&ack);
    assert_eq!(
        (decision.cwnd_bytes, decision.ssthresh_bytes),
        (12_000, 12_000)
    );
    assert_eq!(
        (phase_name(decision.phase), exit_name(decision.exit)),
        ("done", "ssthresh")
    );
}

/// A queue of a quarter of a BDP would be shorter than the delays that count. HyStart looks for it
/// from 16 segments on.
#[test]
fn slow_start_on_a_path_of_less_than_4_ms_is_left_to_the_host() {
    for (rtt_ns, exit) in [(4 * MS - 1, "path"), (4 * MS, "none")] {
        let mut host = Host::new("onramp", start(), rtt_ns);
        assert_eq!(exit_name(arrive(&mut host, 5, RATE, rtt_ns).exit), "none");
        let decision = arrive(&mut host, 1, RATE, rtt_ns);
        assert_eq!(exit_name(decision.exit), exit, "{rtt_ns}");
        assert_eq!(
            (decision.cwnd_bytes, decision.ssthresh_bytes),
            (16 * SEGMENT, UNLIMITED)
        );
    }
}
