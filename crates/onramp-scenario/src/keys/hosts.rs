//! The keys of `[receiver]` and `[sender]`.

use super::defaults::{CLOCK_DEFAULT, STACK_DEFAULT};
use super::kinds::{AckPolicy, BufferSize, LieName, PairOptionForm, PairReaction};
use super::limits::{BUFFERS, GRANULARITIES};
use onramp_config::key::Fallback::{Other, Text};
use onramp_config::key::{keys, Boolean, Key, List, Table, Time};

pub(crate) static RECEIVER: Table = Table {
    keys: RECEIVER_KEYS,
    ..Table::one("receiver", "the hosts that receive data")
};

pub(crate) static SENDER: Table = Table {
    keys: SENDER_KEYS,
    ..Table::one("sender", "the hosts that send data")
};

keys! { RECEIVER_KEYS:
    RECEIVER_BUFFER: BufferSize = Key::new(
        "buffer",
        Text("linux-default"),
        "The receiver's socket buffer: auto-tuned as Linux does it, or of this size from the \
         start.",
    )
    .ranges(&[BUFFERS])
    .list(List::Factor);
    RECEIVER_ACKS: AckPolicy = Key::new("acks", STACK_DEFAULT, "When it sends ACKs: {names}.");
    RECEIVER_LIE: LieName = Key::new(
        "lie",
        Text("none"),
        "How it deceives the sender: {names}.",
    );
    RECEIVER_TIMESTAMPS: Boolean = Key::new(
        "timestamps",
        STACK_DEFAULT,
        "It offers timestamps (RFC 7323).",
    );
    RECEIVER_SACK: Boolean = Key::new(
        "sack",
        STACK_DEFAULT,
        "It offers selective acknowledgements (RFC 2018).",
    );
    RECEIVER_WINDOW_SCALING: Boolean = Key::new(
        "window_scaling",
        STACK_DEFAULT,
        "It offers window scaling (RFC 7323).",
    );
    RECEIVER_PACKET_PAIR: PairReaction = Key::new(
        "packet_pair",
        Other("`answer` if the sender sends packet pairs, else `none`"),
        "How it reacts to packet pairs: {names}.",
    );
    RECEIVER_PAIR_OPTION: PairOptionForm = Key::new(
        "pair_option",
        Text("experiment"),
        "How both ends write the packet-pair option: `experiment` (kind 253, nanoseconds) or \
         `paper` (kind 6, ticks of 10 ms).",
    );
    RECEIVER_PAIR_CLOCK: Time = Key::new(
        "pair_clock",
        CLOCK_DEFAULT,
        "Granularity with which it measures the arrivals of packet pairs.",
    )
    .ranges(&[GRANULARITIES]);
}

keys! { SENDER_KEYS:
    SENDER_BUFFER: BufferSize = Key::new(
        "buffer",
        Text("64 MiB"),
        "Maximum size of the sender's socket buffer.",
    )
    .ranges(&[BUFFERS])
    .list(List::Factor);
    SENDER_NAGLE: Boolean = Key::new(
        "nagle",
        Text("true"),
        "A small segment waits while data is in flight (Nagle's algorithm). With stack `linux` it \
         waits only while another small segment is in flight, as in Linux (Minshall's variant).",
    );
    SENDER_WINDOW_VALIDATION: Boolean = Key::new(
        "window_validation",
        Text("true"),
        "The congestion window grows only while it limits the sender (RFC 7661), as in Linux. In \
         the simulators of the nineties it grew with every ACK.",
    );
    SENDER_PACKET_PAIRS: Boolean = Key::new(
        "packet_pairs",
        Text("false"),
        "Start-up `onramp` sends packet pairs. Start-up `pair` always does.",
    );
}
