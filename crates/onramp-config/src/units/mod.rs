//! Quantities as people write them, `50 Mbit/s` or `0.4 bdp`, and the integers they stand for.
//!
//! Units are read and written only here. Scenario files and the command line share this module.
//! Arithmetic is exact: a decimal fraction is refused where it is finer than the integer that it
//! becomes. Every `parse_` function reads what its `format_` function wrote.

mod error;
mod format;
mod parse;
#[cfg(test)]
mod tests;
mod unit;

pub use error::UnitError;
pub use format::{format_bdp, format_count, format_percent, format_rate, format_size, format_time};
pub use parse::{count_of, parse_quantity};
pub use parse::{
    parse_frequency, parse_packets, parse_percent, parse_rate, parse_ratio, parse_size, parse_time,
};
pub use unit::{Quantity, BDP, PACKETS, SEGMENTS, SIZE_UNITS};

/// Bytes that a rate carries in a time, rounded down.
pub fn bytes_in(rate_bits_per_s: u64, time_ns: u64) -> u64 {
    u64::try_from(u128::from(rate_bits_per_s) * u128::from(time_ns) / 8_000_000_000)
        .unwrap_or(u64::MAX)
}
