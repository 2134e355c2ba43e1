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
use onramp_config::key::{keys, Boolean, Integer, Key, List, Percent, Rate, Size, Table, Time};

pub(crate) static TRANSFER: Table = Table {
    is_required: true,
    keys: KEYS,
    tables: &[&PARAMETERS],
    ..Table::many("transfer", 1000, "transfers to measure")
};

keys! { KEYS:
    LABEL: Label = Key::new(
        "label",
        Other("empty"),
        "Name of the transfer in tables and figures, instead of its choices: 1 to 40 characters. \
         The table may have one choice of each kind only.",
    );
    SIZE: PayloadSize = Key::new(
        "size",
        Required,
        "Payload to transfer. `web-search` and `data-mining` are measured distributions of flow \
         sizes, of which each copy draws one.",
    )
    .ranges(&[SIZES])
    .list(List::Factor);
    IP: IpVersionName = Key::new(
        "ip",
        Text("v4"),
        "The IP version of its packets: {names}. A header of IPv6 has 40 bytes, one of IPv4 has \
         20, so the MSS of an MTU of 1500 bytes is 1440 or 1460. `v6` needs an `mtu` of 1280 bytes \
         or more.",
    )
    .list(List::Factor);
    SEGMENT: Size = Key::new(
        "segment",
        Other("the `mtu` of the route"),
        "Size of the largest IP packet that it is sent in, at most the `mtu` of the route.",
    )
    .ranges(&[MTUS])
    .list(List::Factor);
    TRANSPORT: TransportName = Key::new(
        "transport",
        Text("tcp"),
        "The transport protocol: {names}. The sender of `quic` is noq with the start-ups of \
         onramp-quic ([what it supports](../scenarios.md#quic)).",
    )
    .list(List::Factor);
    STACK: StackName = Key::new("stack", Text("linux"), "The TCP of both hosts: {names}.")
        .list(List::Factor);
    WINDOW_SCALING: Boolean = Key::new(
        "window_scaling",
        STACK_DEFAULT,
        "The sender offers window scaling (RFC 7323). The connection has it if the receiver \
         offers it too.",
    )
    .list(List::Factor);
    ECN: Boolean = Key::new(
        "ecn",
        Text("false"),
        "Both ends use explicit congestion notification (RFC 3168). Queues with `ecn` mark their \
         packets.",
    )
    .list(List::Factor);
    RECOVERY: RecoveryName = Key::new(
        "recovery",
        STACK_DEFAULT,
        "The sender's loss recovery: {names}.",
    )
    .list(List::Factor);
    TIMERS: TimersName = Key::new(
        "timers",
        STACK_DEFAULT,
        "The sender's retransmission timer: {names}.",
    )
    .list(List::Factor);
    CLOCK: Time = Key::new(
        "clock",
        CLOCK_DEFAULT,
        "Granularity with which the sender's host measures time, for timers `rfc6298`, \
         `decoupled` and `ns`, and for start-ups.",
    )
    .ranges(&[GRANULARITIES])
    .list(List::Factor);
    TICK: Time = Key::new(
        "tick",
        CLOCK_DEFAULT,
        "Granularity with which the sender's host schedules paced segments, and timers `rfc6298` \
         and `decoupled`.",
    )
    .ranges(&[GRANULARITIES])
    .list(List::Factor);
    STARTUP: StartupName = Key::new(
        "startup",
        Other("`standard`; `none` with stack `lite`"),
        "Start-up algorithm. `none` runs the avoidance as the host ships it.",
    )
    .list(List::Factor);
    GAMMA: Percent = Key::new(
        "gamma",
        Other("measured by the start-up"),
        "For start-up `gamma`: ssthresh after a loss, as a share of the window.",
    )
    .ranges(&[("1 %", "50 %")])
    .list(List::Factor);
    PACE: Rate = Key::new(
        "pace",
        Other("measured by the start-up"),
        "For start-up `spaced`: the rate of slow start's segments, counted in IP packets.",
    )
    .ranges(&[RATES])
    .list(List::Factor);
    INITIAL_RATE: FirstRate = Key::new(
        "initial_rate",
        Text("auto"),
        "For start-up `onramp`: the rate on the line at which segments leave behind the initial \
         window in the first round trip. `off`: none leave. `auto`: the host \
         learns it from earlier transfers, from 5 Mbit/s on.",
    )
    .ranges(&[RATES])
    .list(List::Factor);
    QOS_RATE: Rate = Key::new(
        "qos_rate",
        Other("required by start-up `qos`"),
        "For start-up `qos`: the rate that the network guarantees, counted in TCP payload. The \
         IP packets need a higher rate.",
    )
    .ranges(&[RATES])
    .list(List::Factor);
    QOS_BURST: Size = Key::new(
        "qos_burst",
        Other("the payload of a millisecond, 2 to 10 segments"),
        "For start-up `qos`: the payload that may leave at once. One segment always may.",
    )
    .ranges(&[BURSTS])
    .list(List::Factor);
    WITHOUT: Idea = Key::new(
        "without",
        Text("nothing"),
        "For start-up `onramp`: the idea that is switched off, to show its contribution: {names} \
         ([what each idea is](../algorithms/onramp.md)).",
    )
    .list(List::Factor);
    SEARCH: Search = Key::new(
        "search",
        Text("draft"),
        "For start-up `search`: its version, {names} ([what they differ \
         in](../algorithms/search.md)).",
    )
    .list(List::Factor);
    MEMORY: MemoryMode = Key::new(
        "memory",
        Text("off"),
        "For start-up `onramp`: later copies use what earlier copies measured of the path, but \
         not while another copy uses it. `careful` follows RFC 9959, `at-once` uses it before the \
         initial window is acknowledged, `off` remembers nothing.",
    )
    .list(List::Factor);
    BYTE_COUNTING: Counting = Key::new(
        "byte_counting",
        Other("of the stack: `1 segment` with `lite`, else `unlimited`"),
        "Maximum growth of the window per ACK in slow start: the limit L of RFC 3465.",
    )
    .ranges(&[("1 segment", "255 segments")])
    .list(List::Factor);
    AVOIDANCE: AvoidanceName = Key::new(
        "avoidance",
        Other("`cubic`; `reno` with stack `lite`"),
        "Congestion avoidance that follows the start-up: {names}.",
    )
    .list(List::Factor);
    HYSTART: Boolean = Key::new(
        "hystart",
        Text("true"),
        "For start-ups `none` and `standard` with avoidance `cubic`: CUBIC has HyStart, which ends \
         slow start before it overflows a queue. `false` is Linux with the module parameter \
         `hystart` of `tcp_cubic` at 0.",
    )
    .list(List::Factor);
    CONNECT: ConnectEnd = Key::new(
        "connect",
        Text("receiver"),
        "The end that connects. `receiver` then requests the data. `sender` sends as soon as its \
         handshake is complete.",
    );
    TRAIN: TrainReading = Key::new(
        "train",
        Text("line"),
        "How a start-up derives a rate from the ACKs of a flight: from their least-squares \
         `line`, from their `ends`, or from the `closest` of them. And how `astart` filters its \
         samples: `latest` takes the latest sample instead of the mean of two, `calm` compares \
         with the maximum instability of the connection instead of that of ten samples. And \
         `remaining`: `spaced` sends one segment for each ACK of a flight, then what remains.",
    );
    INITIAL_WINDOW: Window = Key::new(
        "initial_window",
        Text("host"),
        "What the sender may send before the first ACK.",
    )
    .ranges(&[("1 segment", "1000 segments")])
    .list(List::Factor);
    INITIAL_SSTHRESH: Size = Key::new(
        "initial_ssthresh",
        Other("none"),
        "The initial ssthresh, at which the first slow start ends.",
    )
    .ranges(&[SIZES]);
    FROM: KnownNode = Key::new(
        "from",
        Other("`sender` of a `[path]`"),
        "The node that sends the data, or several nodes: the copies take them in turn.",
    )
    .list(List::Several);
    TO: KnownNode = Key::new(
        "to",
        Other("`receiver` of a `[path]`"),
        "The node that receives the data, or several nodes.",
    )
    .list(List::Several);
    SPLIT: KnownNode = Key::new(
        "split",
        Other("none"),
        "The nodes of the forward path at which the connection is split, from the sender's side to \
         the receiver's.",
    )
    .list(List::Chain);
    SPLIT_BUFFER: Size = Key::new(
        "split_buffer",
        Text("4 MiB"),
        "With `split`: size of the receive buffer and of the send buffer of each relay.",
    )
    .ranges(&[BUFFERS]);
    SPLIT_RATE: Rate = Key::new(
        "split_rate",
        Other("as the transfer's TCP sends"),
        "With `split`: the relays send at this rate, counted in IP packets, without congestion \
         control.",
    )
    .ranges(&[RATES]);
    CONNECTIONS: ConnectionCount = Key::new(
        "connections",
        Text("1"),
        "How many parallel connections carry the payload: a number, or `adaptive`. With \
         `requests` also `multiplexed`: one connection, on which all requests but the first leave \
         at once.",
    )
    .ranges(&[("1", "64")])
    .list(List::Factor);
    DSCP: CodePoint = Key::new(
        "dscp",
        Text("best-effort"),
        "How the sender marks its IP packets (RFC 2474): `best-effort`, or `ef` for links with \
         `ef_rate`.",
    )
    .list(List::Factor);
    COUNT: Integer<u32> = Key::new(
        "count",
        Text("1"),
        "Copies of the transfer in the same run, each with a result.",
    )
    .ranges(&[COUNTS]);
    START: Time = Key::new(
        "start",
        Text("0 s"),
        "Earliest start of the first copy, since the beginning of the run.",
    )
    .ranges(&[MOMENTS]);
    SPACING: Pause = Key::new(
        "spacing",
        Text("0 s"),
        "Time from the start of one copy to the start of the next. With `exponential` and a mean \
         the copies start as a Poisson process.",
    )
    .ranges(&[DELAYS]);
    WRITE: Size = Key::new(
        "write",
        Other("all at once"),
        "Payload of each write of the sending application, or of several writes, the last of which \
         is repeated.",
    )
    .list(List::Chain)
    .ranges(&[SIZES]);
    WRITE_EVERY: Time = Key::new(
        "write_every",
        Other("all at once"),
        "With `write`: time from one write to the next, or several times, the last of which is \
         repeated.",
    )
    .list(List::Chain)
    .ranges(&[("1 ns", "3600 s")]);
    REQUESTS: Integer<u32> = Key::new(
        "requests",
        Text("1"),
        "How many requests the receiver sends. The answers share `size` evenly. A connection has \
         one request at a time, and with several `connections` all but the first open when the \
         first answer has arrived.",
    )
    .ranges(&[("1", "10000")]);
    THINK: Pause = Key::new(
        "think",
        Text("0 s"),
        "With `requests` on one connection: time from the last byte of an answer to the next \
         request, fixed or, as in `exponential 200 ms`, drawn with a mean. Results leave it out.",
    )
    .ranges(&[("0 s", "3600 s")]);
    PLAY: Time = Key::new(
        "play",
        Other("no video"),
        "With `requests`: the answers are segments of a video of this duration. The player asks \
         for the next one when its buffer has room.",
    )
    .ranges(&[("1 ms", "3600 s")]);
    PLAYER_BUFFER: Time = Key::new(
        "player_buffer",
        Text("30 s"),
        "With `play`: duration of the video that the player buffers, at least two segments.",
    )
    .ranges(&[("2 ms", "36000 s")]);
    REPEAT: Integer<u32> = Key::new(
        "repeat",
        Text("1"),
        "How often each case of this table runs.",
    )
    .ranges(&[("1", "1000")]);
}
