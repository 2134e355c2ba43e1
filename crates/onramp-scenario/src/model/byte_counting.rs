//! Limits of byte counting as a scenario writes them.

use onramp_config::shown;
use onramp_config::units::{format_count, parse_quantity, Quantity, UnitError, SEGMENTS};
use onramp_tcp::ByteCounting;
use std::num::NonZeroU8;

const UNLIMITED: &str = "unlimited";

const COUNTING: Quantity = Quantity {
    what: "byte counting",
    example: "2 segments",
    units: &[&[SEGMENTS]],
    words: &[UNLIMITED],
};

/// Reads a limit of byte counting: `unlimited`, or a number of segments such as `2 segments`.
pub(crate) fn parse_byte_counting(text: &str) -> Result<ByteCounting, UnitError> {
    if text.trim() == UNLIMITED {
        return Ok(ByteCounting::Unlimited);
    }
    let segments = parse_quantity(&COUNTING, text)?.0;
    match u8::try_from(segments).map(NonZeroU8::new) {
        Ok(Some(segments)) => Ok(ByteCounting::Segments(segments)),
        Ok(None) => Err(UnitError::Zero {
            what: COUNTING.what,
            found: shown(text),
        }),
        Err(_) => Err(UnitError::TooLarge {
            what: COUNTING.what,
            found: shown(text),
            max: format_count(u8::MAX.into(), SEGMENTS.name),
        }),
    }
}

/// Writes a limit of byte counting as a scenario has it: `2 segments` or `unlimited`.
pub fn format_byte_counting(counting: ByteCounting) -> String {
    match counting {
        ByteCounting::Unlimited => UNLIMITED.to_owned(),
        ByteCounting::Segments(segments) => format_count(segments.get().into(), SEGMENTS.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_limit_reads_as_the_same_limit() {
        for text in ["unlimited", "1 segment", "2 segments", "255 segments"] {
            let limit = parse_byte_counting(text).unwrap();
            assert_eq!(format_byte_counting(limit), text);
        }
        let refused = |text| parse_byte_counting(text).unwrap_err().to_string();
        assert_eq!(
            refused("0 segments"),
            "the byte counting `0 segments` is zero; it must be more than zero"
        );
        assert_eq!(
            refused("256 segments"),
            "the byte counting `256 segments` is too large"
        );
        assert_eq!(
            refused("unlimitted"),
            "the byte counting is `unlimitted`; did you mean `unlimited`?"
        );
    }
}
