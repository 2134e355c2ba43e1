//! Replies of a receiver to pairs (section 4.1.2).

use super::{counts, first, marked, options, receiving, second, supporting};
use crate::script::{number, Script, MS_NS};
use onramp_core::pairs::Form;
use onramp_tcp::{Acks, Config, PacketPair, Segment, Ticks};

/// A pair of small segments arrives, for which an ACK could be delayed. Returns what is sent
/// immediately.
fn pair(script: &mut Script, id: u8, apart_ms: u64) -> [Vec<String>; 2] {
    let start = script.sent;
    let sent = marked(script, start, 100, first(id));
    script.now_ns += apart_ms * MS_NS;
    [sent, marked(script, start + 100, 100, second(id))]
}

#[test]
fn the_second_is_acknowledged_immediately_with_the_reply_and_the_first_may_wait() {
    let mut script = receiving(PacketPair::Answer);
    // "The acknowledgement of packet with packet pair 1 type option can be delayed by delayed ack
    // algorithm", and that "with packet pair 2 type option is transmitted immediately"
    assert_eq!(
        pair(&mut script, 1, 40),
        [vec![], vec!["ack 200 reply 1: 40 ms".to_owned()]]
    );
    assert_eq!(counts(&script).answers, 1);
    // Without these options small segments wait.
    assert!(script.data(200, 100, 0).is_empty());
}

#[test]
fn of_a_train_the_first_32_are_acknowledged_immediately_and_then_every_eighth() {
    let mut script = receiving(PacketPair::Answer);
    assert!(marked(&mut script, 0, 10, first(1)).is_empty());
    let immediate = |n: &i64| {
        script.now_ns += 10 * MS_NS;
        let sent = marked(&mut script, 10 * n, 10, second(1));
        let expected = format!("ack {} reply 1: {} ms", 10 * (n + 1), 10 * n);
        assert!(sent.is_empty() || sent == [expected], "{n}: {sent:?}");
        !sent.is_empty()
    };
    let immediate: Vec<i64> = (1..=60).filter(immediate).collect();
    assert_eq!(immediate, Vec::from_iter((1..=32).chain([40, 48, 56])));
    assert_eq!(counts(&script).answers, 35);
}

#[test]
fn a_first_whose_second_is_late_waits_for_the_timer() {
    let mut script = receiving(PacketPair::Answer);
    assert!(marked(&mut script, 0, 100, first(1)).is_empty());
    assert_eq!(script.until(1000), ["300 ms: ack 100"]);
    // The late interval is measured as it is.
    assert_eq!(
        marked(&mut script, 100, 100, second(1)),
        ["ack 200 reply 1: 900 ms"]
    );
}

#[test]
fn the_first_is_acknowledged_immediately_too_if_configured() {
    let mut script = receiving(PacketPair::AnswerAtOnce);
    let expected = [
        vec!["ack 100".to_owned()],
        vec!["ack 200 reply 1: 40 ms".to_owned()],
    ];
    assert_eq!(pair(&mut script, 1, 40), expected);
    assert!(script.data(200, 100, 0).is_empty());
}

#[test]
fn every_pair_is_answered_once() {
    let mut script = receiving(PacketPair::Answer);
    for (id, ms) in [(1, 40), (2, 30), (3, 50), (200, 70)] {
        let acked = script.sent + 200;
        assert_eq!(
            pair(&mut script, id, ms)[1],
            [format!("ack {acked} reply {id}: {ms} ms")]
        );
    }
    assert!(script.data(800, 100, 0).is_empty());
    assert_eq!(script.until(1000), ["490 ms: ack 900"]);
}

#[test]
fn the_reply_is_sent_with_data_if_there_is_any() {
    let mut script = receiving(PacketPair::Answer);
    script.end.write(10);
    marked(&mut script, 0, 100, first(1));
    script.end.write(10);
    script.now_ns += 40 * MS_NS;
    assert_eq!(
        marked(&mut script, 100, 100, second(1)),
        ["10:20 reply 1: 40 ms"]
    );
    assert!(script.data(200, 100, 0).is_empty(), "already acknowledged");
}

#[test]
fn segments_without_payload_are_measured_and_not_acknowledged() {
    let mut script = receiving(PacketPair::Answer);
    for mark in [first(1), second(1)] {
        script.now_ns += 40 * MS_NS;
        let options = options(&script, Some(mark), None);
        assert!(script
            .arrives(Segment {
                options,
                ..script.bare(0)
            })
            .is_empty());
    }
    assert_eq!(counts(&script).answers, 1);
    // The reply is sent with the next segment.
    assert_eq!(script.write(10), ["0:10 reply 1: 40 ms"]);
}

#[test]
fn a_pair_above_a_gap_is_measured_too() {
    let mut script = receiving(PacketPair::Answer);
    assert_eq!(
        marked(&mut script, 1000, 100, first(1)),
        ["ack 0 [1000:1100]"]
    );
    script.now_ns += 40 * MS_NS;
    assert_eq!(
        marked(&mut script, 1100, 100, second(1)),
        ["ack 0 [1000:1200] reply 1: 40 ms"]
    );
}

/// Measured interval of a pair that arrives at these times, on a host whose clock ticks every 10
/// ms, first at 3 ms.
fn by_ticks(first_ns: u64, second_ns: u64) -> u32 {
    let ticks = Ticks {
        measure_ns: 10 * MS_NS,
        event_ns: 1,
        phase_ns: 3 * MS_NS,
    };
    let mut script = Script::new(Config {
        ticks,
        ..supporting(PacketPair::Answer, Form::Experiment)
    });
    script.now_ns = first_ns;
    marked(&mut script, 0, 100, first(1));
    script.now_ns = second_ns;
    let options = options(&script, Some(second(1)), None);
    script.end.on_segment(
        second_ns,
        &Segment {
            options,
            seq: number(100),
            payload_bytes: 100,
            ..script.bare(0)
        },
    );
    let sent = script
        .end
        .poll_transmit(second_ns)
        .expect("the second is acknowledged immediately");
    sent.segment
        .options
        .pairs
        .reply
        .expect("with the reply")
        .interval_ns
        / MS_NS as u32
}

#[test]
fn the_interval_is_the_difference_of_two_clock_readings() {
    // "difference between timer counter value for packet pair 1 type packet arrival and [...]
    // packet pair 2 type"
    assert_eq!(by_ticks(200 * MS_NS, 202 * MS_NS), 0);
    assert_eq!(by_ticks(202 * MS_NS, 204 * MS_NS), 10);
    assert_eq!(by_ticks(203 * MS_NS, 243 * MS_NS), 40);
    assert_eq!(by_ticks(203 * MS_NS, 243 * MS_NS - 1), 30);
    assert_eq!(by_ticks(212 * MS_NS, 261 * MS_NS), 50);
}

#[test]
fn the_papers_form_has_ticks_of_10_ms() {
    for (form, expected) in [(Form::Paper, "40"), (Form::Experiment, "49.9")] {
        let mut script = Script::new(Config {
            acks: Acks::Delayed,
            ..supporting(PacketPair::Answer, form)
        });
        marked(&mut script, 0, 100, first(1));
        script.now_ns += 49_900_000;
        // The simulator, which passes on segments, gets the value that a packet would carry.
        assert_eq!(
            marked(&mut script, 100, 100, second(1)),
            [format!("ack 200 reply 1: {expected} ms")]
        );
    }
}

#[test]
fn an_interval_above_the_fields_maximum_is_reported_as_the_maximum() {
    for (form, expected_ns) in [(Form::Paper, "4290"), (Form::Experiment, "4294.967295")] {
        let mut script = Script::new(supporting(PacketPair::Answer, form));
        marked(&mut script, 0, 100, first(1));
        script.now_ns += 5000 * MS_NS;
        assert_eq!(
            marked(&mut script, 100, 100, second(1)),
            [format!("ack 200 reply 1: {expected_ns} ms")]
        );
    }
}

#[test]
fn pairs_are_measured_with_every_ack_policy() {
    for &acks in Acks::ALL {
        let mut script = Script::new(Config {
            acks,
            ..supporting(PacketPair::Answer, Form::Paper)
        });
        assert_eq!(
            pair(&mut script, 1, 40)[1],
            ["ack 200 reply 1: 40 ms"],
            "{acks:?}"
        );
    }
}

#[test]
fn a_pair_of_full_segments_is_acknowledged_once() {
    let mut script = receiving(PacketPair::Answer);
    assert!(marked(&mut script, 0, 1000, first(1)).is_empty());
    script.now_ns += 40 * MS_NS;
    assert_eq!(
        marked(&mut script, 1000, 1000, second(1)),
        ["ack 2000 reply 1: 40 ms"]
    );
    assert!(script.until(1000).is_empty());
}
