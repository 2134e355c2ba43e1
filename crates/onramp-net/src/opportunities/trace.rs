//! Recordings of delivery opportunities, in the format of mahimahi.

use super::fading::{self, Fading};
use super::{MS_NS, OPPORTUNITY_BYTES};
use std::fmt;

/// Size of the largest recording. The longest of mahimahi's own has 4 MB.
pub const MAX_TRACE_BYTES: u64 = 64 << 20;

/// The latest time of an opportunity, in milliseconds: a year.
const MAX_MS: u64 = 365 * 24 * 3600 * 1000;

/// The moments of a recording, in milliseconds since its beginning. They do not decrease, and the
/// last one is not zero: it is the length of the recording.
#[derive(Clone, PartialEq, Eq)]
pub struct Opportunities {
    at_ms: Vec<u64>,
}

/// Why a text is no recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceError {
    /// The text has no line.
    Empty,
    /// The text is larger than [`MAX_TRACE_BYTES`].
    TooLarge,
    /// A line has something else than a number of milliseconds.
    NotANumber {
        /// Number of the line, from 1.
        line: usize,
        /// The line, shortened.
        found: String,
    },
    /// A time is beyond a year.
    TooLate {
        /// Number of the line, from 1.
        line: usize,
    },
    /// A time is earlier than the one before it.
    Backwards {
        /// Number of the line, from 1.
        line: usize,
        /// The time, in milliseconds.
        at_ms: u64,
        /// The time of the line before.
        before_ms: u64,
    },
    /// All times are zero.
    OnlyZeros,
    /// A made-up recording is not described as it has to be.
    NotDescribed,
}

/// An error shows at most this many characters of a line.
const SHOWN_CHARS: usize = 20;

impl Opportunities {
    /// Reads a recording: one line for each opportunity, which is a number of milliseconds. Or one
    /// line that describes a made-up recording of a link that fades, such as
    /// `fading seed=1 seconds=30 min_mbits_per_s=1 max_mbits_per_s=40`.
    ///
    /// # Errors
    /// The first line that is wrong, or that the recording has no length.
    pub fn parse(text: &str) -> Result<Opportunities, TraceError> {
        if text.len() as u64 > MAX_TRACE_BYTES {
            return Err(TraceError::TooLarge);
        }
        if text.starts_with(fading::WORD) {
            let fading = Fading::parse(text).ok_or(TraceError::NotDescribed)?;
            return Opportunities::new(fading.at_ms());
        }
        let mut at_ms: Vec<u64> = Vec::new();
        for (line, found) in (1..).zip(text.lines()) {
            // `parse` would accept a sign.
            let is_number = !found.is_empty() && found.bytes().all(|byte| byte.is_ascii_digit());
            if !is_number {
                let found = found.chars().take(SHOWN_CHARS).collect();
                return Err(TraceError::NotANumber { line, found });
            }
            let time_ms = found.parse().ok().filter(|ms| *ms <= MAX_MS);
            let time_ms: u64 = time_ms.ok_or(TraceError::TooLate { line })?;
            if let Some(&before_ms) = at_ms.last().filter(|before_ms| **before_ms > time_ms) {
                return Err(TraceError::Backwards {
                    line,
                    at_ms: time_ms,
                    before_ms,
                });
            }
            at_ms.push(time_ms);
        }
        Opportunities::new(at_ms)
    }

    /// The recording with these moments, which do not decrease.
    fn new(at_ms: Vec<u64>) -> Result<Opportunities, TraceError> {
        match at_ms.last() {
            None => Err(TraceError::Empty),
            Some(0) => Err(TraceError::OnlyZeros),
            Some(_) => Ok(Opportunities { at_ms }),
        }
    }

    /// Length of the recording, after which it begins again.
    pub fn length_ns(&self) -> u64 {
        self.at_ms.last().map_or(MS_NS, |last_ms| last_ms * MS_NS)
    }

    /// What all opportunities could carry, divided by the length of the recording, at least 1.
    pub fn mean_bits_per_s(&self) -> u64 {
        let bits = self.at_ms.len() as u128 * u128::from(OPPORTUNITY_BYTES) * 8;
        let rate = bits * 1_000_000_000 / u128::from(self.length_ns());
        u64::try_from(rate).unwrap_or(u64::MAX).max(1)
    }

    /// Number of opportunities.
    pub(crate) fn count(&self) -> usize {
        self.at_ms.len()
    }

    /// Time of an opportunity since the beginning of the recording.
    pub(crate) fn at_ns(&self, index: usize) -> u64 {
        self.at_ms[index] * MS_NS
    }

    /// Index of the first opportunity after this time of the recording.
    pub(crate) fn first_after(&self, time_ns: u64) -> usize {
        self.at_ms.partition_point(|at_ms| at_ms * MS_NS <= time_ns)
    }
}

/// Without the moments, of which there may be millions.
impl fmt::Debug for Opportunities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opportunities")
            .field("count", &self.at_ms.len())
            .field("length_ns", &self.length_ns())
            .finish()
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::Empty => f.write_str("it is empty"),
            TraceError::TooLarge => write!(f, "it is larger than {} MiB", MAX_TRACE_BYTES >> 20),
            TraceError::NotANumber { line, found } if found.is_empty() => {
                write!(f, "line {line} is empty")
            }
            TraceError::NotANumber { line, found } => {
                write!(f, "line {line} is not a number of milliseconds: {found:?}")
            }
            TraceError::TooLate { line } => write!(f, "line {line} is later than a year"),
            TraceError::Backwards {
                line,
                at_ms,
                before_ms,
            } => write!(
                f,
                "line {line} goes backwards: {at_ms} ms come after {before_ms} ms"
            ),
            TraceError::OnlyZeros => {
                f.write_str("all its times are 0: a recording has to last for some time")
            }
            TraceError::NotDescribed => f.write_str(
                "line 1 does not describe a link that fades: expected for example `fading seed=1 \
                 seconds=30 min_mbits_per_s=1 max_mbits_per_s=40`, with at most 100000 Mbit in all",
            ),
        }
    }
}

impl std::error::Error for TraceError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrong(text: &str) -> String {
        Opportunities::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn each_mistake_has_its_line() {
        assert_eq!(wrong(""), "it is empty");
        assert_eq!(wrong("1\n\n2\n"), "line 2 is empty");
        assert_eq!(
            wrong("1\n+2\n"),
            "line 2 is not a number of milliseconds: \"+2\""
        );
        assert_eq!(
            wrong("1.5\n"),
            "line 1 is not a number of milliseconds: \"1.5\""
        );
        assert_eq!(
            wrong("0\n5\n4\n"),
            "line 3 goes backwards: 4 ms come after 5 ms"
        );
        assert_eq!(
            wrong("99999999999999999999999\n"),
            "line 1 is later than a year"
        );
        assert_eq!(
            wrong("0\n0\n"),
            "all its times are 0: a recording has to last for some time"
        );
    }

    #[test]
    fn a_line_describes_a_recording_of_a_link_that_fades() {
        let text = "fading seed=1 seconds=30 min_mbits_per_s=1 max_mbits_per_s=40\n";
        let trace = Opportunities::parse(text).unwrap();
        assert_eq!((trace.count(), trace.length_ns()), (35_944, 29_998_000_000));
        assert_eq!(trace.at_ms[..5], [2, 4, 6, 8, 10]);
        assert!(trace.at_ms.is_sorted());
        for (old, new) in [
            ("=30", "=30000"),
            ("=40", "=0.5"),
            ("=40", "=nan"),
            ("seed=1 ", ""),
            ("\n", " 1\n"),
        ] {
            assert!(wrong(&text.replace(old, new)).contains("expected for example `fading seed=1"));
        }
    }

    #[test]
    fn line_ends_of_other_systems_and_a_missing_one_are_accepted() {
        let one = Opportunities::parse("0\n1\n1\n").unwrap();
        assert_eq!(Opportunities::parse("0\r\n1\r\n1").unwrap(), one);
        assert_eq!((one.count(), one.length_ns()), (3, 1_000_000));
    }

    #[test]
    fn a_line_of_1_is_12_mbit_per_s() {
        let trace = Opportunities::parse("1\n").unwrap();
        assert_eq!(trace.mean_bits_per_s(), 12_000_000);
    }

    proptest! {
        #[test]
        fn times_that_do_not_decrease_are_read_as_they_are(
            mut times in prop::collection::vec(0u64..100_000, 1..200),
        ) {
            times.sort_unstable();
            let text: String = times.iter().map(|time| format!("{time}\n")).collect();
            match Opportunities::parse(&text) {
                Ok(trace) => prop_assert_eq!(trace.at_ms, times),
                Err(error) => prop_assert!(
                    error == TraceError::OnlyZeros && times.last() == Some(&0)
                ),
            }
        }

        /// Any text is read or refused, and an error is short.
        #[test]
        fn no_text_breaks_the_reader(text in "[0-9\\n\\r +.x-]{0,60}|\\PC{0,60}") {
            match Opportunities::parse(&text) {
                Ok(trace) => {
                    prop_assert!(trace.length_ns() > 0 && trace.mean_bits_per_s() > 0);
                    prop_assert!(trace.at_ms.is_sorted());
                }
                Err(error) => prop_assert!(error.to_string().len() < 250),
            }
        }
    }
}
