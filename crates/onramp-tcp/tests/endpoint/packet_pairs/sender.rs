//! Which segments a data sender sends as pairs (sections 3.3 and 4.2.1).

use super::{counts, options, replied, reply, room_bytes, sending, supporting};
use crate::pair::{Crossing, End, Pair, DELAY_NS};
use crate::script::{segments, Script, MS_NS};
use onramp_core::pairs::{Form, FIRST, SECOND};
use onramp_core::InitialRate;
use onramp_tcp::{Acks, Config, InitialWindow, PacketPair, Segment, Ticks};

#[test]
fn two_full_segments_that_are_sent_at_once_are_a_pair() {
    let mut script = Script::new(sending(2));
    // "packet pair scheme transmits two packets with a short interval"
    assert_eq!(
        script.write(100_000),
        ["0:1000 first 1", "1000:2000 second 1"]
    );
    assert_eq!(counts(&script).pairs, 1);
}

#[test]
fn a_window_of_one_segment_has_no_pair() {
    let mut script = Script::new(sending(1));
    // "The only exception is beginning of slow-start because of window size value 1"
    assert_eq!(script.write(100_000), ["0:1000"]);
    script.now_ns = 200 * MS_NS;
    assert_eq!(
        script.ack(1000),
        ["1000:2000 first 1", "2000:3000 second 1"]
    );
}

#[test]
fn the_next_pair_is_sent_when_the_first_segment_of_the_last_is_acknowledged() {
    let mut script = Script::new(sending(4));
    assert_eq!(
        script.write(100_000),
        [
            "0:1000 first 1",
            "1000:2000 second 1",
            "2000:3000",
            "3000:4000"
        ]
    );
    script.now_ns = 200 * MS_NS;
    assert_eq!(
        script.ack(1000),
        ["4000:5000 first 2", "5000:6000 second 2"]
    );
    // Once a round trip: these ACKs belong to the same flight.
    for ack in 2..=4 {
        assert_eq!(
            script.ack(1000 * ack),
            segments(2 * ack as u64 + 2..2 * ack as u64 + 4)
        );
    }
    script.now_ns = 300 * MS_NS;
    assert_eq!(
        script.ack(5000),
        ["12000:13000 first 3", "13000:14000 second 3"]
    );
    assert_eq!(script.ack(6000), segments(14..16));
}

/// A sender with `onramp`, which sends trains if an end supports packet pairs.
fn sending_trains(initial_window: u32) -> Script {
    let known = supporting(PacketPair::Answer, Form::Experiment);
    let initial_window = InitialWindow::Segments(initial_window);
    Script::new(Config {
        startup: Some("onramp"),
        initial_window,
        initial_rate: InitialRate::Off,
        ..known
    })
}

#[test]
fn a_train_consists_of_all_full_segments() {
    let mut script = sending_trains(4);
    let sent = [
        "0:1000 first 1",
        "1000:2000 second 1",
        "2000:3000 second 1",
        "3000:4000 second 1",
    ];
    assert_eq!(script.write(100_000), sent);
    assert_eq!(counts(&script).pairs, 3);
    script.now_ns = 200 * MS_NS;
    assert_eq!(
        script.ack(1000),
        ["4000:5000 second 1", "5000:6000 second 1"]
    );
    assert_eq!(
        replied(&mut script, 2000, reply(1, 1)),
        ["6000:7000 second 1", "7000:8000 second 1"]
    );
    // Each segment is answered once, and in order.
    replied(&mut script, 3000, reply(1, 2));
    replied(&mut script, 3000, reply(1, 2));
    assert_eq!((counts(&script).replies, counts(&script).ignored), (2, 1));
}

#[test]
fn a_small_segment_ends_a_train() {
    let mut script = sending_trains(6);
    assert_eq!(
        script.write(2500),
        ["0:1000 first 1", "1000:2000 second 1", "2000:2500"]
    );
    assert_eq!(
        script.write(2000),
        ["2500:3500 first 2", "3500:4500 second 2"]
    );
}

#[test]
fn data_for_one_and_a_half_segments_is_no_pair() {
    let mut script = Script::new(sending(4));
    assert_eq!(script.write(1500), ["0:1000", "1000:1500"]);
    assert_eq!(counts(&script).pairs, 0);
    // The pair is still due.
    assert_eq!(
        script.write(2000),
        ["1500:2500 first 1", "2500:3500 second 1"]
    );
}

#[test]
fn the_last_small_segment_is_never_half_of_a_pair() {
    let mut script = Script::new(sending(3));
    assert_eq!(
        script.write(2001),
        ["0:1000 first 1", "1000:2000 second 1", "2000:2001"]
    );
    let mut script = Script::new(sending(3));
    assert_eq!(script.write(1999), ["0:1000", "1000:1999"]);
}

#[test]
fn a_peers_window_for_one_segment_has_no_pair() {
    let mut script = Script::offered(sending(4), 1999);
    assert_eq!(script.write(100_000), ["0:1000"]);
    script.now_ns = 200 * MS_NS;
    script.window = 2000;
    assert_eq!(
        script.ack(1000),
        ["1000:2000 first 1", "2000:3000 second 1"]
    );
}

/// The data segments of a server of pairs over a path that loses some segments.
fn download_with_losses(lost: &[u64], bytes: u64) -> Vec<Crossing> {
    let client = supporting(PacketPair::Answer, Form::Paper);
    let mut pair = Pair::new(client, sending(4));
    let mut path = |crossing: &Crossing| match crossing.from == End::Server
        && lost.contains(&crossing.number)
    {
        true => vec![],
        false => vec![DELAY_NS],
    };
    pair.download(bytes, 100_000 * MS_NS, &mut path);
    pair.sent_by(End::Server, |transmit| transmit.segment.payload_bytes > 0)
}

#[test]
fn a_retransmitted_segment_is_not_half_of_a_pair() {
    // The losses include the first flight, so that the timer expires, and halves of later pairs.
    let sent = download_with_losses(&[1, 2, 3, 4, 8, 9, 13, 20], 100_000);
    let retransmissions: Vec<_> = sent
        .iter()
        .filter(|crossing| crossing.transmit.retransmission)
        .collect();
    assert!(retransmissions.len() >= 8);
    assert!(retransmissions.iter().all(|crossing| crossing
        .transmit
        .segment
        .options
        .pairs
        .iter()
        .count()
        == 0));
    assert!(sent
        .iter()
        .any(|crossing| crossing.transmit.segment.options.pairs.mark.is_some()));
}

#[test]
fn pairs_are_numbered_and_consist_of_two_consecutive_segments() {
    let sent = download_with_losses(&[30, 31, 77], 300_000);
    let mut marks = Vec::new();
    for (index, crossing) in sent.iter().enumerate() {
        let segment = crossing.transmit.segment;
        let Some(mark) = segment.options.pairs.mark else {
            continue;
        };
        assert_eq!(segment.payload_bytes, 1000);
        if mark.kind == SECOND {
            let before = &sent[index - 1];
            assert_eq!(
                (before.now_ns, before.transmit.segment.seq),
                (crossing.now_ns, segment.seq - 1000)
            );
        }
        marks.push((mark.id, mark.kind));
    }
    let expected: Vec<_> = (1..)
        .flat_map(|id| [(id, FIRST), (id, SECOND)])
        .take(marks.len())
        .collect();
    assert!(marks.len() >= 8);
    assert_eq!(marks, expected);
}

#[test]
fn other_start_ups_send_no_pairs() {
    for startup in onramp_core::startup_names()
        .iter()
        .copied()
        .filter(|&name| !onramp_core::sends_pairs(name))
    {
        let mut script = Script::new(Config {
            startup: Some(startup),
            ..sending(2)
        });
        let sent = script.write(100_000);
        // A start-up that paces the first flight sends its second segment later.
        let is_paced = script.end.pacing_bytes_per_s().is_some();
        assert_eq!(sent, segments(0..if is_paced { 1 } else { 2 }), "{startup}");
    }
    let mut script = Script::new(Config {
        startup: None,
        ..sending(2)
    });
    assert_eq!(script.write(100_000), segments(0..2));
}

/// A sender at 240 ms with a cwnd of eight segments, whose pair had an interval of 40 ms.
fn shaped() -> Script {
    let mut script = Script::new(sending(4));
    script.write(100_000);
    script.now_ns = 200 * MS_NS;
    script.ack(1000);
    script.now_ns = 240 * MS_NS;
    replied(&mut script, 2000, reply(1, 40));
    assert_eq!(script.end.pacing_bytes_per_s(), Some(25_000));
    script
}

#[test]
fn a_pair_takes_one_turn_of_the_leaky_bucket() {
    let mut script = shaped();
    let mut sent = script.until(280);
    script.ack(3000);
    sent.extend(script.until(320));
    script.ack(4000);
    sent.extend(script.until(360));
    script.ack(5000);
    sent.extend(script.until(480));
    let expected = [
        "260 ms: 7000:8000",
        "300 ms: 8000:9000",
        "340 ms: 9000:10000",
        "380 ms: 10000:11000 first 3",
        "380 ms: 11000:12000 second 3",
        "420 ms: 12000:13000",
        "460 ms: 13000:14000",
    ];
    assert_eq!(sent, expected);
}

#[test]
fn after_a_pair_the_bucket_waits_an_interval_even_after_an_idle_time() {
    let mut script = shaped();
    script.until(1000);
    // All segments but the pair are sent one by one; then a pair, and more.
    let sent = script.ack(8000);
    assert_eq!(sent, ["8000:9000 first 3", "9000:10000 second 3"]);
    assert_eq!(script.until(1079), ["1040 ms: 10000:11000"]);
}

/// Figure 5: 100 ms one-way delay, 40 ms per segment, a timer of 200 ms for delayed ACKs, clocks of
/// 10 ms.
fn figure_5() -> Pair {
    let segment = |config: Config| Config {
        mss_bytes: 500 + room_bytes(Form::Paper),
        ..config
    };
    // The ticks are at 300 and 500 ms, 0 and 200 ms after the first data.
    let ticks = Ticks {
        measure_ns: 10 * MS_NS,
        event_ns: 1,
        phase_ns: 100 * MS_NS,
    };
    let answers = supporting(PacketPair::AnswerAtOnce, Form::Paper);
    let client = segment(Config {
        acks: Acks::Bsd,
        ticks,
        ..answers
    });
    let server = segment(Config {
        initial_window: InitialWindow::Segments(1),
        ..sending(1)
    });
    let mut pair = Pair::new(client, server);
    let mut free_ns = 0;
    let mut path = |crossing: &Crossing| {
        let serialised_ns = u64::from(crossing.transmit.segment.payload_bytes) * 80_000;
        free_ns = crossing
            .now_ns
            .max(if serialised_ns > 0 { free_ns } else { 0 })
            + serialised_ns;
        vec![free_ns - crossing.now_ns + 100 * MS_NS]
    };
    pair.download(6500, 100_000 * MS_NS, &mut path);
    pair
}

#[test]
fn the_example_of_figure_5() {
    let pair = figure_5();
    let sent = pair.sent_by(End::Server, |transmit| transmit.segment.payload_bytes > 0);
    let started_ns = sent[0].now_ns;
    let at = |kinds: &[u8]| -> Vec<u64> {
        let is = |crossing: &&Crossing| {
            crossing
                .transmit
                .segment
                .options
                .pairs
                .mark
                .is_some_and(|mark| kinds.contains(&mark.kind))
        };
        sent.iter()
            .filter(is)
            .map(|crossing| (crossing.now_ns - started_ns) / MS_NS)
            .collect()
    };
    assert_eq!(
        (at(&[FIRST]), at(&[SECOND])),
        (vec![300, 540, 780], vec![300, 540, 780])
    );
    let all: Vec<_> = sent
        .iter()
        .map(|crossing| (crossing.now_ns - started_ns) / MS_NS)
        .collect();
    for bucket in [580, 820, 860, 900] {
        assert!(all.contains(&bucket), "{bucket} ms: {all:?}");
    }
    let replies = pair.sent_by(End::Client, |transmit| {
        transmit.segment.options.pairs.reply.is_some()
    });
    let replies: Vec<_> = replies
        .iter()
        .map(|crossing| {
            crossing
                .transmit
                .segment
                .options
                .pairs
                .reply
                .unwrap()
                .interval_ns
        })
        .collect();
    assert!(
        replies.iter().all(|&interval_ns| interval_ns == 40_000_000),
        "{replies:?}"
    );
}

#[test]
fn data_carries_a_mark_or_a_reply_but_never_both() {
    let mut script = Script::new(sending(2));
    // The peer's ACKs are a pair, so a reply is due.
    for mark in [super::first(1), super::second(1)] {
        let options = options(&script, Some(mark), None);
        script.arrives(Segment {
            options,
            ..script.bare(0)
        });
    }
    assert_eq!(script.write(2500), ["0:1000 first 1", "1000:2000 second 1"]);
    script.now_ns = 200 * MS_NS;
    assert_eq!(script.ack(2000), ["2000:2500 reply 1: 0 ms"]);
}
