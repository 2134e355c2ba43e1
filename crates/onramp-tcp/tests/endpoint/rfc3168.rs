//! RFC 3168: The Addition of Explicit Congestion Notification (ECN) to IP.

use crate::pair::{clean, Crossing, End, Pair, DELAY_NS};
use crate::script::{plain, segments, Script, MS_NS};
use onramp_tcp::{
    Acks, Avoidance, Config, Ecn, EcnField, Flags, InitialWindow, Recovery, Segment, Stack, State,
};

fn linux(ecn: Ecn) -> Config {
    Config {
        ecn,
        ..Config::of(Stack::Linux, 1500)
    }
}

/// Twenty segments are in flight at 200 ms, with CUBIC.
fn script(recovery: Recovery) -> Script {
    let config = Config {
        initial_window: InitialWindow::Segments(20),
        ecn: Ecn::Request,
        avoidance: Avoidance::Cubic,
        ..plain(recovery)
    };
    let mut script = Script::new(config);
    let mut expected = segments(0..20);
    //= RFC 3168 section 6.1.2: new data has ECT(0)
    expected
        .iter_mut()
        .for_each(|segment| segment.push_str(" ect"));
    assert_eq!(script.write(400_000), expected);
    script.now_ns = 200 * MS_NS;
    script
}

/// An acknowledgement with ECE arrives.
fn echo(script: &mut Script, ack: i64) -> Vec<String> {
    let bare = script.bare(ack);
    script.arrives(Segment {
        flags: bare.flags.with(Flags::ECE),
        ..bare
    })
}

#[test]
fn the_handshake_negotiates() {
    //= RFC 3168 section 6.1.1
    for (client, server, uses) in [
        (Ecn::Request, Ecn::Request, true),
        (Ecn::Request, Ecn::Accept, true),
        (Ecn::Request, Ecn::Off, false),
        (Ecn::Accept, Ecn::Request, false),
        (Ecn::Off, Ecn::Request, false),
    ] {
        let mut pair = Pair::new(linux(client), linux(server));
        pair.download(100_000, 10_000_000_000, &mut clean);
        let asks = Flags::ECE.with(Flags::CWR);
        let syns: Vec<Flags> = pair.log[..2]
            .iter()
            .map(|sent| sent.transmit.segment.flags)
            .collect();
        assert_eq!(syns[0].has(asks), client == Ecn::Request);
        assert_eq!(
            (syns[1].has(Flags::ECE), syns[1].has(Flags::CWR)),
            (uses, false)
        );
        assert_eq!(pair.client.has_ecn(), uses);
        assert_eq!(pair.end(End::Server).has_ecn(), uses);
        for Crossing { transmit, .. } in &pair.log {
            let may = uses && transmit.segment.payload_bytes > 0 && !transmit.retransmission;
            let expected = if may {
                EcnField::Ect0
            } else {
                EcnField::NotEct
            };
            assert_eq!(transmit.segment.ecn, expected, "{transmit:?}");
        }
        assert!(pair.log[2..]
            .iter()
            .all(|sent| !sent.transmit.segment.flags.has(Flags::ECE)));
    }
}

#[test]
fn a_syn_that_is_sent_again_does_not_ask() {
    //= RFC 3168 section 6.1.1.1: a host that gets no answer may send a SYN without ECE and CWR
    let mut pair = Pair::new(linux(Ecn::Request), linux(Ecn::Accept));
    let mut path = |crossing: &Crossing| match (crossing.from, crossing.number) {
        (End::Client, 0) => vec![],
        _ => vec![DELAY_NS],
    };
    pair.until(10_000_000_000, &mut path, |pair| {
        pair.client.state() == State::Established
    });
    let flags = |sent: &Crossing| sent.transmit.segment.flags;
    assert_eq!(
        flags(&pair.log[0]),
        Flags::SYN.with(Flags::ECE).with(Flags::CWR)
    );
    assert_eq!(flags(&pair.log[1]), Flags::SYN);
    assert!(!pair.client.has_ecn() && !pair.end(End::Server).has_ecn());
}

#[test]
fn a_mark_reduces_cwnd_as_a_loss_does_and_cwr_answers_it() {
    for recovery in [
        Recovery::Rack,
        Recovery::Prr,
        Recovery::NewReno,
        Recovery::Reno,
    ] {
        let mut script = script(recovery);
        //= RFC 3168 section 6.1.2: "the congestion control algorithms [...] react to a single CE
        //= packet [...] essentially the same as the congestion control response to a single
        //= dropped packet"
        let first = echo(&mut script, 1000);
        //= RFC 3168 section 6.1.2: the first new data has CWR
        assert_eq!(first, ["20000:21000 cwr ect"], "{recovery}");
        assert_eq!(script.end.stats().ecn_reductions, 1);
        // CUBIC's beta of 717/1024, in PRR's steps: 7 segments for each 10 delivered.
        assert_eq!(script.end.window().ssthresh_bytes, 14_000);
        let mut sent = 1;
        for ack in 2..=20 {
            //= RFC 3168 section 6.1.2: "TCP should not react to congestion indications more than
            //= once every window of data"
            let sends = echo(&mut script, 1000 * ack);
            assert!(sends.iter().all(|text| !text.contains("cwr")));
            sent += sends.len();
        }
        assert_eq!(
            (sent, script.end.stats().ecn_reductions),
            (14, 1),
            "{recovery}"
        );
        // The CWR segment is acknowledged, and the receiver no longer has a mark to report.
        script.now_ns = 300 * MS_NS;
        script.ack(21_000);
        assert_eq!(script.window(), (14, 14), "{recovery}");
        // A mark of the next window reduces again.
        assert_eq!(echo(&mut script, 22_000).len(), 1);
        assert_eq!(script.end.stats().ecn_reductions, 2);
        assert_eq!(script.end.window().ssthresh_bytes, 9_000);
        assert_eq!(script.end.stats().retransmitted_segments, 0);
    }
}

#[test]
fn a_loss_in_the_response_to_a_mark_does_not_reduce_again() {
    for recovery in [Recovery::Rack, Recovery::Sack, Recovery::NewReno] {
        let mut script = script(recovery);
        echo(&mut script, 1000);
        let ssthresh = script.end.window().ssthresh_bytes;
        let duplicate = |script: &mut Script, blocks: &[(i64, i64)]| script.sack(1000, blocks);
        let mut sends = Vec::new();
        for right in 3..=6 {
            sends.extend(duplicate(&mut script, &[(2000, 1000 * right)]));
        }
        //= RFC 3168 section 6.1.2: a dropped packet of the same window does not reduce again
        assert!(
            sends.contains(&"1000:2000 rexmt".to_owned()),
            "{recovery} {sends:?}"
        );
        assert_eq!(script.end.window().ssthresh_bytes, ssthresh, "{recovery}");
        assert_eq!(script.end.stats().recoveries, 1);
    }
}

#[test]
fn a_mark_in_a_recovery_reduces_nothing_and_cwr_reports_the_loss() {
    let mut script = script(Recovery::Rack);
    for right in 2..=4 {
        script.sack(0, &[(1000, 1000 * right)]);
    }
    let ssthresh = script.end.window().ssthresh_bytes;
    script.now_ns = 300 * MS_NS;
    let mut sends = Vec::new();
    for ack in 4..=12 {
        sends.extend(echo(&mut script, 1000 * ack));
    }
    assert_eq!(script.end.window().ssthresh_bytes, ssthresh);
    assert_eq!(script.end.stats().ecn_reductions, 0);
    //= RFC 3168 section 6.1.2: CWR follows every reduction, for whatever reason
    let with_cwr = sends.iter().filter(|text| text.contains("cwr"));
    assert_eq!(with_cwr.count(), 1, "{sends:?}");
}

#[test]
fn a_timeout_in_the_response_keeps_ssthresh_and_ends_the_response() {
    let mut script = script(Recovery::Rack);
    echo(&mut script, 1000);
    let ssthresh = script.end.window().ssthresh_bytes;
    // A probe first, then the timeout.
    script.until(5000);
    assert!(script.end.stats().timeouts > 0);
    assert_eq!(script.end.window().ssthresh_bytes, ssthresh);
    // Marks of what was in flight at the timeout reduce nothing.
    let reductions = script.end.stats().ecn_reductions;
    echo(&mut script, 2000);
    assert_eq!(script.end.stats().ecn_reductions, reductions);
    assert!(script.window().0 > 1, "slow start goes on");
}

#[test]
fn acknowledgements_echo_a_mark_until_cwr_arrives() {
    let config = Config {
        ecn: Ecn::Request,
        acks: Acks::Every,
        ..plain(Recovery::Rack)
    };
    let mut script = Script::new(config);
    let mut arrives = |start: i64, ecn: EcnField, more: Flags| {
        let bare = script.bare(0);
        script.arrives(Segment {
            seq: crate::script::number(start),
            payload_bytes: 1000,
            flags: bare.flags.with(more),
            ecn,
            ..bare
        })
    };
    let none = Flags::default();
    assert_eq!(arrives(0, EcnField::Ect0, none), ["ack 1000"]);
    //= RFC 3168 section 6.1.3: "sets the ECN-Echo flag in the TCP header of the ACK packet"
    assert_eq!(arrives(1000, EcnField::Ce, none), ["ack 2000 ece"]);
    //= RFC 3168 section 6.1.3: until it receives a CWR packet
    assert_eq!(arrives(2000, EcnField::Ect0, none), ["ack 3000 ece"]);
    assert_eq!(arrives(3000, EcnField::Ect0, Flags::CWR), ["ack 4000"]);
    //= RFC 3168 section 6.1.3: a segment with CWR and a mark is a new mark
    assert_eq!(arrives(4000, EcnField::Ce, Flags::CWR), ["ack 5000 ece"]);
    assert_eq!(script.end.stats().marks_received, 2);
}

#[test]
fn without_negotiation_marks_and_echoes_mean_nothing() {
    let mut script = Script::new(plain(Recovery::Rack));
    script.write(20_000);
    script.now_ns = 200 * MS_NS;
    assert_eq!(echo(&mut script, 1000).len(), 2);
    assert_eq!(script.end.stats().ecn_reductions, 0);
    let bare = script.bare(1000);
    let sends = script.arrives(Segment {
        payload_bytes: 1000,
        ecn: EcnField::Ce,
        ..bare
    });
    assert!(sends.iter().all(|text| !text.contains("ece")), "{sends:?}");
    assert_eq!(script.end.stats().marks_received, 0);
}

/// A mark is a sign of congestion without a loss. It reduces cwnd of every start-up as a loss does,
/// and ends it.
#[test]
fn a_mark_ends_every_start_up() {
    let mut wrong = Vec::new();
    for &name in onramp_core::startup_names() {
        let config = linux(Ecn::Request);
        let server = Config {
            startup: Some(name),
            ..config.clone()
        };
        let mut pair = Pair::new(config, server);
        // Data of some round trips is marked.
        pair.marks = |crossing| (7 * DELAY_NS..12 * DELAY_NS).contains(&crossing.now_ns);
        let (mut largest_before, mut smallest_after) = (0, u64::MAX);
        pair.until(4_000_000_000, &mut clean, |pair| {
            let now_ns = pair.now_ns;
            pair.client.read(now_ns, u64::MAX);
            if let Some(server) = &mut pair.server {
                server.write(1 << 24);
                match server.stats().ecn_reductions {
                    0 => largest_before = server.window().cwnd_bytes,
                    _ => smallest_after = smallest_after.min(server.window().cwnd_bytes),
                }
            }
            now_ns > 20 * DELAY_NS
        });
        let server = pair.server.as_ref().unwrap();
        assert_eq!(server.stats().retransmitted_segments, 0, "{name}");
        assert!(server.stats().ecn_reductions >= 2, "{name}");
        let (decision, window) = (server.startup().unwrap(), server.window());
        // Two reductions to 0.7 of cwnd
        let reduces = smallest_after < largest_before / 2 && window.cwnd_bytes < largest_before;
        let ends = decision.is_over() && window.ssthresh_bytes < largest_before;
        if !(reduces && ends) {
            wrong.push(format!(
                "{name}: {window:?} after {largest_before}, {decision:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
