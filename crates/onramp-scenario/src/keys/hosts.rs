//! The keys of `[receiver]` and `[sender]`.

use super::defaults::{CLOCK_DEFAULT, STACK_DEFAULT};
use super::kinds::{AckPolicy, BufferSize, LieName, PairOptionForm, PairReaction};
use super::limits::{BUFFERS, GRANULARITIES};
use onramp_config::key::Fallback::{Other, Text};
use onramp_config::key::{keys, Boolean, List, Table, Time};

pub(crate) static RECEIVER: Table = Table {
    keys: RECEIVER_KEYS,
    ..Table::one("receiver", "the hosts that receive data")
};

pub(crate) static SENDER: Table = Table {
    keys: SENDER_KEYS,
    ..Table::one("sender", "the hosts that send data")
};

keys! { RECEIVER_KEYS:
    RECEIVER_BUFFER: BufferSize = "buffer", Text("linux-default"), ranges &[BUFFERS],
        list List::Factor,
        "The receiver's socket buffer: auto-tuned as Linux does it, or of this size from the \
         start.";
    RECEIVER_ACKS: AckPolicy = "acks", STACK_DEFAULT, "When it sends ACKs: {names}.";
    RECEIVER_LIE: LieName = "lie", Text("none"), "How it deceives the sender: {names}.";
    RECEIVER_TIMESTAMPS: Boolean = "timestamps", STACK_DEFAULT, "It offers timestamps (RFC 7323).";
    RECEIVER_SACK: Boolean = "sack", STACK_DEFAULT,
        "It offers selective acknowledgements (RFC 2018).";
    RECEIVER_WINDOW_SCALING: Boolean = "window_scaling", STACK_DEFAULT,
        "It offers window scaling (RFC 7323).";
    RECEIVER_PACKET_PAIR: PairReaction = "packet_pair",
        Other("`answer` if the sender sends packet pairs, else `none`"),
        "How it reacts to packet pairs: {names}.";
    RECEIVER_PAIR_OPTION: PairOptionForm = "pair_option", Text("experiment"),
        "How both ends write the packet-pair option: `experiment` (kind 253, nanoseconds) or \
         `paper` (kind 6, ticks of 10 ms).";
    RECEIVER_PAIR_CLOCK: Time = "pair_clock", CLOCK_DEFAULT, ranges &[GRANULARITIES],
        "Granularity with which it measures the arrivals of packet pairs.";
}

keys! { SENDER_KEYS:
    SENDER_BUFFER: BufferSize = "buffer", Text("64 MiB"), ranges &[BUFFERS], list List::Factor,
        "Maximum size of the sender's socket buffer.";
    SENDER_NAGLE: Boolean = "nagle", Text("true"),
        "A small segment waits while data is in flight (Nagle's algorithm). With stack `linux` it \
         waits only while another small segment is in flight, as in Linux (Minshall's variant).";
    SENDER_WINDOW_VALIDATION: Boolean = "window_validation", Text("true"),
        "The congestion window grows only while it limits the sender (RFC 7661), as in Linux. In \
         the simulators of the nineties it grew with every ACK.";
    SENDER_PACKET_PAIRS: Boolean = "packet_pairs", Text("false"),
        "Start-up `onramp` sends packet pairs. Start-up `pair` always does.";
}
