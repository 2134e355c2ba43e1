//! Writes integers as people read them: the shortest exact wording, without rounding. What a table
//! shows can be written into a scenario.

use super::unit::{Unit, BDP, PERCENT, RATE_UNITS, SIZE_UNITS, TIME_UNITS};

/// `50 Mbit/s` for 50,000,000 bits per second.
pub fn format_rate(bits_per_s: u64) -> String {
    shortest(bits_per_s, RATE_UNITS)
}

/// `600 ms` for 600,000,000 nanoseconds.
pub fn format_time(ns: u64) -> String {
    shortest(ns, TIME_UNITS)
}

/// `1 MB` for 1,000,000 bytes, `64 MiB` for 67,108,864.
pub fn format_size(bytes: u64) -> String {
    shortest(bytes, SIZE_UNITS)
}

/// `0.5 %` for 5,000 millionths.
pub fn format_percent(ppm: u32) -> String {
    format!(
        "{} {}",
        decimal(u64::from(ppm), PERCENT.factor),
        PERCENT.name
    )
}

/// `0.4 bdp` for 400,000 millionths.
pub fn format_bdp(ppm: u64) -> String {
    format!("{} {}", decimal(ppm, BDP.factor), BDP.name)
}

/// `40 packets` or `1 packet`, from the plural of the unit.
pub fn format_count(count: u64, plural: &str) -> String {
    let singular = plural.strip_suffix('s').unwrap_or(plural);
    format!("{count} {}", if count == 1 { singular } else { plural })
}

/// The shortest exact wording of at most three decimals. If two are equally short, the one with the
/// earlier unit.
fn shortest(value: u64, units: &[Unit]) -> String {
    let wordings = units
        .iter()
        .filter(|unit| unit.factor == 1 || value >= unit.factor)
        .filter_map(|unit| {
            // Few numbers are whole thousandths of a binary unit: most wordings are not exact.
            let thousandths = u128::from(value) * 1000;
            let exact = thousandths % u128::from(unit.factor) == 0;
            exact.then(|| {
                format!(
                    "{} {}",
                    decimal_of_thousandths(thousandths / u128::from(unit.factor)),
                    unit.name
                )
            })
        });
    let in_base_unit = format!("{value} {}", units[0].name);
    wordings.min_by_key(String::len).unwrap_or(in_base_unit)
}

fn decimal_of_thousandths(thousandths: u128) -> String {
    point(thousandths / 1000, thousandths % 1000, 3)
}

/// `value / scale` as a decimal number, exact where `scale` is a power of ten.
fn decimal(value: u64, scale: u64) -> String {
    point(
        u128::from(value / scale),
        u128::from(value % scale),
        scale.ilog10() as usize,
    )
}

fn point(whole: u128, fraction: u128, decimals: usize) -> String {
    let digits = format!("{whole}.{fraction:0decimals$}");
    digits
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}
