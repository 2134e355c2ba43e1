//! The values of keys: their texts in a file, and their types in the program.

use super::cgroup::{cgroup, is_unit};
use super::mistake::{wrong_value, Mistake};
use nix::unistd::User;
use onramp_config::key::{Form, KeyPlace, Kind, Known};
use onramp_config::{shown, units, AnyMistake};
use onramp_core::InitialRate;
use onramp_kernel::policy::{Cgroup, Family, Prefix};
use onramp_kernel::{max_window_bytes, Avoidance, Memory, Timer};
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;
use toml::de::DeValue;

/// Declares kinds: the kind, its values, their TOML types, how to write a value, and the function
/// that reads one.
macro_rules! kinds {
    ($($kind:ident: $value:ty, $form:ident, $expected:literal, $read:expr;)*) => {
        $(
            #[derive(Debug)]
            pub(crate) struct $kind;

            impl Kind for $kind {
                type Value = $value;
                const NAME: &'static str = $expected;
                const EXPECTED: &'static str = $expected;
                const FORM: Form = Form::$form;

                fn parse(
                    text: &str,
                    _: &Known,
                    place: &KeyPlace,
                ) -> Result<$value, AnyMistake> {
                    let read: fn(&str) -> Option<$value> = $read;
                    read(text).ok_or_else(|| wrong_value(place, $expected, text))
                }
            }
        )*
    };
}

kinds! {
    Endpoint: SocketAddr, Text,
        "an address and a port such as \"127.0.0.1:9464\", a list of them, or \"off\"",
        |text| text.parse().ok();
    TextFile: PathBuf, Text,
        "the whole path of a file whose name ends with .prom",
        text_file;
    Interval: Duration, Text,
        "a time from 100 ms to 1 h, such as \"5 s\"",
        interval;
    ErrorRate: f64, Text,
        "a share between 0 % and 50 %, such as \"1 %\"",
        |text| share(text).filter(|rate| *rate > 0.0 && *rate < 0.5);
    Slowdown: f64, Text,
        "a share from 0 % to 100 %, such as \"3 %\"",
        share;
    Retransmissions: f64, Text,
        "a share from 0 % to 100 %, such as \"0.2 %\"",
        share;
    MinConnections: u64, Integer,
        "a number from 1 to 1000000000",
        |text| text.parse().ok().filter(|number| (1..=1_000_000_000).contains(number));
    PolicyName: String, Text,
        "letters, digits, - and _, at most 63",
        name;
    Destination: Prefix, Text,
        "an address or a prefix such as \"192.0.2.0/24\" or \"2001:db8::/32\", or a list of them",
        |text| text.parse().ok();
    Ports: RangeInclusive<u16>, IntegerOrText,
        "a port such as 443, a range such as \"8000-8100\", or a list of them",
        ports;
    CgroupPath: Cgroup, Text,
        "the path of a cgroup below the root, such as \"/system.slice\", or a list of them",
        cgroup;
    Unit: Cgroup, Text,
        "the name of a systemd unit such as \"nginx.service\", or a list of them",
        |text| is_unit(text).then(|| Cgroup::Unit(text.to_owned()));
    ReceiveLimit: u64, Text,
        "a size above 0, such as \"256 MiB\"",
        |text| units::parse_size(text).ok().filter(|bytes| *bytes > 0);
    ReceiveWindow: u32, Text,
        "a size above 0 and at most half of the third number of net.ipv4.tcp_rmem, such as \
         \"1 MiB\"",
        receive_window;
    IpFamily: Family, Text,
        "\"ipv4\" or \"ipv6\"",
        family;
    StartupName: String, Text,
        "the name of a start-up (`onramp list`), or \"none\"",
        |text| Some(text.to_owned());
    Percentage: f64, Number,
        "a number from 0 to 100",
        percent;
    AvoidanceName: Avoidance, Text,
        "\"cubic\", \"bbr\" or \"reno\"",
        Avoidance::named;
    PaperWindow: bool, Text,
        "\"host\" or \"paper\"",
        paper_window;
    MemoryMode: Memory, Text,
        "\"off\", \"careful\" or \"at-once\"",
        |text| Memory::ALL.into_iter().find(|memory| memory.name() == text);
    Lifetime: u64, Text,
        "a time above 0, such as \"600 s\"",
        |text| units::parse_time(text).ok().filter(|ns| *ns > 0);
    Jump: u64, Text,
        "a size above 0, such as \"64 KiB\"",
        |text| units::parse_size(text).ok();
    GovernorBound: u32, Text,
        "\"on\", \"off\", or a share above 0 % and at most 100 % such as \"10 %\"",
        governor;
    FirstRate: InitialRate, Text,
        "\"auto\", \"off\", or a rate above 0 such as \"10 Mbit/s\"",
        |text| InitialRate::parse(text, units::parse_rate).ok();
    TimerValue: Timer, Text,
        "a time from two ticks of the kernel (8 ms where CONFIG_HZ is 250) to 200 ms, such as \
         \"20 ms\"",
        |text| units::parse_time(text).ok().and_then(|ns| Timer::from_ns(ns).ok());
    Budget: f64, Text,
        "a share above 0 % and at most 100 %, such as \"5 %\"",
        positive_share;
}

fn receive_window(text: &str) -> Option<u32> {
    let bytes: u32 = units::parse_size(text).ok()?.try_into().ok()?;
    let max_bytes = max_window_bytes().unwrap_or(u32::MAX);
    (bytes > 0 && bytes <= max_bytes).then_some(bytes)
}

/// The id of a user. A name is looked up now, so a user has to exist when the file is read.
#[derive(Debug)]
pub(crate) struct UserId;

impl Kind for UserId {
    type Value = u32;
    const NAME: &'static str = Self::EXPECTED;
    const EXPECTED: &'static str = "the name of a user, a user id, or a list of them";
    const FORM: Form = Form::IntegerOrText;

    fn parse(text: &str, _: &Known, place: &KeyPlace) -> Result<u32, AnyMistake> {
        if let Some(DeValue::Integer(_)) = place.value {
            let id = text.parse();
            return id.map_err(|_| wrong_value(place, Self::EXPECTED, text));
        }
        match User::from_name(text) {
            Ok(Some(user)) => Ok(user.uid.as_raw()),
            _ => Err(Mistake::NoUser { user: shown(text) }.into()),
        }
    }
}

/// A share such as `"1 %"`, from 0 to 1.
fn share(text: &str) -> Option<f64> {
    Some(f64::from(units::parse_percent(text).ok()?) / 1e6)
}

fn positive_share(text: &str) -> Option<f64> {
    share(text).filter(|share| *share > 0.0)
}

/// A percentage without its sign: 5 or 0.5. Returns 0 to 1.
fn percent(text: &str) -> Option<f64> {
    let percent: f64 = text.parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
}

fn interval(text: &str) -> Option<Duration> {
    let interval = Duration::from_nanos(units::parse_time(text).ok()?);
    let range = Duration::from_millis(100)..=Duration::from_secs(3600);
    range.contains(&interval).then_some(interval)
}

fn text_file(text: &str) -> Option<PathBuf> {
    let is_valid = text.starts_with('/') && text.ends_with(".prom");
    is_valid.then(|| PathBuf::from(text))
}

fn paper_window(text: &str) -> Option<bool> {
    match text {
        "host" => Some(false),
        "paper" => Some(true),
        _ => None,
    }
}

fn governor(text: &str) -> Option<u32> {
    match text {
        "on" => Some(onramp_core::governor::BOUND_PPM),
        "off" => Some(0),
        _ => positive_share(text).map(|share| (share * 1e6) as u32),
    }
}

/// A port, or a range such as `"8000-8100"`.
fn ports(text: &str) -> Option<RangeInclusive<u16>> {
    let port = |text: &str| text.trim().parse::<u16>().ok().filter(|&port| port > 0);
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (port(first)?, port(last)?);
    (first <= last).then_some(first..=last)
}

fn family(text: &str) -> Option<Family> {
    match text {
        "ipv4" => Some(Family::Ipv4),
        "ipv6" => Some(Family::Ipv6),
        _ => None,
    }
}

/// A name of letters, digits, `-` and `_`.
fn name(name: &str) -> Option<String> {
    const MAX_BYTES: usize = 63;
    let is_valid = |char: char| char.is_ascii_alphanumeric() || char == '-' || char == '_';
    let fits = (1..=MAX_BYTES).contains(&name.len());
    (fits && name.chars().all(is_valid)).then(|| name.to_owned())
}
