//! RFC 5681: TCP Congestion Control.

use crate::script::{plain, segments, Script, MS_NS};
use onramp_tcp::{Config, InitialWindow, Recovery, Stack};

fn reno() -> Script {
    Script::new(plain(Recovery::Reno))
}

#[test]
fn slow_start_grows_by_the_acknowledged_bytes() {
    let mut script = Script::new(Config {
        initial_window: InitialWindow::Segments(2),
        ..plain(Recovery::Reno)
    });
    //= RFC 5681 section 3.1 equation 2
    assert_eq!(script.write(100_000), segments(0..2));
    script.now_ns = 200 * MS_NS;
    assert_eq!(script.ack(1000), segments(2..4));
    assert_eq!(script.window().0, 3);
    assert_eq!(script.ack(2000), segments(4..6));
    assert_eq!(script.window().0, 4);
}

#[test]
fn after_two_lost_syns_one_segment_is_sent() {
    let mut pair = crate::pair::Pair::new(
        Config::of(Stack::Linux, 1500),
        Config::of(Stack::Linux, 1500),
    );
    let mut path = |crossing: &crate::pair::Crossing| match (crossing.from, crossing.number) {
        (crate::pair::End::Client, 0 | 1) => vec![],
        _ => vec![crate::pair::DELAY_NS],
    };
    pair.until(10_000_000_000, &mut path, |pair| {
        pair.client.state() == onramp_tcp::State::Established
    });
    //= RFC 5681 section 3.1: "If the SYN or SYN/ACK is lost, the initial window [...] MUST be one
    // segment"
    //= RFC 6928 section 2: unless only one SYN was lost
    let window = pair.client.window();
    assert_eq!(window.cwnd_bytes, u64::from(window.mss_bytes));
}

#[test]
fn the_third_duplicate_retransmits_the_first_segment_and_halves_cwnd() {
    let mut script = reno();
    assert_eq!(script.write(100_000), segments(0..10));
    script.now_ns = 200 * MS_NS;
    //= RFC 5681 section 3.2 step 1
    assert_eq!(script.ack(0), segments(10..11));
    assert_eq!(script.ack(0), segments(11..12));
    assert_eq!(
        script.window().0,
        10,
        "limited transmit does not change cwnd"
    );
    //= RFC 5681 section 3.2 step 3
    assert_eq!(script.ack(0), ["0:1000 rexmt"]);
    //= RFC 5681 section 3.2 steps 2 and 3: ssthresh is half, cwnd is three segments more
    assert_eq!(script.window(), (8, 5));
}

#[test]
fn each_further_duplicate_inflates_cwnd_and_new_data_deflates_it() {
    let mut script = reno();
    script.write(100_000);
    script.now_ns = 200 * MS_NS;
    (0..3).for_each(|_| drop(script.ack(0)));
    //= RFC 5681 section 3.2 step 4
    let sent: Vec<_> = (0..7).flat_map(|_| script.ack(0)).collect();
    assert_eq!(script.window(), (15, 5));
    //= RFC 5681 section 3.2 step 5
    assert_eq!(sent, segments(12..15));
    //= RFC 5681 section 3.2 step 6
    script.now_ns = 300 * MS_NS;
    assert_eq!(script.ack(12_000), segments(15..17));
    assert_eq!(script.window(), (5, 5));
}

#[test]
fn a_duplicate_ack_has_no_data_the_same_window_and_data_in_flight() {
    let mut script = reno();
    script.write(100_000);
    //= RFC 5681 section 2 (b): an ACK with data is no duplicate
    for offset in [0, 100, 200] {
        script.data(offset, 100, 0);
    }
    assert_eq!(script.end.stats().recoveries, 0);
    //= RFC 5681 section 2 (e): an ACK with another window is no duplicate
    for window in [60_000, 59_000, 58_000] {
        script.window = window;
        script.ack(0);
    }
    assert_eq!(script.end.stats().recoveries, 0);
    //= RFC 5681 section 2 (a): an ACK with nothing in flight is no duplicate
    let mut idle = reno();
    (0..5).for_each(|_| assert!(idle.ack(0).is_empty()));
    assert_eq!(idle.end.stats().recoveries, 0);
}

#[test]
fn a_timeout_leaves_one_segment_and_repeated_ones_keep_ssthresh() {
    let mut script = reno();
    script.write(100_000);
    //= RFC 5681 section 3.1 equation 4: "cwnd MUST be set to no more than the loss window"
    assert_eq!(script.until(1100), ["1100 ms: 0:1000 rexmt"]);
    assert_eq!(script.window(), (1, 5));
    //= RFC 5681 section 3.1: "the value of ssthresh is held constant" when it times out again
    assert_eq!(script.until(3200), ["3100 ms: 0:1000 rexmt"]);
    assert_eq!(script.window(), (1, 5));
}

#[test]
fn after_an_idle_time_cwnd_is_at_most_the_initial_window() {
    let mut script = reno();
    script.write(10_000);
    script.now_ns = 200 * MS_NS;
    (1..=10).for_each(|index| drop(script.ack(1000 * index)));
    assert_eq!(script.window().0, 20);
    //= RFC 5681 section 4.1
    script.idle_until(3000);
    assert_eq!(script.write(100_000), segments(10..20));
    assert_eq!(script.window().0, 10);
}

#[test]
fn an_idle_time_shorter_than_the_rto_keeps_cwnd() {
    let mut script = reno();
    script.write(10_000);
    script.now_ns = 200 * MS_NS;
    (1..=10).for_each(|index| drop(script.ack(1000 * index)));
    script.idle_until(900);
    assert_eq!(script.write(100_000).len(), 20);
}

#[test]
fn cwnd_does_not_grow_while_the_application_limits_the_sender() {
    let mut script = reno();
    for index in 1..20 {
        script.write(1000);
        script.now_ns += 100 * MS_NS;
        script.ack(1000 * index);
    }
    //= RFC 7661 section 4.4.1, and Linux: cwnd grows only while it limits the sender
    assert_eq!(script.window().0, 10);
}
