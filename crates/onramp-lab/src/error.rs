//! Why a run of the lab has no result. Each message says what to do.

use crate::supports::Unsupported;
use std::io;

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The host refused, or lacks something.
    #[error(transparent)]
    Host(#[from] onramp_host::Error),
    /// The kernel has no IPv6.
    #[error(
        "this kernel has no IPv6, and the scenario uses `ip = \"v6\"`: load it with `modprobe \
         ipv6`, start the kernel without `ipv6.disable=1`, or use `ip = \"v4\"`"
    )]
    NoIpv6,
    /// The case asks for a property that only the simulator has.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// A quantity of the case is beyond the limits of the lab.
    #[error("{what} is {found}: the lab supports {expected}")]
    Case {
        /// Which quantity.
        what: &'static str,
        /// Its value.
        found: u64,
        /// The supported range.
        expected: &'static str,
    },
    /// This process has not enough descriptors or memory for the flows.
    #[error(
        "{}, which need {needed} {what} at the same time: {available} are available; {advice}",
        asked(*copies, *competing)
    )]
    Flows {
        /// Number of copies of the transfer.
        copies: u32,
        /// Number of competing flows.
        competing: u32,
        /// The resource, for example `file descriptors`.
        what: &'static str,
        /// The amount that the flows need.
        needed: u64,
        /// The amount that is available.
        available: u64,
        /// What to do.
        advice: &'static str,
    },
    /// Too many transfers of a traffic are active together.
    #[error(
        "`traffic.arrivals`: {active} transfers of one [[traffic]] are active {time_s:.3} s into \
         the \
         run, and the lab has room for {max_active}; ask for no more than the path can carry, or \
         allow more files with `ulimit -n`"
    )]
    Arrivals {
        /// Number of active transfers.
        active: u64,
        /// Maximum number of active transfers.
        max_active: u64,
        /// Time since the beginning of the run.
        time_s: f64,
    },
    /// The kernel has no such congestion control.
    #[error(
        "this kernel has no congestion control `{name}` ({source}); it has: {available}. If \
         `{name}` is a module of the kernel, load it with `modprobe tcp_{name}`"
    )]
    NoCongestionControl {
        /// The name.
        name: String,
        /// /proc/sys/net/ipv4/tcp_available_congestion_control.
        available: String,
        /// The error of the kernel.
        source: io::Error,
    },
    /// A socket has another congestion control than the one that was set.
    #[error(
        "the sender's socket has congestion control `{found}` although `{wanted}` was set: find \
         what changes sockets on this host, for example a BPF program attached to its cgroup"
    )]
    OtherCongestionControl {
        /// The congestion control that was set.
        wanted: String,
        /// The congestion control that the socket has.
        found: String,
    },
    /// The start-up is not available.
    #[error("start-up `{startup}` cannot run: {source}")]
    Startup {
        /// Its name.
        startup: String,
        /// The reason.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A socket call failed.
    #[error("{what}: {source}")]
    Socket {
        /// The operation.
        what: &'static str,
        /// The error of the kernel.
        source: io::Error,
    },
    /// A byte arrived with another value than it was sent with.
    #[error("{0}: the lab or this kernel corrupts data; please report it")]
    Content(#[from] onramp_hq::WrongByte),
    /// An end of a transfer over QUIC failed.
    #[error(transparent)]
    Quic(#[from] onramp_hq::Error),
    /// The sender closed the connection early.
    #[error("the sender closed after {received_bytes} of {size_bytes} bytes")]
    Truncated {
        /// Bytes that arrived.
        received_bytes: u64,
        /// Bytes requested.
        size_bytes: u64,
    },
    /// The receiver received nothing for too long.
    #[error(
        "the transfer stood still for {waited_s} s after {received_bytes} of {size_bytes} \
        bytes: the path loses too much, or the start-up has stopped sending"
    )]
    Stalled {
        /// Bytes that arrived.
        received_bytes: u64,
        /// Bytes requested.
        size_bytes: u64,
        /// How long the receiver waited.
        waited_s: f64,
    },
    /// [`RunOptions::stop`](crate::RunOptions::stop) was set.
    #[error("stopped")]
    Stopped,
    /// The link thread failed.
    #[error("the emulated link failed while {what}: {source}")]
    Link {
        /// The operation.
        what: &'static str,
        /// The error of the kernel.
        source: io::Error,
    },
}

impl Error {
    /// Whether the host lacks something (exit code 3 of the command line).
    pub fn is_of_host(&self) -> bool {
        match self {
            Error::Host(error) => error.is_of_host(),
            other => matches!(other, Error::NoIpv6 | Error::NoCongestionControl { .. }),
        }
    }
}

/// The keys that ask for the flows.
fn asked(copies: u32, competing: u32) -> String {
    match competing {
        0 => format!("`transfer.count` asks for {copies} copies"),
        _ => format!(
            "`transfer.count` and `traffic.count` ask for {} flows",
            u64::from(copies) + u64::from(competing)
        ),
    }
}
