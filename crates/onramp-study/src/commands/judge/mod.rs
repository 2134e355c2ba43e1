//! `onramp judge`: what a start-up would gain on the paths of observed connections.

mod table;

use super::{refused, runs};
use crate::cli::JudgeArguments;
use crate::new_file::NewFile;
use onramp_advise::{configuration, judge, read, Advice, Error, Options, UNKNOWN_CONTROL};
use onramp_cli::failure::{Failure, BAD_INPUT, DONE, INTERRUPTED, MISSED};
use onramp_cli::text::{out, say};
use onramp_cli::{print_json, Answer};
use onramp_kernel::Observations;
use std::fs;
use std::io::Write;
use std::path::Path;

pub fn run(arguments: &JudgeArguments, json: bool) -> Answer {
    let mut observations = Observations::default();
    for path in &arguments.files {
        let of_file = read(path).map_err(|error| {
            Failure::new(
                BAD_INPUT,
                format!("cannot read {}: {error}", path.display()),
            )
        })?;
        observations.for_s += of_file.for_s;
        observations.observed.opened += of_file.observed.opened;
        observations.observed.ended += of_file.observed.ended;
        observations.observed.idle += of_file.observed.idle;
        observations.observed.lost += of_file.observed.lost;
        observations.connections.extend(of_file.connections);
    }
    for connection in &mut observations.connections {
        if connection.congestion_control == UNKNOWN_CONTROL {
            connection.congestion_control.clone_from(&arguments.control);
        }
    }
    let threads = arguments
        .threads
        .or_else(|| std::thread::available_parallelism().ok());
    let options = Options {
        threads: threads.map_or(1, usize::from),
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
    if let Some(path) = &arguments.config {
        let mut file = NewFile::create(path, "write a configuration into")?;
        let text = configuration(&advice);
        file.write_all(text.as_bytes())
            .map_err(|error| file.failure(error))?;
        file.finish()?;
    }
    if json {
        print_json(&advice);
        return Ok(DONE);
    }
    out(format_args!("{}", table::text(&advice)));
    if let Some(path) = &arguments.config {
        say!("Configuration: {}", path.display());
    }
    Ok(DONE)
}

/// Writes the scenario of each class, numbered as in the table.
fn write_scenarios(folder: &Path, advice: &Advice) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| {
        Failure::new(
            BAD_INPUT,
            format!("cannot write into {}: {error}", folder.display()),
        )
    };
    fs::create_dir_all(folder).map_err(cannot)?;
    for (number, one) in (1..).zip(&advice.classes) {
        if let Some(scenario) = one.class.typical_scenario() {
            fs::write(folder.join(format!("class-{number}.toml")), scenario).map_err(cannot)?;
        }
    }
    Ok(())
}
