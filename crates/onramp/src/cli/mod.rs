//! The command line: commands, options and their help. The reference of commands is generated from
//! these definitions.

mod advise;
mod metrics;
mod receiver;
#[cfg(test)]
mod reference;
mod service;
mod startup;

pub use advise::AdviseArguments;
pub use metrics::{MetricsArguments, TopArguments};
pub use receiver::{ReceiverArguments, ReceiverCommand, ReceiverExecArguments};
pub use service::{DoctorArguments, OffArguments, ServiceArguments};
pub use startup::{
    ExecArguments, FirstWindow, LimitArguments, LoadArguments, MemoryArguments, QosArguments,
    SsArguments, StartupArguments, UnloadArguments,
};

use clap::{Parser, Subcommand};
use onramp_cli::completions::CompletionsArguments;
use onramp_cli::manual::ManualArguments;

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
    /// End everything of Onramp on this host, whoever started it and with which version: the
    /// service, its policies, all start-ups, and their use by defaults and live connections, which
    /// move to the default congestion control. Says what is left, if anything is (docs/off.md)
    Off(OffArguments),
    /// Observe the connections of this host without changing anything, and predict in the simulator
    /// what a start-up would gain on their paths (docs/advise.md). Needs root, and the package
    /// onramp-study; without it, --save keeps the observations for another host. Connections count
    /// that begin and end while it observes. Those of one destination, port and size are a class,
    /// and a class counts only if the simulator reproduces its times and losses as they were. The
    /// first line of the answer says whether to do anything, and each column is explained below the
    /// table. To act on it, check the file of --config by `onramp serve --check --config FILE` and
    /// run `onramp serve --config FILE`: 5 % of the connections get the start-up. Then observe
    /// again with --save, and compare: `onramp advise OLD --compare NEW`
    Advise(AdviseArguments),
    /// Let new connections of this host offer a larger receive window from the start, so that
    /// senders need not wait for auto-tuning (docs/receiver.md)
    Receiver(ReceiverArguments),
    /// Check whether this host can run Onramp. Each problem comes with the command that solves it
    Doctor(DoctorArguments),
    /// List the start-ups and the congestion avoidances
    List,
    /// Print the file with which a shell completes the commands and options (docs/install.md)
    Completions(CompletionsArguments),
    /// Write the manual pages, one for each command (docs/install.md)
    Manual(ManualArguments),
}
