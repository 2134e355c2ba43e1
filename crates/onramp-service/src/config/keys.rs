//! The keys of the configuration, for the reader, its messages and the reference.

use super::values::{
    AvoidanceName, Budget, CgroupPath, Destination, Endpoint, ErrorRate, FirstRate, GovernorBound,
    Interval, IpFamily, Jump, Lifetime, MemoryMode, MinConnections, PaperWindow, Percentage,
    PolicyName, Ports, ReceiveLimit, ReceiveWindow, Retransmissions, Slowdown, StartupName,
    TextFile, TimerValue, Unit, UserId,
};
use onramp_config::key::Fallback::{Other, Required, Text};
use onramp_config::key::{keys, AnyKey, List, Table};
use onramp_kernel::policy::MAX_POLICIES;

/// The top level.
pub(super) static TOP: Table = Table {
    tables: &[&SERVICE, &POLICY],
    ..Table::one("", "the configuration of the service")
};

/// The table of the service.
pub(super) static SERVICE: Table = Table {
    keys: SERVICE_KEYS,
    ..Table::one("service", "settings of the service")
};

/// The tables of policies.
pub(super) static POLICY: Table = Table {
    keys: POLICY_KEYS,
    may_be_empty: true,
    ..Table::many("policy", MAX_POLICIES, "connections and their start-up")
};

keys! {
    /// The keys of `[service]`.
    pub SERVICE_KEYS:
    METRICS: Endpoint = "metrics", Other("\"127.0.0.1:9464\""), list List::Several,
        "Where the HTTP endpoint for Prometheus listens (`/metrics`)";
    TEXT_FILE: TextFile = "text_file", Other("none"),
        "The metrics are also written into this file, for node_exporter";
    INTERVAL: Interval = "interval", Other("\"5 s\""),
        "How often the counts are read and the groups compared";
    ERROR_RATE: ErrorRate = "error_rate", Other("\"1 %\""),
        "The probability that a start-up that is not worse than its control group is ever switched \
         off";
    SLOWDOWN: Slowdown = "tolerated_slowdown", Other("\"3 %\""),
        "A start-up that is slower than its control group by no more is not switched off";
    RETRANSMISSIONS: Retransmissions = "tolerated_retransmissions", Other("\"0.2 %\""),
        "Nor is one whose retransmitted share is larger by no more";
    MIN_CONNECTIONS: MinConnections = "min_connections", Other("200"),
        "Groups are compared when each has so many measured connections";
    RECEIVE_LIMIT: ReceiveLimit = "receive_limit", Other("\"256 MiB\""),
        "What the receive buffers that `receive_window` raises may gain together. Connections \
         beyond it begin with the host's buffer";
}

keys! {
    /// The keys of `[[policy]]`.
    pub POLICY_KEYS:
    NAME: PolicyName = "name", Required,
        "Identifies the policy in metrics and in logs. Its counts go on under this name when the \
         configuration changes";
    DESTINATION: Destination = "destination", Other("any"), list List::Several,
        "Connections to these addresses";
    LOCAL_PORT: Ports = "local_port", Other("any"), list List::Several,
        "Connections, accepted or opened, whose port on this host is one of these";
    CGROUP: CgroupPath = "cgroup", Other("any"), list List::Several,
        "Connections of processes in these cgroups, or in cgroups below them";
    UNIT: Unit = "unit", Other("any"), list List::Several,
        "Connections of these systemd units, wherever their cgroups are. A unit need not run yet";
    USER: UserId = "user", Other("any"), list List::Several,
        "Connections whose socket was made by these users. A server that opens its port as root, \
         as nginx does, is user 0";
    FAMILY: IpFamily = "family", Other("both"), "Connections over this version of IP";
    RECEIVE_WINDOW: ReceiveWindow = "receive_window", Other("that of the host, 64 KiB"),
        "The receive window that the connections offer at first, for what this host downloads \
         (docs/receiver.md)";
    STARTUP: StartupName = "startup", Required,
        "What the connections get. With \"none\" the policy leaves its connections alone and \
         counts nothing";
    // Only with a start-up:
    PERCENT: Percentage = "percent", Other("100"),
        "Percentage of the connections that get the start-up, chosen at random for each \
         connection. The others are the control group. With 100 there is none, hence no \
         comparison: only a `retransmission_budget` would switch the start-up off";
    AVOIDANCE: AvoidanceName = "avoidance", Other("that of the host"),
        "The congestion avoidance that follows the start-up";
    INITIAL_WINDOW: PaperWindow = "initial_window", Other("\"host\""),
        "The initial window: that of the host, or that of RFC 3390";
    MEMORY: MemoryMode = "memory", Other("\"off\""),
        "Whether the BDP of a path is remembered for later connections";
    MEMORY_LIFETIME: Lifetime = "memory_lifetime", Other("\"600 s\""), "How long it is remembered";
    MEMORY_JUMP: Jump = "memory_jump", Other("100 segments"),
        "With \"at-once\": what may be sent behind the initial window before an ACK arrives";
    GOVERNOR: GovernorBound = "governor", Other("\"on\" (25 %)"),
        "Where start-ups retransmit more than this share of their segments on average, 15 of 16 \
         new connections begin with slow start";
    INITIAL_RATE: FirstRate = "initial_rate", Text("auto"),
        "For start-up `onramp`: the rate on the line at which segments leave behind the initial \
         window in the first round trip. `off`: none leave. `auto`: learned from \
         earlier connections, from 5 Mbit/s on";
    RTO_MIN: TimerValue = "rto_min", Other("the kernel's, 200 ms"),
        "The least that the retransmission timeout exceeds the RTT";
    DELACK_MAX: TimerValue = "delack_max", Other("the kernel's, 200 ms"),
        "The longest that an ACK is delayed";
    BUDGET: Budget = "retransmission_budget", Other("none"),
        "If the connections with the start-up retransmit more than this share of their segments, \
         it is switched off, whatever the control group does";
}

/// The keys of `[[policy]]` that only a policy with a start-up can have: those behind `startup`.
pub(super) fn startup_keys() -> impl Iterator<Item = &'static dyn AnyKey> {
    let names = POLICY_KEYS.iter().copied();
    names
        .skip_while(|key| key.facts().name != STARTUP.name())
        .skip(1)
}
