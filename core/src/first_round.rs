//! The first round trip: what leaves behind the initial window (`core/parts/first_round.h`).

use crate::bindings;

/// The user's choice of the rate at which segments leave behind the initial window, before any ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InitialRate {
    /// The host chooses.
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

    /// Payload that leaves in a second; 0: none does. Segments of 1448 bytes have headers of 66.
    pub fn bytes_per_s(self) -> u64 {
        match self {
            InitialRate::Auto => bindings::FIRST_ROUND_BYTES_PER_S.into(),
            InitialRate::Off => 0,
            InitialRate::BitsPerS(bits) => {
                u64::try_from(u128::from(bits) * 1448 / 1514 / 8).unwrap_or(u64::MAX)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::InitialRate::{self, Auto, BitsPerS, Off};

    #[test]
    fn a_choice_is_a_word_or_a_rate() {
        let parse = |text: &str| InitialRate::parse(text, str::parse);
        assert_eq!(parse("auto"), Ok(Auto));
        assert_eq!(parse("off"), Ok(Off));
        assert_eq!(parse("5000000"), Ok(BitsPerS(5_000_000)));
        assert!(parse("on").is_err());
    }

    #[test]
    fn a_host_that_knows_nothing_sends_5_mbit_per_s() {
        let ratio = Auto.bytes_per_s() as f64 / BitsPerS(5_000_000).bytes_per_s() as f64;
        assert!((0.99..1.01).contains(&ratio), "{ratio}");
        assert_eq!(Off.bytes_per_s(), 0);
        assert!(BitsPerS(u64::MAX).bytes_per_s() > 1 << 60);
    }
}
