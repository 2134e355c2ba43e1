//! Reads quantities as people write them.

use super::error::{nearest_unit, UnitError};
use super::unit::{Quantity, Unit, COUNT, FREQUENCY, RATE, SHARE, SIZE, TIME};
use crate::spelling::{nearest, shown};

/// Second spellings of units, which are read and never written.
const SYNONYMS: &[(&str, &str)] = &[
    ("µs", "us"),
    ("μs", "us"),
    ("packet", "packets"),
    ("segment", "segments"),
];

/// Reads a rate, `50 Mbit/s` or `6.25 MB/s`, into bits per second.
///
/// # Errors
/// The text is not a rate, or is zero, or has too many decimals or digits for an integer.
pub fn parse_rate(text: &str) -> Result<u64, UnitError> {
    positive(&RATE, text)
}

/// Reads a time, `600 ms`, into nanoseconds. Zero is a time.
///
/// # Errors
/// The text is not a time, or has too many decimals or digits for an integer.
pub fn parse_time(text: &str) -> Result<u64, UnitError> {
    Ok(parse_quantity(&TIME, text)?.0)
}

/// Reads a size, `1 MB` or `64 MiB`, into bytes.
///
/// # Errors
/// The text is not a size, or is zero, or has too many decimals or digits for an integer.
pub fn parse_size(text: &str) -> Result<u64, UnitError> {
    positive(&SIZE, text)
}

/// Reads a share, `0.5 %`, into millionths. Zero is a share.
///
/// # Errors
/// The text is not a share, or is more than 100 %, or is finer than a millionth.
pub fn parse_percent(text: &str) -> Result<u32, UnitError> {
    match parse_quantity(&SHARE, text)?.0 {
        ppm @ 0..=1_000_000 => Ok(ppm as u32),
        _ => Err(UnitError::TooLarge {
            what: SHARE.what,
            found: shown(text),
            max: "100 %".into(),
        }),
    }
}

/// Reads a share that may exceed 100 %, into millionths. Zero is a share.
///
/// # Errors
/// The text is not a share, or is finer than a millionth, or has too many digits for an integer.
pub fn parse_ratio(text: &str) -> Result<u64, UnitError> {
    Ok(parse_quantity(&SHARE, text)?.0)
}

/// Reads a frequency, `5 /s`, into times in a million seconds.
///
/// # Errors
/// The text is not a frequency, or is zero, or has too many decimals or digits for an integer.
pub fn parse_frequency(text: &str) -> Result<u64, UnitError> {
    positive(&FREQUENCY, text)
}

/// Reads a number of packets, `100 packets`.
///
/// # Errors
/// The text is not a number of packets, or is zero.
pub fn parse_packets(text: &str) -> Result<u64, UnitError> {
    positive(&COUNT, text)
}

fn positive(quantity: &Quantity, text: &str) -> Result<u64, UnitError> {
    match parse_quantity(quantity, text)?.0 {
        0 => Err(UnitError::Zero {
            what: quantity.what,
            found: shown(text),
        }),
        value => Ok(value),
    }
}

/// Reads a decimal number and a unit, with or without blanks between them. Returns the number in
/// the base unit, and the unit.
pub fn parse_quantity(quantity: &Quantity, text: &str) -> Result<(u64, Unit), UnitError> {
    let what = quantity.what;
    let found = || shown(text);
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(UnitError::Empty {
            what,
            expected: quantity.expected(),
        });
    }
    if is_negative(trimmed) {
        return Err(UnitError::Negative {
            what,
            found: found(),
        });
    }
    let number_end = trimmed
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(trimmed.len());
    let (number, rest) = trimmed.split_at(number_end);
    let not_a_number = || UnitError::NotANumber {
        what,
        found: found(),
        nearest: nearest(trimmed, quantity.words.iter().copied()),
        expected: quantity.expected(),
    };
    let decimal = Decimal::parse(number).ok_or_else(not_a_number)?;
    if rest.trim().is_empty() {
        return Err(UnitError::MissingUnit {
            what,
            found: found(),
            expected: quantity.expected(),
        });
    }
    if continues_a_number(rest) {
        return Err(not_a_number());
    }
    let unit = unit_of(quantity, rest.trim_start(), text)?;
    match decimal.times(unit.factor) {
        Product::Exact(value) => Ok((value, unit)),
        Product::TooFine => Err(UnitError::TooFine {
            what,
            found: found(),
            counts: unit.counts,
        }),
        Product::TooLarge => Err(UnitError::TooLarge {
            what,
            found: found(),
            max: format!("{} {}", u64::MAX, unit.counts),
        }),
    }
}

/// Whether a number with a minus sign begins here.
fn is_negative(text: &str) -> bool {
    let begins_number = |c: char| c.is_ascii_digit() || c == '.';
    text.strip_prefix(['-', '−'])
        .is_some_and(|rest| rest.trim_start().starts_with(begins_number))
}

/// Whether the text after a number continues it in a notation that is not accepted: `1,5 Mbit/s`,
/// `1_000 B` or `1e6 B`.
fn continues_a_number(rest: &str) -> bool {
    let begins_exponent = |c: char| c.is_ascii_digit() || "+-".contains(c);
    rest.starts_with([',', '_', '\'', '+', '-'])
        || rest.trim_start().starts_with(|c: char| c.is_ascii_digit())
        || rest
            .strip_prefix(['e', 'E'])
            .is_some_and(|exponent| exponent.starts_with(begins_exponent))
}

/// The quantity's unit of this name. `text` is the whole text, for the error.
fn unit_of(quantity: &Quantity, name: &str, text: &str) -> Result<Unit, UnitError> {
    let synonym = SYNONYMS.iter().find(|(synonym, _)| *synonym == name);
    let name = synonym.map_or(name, |(_, unit)| unit);
    let mut units = quantity.units.iter().flat_map(|family| family.iter());
    let unit = units.find(|unit| unit.name == name).copied();
    unit.ok_or_else(|| UnitError::UnknownUnit {
        what: quantity.what,
        found: shown(text),
        unit: shown(name),
        nearest: nearest_unit(name, quantity),
        expected: quantity.expected(),
    })
}

/// A decimal number: the digits before its point and after it.
#[derive(Clone, Copy, Debug)]
struct Decimal<'a> {
    whole: &'a str,
    fraction: &'a str,
}

enum Product {
    Exact(u64),
    TooFine,
    TooLarge,
}

impl<'a> Decimal<'a> {
    /// `None` unless there are digits on both sides of the point, or no point.
    fn parse(number: &'a str) -> Option<Self> {
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        (is_digits(whole) && is_digits(fraction)).then(|| Decimal {
            whole: whole.trim_start_matches('0'),
            fraction: fraction.trim_end_matches('0'),
        })
    }

    fn times(self, factor: u64) -> Product {
        // A u64 has at most 20 digits. No unit's factor has more than 30 factors of 2, so a
        // fraction of more than 30 decimals leaves a remainder in every unit.
        if self.whole.len() > 20 {
            return Product::TooLarge;
        }
        if self.fraction.len() > 30 {
            return Product::TooFine;
        }
        let digits = |part: &str| {
            part.bytes()
                .fold(0u128, |n, b| n * 10 + u128::from(b - b'0'))
        };
        let factor = u128::from(factor);
        let scale = 10u128.pow(self.fraction.len() as u32);
        // Reduce the fraction first: 30 decimals of a GiB would overflow 128 bits.
        let common = gcd(factor, scale);
        let (fraction, scale) = (digits(self.fraction) * (factor / common), scale / common);
        if fraction % scale != 0 {
            return Product::TooFine;
        }
        match u64::try_from(digits(self.whole) * factor + fraction / scale) {
            Ok(value) => Product::Exact(value),
            Err(_) => Product::TooLarge,
        }
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

/// A number of packets or segments as a 32-bit integer.
pub fn count_of(value: u64, quantity: &Quantity, text: &str) -> Result<u32, UnitError> {
    u32::try_from(value).map_err(|_| UnitError::TooLarge {
        what: quantity.what,
        found: shown(text),
        max: format!("{} {}", u32::MAX, quantity.units[0][0].name),
    })
}
