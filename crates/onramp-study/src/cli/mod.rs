//! The command line: commands, options and their help. The reference of commands is generated from
//! these definitions.

mod emulation;
mod judge;
mod model;
mod own_algorithm;
mod papers;
mod quic;
#[cfg(test)]
#[path = "../../../onramp/src/cli/reference.rs"]
mod reference;
mod tcp;
mod web;

pub use emulation::{
    CompareArguments, CompareStartupsArguments, LabArguments, LabCommand, ReplayArguments,
    ReportTraces, ShellArguments, SimArguments, SweepArguments,
};
pub use judge::JudgeArguments;
pub use model::{Model, ModelArguments};
pub use own_algorithm::TryArguments;
pub use papers::{PaperName, ReproduceArguments, TheoryArguments};
pub use quic::{QuicArguments, QuicCommand, QuicGetArguments, QuicServeArguments};
pub use tcp::{GetArguments, ServeArguments, TcpArguments, TcpCommand};
pub use web::WebArguments;

use clap::{Parser, Subcommand};
use onramp_cli::completions::CompletionsArguments;
use onramp_cli::manual::ManualArguments;

/// Study fast starts of connections: in a simulator, with this machine's kernel over emulated
/// paths, with TCP and QUIC in user space, and beside what papers measured.
///
/// Exit codes: 0 success, 1 a result missed its expectation, 2 bad input, 3 this host lacks
/// something (the message says what, and how to get it), 130 interrupted.
#[derive(Parser)]
#[command(
    name = "onramp-study",
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
    /// Try an algorithm of your own: its C header is compiled, simulated beside other start-ups,
    /// and verified by this machine's kernel (docs/add-an-algorithm.md)
    Try(TryArguments),
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
    /// Predict what a start-up would gain on the paths of observed connections: each path is
    /// rebuilt in the simulator, and counts only if the simulator reproduces the times that the
    /// connections really took (docs/advise.md)
    Judge(JudgeArguments),
    /// Give the inputs that `lab --record` wrote to the start-ups of this build, and check that
    /// they make the same decisions
    Replay(ReplayArguments),
    /// Transfer data with Onramp's own TCP, over a TUN device, to or from this machine's kernel
    Tcp(TcpArguments),
    /// Serve and download files over QUIC, with a start-up in user space. Root is not needed
    /// (docs/quic.md)
    Quic(QuicArguments),
    /// Serve the playground: the simulator in a browser, with the packets on their way
    /// (docs/playground.md)
    Web(WebArguments),
    /// Print the file with which a shell completes the commands and options (docs/install.md)
    Completions(CompletionsArguments),
    /// Write the manual pages, one for each command (docs/install.md)
    Manual(ManualArguments),
    /// Check whether this process can make the hosts of the lab, for `onramp doctor`
    #[command(hide = true)]
    Preflight,
}
