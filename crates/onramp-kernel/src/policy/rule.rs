//! What a policy says: which connections are its own, and what they get.

use crate::Options;
use onramp_bpf::bindings::{CGROUP_LEVELS, CGROUP_NAME_BYTES};
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A policy.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name, by which its counts are found again after a change.
    pub name: String,
    /// Which connections it chooses.
    pub matches: Match,
    /// The start-up of its connections; `None`: it leaves them alone and counts nothing.
    pub start: Option<Start>,
    /// The receive window that its connections offer at first; `None`: as the host has it.
    pub receive_window_bytes: Option<u32>,
}

/// The start-up of a policy's connections.
#[derive(Clone, Debug)]
pub struct Start {
    /// The start-up, with its options. The lifetime is the service's, whatever is given.
    pub options: Options,
    /// The share of the connections that get it, from 0 to 1. The others are the control group.
    pub share: f64,
}

/// Which connections a policy chooses. An empty list allows all values; a connection has to match
/// every list that is not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Match {
    /// The address of the other end.
    pub destinations: Vec<Prefix>,
    /// The port of this end.
    pub local_ports: Vec<RangeInclusive<u16>>,
    /// The cgroup of the process that opened or accepts the connection, or one that encloses it.
    pub cgroups: Vec<Cgroup>,
    /// The user of that process, by the host's number.
    pub users: Vec<u32>,
    /// The version of IP on the wire; `None`: both.
    pub family: Option<Family>,
}

/// A version of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// IPv4, also on sockets for IPv6.
    Ipv4,
    /// IPv6.
    Ipv6,
}

/// A cgroup of the v2 hierarchy. It need not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cgroup {
    /// By its path below the root: `/system.slice/web.service`.
    Path(String),
    /// By the last part of its path: the name of a systemd unit, wherever it is.
    Unit(String),
}

impl Cgroup {
    /// The most bytes that a path or a name can have.
    pub const MAX_BYTES: usize = CGROUP_NAME_BYTES as usize - 1;
    /// The most parts that a path can have.
    pub const MAX_DEPTH: usize = CGROUP_LEVELS as usize - 1;

    /// As the kernel's map has it: only a path begins with a slash.
    pub(super) fn key(&self) -> &str {
        match self {
            Cgroup::Path(name) | Cgroup::Unit(name) => name,
        }
    }
}

/// A range of addresses: those that begin with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Prefix {
    /// The address, an IPv4 address as ::ffff:192.0.2.1. Bits beyond the length are 0.
    address: u128,
    /// Bits of the address that count, 0 to 128.
    length: u8,
}

impl Prefix {
    /// The addresses whose first `length` bits are those of `address`. `None`: the length is larger
    /// than the address, or an address has bits beyond the length.
    pub fn new(address: IpAddr, length: u8) -> Option<Prefix> {
        let (address, length) = match address {
            IpAddr::V4(address) if length <= 32 => (address.to_ipv6_mapped(), length + 96),
            IpAddr::V6(address) if length <= 128 => (address, length),
            _ => return None,
        };
        let prefix = Prefix {
            address: u128::from(address),
            length,
        };
        (prefix.shortened(length) == prefix).then_some(prefix)
    }

    /// Does it contain all addresses of the other prefix?
    pub fn encloses(self, other: Prefix) -> bool {
        self.length <= other.length && other.shortened(self.length) == self
    }

    /// The prefix of this length, at most its own, that contains this one.
    pub(super) fn shortened(self, length: u8) -> Prefix {
        let host_bits = 128 - u32::from(length);
        Prefix {
            address: self.address & u128::MAX.checked_shl(host_bits).unwrap_or(0),
            length,
        }
    }

    pub(crate) fn length(self) -> u8 {
        self.length
    }

    pub(crate) fn octets(self) -> [u8; 16] {
        Ipv6Addr::from(self.address).octets()
    }
}

/// An address, or a prefix. An address is a prefix of its whole length.
impl FromStr for Prefix {
    type Err = String;

    fn from_str(text: &str) -> Result<Prefix, String> {
        let expected = || {
            "expected an address or a prefix without bits beyond its length, for example \
             \"192.0.2.0/24\""
                .to_owned()
        };
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length.parse().map_err(|_| expected())?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| expected())?;
        let whole = if address.is_ipv4() { 32 } else { 128 };
        Prefix::new(address, length.unwrap_or(whole)).ok_or_else(expected)
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = Ipv6Addr::from(self.address);
        match address.to_ipv4_mapped() {
            Some(address) if self.length >= 96 => write!(f, "{address}/{}", self.length - 96),
            _ => write!(f, "{address}/{}", self.length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix(address: &str, length: u8) -> Option<Prefix> {
        Prefix::new(address.parse().unwrap(), length)
    }

    #[test]
    fn a_prefix_has_no_bits_beyond_its_length() {
        assert!(prefix("192.0.2.0", 24).is_some() && prefix("::", 0).is_some());
        assert_eq!(prefix("192.0.2.1", 24), None);
        assert_eq!(prefix("192.0.2.0", 33), None);
        assert_eq!(prefix("2001:db8::1", 127), None);
        let whole = prefix("2001:db8::1", 128).unwrap();
        assert_eq!(whole.shortened(32), prefix("2001:db8::", 32).unwrap());
        assert_eq!(whole.shortened(0), prefix("::", 0).unwrap());
    }

    #[test]
    fn a_prefix_encloses_itself_and_longer_ones_with_its_bits() {
        let encloses = |one: (&str, u8), other: (&str, u8)| {
            prefix(one.0, one.1)
                .unwrap()
                .encloses(prefix(other.0, other.1).unwrap())
        };
        assert!(encloses(("10.0.0.0", 8), ("10.0.0.0", 8)));
        assert!(encloses(("10.0.0.0", 8), ("10.1.0.0", 16)));
        assert!(!encloses(("10.1.0.0", 16), ("10.0.0.0", 8)));
        assert!(!encloses(("10.0.0.0", 8), ("11.0.0.0", 16)));
        assert!(encloses(("::", 0), ("11.0.0.0", 16)));
        assert!(!encloses(("0.0.0.0", 0), ("2001:db8::", 32)));
    }
}
