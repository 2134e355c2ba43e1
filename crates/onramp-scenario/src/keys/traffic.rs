//! The keys of `[[traffic]]`.

use super::defaults::{CLOCK_DEFAULT, STACK_DEFAULT};
use super::kinds::{
    AvoidanceName, CodePoint, ConnectEnd, DistributionName, IpVersionName, KnownNode, PayloadSize,
    RecoveryName, StackName, StartupName, TimersName, TrafficName,
};
use super::limits::{BURSTS, COUNTS, GRANULARITIES, MOMENTS, SIZES};
use crate::channel::limits::{DELAYS, RATES};
use onramp_config::key::Fallback::{Other, Text};
use onramp_config::key::{keys, Boolean, Frequency, Integer, List, Rate, Size, Table, Time};

pub(crate) static TRAFFIC: Table = Table {
    keys: KEYS,
    ..Table::many("traffic", 64, "other traffic on the network")
};

/// Mean times of `on-off`.
const TURNS: (&str, &str) = ("1 us", "3600 s");

keys! { KEYS:
    KIND: TrafficName = "kind", Text("transfer"), "What the traffic consists of: {names}.";
    IP: IpVersionName = "ip", Text("v4"),
        "For transfers: the IP version of their packets, as `transfer.ip`.";
    STACK: StackName = "stack", Text("linux"), "For transfers: the TCP of both hosts.";
    ECN: Boolean = "ecn", Text("false"),
        "For transfers: both ends of each use explicit congestion notification (RFC 3168).";
    RECOVERY: RecoveryName = "recovery", STACK_DEFAULT,
        "For transfers: the sender's loss recovery.";
    TIMERS: TimersName = "timers", STACK_DEFAULT,
        "For transfers: the sender's retransmission timer.";
    CLOCK: Time = "clock", CLOCK_DEFAULT, ranges &[GRANULARITIES],
        "For transfers: granularity with which the sender's host measures time.";
    TICK: Time = "tick", CLOCK_DEFAULT, ranges &[GRANULARITIES],
        "For transfers: granularity with which the sender's host schedules events.";
    STARTUP: StartupName = "startup", Text("none"),
        "For transfers: the start-up algorithm of each.";
    QOS_RATE: Rate = "qos_rate", Other("required by start-up `qos`"), ranges &[RATES],
        "For transfers with start-up `qos`: the rate that the network guarantees to each, as \
         `transfer.qos_rate`.";
    QOS_BURST: Size = "qos_burst", Other("the payload of a millisecond, 2 to 10 segments"),
        ranges &[BURSTS],
        "For transfers with start-up `qos`: the payload of each that may leave at once.";
    AVOIDANCE: AvoidanceName = "avoidance", Other("`cubic`; `reno` with stack `lite`"),
        "For transfers: the congestion avoidance of each.";
    CONNECT: ConnectEnd = "connect", Text("receiver"),
        "For transfers: the end that connects, as `transfer.connect`.";
    INITIAL_SSTHRESH: Size = "initial_ssthresh", Other("none"), ranges &[SIZES],
        "For transfers: the initial ssthresh of each.";
    SIZE: PayloadSize = "size", Other("without end"), ranges &[SIZES], list List::Several,
        "For transfers: the payload of each, or several sizes, of which each transfer draws one. \
         Or a measured distribution, as in `transfer.size`.";
    COUNT: Integer<u32> = "count", Other("1; with `arrivals` as many as arrive"), ranges &[COUNTS],
        "For transfers: how many there are.";
    ARRIVALS: Frequency = "arrivals", Other("all at once"), ranges &[("0.000001 /s", "1000000 /s")],
        "For transfers: the mean number that start per second, as a Poisson process.";
    MEASURED: Boolean = "measured", Text("false"), "For transfers: each has a result too.";
    RATE: Rate = "rate", Other("required"), ranges &[RATES],
        "For `constant`, `poisson` and `on-off`: the rate of IP packets while the traffic sends. \
         For `poisson` it is the mean rate.";
    PACKET: Size = "packet", Other("`1500 B`, or the `mtu` of the route if that is less"),
        ranges &[("28 B", "9000 B")],
        "For `constant`, `poisson` and `on-off`: size of each IP packet.";
    ON: Time = "on", Other("required"), ranges &[TURNS], "For `on-off`: mean time of sending.";
    OFF: Time = "off", Other("required"), ranges &[TURNS], "For `on-off`: mean time of silence.";
    DISTRIBUTION: DistributionName = "distribution", Text("exponential"),
        "For `on-off`: the distribution of both times, {names}.";
    DSCP: CodePoint = "dscp", Text("best-effort"), "How the sender marks its IP packets: {names}.";
    FROM: KnownNode = "from", Other("`sender` of a `[path]`"), "The node that sends the data.";
    TO: KnownNode = "to", Other("`receiver` of a `[path]`"), "The node that receives the data.";
    LEAD: Time = "lead", Other("5 s, without `start`"), ranges &[DELAYS],
        "How long before the transfer the traffic starts.";
    START: Time = "start", Other("by `lead`"), ranges &[MOMENTS],
        "When the traffic starts, since the beginning of the run.";
    STOP: Time = "stop", Other("the end of the run"), ranges &[MOMENTS],
        "When the traffic stops, since the beginning of the run.";
}
