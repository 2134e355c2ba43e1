//! The exceptions of `onramp._errors`.

use onramp_scenario::Error;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// Line and column of a mistake, both from 1, and its sentence.
type Fault = (Option<usize>, Option<usize>, String);

/// An exception of this class with these arguments.
fn exception<'py>(py: Python<'py>, class: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let made = || {
        py.import("onramp._errors")?
            .getattr(class)?
            .call1(arguments)
    };
    made().map_or_else(|error| error, PyErr::from_value)
}

/// `ScenarioError`, with the text that the command line prints.
pub fn scenario(py: Python<'_>, error: &Error) -> PyErr {
    let invalid = error.invalid();
    let faults: Vec<Fault> = invalid.map_or_else(Vec::new, |invalid| {
        let faults = invalid.faults().iter();
        faults
            .map(|fault| {
                let (line, column) = invalid.line_column(fault).unzip();
                (line, column, fault.to_string())
            })
            .collect()
    });
    let file = invalid.map(|invalid| invalid.file_name().to_owned());
    exception(py, "ScenarioError", (error.report(false), file, faults))
}

/// `ScenarioError` without a place.
pub fn scenarios(py: Python<'_>, text: String) -> PyErr {
    let faults: Vec<Fault> = Vec::new();
    exception(py, "ScenarioError", (text, None::<String>, faults))
}

/// `UnsupportedError`.
pub fn unsupported(py: Python<'_>, text: String) -> PyErr {
    exception(py, "UnsupportedError", (text,))
}

/// `SimulationError`.
pub fn simulation(py: Python<'_>, text: String) -> PyErr {
    exception(py, "SimulationError", (text,))
}

/// `ModelError`.
pub fn model(py: Python<'_>, text: String) -> PyErr {
    exception(py, "ModelError", (text,))
}

/// `ResultsError`.
pub fn results(py: Python<'_>, text: String) -> PyErr {
    exception(py, "ResultsError", (text,))
}
