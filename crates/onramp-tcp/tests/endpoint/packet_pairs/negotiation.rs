//! Negotiation of packet pairs, and the space that they take. "permitted" is not in the paper,
//! whose two ends are configured.

use super::{first, second, sending, supporting};
use crate::pair::{clean, Crossing, End, Log, Pair, DELAY_NS};
use crate::script::{plain, Script, MS_NS};
use onramp_core::pairs::{Form, PairOption, PERMITTED};
use onramp_tcp::wire::{self, Endpoints, MAX_OPTION_BYTES};
use onramp_tcp::{
    Config, Connection, Flags, IpVersion, Options, PacketPair, PairOptions, Recovery, Segment,
    Stack, State,
};

fn permitted(form: Form) -> PairOptions {
    PairOptions::marked(form, PairOption::of(PERMITTED, 0))
}

/// A peer without support of pairs, with the MSS of [`supporting`] in the paper's form.
fn ignorant() -> Config {
    Config {
        packet_pair: PacketPair::None,
        ..supporting(PacketPair::None, Form::Paper)
    }
}

/// A download of 50 kB from the server.
fn download(client: Config, server: Config) -> Pair {
    let mut pair = Pair::new(client, server);
    pair.download(50_000, 100_000 * MS_NS, &mut clean);
    pair
}

/// Segments without their packet pairs, and when they were sent.
fn without_pairs(log: &Log) -> Vec<(u64, End, Segment)> {
    let without = |crossing: &Crossing| {
        let segment = crossing.transmit.segment;
        let options = Options {
            pairs: PairOptions::default(),
            ..segment.options
        };
        (
            crossing.now_ns,
            crossing.from,
            Segment { options, ..segment },
        )
    };
    log.iter().map(without).collect()
}

#[test]
fn a_syn_and_its_answer_have_permitted_if_both_ends_support_pairs() {
    for form in Form::ALL {
        for &packet_pair in &PacketPair::ALL[1..] {
            let pair = download(
                supporting(packet_pair, form),
                Config {
                    pair_form: form,
                    ..sending(4)
                },
            );
            let syns = &pair.log[..2];
            assert!(syns
                .iter()
                .all(|crossing| crossing.transmit.segment.options.pairs == permitted(form)));
            let has_permitted = |crossing: &Crossing| {
                crossing.transmit.segment.options.pairs.mark == permitted(form).mark
            };
            assert!(!pair.log[2..].iter().any(has_permitted));
            assert!(pair.client.pair_counts().expect("negotiated").answers > 0);
        }
    }
}

#[test]
fn a_retransmitted_syn_has_permitted_again() {
    let mut pair = Pair::new(supporting(PacketPair::Answer, Form::Paper), sending(4));
    let mut path = |crossing: &Crossing| match crossing.number {
        0 => vec![],
        _ => vec![DELAY_NS],
    };
    pair.download(5000, 100_000 * MS_NS, &mut path);
    let is_syn = |crossing: &&Crossing| crossing.transmit.segment.flags.has(Flags::SYN);
    let syns: Vec<_> = pair.log.iter().filter(is_syn).collect();
    assert!(syns.len() >= 4);
    assert!(syns
        .iter()
        .all(|syn| syn.transmit.segment.options.pairs == permitted(Form::Paper)));
    assert!(pair.client.pair_counts().is_some());
}

#[test]
fn a_simultaneous_open_negotiates_pairs_too() {
    let config = supporting(PacketPair::Answer, Form::Experiment);
    let mut ends = [0, 1].map(|_| Connection::connect(config.clone(), 0));
    for round in 1..=3 {
        let sent = ends.each_mut().map(|end| end.poll_transmit(round * MS_NS));
        for (from, transmit) in sent.into_iter().enumerate() {
            if let Some(transmit) = transmit {
                ends[1 - from].on_segment((round + 1) * MS_NS, &transmit.segment);
            }
        }
    }
    for end in &ends {
        assert_eq!(
            (end.state(), end.pair_counts().is_some()),
            (State::Established, true)
        );
    }
}

#[test]
fn with_a_peer_that_does_not_support_pairs_nothing_changes() {
    let unaware = Config {
        packet_pair: PacketPair::None,
        ..sending(4)
    };
    let expected = without_pairs(&download(ignorant(), unaware.clone()).log);
    assert!(
        expected
            .iter()
            .any(|(_, _, segment)| segment.payload_bytes == 1008),
        "full segments are full"
    );
    for (client, server) in [
        (ignorant(), sending(4)),
        (supporting(PacketPair::Probe, Form::Paper), unaware),
        // The other form is a different option.
        (
            supporting(PacketPair::Probe, Form::Paper),
            Config {
                pair_form: Form::Experiment,
                ..sending(4)
            },
        ),
    ] {
        let client = Config {
            mss_bytes: 1008,
            ..client
        };
        let server = Config {
            mss_bytes: 1008,
            ..server
        };
        let supports_pairs = client.packet_pair != PacketPair::None;
        let pair = download(client, server);
        // Except for the option on the SYN.
        assert_eq!(
            pair.log[0].transmit.segment.options.pairs.form.is_some(),
            supports_pairs
        );
        assert!(pair.log[1..]
            .iter()
            .all(|crossing| crossing.transmit.segment.options.pairs == PairOptions::default()));
        assert_eq!(without_pairs(&pair.log), expected);
        let server = pair.server.expect("the server was connected");
        assert_eq!(
            (pair.client.pair_counts(), server.pair_counts()),
            (None, None)
        );
    }
}

#[test]
fn an_option_that_was_not_offered_is_not_negotiated() {
    let mut end = Connection::connect(plain(Recovery::NewReno), 0);
    end.poll_transmit(0);
    let options = Options {
        mss: Some(1000),
        pairs: permitted(Form::Experiment),
        ..Options::default()
    };
    let flags = Flags::SYN.with(Flags::ACK);
    end.on_segment(
        MS_NS,
        &Segment {
            seq: 0,
            ack: 1,
            window: 5000,
            flags,
            options,
            ..Segment::default()
        },
    );
    assert_eq!(
        (end.state(), end.pair_counts(), end.window().mss_bytes),
        (State::Established, None, 1000)
    );
}

#[test]
fn only_permitted_negotiates_pairs() {
    let malformed = PairOptions {
        form: Some(Form::Paper),
        malformed: 1,
        ..PairOptions::default()
    };
    let reply = PairOptions {
        reply: Some(PairOption::reply(1, 1)),
        ..PairOptions::marked(Form::Paper, second(1))
    };
    for pairs in [malformed, reply, PairOptions::marked(Form::Paper, first(0))] {
        let options = Options {
            mss: Some(1008),
            pairs,
            ..Options::default()
        };
        let syn = Segment {
            window: 5000,
            flags: Flags::SYN,
            options,
            ..Segment::default()
        };
        let mut end = Connection::accept(sending(4), 0, &syn);
        let answer = end.poll_transmit(0).expect("a SYN-ACK").segment;
        assert_eq!(
            (answer.options.pairs, end.pair_counts()),
            (PairOptions::default(), None)
        );
    }
}

#[test]
fn the_mss_leaves_space_for_the_longest_option() {
    for (form, timestamps, expected) in [
        (Form::Paper, false, 1460 - 8),
        (Form::Paper, true, 1460 - 8 - 12),
        (Form::Experiment, false, 1460 - 12),
        (Form::Experiment, true, 1460 - 12 - 12),
    ] {
        let config = Config {
            mss_bytes: 1460,
            timestamps,
            ..supporting(PacketPair::Answer, form)
        };
        assert_eq!(
            Script::new(config).end.window().mss_bytes,
            expected,
            "{form:?} {timestamps}"
        );
    }
}

/// Segments of two probing ends over a path with losses and delays: data in one direction, then in
/// both.
fn lossy(form: Form, timestamps: bool) -> Log {
    let config = Config {
        startup: Some("pair"),
        packet_pair: PacketPair::Probe,
        pair_form: form,
        timestamps,
        ..Config::of(Stack::Linux, 1500)
    };
    // At most what fits into the server's receive buffer, which nobody reads.
    let sent = [0, 50_000].map(|client_bytes| {
        let mut pair = Pair::new(config.clone(), config.clone());
        let mut path = |crossing: &Crossing| match crossing.number % 31 {
            17 | 19 | 23 => vec![],
            29 => vec![DELAY_NS, 2 * DELAY_NS],
            number => vec![DELAY_NS + number * MS_NS / 10],
        };
        pair.client.write(client_bytes);
        pair.download(400_000, 1_000_000 * MS_NS, &mut path);
        pair.log
    });
    sent.concat()
}

#[test]
fn no_packet_exceeds_the_mtu_and_no_options_exceed_40_bytes() {
    let endpoints = Endpoints {
        source: "10.0.0.1:1".parse().unwrap(),
        destination: "10.0.0.2:2".parse().unwrap(),
    };
    for form in Form::ALL {
        for timestamps in [false, true] {
            let log = lossy(form, timestamps);
            for crossing in &log {
                let segment = crossing.transmit.segment;
                assert!(segment.wire_bytes(IpVersion::V4) <= 1500, "{segment:?}");
                assert!(
                    segment.options.wire_bytes() <= MAX_OPTION_BYTES as u32,
                    "{segment:?}"
                );
                let mut packet = Vec::new();
                wire::write(&segment, &endpoints, 0, |_| {}, &mut packet).expect("it fits");
                assert_eq!(
                    wire::parse(&packet).expect("it is whole").segment.options,
                    segment.options
                );
            }
            let has = |is: fn(&Options) -> bool| {
                log.iter()
                    .any(|crossing| is(&crossing.transmit.segment.options))
            };
            assert!(has(
                |options| options.pairs.reply.is_some() && options.pairs.mark.is_some()
            ));
            assert!(has(
                |options| options.pairs.reply.is_some() && !options.sack.is_empty()
            ));
            assert!(log
                .iter()
                .any(|crossing| crossing.transmit.segment.wire_bytes(IpVersion::V4) >= 1500 - 12));
        }
    }
}

/// Timestamps, a reply, half of a pair, and as many SACK blocks as fit.
#[test]
fn sack_blocks_use_what_pairs_leave_of_the_40_bytes() {
    for (form, blocks, bytes) in [(Form::Paper, 1, 36), (Form::Experiment, 1, 40)] {
        let config = Config {
            timestamps: true,
            recovery: Recovery::Sack,
            ..supporting(PacketPair::Probe, form)
        };
        let mut script = Script::new(config);
        let mut last = None;
        // Three gaps, then a pair above another one.
        for (start, mark) in [
            (2, None),
            (4, None),
            (6, None),
            (8, Some(first(1))),
            (9, Some(second(1))),
        ] {
            let pairs = mark.map_or(PairOptions::default(), |mark| {
                PairOptions::marked(form, mark)
            });
            let options = Options {
                timestamps: Some((1, 0)),
                pairs,
                ..Options::default()
            };
            let seq = crate::script::number(900 * start);
            script.end.on_segment(
                script.now_ns,
                &Segment {
                    seq,
                    payload_bytes: 900,
                    options,
                    ..script.bare(0)
                },
            );
            last = script.end.poll_transmit(script.now_ns);
            script.now_ns += MS_NS;
        }
        let options = last.expect("a gap is reported immediately").segment.options;
        assert!(
            options.timestamps.is_some()
                && options.pairs.reply.is_some()
                && options.pairs.mark.is_some()
        );
        assert_eq!(
            (options.sack.as_slice().len(), options.wire_bytes()),
            (blocks, bytes),
            "{form:?}"
        );
    }
}
