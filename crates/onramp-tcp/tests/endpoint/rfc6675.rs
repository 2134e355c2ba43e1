//! RFC 6675: A Conservative Loss Recovery Algorithm Based on SACK.

use crate::script::{plain, segments, Script, MS_NS};
use onramp_tcp::Recovery;

/// `bytes` have been written. Up to ten segments of them are in flight at 200 ms.
fn script(bytes: u64) -> Script {
    let mut script = Script::new(plain(Recovery::Sack));
    assert_eq!(
        script.write(bytes),
        segments(0..bytes.div_ceil(1000).min(10))
    );
    script.now_ns = 200 * MS_NS;
    script
}

#[test]
fn more_than_two_segments_above_make_a_loss() {
    let mut script = script(100_000);
    script.sack(0, &[(1000, 2000)]);
    script.sack(0, &[(1000, 3000)]);
    assert_eq!(script.window(), (10, u64::MAX / 1000));
    //= RFC 6675 section 5 step 2 and 4.3; section 4, IsLost
    assert_eq!(script.sack(0, &[(1000, 4000)]), ["0:1000 rexmt"]);
    //= RFC 6675 section 5 step 4.2
    assert_eq!(script.window(), (5, 5));
}

#[test]
fn one_ack_with_three_ranges_suffices() {
    let mut script = script(100_000);
    //= RFC 6675 section 4, IsLost: "DupThresh discontiguous SACKed sequences"
    let sent = script.sack(0, &[(7000, 8000), (5000, 6000), (3000, 4000)]);
    assert_eq!(sent[0], "0:1000 rexmt");
    assert_eq!(script.end.stats().recoveries, 1);
}

#[test]
fn an_ack_without_new_blocks_is_no_duplicate() {
    let mut script = script(100_000);
    //= RFC 6675 section 2: a duplicate "carries a SACK block that identifies previously
    // unacknowledged and un-SACKed octets"
    (0..5).for_each(|_| drop(script.ack(0)));
    (0..5).for_each(|_| drop(script.sack(0, &[(1000, 2000)])));
    assert_eq!(script.end.stats().recoveries, 0);
}

#[test]
fn the_pipe_stops_transmission_until_it_falls_below_cwnd() {
    let mut script = script(100_000);
    // Limited transmit sends segments 10 and 11. The third duplicate leaves pipe = 12 - 3 - 1 + 1 =
    // 9 and cwnd = 5.
    let mut sent = Vec::new();
    for right in 2..=12 {
        sent.push(script.sack(0, &[(1000, 1000 * right)]).join(" "));
    }
    //= RFC 6675 section 5 step 4 C: as long as cwnd - pipe >= 1 SMSS
    let expected = [
        "10000:11000",
        "11000:12000",
        "0:1000 rexmt",
        "",
        "",
        "",
        "",
        "12000:13000",
        "13000:14000",
        "14000:15000",
        "15000:16000",
    ];
    assert_eq!(sent, expected);
}

#[test]
fn lost_segments_come_before_new_data_and_doubtful_ones_after() {
    let mut script = script(10_000);
    // Segments 0 and 4 are missing. Only segment 0 has three segments above it.
    script.sack(0, &[(1000, 2000)]);
    script.sack(0, &[(1000, 3000)]);
    assert_eq!(script.sack(0, &[(1000, 4000)]), ["0:1000 rexmt"]);
    for right in [6, 7] {
        assert!(script
            .sack(0, &[(5000, 1000 * right), (1000, 4000)])
            .is_empty());
    }
    // No new data is left. Segment 4 has only two segments above it.
    //= RFC 6675 section 4, NextSeg rule 3
    assert_eq!(script.sack(1000 * 4, &[(5000, 7000)]), ["4000:5000 rexmt"]);
}

#[test]
fn the_last_segment_is_retransmitted_once_as_a_rescue() {
    let mut script = script(10_000);
    for right in 2..=6 {
        script.sack(0, &[(1000, 1000 * right)]);
    }
    // Everything from 6000 on is lost, and nothing above it is sacked.
    //= RFC 6675 section 4, NextSeg rule 4
    let sent = script.ack(6000);
    assert_eq!(sent, ["9000:10000 rexmt"]);
    assert!(script.ack(6000).is_empty(), "once");
}

#[test]
fn recovery_ends_at_the_recovery_point() {
    let mut script = script(100_000);
    (2..=4).for_each(|right| drop(script.sack(0, &[(1000, 1000 * right)])));
    script.now_ns = 300 * MS_NS;
    script.ack(11_000);
    //= RFC 6675 section 5 step A
    let before = script.window();
    script.ack(12_000);
    script.ack(13_000);
    assert_eq!((before, script.window().1), ((5, 5), 5));
    assert_eq!(script.end.stats().recoveries, 1);
}

#[test]
fn after_a_timeout_no_recovery_starts_below_its_recovery_point() {
    let mut script = script(100_000);
    script.until(1100);
    script.now_ns = 1200 * MS_NS;
    //= RFC 6675 section 5.1
    (3..=8).for_each(|right| drop(script.sack(1000, &[(2000, 1000 * right)])));
    assert_eq!((script.end.stats().recoveries, script.window().1), (0, 5));
}

#[test]
fn a_timeout_keeps_sacked_segments_unless_the_peer_reneges() {
    let mut script = script(10_000);
    script.sack(0, &[(1000, 3000)]);
    script.until(1200);
    script.now_ns = 1300 * MS_NS;
    //= RFC 6675 section 5.1: "the sender SHOULD NOT" retransmit what the scoreboard holds
    assert_eq!(script.sack(1000, &[(1000, 3000)])[0], "3000:4000 rexmt");
    // The peer has discarded a segment, because the first segment in flight is sacked.
    let sent = script.until(5000);
    //= RFC 2018 section 8
    assert_eq!(
        sent[0].split(": ").nth(1),
        Some("1000:2000 rexmt"),
        "{sent:?}"
    );
}
