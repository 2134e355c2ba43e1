//! `onramp` where siblings, connections of this host to the same destination, start up too.

use crate::flights::{start, Host};
use crate::onramp::{
    arrive, assert_segments, burst, host_on, in_approach, phase, round, until, validated,
};
use crate::onramp::{PACED_RATE, QUEUED, RATE, RTT, SEGMENT};
use crate::onramp_clock::without;
use onramp_core::{exit_name, Start, ACK_APP_LIMITED, UNLIMITED};

/// The rate of the full pipe.
const FULL_RATE: u64 = PACED_RATE / 8 * 9;

/// The BDP is 1000 segments, of which three quarters and ten segments are filled.
#[test]
fn siblings_share_the_bdp() {
    for (siblings, segments) in [(0, 760), (1, 385), (3, 197)] {
        let mut host = host_on(RTT);
        host.ack.siblings = siblings;
        burst(&mut host, 10, RATE);
        assert_segments(host.decision.cwnd_bytes, segments);
    }
}

/// 600 kB/s and 100 ms are sixty segments of 1000 bytes.
#[test]
fn siblings_share_the_initial_rate() {
    for (siblings, early) in [(0, 60), (1, 30), (3, 15)] {
        let start = Start {
            srtt_ns: RTT,
            initial_bytes_per_s: 600_000,
            siblings,
            ..start()
        };
        let host = Host::new("onramp", start, RTT);
        assert_segments(host.decision.cwnd_bytes, 10 + early * RTT / 100_000_000);
        assert_eq!(host.decision.pacing_bytes_per_s, 600_000 / (1 + siblings));
    }
}

#[test]
fn a_sibling_that_begins_later_gets_its_share() {
    let mut host = validated();
    assert!(host.decision.cwnd_bytes > 760_000);
    host.ack.siblings = 1;
    let decision = arrive(&mut host, 1, RATE, RTT);
    assert_segments(decision.cwnd_bytes, 562);
    assert_eq!(decision.ssthresh_bytes, decision.cwnd_bytes);
    assert_eq!(
        (exit_name(decision.exit), decision.is_full),
        ("estimate", 0)
    );
}

/// Before validation, the start-up goes on with its share.
#[test]
fn a_sibling_that_begins_while_the_paced_window_arrives_gets_its_share() {
    let mut host = in_approach();
    for (siblings, segments) in [(1, 562), (3, 281)] {
        host.ack.siblings = siblings;
        let decision = arrive(&mut host, 1, RATE, RTT);
        assert_segments(decision.cwnd_bytes, segments);
        assert_eq!((phase(&host), decision.exit), ("approach", 0));
    }
}

/// At the shared rate, a message of the initial window would leave later than in slow start.
#[test]
fn beside_siblings_no_first_round_is_left_behind_a_small_message() {
    for (siblings, is_paced) in [(0, true), (1, false)] {
        let start = Start {
            srtt_ns: RTT,
            initial_bytes_per_s: 1_200_000,
            siblings,
            ..start()
        };
        let mut host = Host::new("onramp", start, RTT);
        host.ack.rtt_ns = RTT;
        host.ack.siblings = siblings;
        host.ack(RTT, 0, ACK_APP_LIMITED);
        assert_eq!(host.decision.pacing_bytes_per_s != UNLIMITED, is_paced);
        assert_eq!(host.decision.cwnd_bytes > 20 * SEGMENT, is_paced);
    }
}

#[test]
fn without_sharing_siblings_change_nothing() {
    let mut hosts = [0, 3].map(|siblings| {
        let start = Start {
            variant: without("sharing"),
            ..start()
        };
        let mut host = Host::new("onramp", start, RTT);
        host.ack.rtt_ns = RTT;
        host.ack.siblings = siblings;
        host
    });
    for host in &mut hosts {
        burst(host, 10, RATE);
        until(host, "approach", RATE, RTT);
        round(host, PACED_RATE, RTT);
        until(host, "hold", RATE, QUEUED);
        until(host, "avoidance", FULL_RATE, QUEUED);
    }
    assert_eq!(hosts[0].decision, hosts[1].decision);
}
