//! Every table and every key.

use super::channel::{
    ChannelKeys, LINK_CHANNEL, LINK_REVERSE_CHANNEL, PATH_CHANNEL, REVERSE_CHANNEL,
};
use super::Fallback::{Other, Required, Text};
use super::{Key, Kind, List, Table};

pub(crate) static TOP: Table = Table {
    name: "",
    most: 1,
    required: true,
};
pub(crate) static PATH: Table = Table::one("path");
pub(crate) static REVERSE: Table = Table::one("path.reverse");
pub(crate) static PATH_CHANGE: Table = Table::many("path.change", 1000);
pub(crate) static NODE: Table = Table::many("node", 1000);
pub(crate) static LINK: Table = Table::many("link", 2000);
pub(crate) static LINK_REVERSE: Table = Table::one("link.reverse");
pub(crate) static LINK_CHANGE: Table = Table::many("link.change", 1000);
pub(crate) static RUN: Table = Table::one("run");
pub(crate) static RECEIVER: Table = Table::one("receiver");
pub(crate) static SENDER: Table = Table::one("sender");
pub(crate) static TRANSFER: Table = Table {
    name: "transfer",
    most: 1000,
    required: true,
};
pub(crate) static TRAFFIC: Table = Table::many("traffic", 64);
pub(crate) static TABLES: &[&Table] = &[
    &TOP,
    &PATH,
    &REVERSE,
    &REVERSE_CHANNEL.tables.red,
    &REVERSE_CHANNEL.tables.codel,
    &REVERSE_CHANNEL.tables.bursts,
    &PATH_CHANGE,
    &PATH_CHANNEL.tables.red,
    &PATH_CHANNEL.tables.codel,
    &PATH_CHANNEL.tables.bursts,
    &NODE,
    &LINK,
    &LINK_REVERSE,
    &LINK_REVERSE_CHANNEL.tables.red,
    &LINK_REVERSE_CHANNEL.tables.codel,
    &LINK_REVERSE_CHANNEL.tables.bursts,
    &LINK_CHANGE,
    &LINK_CHANNEL.tables.red,
    &LINK_CHANNEL.tables.codel,
    &LINK_CHANNEL.tables.bursts,
    &RUN,
    &RECEIVER,
    &SENDER,
    &TRANSFER,
    &TRAFFIC,
];

pub(super) const RATES: (&str, &str) = ("1 kbit/s", "1000 Gbit/s");
pub(super) const QUEUES: [(&str, &str); 3] = [
    ("1 packet", "1000000000 packets"),
    ("1 B", "1000 GB"),
    ("0.000001 bdp", "1000 bdp"),
];
pub(super) const LOSSES: (&str, &str) = ("0 %", "50 %");
pub(super) const PROBABILITIES: (&str, &str) = ("0 %", "100 %");
const BUFFERS: (&str, &str) = ("4 KiB", "1 GiB");
const SIZES: (&str, &str) = ("1 B", "1000 GB");
/// Of a reservation: what fits into the 32 bits of `core/startup.h`.
const BURSTS: (&str, &str) = ("1 B", "4 GB");
/// Of a host's clocks.
const GRANULARITIES: (&str, &str) = ("1 ns", "10 s");
const DELAYS: (&str, &str) = ("0 s", "3600 s");
const MTUS: (&str, &str) = ("296 B", "9000 B");
/// From the beginning of a run.
const MOMENTS: (&str, &str) = ("0 s", "1000000 s");
const COUNTS: (&str, &str) = ("1", "100000");

/// Declares keys, and a list of them.
macro_rules! keys {
    ($($constant:ident: $table:literal, $name:literal, $kind:ident, $default:expr, $ranges:expr, $list_kind:ident, $meaning:literal;)*) => {
        $(pub(crate) static $constant: Key = Key {
            table: $table, name: $name, kind: Kind::$kind, default: $default, ranges: &$ranges,
            list: List::$list_kind, meaning: $meaning,
        };)*
        static OWN_KEYS: &[&Key] = &[$(&$constant),*];
    };
}

/// Every key of every table, those of a table in the order in which messages list them.
pub(crate) fn all_keys() -> impl Iterator<Item = &'static Key> {
    let channels = [
        &PATH_CHANNEL,
        &REVERSE_CHANNEL,
        &LINK_CHANNEL,
        &LINK_REVERSE_CHANNEL,
    ];
    own_keys().chain(channels.into_iter().flat_map(ChannelKeys::all))
}

/// Those that are not of a channel.
pub(super) fn own_keys() -> impl Iterator<Item = &'static Key> {
    OWN_KEYS.iter().copied()
}

keys! {
    NAME: "", "name", Name, Required, [], No,
        "Names the scenario in tables and files: 1 to 64 of `a-z`, `0-9` and `-`, not first a `-`.";
    DESCRIPTION: "", "description", Text, Text(""), [], No,
        "One sentence for the report.";
    SEED: "", "seed", Integer, Text("1"), [("0", "9223372036854775807")], No,
        "From which each case's seed is derived.";
    RUN_DURATION: "run", "duration", Time, Other("until all is finished"), [("1 ms", "1000000 s")], No,
        "The run ends at this time, whatever is unfinished.";

    PATH_RTT: "path", "rtt", Time, Required, [("1 us", "3600 s")], Factor,
        "Round-trip propagation time: the delays of both directions, without queues.";
    PATH_MTU: "path", "mtu", Size, Text("1500 B"), [MTUS], No,
        "Largest IP packet, in both directions.";
    REVERSE_DELAY: "path.reverse", "delay", Time, Other("`path.rtt / 2`"), [DELAYS], No,
        "One-way delay of that way, at most `path.rtt`; the forward way has the rest of the round trip.";
    PATH_CHANGE_AT: "path.change", "at", Time, Required, [MOMENTS], No,
        "When the path changes, since the beginning of the run.";
    PATH_CHANGE_RATE: "path.change", "rate", Rate, Other("as before"), [RATES], No,
        "The new rate; also of the reverse way, where that has none of its own.";
    PATH_CHANGE_RTT: "path.change", "rtt", Time, Other("as before"), [("1 us", "3600 s")], No,
        "The new round-trip propagation time.";
    PATH_CHANGE_LOSS: "path.change", "loss", Share, Other("as before"), [PROBABILITIES], No,
        "The new random loss, of both ways; `100 %` is an outage.";

    NODE_NAME: "node", "name", Node, Required, [], No,
        "Names the node: 1 to 64 of `a-z`, `0-9` and `-`, not first a `-`.";
    LINK_FROM: "link", "from", Node, Required, [], No,
        "The node at which the link begins.";
    LINK_TO: "link", "to", Node, Required, [], No,
        "The node at which it ends.";
    LINK_DELAY: "link", "delay", Time, Required, [DELAYS], No,
        "One-way propagation delay.";
    LINK_MTU: "link", "mtu", Size, Text("1500 B"), [MTUS], No,
        "Largest IP packet, in both directions.";
    LINK_REVERSE_DELAY: "link.reverse", "delay", Time, Other("`link.delay`"), [DELAYS], No,
        "One-way delay of that way.";
    LINK_CHANGE_AT: "link.change", "at", Time, Required, [MOMENTS], No,
        "When the link changes, since the beginning of the run.";
    LINK_CHANGE_RATE: "link.change", "rate", Rate, Other("as before"), [RATES], No,
        "The new rate; also of the reverse way, where that has none of its own.";
    LINK_CHANGE_DELAY: "link.change", "delay", Time, Other("as before"), [DELAYS], No,
        "The new delay; also of the reverse way, where that has none of its own.";
    LINK_CHANGE_LOSS: "link.change", "loss", Share, Other("as before"), [PROBABILITIES], No,
        "The new random loss, of both ways; `100 %` is an outage.";

    RECEIVER_BUFFER: "receiver", "buffer", Buffer, Text("linux-default"), [BUFFERS], Factor,
        "The receiver's socket buffer: auto-tuned as Linux does it, or so large from the start.";
    RECEIVER_ACKS: "receiver", "acks", Acks, Other("of the stack"), [], No,
        "When it acknowledges: `linux`, `delayed`, `bsd` or `every`.";
    RECEIVER_TIMESTAMPS: "receiver", "timestamps", Boolean, Other("of the stack"), [], No,
        "It takes part in timestamps (RFC 7323).";
    RECEIVER_SACK: "receiver", "sack", Boolean, Other("of the stack"), [], No,
        "It takes part in selective acknowledgements (RFC 2018).";
    RECEIVER_SCALING: "receiver", "window_scaling", Boolean, Other("of the stack"), [], No,
        "It takes part in window scaling (RFC 7323).";
    RECEIVER_PAIRS: "receiver", "packet_pair", PacketPair, Other("`answer` where the sender sends them, else `none`"), [], No,
        "What it does about packet pairs: `none`, `answer`, `answer-at-once` or `probe`.";
    RECEIVER_PAIR_OPTION: "receiver", "pair_option", PairForm, Text("experiment"), [], No,
        "How both ends write the packet-pair option: `experiment` (kind 253, nanoseconds) or `paper` (kind 6, ticks of 10 ms).";
    RECEIVER_PAIR_CLOCK: "receiver", "pair_clock", Time, Other("of the stack: `500 ms` with `lite`, else `1 ns`"), [GRANULARITIES], No,
        "How finely it measures the arrivals of packet pairs.";
    SENDER_BUFFER: "sender", "buffer", Buffer, Text("64 MiB"), [BUFFERS], Factor,
        "What the sender's socket buffer may grow to.";
    SENDER_NAGLE: "sender", "nagle", Boolean, Text("true"), [], No,
        "It waits with small segments while others are outstanding.";
    SENDER_VALIDATION: "sender", "window_validation", Boolean, Text("true"), [], No,
        "Its window grows only while it is what limits it (RFC 7661), as in Linux; the simulators of the nineties' grew with every ACK.";
    SENDER_PAIRS: "sender", "packet_pairs", Boolean, Text("false"), [], No,
        "Start-up `onramp` sends packet pairs; `pair` does in any case.";
    TRANSFER_LABEL: "transfer", "label", Text, Text(""), [], No,
        "What tables and figures call it in place of its choices: 1 to 40 characters, of a table with one choice of each kind.";
    TRANSFER_SIZE: "transfer", "size", Size, Required, [SIZES], Factor,
        "Payload to transfer.";
    TRANSFER_SEGMENT: "transfer", "segment", Size, Other("the way's `mtu`"), [MTUS], Factor,
        "Largest IP packet that it is sent in; at most the `mtu` of the way.";
    TRANSFER_STACK: "transfer", "stack", Stack, Text("linux"), [], Factor,
        "The TCP of both hosts: `linux` or `lite`.";
    TRANSFER_SCALING: "transfer", "window_scaling", Boolean, Other("of the stack"), [], Factor,
        "The sender takes part in window scaling (RFC 7323); the connection has it where the receiver does too.";
    TRANSFER_RECOVERY: "transfer", "recovery", Recovery, Other("of the stack"), [], Factor,
        "The sender's loss recovery: `tahoe`, `reno`, `careful-reno`, `newreno`, `steady-newreno`, `sack`, `prr` or `rack`.";
    TRANSFER_TIMERS: "transfer", "timers", Timers, Other("of the stack"), [], Factor,
        "The sender's retransmission timer: `rfc6298`, `linux`, `bsd`, `brakmo`, `decoupled` or `ns`.";
    TRANSFER_CLOCK: "transfer", "clock", Time, Other("of the stack: `500 ms` with `lite`, else `1 ns`"), [GRANULARITIES], Factor,
        "How finely the sender's host measures time; of timers `rfc6298`, `decoupled` and `ns`, and of start-ups.";
    TRANSFER_TICK: "transfer", "tick", Time, Other("of the stack: `500 ms` with `lite`, else `1 ns`"), [GRANULARITIES], Factor,
        "How finely it schedules: paced segments, and timers `rfc6298` and `decoupled`.";
    TRANSFER_STARTUP: "transfer", "startup", Startup, Other("`standard`; `none` with stack `lite`"), [], Factor,
        "Start-up algorithm; `none` is the avoidance as the host ships it.";
    TRANSFER_GAMMA: "transfer", "gamma", Share, Other("found by the start-up"), [("1 %", "50 %")], Factor,
        "Of start-up `gamma`: the share of the window that a threshold is after a loss.";
    TRANSFER_PACE: "transfer", "pace", Rate, Other("measured by the start-up"), [RATES], Factor,
        "Of start-up `spaced`: the rate at which slow start's segments leave, counted in IP packets.";
    TRANSFER_QOS_RATE: "transfer", "qos_rate", Rate, Other("required by start-up `qos`"), [RATES], Factor,
        "Of start-up `qos`: the rate that the network guarantees, counted in TCP payload; its packets take more.";
    TRANSFER_QOS_BURST: "transfer", "qos_burst", Size, Other("a millisecond's, 2 to 10 segments"), [BURSTS], Factor,
        "Of start-up `qos`: how much payload may leave at once; at least a segment may.";
    TRANSFER_WITHOUT: "transfer", "without", Without, Text("nothing"), [], Factor,
        "Of start-up `onramp`: the idea that is switched off, to see what it contributes: `nothing`, `measuring`, `line`, `noise`, `sharing`, `spacing`, `validating`, `easing`, `raising`, `delay`, `resting`, `repacing` or `retreat` ([what each is](algorithms/onramp.md#what-each-idea-contributes)).";
    TRANSFER_MEMORY: "transfer", "memory", Memory, Text("off"), [], Factor,
        "Of start-up `onramp`: what earlier copies found of the path is used by later ones, not while another has it: `careful` as RFC 9959 has it, `at-once` before the initial window is acknowledged, or `off`.";
    TRANSFER_COUNTING: "transfer", "byte_counting", Counting, Other("of the stack: `1 segment` with `lite`, else `unlimited`"), [("1 segment", "255 segments")], Factor,
        "How much an ACK makes the window grow in slow start at the most: the limit L of RFC 3465.";
    TRANSFER_AVOIDANCE: "transfer", "avoidance", Avoidance, Other("`cubic`; `reno` with stack `lite`"), [], Factor,
        "Congestion avoidance that follows the start-up: `cubic`, `bbr`, `reno`, `vegas`, `westwood` or `pipe`.";
    TRANSFER_CONNECT: "transfer", "connect", Connect, Text("receiver"), [], No,
        "Which end connects: `receiver`, which then asks for the data, or `sender`, which sends as soon as its handshake is complete.";
    TRANSFER_TRAIN: "transfer", "train", Train, Text("line"), [], No,
        "How a start-up that measures a rate reads a flight's ACKs: by their least-squares `line`, by its `ends`, or by the `closest` of them; and how `astart` filters its samples: the `latest` alone instead of the mean of two, or `calm`, by the greatest instability of the connection instead of that of ten samples.";
    TRANSFER_WINDOW: "transfer", "initial_window", Window, Text("host"), [("1 segment", "1000 segments")], Factor,
        "What the sender may send before the first acknowledgement.";
    TRANSFER_SSTHRESH: "transfer", "initial_ssthresh", Size, Other("none"), [SIZES], No,
        "Threshold at which the first slow start ends.";
    TRANSFER_FROM: "transfer", "from", Node, Other("`sender` of a `[path]`"), [], Several,
        "The node that sends the data, or several: the copies are dealt to them in turn.";
    TRANSFER_TO: "transfer", "to", Node, Other("`receiver` of a `[path]`"), [], Several,
        "The node that receives it, or several.";
    TRANSFER_SPLIT: "transfer", "split", Node, Other("none"), [], Chain,
        "The nodes on the way of the data at which the connection is split, from the sender's side to the receiver's.";
    TRANSFER_SPLIT_BUFFER: "transfer", "split_buffer", Size, Text("4 MiB"), [BUFFERS], No,
        "With `split`: what the receive buffer and the send buffer of each relay may hold.";
    TRANSFER_SPLIT_RATE: "transfer", "split_rate", Rate, Other("as the transfer's TCP sends"), [RATES], No,
        "With `split`: the relays send at this rate, counted in IP packets, without congestion control.";
    TRANSFER_CONNECTIONS: "transfer", "connections", Connections, Text("1"), [("1", "64")], Factor,
        "How many connections carry the payload side by side: a number, or `adaptive`.";
    TRANSFER_DSCP: "transfer", "dscp", Dscp, Text("best-effort"), [], Factor,
        "How the sender marks its IP packets (RFC 2474): `best-effort`, or `ef` for links with `ef_rate`.";
    TRANSFER_COUNT: "transfer", "count", Integer, Text("1"), [COUNTS], No,
        "Copies of the transfer that run in the same run, each with a result.";
    TRANSFER_START: "transfer", "start", Time, Text("0 s"), [MOMENTS], No,
        "When the first copy starts at the earliest, since the beginning of the run.";
    TRANSFER_SPACING: "transfer", "spacing", Time, Text("0 s"), [DELAYS], No,
        "From one copy's start to the next one's.";
    TRANSFER_WRITE: "transfer", "write", Size, Other("all at once"), [SIZES], No,
        "Payload that the sending application writes at a time.";
    TRANSFER_EVERY: "transfer", "write_every", Time, Other("all at once"), [("1 ns", "3600 s")], No,
        "With `write`: from one write to the next.";
    TRANSFER_REPEAT: "transfer", "repeat", Integer, Text("1"), [("1", "1000")], No,
        "How often each case of this table runs.";
    TRAFFIC_KIND: "traffic", "kind", Traffic, Text("transfer"), [], No,
        "What it is made of: `transfer`, `constant`, `poisson` or `on-off`.";
    TRAFFIC_STACK: "traffic", "stack", Stack, Text("linux"), [], No,
        "Of transfers: the TCP of both hosts.";
    TRAFFIC_RECOVERY: "traffic", "recovery", Recovery, Other("of the stack"), [], No,
        "Of transfers: the sender's loss recovery.";
    TRAFFIC_TIMERS: "traffic", "timers", Timers, Other("of the stack"), [], No,
        "Of transfers: the sender's retransmission timer.";
    TRAFFIC_CLOCK: "traffic", "clock", Time, Other("of the stack: `500 ms` with `lite`, else `1 ns`"), [GRANULARITIES], No,
        "Of transfers: how finely the sender's host measures time.";
    TRAFFIC_TICK: "traffic", "tick", Time, Other("of the stack: `500 ms` with `lite`, else `1 ns`"), [GRANULARITIES], No,
        "Of transfers: how finely it schedules.";
    TRAFFIC_STARTUP: "traffic", "startup", Startup, Text("none"), [], No,
        "Of transfers: start-up algorithm of each.";
    TRAFFIC_QOS_RATE: "traffic", "qos_rate", Rate, Other("required by start-up `qos`"), [RATES], No,
        "Of transfers with start-up `qos`: the rate that the network guarantees to each, as `transfer.qos_rate`.";
    TRAFFIC_QOS_BURST: "traffic", "qos_burst", Size, Other("a millisecond's, 2 to 10 segments"), [BURSTS], No,
        "Of transfers with start-up `qos`: how much payload of each may leave at once.";
    TRAFFIC_AVOIDANCE: "traffic", "avoidance", Avoidance, Other("`cubic`; `reno` with stack `lite`"), [], No,
        "Of transfers: congestion avoidance of each.";
    TRAFFIC_CONNECT: "traffic", "connect", Connect, Text("receiver"), [], No,
        "Of transfers: which end connects, as `transfer.connect`.";
    TRAFFIC_SSTHRESH: "traffic", "initial_ssthresh", Size, Other("none"), [SIZES], No,
        "Of transfers: threshold at which each one's first slow start ends.";
    TRAFFIC_SIZE: "traffic", "size", Size, Other("without end"), [SIZES], Several,
        "Of transfers: payload of each, or several, one of which is drawn for each transfer.";
    TRAFFIC_COUNT: "traffic", "count", Integer, Other("1; with `arrivals` as many as arrive"), [COUNTS], No,
        "Of transfers: how many there are.";
    TRAFFIC_ARRIVALS: "traffic", "arrivals", Frequency, Other("all at once"), [("0.000001 /s", "1000000 /s")], No,
        "Of transfers: they start one by one, so many a second on average, as a Poisson process.";
    TRAFFIC_MEASURED: "traffic", "measured", Boolean, Text("false"), [], No,
        "Of transfers: each has a result too.";
    TRAFFIC_RATE: "traffic", "rate", Rate, Other("required"), [RATES], No,
        "Of `constant`, `poisson` and `on-off`: the rate while it sends, counted in IP packets; the mean, of `poisson`.";
    TRAFFIC_PACKET: "traffic", "packet", Size, Other("`1500 B`, or the way's `mtu` if that is less"), [("28 B", "9000 B")], No,
        "Of `constant`, `poisson` and `on-off`: size of each IP packet.";
    TRAFFIC_ON: "traffic", "on", Time, Other("required"), [("1 us", "3600 s")], No,
        "Of `on-off`: mean time of sending.";
    TRAFFIC_OFF: "traffic", "off", Time, Other("required"), [("1 us", "3600 s")], No,
        "Of `on-off`: mean time of silence.";
    TRAFFIC_DISTRIBUTION: "traffic", "distribution", Distribution, Text("exponential"), [], No,
        "Of `on-off`: how both times are distributed, `exponential` or `fixed`.";
    TRAFFIC_DSCP: "traffic", "dscp", Dscp, Text("best-effort"), [], No,
        "How the sender marks its IP packets: `best-effort` or `ef`.";
    TRAFFIC_FROM: "traffic", "from", Node, Other("`sender` of a `[path]`"), [], No,
        "The node that sends the data.";
    TRAFFIC_TO: "traffic", "to", Node, Other("`receiver` of a `[path]`"), [], No,
        "The node that receives it.";
    TRAFFIC_LEAD: "traffic", "lead", Time, Other("5 s, without `start`"), [DELAYS], No,
        "How long before the transfer it starts.";
    TRAFFIC_START: "traffic", "start", Time, Other("by `lead`"), [MOMENTS], No,
        "When it starts, since the beginning of the run.";
    TRAFFIC_STOP: "traffic", "stop", Time, Other("the end of the run"), [MOMENTS], No,
        "When it stops, since the beginning of the run.";
}
