//! `onramp metrics`: the service's counts for Prometheus.

use super::{print_json, Answer};
use crate::cli::MetricsArguments;
use crate::failure::{Failure, BAD_INPUT, DONE, HOST_LACKS};
use crate::text::out;
use onramp_service::counts::Counts;
use onramp_service::metrics::{fetch_counts, replace, text, EndpointError, Format};
use onramp_service::registrations;
use std::path::Path;
use std::time::UNIX_EPOCH;

pub fn run(arguments: &MetricsArguments, json: bool) -> Answer {
    let counts = counts(&arguments.socket)?;
    let default = match arguments.out {
        Some(_) => Format::Prometheus,
        None => Format::OpenMetrics,
    };
    let format = arguments.format.map_or(default, Format::from);
    match &arguments.out {
        Some(path) => write(path, text(&counts, format).as_bytes())?,
        None if json => print_json(&counts),
        None => out(format_args!("{}", text(&counts, format))),
    }
    Ok(DONE)
}

/// The service's counts; where no service runs, those of registered start-ups.
fn counts(socket: &Path) -> Result<Counts, Failure> {
    match fetch_counts(socket) {
        Ok(counts) => Ok(counts),
        Err(EndpointError::NoService { .. }) => Ok(Counts {
            time_s: UNIX_EPOCH.elapsed().unwrap_or_default().as_secs_f64(),
            registrations: registrations()?,
            ..Counts::default()
        }),
        Err(error) => Err(error.into()),
    }
}

fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    replace(path, content).map_err(|error| {
        let message = format!("write {}: {error}", path.display());
        Failure::new(BAD_INPUT, message)
    })
}

impl From<EndpointError> for Failure {
    fn from(error: EndpointError) -> Failure {
        Failure::new(HOST_LACKS, error.to_string())
    }
}
