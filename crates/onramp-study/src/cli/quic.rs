//! The options of `onramp quic`.

use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use onramp_cli::startup::{avoidances, memories};
use onramp_core::memory::Memory;
use onramp_hq::{Avoidance, Fingerprint, Url};
use onramp_scenario::units;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Args)]
pub struct QuicArguments {
    #[command(subcommand)]
    pub command: QuicCommand,
}

#[derive(Subcommand)]
pub enum QuicCommand {
    /// Serve the files of a folder, and generated content at `/bytes/N`, until SIGTERM or Ctrl-C.
    /// Downloads that run then are completed, and the exit code is 0
    Serve(QuicServeArguments),
    /// Download from a server, one URL after the other, and measure each download
    Get(QuicGetArguments),
}

#[derive(Args)]
pub struct QuicServeArguments {
    /// The UDP address and port to listen on
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "0.0.0.0:4433")]
    pub listen: SocketAddr,
    /// Serve the files of this folder. Without it, there is generated content alone
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Start-up algorithm of the connections: one that `onramp list` shows, except `pair`, which
    /// needs an option of TCP, and `qos`, which needs a rate; or `none` for the slow start of the
    /// avoidance
    #[arg(long, value_name = "NAME", default_value = "onramp")]
    pub startup: String,
    /// Congestion avoidance: noq's own controllers. Start-ups hand over to `cubic` or `bbr`; `reno`
    /// needs `--startup none`. noq's `bbr` is version 3
    #[arg(long, default_value = "cubic", value_parser = followed_by())]
    pub avoidance: Avoidance,
    /// Initial window in bytes of UDP payload [default: that of the controller]
    #[arg(long, value_name = "SIZE", value_parser = units::parse_size)]
    pub initial_window: Option<u64>,
    /// Use the BDP that earlier connections to the same client address measured
    #[arg(long, value_name = "WHEN", value_parser = memories())]
    pub memory: Option<Memory>,
    /// Read what is remembered from this file at the start, if it exists, and write it at the end
    #[arg(long, value_name = "FILE", requires = "memory")]
    pub memory_file: Option<PathBuf>,
    /// Maximum number of connections at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub connections: u32,
    /// Maximum number of connections from one prefix of addresses (IPv4 /24, IPv6 /48)
    #[arg(long, value_name = "NUMBER", default_value_t = 2_500,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub connections_per_prefix: u32,
    /// Maximum number of downloads of a connection at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub streams: u32,
    /// How long downloads may go on after SIGTERM or Ctrl-C, before they are cut off. A second
    /// signal cuts them off at once
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = units::parse_time)]
    pub grace: u64,
    /// Write a qlog file of each connection into this folder, with the phases of its start-up
    /// (docs/quic.md)
    #[arg(long, value_name = "FOLDER")]
    pub qlog: Option<PathBuf>,
    #[command(flatten)]
    pub identity: IdentityArguments,
}

#[derive(Args)]
#[command(next_help_heading = "Certificate")]
pub struct IdentityArguments {
    /// The certificate chain in PEM format [default: a new certificate that signs itself]
    #[arg(long, value_name = "FILE", requires = "key")]
    pub certificate: Option<PathBuf>,
    /// The private key of the certificate in PEM format
    #[arg(long, value_name = "FILE", requires = "certificate")]
    pub key: Option<PathBuf>,
    /// Names and addresses in a new certificate
    #[arg(
        long,
        value_name = "NAME",
        default_value = "localhost",
        conflicts_with = "certificate"
    )]
    pub name: Vec<String>,
    /// Write the new certificate into this file, for clients that need a file
    #[arg(long, value_name = "FILE", conflicts_with = "certificate")]
    pub write_certificate: Option<PathBuf>,
}

#[derive(Args)]
pub struct QuicGetArguments {
    /// What to download: `https://HOST[:PORT]/PATH`, with `%20` for a blank. URLs of one server
    /// that follow each other share a connection
    #[arg(value_name = "URL", required = true)]
    pub urls: Vec<Url>,
    /// Write the data into this file, which appears when it is complete, or to standard output
    /// (`-`). Without this option the data is counted, and generated content is checked
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Accept the certificate with this SHA-256, as `onramp quic serve` prints it
    #[arg(long, value_name = "HASH", conflicts_with_all = ["ca", "insecure"])]
    pub pin: Option<Fingerprint>,
    /// Accept certificates that an authority of this PEM file has signed [default: the authorities
    /// of this host]
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub ca: Option<PathBuf>,
    /// Accept any certificate. Anyone on the path can then read and change the data
    #[arg(long)]
    pub insecure: bool,
    /// Maximum number of bytes that the server may send before they are read
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = window)]
    pub receive_window: u32,
    /// How long the server may be silent
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = silence)]
    pub silence: u64,
    /// Write a qlog file of each connection into this folder
    #[arg(long, value_name = "FOLDER")]
    pub qlog: Option<PathBuf>,
}

/// The same congestion avoidance of noq.
fn followed_by() -> impl TypedValueParser<Value = Avoidance> {
    avoidances().map(|avoidance| match avoidance {
        onramp_kernel::Avoidance::Cubic => Avoidance::Cubic,
        onramp_kernel::Avoidance::Bbr => Avoidance::Bbr,
        onramp_kernel::Avoidance::Reno => Avoidance::Reno,
    })
}

/// Parses a window of flow control.
fn window(text: &str) -> Result<u32, String> {
    const EXPECTED: &str = "expected 1 byte to 4 GiB, for example `64MiB`";
    match units::parse_size(text) {
        Ok(bytes @ 1..) => u32::try_from(bytes).map_err(|_| EXPECTED.to_owned()),
        Ok(0) => Err(EXPECTED.to_owned()),
        Err(error) => Err(format!("{error}; {EXPECTED}")),
    }
}

/// Parses the idle timeout into nanoseconds. QUIC counts milliseconds, and 0 is none.
fn silence(text: &str) -> Result<u64, String> {
    const EXPECTED: &str = "expected 1 ms to 1,000 h, for example `10s`";
    match units::parse_time(text) {
        Ok(ns @ 1_000_000..=3_600_000_000_000_000) => Ok(ns),
        Ok(_) => Err(EXPECTED.to_owned()),
        Err(error) => Err(format!("{error}; {EXPECTED}")),
    }
}
