//! Invalid packet-pair options are counted and change nothing: decisions and segments are the same
//! as without them.

use super::{first, number, reply, second, sending, supporting};
use crate::script::{Script, MS_NS};
use crate::trace::text;
use onramp_core::pairs::{Counts, Form, PairOption, PERMITTED};
use onramp_tcp::wire::options::parse;
use onramp_tcp::{
    Acks, Config, Connection, Flags, Options, PacketPair, PairOptions, Recovery, Segment, Ticks,
};

/// Everything that an end sent and decided.
#[derive(Debug, Default, PartialEq)]
struct Life {
    log: Vec<String>,
    counts: [u32; 5],
}

/// An end whose behaviour is recorded.
struct Observed {
    script: Script,
    log: Vec<String>,
}

impl Observed {
    fn new(config: Config) -> Observed {
        Observed {
            script: Script::new(config),
            log: Vec::new(),
        }
    }

    fn note(&mut self, what: &str) {
        let Script { end, now_ns, .. } = &mut self.script;
        let now_ns = *now_ns;
        while let Some(transmit) = end.poll_transmit(now_ns) {
            self.log
                .push(format!("{now_ns} {what}: {}", text(&transmit)));
        }
        let end: &Connection = end;
        let timer = end.next_timer_ns();
        self.log.push(format!(
            "{:?} {:?} {:?} {timer:?}",
            end.window(),
            end.pacing_bytes_per_s(),
            end.startup()
        ));
    }

    fn until(&mut self, ms: u64) {
        while let Some(at_ns) = self
            .script
            .end
            .next_timer_ns()
            .filter(|&at_ns| at_ns <= ms * MS_NS)
        {
            self.script.now_ns = at_ns;
            self.script.end.on_timer(at_ns);
            self.note("timer");
        }
        self.script.now_ns = ms * MS_NS;
    }

    fn arrives(&mut self, segment: Segment, pairs: PairOptions) {
        let options = Options {
            pairs,
            ..segment.options
        };
        self.script
            .end
            .on_segment(self.script.now_ns, &Segment { options, ..segment });
        self.note("arrival");
    }

    fn lived(self) -> Life {
        let counts = self
            .script
            .end
            .pair_counts()
            .expect("both ends support pairs");
        let Counts {
            pairs,
            answers,
            replies,
            malformed,
            ignored,
            ..
        } = counts;
        Life {
            log: self.log,
            counts: [pairs, answers, replies, malformed, ignored],
        }
    }
}

fn none() -> PairOptions {
    PairOptions::default()
}

fn replied(reply: PairOption) -> PairOptions {
    PairOptions {
        form: Some(Form::Paper),
        reply: Some(reply),
        ..PairOptions::default()
    }
}

fn marked(mark: PairOption) -> PairOptions {
    PairOptions::marked(Form::Paper, mark)
}

/// The pair options of a header, as [`parse`] reads them.
fn read(bytes: &[u8]) -> PairOptions {
    parse(bytes).expect("they can be read").0.pairs
}

/// Where an option is injected.
#[derive(Clone, Copy, PartialEq)]
enum At {
    /// The acknowledgement of the first segment, when a pair is in flight.
    First,
    /// The acknowledgement of the pair, in place of its reply.
    Pair,
    /// The next acknowledgement, after the reply.
    After,
    /// An acknowledgement that a later one has overtaken.
    Overtaken,
    /// An acknowledgement of unsent data.
    NeverSent,
    /// A segment outside the window.
    Outside,
    /// A SYN.
    Syn,
}

/// A sender of four segments and more. Its pair of 100 ms is acknowledged at 200 ms, with its reply
/// unless `slipped` replaces it.
fn sender(config: Config, at: At, slipped: PairOptions) -> Life {
    let mut end = Observed::new(config);
    end.script.end.write(100_000);
    end.note("data");
    let bare = |end: &Observed, ack| end.script.bare(ack);
    let options = |offset, or| if at == offset { slipped } else { or };
    end.until(200);
    end.arrives(bare(&end, 1000), options(At::First, none()));
    let honest = if at == At::Pair {
        none()
    } else {
        replied(reply(1, 40))
    };
    end.until(240);
    end.arrives(bare(&end, 2000), options(At::Pair, honest));
    end.until(280);
    end.arrives(bare(&end, 3000), options(At::After, none()));
    // With another window, so that none is a duplicate.
    end.script.window -= 1;
    end.arrives(bare(&end, 2000), options(At::Overtaken, none()));
    end.until(290);
    end.arrives(bare(&end, 90_000), options(At::NeverSent, none()));
    let outside = Segment {
        seq: number(1 << 20),
        payload_bytes: 10,
        ..bare(&end, 3000)
    };
    end.arrives(outside, options(At::Outside, none()));
    let syn = Segment {
        flags: Flags::SYN.with(Flags::ACK),
        ..bare(&end, 3000)
    };
    end.arrives(syn, options(At::Syn, none()));
    for ack in 4..12 {
        end.until(200 + 40 * ack as u64);
        end.arrives(bare(&end, 1000 * ack), none());
    }
    end.until(3000);
    end.lived()
}

/// Checks that these options change nothing, and how often they count as malformed and as ignored.
#[track_caller]
fn ignores(at: At, slipped: PairOptions, malformed: u32, ignored: u32) {
    let expected = sender(sending(4), at, none());
    let found = sender(sending(4), at, slipped);
    assert_eq!(found.log, expected.log);
    let [pairs, answers, replies, ..] = expected.counts;
    assert_eq!(
        (found.counts, pairs > 2),
        ([pairs, answers, replies, malformed, ignored], true)
    );
}

#[test]
fn a_changed_reply_changes_the_log() {
    let honest = sender(sending(4), At::After, none());
    assert_ne!(sender(sending(4), At::Pair, none()).log, honest.log);
    assert_eq!(sender(sending(4), At::Pair, replied(reply(1, 40))), honest);
    assert_ne!(
        sender(sending(4), At::Pair, replied(reply(1, 50))).log,
        honest.log
    );
    assert_eq!(honest.counts[2..], [1, 0, 0]);
}

#[test]
fn a_reply_to_a_pair_that_was_not_sent_is_ignored() {
    for id in [0, 2, 3, 9, 255] {
        ignores(At::Pair, replied(reply(id, 40)), 0, 1);
    }
}

#[test]
fn a_reply_before_its_data_is_acknowledged_is_ignored() {
    ignores(At::First, replied(reply(1, 40)), 0, 1);
}

#[test]
fn a_reply_longer_than_the_time_since_the_pair_is_ignored() {
    ignores(At::Pair, replied(reply(1, 141)), 0, 1);
    ignores(At::Pair, replied(PairOption::reply(1, u32::MAX)), 0, 1);
    assert_eq!(
        sender(sending(4), At::Pair, replied(reply(1, 140))).counts[2..],
        [1, 0, 0]
    );
}

#[test]
fn a_repeated_reply_is_ignored_whatever_its_interval() {
    ignores(At::After, replied(reply(1, 40)), 0, 1);
    ignores(At::After, replied(reply(1, 20)), 0, 1);
}

#[test]
fn a_reply_of_zero_changes_nothing() {
    // It is a valid reply: the clock did not tick between the two arrivals.
    ignores(At::Pair, replied(reply(1, 0)), 0, 0);
}

#[test]
fn a_reply_on_an_unacceptable_segment_is_ignored() {
    ignores(At::Outside, replied(reply(2, 40)), 0, 1);
    ignores(
        At::Outside,
        PairOptions {
            mark: Some(first(1)),
            ..replied(reply(2, 40))
        },
        0,
        2,
    );
}

#[test]
fn a_reply_on_an_invalid_ack_is_ignored() {
    ignores(At::NeverSent, replied(reply(2, 40)), 0, 1);
    ignores(
        At::NeverSent,
        PairOptions {
            mark: Some(first(1)),
            malformed: 1,
            ..replied(reply(2, 40))
        },
        1,
        2,
    );
    ignores(At::Overtaken, replied(reply(1, 20)), 0, 1);
    ignores(
        At::Overtaken,
        PairOptions {
            malformed: 1,
            ..replied(reply(9, 20))
        },
        1,
        1,
    );
}

#[test]
fn pairs_on_another_syn_are_ignored() {
    ignores(At::Syn, replied(reply(2, 40)), 0, 1);
    ignores(
        At::Syn,
        PairOptions {
            malformed: 1,
            ..marked(PairOption::of(PERMITTED, 0))
        },
        1,
        1,
    );
}

#[test]
fn a_malformed_reply_is_counted() {
    for bytes in [
        // With the length of a mark, too long, without the interval's second half, of another type,
        // and RFC 1072's echo.
        &[6, 4, 3, 1][..],
        &[6, 8, 3, 1, 0, 4, 0, 0],
        &[6, 5, 3, 1, 0],
        &[6, 6, 4, 1, 0, 4],
        &[6, 6, 0x12, 0x34, 0x56, 0x78],
        &[6, 2],
        &[6, 3, 3],
    ] {
        let kinds = read(bytes);
        let malformed = u32::from(kinds.malformed);
        // Fewer than four bytes are another option.
        assert_eq!(malformed, u32::from(bytes.len() > 3), "{bytes:?}");
        ignores(At::Pair, kinds, malformed, 0);
    }
    assert!(
        parse(&[6, 6, 3, 1, 0]).is_err(),
        "an option that is cut off invalidates the segment"
    );
}

#[test]
fn options_of_the_other_form_are_different_options() {
    let reply = PairOptions {
        form: Some(Form::Experiment),
        ..replied(reply(1, 40))
    };
    ignores(At::Pair, reply, 0, 0);
    ignores(At::Pair, read(&[253, 4, 0x4f, 0x52]), 0, 0);
    ignores(
        At::Pair,
        read(&[253, 10, 0x4f, 0x53, 3, 1, 2, 98, 90, 0]),
        0,
        0,
    );
}

#[test]
fn the_first_of_two_replies_counts() {
    let two = read(&[6, 6, 3, 1, 0, 4, 6, 6, 3, 1, 0, 2]);
    assert_eq!(
        sender(sending(4), At::Pair, two),
        sender(sending(4), At::After, none())
    );
}

/// An honest reply of 40 ms, 140 ms after its pair. Both are less than a tick of the clock.
#[test]
fn a_coarse_clock_accepts_an_honest_reply() {
    let ticks = Ticks {
        measure_ns: 500 * MS_NS,
        event_ns: 1,
        phase_ns: 0,
    };
    let counts = sender(
        Config {
            ticks,
            ..sending(4)
        },
        At::After,
        none(),
    )
    .counts;
    assert_eq!(counts[2..], [1, 0, 0]);
}

/// A receiver of 500-byte segments every 10 ms, each at its index and with these options.
fn receiver(packet_pair: PacketPair, arrivals: &[(i64, PairOptions)]) -> Life {
    let recovery = Recovery::Sack;
    let mut end = Observed::new(Config {
        acks: Acks::Delayed,
        recovery,
        ..supporting(packet_pair, Form::Paper)
    });
    for &(offset, pairs) in arrivals {
        end.until(end.script.now_ns / MS_NS + 10);
        let segment = Segment {
            seq: number(500 * offset),
            payload_bytes: 500,
            ..end.script.bare(0)
        };
        end.arrives(segment, pairs);
    }
    end.until(3000);
    end.lived()
}

/// Checks that the options of the segments with these indices are counted and change nothing.
#[track_caller]
fn receiver_ignores(arrivals: &[(i64, PairOptions)], ignored: &[usize]) {
    for packet_pair in [
        PacketPair::Answer,
        PacketPair::AnswerAtOnce,
        PacketPair::Probe,
    ] {
        let mut without = arrivals.to_vec();
        ignored.iter().for_each(|&index| without[index].1 = none());
        let expected = receiver(packet_pair, &without);
        let found = receiver(packet_pair, arrivals);
        assert_eq!(found.log, expected.log, "{packet_pair:?}");
        let [pairs, answers, replies, ..] = expected.counts;
        assert_eq!(
            found.counts,
            [pairs, answers, replies, 0, ignored.len() as u32],
            "{packet_pair:?}"
        );
    }
}

#[test]
fn a_second_without_its_first_is_ignored() {
    receiver_ignores(&[(0, none()), (1, marked(second(1))), (2, none())], &[1]);
    receiver_ignores(
        &[(0, marked(first(1))), (1, marked(second(2))), (2, none())],
        &[1],
    );
}

#[test]
fn a_second_that_does_not_follow_its_first_is_ignored() {
    receiver_ignores(
        &[
            (0, marked(first(1))),
            (1, none()),
            (2, marked(second(1))),
            (3, none()),
        ],
        &[2],
    );
}

#[test]
fn halves_that_arrive_twice_are_ignored() {
    let arrivals = [
        (0, marked(first(1))),
        (1, marked(second(1))),
        (0, marked(first(1))),
        (1, marked(second(1))),
        (2, marked(first(1))),
    ];
    receiver_ignores(&arrivals, &[2, 3, 4]);
}

#[test]
fn a_repeated_first_does_not_move_the_start_of_the_interval() {
    receiver_ignores(
        &[
            (0, marked(first(1))),
            (0, marked(first(1))),
            (1, marked(second(1))),
        ],
        &[1],
    );
}

#[test]
fn permitted_on_data_is_ignored() {
    receiver_ignores(
        &[(0, marked(PairOption::of(PERMITTED, 1))), (1, none())],
        &[0],
    );
}

#[test]
fn halves_outside_the_window_are_ignored() {
    let arrivals = [
        (0, none()),
        (1000, marked(first(1))),
        (1001, marked(second(1))),
        (1, none()),
    ];
    receiver_ignores(&arrivals, &[1, 2]);
}

#[test]
fn malformed_halves_are_counted() {
    for bytes in [&[6, 4, 9, 1][..], &[6, 6, 1, 1, 0, 0], &[6, 5, 2, 1, 0]] {
        let arrivals = [(0, read(bytes)), (1, read(bytes)), (2, none())];
        let expected = receiver(PacketPair::Probe, &[(0, none()), (1, none()), (2, none())]);
        let found = receiver(PacketPair::Probe, &arrivals);
        assert_eq!((found.log, found.counts), (expected.log, [0, 0, 0, 2, 0]));
    }
}

#[test]
fn replies_do_not_stretch_the_acks_of_an_end_that_sent_no_pair() {
    let arrivals: Vec<_> = (0..12)
        .map(|offset| (offset, replied(reply(offset as u8, 400))))
        .collect();
    let indices: Vec<_> = (0..12).collect();
    receiver_ignores(&arrivals, &indices);
}

#[test]
fn a_reset_is_accepted_with_any_options() {
    let mut end = Observed::new(sending(4));
    let reset = Segment {
        flags: Flags::RST,
        ..end.script.bare(0)
    };
    end.arrives(
        reset,
        PairOptions {
            mark: Some(first(1)),
            malformed: 3,
            ..replied(reply(1, 40))
        },
    );
    assert_eq!(end.script.end.failure(), Some(onramp_tcp::Failure::Reset));
}
