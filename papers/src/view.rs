//! What everyone who shows a reproduction needs: its rows by part, and what an open question does to them.

use crate::{Alternative, Choice, Figure, Influence, Record, Reproduction, Value};

/// A change of less than this share of a number is none.
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
    /// What else the runs show.
    pub remarks: &'a [String],
}

/// A row that an open question has a part in.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    /// As it was decided.
    pub decided: &'a Record,
    /// Under each alternative.
    pub alternatives: Vec<&'a Record>,
}

impl Reproduction {
    /// The parts that were measured, in the paper's order.
    pub fn views(&self) -> impl Iterator<Item = PartView<'_>> {
        let ends = self.parts.iter().skip(1).map(|part| part.1).chain([self.records.len()]);
        self.parts.iter().zip(ends).map(|((title, from, figures, remarks), to)| PartView {
            title,
            records: &self.records[*from..to],
            figures,
            remarks,
        })
    }

    /// How many rows agree with the paper.
    pub fn reproduced(&self) -> usize {
        self.records.iter().filter(|record| record.reproduced).count()
    }

    /// The rows that change noticeably under one of the alternatives.
    pub fn changes<'a>(&'a self, influence: &'a Influence) -> Vec<Change<'a>> {
        let change = |decided: &'a Record| {
            let of_row = |records: &'a [Record]| records.iter().find(|record| record.id == decided.id);
            let alternatives: Option<Vec<_>> =
                influence.alternatives.iter().map(|(_, records)| of_row(records)).collect();
            Some(Change { decided, alternatives: alternatives? }).filter(Change::is_noticeable)
        };
        self.records.iter().filter_map(change).collect()
    }
}

impl Change<'_> {
    fn is_noticeable(&self) -> bool {
        self.alternatives.iter().any(|alternative| differs(&self.decided.measured, &alternative.measured))
    }
}

impl Choice {
    /// The names of the alternatives.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.alternatives.iter().map(|Alternative { name, .. }| name.as_str())
    }
}

impl Record {
    /// A number with its unit, such as `6.62 %`.
    pub fn with_unit(&self, number: impl ToString) -> String {
        format!("{} {}", number.to_string(), self.unit).trim_end().to_owned()
    }

    /// What was measured, with its unit; `none` where what was to be measured did not happen.
    pub fn measured_text(&self) -> String {
        match &self.measured {
            Value::Number(number) if !number.is_finite() => "none".to_owned(),
            measured => self.with_unit(measured),
        }
    }

    /// The least and the most of the seeds, where they differ.
    pub fn range_text(&self) -> String {
        let Some(spread) = self.spread.filter(|spread| spread.iter().all(|number| number.is_finite())) else {
            return String::new();
        };
        let dash = if spread[0] < 0.0 { " to " } else { "–" };
        let [least, most] = spread.map(|number| Value::Number(number).to_string());
        if least == most {
            String::new()
        } else {
            [&least, dash, &most].concat()
        }
    }
}

fn differs(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) if one.is_nan() || other.is_nan() => one.is_nan() != other.is_nan(),
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
        assert!(differs(&number(100.0), &number(101.5)) && !differs(&number(100.0), &number(100.5)));
        assert!(differs(&number(f64::NAN), &number(1.0)) && !differs(&number(f64::NAN), &number(f64::NAN)));
        assert!(differs(&number(0.0), &number(0.1)) && !differs(&number(0.0), &number(0.0)));
        assert!(differs(&Value::Text("3 3".to_owned()), &Value::Text("3 2".to_owned())));
    }
}
