//! The options of `onramp judge`.

use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Args)]
pub struct JudgeArguments {
    /// Observations of `onramp advise --save`, results of M-Lab's ndt7 as JSON, archives of its
    /// tcp-info (unpacked JSON lines), or captures that were taken at the sender (pcap; headers are
    /// enough). Each may be compressed by gzip. The files together are one host
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The congestion control of connections in captures, which do not tell it
    #[arg(long, value_name = "NAME", default_value = "cubic")]
    pub control: String,
    /// Write a configuration of `onramp serve` with the reason of each line into this file
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Write the answer as one page of HTML into this file
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
    /// Put beside the prediction what this file has: observations of a canary, in which some
    /// connections had start-up onramp. May be given several times
    #[arg(long, value_name = "FILE")]
    pub compare: Vec<PathBuf>,
    /// Write the scenario of each class into this directory, for `onramp sim` and `onramp lab`
    #[arg(long, value_name = "DIR")]
    pub scenarios: Option<PathBuf>,
    /// Simulate this many transfers at a time. The results do not depend on it [default: one per
    /// processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}
