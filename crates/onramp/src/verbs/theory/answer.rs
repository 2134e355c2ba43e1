//! What `onramp theory` says: a table for people, records for programs.

use super::comparison::{Allowed, Comparison, Measured};
use crate::text::{columns, wrapped};
use serde::Serialize;

/// Of the lines of text.
const WIDTH: usize = 100;

/// A row, measured.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Title of its section.
    section: &'static str,
    what: String,
    unit: &'static str,
    measured: f64,
    /// Standard error of `measured`.
    error: f64,
    predicted: f64,
    /// `measured / predicted`.
    ratio: f64,
    /// What `measured` may be at the least and at the most; null where it is not judged.
    allowed: Option<[f64; 2]>,
    /// Null where it is not judged.
    holds: Option<bool>,
    #[serde(skip)]
    formula: &'static str,
    #[serde(skip)]
    reason: &'static str,
}

impl Row {
    pub fn new(comparison: &Comparison, measured: Measured) -> Row {
        let predicted = comparison.predicted;
        Row {
            section: comparison.section.title,
            what: comparison.what.clone(),
            unit: comparison.section.unit,
            measured: measured.value,
            error: measured.error,
            predicted,
            ratio: measured.value / predicted,
            allowed: match comparison.allowed {
                Allowed::Shares(least, most) => Some([least * predicted, most * predicted]),
                Allowed::Values(least, most) => Some([least, most]),
                Allowed::Anything => None,
            },
            holds: comparison.judge(measured.value),
            formula: comparison.section.formula,
            reason: comparison.section.reason,
        }
    }

    /// Whether it was judged and found wrong.
    pub fn misses(&self) -> bool {
        self.holds == Some(false)
    }

    fn cells(&self) -> Vec<String> {
        let allowed = self.allowed.map_or("-".to_owned(), |[least, most]| {
            format!("{} to {}", digits(least), digits(most))
        });
        let verdict = match self.holds {
            Some(true) => "holds",
            Some(false) => "MISSES",
            None => "-",
        };
        let (measured, error) = (
            digits(self.measured),
            format!("{:.1} %", self.error / self.measured * 100.0),
        );
        let ratio = format!("{:.3}", self.ratio);
        vec![
            self.what.clone(),
            measured,
            error,
            digits(self.predicted),
            ratio,
            allowed,
            verdict.to_owned(),
        ]
    }
}

/// The rows by section, each with its formula, its unit and the reason for its tolerances.
pub fn table(rows: &[Row]) -> String {
    let heading = [
        "", "MEASURED", "ERROR", "FORMULA", "RATIO", "ALLOWED", "VERDICT",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut text = String::new();
    for section in rows.chunk_by(|a, b| a.section == b.section) {
        let Row {
            section: title,
            formula,
            unit,
            reason,
            ..
        } = &section[0];
        text += title;
        text.push('\n');
        for (label, said) in [("formula:", formula), ("unit:", unit), ("allowed:", reason)] {
            text += &wrapped(label, 8, said, WIDTH);
        }
        let cells: Vec<_> = std::iter::once(heading.clone())
            .chain(section.iter().map(Row::cells))
            .collect();
        text += &columns(&cells);
        text.push('\n');
    }
    let (judged, missed) = (
        rows.iter().filter(|row| row.holds.is_some()).count(),
        rows.iter().filter(|row| row.misses()),
    );
    text + &format!(
        "{} rows, {judged} judged, {} missed\n",
        rows.len(),
        missed.count()
    )
}

/// Four digits.
fn digits(value: f64) -> String {
    let whole = value.abs().log10().floor().max(0.0) as usize;
    format!("{value:.*}", 3usize.saturating_sub(whole))
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn values_have_four_digits() {
        assert_eq!(
            [0.7859, 12.247, 187.4, 1053.83].map(digits),
            ["0.786", "12.25", "187.4", "1054"]
        );
    }
}
