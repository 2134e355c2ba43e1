//! Views of a reproduction, for terminal and page: its rows by part, and the effect of open
//! questions on them.

use crate::expectation::digits;
use crate::{
    Alternative, Choice, Figure, Influence, Ledger, Record, Reproduction, Row, Seeds, Table, Value,
    Verdict,
};
use std::borrow::Cow;

/// A smaller change, as a share of the number, is ignored.
const NOTICEABLE: f64 = 0.01;

/// A part of a paper, reproduced.
#[derive(Clone, Copy, Debug)]
pub struct PartView<'a> {
    /// Its heading.
    pub title: &'a str,
    /// Its rows.
    pub records: &'a [Record],
    /// Its figures, redrawn.
    pub figures: &'a [Figure],
    /// Its tables.
    pub tables: &'a [Table],
    /// Further findings.
    pub remarks: &'a [String],
}

/// A note about rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note<'a> {
    /// The ids of successive rows that share the note.
    pub ids: Vec<&'a str>,
    /// Whether the note is the cause of a miss. Otherwise it describes the measurement.
    pub is_cause: bool,
    /// The sentences.
    pub text: Cow<'a, str>,
}

/// A row that an open question affects.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    /// The record under the decided answer.
    pub decided: &'a Record,
    /// Under each alternative; `None` where it does not change noticeably.
    pub alternatives: Vec<Option<&'a Record>>,
}

impl<'a> PartView<'a> {
    /// Notes on how the rows are measured, then the causes of the rows that miss.
    pub fn notes(&self, ledger: &'a Ledger) -> Vec<Note<'a>> {
        let row = |record: &Record| ledger.rows.iter().find(|row| row.id == record.id);
        let rows: Vec<&Row> = self.records.iter().filter_map(row).collect();
        let missed: Vec<&Row> = self
            .records
            .iter()
            .filter(|record| !record.verdict.is_good())
            .filter_map(row)
            .collect();
        let notes = grouped(&rows, false, |row| &row.note);
        notes
            .into_iter()
            .chain(grouped(&rows, true, |row| &row.undecided))
            .chain(grouped(&missed, true, |row| &row.cause))
            .chain(self.records.iter().filter_map(Record::note_of_seeds))
            .collect()
    }
}

fn grouped<'a>(rows: &[&'a Row], is_cause: bool, text: fn(&'a Row) -> &'a str) -> Vec<Note<'a>> {
    let same = rows.chunk_by(|a, b| text(a) == text(b));
    let note = |rows: &[&'a Row]| Note {
        ids: rows.iter().map(|row| row.id.as_str()).collect(),
        is_cause,
        text: text(rows[0]).into(),
    };
    same.map(note)
        .filter(|note| !note.text.is_empty())
        .collect()
}

impl Reproduction {
    /// The parts that were measured, in the paper's order.
    pub fn views(&self) -> impl Iterator<Item = PartView<'_>> {
        let ends = self
            .parts
            .iter()
            .skip(1)
            .map(|part| part.first_record)
            .chain([self.records.len()]);
        self.parts.iter().zip(ends).map(|(part, end)| PartView {
            title: &part.title,
            records: &self.records[part.first_record..end],
            figures: &part.figures,
            tables: &part.tables,
            remarks: &part.remarks,
        })
    }

    /// `52 rows: 40 reproduced, 2 undecided, 6 consistent, 4 missed`, and how many do not count, of
    /// several papers.
    pub fn sums<'a>(all: impl IntoIterator<Item = &'a Reproduction>) -> String {
        let all: Vec<&Reproduction> = all.into_iter().collect();
        let of = |verdict: Verdict| all.iter().map(|one| one.count(verdict)).sum::<usize>();
        let algebra = of(Verdict::Algebra);
        let rows = all.iter().map(|one| one.records.len()).sum::<usize>() - algebra;
        let counted = Verdict::ALL
            .into_iter()
            .filter(|one| *one != Verdict::Algebra);
        let counts: Vec<String> = counted
            .map(|verdict| format!("{} {}", of(verdict), verdict.name()))
            .collect();
        let plural = if rows == 1 { "" } else { "s" };
        let beside = match algebra {
            0 => String::new(),
            some => format!("; {some} more of algebra"),
        };
        format!("{rows} row{plural}: {}{beside}", counts.join(", "))
    }

    /// How many rows have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        let records = self.records.iter();
        records.filter(|record| record.verdict == verdict).count()
    }

    /// The alternatives to what was decided, each with how many rows' medians agree under it, where
    /// it was measured: `every segment (18 of 52 rows)`.
    pub fn others(&self, choice: &Choice) -> String {
        let influence = self
            .influences
            .iter()
            .find(|influence| influence.question == choice.question);
        let other = |(place, name): (usize, &str)| match influence
            .and_then(|of| of.alternatives.get(place))
        {
            None => name.to_owned(),
            Some((_, records)) => format!(
                "{name} ({} of {} rows)",
                self.agree_with(records),
                self.records.len()
            ),
        };
        if choice.alternatives.is_empty() {
            return "nothing that a scenario's keys can set".to_owned();
        }
        choice
            .names()
            .enumerate()
            .map(other)
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// How many rows' medians agree when these take the place of those that were decided.
    fn agree_with(&self, others: &[Record]) -> usize {
        let of_row = |decided: &Record| {
            others
                .iter()
                .find(|record| record.id == decided.id)
                .unwrap_or(decided)
                .agrees()
        };
        self.records
            .iter()
            .filter(|decided| of_row(decided))
            .count()
    }

    /// The rows that change noticeably under one of the alternatives.
    pub fn changes<'a>(&'a self, influence: &'a Influence) -> Vec<Change<'a>> {
        let of_row = |records: &'a [Record], decided: &Record| {
            let record = records.iter().find(|record| record.id == decided.id)?;
            differs(&decided.measured, &record.measured).then_some(record)
        };
        let change = |decided: &'a Record| {
            let alternatives = influence
                .alternatives
                .iter()
                .map(|(_, records)| of_row(records, decided));
            let change = Change {
                decided,
                alternatives: alternatives.collect(),
            };
            change
                .alternatives
                .iter()
                .any(Option::is_some)
                .then_some(change)
        };
        self.records.iter().filter_map(change).collect()
    }
}

impl Choice {
    /// The names of the alternatives.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.alternatives
            .iter()
            .map(|Alternative { name, .. }| name.as_str())
    }
}

impl Record {
    /// What the seeds say of a row that is not reproduced.
    fn note_of_seeds(&self) -> Option<Note<'_>> {
        let seeds = self.seeds.filter(|_| !self.verdict.is_good())?;
        let [from, to] = seeds.central.map(digits);
        Some(Note {
            ids: vec![&self.id],
            is_cause: true,
            text: format!(
                "{}: of {} seeds {} agree by the rule; {} are below the paper's value, and the \
                 central 90 % are {from} to {to}.",
                self.verdict.name(),
                seeds.count,
                percent(seeds.within),
                percent(seeds.quantile),
            )
            .into(),
        })
    }

    /// A number with its unit, such as `6.62 %`.
    pub fn with_unit(&self, number: impl ToString) -> String {
        format!("{} {}", number.to_string(), self.unit)
            .trim_end()
            .to_owned()
    }

    /// The measured value with its unit; `none` where the measured event did not happen.
    pub fn measured_text(&self) -> String {
        match &self.measured {
            Value::Number(number) if !number.is_finite() => "none".to_owned(),
            measured => self.with_unit(measured),
        }
    }

    /// The central half of the seeds, where chance has a part in it.
    pub fn half_text(&self) -> String {
        self.interval_text(|seeds| seeds.half)
    }

    /// The central 90 % of the seeds, where chance has a part in it.
    pub fn central_text(&self) -> String {
        self.interval_text(|seeds| seeds.central)
    }

    fn interval_text(&self, of: fn(Seeds) -> [f64; 2]) -> String {
        let varies = |seeds: &Seeds| seeds.central[0] < seeds.central[1];
        let Some(interval) = self.seeds.filter(varies).map(of) else {
            return String::new();
        };
        if let Value::Text(_) = self.measured {
            return String::new();
        }
        let [from, to] = interval.map(|number| match number.is_finite() {
            true => digits(number),
            false => "none".to_owned(),
        });
        let dash = if interval[0] < 0.0 { " to " } else { "–" };
        [&from, dash, &to].concat()
    }

    /// The share of the seeds that agree by the rule.
    pub fn within_text(&self) -> String {
        self.seeds
            .map_or(String::new(), |seeds| percent(seeds.within))
    }
}

/// A share in whole percent; only no seed at all is `0 %`, and only all are `100 %`.
fn percent(share: f64) -> String {
    match share {
        share if share > 0.0 && share < 0.01 => "< 1 %".to_owned(),
        share if share < 1.0 && share > 0.99 => "> 99 %".to_owned(),
        share => format!("{:.0} %", 100.0 * share),
    }
}

fn differs(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) if one.is_nan() || other.is_nan() => {
            one.is_nan() != other.is_nan()
        }
        (Value::Number(one), Value::Number(other)) => (one - other).abs() > NOTICEABLE * one.abs(),
        (one, other) => one != other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_noticed_from_a_hundredth_on() {
        let number = Value::Number;
        assert!(
            differs(&number(100.0), &number(101.5)) && !differs(&number(100.0), &number(100.5))
        );
        assert!(
            differs(&number(f64::NAN), &number(1.0))
                && !differs(&number(f64::NAN), &number(f64::NAN))
        );
        assert!(differs(&number(0.0), &number(0.1)) && !differs(&number(0.0), &number(0.0)));
        assert!(differs(
            &Value::Text("3 3".to_owned()),
            &Value::Text("3 2".to_owned())
        ));
    }
}
