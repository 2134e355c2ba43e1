//! Numbers that a stranger must not guess: initial sequence numbers, timestamps, ports.

use onramp_tcp::wire::Endpoints;
use std::hash::{BuildHasher, RandomState};

/// The dynamic ports (RFC 6335, section 6).
const FIRST_DYNAMIC_PORT: u16 = 49_152;

/// A keyed hash of the four numbers that name a connection; the key is this process's own.
#[derive(Default)]
pub struct Numbers(RandomState);

impl Numbers {
    /// Clock and hash (RFC 9293, section 3.4.1; RFC 6528): the clock ticks every 4 us, so that a
    /// connection with the same ends that follows soon has other numbers.
    pub fn initial_sequence(&self, now_ns: u64, ends: &Endpoints) -> u32 {
        ((now_ns / 4_000) as u32).wrapping_add(self.0.hash_one((ends, "sequence")) as u32)
    }

    /// The same for each connection with these ends, so that timestamps go on from one to the next
    /// (RFC 7323, section 5.4).
    pub fn timestamp_offset(&self, ends: &Endpoints) -> u32 {
        self.0.hash_one((ends, "timestamp")) as u32
    }

    /// A port for an active open.
    pub fn port(&self, now_ns: u64) -> u16 {
        let ports = u64::from(u16::MAX - FIRST_DYNAMIC_PORT) + 1;
        FIRST_DYNAMIC_PORT + (self.0.hash_one((now_ns, "port")) % ports) as u16
    }
}
