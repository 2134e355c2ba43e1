//! RFC 9293: windows (sections 3.4, 3.7.4, 3.8.6 and 3.10.7.4).

use crate::script::{number, plain, segments, Script, MS_NS};
use onramp_tcp::{Config, ReceiveBuffer, Recovery, Segment, State};

fn script() -> Script {
    Script::new(plain(Recovery::NewReno))
}

fn with_buffer(bytes: u64) -> Script {
    Script::new(Config {
        receive_buffer: ReceiveBuffer::Bytes(bytes),
        stack: onramp_tcp::Stack::Lite,
        ..plain(Recovery::NewReno)
    })
}

/// The window field of the next acknowledgement, after this data.
fn offered(script: &mut Script, start: i64, bytes: u32) -> u16 {
    let segment = Segment {
        seq: number(start),
        payload_bytes: bytes,
        ..script.bare(0)
    };
    script.end.on_segment(script.now_ns, &segment);
    script
        .end
        .poll_transmit(script.now_ns)
        .expect("an acknowledgement")
        .segment
        .window
}

#[test]
fn a_closed_window_is_probed_with_growing_intervals_as_long_as_the_peer_answers() {
    let mut script = script();
    script.window = 0;
    script.ack(0);
    assert!(script.write(1000).is_empty());
    let mut probed_ms = Vec::new();
    for _ in 0..20 {
        let at_ns = script.end.next_timer_ns().expect("the persist timer");
        assert_eq!(script.until(at_ns / MS_NS).len(), 1);
        probed_ms.push(at_ns / MS_NS);
        script.ack(0);
    }
    //= RFC 9293 section 3.8.6.1: the first after a retransmission timeout, then exponential backoff
    assert_eq!(
        probed_ms[..7],
        [1100, 3100, 7100, 15_100, 31_100, 63_100, 123_100]
    );
    //= RFC 9293 section 3.8.6.1: the connection stays open as long as the peer answers
    assert_eq!(script.end.state(), State::Established);
    script.window = 5000;
    assert_eq!(script.ack(0), ["0:1000"]);
}

#[test]
fn a_connection_fails_if_nobody_answers_its_window_probes() {
    let mut script = script();
    script.window = 0;
    script.ack(0);
    script.write(1000);
    script.until(10_000_000);
    //= RFC 9293 section 3.8.3, which has no exception for unanswered probes
    assert_eq!(script.end.failure(), Some(onramp_tcp::Failure::TimedOut));
}

/// A window of 1 MiB is scaled by 32 bytes. Linux and 4.4BSD round it up.
#[test]
fn an_exact_buffer_never_advertises_more_than_its_free_space() {
    let buffer_bytes = 1 << 20;
    let advertised = |receive_buffer| {
        let config = Config {
            receive_buffer,
            window_scaling: true,
            stack: onramp_tcp::Stack::Lite,
            ..plain(Recovery::NewReno)
        };
        let mut script = Script::new(config);
        let edges = (0..200).map(|n| {
            (n + 1) * 1001 + (u64::from(offered(&mut script, n as i64 * 1001, 1001)) << 5)
        });
        edges.max().unwrap()
    };
    assert!(advertised(ReceiveBuffer::Bytes(buffer_bytes)) > buffer_bytes);
    assert!((buffer_bytes - 31..=buffer_bytes)
        .contains(&advertised(ReceiveBuffer::Exactly(buffer_bytes))));
}

#[test]
fn a_probe_of_a_closed_window_is_answered() {
    let mut script = with_buffer(2000);
    assert_eq!(offered(&mut script, 0, 2000), 0);
    //= RFC 9293 section 3.8.6.1: with or without a byte of new data, which does not fit
    assert_eq!(script.data(2000, 1, 0), ["ack 2000"]);
    script.sent = 1999;
    assert_eq!(script.ack(0), ["ack 2000"]);
    assert_eq!(script.end.received_bytes(), 2000);
}

#[test]
fn data_outside_the_window_is_trimmed() {
    let mut script = with_buffer(2000);
    //= RFC 9293 section 3.10.7.4, first check: "trim off any portions that lie outside the window"
    assert_eq!(script.data(1000, 2000, 0), ["ack 0 [1000:2000]"]);
    assert_eq!(script.data(0, 1000, 0), ["ack 2000"]);
    assert_eq!(script.data(5000, 100, 0), ["ack 2000"]);
    assert_eq!(script.end.received_bytes(), 2000);
}

#[test]
fn the_receiver_neither_advertises_silly_windows_nor_shrinks_its_window() {
    let mut script = with_buffer(4000);
    assert_eq!(offered(&mut script, 0, 4000), 0);
    //= RFC 9293 section 3.8.6.2.2: MIN(1/2 RCV.BUFF, Eff.snd.MSS) or nothing
    assert_eq!(script.end.read(script.now_ns, 900), 900);
    assert!(script.sends().is_empty());
    assert_eq!(script.end.read(script.now_ns, 100), 100);
    let update = script
        .end
        .poll_transmit(script.now_ns)
        .expect("an update")
        .segment;
    assert_eq!(update.window, 1000);
    //= RFC 9293 section 3.8.6: "SHOULD NOT shrink the window"
    assert_eq!(offered(&mut script, 4000, 300), 700);
}

#[test]
fn the_sender_waits_with_a_silly_window_until_the_override_timeout() {
    let mut script = script();
    script.window = 10_000;
    script.ack(0);
    script.write(20_000);
    script.now_ns = 200 * MS_NS;
    script.window = 300;
    //= RFC 9293 section 3.8.6.2.1: neither a full segment, nor all data, nor half of the largest
    // window
    assert!(script.ack(10_000).is_empty());
    //= RFC 9293 section 3.8.6.2.1 (4): the override timeout
    assert_eq!(script.until(1300), ["1200 ms: 10000:10300"]);
    //= RFC 6298 section 5 rules 5.1 and 5.4: this segment starts the retransmission timer
    assert_eq!(script.until(2300), ["2200 ms: 10000:10300 rexmt"]);
}

#[test]
fn repeated_silly_windows_do_not_delay_the_override_timeout() {
    let mut script = script();
    script.window = 10_000;
    script.ack(0);
    script.write(20_000);
    script.window = 300;
    script.ack(10_000);
    let mut sent = Vec::new();
    for turn in 1..40 {
        sent.extend(script.until(100 + 50 * turn));
        script.data(script.sent, 10, 10_000);
    }
    //= RFC 9293 section 3.8.6.2.1 (4)
    assert_eq!(sent[0], "1100 ms: 10000:10300");
}

#[test]
fn half_of_the_largest_window_is_enough() {
    let mut script = Script::offered(plain(Recovery::NewReno), 1200);
    assert_eq!(script.write(20_000), ["0:1000"]);
    script.now_ns = 200 * MS_NS;
    script.window = 599;
    assert!(script.ack(1000).is_empty());
    script.window = 600;
    //= RFC 9293 section 3.8.6.2.1 (3)
    assert_eq!(script.ack(1000), ["1000:1600"]);
}

#[test]
fn nagle_delays_a_small_segment_while_data_is_in_flight() {
    let mut script = Script::new(Config {
        nagle: true,
        ..plain(Recovery::NewReno)
    });
    //= RFC 9293 section 3.7.4
    assert_eq!(script.write(10), ["0:10"]);
    assert!(script.write(10).is_empty());
    assert!(script.write(10).is_empty());
    assert_eq!(script.ack(10), ["10:30"]);
    assert_eq!(script.write(1500), ["30:1030"]);
    //= RFC 9293 section 3.7.4: "the TCP implementation MUST" let an application turn it off
    let mut without = Script::new(plain(Recovery::NewReno));
    assert_eq!(
        (without.write(10), without.write(10)),
        (vec!["0:10".into()], vec!["10:20".into()])
    );
}

#[test]
fn linux_delays_a_small_segment_only_while_another_small_one_is_in_flight() {
    let nagle = Config {
        nagle: true,
        ..plain(Recovery::NewReno)
    };
    let mut linux = Script::new(nagle.clone());
    assert_eq!(linux.write(1500), ["0:1000", "1000:1500"]);
    assert!(linux.write(10).is_empty());
    assert!(linux.ack(1000).is_empty(), "the small one is in flight");
    assert_eq!(linux.ack(1500), ["1500:1510"]);
    // A full segment in flight delays nothing.
    assert!(linux.ack(1510).is_empty());
    assert_eq!(linux.write(1000), ["1510:2510"]);
    assert_eq!(linux.write(10), ["2510:2520"]);

    let mut lite = Script::new(Config {
        stack: onramp_tcp::Stack::Lite,
        ..nagle
    });
    assert_eq!(lite.write(1500), ["0:1000"]);
    assert_eq!(lite.ack(1000), ["1000:1500"]);
}

#[test]
fn the_last_small_segment_is_sent_with_its_fin() {
    let mut script = Script::new(Config {
        nagle: true,
        ..plain(Recovery::NewReno)
    });
    script.end.write(1010);
    script.end.close();
    assert_eq!(script.sends(), ["0:1000", "F 1000:1010"]);
}

#[test]
fn an_older_segment_does_not_update_the_window() {
    let mut script = script();
    script.data(0, 100, 0);
    script.window = 2000;
    script.data(100, 100, 0);
    script.window = 60_000;
    script.data(0, 50, 0);
    //= RFC 9293 section 3.10.7.4, fifth check: SND.WL1 and SND.WL2
    assert_eq!(script.end.peer_window_bytes(), 2000);
    assert_eq!(script.write(10_000), segments(0..2));
}
