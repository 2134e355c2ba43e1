//! Nishida, Nakamura, Murai: New Congestion Control mechanism for TCP with Packet Pair scheme. The
//! pairs that an end sends, and its answers to those of its peer.
//!
//! A full segment has 1000 bytes of payload besides the space reserved for the options.

mod answers;
mod bucket;
mod hostile;
mod negotiation;
mod probe;
mod sender;

use crate::script::{number, plain, Script};
use onramp_core::pairs::{Counts, Form, PairOption, FIRST, SECOND};
use onramp_tcp::{
    Acks, Config, InitialWindow, Options, PacketPair, PairOptions, Recovery, Segment,
};

/// Space that the longest option takes in each segment.
pub const fn room_bytes(form: Form) -> u16 {
    match form {
        Form::Paper => 8,
        Form::Experiment => 12,
    }
}

/// An end with this support of packet pairs.
pub fn supporting(packet_pair: PacketPair, form: Form) -> Config {
    Config {
        mss_bytes: 1000 + room_bytes(form),
        packet_pair,
        pair_form: form,
        ..plain(Recovery::NewReno)
    }
}

/// A sender of pairs with this initial window and an ssthresh of 64 segments.
pub fn sending(initial_window: u32) -> Config {
    Config {
        startup: Some("pair"),
        initial_window: InitialWindow::Segments(initial_window),
        initial_ssthresh_bytes: Some(64_000),
        ..supporting(PacketPair::Answer, Form::Paper)
    }
}

/// A receiver of pairs that delays acknowledgements.
pub fn receiving(packet_pair: PacketPair) -> Script {
    Script::new(Config {
        acks: Acks::Delayed,
        ..supporting(packet_pair, Form::Paper)
    })
}

pub fn first(id: u8) -> PairOption {
    PairOption::of(FIRST, id)
}

pub fn second(id: u8) -> PairOption {
    PairOption::of(SECOND, id)
}

pub fn reply(id: u8, ms: u32) -> PairOption {
    PairOption::reply(id, ms * 1_000_000)
}

/// These options, in the form that the end uses.
pub fn options(script: &Script, mark: Option<PairOption>, reply: Option<PairOption>) -> Options {
    let form = Some(script.end.config().pair_form);
    Options {
        pairs: PairOptions {
            form,
            mark,
            reply,
            malformed: 0,
        },
        ..Options::default()
    }
}

/// An acknowledgement with a reply arrives.
pub fn replied(script: &mut Script, ack: i64, reply: PairOption) -> Vec<String> {
    let options = options(script, None, Some(reply));
    script.arrives(Segment {
        options,
        ..script.bare(ack)
    })
}

/// Data that is half of a pair arrives.
pub fn marked(script: &mut Script, start: i64, bytes: u32, mark: PairOption) -> Vec<String> {
    let options = options(script, Some(mark), None);
    script.sent = script.sent.max(start + i64::from(bytes));
    script.arrives(Segment {
        options,
        seq: number(start),
        payload_bytes: bytes,
        ..script.bare(0)
    })
}

pub fn counts(script: &Script) -> Counts {
    script.end.pair_counts().expect("both ends support pairs")
}
