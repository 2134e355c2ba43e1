//! The addresses of the hosts in labs. A node has a number, from which its addresses follow: one
//! for each IP version.

use onramp_scenario::IpVersion;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicU32, Ordering};

/// The first half of 198.18.0.0/15, the range for tests of network devices (RFC 2544).
const NETWORK_V4: u32 = Ipv4Addr::new(198, 18, 0, 0).to_bits();
/// 2001:2::/48, the range for tests of network devices over IPv6 (RFC 5180). Each node is a /64 of
/// its own, because the governor takes a /64 for one destination.
const NETWORK_V6: u128 = Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, 0).to_bits();
/// The number of nodes for which the ranges have room.
const NODES: u32 = 1 << 16;
/// The number of the node in an IPv6 address is above its last 64 bits, which are 1.
const SUBNET_SHIFT: u32 = 64;

/// The first of `count` consecutive numbers of nodes. Labs do not see each other and could all use
/// the same addresses. Different ones keep their connections apart in reports about the whole
/// machine, such as `onramp ss`.
pub fn fresh_numbers(count: u32) -> u32 {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    // The labs of different processes start at different numbers.
    let begin = std::process::id().wrapping_mul(4 * 1021);
    let taken = TAKEN
        .fetch_add(count, Ordering::Relaxed)
        .wrapping_add(begin);
    // Node 0 of IPv4 would have the address of the network itself.
    1 + taken % NODES.saturating_sub(count + 1).max(1)
}

/// The address of a node over an IP version.
pub fn address(ip: IpVersion, number: u32) -> IpAddr {
    match ip {
        IpVersion::V4 => Ipv4Addr::from_bits(NETWORK_V4 + number).into(),
        IpVersion::V6 => {
            Ipv6Addr::from_bits(NETWORK_V6 | u128::from(number) << SUBNET_SHIFT | 1).into()
        }
    }
}

/// The number of the node that has an IPv4 address, if the address is one of the range.
pub fn number_of_v4(address: [u8; 4]) -> Option<u32> {
    let number = u32::from_be_bytes(address).wrapping_sub(NETWORK_V4);
    (number < NODES).then_some(number)
}

/// The number of the node that has an IPv6 address, if the address is one of a node.
pub fn number_of_v6(address: [u8; 16]) -> Option<u32> {
    let bits = u128::from_be_bytes(address);
    let number = (bits >> SUBNET_SHIFT) as u32 & (NODES - 1);
    (bits == NETWORK_V6 | u128::from(number) << SUBNET_SHIFT | 1).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_an_address_for_each_version() {
        assert_eq!(address(IpVersion::V4, 258).to_string(), "198.18.1.2");
        assert_eq!(address(IpVersion::V6, 258).to_string(), "2001:2:0:102::1");
    }

    #[test]
    fn the_number_of_a_node_follows_from_each_address() {
        for number in [1, 258, NODES - 1] {
            let IpAddr::V4(v4) = address(IpVersion::V4, number) else {
                panic!("not IPv4")
            };
            let IpAddr::V6(v6) = address(IpVersion::V6, number) else {
                panic!("not IPv6")
            };
            assert_eq!(number_of_v4(v4.octets()), Some(number));
            assert_eq!(number_of_v6(v6.octets()), Some(number));
        }
        assert_eq!(number_of_v4([10, 0, 0, 1]), None);
        for other in [
            "2001:2:0:102::2",
            "2001:2:1:102::1",
            "2001:db8::1",
            "fe80::1",
        ] {
            let other: Ipv6Addr = other.parse().unwrap();
            assert_eq!(number_of_v6(other.octets()), None, "{other}");
        }
    }

    #[test]
    fn labs_have_different_numbers_that_fit_into_the_ranges() {
        let (first, second) = (fresh_numbers(3), fresh_numbers(3));
        assert_ne!(first, second);
        assert!((1..NODES - 3).contains(&first));
        assert!((1..NODES).contains(&fresh_numbers(NODES)));
    }
}
