//! Probing of both directions: ACKs that are sent as pairs (section 4.2.1, figure 6).

use super::{
    counts, first, marked, options, receiving, replied, reply, second, sending, supporting,
};
use crate::pair::{Crossing, End, Pair, DELAY_NS};
use crate::script::{segments, Script, MS_NS};
use onramp_core::pairs::Form;
use onramp_tcp::{Acks, Config, PacketPair, Segment};

#[test]
fn the_ack_of_a_first_segment_is_sent_immediately_and_is_a_first_itself() {
    let mut script = receiving(PacketPair::Probe);
    // "the acknowledgement for data packet with packet pair 1 option is transmitted immediately
    // with packet pair 1 option"
    assert_eq!(marked(&mut script, 0, 1000, first(7)), ["ack 1000 first 1"]);
}

#[test]
fn the_ack_of_a_second_segment_has_the_reply_and_is_a_second_itself() {
    let mut script = receiving(PacketPair::Probe);
    marked(&mut script, 0, 1000, first(7));
    script.now_ns += 40 * MS_NS;
    // "transmitted with packet pair reply option for forward path and packet pair 2 option for
    // reverse path"
    assert_eq!(
        marked(&mut script, 1000, 1000, second(7)),
        ["ack 2000 reply 7: 40 ms second 1"]
    );
    assert_eq!((counts(&script).pairs, counts(&script).answers), (1, 1));
}

#[test]
fn other_acks_are_no_pairs() {
    let mut script = receiving(PacketPair::Probe);
    assert!(script.data(0, 1000, 0).is_empty());
    assert_eq!(script.data(1000, 1000, 0), ["ack 2000"]);
    // Neither is the ACK of a first whose second was lost, or of a second whose first was lost.
    marked(&mut script, 2000, 1000, first(1));
    assert_eq!(
        marked(&mut script, 5000, 1000, second(2)),
        ["ack 3000 [5000:6000]"]
    );
    assert_eq!(counts(&script).pairs, 0);
}

#[test]
fn the_data_sender_replies_with_its_next_data() {
    let mut script = Script::new(sending(4));
    script.write(100_000);
    script.now_ns = 200 * MS_NS;
    let half = |script: &mut Script, ack, mark, replied| {
        let options = options(script, Some(mark), replied);
        script.arrives(Segment {
            options,
            ..script.bare(ack)
        })
    };
    assert_eq!(
        half(&mut script, 1000, first(1), None),
        ["4000:5000 first 2", "5000:6000 second 2"]
    );
    script.now_ns = 260 * MS_NS;
    let sent = half(&mut script, 2000, second(1), Some(reply(1, 40)));
    assert_eq!(sent, ["6000:7000 reply 1: 60 ms"]);
    assert_eq!((counts(&script).answers, counts(&script).replies), (1, 1));
}

#[test]
fn a_reply_waits_if_the_next_segments_are_a_pair() {
    let mut script = Script::new(sending(4));
    script.write(100_000);
    script.now_ns = 200 * MS_NS;
    let options = [first(1), second(1)].map(|mark| options(&script, Some(mark), None));
    // With another window the ACK is no duplicate.
    script.window -= 1;
    assert!(script
        .arrives(Segment {
            options: options[0],
            ..script.bare(0)
        })
        .is_empty());
    script.now_ns = 230 * MS_NS;
    // A segment has room for a mark or for a reply.
    assert_eq!(
        script.arrives(Segment {
            options: options[1],
            ..script.bare(1000)
        }),
        ["4000:5000 first 2", "5000:6000 second 2"]
    );
    assert_eq!(script.ack(2000)[0], "6000:7000 reply 1: 30 ms");
}

/// Numbers of full segments per ACK, with one segment each millisecond. Before, a pair arrived with
/// an interval of 10 ms, and its ACKs arrived at the peer with an interval of `reverse_ms`.
fn acknowledged_every(acks: Acks, reverse_ms: u32) -> Vec<usize> {
    let mut script = Script::new(Config {
        acks,
        ..supporting(PacketPair::Probe, Form::Paper)
    });
    measured(&mut script, 1, reverse_ms);
    counted(&mut script)
}

/// A pair with this number is measured as described above.
fn measured(script: &mut Script, id: u8, reverse_ms: u32) {
    let start = script.sent;
    marked(script, start, 1000, first(id));
    script.now_ns += 10 * MS_NS;
    marked(script, start + 1000, 1000, second(id));
    script.now_ns += 300 * MS_NS;
    replied(script, 0, reply(id, reverse_ms));
    script.now_ns = script.now_ns.next_multiple_of(200 * MS_NS) + MS_NS;
}

fn counted(script: &mut Script) -> Vec<usize> {
    let mut counted = vec![0];
    for _ in 0..24 {
        script.now_ns += MS_NS;
        let start = script.sent;
        *counted.last_mut().unwrap() += 1;
        if !script.data(start, 1000, 0).is_empty() {
            counted.push(0);
        }
    }
    counted.pop();
    counted
}

#[test]
fn on_a_slower_return_path_every_third_or_fourth_segment_is_acknowledged() {
    for acks in [Acks::Delayed, Acks::Bsd] {
        for (reverse_ms, segments) in [
            (10, 2),
            (20, 2),
            (29, 2),
            (30, 3),
            (39, 3),
            (40, 4),
            (50, 4),
            (290, 4),
        ] {
            // "every three or four packet arrival in proportion to ratio of t1 to t2"
            assert_eq!(
                acknowledged_every(acks, reverse_ms),
                vec![segments; 24 / segments],
                "{acks:?} {reverse_ms} ms"
            );
        }
    }
}

#[test]
fn linuxs_acks_are_stretched_too() {
    // Quick ACKs come first.
    for (reverse_ms, segments) in [(10, 2), (30, 3), (40, 4)] {
        assert_eq!(
            acknowledged_every(Acks::Linux, reverse_ms).last(),
            Some(&segments)
        );
    }
}

#[test]
fn every_second_segment_is_acknowledged_if_the_return_path_is_not_measured() {
    let mut script = receiving(PacketPair::Probe);
    marked(&mut script, 0, 1000, first(1));
    marked(&mut script, 1000, 1000, second(1));
    assert_eq!(counted(&mut script), [2; 12]);
}

#[test]
fn the_last_pair_counts() {
    let mut script = receiving(PacketPair::Probe);
    for (id, reverse_ms, segments) in [(1, 40, 4), (2, 10, 2), (3, 30, 3)] {
        measured(&mut script, id, reverse_ms);
        assert_eq!(counted(&mut script), vec![segments; 24 / segments]);
    }
}

#[test]
fn a_stretched_ack_waits_at_most_200_ms() {
    let mut script = receiving(PacketPair::Probe);
    measured(&mut script, 1, 40);
    let start = script.sent;
    for index in 0..3 {
        assert!(script.data(start + 1000 * index, 1000, 0).is_empty());
    }
    let at_ms = script.now_ns / MS_NS + 200;
    assert_eq!(
        script.until(1000),
        [format!("{at_ms} ms: ack {}", start + 3000)]
    );
}

#[test]
fn an_end_that_only_answers_does_not_stretch_acks() {
    let mut script = receiving(PacketPair::AnswerAtOnce);
    measured(&mut script, 1, 40);
    assert_eq!(counted(&mut script), [2; 12]);
}

/// An end that probes and sends data in pairs gets replies for both directions.
#[test]
fn replies_to_data_go_to_the_bucket_and_replies_to_acks_to_the_receiver() {
    let mut script = Script::new(Config {
        packet_pair: PacketPair::Probe,
        acks: Acks::Delayed,
        ..sending(4)
    });
    assert_eq!(
        script.write(4000)[..2],
        ["0:1000 first 1", "1000:2000 second 1"]
    );
    script.now_ns = 200 * MS_NS;
    replied(&mut script, 4000, reply(1, 40));
    assert_eq!(
        (script.end.pacing_bytes_per_s(), counts(&script).replies),
        (Some(25_000), 1)
    );
    // The pair of ACKs has the next number.
    assert_eq!(
        marked(&mut script, 0, 1000, first(1))[0],
        "ack 1000 first 2"
    );
    script.now_ns += 10 * MS_NS;
    assert_eq!(
        marked(&mut script, 1000, 1000, second(1)),
        ["ack 2000 reply 1: 10 ms second 2"]
    );
    script.now_ns += 300 * MS_NS;
    replied(&mut script, 4000, reply(2, 30));
    assert_eq!(
        (script.end.pacing_bytes_per_s(), counts(&script).replies),
        (Some(25_000), 2)
    );
    assert_eq!(counted(&mut script), [3; 8]);
}

/// Number of ACKs of a download with 4 ms per segment on the forward path and `reverse_ms` per ACK
/// on the return path, each with a delay of 100 ms.
fn acknowledgements(packet_pair: PacketPair, reverse_ms: u64) -> usize {
    let client = Config {
        acks: Acks::Delayed,
        ..supporting(packet_pair, Form::Experiment)
    };
    let mut pair = Pair::new(
        client,
        Config {
            pair_form: Form::Experiment,
            ..sending(4)
        },
    );
    let mut free_ns = [0; 2];
    let mut path = |crossing: &Crossing| {
        let ms = if crossing.from == End::Client {
            reverse_ms
        } else {
            4
        };
        let free_ns = &mut free_ns[crossing.from as usize];
        *free_ns = crossing.now_ns.max(*free_ns) + ms * MS_NS;
        vec![*free_ns - crossing.now_ns + DELAY_NS]
    };
    pair.download(150_000, 100_000 * MS_NS, &mut path);
    pair.sent_by(End::Client, |_| true).len()
}

#[test]
fn a_slow_return_path_carries_fewer_acks() {
    let [answers, probes] = [PacketPair::Answer, PacketPair::Probe]
        .map(|packet_pair| acknowledgements(packet_pair, 20));
    assert!(
        3 * probes <= 2 * answers,
        "{probes} and {answers} acknowledgements of {} segments",
        segments(0..150).len()
    );
    // On a symmetric path there are as many, plus those of the first segments.
    let [answers, probes] =
        [PacketPair::Answer, PacketPair::Probe].map(|packet_pair| acknowledgements(packet_pair, 4));
    assert!(probes >= answers, "{probes} and {answers}");
}
