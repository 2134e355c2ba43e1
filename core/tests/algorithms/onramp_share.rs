//! `onramp` where siblings, connections of this host to the same destination, start up too.

use crate::flights::{start, Host};
use crate::onramp::{arrive, assert_segments, host_on, phase, round, until, validated};
use crate::onramp::{PACED_RATE, QUEUED, RATE, RTT};
use crate::onramp_clock::without;
use onramp_core::{exit_name, Start};

/// The rate of the full pipe.
const FULL_RATE: u64 = PACED_RATE / 8 * 9;

/// The BDP is 1000 segments, of which three quarters and ten segments are filled.
#[test]
fn siblings_share_the_bdp() {
    for (siblings, segments) in [(0, 760), (1, 385), (3, 197)] {
        let mut host = host_on(RTT);
        host.ack.siblings = siblings;
        arrive(&mut host, 10, RATE, RTT);
        assert_segments(host.decision.cwnd_bytes, segments);
    }
}

#[test]
fn a_sibling_that_begins_later_gets_its_share() {
    let mut host = validated();
    assert!(host.decision.cwnd_bytes > 760_000);
    host.ack.siblings = 1;
    let decision = arrive(&mut host, 1, RATE, RTT);
    assert_segments(decision.cwnd_bytes, 562);
    assert_eq!(phase(&host), "rest");
    // cwnd stays. Another sibling takes more of it.
    assert_segments(round(&mut host, RATE / 2, RTT).cwnd_bytes, 562);
    host.ack.siblings = 3;
    assert_segments(arrive(&mut host, 1, RATE, RTT).cwnd_bytes, 281);
    // The siblings have gone, and this one may have the rest.
    host.ack.siblings = 0;
    until(&mut host, "approach", RATE / 4, RTT);
}

#[test]
fn a_startup_that_has_its_share_for_four_rounds_ends_with_it() {
    let mut host = validated();
    host.ack.siblings = 1;
    until(&mut host, "rest", RATE / 2, RTT);
    let decision = until(&mut host, "done", RATE / 2, RTT);
    assert_eq!(
        (exit_name(decision.exit), decision.is_full),
        ("estimate", 0)
    );
    assert_segments(decision.cwnd_bytes, 562);
    assert_eq!(decision.ssthresh_bytes, decision.cwnd_bytes);
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
        arrive(host, 10, RATE, RTT);
        until(host, "approach", RATE, RTT);
        round(host, PACED_RATE, RTT);
        until(host, "hold", RATE, QUEUED);
        until(host, "rest", FULL_RATE, QUEUED);
    }
    assert_eq!(hosts[0].decision, hosts[1].decision);
}

/// REST lasts four rounds without a further sibling. Then the start-up ends, though siblings are
/// there.
#[test]
fn a_rest_begins_again_where_a_sibling_begins() {
    let mut host = validated();
    until(&mut host, "hold", RATE, QUEUED);
    until(&mut host, "rest", FULL_RATE, QUEUED);
    for siblings in [0, 0, 0, 1, 1, 1] {
        host.ack.siblings = siblings;
        round(&mut host, FULL_RATE, QUEUED);
        assert_eq!(phase(&host), "rest");
    }
    until(&mut host, "done", FULL_RATE, QUEUED);
}
