//! The keys of the configuration, for the reader, its messages and the reference.

/// The table of the service.
pub(super) const SERVICE: &str = "service";
/// The tables of policies.
pub(super) const POLICY: &str = "policy";

/// A key of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value may be, with an example.
    pub expected: &'static str,
    /// The value if it is not given.
    pub default: &'static str,
    /// What it does.
    pub summary: &'static str,
}

macro_rules! keys {
    ($($name:ident: $text:literal, $expected:literal, $default:literal, $summary:literal;)*) => {
        $(pub(super) const $name: Key = Key {
            name: $text,
            expected: $expected,
            default: $default,
            summary: $summary,
        };)*
    };
}

keys! {
    METRICS: "metrics",
        "an address and a port such as \"127.0.0.1:9464\", a list of them, or \"off\"",
        "\"127.0.0.1:9464\"",
        "Where the HTTP endpoint for Prometheus listens (`/metrics`)";
    TEXT_FILE: "text_file",
        "the whole path of a file whose name ends with .prom",
        "none",
        "The metrics are also written into this file, for node_exporter";
    INTERVAL: "interval",
        "a time from 100 ms to 1 h, such as \"5 s\"",
        "\"5 s\"",
        "How often the counts are read and the groups compared";
    ERROR_RATE: "error_rate",
        "a share between 0 % and 50 %, such as \"1 %\"",
        "\"1 %\"",
        "The probability that a start-up that is not worse than its control group is ever switched \
         off";
    SLOWDOWN: "tolerated_slowdown",
        "a share from 0 % to 100 %, such as \"3 %\"",
        "\"3 %\"",
        "A start-up that is slower than its control group by no more is not switched off";
    RETRANSMISSIONS: "tolerated_retransmissions",
        "a share from 0 % to 100 %, such as \"0.2 %\"",
        "\"0.2 %\"",
        "Nor is one whose retransmitted share is larger by no more";
    MIN_CONNECTIONS: "min_connections",
        "a number from 1 to 1000000000",
        "200",
        "Groups are compared when each has so many measured connections";

    NAME: "name",
        "letters, digits, - and _, at most 63",
        "required",
        "Identifies the policy in metrics and in logs. Its counts go on under this name when the \
         configuration changes";
    DESTINATION: "destination",
        "an address or a prefix such as \"192.0.2.0/24\" or \"2001:db8::/32\", or a list of them",
        "any",
        "Connections to these addresses";
    LOCAL_PORT: "local_port",
        "a port such as 443, a range such as \"8000-8100\", or a list of them",
        "any",
        "Connections, accepted or opened, whose port on this host is one of these";
    CGROUP: "cgroup",
        "the path of a cgroup below the root, such as \"/system.slice\", or a list of them",
        "any",
        "Connections of processes in these cgroups, or in cgroups below them";
    UNIT: "unit",
        "the name of a systemd unit such as \"nginx.service\", or a list of them",
        "any",
        "Connections of these systemd units, wherever their cgroups are. A unit need not run yet";
    USER: "user",
        "the name of a user, a user id, or a list of them",
        "any",
        "Connections whose socket was made by these users. A server that opens its port as root, \
         as nginx does, is user 0";
    FAMILY: "family",
        "\"ipv4\" or \"ipv6\"",
        "both",
        "Connections over this version of IP";
    STARTUP: "startup",
        "the name of a start-up (`onramp list`), or \"none\"",
        "required",
        "What the connections get. With \"none\" the policy leaves its connections alone and \
         counts nothing";
    PERCENT: "percent",
        "a number from 0 to 100",
        "100",
        "Percentage of the connections that get the start-up, chosen at random for each \
         connection. The others are the control group. With 100 there is none, hence no \
         comparison: only a `retransmission_budget` would switch the start-up off";
    AVOIDANCE: "avoidance",
        "\"cubic\", \"bbr\" or \"reno\"",
        "that of the host",
        "The congestion avoidance that follows the start-up";
    INITIAL_WINDOW: "initial_window",
        "\"host\" or \"paper\"",
        "\"host\"",
        "The initial window: that of the host, or that of RFC 3390";
    MEMORY: "memory",
        "\"off\", \"careful\" or \"at-once\"",
        "\"off\"",
        "Whether the BDP of a path is remembered for later connections";
    MEMORY_LIFETIME: "memory_lifetime",
        "a time above 0, such as \"600 s\"",
        "\"600 s\"",
        "How long it is remembered";
    MEMORY_JUMP: "memory_jump",
        "a size above 0, such as \"64 KiB\"",
        "100 segments",
        "With \"at-once\": what may be sent behind the initial window before an ACK arrives";
    GOVERNOR: "governor",
        "\"on\", \"off\", or a share above 0 % and at most 100 % such as \"10 %\"",
        "\"on\" (25 %)",
        "Where start-ups retransmit more than this share of their segments on average, 15 of 16 \
         new connections begin with slow start";
    BUDGET: "retransmission_budget",
        "a share above 0 % and at most 100 %, such as \"5 %\"",
        "none",
        "If the connections with the start-up retransmit more than this share of their segments, \
         it is switched off, whatever the control group does";
}

/// The keys of `[service]`.
pub const SERVICE_KEYS: &[Key] = &[
    METRICS,
    TEXT_FILE,
    INTERVAL,
    ERROR_RATE,
    SLOWDOWN,
    RETRANSMISSIONS,
    MIN_CONNECTIONS,
];

/// The keys of `[[policy]]`.
pub const POLICY_KEYS: &[Key] = &[
    NAME,
    DESTINATION,
    LOCAL_PORT,
    CGROUP,
    UNIT,
    USER,
    FAMILY,
    STARTUP,
    // Only with a start-up:
    PERCENT,
    AVOIDANCE,
    INITIAL_WINDOW,
    MEMORY,
    MEMORY_LIFETIME,
    MEMORY_JUMP,
    GOVERNOR,
    BUDGET,
];

/// The keys of `[[policy]]` that only a policy with a start-up can have: those behind `startup`.
pub(super) fn startup_keys() -> impl Iterator<Item = &'static Key> {
    POLICY_KEYS
        .iter()
        .skip_while(|key| **key != STARTUP)
        .skip(1)
}
