//! `onramp metrics`: the service's counts for Prometheus.

use crate::cli::MetricsArguments;
use onramp_cli::failure::{Failure, DONE, HOST_LACKS};
use onramp_cli::text::out;
use onramp_cli::{print_json, Answer};
use onramp_kernel::policy::PINS;
use onramp_service::counts::Counts;
use onramp_service::host::{now_s, read_counts};
use onramp_service::metrics::{fetch_counts, replace, text, EndpointError, Format};
use onramp_service::registrations;
use std::path::Path;

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

/// The service's counts. Where no service answers, what the kernel counts for one that will come
/// back; else registered start-ups alone.
fn counts(socket: &Path) -> Result<Counts, Failure> {
    match fetch_counts(socket) {
        Ok(counts) => Ok(counts),
        Err(EndpointError::NoService { .. }) => {
            let counts = match read_counts(Path::new(PINS)) {
                Err(onramp_kernel::Error::NoService) => Counts {
                    time_s: now_s(),
                    ..Counts::default()
                },
                counts => counts?,
            };
            let registrations = registrations().map_err(|error| match error {
                onramp_kernel::Error::NotPermitted => Failure::new(
                    HOST_LACKS,
                    "no service runs here, and only root may ask the kernel instead: start it \
                     (systemctl start onramp), or run this with sudo",
                ),
                error => error.into(),
            })?;
            Ok(Counts {
                registrations,
                ..counts
            })
        }
        Err(error) => Err(no_counts(error)),
    }
}

fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    replace(path, content).map_err(|error| Failure::at("write", path, error))
}

/// The failure for a service that gives no counts.
pub fn no_counts(error: EndpointError) -> Failure {
    Failure::new(HOST_LACKS, error.to_string())
}
