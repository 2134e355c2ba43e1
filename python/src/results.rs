//! Files of results: those of the lab too.

use crate::arrow::{self, Row};
use crate::errors;
use crate::table::Table;
use onramp_results::Record;
use pyo3::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

/// The file of a report's folder that has the records.
const RESULTS_JSON: &str = "results.json";

/// The table of a file of records: `results.json` of a report, its folder, or what `--json` prints.
#[pyfunction]
pub fn read_results(py: Python<'_>, path: PathBuf) -> PyResult<Table> {
    py.detach(|| read(&path))
        .map_err(|text| errors::results(py, text))
}

fn read(path: &Path) -> Result<Table, String> {
    let file = match path.is_dir() {
        true => path.join(RESULTS_JSON),
        false => path.to_owned(),
    };
    let shown = file.display();
    let refuse =
        |error: &dyn std::fmt::Display| format!("cannot read the results {shown}: {error}");
    // A device or a pipe could be read for ever.
    let is_file = fs::metadata(&file)
        .map_err(|error| refuse(&error))?
        .is_file();
    if !is_file {
        return Err(refuse(&"it is not a regular file"));
    }
    let text = fs::read_to_string(&file).map_err(|error| refuse(&error))?;
    let records: Vec<Record> = serde_json::from_str(&text).map_err(|error| {
        format!("{shown} has no records of this version's `onramp sim` or `onramp lab`: {error}")
    })?;
    let row = |record| Row {
        record,
        failure: None,
    };
    let rows: Vec<Row> = records.into_iter().map(row).collect();
    Ok(Table::new(vec![arrow::records(&rows)]))
}
