//! The transmitter: how long a packet occupies the link.

use std::num::NonZeroU64;

/// A moment between two nanoseconds, exact for one rate: `ns + part / rate`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant {
    /// Whole nanoseconds.
    pub ns: u64,
    /// Share of the next nanosecond, in units of 1/rate; less than the rate in bits per second.
    pub part: u64,
}

impl Instant {
    /// A whole nanosecond.
    pub fn at(ns: u64) -> Instant {
        Instant { ns, part: 0 }
    }
}

/// Serialises packets at a fixed rate. A packet's end keeps the fraction of a nanosecond that integers cut off,
/// so a busy link carries exactly its rate in the long run, however its packets divide.
#[derive(Clone, Copy, Debug)]
pub struct Serialiser {
    rate_bits_per_s: u64,
}

const BITS_NS_PER_BYTE_S: u64 = 8 * 1_000_000_000;

impl Serialiser {
    /// A transmitter of this rate; at most 10^18 bit/s.
    pub fn new(rate_bits_per_s: NonZeroU64) -> Serialiser {
        assert!(rate_bits_per_s.get() <= 1_000_000_000_000_000_000, "rates above 10^18 bit/s overflow the arithmetic");
        Serialiser { rate_bits_per_s: rate_bits_per_s.get() }
    }

    /// When the last bit of a packet leaves whose first bit leaves at `start`.
    pub fn end(&self, start: Instant, wire_bytes: u32) -> Instant {
        debug_assert!(wire_bytes < 1 << 30 && start.part < self.rate_bits_per_s);
        let parts = u64::from(wire_bytes) * BITS_NS_PER_BYTE_S + start.part;
        Instant { ns: start.ns + parts / self.rate_bits_per_s, part: parts % self.rate_bits_per_s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serialiser(rate: u64) -> Serialiser {
        Serialiser::new(NonZeroU64::new(rate).unwrap())
    }

    #[test]
    fn a_full_packet_takes_48_us_at_250_mbit_per_s() {
        assert_eq!(serialiser(250_000_000).end(Instant::at(7), 1500), Instant::at(48_007));
    }

    #[test]
    fn fractions_add_up_to_the_exact_rate() {
        // 100 bytes at 7 bit/s are 114,285,714,285.714... ns each; 7 of them are 800 s to the nanosecond.
        let s = serialiser(7);
        let end = (0..7).fold(Instant::at(0), |at, _| s.end(at, 100));
        assert_eq!(end, Instant::at(800_000_000_000));
    }

    #[test]
    fn the_largest_values_do_not_overflow() {
        assert_eq!(serialiser(1).end(Instant::at(0), (1 << 30) - 1).ns, ((1 << 30) - 1) * 8_000_000_000);
        let fast = serialiser(1_000_000_000_000_000_000);
        let late = Instant { ns: 5, part: 999_999_999_999_999_999 };
        assert_eq!(fast.end(late, (1 << 30) - 1).ns, 5 + 9);
    }
}
