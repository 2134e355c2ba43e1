//! RFC 8257: Data Center TCP (DCTCP).

use crate::pair::{clean, Pair, DELAY_NS};
use crate::script::{number, plain, segments, Script, MS_NS};
use onramp_tcp::{
    Acks, Avoidance, Config, Ecn, EcnField, Flags, InitialWindow, Recovery, Segment, Stack,
};

/// The default of `ecn` is off: DCTCP asks by itself.
fn linux(avoidance: Avoidance, ecn: Ecn) -> Config {
    Config {
        avoidance,
        ecn,
        ..Config::of(Stack::Linux, 1500)
    }
}

#[test]
fn every_packet_of_both_ends_has_ect() {
    let dctcp = linux(Avoidance::Dctcp, Ecn::Off);
    let mut pair = Pair::new(dctcp.clone(), dctcp);
    // Losses, so that there are retransmissions.
    let mut path = |crossing: &crate::pair::Crossing| match crossing.number % 40 {
        39 => vec![],
        _ => vec![DELAY_NS],
    };
    pair.download(300_000, 60_000_000_000, &mut path);
    //= RFC 8257 section 3.5: "the sender SHOULD set ECT for SYN, SYN-ACK, and RST packets"
    for sent in &pair.log {
        let segment = &sent.transmit.segment;
        assert_eq!(segment.ecn, EcnField::Ect0, "{segment:?}");
    }
    assert!(pair.log.iter().any(|sent| sent.transmit.retransmission));
    assert!(pair.client.has_ecn());
}

/// As Linux: a SYN with ECT asks an end that does not need ECN for what that end does not know.
#[test]
fn ecn_needs_an_end_that_accepts_a_syn_with_ect() {
    let off = Ecn::Off;
    for (client, server, uses) in [
        (
            linux(Avoidance::Dctcp, off),
            linux(Avoidance::Dctcp, off),
            true,
        ),
        (
            linux(Avoidance::Dctcp, off),
            linux(Avoidance::Cubic, Ecn::Accept),
            false,
        ),
        (
            linux(Avoidance::Cubic, Ecn::Request),
            linux(Avoidance::Dctcp, off),
            true,
        ),
        (
            linux(Avoidance::Cubic, off),
            linux(Avoidance::Dctcp, off),
            false,
        ),
    ] {
        let mut pair = Pair::new(client, server);
        pair.download(50_000, 10_000_000_000, &mut clean);
        assert_eq!(pair.client.has_ecn(), uses);
        assert_eq!(pair.server.as_ref().unwrap().has_ecn(), uses);
        //= RFC 8257 section 3.5: without ECN, DCTCP is a conventional TCP
        let later = pair.log[2..].iter().map(|sent| sent.transmit.segment.ecn);
        assert!(uses || later.clone().all(|field| field == EcnField::NotEct));
    }
}

struct Receiver(Script);

impl Receiver {
    fn new() -> Receiver {
        Receiver(Script::new(Config {
            avoidance: Avoidance::Dctcp,
            acks: Acks::Delayed,
            ..plain(Recovery::Rack)
        }))
    }

    /// The n-th segment of 1000 bytes arrives.
    fn arrives(&mut self, index: i64, ecn: EcnField, more: Flags) -> Vec<String> {
        let bare = self.0.bare(0);
        self.0.arrives(Segment {
            seq: number(1000 * index),
            payload_bytes: 1000,
            flags: bare.flags.with(more),
            ecn,
            ..bare
        })
    }
}

//= RFC 8257 section 3.2: figure 1, the ACK generation state machine
#[test]
fn a_change_of_the_mark_is_acknowledged_at_once_and_what_waited_before_it() {
    let mut receiver = Receiver::new();
    let none = Flags::default();
    let silent: [&str; 0] = [];
    assert_eq!(receiver.arrives(0, EcnField::Ect0, none), silent);
    assert_eq!(receiver.arrives(1, EcnField::Ect0, none), ["ack 2000 ect"]);
    assert_eq!(receiver.arrives(2, EcnField::Ect0, none), silent);
    // CE = 0 to CE = 1, with a delayed ACK waiting.
    assert_eq!(
        receiver.arrives(3, EcnField::Ce, none),
        ["ack 3000 ect", "ack 4000 ece ect"]
    );
    // No change: an ACK for two segments.
    assert_eq!(receiver.arrives(4, EcnField::Ce, none), silent);
    assert_eq!(
        receiver.arrives(5, EcnField::Ce, none),
        ["ack 6000 ece ect"]
    );
    // CE = 1 to CE = 0, with nothing waiting.
    assert_eq!(receiver.arrives(6, EcnField::Ect0, none), ["ack 7000 ect"]);
    assert_eq!(
        receiver.arrives(7, EcnField::Ce, none),
        ["ack 8000 ece ect"]
    );
    // CE = 1 to CE = 0, with a delayed ACK waiting.
    assert_eq!(receiver.arrives(8, EcnField::Ce, none), silent);
    assert_eq!(
        receiver.arrives(9, EcnField::Ect0, none),
        ["ack 9000 ece ect", "ack 10000 ect"]
    );
}

#[test]
fn cwr_does_not_end_the_echo_of_marks() {
    let mut receiver = Receiver::new();
    let none = Flags::default();
    assert_eq!(
        receiver.arrives(0, EcnField::Ce, none),
        ["ack 1000 ece ect"]
    );
    //= RFC 8257 section 3.2: the receiver ignores CWR
    assert_eq!(
        receiver.arrives(1, EcnField::Ce, Flags::CWR),
        ["ack 2000 ece ect"]
    );
    assert_eq!(receiver.0.end.stats().marks_received, 2);
}

/// Twenty segments are in flight at 200 ms.
fn sender() -> Script {
    let mut script = Script::new(Config {
        initial_window: InitialWindow::Segments(20),
        avoidance: Avoidance::Dctcp,
        ..plain(Recovery::Rack)
    });
    let expected: Vec<String> = segments(0..20)
        .into_iter()
        .map(|segment| segment + " ect")
        .collect();
    assert_eq!(script.write(400_000), expected);
    script.now_ns = 200 * MS_NS;
    script
}

fn echo(script: &mut Script, ack: i64) -> Vec<String> {
    let bare = script.bare(ack);
    script.arrives(Segment {
        flags: bare.flags.with(Flags::ECE),
        ..bare
    })
}

#[test]
fn marks_reduce_cwnd_once_for_a_window_of_data() {
    let mut script = sender();
    //= RFC 8257 section 4.2: alpha is 1 at first, so the first mark halves cwnd
    assert_eq!(echo(&mut script, 1000), ["20000:21000 cwr ect"]);
    assert_eq!(script.end.window().ssthresh_bytes, 10_000);
    //= RFC 8257 section 3.3: "DCTCP does not react to congestion indications more than once for
    //= every window of data"
    (2..=20).for_each(|ack| {
        echo(&mut script, 1000 * ack);
    });
    assert_eq!(script.end.stats().ecn_reductions, 1);
    script.now_ns = 300 * MS_NS;
    script.ack(21_000);
    assert_eq!(script.window(), (10, 10));
}

//= RFC 8257 section 3.3: cwnd = cwnd * (1 - alpha / 2)
#[test]
fn after_windows_without_marks_a_mark_reduces_little() {
    let mut script = sender();
    let mut acked = 0;
    // alpha falls to (15/16)^16 = 0.36.
    for round in 0..17 {
        let end = script.end.stats().data_segments_sent as i64;
        script.now_ns = (200 + 100 * round) * MS_NS;
        // An ACK of all of it, so that cwnd grows but little is sent.
        acked = 1000 * end;
        script.ack(acked);
        script.write(20_000);
    }
    let before = script.end.window().cwnd_bytes / 1000;
    script.now_ns += 100 * MS_NS;
    echo(&mut script, acked + 1000);
    let (_, ssthresh) = script.window();
    let kept = ssthresh as f64 / before as f64;
    assert!((0.80..0.85).contains(&kept), "{ssthresh} of {before}");
}

//= RFC 8257 section 3.4: a loss changes cwnd as in a conventional TCP, whatever alpha is
#[test]
fn a_loss_halves_cwnd_and_its_retransmission_has_ect() {
    let mut script = sender();
    let mut sends = Vec::new();
    for right in 2..=6 {
        sends.extend(script.sack(0, &[(1000, 1000 * right)]));
    }
    assert!(sends.contains(&"0:1000 ect rexmt".to_owned()), "{sends:?}");
    assert_eq!(script.end.window().ssthresh_bytes, 10_000);
    assert_eq!(script.end.stats().ecn_reductions, 0);
}

#[test]
fn a_mark_ends_every_start_up_and_dctcp_follows() {
    let mut wrong = Vec::new();
    for &name in onramp_core::startup_names() {
        let config = linux(Avoidance::Dctcp, Ecn::Off);
        let server = Config {
            startup: Some(name),
            ..config.clone()
        };
        let mut pair = Pair::new(config, server);
        // Data of some round trips is marked.
        pair.marks = |crossing| (7 * DELAY_NS..12 * DELAY_NS).contains(&crossing.now_ns);
        pair.until(4_000_000_000, &mut clean, |pair| {
            let now_ns = pair.now_ns;
            pair.client.read(now_ns, u64::MAX);
            if let Some(server) = &mut pair.server {
                server.write(1 << 24);
            }
            now_ns > 20 * DELAY_NS
        });
        let server = pair.server.as_ref().unwrap();
        let stats = server.stats();
        let ends = server.startup().unwrap().is_over();
        if !ends || stats.ecn_reductions < 2 || stats.retransmitted_segments > 0 {
            wrong.push(format!("{name}: {stats:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The same state machine, with ECT(1) and a reduction at once.
mod prague {
    use super::*;

    fn sender() -> Script {
        let mut script = Script::new(Config {
            initial_window: InitialWindow::Segments(20),
            avoidance: Avoidance::Prague,
            ..plain(Recovery::Rack)
        });
        script.write(400_000);
        script.now_ns = 200 * MS_NS;
        script
    }

    //= RFC 9331 section 4.1: "the ECN field set to ECT(1)"
    #[test]
    fn every_packet_has_ect_1() {
        let prague = linux(Avoidance::Prague, Ecn::Off);
        let mut pair = Pair::new(prague.clone(), prague);
        pair.download(300_000, 60_000_000_000, &mut clean);
        assert!(pair.client.has_ecn());
        for sent in &pair.log {
            assert_eq!(sent.transmit.segment.ecn, EcnField::Ect1);
        }
    }

    #[test]
    fn a_mark_reduces_at_once_and_the_next_ack_grows_cwnd() {
        let mut script = sender();
        // 19 segments are in flight, and cwnd is 10.
        let none: [&str; 0] = [];
        assert_eq!(echo(&mut script, 1000), none);
        assert_eq!(script.window(), (10, 10));
        // A mark of what was in flight reduces nothing, and its data does not make cwnd grow.
        echo(&mut script, 2000);
        assert_eq!(script.end.window().cwnd_bytes, 10_000);
        script.ack(3000);
        assert_eq!(script.end.window().cwnd_bytes, 10_100);
        assert_eq!(script.end.stats().ecn_reductions, 1);
    }

    //= RFC 9331 section 4.3: a loss is answered as Reno does, also beside marks
    #[test]
    fn a_loss_in_the_round_trip_of_a_mark_halves_cwnd_again() {
        let mut script = sender();
        echo(&mut script, 1000);
        for right in 3..=6 {
            script.sack(1000, &[(2000, 1000 * right)]);
        }
        assert_eq!(script.end.window().ssthresh_bytes, 5_000);
        assert_eq!(script.end.stats().recoveries, 1);
    }
}
