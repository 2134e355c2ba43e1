//! The options of `onramp serve`, `off` and `doctor`.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct ServiceArguments {
    /// The configuration
    #[arg(long, value_name = "FILE", default_value = onramp_service::config::CONFIG_FILE)]
    pub config: PathBuf,
    /// Only check the configuration, and say what it does
    #[arg(long, conflicts_with = "undo")]
    pub check: bool,
    /// Undo what a service that was killed has left in the kernel
    #[arg(long)]
    pub undo: bool,
    /// Keep programs and maps in this directory of a BPF file system
    #[arg(long, value_name = "DIR", default_value = onramp_kernel::policy::PINS, hide = true)]
    pub pins: PathBuf,
    /// Answer `onramp top` and `onramp metrics` on this socket
    #[arg(long, value_name = "PATH", default_value = onramp_service::metrics::SOCKET, hide = true)]
    pub socket: PathBuf,
}

#[derive(Args)]
pub struct OffArguments {
    /// The service keeps its programs and maps in this directory
    #[arg(long, value_name = "DIR", default_value = onramp_kernel::policy::PINS, hide = true)]
    pub pins: PathBuf,
}

#[derive(Args)]
pub struct DoctorArguments {
    /// Check only what this host offers to the senders of what it receives (docs/receiver.md)
    #[arg(long)]
    pub receiver: bool,
}
