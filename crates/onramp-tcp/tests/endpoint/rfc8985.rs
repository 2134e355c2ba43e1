//! RFC 8985, RACK-TLP: time-based loss detection.

use crate::script::{plain, Script, MS_NS};
use onramp_tcp::Recovery;

/// Ten segments were sent 10 ms apart from 100 ms on. The time is 200 ms.
fn script() -> Script {
    sent_apart(10)
}

fn sent_apart(ms: u64) -> Script {
    let mut script = Script::new(plain(Recovery::Rack));
    for index in 0..10 {
        script.now_ns = (100 + ms * index) * MS_NS;
        assert_eq!(
            script.write(1000),
            [format!("{}:{}", 1000 * index, 1000 * (index + 1))]
        );
    }
    script.now_ns = 200 * MS_NS;
    script
}

#[test]
fn a_segment_is_lost_a_reordering_window_after_its_ack_was_due() {
    let mut script = script();
    script.now_ns = 210 * MS_NS;
    script.sack(0, &[(1000, 2000)]);
    //= RFC 8985 section 6.2 step 5: RACK.rtt + RACK.reo_wnd after its transmission; reo_wnd is
    // min_RTT / 4
    assert_eq!(script.end.next_timer_ns(), Some((100 + 100 + 25) * MS_NS));
    assert_eq!(script.until(226), ["225 ms: 0:1000 rexmt"]);
    assert_eq!(script.window().1, 5);
}

#[test]
fn three_segments_above_remove_the_reordering_window() {
    let mut script = script();
    for (at_ms, right) in [(210, 2000), (220, 3000)] {
        script.now_ns = at_ms * MS_NS;
        assert!(script.sack(0, &[(1000, right)]).is_empty());
    }
    script.now_ns = 222 * MS_NS;
    //= RFC 8985 section 6.2 step 4: RACK.segs_sacked >= DupThresh
    assert_eq!(script.sack(0, &[(1000, 4000)]), ["0:1000 rexmt"]);
}

#[test]
fn observed_reordering_keeps_the_reordering_window() {
    let mut script = sent_apart(2);
    script.now_ns = 202 * MS_NS;
    script.sack(0, &[(1000, 2000)]);
    script.now_ns = 203 * MS_NS;
    // The first segment arrives after the second, so the path reorders.
    assert!(script.ack(2000).is_empty());
    for (at_ms, right) in [(206, 4000), (208, 5000), (210, 6000)] {
        script.now_ns = at_ms * MS_NS;
        assert!(script.sack(2000, &[(3000, right)]).is_empty());
    }
    //= RFC 8985 section 6.2 steps 3 and 4: although three segments are sacked
    assert_eq!(script.end.next_timer_ns(), Some((104 + 100 + 25) * MS_NS));
}

#[test]
fn segments_reported_by_one_ack_are_not_reordered() {
    let mut script = script();
    script.now_ns = 222 * MS_NS;
    // ACKs were lost or delayed, so segments 0 and 2 to 4 are reported at once.
    //= RFC 8985 section 6.2 step 3
    let sent = script.sack(1000, &[(2000, 5000)]);
    assert_eq!(sent, ["1000:2000 rexmt"]);
}

#[test]
fn duplicates_reported_by_the_peer_widen_the_window() {
    let mut script = script();
    script.now_ns = 210 * MS_NS;
    script.sack(0, &[(1000, 2000)]);
    assert_eq!(script.until(226), ["225 ms: 0:1000 rexmt"]);
    // The original arrives late, then the copy.
    script.now_ns = 230 * MS_NS;
    script.ack(2000);
    script.now_ns = 325 * MS_NS;
    script.sack(10_000, &[(0, 1000)]);
    for index in 10..13 {
        script.now_ns = (400 + index) * MS_NS;
        script.write(1000);
    }
    script.now_ns = 511 * MS_NS;
    script.sack(10_000, &[(11_000, 12_000)]);
    //= RFC 8985 section 6.2 step 4: RACK.reo_wnd_mult is 2 after one round with a DSACK
    let (sent_ms, rtt_ms) = (410, 100);
    assert_eq!(
        script.end.next_timer_ns(),
        Some((sent_ms + rtt_ms + 50) * MS_NS)
    );
}

#[test]
fn a_lost_retransmission_is_detected_by_later_segments() {
    let mut script = script();
    script.write(100_000);
    script.now_ns = 230 * MS_NS;
    assert_eq!(script.sack(0, &[(1000, 4000)])[0], "0:1000 rexmt");
    script.now_ns = 240 * MS_NS;
    let sent = script.sack(0, &[(1000, 8000)]);
    assert!(
        !sent.is_empty() && sent.iter().all(|sent| !sent.contains("rexmt")),
        "{sent:?}"
    );
    script.now_ns = 345 * MS_NS;
    //= RFC 8985 section 3.1: "detects lost retransmissions"
    assert_eq!(script.sack(0, &[(1000, 11_000)])[0], "0:1000 rexmt");
    assert_eq!(script.end.stats().timeouts, 0);
}

#[test]
fn a_timeout_marks_only_overdue_segments_lost() {
    let mut script = Script::new(plain(Recovery::Rack));
    script.write(2000);
    // The probe comes first, and it restarts the timer.
    assert_eq!(script.until(310), ["302 ms: 1000:2000 rexmt"]);
    script.until(1300);
    script.write(1000);
    assert_eq!(script.until(1302), ["1302 ms: 0:1000 rexmt"]);
    //= RFC 8985 section 6.3: the segment sent at 1300 ms is not overdue
    assert_eq!(
        (script.end.flight_size_bytes(), script.end.inflight_bytes()),
        (3000, 2000)
    );
}
