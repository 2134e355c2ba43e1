//! The command line: commands, options and their help. `docs/reference/commands.md` is generated
//! from these definitions.

mod emulation;
mod install;
mod metrics;
mod model;
mod papers;
mod quic;
#[cfg(test)]
mod reference;
mod service;
mod startup;
mod tcp;
mod web;

pub use emulation::{
    CompareArguments, CompareStartupsArguments, LabArguments, LabCommand, ReplayArguments,
    ReportTraces, ShellArguments, SimArguments, SweepArguments,
};
pub use install::{CompletionsArguments, ManualArguments};
pub use metrics::{MetricsArguments, TopArguments};
pub use model::{Model, ModelArguments};
pub use papers::{PaperName, ReproduceArguments, TheoryArguments};
pub use quic::{QuicArguments, QuicCommand, QuicGetArguments, QuicServeArguments};
pub use service::ServiceArguments;
pub use startup::{
    ExecArguments, FirstWindow, LimitArguments, LoadArguments, MemoryArguments, QosArguments,
    SsArguments, StartupArguments, UnloadArguments,
};
pub use tcp::{GetArguments, ServeArguments, TcpArguments, TcpCommand};
pub use web::WebArguments;

use clap::{Parser, Subcommand};

/// Start TCP connections fast: measure the path in the first round trips, pace up to its rate, then
/// hand over to ordinary congestion avoidance.
///
/// Exit codes: 0 success, 1 a result missed its expectation, 2 bad input, 3 this host lacks
/// something (the message says what, and how to get it), 130 interrupted.
#[derive(Parser)]
#[command(
    name = "onramp",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub struct Cli {
    /// Print JSON instead of text. Errors are JSON too, on standard error
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run scenarios in the simulator. The results are the same on every machine; root is not
    /// needed
    Sim(SimArguments),
    /// Run scenarios with real sockets on this machine's kernel, over an emulated path
    Lab(LabArguments),
    /// Run scenarios in the simulator and in the lab, and compare the completion times
    Compare(CompareArguments),
    /// Compare start-ups with each other over families of paths: a table, and a page with figures
    /// (docs/comparison.md)
    CompareStartups(CompareStartupsArguments),
    /// Run a scenario over many values of its keys, here or on a cluster, into Parquet files
    /// (docs/python.md). Needs Onramp's Python package
    Sweep(SweepArguments),
    /// Compare the simulator with formulas of the literature (docs/theory.md)
    Theory(TheoryArguments),
    /// Ask the model of a paper about a link: does it have the paper's problem, and what helps
    /// (docs/model.md)
    Model(ModelArguments),
    /// Measure again the results of the papers that Onramp builds on (docs/reproduce.md)
    Reproduce(ReproduceArguments),
    /// Give the inputs that `lab --record` wrote to the start-ups of this build, and check that
    /// they make the same decisions
    Replay(ReplayArguments),
    /// Register a start-up with the kernel as a congestion control that every program can choose
    Load(LoadArguments),
    /// Remove what `load` registered, and put back the defaults from before. Live connections keep
    /// it until they end, or are moved with --live
    Unload(UnloadArguments),
    /// Show which start-ups are registered, by which process, what uses them, what their
    /// connections did so far, and whether the governor holds new connections back
    Status,
    /// Show live connections that began with a start-up (phase, rate estimate, pacing rate, exit
    /// reason, also after they were handed over to cubic or reno), and what all connections did
    /// so far
    Ss(SsArguments),
    /// Print what `onramp serve` counted for Prometheus, or write it for node_exporter's textfile
    /// collector (docs/metrics.md)
    Metrics(MetricsArguments),
    /// Watch the policies of `onramp serve`: each start-up against its control group, exits, and
    /// the connections that are starting now (docs/metrics.md)
    Top(TopArguments),
    /// Show what start-ups remember about paths, or delete it (docs/kernel.md)
    Memory(MemoryArguments),
    /// Show or change the limits of reservations with TCP_QOS, and show the reserved rates
    /// (docs/algorithms/qos.md)
    Qos(QosArguments),
    /// Run a program. Its TCP connections and those of its descendants use a start-up
    Exec(ExecArguments),
    /// Run the service: give new connections of this host a start-up by policies, compare a canary
    /// with its control group, switch off what is worse (docs/service.md)
    Serve(ServiceArguments),
    /// Transfer data with Onramp's own TCP, over a TUN device, to or from this machine's kernel
    Tcp(TcpArguments),
    /// Serve and download files over QUIC, with a start-up in user space. Root is not needed
    /// (docs/quic.md)
    Quic(QuicArguments),
    /// Serve the playground: the simulator in a browser, with the packets on their way
    /// (docs/playground.md)
    Web(WebArguments),
    /// Check whether this host can run Onramp. Each problem comes with the command that solves it
    Doctor,
    /// List the start-ups and the congestion avoidances
    List,
    /// Print the file with which a shell completes the commands and options (docs/install.md)
    Completions(CompletionsArguments),
    /// Write the manual pages, one for each command (docs/install.md)
    Manual(ManualArguments),
}
