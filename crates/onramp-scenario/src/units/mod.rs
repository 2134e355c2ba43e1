//! Quantities as people write them, `50 Mbit/s` or `0.4 bdp`, and the integers they stand for.
//!
//! The only place in Onramp where units are read or written: scenario files and the command line
//! share it. Arithmetic is exact. A decimal fraction is read as the fraction it is, and refused
//! when it is finer than the integer it becomes. Every `format_` function is undone by its `parse_`
//! function.

mod error;
mod format;
#[cfg(test)]
mod tests;

pub use error::UnitError;
pub(crate) use error::{nearest, shown};
pub use format::{format_bdp, format_count, format_percent, format_rate, format_size, format_time};

/// A unit's name and what one of it is in the quantity's own unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub name: &'static str,
    pub factor: u64,
    /// What the resulting integer counts.
    pub counts: &'static str,
}

const fn unit(name: &'static str, factor: u64, counts: &'static str) -> Unit {
    Unit {
        name,
        factor,
        counts,
    }
}

/// What may be written for one kind of quantity.
#[derive(Debug)]
pub(crate) struct Quantity {
    pub what: &'static str,
    pub example: &'static str,
    pub units: &'static [&'static [Unit]],
    /// Words that may stand in place of a number with a unit.
    pub words: &'static [&'static str],
}

impl Quantity {
    /// How to write one, for the error that refuses one.
    pub(crate) fn expected(&self) -> String {
        let units: Vec<_> = self.unit_names().collect();
        let (what, example) = (self.what, self.example);
        let article = if what.starts_with('i') { "an" } else { "a" };
        let words: String = self
            .words
            .iter()
            .map(|word| format!("\"{word}\", or "))
            .collect();
        let units = units.join(", ");
        format!("{article} {what} is {words}a decimal number and a unit ({units}), for example \"{example}\"")
    }

    /// Names of the units, in the order in which messages list them.
    pub(crate) fn unit_names(&self) -> impl Iterator<Item = &'static str> {
        self.units
            .iter()
            .flat_map(|family| family.iter())
            .map(|unit| unit.name)
    }
}

const BITS_PER_S: &str = "bits per second";
pub(crate) const RATE_UNITS: &[Unit] = &[
    unit("bit/s", 1, BITS_PER_S),
    unit("kbit/s", 1_000, BITS_PER_S),
    unit("Mbit/s", 1_000_000, BITS_PER_S),
    unit("Gbit/s", 1_000_000_000, BITS_PER_S),
];
const BYTE_RATE_UNITS: &[Unit] = &[
    unit("B/s", 8, BITS_PER_S),
    unit("kB/s", 8_000, BITS_PER_S),
    unit("MB/s", 8_000_000, BITS_PER_S),
    unit("GB/s", 8_000_000_000, BITS_PER_S),
];
pub(crate) const TIME_UNITS: &[Unit] = &[
    unit("ns", 1, "nanoseconds"),
    unit("us", 1_000, "nanoseconds"),
    unit("ms", 1_000_000, "nanoseconds"),
    unit("s", 1_000_000_000, "nanoseconds"),
];
pub(crate) const SIZE_UNITS: &[Unit] = &[
    unit("B", 1, "bytes"),
    unit("kB", 1_000, "bytes"),
    unit("MB", 1_000_000, "bytes"),
    unit("GB", 1_000_000_000, "bytes"),
    unit("KiB", 1 << 10, "bytes"),
    unit("MiB", 1 << 20, "bytes"),
    unit("GiB", 1 << 30, "bytes"),
];
pub(crate) const PACKETS: Unit = unit("packets", 1, "packets");
pub(crate) const SEGMENTS: Unit = unit("segments", 1, "segments");
pub(crate) const BDP: Unit = unit("bdp", 1_000_000, "millionths of the bdp");
const PER_SECOND: Unit = unit("/s", 1_000_000, "times in a million seconds");
pub(crate) const PERCENT: Unit = unit("%", 10_000, "millionths");

pub(crate) const RATE: Quantity = Quantity {
    what: "rate",
    example: "50 Mbit/s",
    units: &[RATE_UNITS, BYTE_RATE_UNITS],
    words: &[],
};
pub(crate) const TIME: Quantity = Quantity {
    what: "time",
    example: "600 ms",
    units: &[TIME_UNITS],
    words: &[],
};
pub(crate) const SIZE: Quantity = Quantity {
    what: "size",
    example: "1 MB",
    units: &[SIZE_UNITS],
    words: &[],
};
pub(crate) const SHARE: Quantity = Quantity {
    what: "share",
    example: "0.5 %",
    units: &[&[PERCENT]],
    words: &[],
};
pub(crate) const FREQUENCY: Quantity = Quantity {
    what: "frequency",
    example: "5 /s",
    units: &[&[PER_SECOND]],
    words: &[],
};
const COUNT: Quantity = Quantity {
    what: "number of packets",
    example: "100 packets",
    units: &[&[PACKETS]],
    words: &[],
};

/// Units that are read and never written: a second spelling of one that is listed.
const SYNONYMS: &[(&str, &str)] = &[
    ("µs", "us"),
    ("μs", "us"),
    ("packet", "packets"),
    ("segment", "segments"),
];

/// Reads a rate, `50 Mbit/s` or `6.25 MB/s`, into bits per second. Zero is refused.
pub fn parse_rate(text: &str) -> Result<u64, UnitError> {
    positive(&RATE, text)
}

/// Reads a time, `600 ms`, into nanoseconds. Zero is a time.
pub fn parse_time(text: &str) -> Result<u64, UnitError> {
    Ok(parse_quantity(&TIME, text)?.0)
}

/// Reads a size, `1 MB` or `64 MiB`, into bytes. Zero is refused.
pub fn parse_size(text: &str) -> Result<u64, UnitError> {
    positive(&SIZE, text)
}

/// Reads a share, `0.5 %`, into millionths. Zero is a share; more than 100 % is not.
pub fn parse_percent(text: &str) -> Result<u32, UnitError> {
    match parse_quantity(&SHARE, text)?.0 {
        ppm @ 0..=1_000_000 => Ok(ppm as u32),
        _ => Err(UnitError::TooLarge {
            what: SHARE.what,
            found: shown(text),
            most: "100 %".into(),
        }),
    }
}

/// Reads a frequency, `5 /s`, into times in a million seconds. Zero is refused.
pub fn parse_frequency(text: &str) -> Result<u64, UnitError> {
    positive(&FREQUENCY, text)
}

/// Reads a number of packets, `100 packets`. Zero is refused.
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

/// Reads a decimal number and a unit, with or without blanks between them.
pub(crate) fn parse_quantity(quantity: &Quantity, text: &str) -> Result<(u64, Unit), UnitError> {
    let what = quantity.what;
    let found = || shown(text);
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(UnitError::Empty {
            what,
            expected: quantity.expected(),
        });
    }
    if let Some(rest) = trimmed.strip_prefix(['-', '−']) {
        if rest
            .trim_start()
            .starts_with(|c: char| c.is_ascii_digit() || c == '.')
        {
            return Err(UnitError::Negative {
                what,
                found: found(),
            });
        }
    }
    let number_end = trimmed
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(trimmed.len());
    let (number, rest) = trimmed.split_at(number_end);
    let not_a_number = || {
        let nearest = nearest(trimmed, quantity.words.iter().copied());
        UnitError::NotANumber {
            what,
            found: found(),
            nearest,
            expected: quantity.expected(),
        }
    };
    let decimal = Decimal::parse(number).ok_or_else(not_a_number)?;
    let name = rest.trim_start();
    if name.is_empty() {
        return Err(UnitError::MissingUnit {
            what,
            found: found(),
            expected: quantity.expected(),
        });
    }
    // `1,5 Mbit/s`, `1_000 B`, `1e6 B`: the number goes on in a way that is not ours.
    let goes_on = rest.starts_with([',', '_', '\'', '+', '-'])
        || name.starts_with(|c: char| c.is_ascii_digit())
        || rest
            .strip_prefix(['e', 'E'])
            .is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c)));
    if goes_on {
        return Err(not_a_number());
    }
    let name = SYNONYMS
        .iter()
        .find(|(synonym, _)| *synonym == name)
        .map_or(name, |(_, unit)| unit);
    let unit = quantity
        .units
        .iter()
        .flat_map(|family| family.iter())
        .find(|unit| unit.name == name);
    let unit = *unit.ok_or_else(|| UnitError::UnknownUnit {
        what,
        found: found(),
        unit: shown(name),
        nearest: error::nearest_unit(name, quantity),
        expected: quantity.expected(),
    })?;
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
            most: format!("{} {}", u64::MAX, unit.counts),
        }),
    }
}

/// A decimal number without its point: `digits / 10^decimals`.
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
        // fraction of more than 30 decimals leaves a remainder with every unit.
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
        // Reduced first: unreduced, 30 decimals of a GiB would overflow 128 bits.
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
