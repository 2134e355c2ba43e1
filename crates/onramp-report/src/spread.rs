//! Median and range of repeated runs.

use onramp_plot::units::{decimals, fixed};

/// Median, minimum and maximum of the finite values among repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    /// Number of finite values.
    pub(crate) n: usize,
}

impl Spread {
    /// `None` where no value is finite.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Spread> {
        let mut finite: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        finite.sort_by(f64::total_cmp);
        let n = finite.len();
        let (min, max) = (*finite.first()?, *finite.last()?);
        // Both are halved first, because their sum could overflow.
        let median = if n % 2 == 1 {
            finite[n / 2]
        } else {
            finite[n / 2 - 1] / 2.0 + finite[n / 2] / 2.0
        };
        Some(Spread {
            median,
            min,
            max,
            n,
        })
    }

    /// Decimals that the repeats justify: three significant digits for one run or identical ones,
    /// up to four for others. No digit is finer than a tenth of the range.
    fn decimals(&self) -> usize {
        let width = self.max - self.min;
        if width > 0.0 {
            let justified = (-width.log10()).ceil().max(0.0) as usize;
            decimals(self.median, 4).min(justified)
        } else {
            decimals(self.median, 3)
        }
    }

    /// A value with at least two significant digits, so that a time of 0.08 is not shown as 0.
    fn text(&self, value: f64) -> String {
        fixed(value, self.decimals().max(decimals(value, 2)))
    }

    /// `4.21`.
    pub(crate) fn median_text(&self) -> String {
        self.text(self.median)
    }

    /// `4.20–4.25`; `None` for a single run, or where minimum and maximum read the same.
    pub(crate) fn range_text(&self) -> Option<String> {
        let (min, max) = (self.text(self.min), self.text(self.max));
        (self.n > 1 && min != max).then(|| format!("{min}–{max}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(values: &[f64]) -> (String, Option<String>) {
        let spread = Spread::of(values.iter().copied()).unwrap();
        (spread.median_text(), spread.range_text())
    }

    #[test]
    fn digits_finer_than_the_spread_are_not_shown() {
        assert_eq!(shown(&[4.2134]), ("4.21".into(), None));
        assert_eq!(
            shown(&[4.2134, 4.2099, 4.2531]),
            ("4.21".into(), Some("4.21–4.25".into()))
        );
        assert_eq!(
            shown(&[4.2134, 3.9, 4.5]),
            ("4.2".into(), Some("3.9–4.5".into()))
        );
        assert_eq!(
            shown(&[4.2134, 9.0]),
            ("6.6".into(), Some("4.2–9.0".into()))
        );
        assert_eq!(shown(&[4.2134, 4.2134]), ("4.21".into(), None));
    }

    #[test]
    fn two_significant_digits_are_always_shown() {
        assert_eq!(
            shown(&[3.1, 0.083, 7.4]),
            ("3.1".into(), Some("0.083–7.4".into()))
        );
        assert_eq!(
            shown(&[0.0824, 0.0931, 2.2]),
            ("0.093".into(), Some("0.082–2.2".into()))
        );
        assert_eq!(
            shown(&[31.0, 12.2, 170.0]),
            ("31".into(), Some("12–170".into()))
        );
    }

    #[test]
    fn values_that_are_not_numbers_are_left_out() {
        assert_eq!(Spread::of([f64::NAN, f64::INFINITY]), None);
        assert_eq!(Spread::of([f64::NAN, 2.0]).unwrap().n, 1);
        assert_eq!(Spread::of([f64::MAX, f64::MAX]).unwrap().median, f64::MAX);
    }
}
