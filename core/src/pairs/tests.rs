use super::*;
use proptest::prelude::*;

const MS_NS: u64 = 1_000_000;

fn bytes_of(option: PairOption, form: Form) -> Vec<u8> {
    let mut bytes = Vec::new();
    option.write(form, &mut bytes);
    assert_eq!(bytes.len(), option.wire_bytes(form) as usize);
    bytes
}

/// Figures 2 to 4.
#[test]
fn the_papers_form() {
    assert_eq!(
        bytes_of(PairOption::of(FIRST, 9), Form::Paper),
        [6, 4, 1, 9]
    );
    assert_eq!(
        bytes_of(PairOption::of(SECOND, 9), Form::Paper),
        [6, 4, 2, 9]
    );
    // 40 ms are a timer value of 4, and so is what is less than 50 (figure 5).
    assert_eq!(
        bytes_of(PairOption::reply(9, 49_000_000), Form::Paper),
        [6, 6, 3, 9, 0, 4]
    );
}

/// 65,535 ticks are 655 s, and the record holds 4.29 s.
#[test]
fn the_longest_reply_of_the_papers_form_is_written_as_it_was_read() {
    let Reading::Read(reply) = PairOption::read(&[6, 6, 3, 9, 0xff, 0xff], Form::Paper) else {
        panic!("a reply")
    };
    assert_eq!(reply, PairOption::reply(9, 4_290_000_000));
    assert_eq!(bytes_of(reply, Form::Paper), [6, 6, 3, 9, 1, 0xad]);
}

/// RFC 6994, section 3.
#[test]
fn the_form_of_an_experiment() {
    assert_eq!(
        bytes_of(PairOption::of(PERMITTED, 0), Form::Experiment),
        [253, 6, 0x4f, 0x52, 0, 0]
    );
    let reply = PairOption::reply(7, 0x0102_0304);
    assert_eq!(
        bytes_of(reply, Form::Experiment),
        [253, 10, 0x4f, 0x52, 3, 7, 1, 2, 3, 4]
    );
}

#[test]
fn another_experiment_and_another_kind_are_not_ours() {
    assert_eq!(
        PairOption::read(&[253, 6, 0x4f, 0x53, 1, 1], Form::Experiment),
        Reading::Other
    );
    assert_eq!(
        PairOption::read(&[254, 6, 0x4f, 0x52, 1, 1], Form::Experiment),
        Reading::Other
    );
    assert_eq!(
        PairOption::read(&[253, 3, 0x4f], Form::Experiment),
        Reading::Other
    );
    assert_eq!(
        PairOption::read(&[253, 6, 0x4f, 0x52, 1, 1], Form::Paper),
        Reading::Other
    );
    // An echo of RFC 1072 has the paper's kind, and the length of a reply.
    assert_eq!(
        PairOption::read(&[6, 6, 1, 2, 3, 4], Form::Paper),
        Reading::Malformed
    );
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        kind in PERMITTED..=REPLY,
        id in any::<u8>(),
        interval_ns in any::<u32>(),
        form in prop::sample::select(Form::ALL.to_vec()),
    ) {
        let unit_ns = if form == Form::Paper { 10_000_000 } else { 1 };
        let option = if kind == REPLY {
            PairOption::reply(id, interval_ns)
        } else {
            PairOption::of(kind, id)
        };
        let expected = PairOption {
            interval_ns: option.interval_ns / unit_ns * unit_ns,
            ..option
        };
        prop_assert_eq!(
            PairOption::read(&bytes_of(option, form), form),
            Reading::Read(expected)
        );
    }

    #[test]
    fn every_other_length_of_ours_is_malformed(
        kind in PERMITTED..=REPLY,
        length in 0..=255u8,
        form in prop::sample::select(Form::ALL.to_vec()),
        cut in 4..=MAX_BYTES,
    ) {
        let mut bytes = bytes_of(PairOption::of(kind, 1), form);
        let is_whole = cut >= bytes.len() && length == bytes.len() as u8;
        bytes[1] = length;
        bytes.truncate(cut);
        prop_assert_eq!(
            matches!(PairOption::read(&bytes, form), Reading::Read(_)),
            is_whole
        );
    }

    #[test]
    fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        for form in Form::ALL {
            PairOption::read(&bytes, form);
        }
    }

    /// For any replies in any order, each pair gives at most one interval, and the interval is
    /// possible.
    #[test]
    fn no_reply_counts_twice_nor_says_more_than_has_passed(
        events in prop::collection::vec(
            (0..4u8, 0..4u8, 0..200_000_000u32, 0..50_000_000u64),
            1..200,
        ),
        is_train in any::<bool>(),
    ) {
        let (mut probe, mut counts, mut now_ns, mut seq) =
            (Probe::default(), Counts::default(), 1_000_000_000, 0u32);
        for (what, id, interval_ns, pause_ns) in events {
            now_ns += pause_ns;
            match what {
                0 => {
                    probe.send_first(now_ns, seq.wrapping_add(1000));
                    seq = seq.wrapping_add(1000);
                }
                1 => {
                    probe.send_second(&mut counts, now_ns, seq, seq.wrapping_add(1000), is_train);
                    seq = seq.wrapping_add(1000);
                }
                _ => {
                    let taken = probe.replied(
                        &mut counts,
                        &PairOption::reply(id, interval_ns),
                        now_ns,
                        seq,
                    );
                    prop_assert!(taken.is_none_or(|taken| taken.interval_ns == interval_ns.max(1)));
                    prop_assert!(taken.is_none_or(
                        |taken| u64::from(taken.interval_ns) <= now_ns && taken.bytes <= seq
                    ));
                }
            }
            prop_assert!(counts.replies <= counts.pairs);
        }
    }
}

/// Two segments of 1000 bytes from 5000 on arrive. Returns the meter's reply to the second.
fn measured(meter: &mut Meter, counts: &mut Counts, id: u8, apart_ns: u64) -> Option<PairOption> {
    assert_eq!(
        meter.arrived(counts, &PairOption::of(FIRST, id), MS_NS, 5000, 6000),
        None
    );
    meter.arrived(
        counts,
        &PairOption::of(SECOND, id),
        MS_NS + apart_ns,
        6000,
        7000,
    )
}

#[test]
fn a_pair_is_measured_from_first_to_second() {
    let (mut meter, mut counts) = (Meter::default(), Counts::default());
    assert_eq!(
        measured(&mut meter, &mut counts, 1, 40 * MS_NS),
        Some(PairOption::reply(1, 40_000_000))
    );
    // An interval that the field cannot hold becomes the longest that it can.
    assert_eq!(
        measured(&mut meter, &mut counts, 2, 1 << 40),
        Some(PairOption::reply(2, u32::MAX))
    );
    assert_eq!((counts.answers, counts.ignored), (2, 0));
}

#[test]
fn a_second_without_its_first_is_ignored() {
    let (mut meter, mut counts) = (Meter::default(), Counts::default());
    let second = |id| PairOption::of(SECOND, id);
    // No first segment; that of another pair; one that the second does not follow; a repetition.
    assert_eq!(
        meter.arrived(&mut counts, &second(1), MS_NS, 6000, 7000),
        None
    );
    assert_eq!(
        meter.arrived(&mut counts, &PairOption::of(FIRST, 1), MS_NS, 5000, 6000),
        None
    );
    assert_eq!(
        meter.arrived(&mut counts, &second(2), MS_NS, 6000, 7000),
        None
    );
    assert_eq!(
        meter.arrived(&mut counts, &second(1), MS_NS, 7000, 8000),
        None
    );
    assert!(meter
        .arrived(&mut counts, &second(1), MS_NS, 6000, 7000)
        .is_some());
    assert_eq!(
        meter.arrived(&mut counts, &second(1), MS_NS, 6000, 7000),
        None
    );
    assert_eq!((counts.answers, counts.ignored), (1, 4));
}

#[test]
fn a_first_that_is_repeated_does_not_move_the_beginning() {
    let (mut meter, mut counts) = (Meter::default(), Counts::default());
    let first = PairOption::of(FIRST, 1);
    assert_eq!(
        meter.arrived(&mut counts, &first, 10 * MS_NS, 5000, 6000),
        None
    );
    assert_eq!(
        meter.arrived(&mut counts, &first, 20 * MS_NS, 5000, 6000),
        None
    );
    let reply = meter.arrived(
        &mut counts,
        &PairOption::of(SECOND, 1),
        30 * MS_NS,
        6000,
        7000,
    );
    assert_eq!(reply, Some(PairOption::reply(1, 20_000_000)));
    assert_eq!(counts.ignored, 1);
}

/// A probe whose first pair left at 1 s, `apart_ns` apart, up to sequence number 2000.
fn sent(apart_ns: u64) -> (Probe, Counts) {
    let (mut probe, mut counts) = (Probe::default(), Counts::default());
    assert_eq!(
        probe.send_first(1000 * MS_NS, 1000),
        PairOption::of(FIRST, 1)
    );
    let second = probe.send_second(&mut counts, 1000 * MS_NS + apart_ns, 1000, 2000, false);
    assert_eq!((second, counts.pairs), (Some(PairOption::of(SECOND, 1)), 1));
    (probe, counts)
}

#[test]
fn a_reply_is_taken_once() {
    let (mut probe, mut counts) = sent(0);
    let reply = PairOption::reply(1, 40_000_000);
    assert_eq!(
        probe.replied(&mut counts, &reply, 1300 * MS_NS, 2000),
        Some(Report {
            interval_ns: 40_000_000,
            bytes: 1000
        })
    );
    assert_eq!(probe.replied(&mut counts, &reply, 1300 * MS_NS, 2000), None);
    assert_eq!((counts.replies, counts.ignored), (1, 1));
}

#[test]
fn a_forged_reply_is_ignored() {
    let (mut probe, mut counts) = sent(0);
    let reply = PairOption::reply(1, 40_000_000);
    // To another pair; before the pair has been acknowledged; of more than has passed since.
    assert_eq!(
        probe.replied(
            &mut counts,
            &PairOption { id: 3, ..reply },
            1300 * MS_NS,
            2000
        ),
        None
    );
    assert_eq!(probe.replied(&mut counts, &reply, 1300 * MS_NS, 1999), None);
    assert_eq!(probe.replied(&mut counts, &reply, 1039 * MS_NS, 2000), None);
    assert_eq!((counts.replies, counts.ignored), (0, 3));
    assert!(
        probe
            .replied(&mut counts, &reply, 1040 * MS_NS, 2000)
            .is_some(),
        "the pair still waits for its reply"
    );
}

#[test]
fn what_the_sender_itself_spaced_gives_no_rate() {
    let (mut probe, mut counts) = sent(20 * MS_NS);
    assert_eq!(
        probe.replied(
            &mut counts,
            &PairOption::reply(1, 40_000_000),
            1300 * MS_NS,
            2000
        ),
        None
    );
    let (mut probe, _) = sent(19 * MS_NS);
    assert_eq!(
        probe.replied(
            &mut counts,
            &PairOption::reply(1, 40_000_000),
            1300 * MS_NS,
            2000
        ),
        Some(Report {
            interval_ns: 40_000_000,
            bytes: 1000
        })
    );
}

#[test]
fn a_pair_is_two_segments_that_follow_one_another() {
    let (mut probe, mut counts) = (Probe::default(), Counts::default());
    assert_eq!(probe.send_second(&mut counts, 0, 0, 1000, false), None);
    probe.send_first(0, 1000);
    assert_eq!(probe.send_second(&mut counts, 0, 2000, 3000, false), None);
    assert_eq!(
        probe.send_second(&mut counts, 0, 1000, 2000, false),
        None,
        "what came between ended it"
    );
    assert_eq!(counts, Counts::default());
}

/// A train of this many segments of 1000 bytes that left together at 1 s, from 0 on.
fn train_sent(segments: u32) -> (Probe, Counts) {
    let (mut probe, mut counts) = (Probe::default(), Counts::default());
    probe.send_first(1000 * MS_NS, 1000);
    for n in 1..segments {
        let second = probe.send_second(&mut counts, 1000 * MS_NS, 1000 * n, 1000 * (n + 1), true);
        assert_eq!(
            second,
            Some(PairOption::of(SECOND, 1)),
            "all have the first one's id"
        );
    }
    assert_eq!(counts.pairs, segments - 1);
    (probe, counts)
}

#[test]
fn each_reply_to_a_train_tells_when_what_it_acknowledges_arrived() {
    let (mut probe, mut counts) = train_sent(4);
    let mut reply =
        |ns, ack| probe.replied(&mut counts, &PairOption::reply(1, ns), 1300 * MS_NS, ack);
    let report = |interval_ns, bytes| Some(Report { interval_ns, bytes });
    assert_eq!(reply(40_000_000, 2000), report(40_000_000, 1000));
    assert_eq!(reply(40_000_000, 2000), None, "it comes again");
    assert_eq!(reply(41_000_000, 3000), report(41_000_000, 2000));
    assert_eq!(reply(40_000_000, 2000), None, "it has been overtaken");
    // Segments behind the train are no part of it.
    assert_eq!(reply(80_000_000, 9000), report(80_000_000, 3000));
    assert_eq!((counts.replies, counts.ignored), (3, 2));
}

/// A large packet that is cut up later has the option on each of its segments.
#[test]
fn replies_may_acknowledge_a_part_of_what_left_in_one_packet() {
    let (mut probe, mut counts) = (Probe::default(), Counts::default());
    probe.send_first(1000 * MS_NS, 1000);
    assert!(probe
        .send_second(&mut counts, 1000 * MS_NS, 1000, 9000, true)
        .is_some());
    for n in 2..=9 {
        let report = probe.replied(
            &mut counts,
            &PairOption::reply(1, 1000 * n),
            1300 * MS_NS,
            1000 * n,
        );
        assert_eq!(
            report,
            Some(Report {
                interval_ns: 1000 * n,
                bytes: 1000 * (n - 1)
            })
        );
    }
}

#[test]
fn segments_of_a_train_may_arrive_together_and_one_that_arrives_too_late_gives_no_rate() {
    let (mut probe, mut counts) = train_sent(4);
    let mut reply =
        |ns, ack| probe.replied(&mut counts, &PairOption::reply(1, ns), 9000 * MS_NS, ack);
    assert_eq!(
        reply(0, 2000),
        Some(Report {
            interval_ns: 1,
            bytes: 1000
        })
    );
    assert_eq!(reply(u32::MAX, 3000), None);
    assert_eq!(counts.ignored, 0);
}

#[test]
fn a_train_ends_with_what_comes_between_and_the_next_has_another_id() {
    let (mut probe, mut counts) = train_sent(3);
    assert_eq!(
        probe.send_second(&mut counts, 1000 * MS_NS, 3500, 4500, true),
        None
    );
    assert_eq!(
        probe.send_first(1000 * MS_NS, 4500),
        PairOption::of(FIRST, 2)
    );
    assert!(probe
        .send_second(&mut counts, 1000 * MS_NS, 4500, 5500, true)
        .is_some());
    let reply = |id| PairOption::reply(id, 40_000_000);
    // Both wait for replies.
    assert!(probe
        .replied(&mut counts, &reply(1), 1300 * MS_NS, 2000)
        .is_some());
    let report = probe.replied(&mut counts, &reply(2), 1300 * MS_NS, 5500);
    assert_eq!(
        report,
        Some(Report {
            interval_ns: 40_000_000,
            bytes: 1000
        })
    );
}

#[test]
fn a_train_is_replied_to_often_at_first_and_seldom_later() {
    let (mut meter, mut counts) = (Meter::default(), Counts::default());
    assert_eq!(
        meter.arrived(&mut counts, &PairOption::of(FIRST, 1), MS_NS, 0, 1000),
        None
    );
    let replied = |n: &u32| {
        let now_ns = MS_NS + u64::from(*n) * 1000;
        let reply = meter.arrived(
            &mut counts,
            &PairOption::of(SECOND, 1),
            now_ns,
            1000 * n,
            1000 * (n + 1),
        );
        assert!(
            reply.is_none_or(|reply| reply == PairOption::reply(1, n * 1000)),
            "since the first: {reply:?}"
        );
        reply.is_some()
    };
    let replied: Vec<u32> = (1..1000).filter(replied).collect();
    assert_eq!(replied[..32], Vec::from_iter(1..=32));
    assert_eq!(replied[32..], Vec::from_iter((40..1000).step_by(8)));
    assert_eq!(
        (counts.answers as usize, counts.ignored),
        (replied.len(), 0)
    );
}
