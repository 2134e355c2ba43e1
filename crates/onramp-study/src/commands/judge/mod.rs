//! `onramp judge`: what a start-up would gain on the paths of observed connections.

mod page;
mod table;

use super::{refused, runs};
use crate::cli::JudgeArguments;
use crate::new_file::NewFile;
use onramp_advise::{
    compare, configuration, judge, read, Advice, Comparison, Error, Options, UNKNOWN_CONTROL,
};
use onramp_cli::failure::{Failure, DONE, INTERRUPTED, MISSED};
use onramp_cli::text::{out, say};
use onramp_cli::{print_json, Answer};
use onramp_kernel::Observations;
use serde::Serialize;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

pub fn run(arguments: &JudgeArguments, json: bool) -> Answer {
    let observations = read_all(&arguments.files, &arguments.control)?;
    let canary = match arguments.compare.as_slice() {
        [] => None,
        files => Some(read_all(files, &arguments.control)?),
    };
    let options = Options {
        threads: runs::threads(arguments.threads),
        stop: runs::stop_flag(),
    };
    let advice = match judge(&observations, &options) {
        Ok(advice) => advice,
        Err(Error::Stopped) => return Ok(INTERRUPTED),
        Err(Error::Scenario(error)) => return Err(refused(error)),
        Err(error) => return Err(Failure::new(MISSED, error.to_string())),
    };
    if let Some(folder) = &arguments.scenarios {
        write_scenarios(folder, &advice)?;
    }
    let comparison = canary.map(|canary| compare(&advice, &canary));
    if let Some(path) = &arguments.config {
        write_file(path, "write a configuration into", &configuration(&advice))?;
    }
    if let Some(path) = &arguments.page {
        let meta = runs::meta("judge", "", &[], &Ok(DONE));
        let text = page::page(&advice, comparison.as_ref(), meta);
        write_file(path, "write a page into", &text)?;
    }
    if json {
        print_json(&Answered {
            advice: &advice,
            comparison: comparison.as_ref(),
        });
        return Ok(DONE);
    }
    out(format_args!(
        "{}",
        table::text(&advice, comparison.as_ref())
    ));
    if let Some(path) = &arguments.config {
        say!("Configuration: {}", path.display());
    }
    if let Some(path) = &arguments.page {
        say!("Page: {}", path.display());
    }
    Ok(DONE)
}

/// What `--json` prints.
#[derive(Serialize)]
struct Answered<'a> {
    #[serde(flatten)]
    advice: &'a Advice,
    /// With `--compare`; `null`: no class can be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<&'a Option<Comparison>>,
}

/// The connections of all files. `control` is the congestion control of those in captures.
fn read_all(files: &[PathBuf], control: &str) -> Result<Observations, Failure> {
    let mut observations = Observations::default();
    for path in files {
        let of_file = read(path).map_err(|error| Failure::at("read", path, error))?;
        observations.for_s += of_file.for_s;
        observations.observed.opened += of_file.observed.opened;
        observations.observed.ended += of_file.observed.ended;
        observations.observed.idle += of_file.observed.idle;
        observations.observed.lost += of_file.observed.lost;
        observations.connections.extend(of_file.connections);
    }
    for connection in &mut observations.connections {
        if connection.congestion_control == UNKNOWN_CONTROL {
            connection.congestion_control = control.to_owned();
        }
    }
    Ok(observations)
}

fn write_file(path: &Path, purpose: &str, text: &str) -> Result<(), Failure> {
    let mut file = NewFile::create(path, purpose)?;
    file.write_all(text.as_bytes())
        .map_err(|error| file.failure(error))?;
    file.finish()
}

/// Writes the scenario of each class, numbered as in the table.
fn write_scenarios(folder: &Path, advice: &Advice) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| Failure::at("write into", folder, error);
    fs::create_dir_all(folder).map_err(cannot)?;
    for (number, one) in (1..).zip(&advice.classes) {
        if let Some(scenario) = one.class.typical_scenario() {
            fs::write(folder.join(format!("class-{number}.toml")), scenario).map_err(cannot)?;
        }
    }
    Ok(())
}
