//! The options of `sim`, `lab`, `lab shell`, `compare`, `compare-startups`, `sweep` and `replay`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use onramp_cli::startup::{avoidances, startups};
use onramp_comparison::{Startup, UnknownStartup, DEFAULT_STARTUPS};
use onramp_kernel::Avoidance;
use onramp_lab::PathEnd;
use onramp_trace::Format;
use std::ffi::OsString;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

/// Which cases of a report have traces and plots over time.
#[derive(Args, Clone, Copy)]
pub struct ReportTraces {
    /// Write no traces, and no plots over time
    #[arg(long, requires = "out", conflicts_with = "all_traces")]
    pub no_traces: bool,
    /// Write the traces of all cases. Without this option a report of more than 50 cases has none
    #[arg(long, requires = "out")]
    pub all_traces: bool,
}

#[derive(Args)]
pub struct SimArguments {
    /// Scenario files (docs/scenarios.md)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write report.html, the results as JSON and CSV, and the traces into this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write each figure of the report as an SVG file into this directory, for a paper
    /// (docs/results.md)
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    #[command(flatten)]
    pub traces: ReportTraces,
    /// Run this many cases at a time. The results do not depend on it [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Leave out transfers whose congestion avoidance the simulator does not have. Without this
    /// option such a transfer is an error
    #[arg(long)]
    pub skip_missing: bool,
    /// Write these traces of each case into DIR/traces: csv, pcapng, qlog, xplot (docs/traces.md)
    #[arg(
        long,
        value_name = "FORMAT",
        value_delimiter = ',',
        value_parser = trace_formats(),
        requires = "out",
        hide_possible_values = true
    )]
    pub trace: Vec<Format>,
    /// Maximum length of a trace file, in packets (csv: lines, qlog: events)
    #[arg(long, value_name = "N", default_value = "1000000", requires = "trace")]
    pub trace_packets: NonZeroU64,
}

// The Python package has the options, and explains them: they are not written twice.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub struct SweepArguments {
    /// A scenario file with a table `[sweep]`, and options: `onramp sweep --help` lists them
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    pub arguments: Vec<OsString>,
}

fn trace_formats() -> impl TypedValueParser<Value = Format> {
    let named = |name: String| Format::ALL.into_iter().find(|one| one.name() == name);
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .map(move |name| named(name).expect("the parser accepts these names only"))
}

#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true
)]
pub struct LabArguments {
    #[command(subcommand)]
    pub command: Option<LabCommand>,
    /// Scenario files (docs/scenarios.md)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write report.html, the results as JSON and CSV, and the traces into this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub traces: ReportTraces,
    /// Write every input and every decision of the start-ups into this file, for `onramp replay`
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Leave out transfers whose congestion avoidance this kernel does not have. Without this
    /// option such a transfer is an error
    #[arg(long)]
    pub skip_missing: bool,
}

#[derive(Subcommand)]
pub enum LabCommand {
    /// Run any program, whose way to this host or to a server crosses the links of a scenario
    /// (docs/lab-shell.md). Its exit code is that of the program
    Shell(ShellArguments),
}

#[derive(Args)]
pub struct ShellArguments {
    /// Scenario file (docs/scenarios.md). Its transfers and its traffic are not run
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Use this case of the scenario, counted from 1 [default: the first]
    #[arg(long, value_name = "N")]
    pub case: Option<NonZeroU32>,
    /// Run this shell command at the other end of the path. Without it the other end is this host
    #[arg(long, value_name = "CMD")]
    pub server: Option<String>,
    /// The end of the path where the program runs
    #[arg(long, value_name = "END", default_value = "receiver")]
    pub end: ShellEnd,
    /// Let all TCP connections of the program and of the server use this start-up
    #[arg(long, value_parser = startups())]
    pub startup: Option<String>,
    /// Congestion avoidance after the start-up, cubic unless given. Without --startup: the
    /// congestion control of the programs, that of this machine unless given
    #[arg(long, value_name = "NAME", value_parser = avoidances())]
    pub avoidance: Option<Avoidance>,
    /// The program and its arguments [default: your shell]
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// [`PathEnd`] as the value of an option.
#[derive(Clone, Copy, ValueEnum)]
pub enum ShellEnd {
    /// What the server sends crosses the forward path
    Receiver,
    /// What the program sends crosses the forward path
    Sender,
}

impl From<ShellEnd> for PathEnd {
    fn from(end: ShellEnd) -> PathEnd {
        match end {
            ShellEnd::Receiver => PathEnd::Receiver,
            ShellEnd::Sender => PathEnd::Sender,
        }
    }
}

#[derive(Args)]
pub struct CompareArguments {
    /// Scenario files (docs/scenarios.md). Transfers that the simulator or the lab cannot run are
    /// left out
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Permitted difference of a completion time on a clean path, in percent. The exit code is 1 if
    /// one is larger. A run that the machine disturbed is repeated, at most twice. If the last one
    /// is suspect too, the case is not judged
    #[arg(long, value_name = "PERCENT", default_value_t = 10.0, value_parser = percent)]
    pub within: f64,
    /// Write report.html with the runs of both, the results as JSON and CSV, and the traces into
    /// this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub traces: ReportTraces,
}

#[derive(Args)]
pub struct CompareStartupsArguments {
    /// Scenario files with your own paths (docs/scenarios.md). Their start-ups are replaced. Each
    /// file is a family. Without files the families of docs/comparison.md are run
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The start-ups to compare: names of `onramp list`, `none` for the host's own, `iw32` for the
    /// host's own with an initial window of 32 segments. `none` is always run [default: all that
    /// docs/comparison.md has]
    #[arg(
        long,
        value_name = "STARTUP",
        value_delimiter = ',',
        value_parser = startup,
        default_values = DEFAULT_STARTUPS,
        hide_default_value = true
    )]
    pub startups: Vec<Startup>,
    /// Run only these families, for example clean,policed. Not with files
    #[arg(
        long,
        value_name = "FAMILY",
        value_delimiter = ',',
        conflicts_with = "files"
    )]
    pub families: Vec<String>,
    /// A folder with recordings of mobile networks by mahimahi, which become the family `cellular`
    #[arg(long, value_name = "DIR", conflicts_with = "files")]
    pub traces: Option<PathBuf>,
    /// Run at most this many of the repeats that a file asks for; each has its own seed [default:
    /// all]
    #[arg(long, value_name = "N")]
    pub repeat: Option<NonZeroU32>,
    /// Run this many simulations at a time. The results do not depend on it [default: one per
    /// processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Also run on this machine's kernel, and show simulator and kernel side by side. Without files
    /// these are 12 clean paths of up to 50 Mbit/s, some 10 minutes for all start-ups. A run that
    /// the machine disturbed is repeated, at most twice. Transfers that the lab cannot run are left
    /// out
    #[arg(long)]
    pub lab: bool,
    /// The start-up of the heat map of rate and RTT [default: the fastest]
    #[arg(long, value_name = "STARTUP")]
    pub heat_map: Option<String>,
    /// Write report.html, and the results as JSON and CSV, into this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

pub(super) fn startup(name: &str) -> Result<Startup, UnknownStartup> {
    name.parse()
}

fn percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(percent) if percent >= 0.0 => Ok(percent),
        _ => Err("expected a number of percent, for example 10".to_owned()),
    }
}

#[derive(Args)]
pub struct ReplayArguments {
    /// A file that `onramp lab --record` wrote
    pub file: PathBuf,
}
