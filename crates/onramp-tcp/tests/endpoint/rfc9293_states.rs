//! RFC 9293: opening and closing (sections 3.5, 3.6 and 3.10.7).

use crate::script::{number, plain, Script, MS_NS};
use onramp_tcp::{Connection, Failure, Flags, Recovery, Segment, State};

const FIN: Flags = Flags::FIN.with(Flags::ACK);

fn script() -> Script {
    Script::new(plain(Recovery::NewReno))
}

/// The peer's FIN arrives. It acknowledges everything below `ack`.
fn fin(script: &mut Script, ack: i64) -> Vec<String> {
    let segment = Segment {
        flags: FIN,
        ..script.bare(ack)
    };
    script.sent += 1;
    script.arrives(segment)
}

fn syn(flags: Flags, ack: u32) -> Segment {
    Segment {
        seq: 0,
        ack,
        flags,
        window: 60_000,
        ..Segment::default()
    }
}

#[test]
fn both_sides_may_open_at_the_same_time() {
    let mut end = Connection::connect(plain(Recovery::NewReno), 0);
    end.poll_transmit(0);
    end.on_segment(50 * MS_NS, &syn(Flags::SYN, 0));
    assert_eq!(end.state(), State::SynReceived);
    let answer = end.poll_transmit(50 * MS_NS).expect("an answer").segment;
    //= RFC 9293 section 3.5, figure 8
    assert_eq!(
        (answer.seq, answer.ack, answer.flags),
        (0, 1, Flags::SYN.with(Flags::ACK))
    );
    end.on_segment(100 * MS_NS, &syn(Flags::SYN.with(Flags::ACK), 1));
    assert_eq!(
        (end.state(), end.peer_window_bytes()),
        (State::Established, 60_000)
    );
    assert_eq!(
        end.poll_transmit(100 * MS_NS)
            .expect("an acknowledgement")
            .segment
            .flags,
        Flags::ACK
    );
}

#[test]
fn a_repeated_syn_is_answered_again() {
    let mut end = Connection::accept(plain(Recovery::NewReno), 0, &syn(Flags::SYN, 0));
    end.poll_transmit(0);
    assert_eq!(end.poll_transmit(0), None);
    end.on_segment(MS_NS, &syn(Flags::SYN, 0));
    //= RFC 9293 section 3.8.1: the SYN-ACK is retransmitted
    assert_eq!(
        end.poll_transmit(MS_NS).expect("an answer").segment.flags,
        Flags::SYN.with(Flags::ACK)
    );
}

#[test]
fn a_syn_ack_for_another_syn_is_reset() {
    let mut end = Connection::connect(plain(Recovery::NewReno), 0);
    end.poll_transmit(0);
    end.on_segment(MS_NS, &syn(Flags::SYN.with(Flags::ACK), 77));
    let reset = end.poll_transmit(MS_NS).expect("a reset").segment;
    //= RFC 9293 section 3.10.7.3, first check: <SEQ=SEG.ACK><CTL=RST>
    assert_eq!(
        (reset.seq, reset.flags, end.state()),
        (77, Flags::RST, State::SynSent)
    );
    //= RFC 9293 section 3.10.7.3, second check
    end.on_segment(
        MS_NS,
        &Segment {
            ack: 1,
            flags: Flags::RST.with(Flags::ACK),
            ..Segment::default()
        },
    );
    assert_eq!(end.failure(), Some(Failure::Refused));
}

#[test]
fn one_side_closes_and_still_receives() {
    let mut script = script();
    script.end.write(100);
    script.end.close();
    assert_eq!(
        (script.sends(), script.end.state()),
        (vec!["F 0:100".into()], State::FinWait1)
    );
    script.ack(101);
    assert_eq!(script.end.state(), State::FinWait2);
    //= RFC 9293 section 3.6: half-closed
    assert_eq!(script.data(0, 1000, 101), ["ack 1000"]);
    assert_eq!(script.end.readable_bytes(), 1000);
    assert_eq!(fin(&mut script, 101), ["ack 1001"]);
    //= RFC 9293 section 3.10.7.4, eighth check, FIN-WAIT-2
    assert_eq!(script.end.state(), State::TimeWait);
    assert_eq!(script.until(61_000).len(), 0);
    assert_eq!(
        (script.end.state(), script.end.failure()),
        (State::Closed, None)
    );
}

#[test]
fn the_peer_closes_and_still_receives() {
    let mut script = script();
    assert_eq!(fin(&mut script, 0), ["ack 1"]);
    assert_eq!(script.end.state(), State::CloseWait);
    assert_eq!(script.write(1000), ["0:1000"]);
    script.ack(1000);
    script.end.close();
    assert_eq!(
        (script.sends(), script.end.state()),
        (vec!["F".into()], State::LastAck)
    );
    //= RFC 9293 section 3.10.7.4, fifth check, LAST-ACK
    script.ack(1001);
    assert_eq!(
        (script.end.state(), script.end.failure()),
        (State::Closed, None)
    );
}

#[test]
fn both_sides_may_close_at_the_same_time() {
    let mut script = script();
    script.end.close();
    assert_eq!(script.sends(), ["F"]);
    assert_eq!(fin(&mut script, 0), ["ack 1"]);
    //= RFC 9293 section 3.6, figure 13
    assert_eq!(script.end.state(), State::Closing);
    script.ack(1);
    assert_eq!(script.end.state(), State::TimeWait);
}

#[test]
fn a_lost_fin_is_retransmitted() {
    let mut script = script();
    script.end.close();
    assert_eq!(script.sends(), ["F"]);
    //= RFC 9293 section 3.8.1
    assert_eq!(script.until(1100), ["1100 ms: F rexmt"]);
}

#[test]
fn a_fin_waits_for_the_data_before_it() {
    let mut script = script();
    let segment = Segment {
        seq: number(1000),
        payload_bytes: 500,
        flags: FIN,
        ..script.bare(0)
    };
    script.arrives(segment);
    //= RFC 9293 section 3.10.7.4, eighth check: in order
    assert_eq!(
        (script.end.state(), script.end.peer_has_closed()),
        (State::Established, false)
    );
    assert_eq!(script.data(0, 1000, 0), ["ack 1501"]);
    assert_eq!(
        (script.end.state(), script.end.received_bytes()),
        (State::CloseWait, 1500)
    );
}

#[test]
fn the_peers_fin_restarts_time_wait_and_a_reset_does_not_end_it() {
    let mut script = script();
    script.end.close();
    script.sends();
    fin(&mut script, 1);
    assert_eq!(script.end.next_timer_ns(), Some(60_100 * MS_NS));
    script.idle_until(30_000);
    script.sent -= 1;
    //= RFC 9293 section 3.10.7.4, eighth check, TIME-WAIT: "Restart the 2 MSL time-wait timeout"
    assert_eq!(fin(&mut script, 1), ["ack 1"]);
    assert_eq!(script.end.next_timer_ns(), Some(90_000 * MS_NS));
    script.arrives(Segment {
        seq: number(1),
        flags: Flags::RST,
        ..Segment::default()
    });
    //= RFC 1337 section 3, fix F1
    assert_eq!(
        (script.end.state(), script.end.failure()),
        (State::TimeWait, None)
    );
}

#[test]
fn a_closed_end_answers_with_a_reset_but_not_to_a_reset() {
    let mut script = script();
    fin(&mut script, 0);
    script.end.close();
    script.sends();
    script.ack(1);
    assert_eq!(script.end.state(), State::Closed);
    //= RFC 9293 section 3.10.7.1
    assert_eq!(script.arrives(script.bare(1)), ["R"]);
    assert!(script
        .arrives(Segment {
            flags: Flags::RST,
            ..script.bare(1)
        })
        .is_empty());
}

#[test]
fn data_after_a_fin_is_ignored() {
    let mut script = script();
    fin(&mut script, 0);
    script.data(1, 1000, 0);
    //= RFC 9293 section 3.10.7.4, seventh check: in CLOSE-WAIT "this should not occur [...]. Ignore
    // the segment text."
    assert_eq!(
        (script.end.received_bytes(), script.end.readable_bytes()),
        (0, 0)
    );
}
