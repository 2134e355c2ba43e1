//! The extension module `onramp._onramp`. The Python files beside it are the interface that people
//! use; this module does what has to be fast, and reads what only Rust can read.

mod arrow;
mod errors;
mod model;
mod papers;
mod queue_delay;
mod results;
mod run;
mod source;
mod table;
mod watch;

use pyo3::prelude::*;

/// The simulator, the papers and the model. Private: `import onramp` is the interface.
#[pymodule]
mod _onramp {
    #[pymodule_export]
    use crate::model::chaher;
    #[pymodule_export]
    use crate::papers::{paper_names, paper_rows};
    #[pymodule_export]
    use crate::results::read_results;
    #[pymodule_export]
    use crate::run::simulate;
    #[pymodule_export]
    use crate::source::{check, scenario_keys};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::{startups, version};
}

/// The version of the package.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The names of the start-up algorithms.
#[pyfunction]
fn startups() -> Vec<&'static str> {
    onramp_core::startup_names().to_vec()
}
