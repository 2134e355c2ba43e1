//! The options of `onramp try`.

use super::emulation::startup;
use super::ReportTraces;
use clap::Args;
use onramp_comparison::Startup;
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Args)]
pub struct TryArguments {
    /// The C header of the algorithm (docs/add-an-algorithm.md). Its name is that of the file
    #[arg(value_name = "HEADER")]
    pub header: PathBuf,
    /// Scenario files (docs/scenarios.md). Their start-ups are replaced, except in a file that
    /// names the algorithm [default: four paths]
    #[arg(long = "scenario", value_name = "FILE")]
    pub scenarios: Vec<PathBuf>,
    /// The start-ups to run beside it: names of `onramp list`, `none` for the host's own, `iw32`
    /// for the host's own with an initial window of 32 segments
    #[arg(
        long,
        value_name = "STARTUP",
        value_delimiter = ',',
        value_parser = startup,
        default_value = "none,onramp"
    )]
    pub beside: Vec<Startup>,
    /// Set a parameter that the header declares, by its name in scenario files: `thresh=30%`
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
    /// Write report.html, the results as JSON and CSV, and the traces into this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub traces: ReportTraces,
    /// Run this many cases at a time. The results do not depend on it [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Do not compile the program for the kernel
    #[arg(long)]
    pub no_kernel: bool,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("expected a name and a value, for example thresh=30%")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
