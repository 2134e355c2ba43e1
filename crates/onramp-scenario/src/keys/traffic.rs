//! The keys of `[[traffic]]`.

use super::defaults::{CLOCK_DEFAULT, STACK_DEFAULT};
use super::kinds::{
    AvoidanceName, CodePoint, ConnectEnd, DistributionName, IpVersionName, KnownNode, PayloadSize,
    RecoveryName, StackName, StartupName, TimersName, TrafficName,
};
use super::limits::{BURSTS, COUNTS, GRANULARITIES, MOMENTS, SIZES};
use crate::channel::limits::{DELAYS, RATES};
use onramp_config::key::Fallback::{Other, Text};
use onramp_config::key::{keys, Boolean, Frequency, Integer, Key, List, Rate, Size, Table, Time};

pub(crate) static TRAFFIC: Table = Table {
    keys: KEYS,
    ..Table::many("traffic", 64, "other traffic on the network")
};

/// Mean times of `on-off`.
const TURNS: (&str, &str) = ("1 us", "3600 s");

keys! { KEYS:
    KIND: TrafficName = Key::new(
        "kind",
        Text("transfer"),
        "What the traffic consists of: {names}.",
    );
    IP: IpVersionName = Key::new(
        "ip",
        Text("v4"),
        "For transfers: the IP version of their packets, as `transfer.ip`.",
    );
    STACK: StackName = Key::new(
        "stack",
        Text("linux"),
        "For transfers: the TCP of both hosts.",
    );
    ECN: Boolean = Key::new(
        "ecn",
        Text("false"),
        "For transfers: both ends of each use explicit congestion notification (RFC 3168).",
    );
    RECOVERY: RecoveryName = Key::new(
        "recovery",
        STACK_DEFAULT,
        "For transfers: the sender's loss recovery.",
    );
    TIMERS: TimersName = Key::new(
        "timers",
        STACK_DEFAULT,
        "For transfers: the sender's retransmission timer.",
    );
    CLOCK: Time = Key::new(
        "clock",
        CLOCK_DEFAULT,
        "For transfers: granularity with which the sender's host measures time.",
    )
    .ranges(&[GRANULARITIES]);
    TICK: Time = Key::new(
        "tick",
        CLOCK_DEFAULT,
        "For transfers: granularity with which the sender's host schedules events.",
    )
    .ranges(&[GRANULARITIES]);
    STARTUP: StartupName = Key::new(
        "startup",
        Text("none"),
        "For transfers: the start-up algorithm of each.",
    );
    QOS_RATE: Rate = Key::new(
        "qos_rate",
        Other("required by start-up `qos`"),
        "For transfers with start-up `qos`: the rate that the network guarantees to each, as \
         `transfer.qos_rate`.",
    )
    .ranges(&[RATES]);
    QOS_BURST: Size = Key::new(
        "qos_burst",
        Other("the payload of a millisecond, 2 to 10 segments"),
        "For transfers with start-up `qos`: the payload of each that may leave at once.",
    )
    .ranges(&[BURSTS]);
    AVOIDANCE: AvoidanceName = Key::new(
        "avoidance",
        Other("`cubic`; `reno` with stack `lite`"),
        "For transfers: the congestion avoidance of each.",
    );
    CONNECT: ConnectEnd = Key::new(
        "connect",
        Text("receiver"),
        "For transfers: the end that connects, as `transfer.connect`.",
    );
    INITIAL_SSTHRESH: Size = Key::new(
        "initial_ssthresh",
        Other("none"),
        "For transfers: the initial ssthresh of each.",
    )
    .ranges(&[SIZES]);
    SIZE: PayloadSize = Key::new(
        "size",
        Other("without end"),
        "For transfers: the payload of each, or several sizes, of which each transfer draws one. \
         Or a measured distribution, as in `transfer.size`.",
    )
    .ranges(&[SIZES])
    .list(List::Several);
    COUNT: Integer<u32> = Key::new(
        "count",
        Other("1; with `arrivals` as many as arrive"),
        "For transfers: how many there are.",
    )
    .ranges(&[COUNTS]);
    ARRIVALS: Frequency = Key::new(
        "arrivals",
        Other("all at once"),
        "For transfers: the mean number that start per second, as a Poisson process.",
    )
    .ranges(&[("0.000001 /s", "1000000 /s")]);
    MEASURED: Boolean = Key::new(
        "measured",
        Text("false"),
        "For transfers: each has a result too.",
    );
    RATE: Rate = Key::new(
        "rate",
        Other("required"),
        "For `constant`, `poisson` and `on-off`: the rate of IP packets while the traffic sends. \
         For `poisson` it is the mean rate.",
    )
    .ranges(&[RATES]);
    PACKET: Size = Key::new(
        "packet",
        Other("`1500 B`, or the `mtu` of the route if that is less"),
        "For `constant`, `poisson` and `on-off`: size of each IP packet.",
    )
    .ranges(&[("28 B", "9000 B")]);
    ON: Time = Key::new("on", Other("required"), "For `on-off`: mean time of sending.")
        .ranges(&[TURNS]);
    OFF: Time = Key::new("off", Other("required"), "For `on-off`: mean time of silence.")
        .ranges(&[TURNS]);
    DISTRIBUTION: DistributionName = Key::new(
        "distribution",
        Text("exponential"),
        "For `on-off`: the distribution of both times, {names}.",
    );
    DSCP: CodePoint = Key::new(
        "dscp",
        Text("best-effort"),
        "How the sender marks its IP packets: {names}.",
    );
    FROM: KnownNode = Key::new(
        "from",
        Other("`sender` of a `[path]`"),
        "The node that sends the data.",
    );
    TO: KnownNode = Key::new(
        "to",
        Other("`receiver` of a `[path]`"),
        "The node that receives the data.",
    );
    LEAD: Time = Key::new(
        "lead",
        Other("5 s, without `start`"),
        "How long before the transfer the traffic starts.",
    )
    .ranges(&[DELAYS]);
    START: Time = Key::new(
        "start",
        Other("by `lead`"),
        "When the traffic starts, since the beginning of the run.",
    )
    .ranges(&[MOMENTS]);
    STOP: Time = Key::new(
        "stop",
        Other("the end of the run"),
        "When the traffic stops, since the beginning of the run.",
    )
    .ranges(&[MOMENTS]);
}
