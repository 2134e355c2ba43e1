//! The values of keys. Each function returns `None` for what is not such a value.

use onramp_kernel::policy::{Cgroup, Family, Prefix};
use onramp_scenario::units;
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use toml::de::DeValue;

pub(super) fn text<'a>(value: &'a DeValue<'_>) -> Option<&'a str> {
    value.as_str()
}

pub(super) fn integer(value: &DeValue<'_>) -> Option<u64> {
    let integer = value.as_integer()?;
    u64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// A share such as `"1 %"`, from 0 to 1.
pub(super) fn share(value: &DeValue<'_>) -> Option<f64> {
    let ppm = units::parse_percent(text(value)?).ok()?;
    (ppm <= 1_000_000).then(|| f64::from(ppm) / 1e6)
}

/// A percentage without its sign: 5 or 0.5. Returns 0 to 1.
pub(super) fn percent(value: &DeValue<'_>) -> Option<f64> {
    let percent = match value {
        DeValue::Float(float) => float.as_str().parse().ok()?,
        _ => integer(value)? as f64,
    };
    (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
}

/// A time in nanoseconds.
pub(super) fn time_ns(value: &DeValue<'_>) -> Option<u64> {
    units::parse_time(text(value)?).ok()
}

/// A size in bytes, above 0.
pub(super) fn size(value: &DeValue<'_>) -> Option<u64> {
    units::parse_size(text(value)?)
        .ok()
        .filter(|&bytes| bytes > 0)
}

pub(super) fn address_and_port(value: &DeValue<'_>) -> Option<SocketAddr> {
    text(value)?.parse().ok()
}

/// An address, or a prefix. An address is a prefix of its whole length.
pub(super) fn prefix(value: &DeValue<'_>) -> Option<Prefix> {
    let text = text(value)?;
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length.parse().ok()?)),
        None => (text, None),
    };
    let address: IpAddr = address.parse().ok()?;
    let whole = if address.is_ipv4() { 32 } else { 128 };
    Prefix::new(address, length.unwrap_or(whole))
}

/// A port, or a range such as `"8000-8100"`.
pub(super) fn ports(value: &DeValue<'_>) -> Option<RangeInclusive<u16>> {
    let port = |text: &str| text.trim().parse::<u16>().ok().filter(|&port| port > 0);
    if let Some(number) = integer(value) {
        let port = port(&number.to_string())?;
        return Some(port..=port);
    }
    let text = text(value)?;
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (port(first)?, port(last)?);
    (first <= last).then_some(first..=last)
}

/// Where the cgroups are mounted.
pub(super) const CGROUP_MOUNT: &str = "/sys/fs/cgroup";

/// The path of a cgroup below the root, not the root itself.
pub(super) fn cgroup(value: &DeValue<'_>) -> Option<Cgroup> {
    let path = text(value)?;
    if path
        .strip_prefix(CGROUP_MOUNT)
        .is_some_and(|below| below.is_empty() || below.starts_with('/'))
    {
        return None;
    }
    let path = path.strip_prefix('/')?.trim_end_matches('/');
    let is_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    let fits = path.len() < Cgroup::MAX_BYTES && path.split('/').count() <= Cgroup::MAX_DEPTH;
    (fits && path.split('/').all(is_part)).then(|| Cgroup::Path(format!("/{path}")))
}

/// The name of a systemd unit, which has a type.
pub(super) fn unit(value: &DeValue<'_>) -> Option<Cgroup> {
    let name = text(value)?;
    is_unit(name).then(|| Cgroup::Unit(name.to_owned()))
}

/// Is it the name of a unit that can have processes? A template (`web@.service`) has none.
pub(super) fn is_unit(name: &str) -> bool {
    const TYPES: [&str; 4] = ["service", "slice", "scope", "socket"];
    let Some((stem, kind)) = name.rsplit_once('.') else {
        return false;
    };
    let is_valid = |char: char| char.is_ascii_alphanumeric() || ":-_.\\@".contains(char);
    let has_instance = !stem.is_empty() && !stem.ends_with('@');
    name.len() <= Cgroup::MAX_BYTES
        && TYPES.contains(&kind)
        && has_instance
        && stem.chars().all(is_valid)
}

pub(super) fn family(value: &DeValue<'_>) -> Option<Family> {
    match text(value)? {
        "ipv4" => Some(Family::Ipv4),
        "ipv6" => Some(Family::Ipv6),
        _ => None,
    }
}

/// A name of letters, digits, `-` and `_`.
pub(super) fn name(value: &DeValue<'_>) -> Option<String> {
    const MAX_BYTES: usize = 63;
    let name = text(value)?;
    let is_valid = |char: char| char.is_ascii_alphanumeric() || char == '-' || char == '_';
    let fits = (1..=MAX_BYTES).contains(&name.len());
    (fits && name.chars().all(is_valid)).then(|| name.to_owned())
}
