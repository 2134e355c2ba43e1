//! RFC 5961: Improving TCP's Robustness to Blind In-Window Attacks.

use crate::script::{number, plain, Script};
use onramp_tcp::{Failure, Flags, Recovery, Segment, State};

fn script() -> Script {
    Script::new(plain(Recovery::Rack))
}

#[test]
fn only_a_reset_with_exactly_the_next_number_resets() {
    let mut script = script();
    let reset = |offset: i64| Segment {
        seq: number(offset),
        flags: Flags::RST,
        ..Segment::default()
    };
    //= RFC 5961 section 3.2: inside the window, a challenge ACK
    assert_eq!(script.arrives(reset(1)), ["ack 0"]);
    assert_eq!(script.arrives(reset(60_000)), ["ack 0"]);
    //= RFC 5961 section 3.2: outside the window, nothing
    assert!(script.arrives(reset(10_000_000)).is_empty());
    assert!(script.arrives(reset(-1000)).is_empty());
    assert_eq!(script.end.state(), State::Established);
    script.arrives(reset(0));
    assert_eq!(script.end.failure(), Some(Failure::Reset));
}

#[test]
fn a_syn_anywhere_gets_a_challenge_ack() {
    let mut script = script();
    for offset in [0, 1000, -1, 1 << 30] {
        let syn = Segment {
            seq: number(offset),
            flags: Flags::SYN,
            window: 1000,
            ..Segment::default()
        };
        //= RFC 5961 section 4.2
        assert_eq!(script.arrives(syn), ["ack 0"], "{offset}");
    }
    assert_eq!(script.end.state(), State::Established);
}

#[test]
fn an_ack_of_unsent_or_too_old_data_is_challenged_and_its_data_dropped() {
    let mut script = script();
    script.write(1000);
    //= RFC 5961 section 5.2: (SND.UNA - MAX.SND.WND) <= SEG.ACK <= SND.NXT
    assert_eq!(script.data(0, 100, 1001), ["ack 0"]);
    assert_eq!(script.data(0, 100, -65_536), ["ack 0"]);
    assert_eq!(script.end.received_bytes(), 0);
    assert_eq!(script.data(0, 100, -1), ["ack 100"]);
    assert_eq!(script.end.received_bytes(), 100);
}

#[test]
fn a_peer_that_missed_a_reset_gets_another_one_for_its_next_ack() {
    let mut script = script();
    script.write(5000);
    script.end.abort();
    // The data was lost, so this reset does not have the peer's next number. The peer sends a
    // challenge ACK.
    assert_eq!(script.sends(), ["R"]);
    script.end.on_segment(script.now_ns, &script.bare(0));
    let answer = script
        .end
        .poll_transmit(script.now_ns)
        .expect("a reset")
        .segment;
    //= RFC 9293 section 3.10.7.1: <SEQ=SEG.ACK><CTL=RST>
    assert_eq!((answer.seq, answer.flags), (number(0), Flags::RST));
}
