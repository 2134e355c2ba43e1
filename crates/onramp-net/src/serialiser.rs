//! The serialiser: how long a packet occupies the link.

use crate::Framing;
use std::num::NonZeroU64;

/// A time with a fraction of a nanosecond, exact for one rate: `ns + part / rate`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant {
    /// Whole nanoseconds.
    pub ns: u64,
    /// Fraction of a nanosecond, in units of 1/rate. Less than the rate in bits per second.
    pub part: u64,
}

impl Instant {
    /// A time at a whole nanosecond.
    #[inline]
    pub fn at(ns: u64) -> Instant {
        Instant { ns, part: 0 }
    }
}

/// Serialises packets at a fixed rate. The end time of a packet keeps the fraction of a nanosecond.
/// A saturated link therefore carries exactly its rate in the long run, for every packet size. One
/// direction of a path carries mostly packets of one size, so the last quotient is cached to avoid
/// the division.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Serialiser {
    rate_bits_per_s: u64,
    framing: Framing,
    last_bytes: u32,
    last: Instant,
}

/// One byte in nanobits. A rate in bit/s sends that many nanobits in each nanosecond.
const NANOBITS_PER_BYTE: u64 = 8 * 1_000_000_000;

impl Serialiser {
    /// A serialiser with this rate, at most 10^18 bit/s, for packets in these frames.
    pub fn new(rate_bits_per_s: NonZeroU64, framing: Framing) -> Serialiser {
        Serialiser {
            rate_bits_per_s: rate_bits_per_s.get(),
            framing,
            last_bytes: 0,
            last: Instant::at(0),
        }
    }

    /// The frames of the link.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// Time at which the last bit of a packet leaves, if its first bit leaves at `start`.
    #[inline(always)]
    pub fn end(&mut self, start: Instant, wire_bytes: u32) -> Instant {
        debug_assert!(wire_bytes < 1 << 30 && start.part < self.rate_bits_per_s);
        if wire_bytes != self.last_bytes {
            self.last_bytes = wire_bytes;
            self.last = self.after(0, self.nanobits(wire_bytes));
        }
        let ns = start.ns.saturating_add(self.last.ns);
        let part = start.part + self.last.part;
        match part.checked_sub(self.rate_bits_per_s) {
            Some(part) => Instant {
                ns: ns.saturating_add(1),
                part,
            },
            None => Instant { ns, part },
        }
    }

    /// A packet in its frames.
    fn nanobits(&self, wire_bytes: u32) -> u64 {
        self.framing.link_bytes(wire_bytes) * NANOBITS_PER_BYTE
    }

    /// Time at which this many nanobits are sent, if the first leaves at the whole nanosecond
    /// `start_ns`.
    fn after(&self, start_ns: u64, nanobits: u64) -> Instant {
        Instant {
            ns: start_ns + nanobits / self.rate_bits_per_s,
            part: nanobits % self.rate_bits_per_s,
        }
    }

    /// End of a packet at this rate, if the rate changes at `at_ns`. At the rate `before` the
    /// packet would have ended at `end`, which is not before `at_ns`. A packet that has not
    /// started, because it waits for tokens, starts at the same time as without the change.
    pub fn end_after_change(
        &self,
        before: &Serialiser,
        at_ns: u64,
        end: Instant,
        wire_bytes: u32,
    ) -> Instant {
        debug_assert!(end >= Instant::at(at_ns));
        let old_rate = u128::from(before.rate_bits_per_s);
        let until_end = u128::from(end.ns - at_ns) * old_rate + u128::from(end.part);
        let packet = u128::from(self.nanobits(wire_bytes));
        let remaining = until_end.min(packet) as u64;
        let start_ns = at_ns + ((until_end - u128::from(remaining)) / old_rate) as u64;
        self.after(start_ns, remaining)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serialiser(rate: u64) -> Serialiser {
        Serialiser::new(NonZeroU64::new(rate).unwrap(), Framing::Packets)
    }

    #[test]
    fn a_full_packet_takes_48_us_at_250_mbit_per_s() {
        assert_eq!(
            serialiser(250_000_000).end(Instant::at(7), 1500),
            Instant::at(48_007)
        );
    }

    #[test]
    fn fractions_add_up_to_the_exact_rate() {
        // 100 bytes at 7 bit/s take 114,285,714,285.714... ns. Seven such packets take exactly 800
        // s.
        let mut s = serialiser(7);
        let end = (0..7).fold(Instant::at(0), |at, _| s.end(at, 100));
        assert_eq!(end, Instant::at(800_000_000_000));
    }

    #[test]
    fn the_largest_values_do_not_overflow() {
        assert_eq!(
            serialiser(1).end(Instant::at(0), (1 << 30) - 1).ns,
            ((1 << 30) - 1) * 8_000_000_000
        );
        let mut fast = serialiser(1_000_000_000_000_000_000);
        let late = Instant {
            ns: 5,
            part: 999_999_999_999_999_999,
        };
        assert_eq!(fast.end(late, (1 << 30) - 1).ns, 5 + 9);
    }

    #[test]
    fn a_packet_takes_the_time_of_its_cells() {
        // 1500 bytes are 32 cells of 53 bytes.
        let rate = NonZeroU64::new(53_000_000).unwrap();
        let mut cells = Serialiser::new(rate, Framing::Aal5);
        assert_eq!(cells.end(Instant::at(0), 1500), Instant::at(256_000));
        let half = Serialiser::new(NonZeroU64::new(26_500_000).unwrap(), Framing::Aal5);
        let changed = half.end_after_change(&cells, 128_000, Instant::at(256_000), 1500);
        assert_eq!(changed, Instant::at(384_000));
    }

    #[test]
    fn a_rate_change_applies_to_the_remaining_bits_of_a_packet() {
        // Seven of the 8 bits are sent in the first second at 7 bit/s. The last bit takes a third
        // of a second at 3 bit/s.
        let (mut slow, slower) = (serialiser(7), serialiser(3));
        let end = slow.end(Instant::at(0), 1);
        let changed = slower.end_after_change(&slow, 1_000_000_000, end, 1);
        assert_eq!(
            changed,
            Instant {
                ns: 1_333_333_333,
                part: 1
            }
        );
    }

    #[test]
    fn a_rate_change_that_is_undone_at_once_has_no_effect() {
        let (mut one, other) = (serialiser(99_999_989), serialiser(7_777_777));
        let end = one.end(Instant::at(0), 1500);
        let there = other.end_after_change(&one, 60_000, end, 1500);
        assert_eq!(one.end_after_change(&other, 60_000, there, 1500), end);
    }

    #[test]
    fn a_packet_that_waits_for_tokens_is_sent_entirely_at_the_new_rate() {
        let (mut one, other) = (serialiser(12_000_000), serialiser(6_000_000));
        let end = one.end(Instant::at(5_000_000), 1500);
        assert_eq!(
            other.end_after_change(&one, 1_000_000, end, 1500),
            Instant::at(7_000_000)
        );
    }
}
