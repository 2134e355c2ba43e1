//! What the command line takes.

use crate::verbs::model::ModelArguments;
use crate::verbs::tcp::TcpArguments;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use onramp_kernel::Avoidance;
use onramp_scenario::{units, Memory};
use std::ffi::OsString;
use std::net::IpAddr;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

/// Start TCP connections fast: measure the path in the first round trips, pace up to its rate, hand
/// over.
///
/// Exit codes: 0 done, 1 a result missed its expectation, 2 bad input, 3 the host lacks something
/// (the message says what, and how to get it).
#[derive(Parser)]
#[command(version, max_term_width = 100, arg_required_else_help = true)]
pub struct Cli {
    /// Print JSON instead of text (errors too, on standard error)
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Subcommand)]
pub enum Verb {
    /// Run scenarios in the simulator: the same on every machine, without root
    Sim(SimArguments),
    /// Run scenarios with real sockets over an emulated path on this machine's kernel
    Lab(LabArguments),
    /// Run scenarios in both, and say where their completion times differ
    Compare(CompareArguments),
    /// Hold the simulator against formulas of the literature (docs/theory.md)
    Theory(TheoryArguments),
    /// What a paper's model says of a link: is there its problem, and what helps (docs/model.md)
    Model(ModelArguments),
    /// Measure again what the papers measured that Onramp builds on (docs/reproduce.md)
    Reproduce(ReproduceArguments),
    /// Feed what `lab --record` wrote to this build's start-ups: the same decisions, bit for bit?
    Replay(ReplayArguments),
    /// Register a start-up with the kernel, for every program of this machine to choose
    Load(LoadArguments),
    /// Remove what `load` registered; live connections keep it and go on
    Unload(UnloadArguments),
    /// Show what is registered, by whom, and how many connections use it
    Status,
    /// Show live connections: phase, estimate, pacing rate, exit reason
    Ss,
    /// Show what start-ups remember of paths, or have them forget it (docs/kernel.md)
    Memory(MemoryArguments),
    /// Show or change how much may be reserved by TCP_QOS, and how much is (docs/algorithms/qos.md)
    Qos(QosArguments),
    /// Run a program whose TCP connections, and its descendants', use a start-up
    Exec(ExecArguments),
    /// Our own TCP, over a TUN device, with this machine's kernel
    Tcp(TcpArguments),
    /// Show what on this host stands in the way, and the line that mends it
    Doctor,
    /// Show the start-ups and avoidances that there are
    List,
}

#[derive(Args)]
pub struct SimArguments {
    /// Scenario files (docs/scenarios.md)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write report.html, the results as JSON and CSV, and the traces into this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Run so many cases at a time; the results are the same [default: one on each processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Leave out transfers whose congestion avoidance the simulator does not have, instead of
    /// stopping there
    #[arg(long)]
    pub skip_missing: bool,
    /// Write these traces of each case into DIR/traces: csv, pcapng, qlog, xplot (docs/traces.md)
    #[arg(
        long,
        value_name = "FORMAT",
        value_delimiter = ',',
        requires = "out",
        hide_possible_values = true
    )]
    pub trace: Vec<TraceFormat>,
    /// End a trace file after so many packets (lines of csv, events of qlog)
    #[arg(long, value_name = "N", default_value = "1000000", requires = "trace")]
    pub trace_packets: NonZeroU64,
}

/// [`onramp_trace::Format`], as an option's value.
#[derive(Clone, Copy)]
pub struct TraceFormat(pub onramp_trace::Format);

impl ValueEnum for TraceFormat {
    fn value_variants<'a>() -> &'a [TraceFormat] {
        const ALL: [TraceFormat; onramp_trace::Format::ALL.len()] = {
            let [a, b, c, d] = onramp_trace::Format::ALL;
            [
                TraceFormat(a),
                TraceFormat(b),
                TraceFormat(c),
                TraceFormat(d),
            ]
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

#[derive(Args)]
pub struct LabArguments {
    /// Scenario files (docs/scenarios.md)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write report.html, the results as JSON and CSV, and the traces into this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write everything that the start-ups were told and what they decided into this file, for
    /// `onramp replay`
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Leave out transfers whose congestion avoidance this kernel does not have, instead of
    /// stopping there
    #[arg(long)]
    pub skip_missing: bool,
}

#[derive(Args)]
pub struct CompareArguments {
    /// Scenario files (docs/scenarios.md); transfers that one of both cannot run are left out
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// How many percent a completion time on a clean path may differ; exit 1 if one does by more
    #[arg(long, value_name = "PERCENT", default_value_t = 10.0, value_parser = percent)]
    pub within: f64,
    /// Write report.html with the runs of both, the results as JSON and CSV, and the traces into
    /// this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

fn percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(percent) if percent >= 0.0 => Ok(percent),
        _ => Err("a number of percent is wanted, for example 10".to_owned()),
    }
}

#[derive(Args)]
pub struct TheoryArguments {
    /// Only the rows that take seconds
    #[arg(long)]
    pub quick: bool,
    /// Run so many rows at a time; the results are the same [default: one on each processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Run nothing: write the rows' scenarios into this directory
    #[arg(long, value_name = "DIR")]
    pub scenarios: Option<PathBuf>,
}

#[derive(Args)]
pub struct ReproduceArguments {
    /// Which paper, by its name as in `aron-druschel-1998`; or all of them
    #[arg(value_name = "PAPER|all", value_parser = paper)]
    pub paper: PaperName,
    /// Only the parts that take seconds, and nothing on this kernel
    #[arg(long)]
    pub quick: bool,
    /// Run each scenario with so many seeds; a row's number is the median
    #[arg(long, value_name = "N", default_value = "9", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub seeds: u16,
    /// Run so many simulations at a time; the results are the same [default: one on each processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Leave out what becomes of the rows where the paper leaves a question open that could be
    /// answered otherwise
    #[arg(long)]
    pub no_alternatives: bool,
    /// Leave out the transfers on this machine's kernel
    #[arg(long)]
    pub no_kernel: bool,
    /// Write a page for each paper, with its figures, its studies' tables as CSV and the rows as
    /// JSON into this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// A paper's name, or `all`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaperName {
    All,
    One(String),
}

fn paper(text: &str) -> Result<PaperName, String> {
    const ALL: &str = "all";
    if text == ALL {
        return Ok(PaperName::All);
    }
    let names: Vec<String> = onramp_papers::papers()
        .into_iter()
        .map(|paper| paper.ledger.id)
        .collect();
    if names.iter().any(|name| name == text) {
        return Ok(PaperName::One(text.to_owned()));
    }
    // The first author's name alone is like the whole, too.
    let likeness = |name: &&String| (1000.0 * strsim::jaro_winkler(text, name)) as u32;
    let nearest = names
        .iter()
        .max_by_key(likeness)
        .filter(|name| likeness(name) >= 750);
    let suggestion = nearest.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    Err(format!(
        "no such paper{suggestion} (there are {}; or {ALL})",
        names.join(", ")
    ))
}

#[derive(Args)]
pub struct ReplayArguments {
    /// The file that `onramp lab --record` wrote
    pub file: PathBuf,
}

#[derive(Args)]
pub struct StartupArguments {
    /// The congestion avoidance that follows the start-up
    #[arg(long, value_enum, default_value_t = FollowedBy::Cubic)]
    pub avoidance: FollowedBy,
    /// The initial window: the host's own, or RFC 3390's as in Aron & Druschel (about three
    /// segments)
    #[arg(long, value_enum, default_value_t = FirstWindow::Host)]
    pub initial_window: FirstWindow,
    /// Of `onramp`: send packet pairs, where the peer knows them too (docs/algorithms/onramp.md);
    /// `pair` always does
    #[arg(long)]
    pub packet_pairs: bool,
    /// Of `onramp`: remember what a connection finds of its path for later ones, used as RFC 9959
    /// has it or at once [default: nothing is remembered]
    #[arg(long, value_enum, value_name = "HOW")]
    pub memory: Option<Remembering>,
    /// Forget it after this time [default: 600 s]
    #[arg(long, value_name = "TIME", value_parser = memory_lifetime, requires = "memory")]
    pub memory_lifetime: Option<u64>,
}

/// Nanoseconds.
fn memory_lifetime(text: &str) -> Result<u64, String> {
    const WANTED: &str = "a time of more than 0 is wanted, for example \"600 s\"";
    match units::parse_time(text) {
        Ok(0) => Err(WANTED.to_owned()),
        Ok(ns) => Ok(ns),
        Err(error) => Err(format!("{error}; {WANTED}")),
    }
}

/// [`Memory`] that is not off, as an option's value.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Remembering {
    Careful,
    AtOnce,
}

impl From<Remembering> for Memory {
    fn from(remembering: Remembering) -> Memory {
        match remembering {
            Remembering::Careful => Memory::Careful,
            Remembering::AtOnce => Memory::AtOnce,
        }
    }
}

#[derive(Args)]
pub struct MemoryArguments {
    /// Forget the paths to this address, or all of them
    #[arg(long, value_name = "ADDRESS|all", value_parser = destination)]
    pub forget: Option<Destination>,
}

/// One destination; `None` is all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination(pub Option<IpAddr>);

fn destination(text: &str) -> Result<Destination, String> {
    match text {
        "all" => Ok(Destination(None)),
        address => match address.parse::<IpAddr>() {
            Ok(address) => Ok(Destination(Some(address.to_canonical()))),
            Err(_) => Err(
                "an IP address is wanted, for example 192.0.2.1 or 2001:db8::1; or all".to_owned(),
            ),
        },
    }
}

#[derive(Args)]
pub struct LoadArguments {
    /// Which start-up
    #[arg(default_value = onramp_core::DEFAULT_STARTUP, value_parser = startups())]
    pub startup: String,
    #[command(flatten)]
    pub options: StartupArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
}

#[derive(Args)]
pub struct QosArguments {
    #[command(flatten)]
    pub limits: LimitArguments,
}

#[derive(Args)]
pub struct LimitArguments {
    /// Of `qos`: how much may be reserved on this host, payload [default of `load qos`: 100 Mbit/s]
    #[arg(long, value_name = "RATE", value_parser = reserved_rate)]
    pub total: Option<u64>,
    /// Of `qos`: how much may be reserved in a cgroup and those within it, for example
    /// system.slice="10 Mbit/s"
    #[arg(long = "limit", value_name = "CGROUP=RATE", value_parser = cgroup_limit)]
    pub cgroups: Vec<(PathBuf, u64)>,
}

impl LimitArguments {
    pub fn is_empty(&self) -> bool {
        self.total.is_none() && self.cgroups.is_empty()
    }
}

/// Bytes of payload a second.
fn reserved_rate(text: &str) -> Result<u64, String> {
    let bits_per_s = units::parse_rate(text).map_err(|error| error.to_string())?;
    Ok(bits_per_s.div_ceil(8))
}

fn cgroup_limit(text: &str) -> Result<(PathBuf, u64), String> {
    let wanted = "a cgroup and a rate are wanted, for example system.slice=\"10 Mbit/s\"";
    let (cgroup, rate) = text.rsplit_once('=').ok_or(wanted)?;
    Ok((PathBuf::from(cgroup), reserved_rate(rate)?))
}

fn burst(text: &str) -> Result<u32, String> {
    let bytes = units::parse_size(text).map_err(|error| error.to_string())?;
    u32::try_from(bytes).map_err(|_| format!("a size of at most {} B is wanted", u32::MAX))
}

#[derive(Args)]
pub struct UnloadArguments {
    /// Which start-up; without a name, all that `load` registered
    #[arg(value_name = "STARTUP")]
    pub startup: Option<String>,
}

#[derive(Args)]
pub struct ExecArguments {
    /// Which start-up [default: onramp; with --qos-rate qos]
    #[arg(long, value_parser = startups())]
    pub startup: Option<String>,
    #[command(flatten)]
    pub options: StartupArguments,
    /// Reserve this rate of payload for each connection that does not do so itself (start-up qos)
    #[arg(long, value_name = "RATE", value_parser = reserved_rate)]
    pub qos_rate: Option<u64>,
    /// Let so much leave at once [default: about a millisecond at the rate, 2 to 10 segments]
    #[arg(long, value_name = "SIZE", value_parser = burst, requires = "qos_rate")]
    pub qos_burst: Option<u32>,
    /// Print what the start-ups do, one line an event, on standard error
    #[arg(long)]
    pub events: bool,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// [`Avoidance`], as an option's value.
#[derive(Clone, Copy, ValueEnum)]
pub enum FollowedBy {
    Cubic,
    Bbr,
    Reno,
}

impl From<FollowedBy> for Avoidance {
    fn from(followed_by: FollowedBy) -> Avoidance {
        match followed_by {
            FollowedBy::Cubic => Avoidance::Cubic,
            FollowedBy::Bbr => Avoidance::Bbr,
            FollowedBy::Reno => Avoidance::Reno,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FirstWindow {
    Host,
    Paper,
}

fn startups() -> PossibleValuesParser {
    PossibleValuesParser::new(onramp_core::startup_names().iter().copied())
}
