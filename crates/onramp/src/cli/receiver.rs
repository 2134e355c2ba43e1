//! The options of `onramp receiver`.

use super::startup::size_above_0;
use clap::{Args, Subcommand};
use onramp_kernel::policy::Prefix;
use onramp_kernel::ReceiverOptions;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct ReceiverArguments {
    #[command(subcommand)]
    pub command: ReceiverCommand,
    /// Keep programs and maps in this directory of a BPF file system
    #[arg(
        long, value_name = "DIR", default_value = onramp_kernel::RECEIVER_PINS, hide = true,
        global = true
    )]
    pub pins: PathBuf,
}

#[derive(Subcommand)]
pub enum ReceiverCommand {
    /// Lift new connections of this host, until `unload` or `onramp off`. Takes the place of what
    /// an earlier `load` set
    Load(ReceiverLoadArguments),
    /// Run a program, and lift its new connections and those of its descendants
    Exec(ReceiverExecArguments),
    /// End what `load` began. Connections that were lifted keep their buffers until they end
    Unload,
    /// Show what `load` set, and how many connections were lifted
    Status,
}

#[derive(Args)]
pub struct LiftArguments {
    /// The window that a connection offers at first. At most half of the third number of
    /// net.ipv4.tcp_rmem
    #[arg(long, value_name = "SIZE", default_value = "1 MiB", value_parser = size_above_0)]
    pub window: u64,
    /// Let the buffers of all live connections together gain at most so much. Further connections
    /// begin as without this command
    #[arg(long, value_name = "SIZE", default_value = "256 MiB", value_parser = size_above_0)]
    pub limit: u64,
    /// Only connections with this address or prefix at the other end; several with commas
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub peer: Vec<Prefix>,
    /// Only connections with this port at either end; several with commas
    #[arg(long, value_name = "PORT", value_delimiter = ',')]
    pub port: Vec<u16>,
}

#[derive(Args)]
pub struct ReceiverLoadArguments {
    #[command(flatten)]
    pub lift: LiftArguments,
    /// Only connections of the processes in this cgroup, a directory
    #[arg(long, value_name = "DIR")]
    pub cgroup: Option<PathBuf>,
}

#[derive(Args)]
pub struct ReceiverExecArguments {
    #[command(flatten)]
    pub lift: LiftArguments,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

impl LiftArguments {
    /// For a cgroup, or the whole host.
    pub fn options(&self, cgroup: Option<&Path>) -> ReceiverOptions {
        ReceiverOptions {
            window_bytes: self.window,
            limit_bytes: self.limit,
            peers: self.peer.clone(),
            ports: self.port.clone(),
            cgroup: cgroup.map(Path::to_owned),
        }
    }
}
