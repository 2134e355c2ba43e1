//! `onramp`: what it measures, paces and grows by. (Delays: onramp_delay.rs. Losses:
//! onramp_loss.rs.)

use crate::flights::{start, Host, MS, MSS};
use crate::path::time_ns;
use onramp_core::{
    exit_name, phase_name, Ack, Decision, Start, Startup, ACK_APP_LIMITED, ACK_CWND_LIMITED,
    UNLIMITED,
};

pub const SEGMENT: u64 = MSS as u64;
/// A path of 10 MB/s and 100 ms: 1000 segments, one each 100 us.
pub const RATE: u64 = 10_000_000;
pub const RTT: u64 = 100 * MS;
/// A sample that is delayed.
pub const QUEUED: u64 = RTT + RTT / 16 + 1;
/// What of the path is filled at first: three quarters and ten segments, in a round trip.
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

/// So many segments arrive at this rate, each of them a round trip of this length after it left.
/// The window is full.
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

/// What is outstanding arrives.
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

/// A flight that leaves at once and arrives in two heaps.
pub fn in_two_heaps(host: &mut Host) -> Decision {
    let segments = host.decision.cwnd_bytes / SEGMENT;
    for place in 0..segments {
        let gap_ns = if place == 0 || place == segments / 2 {
            20 * MS
        } else {
            1000
        };
        host.ack(gap_ns, host.decision.cwnd_bytes - SEGMENT, ACK_CWND_LIMITED);
    }
    host.decision
}

pub fn in_pacing() -> Host {
    let mut host = host_on(RTT);
    host.flight(time_ns(SEGMENT, RATE), ACK_CWND_LIMITED);
    assert_eq!(phase(&host), "pacing");
    host
}

/// The first segment that was spaced has arrived.
pub fn in_approach() -> Host {
    let mut host = in_pacing();
    until(&mut host, "approach", RATE, RTT);
    host
}

/// All of them have, as fast as they left.
pub fn validated() -> Host {
    let mut host = in_approach();
    round(&mut host, PACED_RATE, RTT);
    host
}

/// The window was too much: half of what was paced arrives in time.
pub fn in_drain() -> Host {
    let mut host = in_approach();
    until(&mut host, "drain", RATE / 2, QUEUED);
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
fn the_first_flight_tells_the_rate_and_a_window_is_paced_over_the_least_round_trip() {
    let mut host = host_on(RTT);
    arrive(&mut host, 1, RATE, RTT);
    arrive(&mut host, 8, RATE, RTT + MS);
    assert_eq!(
        (phase(&host), host.decision.pacing_bytes_per_s),
        ("slow-start", UNLIMITED)
    );
    let decision = arrive(&mut host, 1, RATE, RTT + MS);
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

/// Three quarters of it and ten segments, or the whole where that is less.
#[test]
fn a_window_is_no_more_than_the_path() {
    for (path_segments, window_segments) in [(30, 30), (40, 40), (60, 55), (400, 310), (1000, 760)]
    {
        let mut host = host_on(RTT);
        host.flight(RTT / path_segments, ACK_CWND_LIMITED);
        assert_eq!(phase(&host), "pacing");
        assert_segments(host.decision.cwnd_bytes, window_segments);
    }
}

/// Acknowledgements that were delayed come in bunches: a line through them is not believed, and a
/// delay that is no longer than what they fall by is no queue.
#[test]
fn a_line_through_bunches_is_not_believed() {
    let rates = [0, 5, 6].map(|fall| {
        let mut host = host_on(RTT);
        let gap_ns = time_ns(SEGMENT, RATE);
        for place in 0..10 {
            // The last segment was not delayed.
            host.ack.rtt_ns = if place < 9 { RTT + fall * gap_ns } else { RTT };
            host.ack(gap_ns, host.decision.cwnd_bytes - SEGMENT, ACK_CWND_LIMITED);
        }
        host.decision.estimate_bytes_per_s
    });
    // The train lasts nine times as long as one segment; five times that is what a burst of the
    // sender's can fall by.
    assert_eq!(rates, [RATE, RATE, 0]);
}

/// 12 segments: three acknowledgements have made 13 of the window when four tell the rate.
#[test]
fn slow_start_goes_no_further_than_the_path_while_a_flight_comes_in() {
    let mut host = host_on(RTT);
    assert_segments(host.flight(RTT / 12, ACK_CWND_LIMITED).cwnd_bytes, 13);
    assert_eq!(
        host.decision.pacing_bytes_per_s, UNLIMITED,
        "what slow start would have sent too is not spaced"
    );
}

#[test]
fn a_train_that_is_no_line_is_not_believed_and_the_next_one_that_is_is() {
    let mut host = host_on(RTT);
    let decision = in_two_heaps(&mut host);
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

#[test]
fn three_acknowledgements_are_not_believed() {
    for (segments, name) in [(3, "slow-start"), (4, "pacing")] {
        let mut host = Host::new(
            "onramp",
            Start {
                cwnd_bytes: segments * SEGMENT,
                ..start()
            },
            RTT,
        );
        host.ack.rtt_ns = RTT;
        host.flight(MS, ACK_CWND_LIMITED);
        assert_eq!(
            (phase(&host), host.decision.estimate_bytes_per_s != 0),
            (name, name == "pacing")
        );
    }
}

#[test]
fn a_segment_in_less_than_32_us_is_not_believed() {
    for (spacing_ns, name) in [(31_900, "slow-start"), (32_100, "pacing")] {
        let mut host = host_on(RTT);
        host.flight(spacing_ns, ACK_CWND_LIMITED);
        assert_eq!(phase(&host), name, "{spacing_ns} ns");
    }
}

#[test]
fn without_a_round_trip_no_rate_is_believed() {
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

/// What the application did not use is not paced, and its spacing is the application's.
#[test]
fn the_spacing_of_an_application_is_not_believed() {
    let mut host = host_on(RTT);
    host.flight(MS / 10, ACK_APP_LIMITED);
    assert_eq!(
        (phase(&host), host.decision.estimate_bytes_per_s),
        ("slow-start", 0)
    );
}

#[test]
fn pacing_ends_with_the_first_segment_that_was_spaced() {
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
fn the_window_grows_by_a_third_an_eighth_a_quarter_a_half_and_then_twofold() {
    let mut host = in_approach();
    for (one, of) in [(1, 3), (1, 8), (1, 4), (1, 2), (1, 1), (1, 1)] {
        let (before, outstanding) = (host.decision.cwnd_bytes, host.ack.inflight_bytes);
        assert_segments(before, outstanding / SEGMENT + 1);
        let after = round(&mut host, RATE, RTT).cwnd_bytes;
        assert_segments(after - before, outstanding / SEGMENT * one / of);
        assert_eq!(phase(&host), "approach");
    }
}

/// The window and what it grows by, in a round trip.
#[test]
fn what_the_window_permits_is_spaced_in_the_approach() {
    let mut host = in_approach();
    let cwnd = host.decision.cwnd_bytes;
    assert_eq!(host.decision.pacing_bytes_per_s, (cwnd + cwnd / 3) * 10);
    let cwnd = round(&mut host, RATE, RTT).cwnd_bytes;
    assert_eq!(host.decision.pacing_bytes_per_s, (cwnd + cwnd / 8) * 10);
}

#[test]
fn a_host_that_smooths_no_round_trip_yet_is_paced_by_the_least_one() {
    let mut host = in_approach();
    host.ack.srtt_ns = 0;
    let cwnd = arrive(&mut host, 9, RATE, RTT).cwnd_bytes;
    assert_eq!(host.decision.pacing_bytes_per_s, (cwnd + cwnd / 3) * 10);
}

#[test]
fn a_window_that_does_not_limit_the_sender_stays() {
    let mut host = in_approach();
    for _ in 0..100 {
        assert_eq!(
            host.ack(MS / 10, 400 * SEGMENT, 0).cwnd_bytes,
            PACED_SEGMENTS * SEGMENT
        );
    }
}

/// RFC 9959, section 3.4. What slow start had permitted stays.
#[test]
fn what_the_application_did_not_use_of_the_window_is_lost() {
    for (outstanding, window) in [(300, 301), (5, 20)] {
        let mut host = in_pacing();
        round(&mut host, RATE, RTT);
        let decision = host.ack(MS / 10, outstanding * SEGMENT, ACK_APP_LIMITED);
        assert_eq!(
            (phase(&host), decision.cwnd_bytes),
            ("approach", window * SEGMENT)
        );
    }
}

#[test]
fn a_window_that_was_lost_so_grows_as_in_slow_start_up_to_what_was_to_be_paced() {
    let mut host = in_pacing();
    round(&mut host, RATE, RTT);
    host.ack(MS / 10, 700 * SEGMENT, ACK_APP_LIMITED);
    assert_eq!(
        arrive(&mut host, 59, RATE, RTT).cwnd_bytes,
        PACED_SEGMENTS * SEGMENT
    );
    assert_segments(
        arrive(&mut host, 60, RATE, RTT).cwnd_bytes,
        PACED_SEGMENTS + 20,
    );
}

/// A host whose first data took so much longer than the handshake.
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

/// Those who began at the same time have been met.
#[test]
fn a_path_that_is_paced_once_more_is_not_shared() {
    let rtt_ns = RTT + 20 * MS;
    let mut host = Host::new(
        "onramp",
        Start {
            srtt_ns: RTT,
            ..start()
        },
        RTT,
    );
    arrive(&mut host, 10, RATE, rtt_ns);
    until(&mut host, "approach", RATE, rtt_ns);
    until(&mut host, "drain", RATE / 50, rtt_ns * 9 / 8);
    until(&mut host, "pacing", RATE / 50, rtt_ns);
    assert_segments(host.decision.cwnd_bytes, 24);
}

/// 10 / (10 + 2 q): that of 20 segments in front of it, and 20 behind, is a fifth.
#[test]
fn a_first_round_trip_longer_than_the_handshake_s_leaves_a_share_of_the_path() {
    // A millisecond and two segments' time are nobody's.
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

/// A route's metric, for example.
#[test]
fn a_threshold_that_the_host_has_from_the_beginning_ends_it() {
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
