//! The keys of `[[transfer]]`.

use super::defaults::{CLOCK_DEFAULT, STACK_DEFAULT};
use super::kinds::{
    AvoidanceName, CodePoint, ConnectEnd, ConnectionCount, Counting, FirstRate, Idea,
    IpVersionName, KnownNode, Label, MemoryMode, Pause, PayloadSize, RecoveryName, Search,
    StackName, StartupName, TimersName, TrainReading, TransportName, Window,
};
use super::limits::{BUFFERS, BURSTS, COUNTS, GRANULARITIES, MOMENTS, MTUS, SIZES};
use super::parameters::PARAMETERS;
use crate::channel::limits::{DELAYS, RATES};
use onramp_config::key::Fallback::{Other, Required, Text};
use onramp_config::key::{keys, Boolean, Integer, List, Percent, Rate, Size, Table, Time};

pub(crate) static TRANSFER: Table = Table {
    is_required: true,
    keys: KEYS,
    tables: &[&PARAMETERS],
    ..Table::many("transfer", 1000, "transfers to measure")
};

keys! { KEYS:
    LABEL: Label = "label", Other("empty"),
        "Name of the transfer in tables and figures, instead of its choices: 1 to 40 characters. \
         The table may have one choice of each kind only.";
    SIZE: PayloadSize = "size", Required, ranges &[SIZES], list List::Factor,
        "Payload to transfer. `web-search` and `data-mining` are measured distributions of flow \
         sizes, of which each copy draws one.";
    IP: IpVersionName = "ip", Text("v4"), list List::Factor,
        "The IP version of its packets: {names}. A header of IPv6 has 40 bytes, one of IPv4 has \
         20, so the MSS of an MTU of 1500 bytes is 1440 or 1460. `v6` needs an `mtu` of 1280 bytes \
         or more.";
    SEGMENT: Size = "segment", Other("the `mtu` of the route"), ranges &[MTUS], list List::Factor,
        "Size of the largest IP packet that it is sent in, at most the `mtu` of the route.";
    TRANSPORT: TransportName = "transport", Text("tcp"), list List::Factor,
        "The transport protocol: {names}. The sender of `quic` is noq with the start-ups of \
         onramp-quic ([what it supports](../scenarios-transfers.md#quic)).";
    STACK: StackName = "stack", Text("linux"), list List::Factor, "The TCP of both hosts: {names}.";
    WINDOW_SCALING: Boolean = "window_scaling", STACK_DEFAULT, list List::Factor,
        "The sender offers window scaling (RFC 7323). The connection has it if the receiver \
         offers it too.";
    ECN: Boolean = "ecn", Text("false"), list List::Factor,
        "Both ends use explicit congestion notification (RFC 3168). Queues with `ecn` mark their \
         packets.";
    RECOVERY: RecoveryName = "recovery", STACK_DEFAULT, list List::Factor,
        "The sender's loss recovery: {names}.";
    TIMERS: TimersName = "timers", STACK_DEFAULT, list List::Factor,
        "The sender's retransmission timer: {names}.";
    CLOCK: Time = "clock", CLOCK_DEFAULT, ranges &[GRANULARITIES], list List::Factor,
        "Granularity with which the sender's host measures time, for timers `rfc6298`, \
         `decoupled` and `ns`, and for start-ups.";
    TICK: Time = "tick", CLOCK_DEFAULT, ranges &[GRANULARITIES], list List::Factor,
        "Granularity with which the sender's host schedules paced segments, and timers `rfc6298` \
         and `decoupled`.";
    STARTUP: StartupName = "startup", Other("`standard`; `none` with stack `lite`"),
        list List::Factor, "Start-up algorithm. `none` runs the avoidance as the host ships it.";
    GAMMA: Percent = "gamma", Other("measured by the start-up"), ranges &[("1 %", "50 %")],
        list List::Factor, "For start-up `gamma`: ssthresh after a loss, as a share of the window.";
    PACE: Rate = "pace", Other("measured by the start-up"), ranges &[RATES], list List::Factor,
        "For start-up `spaced`: the rate of slow start's segments, counted in IP packets.";
    INITIAL_RATE: FirstRate = "initial_rate", Text("auto"), ranges &[RATES], list List::Factor,
        "For start-up `onramp`: the rate on the line at which segments leave behind the initial \
         window in the first round trip. `off`: none leave. `auto`: the host \
         learns it from earlier transfers, from 5 Mbit/s on.";
    QOS_RATE: Rate = "qos_rate", Other("required by start-up `qos`"), ranges &[RATES],
        list List::Factor,
        "For start-up `qos`: the rate that the network guarantees, counted in TCP payload. The \
         IP packets need a higher rate.";
    QOS_BURST: Size = "qos_burst", Other("the payload of a millisecond, 2 to 10 segments"),
        ranges &[BURSTS], list List::Factor,
        "For start-up `qos`: the payload that may leave at once. One segment always may.";
    WITHOUT: Idea = "without", Text("nothing"), list List::Factor,
        "For start-up `onramp`: the idea that is switched off, to show its contribution: {names} \
         ([what each idea is](../algorithms/onramp.md)).";
    SEARCH: Search = "search", Text("draft"), list List::Factor,
        "For start-up `search`: its version, {names} ([what they differ \
         in](../algorithms/search.md)).";
    MEMORY: MemoryMode = "memory", Text("off"), list List::Factor,
        "For start-up `onramp`: later copies use what earlier copies measured of the path, but \
         not while another copy uses it. `careful` follows RFC 9959, `at-once` uses it before the \
         initial window is acknowledged, `off` remembers nothing.";
    BYTE_COUNTING: Counting = "byte_counting",
        Other("of the stack: `1 segment` with `lite`, else `unlimited`"),
        ranges &[("1 segment", "255 segments")], list List::Factor,
        "Maximum growth of the window per ACK in slow start: the limit L of RFC 3465.";
    AVOIDANCE: AvoidanceName = "avoidance", Other("`cubic`; `reno` with stack `lite`"),
        list List::Factor, "Congestion avoidance that follows the start-up: {names}.";
    HYSTART: Boolean = "hystart", Text("true"), list List::Factor,
        "For start-ups `none` and `standard` with avoidance `cubic`: CUBIC has HyStart, which ends \
         slow start before it overflows a queue. `false` is Linux with the module parameter \
         `hystart` of `tcp_cubic` at 0.";
    CONNECT: ConnectEnd = "connect", Text("receiver"),
        "The end that connects. `receiver` then requests the data. `sender` sends as soon as its \
         handshake is complete.";
    TRAIN: TrainReading = "train", Text("line"),
        "How a start-up derives a rate from the ACKs of a flight: from their least-squares \
         `line`, from their `ends`, or from the `closest` of them. And how `astart` filters its \
         samples: `latest` takes the latest sample instead of the mean of two, `calm` compares \
         with the maximum instability of the connection instead of that of ten samples. And \
         `remaining`: `spaced` sends one segment for each ACK of a flight, then what remains. And \
         `round`: `paced` takes the closest ACKs, and paces for a whole round trip on hosts with \
         a coarse clock too. And `westwood`: a timeout leaves `astart` the BDP at its rate as \
         ssthresh. And when `pair` shapes what follows a recovery: from its first ACK on \
         (`new-ack`), or not for a round trip, but until cwnd is full (`until-full`).";
    INITIAL_WINDOW: Window = "initial_window", Text("host"),
        ranges &[("1 segment", "1000 segments")], list List::Factor,
        "What the sender may send before the first ACK.";
    INITIAL_SSTHRESH: Size = "initial_ssthresh", Other("none"), ranges &[SIZES],
        "The initial ssthresh, at which the first slow start ends.";
    FROM: KnownNode = "from", Other("`sender` of a `[path]`"), list List::Several,
        "The node that sends the data, or several nodes: the copies take them in turn.";
    TO: KnownNode = "to", Other("`receiver` of a `[path]`"), list List::Several,
        "The node that receives the data, or several nodes.";
    SPLIT: KnownNode = "split", Other("none"), list List::Chain,
        "The nodes of the forward path at which the connection is split, from the sender's side to \
         the receiver's.";
    SPLIT_BUFFER: Size = "split_buffer", Text("4 MiB"), ranges &[BUFFERS],
        "With `split`: size of the receive buffer and of the send buffer of each relay.";
    SPLIT_RATE: Rate = "split_rate", Other("as the transfer's TCP sends"), ranges &[RATES],
        "With `split`: the relays send at this rate, counted in IP packets, without congestion \
         control.";
    CONNECTIONS: ConnectionCount = "connections", Text("1"), ranges &[("1", "64")],
        list List::Factor,
        "How many parallel connections carry the payload: a number, or `adaptive`. With \
         `requests` also `multiplexed`: one connection, on which all requests but the first leave \
         at once.";
    DSCP: CodePoint = "dscp", Text("best-effort"), list List::Factor,
        "How the sender marks its IP packets (RFC 2474): `best-effort`, or `ef` for links with \
         `ef_rate`.";
    COUNT: Integer<u32> = "count", Text("1"), ranges &[COUNTS],
        "Copies of the transfer in the same run, each with a result.";
    START: Time = "start", Text("0 s"), ranges &[MOMENTS],
        "Earliest start of the first copy, since the beginning of the run.";
    SPACING: Pause = "spacing", Text("0 s"), ranges &[DELAYS],
        "Time from the start of one copy to the start of the next. With `exponential` and a mean \
         the copies start as a Poisson process.";
    WRITE: Size = "write", Other("all at once"), list List::Chain, ranges &[SIZES],
        "Payload of each write of the sending application, or of several writes, the last of which \
         is repeated.";
    WRITE_EVERY: Time = "write_every", Other("all at once"), list List::Chain,
        ranges &[("1 ns", "3600 s")],
        "With `write`: time from one write to the next, or several times, the last of which is \
         repeated.";
    REQUESTS: Integer<u32> = "requests", Text("1"), ranges &[("1", "10000")],
        "How many requests the receiver sends. The answers share `size` evenly. A connection has \
         one request at a time, and with several `connections` all but the first open when the \
         first answer has arrived.";
    THINK: Pause = "think", Text("0 s"), ranges &[("0 s", "3600 s")],
        "With `requests` on one connection: time from the last byte of an answer to the next \
         request, fixed or, as in `exponential 200 ms`, drawn with a mean. Results leave it out.";
    PLAY: Time = "play", Other("no video"), ranges &[("1 ms", "3600 s")],
        "With `requests`: the answers are segments of a video of this duration. The player asks \
         for the next one when its buffer has room.";
    PLAYER_BUFFER: Time = "player_buffer", Text("30 s"), ranges &[("2 ms", "36000 s")],
        "With `play`: duration of the video that the player buffers, at least two segments.";
    REPEAT: Integer<u32> = "repeat", Text("1"), ranges &[("1", "1000")],
        "How often each case of this table runs.";
}
