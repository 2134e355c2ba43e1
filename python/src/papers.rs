//! The rows of the papers, measured again.

use crate::arrow::batch;
use crate::errors;
use crate::table::Table;
use crate::watch::{threads, watched, Work};
use onramp_papers::{papers, reproduce, Error, Expected, Options, Paper, Record, Value};
use pyo3::prelude::*;

/// The names of the papers.
#[pyfunction]
pub fn paper_names() -> Vec<String> {
    papers().into_iter().map(|paper| paper.ledger.id).collect()
}

/// Measures the rows of these papers.
#[pyfunction]
#[pyo3(signature = (names, *, quick, seeds, threads, progress))]
pub fn paper_rows(
    py: Python<'_>,
    names: Vec<String>,
    quick: bool,
    seeds: usize,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Table> {
    let chosen: Vec<Paper> = papers()
        .into_iter()
        .filter(|paper| names.contains(&paper.ledger.id))
        .collect();
    let steps = chosen.iter().map(|paper| paper.steps(quick, false)).sum();
    let workers = self::threads(threads);
    let measure = |work: &Work| {
        let options = Options {
            seeds,
            other_seeds: None,
            threads: workers,
            sim: onramp_sim::Options {
                stop: work.stop.clone(),
                ..onramp_sim::Options::default()
            },
            progress: &|| work.step(),
        };
        let mut records = Vec::new();
        for paper in &chosen {
            records.extend(reproduce(paper, quick, false, &options)?.records);
        }
        Ok::<_, Error>(table(&records))
    };
    watched(py, steps, progress.as_ref(), measure)?
        .map_err(|error| errors::simulation(py, error.to_string()))
}

/// A row with its texts.
struct Row<'r> {
    record: &'r Record,
    expected: String,
    measured: String,
    rule: String,
}

fn table(records: &[Record]) -> Table {
    let row = |record| Row {
        record,
        expected: record.expected.to_string(),
        measured: record.measured_text(),
        rule: record.rule.to_string(),
    };
    let rows: Vec<Row<'_>> = records.iter().map(row).collect();
    Table::new(vec![batch!(rows, row => {
        paper: row.record.paper.as_str(),
        id: row.record.id.as_str(),
        what: row.record.what.as_str(),
        section: row.record.section.as_str(),
        unit: row.record.unit.as_str(),
        expected: row.expected.as_str(),
        expected_value: expected_value(&row.record.expected),
        measured: row.measured.as_str(),
        measured_value: number(&row.record.measured),
        half_from: row.record.seeds.map(|seeds| seeds.half[0]),
        half_to: row.record.seeds.map(|seeds| seeds.half[1]),
        within: row.record.seeds.map(|seeds| seeds.within),
        rule: row.rule.as_str(),
        verdict: row.record.verdict.name(),
        note: row.record.note.as_str(),
    })])
}

/// The paper's number; `None` of a statement or a claim.
fn expected_value(expected: &Expected) -> Option<f64> {
    match expected {
        Expected::Value(value) => number(value),
        Expected::Claim(_) => None,
    }
}

/// A number of a row; `None` of a text, and where the measured event did not happen.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number).filter(|number| number.is_finite()),
        Value::Text(_) => None,
    }
}
