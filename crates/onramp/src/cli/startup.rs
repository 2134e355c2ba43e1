//! The options of the commands that register start-ups with the kernel: `load`, `unload`, `exec`,
//! `memory` and `qos`.

use clap::{Args, ValueEnum};
use onramp_cli::startup::{avoidances, memories, startups};
use onramp_config::units;
use onramp_core::governor::BOUND_PPM;
use onramp_core::memory::Memory;
use onramp_core::InitialRate;
use onramp_kernel::{Avoidance, Timer, Timers};
use std::ffi::OsString;
use std::fmt::Display;
use std::net::IpAddr;
use std::path::{Component, PathBuf};

#[derive(Args)]
pub struct StartupArguments {
    /// The congestion avoidance that follows the start-up [default of `load`: that of this host,
    /// if it is cubic, bbr or reno, otherwise cubic. Default of `exec`: that of `load`, if it has
    /// registered the start-up, otherwise cubic]
    #[arg(long, value_parser = avoidances())]
    pub avoidance: Option<Avoidance>,
    /// The initial window: `host` is that of this host (usually 10 segments), `paper` is that of
    /// RFC 3390 as in Aron & Druschel (about 3 segments)
    #[arg(long, value_enum, default_value_t = FirstWindow::Host)]
    pub initial_window: FirstWindow,
    /// For start-up `onramp`: send packet pairs if the peer supports them
    /// (docs/algorithms/onramp.md). Start-up `pair` always sends them
    #[arg(long)]
    pub packet_pairs: bool,
    /// For start-up `onramp`: remember the BDP and the RTT of a path for later connections.
    /// `careful` uses them as RFC 9959 does, `at-once` from the first packet [default: off]
    #[arg(long, value_parser = memories(), value_name = "HOW")]
    pub memory: Option<Memory>,
    /// Forget a path after this time, for example "600 s" [default: 600 s]
    #[arg(long, value_name = "TIME", value_parser = memory_lifetime, requires = "memory")]
    pub memory_lifetime: Option<u64>,
    /// With `at-once`: send at most this much behind the initial window before an ACK arrives, for
    /// example "64 KiB" [default: 100 segments, some 145 kB]
    #[arg(long, value_name = "SIZE", value_parser = size_above_0, requires = "memory")]
    pub memory_jump: Option<u64>,
    /// The governor: let new connections begin with slow start while start-ups retransmit more than
    /// this share of their segments on average, for example "10 %". `on` is 25 %
    #[arg(long, value_name = "on|off|SHARE", default_value = "on", value_parser = governor_bound)]
    pub governor: u32,
    /// The rate on the line at which segments leave behind the initial window in the first round
    /// trip, for example "10 Mbit/s". `auto`: the host learns it from earlier connections, from 5
    /// Mbit/s on; with `off` none leave (docs/algorithms/onramp.md)
    #[arg(long, value_name = "auto|off|RATE", default_value = "auto", value_parser = initial_rate)]
    pub initial_rate: InitialRate,
    #[command(flatten)]
    pub timers: TimerArguments,
}

#[derive(Args)]
pub struct TimerArguments {
    /// Let the retransmission timeout exceed the RTT by this at least, instead of by 200 ms, for
    /// example "20 ms" (docs/kernel.md says when this is safe) [default: the kernel's]
    #[arg(long, value_name = "TIME", value_parser = timer)]
    pub rto_min: Option<Timer>,
    /// Delay ACKs by this at most, for example "10 ms" [default: the kernel's, 200 ms, of
    /// which Linux usually takes 40 ms]
    #[arg(long, value_name = "TIME", value_parser = timer)]
    pub delack_max: Option<Timer>,
}

impl TimerArguments {
    pub fn timers(&self) -> Timers {
        Timers {
            rto_min: self.rto_min,
            delack_max: self.delack_max,
        }
    }
}

/// Parses what leaves in the first round trip.
fn initial_rate(text: &str) -> Result<InitialRate, String> {
    const EXPECTED: &str = "expected auto, off, or a rate above 0, for example \"10 Mbit/s\"";
    InitialRate::parse(text, units::parse_rate).map_err(|error| format!("{error}; {EXPECTED}"))
}

/// Parses a time that the kernel takes for a timer.
fn timer(text: &str) -> Result<Timer, String> {
    let ns = units::parse_time(text).map_err(|error| error.to_string())?;
    Timer::from_ns(ns).map_err(|error| error.to_string())
}

/// Parses a size above 0 into bytes.
pub(super) fn size_above_0(text: &str) -> Result<u64, String> {
    let expected = "expected a size above 0, for example \"64 KiB\"";
    above_0(units::parse_size(text), expected)
}

/// Parses the bound of the governor into parts per million; 0: off.
fn governor_bound(text: &str) -> Result<u32, String> {
    let expected = "expected on, off, or a share above 0 %, for example \"10 %\"";
    match text {
        "on" => Ok(BOUND_PPM),
        "off" => Ok(0),
        share => above_0(units::parse_percent(share), expected),
    }
}

/// Parses a lifetime into nanoseconds.
fn memory_lifetime(text: &str) -> Result<u64, String> {
    let expected = "expected a time above 0, for example \"600 s\"";
    above_0(units::parse_time(text), expected)
}

/// The parsed value, unless it is 0.
fn above_0<T: Default + PartialEq>(
    parsed: Result<T, impl Display>,
    expected: &str,
) -> Result<T, String> {
    match parsed {
        Ok(value) if value == T::default() => Err(expected.to_owned()),
        parsed => parsed.map_err(|error| format!("{error}; {expected}")),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FirstWindow {
    Host,
    Paper,
}

#[derive(Args)]
pub struct LoadArguments {
    /// The start-up to register
    #[arg(default_value = onramp_core::DEFAULT_STARTUP, value_parser = startups())]
    pub startup: String,
    #[command(flatten)]
    pub options: StartupArguments,
    /// Make it the default of this network namespace: all new connections that choose no other
    /// congestion control use it. `unload` puts back what was the default before
    #[arg(long)]
    pub default: bool,
    /// Only processes with CAP_NET_ADMIN may choose it, and only the host's first network namespace
    /// may have it as its default (docs/kernel.md)
    #[arg(long, conflicts_with = "default")]
    pub restricted: bool,
    #[command(flatten)]
    pub limits: LimitArguments,
}

#[derive(Args)]
pub struct SsArguments {
    /// Show only what all connections did so far
    #[arg(short, long)]
    pub summary: bool,
}

#[derive(Args)]
pub struct UnloadArguments {
    /// The start-up to remove [default: the one that is registered, if there is only one]
    #[arg(value_name = "STARTUP")]
    pub startup: Option<String>,
    /// Remove all that `load` registered
    #[arg(long, conflicts_with = "startup")]
    pub all: bool,
    /// Also move its live connections and its listening sockets to the default of their network
    /// namespace, in all network namespaces
    #[arg(long)]
    pub live: bool,
    /// Move them to this congestion control instead, for example cubic
    #[arg(long, value_name = "NAME", requires = "live")]
    pub to: Option<String>,
}

#[derive(Args)]
pub struct ExecArguments {
    /// The start-up to use [default: onramp; with --qos-rate: qos]
    #[arg(long, value_parser = startups())]
    pub startup: Option<String>,
    #[command(flatten)]
    pub options: StartupArguments,
    /// Reserve this payload rate, for example "5 Mbit/s", for each connection that reserves none
    /// itself (start-up `qos`)
    #[arg(long, value_name = "RATE", value_parser = reserved_rate)]
    pub qos_rate: Option<u64>,
    /// Depth of the token bucket: this much may leave at once [default: about a millisecond at the
    /// rate, 2 to 10 segments]
    #[arg(long, value_name = "SIZE", value_parser = burst, requires = "qos_rate")]
    pub qos_burst: Option<u32>,
    /// Print the events of the start-ups on standard error, one per line; with --json as objects
    #[arg(long)]
    pub events: bool,
    /// Send these events to the journal of systemd instead, with fields
    #[arg(long, requires = "events")]
    pub journal: bool,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

#[derive(Args)]
pub struct MemoryArguments {
    /// Delete what is remembered about the paths to this address, or about all paths
    #[arg(long, value_name = "ADDRESS|all", value_parser = destination)]
    pub forget: Option<Destination>,
}

/// The destination of a path; `None` stands for all destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination(pub Option<IpAddr>);

fn destination(text: &str) -> Result<Destination, String> {
    match text {
        "all" => Ok(Destination(None)),
        address => match address.parse::<IpAddr>() {
            Ok(address) => Ok(Destination(Some(address.to_canonical()))),
            Err(_) => Err(
                "expected an IP address, for example 192.0.2.1 or 2001:db8::1, or all".to_owned(),
            ),
        },
    }
}

#[derive(Args)]
pub struct QosArguments {
    #[command(flatten)]
    pub limits: LimitArguments,
}

#[derive(Args)]
pub struct LimitArguments {
    /// For start-up `qos`: the total payload rate that may be reserved on this host, for example
    /// "1 Gbit/s" [default of `load qos`: 100 Mbit/s]
    #[arg(long, value_name = "RATE", value_parser = reserved_rate)]
    pub total: Option<u64>,
    /// For start-up `qos`: the payload rate that each user may reserve where only the host has a
    /// limit [default: a quarter of --total]
    #[arg(long, value_name = "RATE", value_parser = reserved_rate)]
    pub per_user: Option<u64>,
    /// For start-up `qos`: the payload rate that may be reserved in a cgroup and its descendants,
    /// for example system.slice="10 Mbit/s"
    #[arg(long = "limit", value_name = "CGROUP=RATE", value_parser = cgroup_limit)]
    pub cgroups: Vec<(PathBuf, u64)>,
}

impl LimitArguments {
    pub fn is_empty(&self) -> bool {
        self.total.is_none() && self.per_user.is_none() && self.cgroups.is_empty()
    }
}

/// Parses a rate into bytes of payload per second.
fn reserved_rate(text: &str) -> Result<u64, String> {
    let bits_per_s = units::parse_rate(text).map_err(|error| error.to_string())?;
    Ok(bits_per_s.div_ceil(8))
}

fn cgroup_limit(text: &str) -> Result<(PathBuf, u64), String> {
    let expected = "expected a cgroup and a rate, for example system.slice=\"10 Mbit/s\"";
    let (cgroup, rate) = text.rsplit_once('=').ok_or(expected)?;
    let cgroup = PathBuf::from(cgroup);
    // Without a name it would be the root of the hierarchy, whose limit is the host's.
    if !cgroup
        .components()
        .any(|part| matches!(part, Component::Normal(_)))
    {
        return Err(format!("{expected}; the limit of the host is --total"));
    }
    Ok((cgroup, reserved_rate(rate)?))
}

fn burst(text: &str) -> Result<u32, String> {
    let bytes = units::parse_size(text).map_err(|error| error.to_string())?;
    u32::try_from(bytes).map_err(|_| "expected a size below 4 GiB".to_owned())
}
