//! Numbers that an attacker must not be able to guess: initial sequence numbers, timestamps, ports.

use onramp_tcp::wire::Endpoints;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;

/// The dynamic ports (RFC 6335, section 6).
const FIRST_DYNAMIC_PORT: u16 = 49_152;

/// A keyed hash of the addresses and ports of a connection. Each process has its own random key.
#[derive(Default)]
pub struct Numbers(RandomState);

impl Numbers {
    /// The initial sequence number: a clock plus a hash (RFC 9293, section 3.4.1; RFC 6528). The
    /// clock ticks every 4 us, so that the next connection with the same ends has other numbers.
    pub fn initial_sequence(&self, now_ns: u64, ends: &Endpoints) -> u32 {
        ((now_ns / 4_000) as u32).wrapping_add(self.0.hash_one((ends, "sequence")) as u32)
    }

    /// The offset of our timestamps. It is the same for each connection with these ends, so that
    /// timestamps increase from one connection to the next (RFC 7323, section 5.4).
    pub fn timestamp_offset(&self, ends: &Endpoints) -> u32 {
        self.0.hash_one((ends, "timestamp")) as u32
    }

    /// A number for the path to a peer.
    pub fn path(&self, peer: IpAddr) -> u64 {
        self.0.hash_one((peer, "path"))
    }

    /// A local port for an active open.
    pub fn port(&self, now_ns: u64) -> u16 {
        let ports = u64::from(u16::MAX - FIRST_DYNAMIC_PORT) + 1;
        FIRST_DYNAMIC_PORT + (self.0.hash_one((now_ns, "port")) % ports) as u16
    }
}
