//! RFC 6582: The NewReno Modification to TCP's Fast Recovery Algorithm.

use crate::script::{plain, segments, Script, MS_NS};
use onramp_tcp::Recovery;

/// Ten segments are in flight, and three duplicate ACKs have arrived at 200 ms.
fn recovering() -> Script {
    recovering_by(Recovery::NewReno)
}

fn recovering_by(recovery: Recovery) -> Script {
    let mut script = Script::new(plain(recovery));
    script.write(100_000);
    script.now_ns = 200 * MS_NS;
    let sent: Vec<_> = (0..3).flat_map(|_| script.ack(0)).collect();
    assert_eq!(sent, ["10000:11000", "11000:12000", "0:1000 rexmt"]);
    assert_eq!(script.window(), (8, 5));
    script
}

#[test]
fn a_partial_ack_retransmits_the_next_hole_and_deflates_cwnd() {
    let mut script = recovering();
    (0..4).for_each(|_| drop(script.ack(0)));
    assert_eq!(script.window().0, 12);
    script.now_ns = 300 * MS_NS;
    //= RFC 6582 section 3.2 step 3, partial: retransmit, deflate by the amount, add back one
    // segment
    assert_eq!(script.ack(4000), ["4000:5000 rexmt", "12000:13000"]);
    assert_eq!(script.window(), (12 - 4 + 1, 5));
    assert_eq!(script.end.stats().recoveries, 1);
}

#[test]
fn an_ack_of_less_than_a_segment_adds_nothing_back() {
    let mut script = recovering();
    script.now_ns = 300 * MS_NS;
    let before = script.end.window().cwnd_bytes;
    script.ack(400);
    //= RFC 6582 section 3.2 step 3: "If the partial ACK acknowledges at least one SMSS of new data"
    assert_eq!(script.end.window().cwnd_bytes, before - 400);
}

#[test]
fn only_the_first_partial_ack_restarts_the_timer() {
    let mut script = recovering();
    (0..8).for_each(|_| drop(script.ack(0)));
    script.now_ns = 300 * MS_NS;
    script.ack(1000);
    //= RFC 6582 section 3.2 step 3: "For the first partial ACK that arrives during fast recovery,
    // also reset the retransmit timer"
    assert_eq!(script.end.next_timer_ns(), Some(1300 * MS_NS));
    script.now_ns = 400 * MS_NS;
    script.ack(2000);
    assert_eq!(script.end.next_timer_ns(), Some(1300 * MS_NS));
    script.now_ns = 500 * MS_NS;
    script.ack(12_000);
    assert!(script.end.flight_size_bytes() > 0);
    //= RFC 6298 section 5 rule 5.3, which applies again to the full acknowledgement
    assert_eq!(script.end.next_timer_ns(), Some(1500 * MS_NS));
}

/// RFC 2582, section 4: "in the Slow-but-Steady variant ... the retransmit timer is reset after
/// each partial ACK".
#[test]
fn slow_but_steady_each_partial_ack_restarts_the_timer() {
    let mut script = recovering_by(Recovery::SteadyNewReno);
    (0..8).for_each(|_| drop(script.ack(0)));
    for (at_ms, una) in [(300, 1000), (400, 2000), (500, 3000)] {
        script.now_ns = at_ms * MS_NS;
        script.ack(una);
        assert_eq!(script.end.next_timer_ns(), Some((at_ms + 1000) * MS_NS));
    }
}

#[test]
fn a_full_ack_ends_recovery_without_a_burst() {
    let mut script = recovering();
    script.now_ns = 300 * MS_NS;
    //= RFC 6582 section 3.2 step 3, full, option 1: min (ssthresh, max(FlightSize, SMSS) + SMSS)
    assert_eq!(script.ack(12_000), segments(12..14));
    assert_eq!(script.window(), (2, 5));
}

#[test]
fn each_hole_of_a_window_is_repaired_by_its_own_partial_ack() {
    let mut script = recovering();
    for hole in [2000, 5000, 7000] {
        script.now_ns += 100 * MS_NS;
        //= RFC 6582 section 3.2 step 3
        assert_eq!(script.ack(hole)[0], format!("{hole}:{} rexmt", hole + 1000));
        assert_eq!(script.window().1, 5, "one window, one reduction");
    }
    script.now_ns += 100 * MS_NS;
    script.ack(script.end.flight_size_bytes() as i64 + 7000);
    assert_eq!(
        (script.end.stats().recoveries, script.end.stats().timeouts),
        (1, 0)
    );
}

#[test]
fn duplicates_of_segments_that_a_timeout_sent_twice_start_no_recovery() {
    let mut script = Script::new(plain(Recovery::NewReno));
    script.write(10_000);
    script.until(1100);
    script.now_ns = 1200 * MS_NS;
    assert_eq!(script.ack(1000), ["1000:2000 rexmt", "2000:3000 rexmt"]);
    //= RFC 6582 section 3.2 step 4, then step 2: the ACK does not cover recover
    (0..5).for_each(|_| assert!(script.ack(1000).iter().all(|sent| !sent.contains("rexmt"))));
    assert_eq!((script.end.stats().recoveries, script.window().1), (0, 5));
    script.ack(10_000);
    script.write(20_000);
    //= RFC 6582 section 3.2 step 2: the ACK must cover more than recover
    (0..5).for_each(|_| drop(script.ack(10_000)));
    assert_eq!(script.end.stats().recoveries, 0);
    script.ack(11_000);
    (0..3).for_each(|_| drop(script.ack(11_000)));
    assert_eq!(script.end.stats().recoveries, 1);
}

#[test]
fn a_timeout_ends_the_recovery() {
    let mut script = recovering();
    //= RFC 6582 section 3.2 step 4
    assert_eq!(script.until(1200), ["1200 ms: 0:1000 rexmt"]);
    assert_eq!(script.window().0, 1);
    script.ack(1000);
    assert_eq!(script.window().0, 2, "slow start");
}
