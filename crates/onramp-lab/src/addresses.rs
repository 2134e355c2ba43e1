//! IPv4 addresses for labs.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU32, Ordering};

/// The first of `count` consecutive addresses of 198.18.0.0/15, the range for tests of network
/// devices (RFC 2544). Labs do not see each other and could all use the same addresses. Different
/// ones keep their connections apart in reports about the whole machine, such as `onramp ss`.
pub fn fresh_addresses(count: u32) -> Ipv4Addr {
    const ADDRESSES: u32 = 1 << 17;
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    // The labs of different processes start at different addresses.
    let begin = std::process::id().wrapping_mul(4 * 1021);
    let taken = TAKEN
        .fetch_add(count, Ordering::Relaxed)
        .wrapping_add(begin);
    let room = ADDRESSES.saturating_sub(count + 1).max(1);
    Ipv4Addr::from_bits(Ipv4Addr::new(198, 18, 0, 1).to_bits() + taken % room)
}
