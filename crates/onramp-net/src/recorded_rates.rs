//! Recordings of a link's rate: text with a time and a rate in each row.
//!
//! ```
//! let rates = onramp_net::RecordedRates::parse("time_s,rate_mbits_per_s\n0,40\n1,0\n2,5\n")?;
//! // The last row holds as long as the one before it.
//! assert_eq!(rates.length_ns(), 3_000_000_000);
//! assert_eq!(rates.mean_bits_per_s(), 15_000_000);
//! # Ok::<(), onramp_net::RatesError>(())
//! ```

use crate::opportunities::MAX_TRACE_BYTES;
use std::fmt;

/// The columns that a recording can have for its times, and the nanoseconds of their units.
const TIMES: [(&str, f64); 4] = [
    ("time_s", 1e9),
    ("time_ms", 1e6),
    ("time_us", 1e3),
    ("time_ns", 1.0),
];
/// The columns that it can have for its rates, and the bit/s of their units.
const RATES: [(&str, f64); 4] = [
    ("rate_bits_per_s", 1.0),
    ("rate_kbits_per_s", 1e3),
    ("rate_mbits_per_s", 1e6),
    ("rate_bytes_per_s", 8.0),
];

/// The maximum length of a recording: a year.
const MAX_LENGTH_NS: f64 = 365.0 * 24.0 * 3600.0 * 1e9;
/// The maximum rate.
const MAX_BITS_PER_S: f64 = 1e12;
/// An error shows at most this many characters of a cell.
const SHOWN_CHARS: usize = 20;

/// A recorded rate. Each row holds until the next one, and the last row as long as the one before
/// it. Then the recording begins again.
#[derive(Clone, PartialEq, Eq)]
pub struct RecordedRates {
    /// The rates, each with the time since the beginning until which it holds. The times increase.
    rows: Vec<(u64, u64)>,
}

/// Why a text is no recording of rates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RatesError {
    /// The text is larger than [`MAX_TRACE_BYTES`].
    TooLarge,
    /// The first line does not name both columns.
    NoColumn {
        /// `times` or `rates`.
        what: &'static str,
        /// The names that it can have.
        expected: String,
    },
    /// A row lacks a value, or has another thing than a number that is not negative.
    NotANumber {
        /// Number of the line, from 1.
        line: usize,
        /// `time` or `rate`.
        what: &'static str,
        /// The cell, shortened.
        found: String,
    },
    /// A time or a rate is too large.
    BeyondLimit {
        /// Number of the line, from 1.
        line: usize,
        /// `time` or `rate`.
        what: &'static str,
        /// The limit, in words.
        limit: &'static str,
    },
    /// A time is not later than the one before it.
    NotLater {
        /// Number of the line, from 1.
        line: usize,
    },
    /// There are fewer than two rows.
    TooShort,
    /// All rates are zero.
    OnlyZeros,
}

impl RecordedRates {
    /// Reads comma-separated values. The first line names the columns: a time, such as `time_s`,
    /// and a rate, such as `rate_mbits_per_s`; others are left out. Times count from the first
    /// row. Empty lines, and lines that begin with `#`, are skipped.
    ///
    /// # Errors
    /// The first line that is wrong, or that the recording has no length or no rate.
    pub fn parse(text: &str) -> Result<RecordedRates, RatesError> {
        if text.len() as u64 > MAX_TRACE_BYTES {
            return Err(RatesError::TooLarge);
        }
        let is_row = |line: &(usize, &str)| !line.1.is_empty() && !line.1.starts_with('#');
        let lines = (1..).zip(text.lines().map(str::trim));
        let mut lines = lines.filter(is_row);
        let header = lines.next().map_or("", |(_, header)| header);
        let (time_column, time_unit) = column(header, "times", &TIMES)?;
        let (rate_column, rate_unit) = column(header, "rates", &RATES)?;
        // The beginnings of the rows, and their rates.
        let mut begins: Vec<(u64, u64)> = Vec::new();
        let mut first_ns = None;
        for (line, text) in lines {
            let number = |what, column| number(line, text, what, column);
            let time_ns = number("time", time_column)? * time_unit;
            let rate = number("rate", rate_column)? * rate_unit;
            let since_ns = time_ns - *first_ns.get_or_insert(time_ns);
            if since_ns > MAX_LENGTH_NS {
                let (what, limit) = ("time", "a year after the first");
                return Err(RatesError::BeyondLimit { line, what, limit });
            }
            if rate > MAX_BITS_PER_S {
                let (what, limit) = ("rate", "1 Tbit/s");
                return Err(RatesError::BeyondLimit { line, what, limit });
            }
            let begin_ns = since_ns.max(0.0).round() as u64;
            if begins
                .last()
                .is_some_and(|(before_ns, _)| *before_ns >= begin_ns)
            {
                return Err(RatesError::NotLater { line });
            }
            begins.push((begin_ns, rate.round() as u64));
        }
        let &[.., (before_ns, _), (last_ns, _)] = &begins[..] else {
            return Err(RatesError::TooShort);
        };
        if begins.iter().all(|(_, rate)| *rate == 0) {
            return Err(RatesError::OnlyZeros);
        }
        let ends = begins[1..].iter().map(|(begin_ns, _)| *begin_ns);
        let ends = ends.chain([last_ns + (last_ns - before_ns)]);
        let rates = begins.iter().map(|(_, rate)| *rate);
        Ok(RecordedRates {
            rows: ends.zip(rates).collect(),
        })
    }

    /// Length of the recording, after which it begins again.
    pub fn length_ns(&self) -> u64 {
        self.rows.last().map_or(1, |(end_ns, _)| *end_ns)
    }

    /// The mean rate, at least 1.
    pub fn mean_bits_per_s(&self) -> u64 {
        let mut begin_ns = 0;
        let mut sum = 0u128;
        for (end_ns, rate) in &self.rows {
            sum += u128::from(end_ns - begin_ns) * u128::from(*rate);
            begin_ns = *end_ns;
        }
        u64::try_from(sum / u128::from(self.length_ns()))
            .unwrap_or(u64::MAX)
            .max(1)
    }

    /// The row that holds at this time of the recording.
    pub(crate) fn at(&self, time_ns: u64) -> usize {
        let time_ns = time_ns % self.length_ns();
        self.rows.partition_point(|(end_ns, _)| *end_ns <= time_ns)
    }

    /// The rate of a row, and the time of the recording until which it holds.
    pub(crate) fn row(&self, index: usize) -> (u64, u64) {
        let (end_ns, rate) = self.rows[index];
        (rate, end_ns)
    }

    /// The row after this one. After the last row comes the first.
    pub(crate) fn after(&self, index: usize) -> usize {
        (index + 1) % self.rows.len()
    }
}

/// The place of a column in the header, and its unit.
fn column(
    header: &str,
    what: &'static str,
    known: &[(&str, f64)],
) -> Result<(usize, f64), RatesError> {
    let cells = || header.split(',').map(clean);
    let found = known.iter().find_map(|(name, unit)| {
        let place = cells().position(|cell| cell.eq_ignore_ascii_case(name))?;
        Some((place, *unit))
    });
    found.ok_or_else(|| {
        let names: Vec<String> = known.iter().map(|(name, _)| format!("`{name}`")).collect();
        let expected = names.join(" or ");
        RatesError::NoColumn { what, expected }
    })
}

fn number(line: usize, text: &str, what: &'static str, column: usize) -> Result<f64, RatesError> {
    let cell = text.split(',').nth(column).map_or("", clean);
    let number = cell.parse::<f64>().ok();
    let is_good = |number: &f64| number.is_finite() && *number >= 0.0;
    number
        .filter(is_good)
        .ok_or_else(|| RatesError::NotANumber {
            line,
            what,
            found: cell.chars().take(SHOWN_CHARS).collect(),
        })
}

/// A cell without blanks and quotes around it.
fn clean(cell: &str) -> &str {
    cell.trim().trim_matches('"')
}

/// Without the rows, of which there may be millions.
impl fmt::Debug for RecordedRates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedRates")
            .field("count", &self.rows.len())
            .field("length_ns", &self.length_ns())
            .finish()
    }
}

impl fmt::Display for RatesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RatesError::TooLarge => write!(f, "it is larger than {} MiB", MAX_TRACE_BYTES >> 20),
            RatesError::NoColumn { what, expected } => write!(
                f,
                "its first line names no column of {what}: expected {expected}, for example \
                 `time_s,rate_mbits_per_s`"
            ),
            RatesError::NotANumber { line, what, found } => {
                write!(f, "line {line} has no {what}: {found:?}")
            }
            RatesError::BeyondLimit { line, what, limit } => {
                write!(f, "line {line} has a {what} beyond {limit}")
            }
            RatesError::NotLater { line } => {
                write!(f, "line {line} is not later than the row before it")
            }
            RatesError::TooShort => {
                f.write_str("it has fewer than two rows: nobody could tell how long a rate holds")
            }
            RatesError::OnlyZeros => f.write_str("all its rates are 0: nothing would ever arrive"),
        }
    }
}

impl std::error::Error for RatesError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrong(text: &str) -> String {
        RecordedRates::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn columns_are_found_by_their_names_in_any_order_and_unit() {
        let one = RecordedRates::parse("time_s,rate_mbits_per_s\n0,2\n0.5,1\n").unwrap();
        assert_eq!(
            one.rows,
            [(500_000_000, 2_000_000), (1_000_000_000, 1_000_000)]
        );
        let other = "# LTE\n\"Rate_kbits_per_s\", cell , time_ms\n\n2000,7,100\n1000,9,600\n";
        assert_eq!(RecordedRates::parse(other), Ok(one));
        let bytes = RecordedRates::parse("time_us,rate_bytes_per_s\n5,125\n6,0").unwrap();
        assert_eq!((bytes.length_ns(), bytes.mean_bits_per_s()), (2_000, 500));
    }

    #[test]
    fn each_mistake_has_its_line() {
        let with = |rows: &str| wrong(&format!("time_s,rate_bits_per_s\n{rows}"));
        assert!(wrong("").starts_with("its first line names no column of times: expected `time_s"));
        assert!(wrong("time_s,mbps\n0,1\n").contains("no column of rates"));
        assert_eq!(with("0,1\n1,-2\n"), "line 3 has no rate: \"-2\"");
        assert_eq!(with("0,1\n1\n"), "line 3 has no rate: \"\"");
        assert_eq!(with("x,1\n"), "line 2 has no time: \"x\"");
        assert_eq!(
            with("1,1\n1,2\n"),
            "line 3 is not later than the row before it"
        );
        assert_eq!(
            with("2,1\n1,2\n"),
            "line 3 is not later than the row before it"
        );
        assert_eq!(
            with("0,1\n1e9,1\n"),
            "line 3 has a time beyond a year after the first"
        );
        assert_eq!(with("0,1e13\n"), "line 2 has a rate beyond 1 Tbit/s");
        assert!(with("0,1\n").contains("fewer than two rows"));
        assert!(with("0,0\n1,0\n").contains("all its rates are 0"));
    }

    #[test]
    fn a_time_is_in_the_row_that_holds_then() {
        let rates = RecordedRates::parse("time_ns,rate_bits_per_s\n0,1\n10,2\n30,3\n").unwrap();
        let rows = [0, 9, 10, 29, 30, 49, 50, 60].map(|time_ns| rates.at(time_ns));
        assert_eq!(rows, [0, 0, 1, 1, 2, 2, 0, 1]);
        assert_eq!(
            (rates.row(1), rates.after(1), rates.after(2)),
            ((2, 30), 2, 0)
        );
    }

    proptest! {
        /// Any text is read or refused, and an error is short.
        #[test]
        fn no_text_breaks_the_reader(rows in "[0-9,\\n\\r +.e-]{0,60}|\\PC{0,60}") {
            for header in ["", "time_s,rate_bits_per_s\n"] {
                match RecordedRates::parse(&format!("{header}{rows}")) {
                    Ok(rates) => {
                        prop_assert!(rates.length_ns() > 0 && rates.mean_bits_per_s() > 0);
                        prop_assert!(rates.rows.is_sorted());
                    }
                    Err(error) => prop_assert!(error.to_string().len() < 250),
                }
            }
        }
    }
}
