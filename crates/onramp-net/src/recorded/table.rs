//! Recordings of a link as text: comma-separated values, with a time and what holds then in each
//! row.
//!
//! ```
//! let text = "time_s,rate_mbits_per_s,delay_ms\n0,40,20\n1,0,20\n2,5,35\n";
//! let table = onramp_net::RecordedTable::parse(text)?;
//! let rates = table.rates.expect("there is a column");
//! // The last row holds as long as the one before it.
//! assert_eq!(rates.length_ns(), 3_000_000_000);
//! assert_eq!(rates.mean(), 15_000_000);
//! assert_eq!(table.delays.expect("there is a column").mean(), 25_000_000);
//! assert_eq!(table.losses, None);
//! # Ok::<(), onramp_net::RecordingError>(())
//! ```

use super::{RecordedValues, RecordingError};
use crate::opportunities::MAX_TRACE_BYTES;
use std::sync::Arc;

/// What a column has: its names with the factors of their units, and its maximum.
struct Quantity {
    name: &'static str,
    columns: &'static [(&'static str, f64)],
    max: f64,
    limit: &'static str,
}

/// In nanoseconds, from the first row on. At most a year.
const TIME: Quantity = Quantity {
    name: "time",
    columns: &[
        ("time_s", 1e9),
        ("time_ms", 1e6),
        ("time_us", 1e3),
        ("time_ns", 1.0),
    ],
    max: 365.0 * 24.0 * 3600.0 * 1e9,
    limit: "a year after the first",
};

/// In bit/s.
const RATE: Quantity = Quantity {
    name: "rate",
    columns: &[
        ("rate_bits_per_s", 1.0),
        ("rate_kbits_per_s", 1e3),
        ("rate_mbits_per_s", 1e6),
        ("rate_bytes_per_s", 8.0),
    ],
    max: 1e12,
    limit: "1 Tbit/s",
};

/// One way, in nanoseconds. Each direction has half of an RTT.
const DELAY: Quantity = Quantity {
    name: "delay",
    columns: &[
        ("delay_s", 1e9),
        ("delay_ms", 1e6),
        ("delay_us", 1e3),
        ("delay_ns", 1.0),
        ("rtt_s", 0.5e9),
        ("rtt_ms", 0.5e6),
        ("rtt_us", 0.5e3),
        ("rtt_ns", 0.5),
    ],
    max: 3600e9,
    limit: "3600 s",
};

/// In millionths of the packets.
const LOSS: Quantity = Quantity {
    name: "loss",
    columns: &[("loss", 1e6), ("loss_percent", 1e4)],
    max: 1e6,
    limit: "100 %",
};

/// Time from one line to the next of a list of delays.
const DELAY_INTERVAL_NS: u64 = 10_000_000;
/// An error shows at most this many characters of a cell.
const SHOWN_CHARS: usize = 20;

/// A recorded link. What it has no column of is `None`, but one of the three is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedTable {
    /// Its rates, in bit/s, at most 10^12. One of them is not zero.
    pub rates: Option<Arc<RecordedValues>>,
    /// Its one-way delays, in nanoseconds, at most an hour.
    pub delays: Option<Arc<RecordedValues>>,
    /// The probabilities that a packet is lost, in millionths.
    pub losses: Option<Arc<RecordedValues>>,
}

impl RecordedTable {
    /// Reads comma-separated values. The first line names the columns: a time, such as `time_s`,
    /// and a rate, a delay or a loss, such as `rate_mbits_per_s`; others are left out. Times count
    /// from the first row. Empty lines, and lines that begin with `#`, are skipped.
    ///
    /// # Errors
    /// The first line that is wrong, or that the recording has no length or no rate.
    pub fn parse(text: &str) -> Result<RecordedTable, RecordingError> {
        let mut lines = lines(text)?;
        let header = lines.next().map_or("", |(_, header)| header);
        let time = TIME.column(header).ok_or_else(no_times)?;
        let columns = [&RATE, &DELAY, &LOSS].map(|quantity| quantity.column(header));
        if columns.iter().all(Option::is_none) {
            return Err(RecordingError::NoColumn {
                what: "rates, delays or losses",
                expected: "for example `rate_mbits_per_s`, `delay_ms` or `loss_percent`".to_owned(),
            });
        }
        let mut begins_ns: Vec<u64> = Vec::new();
        let mut values: [Vec<u64>; 3] = Default::default();
        let mut first_ns = None;
        for (line, text) in lines {
            let at_ns = time.number(line, text)?;
            let since_ns = at_ns - *first_ns.get_or_insert(at_ns);
            time.check(line, since_ns)?;
            let begin_ns = since_ns.max(0.0).round() as u64;
            for (column, values) in columns.iter().zip(&mut values) {
                if let Some(column) = column {
                    values.push(column.value(line, text)?);
                }
            }
            if begins_ns
                .last()
                .is_some_and(|before_ns| *before_ns >= begin_ns)
            {
                return Err(RecordingError::NotLater { line });
            }
            begins_ns.push(begin_ns);
        }
        let &[.., before_ns, last_ns] = &begins_ns[..] else {
            return Err(RecordingError::TooShort);
        };
        let ends_ns = begins_ns[1..].iter().copied();
        let ends_ns = ends_ns.chain([last_ns + (last_ns - before_ns)]);
        let [rates, delays, losses] = values.map(|values| {
            let rows = ends_ns.clone().zip(values);
            let rows: Vec<(u64, u64)> = rows.collect();
            (!rows.is_empty()).then(|| Arc::new(RecordedValues::new(rows)))
        });
        if rates.as_ref().is_some_and(|rates| rates.range().1 == 0) {
            return Err(RecordingError::OnlyZeros);
        }
        Ok(RecordedTable {
            rates,
            delays,
            losses,
        })
    }

    /// Reads a list of one-way delays in milliseconds, one line for each 10 ms: the format of
    /// LeoReplayer's `mm-delay`. Empty lines, and lines that begin with `#`, are skipped.
    ///
    /// # Errors
    /// The first line that is wrong, or that there is none.
    pub fn parse_delays(text: &str) -> Result<RecordedTable, RecordingError> {
        let column = Column {
            of: &DELAY,
            place: 0,
            unit: 1e6,
        };
        let ends_ns = (1..).map(|line: u64| line * DELAY_INTERVAL_NS);
        let mut rows = Vec::new();
        for (end_ns, (line, text)) in ends_ns.zip(lines(text)?) {
            rows.push((end_ns, column.value(line, text)?));
        }
        if rows.is_empty() {
            return Err(RecordingError::Empty);
        }
        Ok(RecordedTable {
            delays: Some(Arc::new(RecordedValues::new(rows))),
            ..RecordedTable::default()
        })
    }
}

fn no_times() -> RecordingError {
    let names = TIME.columns.iter().map(|(name, _)| format!("`{name}`"));
    let expected = names.collect::<Vec<_>>().join(" or ");
    RecordingError::NoColumn {
        what: "times",
        expected: format!("{expected}, for example `time_s,rate_mbits_per_s`"),
    }
}

/// The lines with content, each with its number.
fn lines(text: &str) -> Result<impl Iterator<Item = (usize, &str)>, RecordingError> {
    if text.len() as u64 > MAX_TRACE_BYTES {
        return Err(RecordingError::TooLarge);
    }
    let is_row = |line: &(usize, &str)| !line.1.is_empty() && !line.1.starts_with('#');
    Ok((1..).zip(text.lines().map(str::trim)).filter(is_row))
}

/// A column of a file.
struct Column {
    of: &'static Quantity,
    /// Its place in a row, from 0.
    place: usize,
    unit: f64,
}

impl Quantity {
    /// The column that the header has of this quantity.
    fn column(&'static self, header: &str) -> Option<Column> {
        self.columns.iter().find_map(|(name, unit)| {
            let place = header
                .split(',')
                .position(|cell| clean(cell).eq_ignore_ascii_case(name))?;
            Some(Column {
                of: self,
                place,
                unit: *unit,
            })
        })
    }
}

impl Column {
    /// The number in a row, which is not negative.
    fn number(&self, line: usize, text: &str) -> Result<f64, RecordingError> {
        let cell = text.split(',').nth(self.place).map_or("", clean);
        let number = cell.parse::<f64>().ok();
        let is_good = |number: &f64| number.is_finite() && *number >= 0.0;
        let number = number.filter(is_good).map(|number| number * self.unit);
        number.ok_or_else(|| RecordingError::NotANumber {
            line,
            column: self.place + 1,
            what: self.of.name,
            found: cell.chars().take(SHOWN_CHARS).collect(),
        })
    }

    /// Refuses a number that is too large.
    fn check(&self, line: usize, number: f64) -> Result<(), RecordingError> {
        if number <= self.of.max {
            return Ok(());
        }
        Err(RecordingError::BeyondLimit {
            line,
            column: self.place + 1,
            what: self.of.name,
            limit: self.of.limit,
        })
    }

    fn value(&self, line: usize, text: &str) -> Result<u64, RecordingError> {
        let number = self.number(line, text)?;
        self.check(line, number)?;
        Ok(number.round() as u64)
    }
}

/// A cell without blanks and quotes around it.
fn clean(cell: &str) -> &str {
    cell.trim().trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrong(text: &str) -> String {
        RecordedTable::parse(text).unwrap_err().to_string()
    }

    /// The values with the times until which they hold.
    fn rows(values: &Option<Arc<RecordedValues>>) -> Vec<(u64, u64)> {
        let values = values.clone().unwrap();
        let offset_ns = 0;
        let count = values.values().count();
        let steps = crate::Recorded { values, offset_ns }.from(0);
        let mut steps = steps.take(count + 1).peekable();
        let mut rows = Vec::new();
        while let (Some((_, value)), Some((end_ns, _))) = (steps.next(), steps.peek()) {
            rows.push((*end_ns, value));
        }
        rows
    }

    #[test]
    fn columns_are_found_by_their_names_in_any_order_and_unit() {
        let one = RecordedTable::parse("time_s,rate_mbits_per_s\n0,2\n0.5,1\n").unwrap();
        assert_eq!(
            rows(&one.rates),
            [(500_000_000, 2_000_000), (1_000_000_000, 1_000_000)]
        );
        let other = "# LTE\n\"Rate_kbits_per_s\", cell , time_ms\n\n2000,7,100\n1000,9,600\n";
        assert_eq!(RecordedTable::parse(other), Ok(one));
        let bytes = RecordedTable::parse("time_us,rate_bytes_per_s\n5,125\n6,0").unwrap();
        let rates = bytes.rates.unwrap();
        assert_eq!((rates.length_ns(), rates.mean()), (2_000, 500));
    }

    #[test]
    fn a_table_may_have_delays_and_losses_with_and_without_rates() {
        let all = "time_ms,delay_us,rate_kbits_per_s,loss_percent\n0,1500,8,0\n10,900,4,0.25\n";
        let all = RecordedTable::parse(all).unwrap();
        assert_eq!(rows(&all.rates), [(10_000_000, 8_000), (20_000_000, 4_000)]);
        let delays = [(10_000_000, 1_500_000), (20_000_000, 900_000)];
        assert_eq!(rows(&all.delays), delays);
        assert_eq!(rows(&all.losses), [(10_000_000, 0), (20_000_000, 2_500)]);
        let text = "time_ms,rtt_ms,loss\n0,3,0\n10,1.8,0.0025\n";
        let both = RecordedTable::parse(text).unwrap();
        assert_eq!(both, RecordedTable { rates: None, ..all });
        let alone = RecordedTable::parse("time_ms,loss\n0,1\n10,0\n").unwrap();
        assert_eq!((alone.rates, alone.delays), (None, None));
        assert_eq!(
            rows(&alone.losses),
            [(10_000_000, 1_000_000), (20_000_000, 0)]
        );
    }

    #[test]
    fn a_list_of_delays_has_a_line_for_each_10_ms() {
        let list = RecordedTable::parse_delays("12\n12.5\n9\n").unwrap();
        let wanted = [
            (10_000_000, 12_000_000),
            (20_000_000, 12_500_000),
            (30_000_000, 9_000_000),
        ];
        assert_eq!(rows(&list.delays), wanted);
        assert_eq!((list.rates, list.losses), (None, None));
        let wrong = |text| RecordedTable::parse_delays(text).unwrap_err().to_string();
        assert_eq!(wrong("\n"), "it is empty");
        assert_eq!(
            wrong("7\nten\n"),
            "line 2, column 1: expected a delay of 0 or more, found \"ten\""
        );
        assert_eq!(
            wrong("7\n3600001\n"),
            "line 2, column 1: the delay is beyond 3600 s"
        );
    }

    #[test]
    fn each_mistake_has_its_line_and_column() {
        let with = |rows: &str| wrong(&format!("time_s,rate_bits_per_s\n{rows}"));
        assert!(wrong("").starts_with("its first line names no column of times: expected `time_s"));
        assert!(wrong("time_s,mbps\n0,1\n").contains("no column of rates"));
        assert_eq!(
            with("0,1\n1,-2\n"),
            "line 3, column 2: expected a rate of 0 or more, found \"-2\""
        );
        assert_eq!(
            with("0,1\n1\n"),
            "line 3, column 2: expected a rate of 0 or more, found \"\""
        );
        assert_eq!(
            with("x,1\n"),
            "line 2, column 1: expected a time of 0 or more, found \"x\""
        );
        let not_later = "line 3 is not later than the row before it";
        assert_eq!(with("1,1\n1,2\n"), not_later);
        assert_eq!(with("2,1\n1,2\n"), not_later);
        assert_eq!(
            with("0,1\n1e9,1\n"),
            "line 3, column 1: the time is beyond a year after the first"
        );
        assert_eq!(
            with("0,1e13\n"),
            "line 2, column 2: the rate is beyond 1 Tbit/s"
        );
        assert!(with("0,1\n").contains("fewer than two rows"));
        assert!(with("0,0\n1,0\n").contains("all its rates are 0"));
        let with = |rows: &str| wrong(&format!("time_s,delay_s,loss\n{rows}"));
        assert_eq!(
            with("0,-1,0\n"),
            "line 2, column 2: expected a delay of 0 or more, found \"-1\""
        );
        assert_eq!(
            with("0,3601,0\n"),
            "line 2, column 2: the delay is beyond 3600 s"
        );
        assert_eq!(
            with("0,1,nan\n"),
            "line 2, column 3: expected a loss of 0 or more, found \"nan\""
        );
        assert_eq!(
            with("0,1,0\n1,1,1.5\n"),
            "line 3, column 3: the loss is beyond 100 %"
        );
    }

    proptest! {
        /// Any text is read or refused, and an error is short.
        #[test]
        fn no_text_breaks_the_reader(rows in "[0-9,\\n\\r +.e-]{0,60}|\\PC{0,60}") {
            let headers = ["", "time_s,rate_bits_per_s", "delay_s,time_s", "loss,time_s,rtt_s"];
            let tables = headers.map(|header| RecordedTable::parse(&format!("{header}\n{rows}")));
            for table in tables.into_iter().chain([RecordedTable::parse_delays(&rows)]) {
                match table {
                    Ok(RecordedTable { rates, delays, losses }) => {
                        for values in [&rates, &delays, &losses].into_iter().flatten() {
                            prop_assert!(values.length_ns() > 0);
                            let (min, max) = values.range();
                            prop_assert!((min..=max).contains(&values.mean()));
                        }
                        prop_assert!(rates.is_some() || delays.is_some() || losses.is_some());
                    }
                    Err(error) => prop_assert!(error.to_string().len() < 250),
                }
            }
        }
    }
}
