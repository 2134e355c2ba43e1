//! The first round trip: what leaves behind the initial window (`core/parts/first_round.h`).

use crate::bindings;
pub use crate::bindings::FirstRound;
use core::net::IpAddr;

/// [`Start::initial_bytes_per_s`](crate::Start::initial_bytes_per_s) that the host replaces by what
/// it has learned.
pub(crate) const LEARNED: u64 = u64::MAX;

/// A segment on the line and its payload, in bytes: 1448 behind headers of 66.
const LINE_BYTES: u128 = 1514;
const PAYLOAD_BYTES: u128 = 1448;

/// The rate on the line in bits per second, of a rate of payload in bytes.
pub fn line_bits_per_s(payload_bytes_per_s: u64) -> u64 {
    let bits = u128::from(payload_bytes_per_s) * 8 * LINE_BYTES / PAYLOAD_BYTES;
    u64::try_from(bits).unwrap_or(u64::MAX)
}

/// What a host has learned of a prefix that has told nothing.
const NOTHING: FirstRound = FirstRound {
    bytes_per_s: 0,
    learned_ns: 0,
    was_too_fast: 0,
};

/// The number of the prefix that an address belongs to: 24 bits of IPv4, 48 of IPv6.
pub fn prefix_of(address: IpAddr) -> u64 {
    let address = match address {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    };
    // SAFETY: the function reads 16 bytes.
    unsafe { bindings::first_round_prefix(address.octets().as_ptr()) }
}

/// What a host has learned.
impl FirstRound {
    /// A connection has told something within the last hour.
    pub fn is_known(&self, now_ns: u64) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::first_round_is_known(self, now_ns) }
    }

    /// The rate of a connection that starts now, as payload, where nothing is known of its prefix.
    pub fn rate(&self, now_ns: u64) -> u64 {
        self.rate_of(&NOTHING, now_ns)
    }

    /// The rate of a connection of this prefix that starts now, as payload.
    pub fn rate_of(&self, prefix: &FirstRound, now_ns: u64) -> u64 {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::first_round_rate(self, prefix, now_ns) }
    }

    /// The first connection of a prefix knows what became of its early segments: `outcome` is
    /// `FIRST_ROUND_*`.
    pub fn learn(&mut self, outcome: u8, now_ns: u64) {
        let mut prefix = NOTHING;
        self.learn_from(&mut prefix, outcome, now_ns);
    }

    /// The same, of any connection of a prefix.
    pub fn learn_from(&mut self, prefix: &mut FirstRound, outcome: u8, now_ns: u64) {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::first_round_learn(self, prefix, outcome.into(), now_ns) }
    }
}

/// The user's choice of the rate at which segments leave behind the initial window, before any ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InitialRate {
    /// The host learns it from its connections.
    #[default]
    Auto,
    /// None leave.
    Off,
    /// This rate on the line, in bits per second.
    BitsPerS(u64),
}

impl InitialRate {
    /// Reads `auto`, `off`, or a rate: `rate` reads one above 0, in bits per second.
    ///
    /// # Errors
    /// That of `rate`.
    pub fn parse<E>(
        text: &str,
        rate: impl FnOnce(&str) -> Result<u64, E>,
    ) -> Result<InitialRate, E> {
        match text {
            "auto" => Ok(InitialRate::Auto),
            "off" => Ok(InitialRate::Off),
            text => rate(text).map(InitialRate::BitsPerS),
        }
    }

    /// Payload that leaves in a second. 0: none does. The maximum: the host learns the rate.
    pub fn bytes_per_s(self) -> u64 {
        match self {
            InitialRate::Auto => LEARNED,
            InitialRate::Off => 0,
            InitialRate::BitsPerS(bits) => {
                u64::try_from(u128::from(bits) * PAYLOAD_BYTES / LINE_BYTES / 8)
                    .unwrap_or(LEARNED - 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::InitialRate::{self, Auto, BitsPerS, Off};
    use super::{line_bits_per_s, prefix_of, FirstRound, LEARNED};
    use crate::bindings::{FIRST_ROUND_CARRIED, FIRST_ROUND_TOO_FAST, FIRST_ROUND_UNKNOWN};

    const HOUR_NS: u64 = 3_600_000_000_000;

    fn bits_per_s(host: FirstRound, now_ns: u64) -> f64 {
        line_bits_per_s(host.rate(now_ns)) as f64
    }

    #[test]
    fn a_choice_is_a_word_or_a_rate() {
        let parse = |text: &str| InitialRate::parse(text, str::parse);
        assert_eq!(parse("auto"), Ok(Auto));
        assert_eq!(parse("off"), Ok(Off));
        assert_eq!(parse("5000000"), Ok(BitsPerS(5_000_000)));
        assert!(parse("on").is_err());
        assert_eq!(Off.bytes_per_s(), 0);
        assert!(BitsPerS(u64::MAX).bytes_per_s() > 1 << 60);
        assert_ne!(BitsPerS(u64::MAX).bytes_per_s(), LEARNED);
    }

    #[test]
    fn a_host_that_knows_nothing_sends_5_mbit_per_s_and_learns_up_to_40() {
        let mut host = FirstRound::default();
        assert!((4.9e6..5.1e6).contains(&bits_per_s(host, 0)));
        host.learn(FIRST_ROUND_UNKNOWN as u8, 1);
        assert_eq!(host, FirstRound::default());
        let mut starts = 0;
        while bits_per_s(host, 1) < 39.9e6 {
            host.learn(FIRST_ROUND_CARRIED as u8, 1);
            starts += 1;
        }
        assert_eq!(starts, 3);
        host.learn(FIRST_ROUND_CARRIED as u8, 1);
        assert!(bits_per_s(host, 1) < 40.5e6);
        host.learn(FIRST_ROUND_TOO_FAST as u8, 2);
        assert!((19.9e6..20.3e6).contains(&bits_per_s(host, 2)));
        assert!(bits_per_s(host, HOUR_NS + 2) > 19e6);
        assert!((4.9e6..5.1e6).contains(&bits_per_s(host, HOUR_NS + 3)));
        // One that is too fast undoes eleven.
        for _ in 0..11 {
            assert!(bits_per_s(host, 2) < 37e6);
            host.learn(FIRST_ROUND_CARRIED as u8, 2);
        }
        assert!((39e6..40.5e6).contains(&bits_per_s(host, 2)));
        // What is forgotten no longer slows the search.
        host.learn(FIRST_ROUND_CARRIED as u8, HOUR_NS + 3);
        assert!((9.9e6..10.1e6).contains(&bits_per_s(host, HOUR_NS + 3)));
    }

    #[test]
    fn a_prefix_has_24_bits_of_ipv4_and_48_of_ipv6() {
        let prefix = |text: &str| prefix_of(text.parse().expect("an address"));
        assert_eq!(prefix("192.0.2.1"), prefix("192.0.2.254"));
        assert_eq!(prefix("192.0.2.1"), prefix("::ffff:192.0.2.9"));
        assert_ne!(prefix("192.0.2.1"), prefix("192.0.3.1"));
        assert_eq!(prefix("2001:db8:1::1"), prefix("2001:db8:1:ffff::2"));
        assert_ne!(prefix("2001:db8:1::1"), prefix("2001:db8:2::1"));
        // No prefix of one family is a prefix of the other.
        assert_ne!(prefix("0.0.0.0"), prefix("::"));
        assert_ne!(prefix("255.255.255.0"), prefix("::ff:ffff:0:0:0:0"));
    }

    /// The first connection of a prefix counts for the host too, the others for the prefix only.
    #[test]
    fn a_busy_prefix_moves_no_other() {
        let (mut host, mut slow, mut fast) = <(FirstRound, FirstRound, FirstRound)>::default();
        for now_ns in 1..=40 {
            host.learn_from(&mut fast, FIRST_ROUND_CARRIED as u8, now_ns);
        }
        host.learn_from(&mut slow, FIRST_ROUND_TOO_FAST as u8, 41);
        let mbit_per_s = |rate: u64| line_bits_per_s(rate) as f64 / 1e6;
        assert!((39.9..40.5).contains(&mbit_per_s(host.rate_of(&fast, 41))));
        assert!((4.9..5.1).contains(&mbit_per_s(host.rate_of(&slow, 41))));
        assert!((4.9..5.1).contains(&mbit_per_s(host.rate(41))));
        host.learn_from(&mut slow, FIRST_ROUND_TOO_FAST as u8, 42);
        assert!((2.4..2.6).contains(&mbit_per_s(host.rate_of(&slow, 42))));
        assert!((4.9..5.1).contains(&mbit_per_s(host.rate(42))));
        // The host has met a slow prefix, and still each prefix searches by itself.
        let mut other = FirstRound::default();
        host.learn_from(&mut other, FIRST_ROUND_CARRIED as u8, 43);
        assert!((5.2..5.4).contains(&mbit_per_s(host.rate(43))));
        assert!((9.9..10.1).contains(&mbit_per_s(host.rate_of(&other, 43))));
        // After an hour the prefix is as new.
        assert_eq!(host.rate_of(&slow, HOUR_NS + 43), host.rate(HOUR_NS + 43));
    }

    #[test]
    fn a_host_of_slow_paths_sends_an_eighth_at_least() {
        let mut host = FirstRound::default();
        for now_ns in 1..100 {
            host.learn(FIRST_ROUND_TOO_FAST as u8, now_ns);
        }
        assert!((0.6e6..0.7e6).contains(&bits_per_s(host, 100)));
    }

    /// The rate stays where one of twelve paths is slower.
    #[test]
    fn the_rate_is_a_low_quantile_of_the_paths() {
        let settles = |slow_of_64: u64| {
            let mut host = FirstRound::default();
            for connection in 0..6_400 {
                // Slow paths are spread evenly: 20 Mbit/s, the others 100.
                let is_slow = connection * slow_of_64 % 64 < slow_of_64;
                let is_too_fast = is_slow && bits_per_s(host, 1) > 20e6;
                let outcome = match is_too_fast {
                    true => FIRST_ROUND_TOO_FAST,
                    false => FIRST_ROUND_CARRIED,
                };
                host.learn(outcome as u8, 1);
            }
            bits_per_s(host, 1) / 1e6
        };
        assert!(settles(1) > 30.0, "{}", settles(1));
        assert!(settles(16) < 24.0, "{}", settles(16));
    }
}
