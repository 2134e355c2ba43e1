//! Opening and closing connections (RFC 9293, sections 3.5 and 3.6).

use crate::pair::{clean, Crossing, End, Pair, DELAY_NS};
use onramp_tcp::{Config, Failure, Flags, Stack, State};

fn linux() -> Config {
    Config::of(Stack::Linux, 1500)
}

#[test]
fn three_segments_open_a_connection() {
    let mut pair = Pair::new(linux(), linux());
    pair.until(1_000_000_000, &mut clean, |pair| {
        pair.client.state() == State::Established
            && pair
                .server
                .as_ref()
                .is_some_and(|s| s.state() == State::Established)
    });
    assert_eq!(pair.now_ns, 3 * DELAY_NS);
    let flags: Vec<_> = pair
        .log
        .iter()
        .map(|crossing| crossing.transmit.segment.flags)
        .collect();
    assert_eq!(flags, [Flags::SYN, Flags::SYN.with(Flags::ACK), Flags::ACK]);
    assert_eq!(pair.client.srtt_ns(), 2 * DELAY_NS);
}

#[test]
fn a_lost_syn_is_retransmitted_after_a_second() {
    // RFC 6298, section 2.1.
    let mut pair = Pair::new(linux(), linux());
    let mut path = |crossing: &Crossing| match (crossing.from, crossing.number) {
        (End::Client, 0) => vec![],
        _ => vec![DELAY_NS],
    };
    pair.until(5_000_000_000, &mut path, |pair| {
        pair.client.state() == State::Established
    });
    assert_eq!(pair.now_ns, 1_000_000_000 + 2 * DELAY_NS);
}

#[test]
fn a_connection_to_a_peer_that_never_answers_fails() {
    let mut pair = Pair::new(linux(), linux());
    pair.until(1_000_000_000_000, &mut |_| vec![], |pair| {
        pair.client.state() == State::Closed
    });
    assert_eq!(pair.client.failure(), Some(Failure::TimedOut));
    // As in Linux 6.18: five timeouts of a second, then each twice as long.
    let sent_s: Vec<_> = pair
        .log
        .iter()
        .map(|crossing| crossing.now_ns / 1_000_000_000)
        .collect();
    assert_eq!(sent_s, [0, 1, 2, 3, 4, 5, 7, 11, 19, 35, 67]);
    assert_eq!(pair.now_ns, 131_000_000_000);
}

#[test]
fn both_sides_close_and_the_first_waits() {
    // RFC 9293, section 3.6: the server closes first.
    let mut pair = Pair::new(linux(), linux());
    let completed_ns = pair.download(1000, 10_000_000_000, &mut clean);
    assert_eq!(completed_ns, 3 * DELAY_NS + DELAY_NS);
    assert_eq!(pair.client.state(), State::Closed);
    assert_eq!(pair.end(End::Server).state(), State::TimeWait);
    assert_eq!(pair.client.failure(), None);
    pair.until(120_000_000_000, &mut clean, |pair| {
        pair.server.as_ref().unwrap().state() == State::Closed
    });
}

#[test]
fn an_abort_resets_the_peer() {
    let mut pair = Pair::new(linux(), linux());
    pair.until(1_000_000_000, &mut clean, |pair| {
        pair.server
            .as_ref()
            .is_some_and(|s| s.state() == State::Established)
    });
    pair.client.abort();
    pair.until(1_000_000_000, &mut clean, |pair| {
        pair.end(End::Server).state() == State::Closed
    });
    assert_eq!(pair.end(End::Server).failure(), Some(Failure::Reset));
    assert_eq!(pair.client.failure(), Some(Failure::Aborted));
}

#[test]
fn options_are_used_if_both_sides_support_them() {
    for (timestamps, sack, window_scaling) in [
        (true, true, true),
        (false, true, false),
        (true, false, true),
    ] {
        let server = Config {
            timestamps,
            sack,
            window_scaling,
            ..linux()
        };
        let mut pair = Pair::new(linux(), server);
        pair.download(100_000, 10_000_000_000, &mut clean);
        let answer = pair.log[1].transmit.segment.options;
        assert_eq!(answer.timestamps.is_some(), timestamps);
        assert_eq!(answer.sack_permitted, sack);
        assert_eq!(answer.window_scale.is_some(), window_scaling);
        let full = if timestamps { 1448 } else { 1460 };
        let data = pair.sent_by(End::Server, |t| t.segment.payload_bytes > 0);
        assert_eq!(data[0].transmit.segment.payload_bytes, full);
        assert!(data
            .iter()
            .all(|c| c.transmit.segment.options.timestamps.is_some() == timestamps));
    }
}
