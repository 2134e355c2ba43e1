//! Scenarios as Python gives them.

use crate::errors;
use onramp_scenario::{key_tables, parse_with, read_with, Error, Overrides, Scenario};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// The name of a file, or the name and the text of a scenario that is no file.
pub type Source = (PathBuf, Option<String>);

/// Reads all scenarios, before anything runs.
pub fn read(py: Python<'_>, sources: &[Source], overrides: Overrides) -> PyResult<Vec<Scenario>> {
    let read_one = |(name, text): &Source| match text {
        None => read_with(overrides, name),
        Some(text) => parse_text(overrides, name, text),
    };
    let scenarios: Vec<Scenario> = py
        .detach(|| sources.iter().map(read_one).collect::<Result<_, _>>())
        .map_err(|error| errors::scenario(py, &error))?;
    for (place, scenario) in scenarios.iter().enumerate() {
        let earlier = &scenarios[..place];
        if earlier.iter().any(|other| other.name == scenario.name) {
            let name = &scenario.name;
            let text = format!(
                "two scenarios have the name `{name}`: give one of them another `name`, because \
                 nobody could tell their results apart"
            );
            return Err(errors::scenarios(py, text));
        }
    }
    Ok(scenarios)
}

/// A text names other files from the current directory on.
fn parse_text(overrides: Overrides, name: &Path, text: &str) -> Result<Scenario, Error> {
    let name = name.display().to_string();
    parse_with(overrides, Some(Path::new(".")), &name, text)
}

/// Reads scenarios and returns the number of cases.
#[pyfunction]
pub fn check(py: Python<'_>, sources: Vec<Source>) -> PyResult<usize> {
    let scenarios = read(py, &sources, Overrides::default())?;
    Ok(scenarios.iter().map(|scenario| scenario.cases.len()).sum())
}

/// All tables and keys of scenario files, as JSON.
#[pyfunction]
pub fn scenario_keys() -> String {
    serde_json::to_string(&key_tables())
        .expect("keys are text and memory takes all that is written")
}
