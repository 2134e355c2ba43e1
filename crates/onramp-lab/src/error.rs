//! What can stand in a lab's way, and what mends it.

use crate::Unsupported;
use std::io;

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The process may not do what the lab needs.
    #[error("{what} needs {capability}: run as root (sudo), or with that capability in a container that grants it")]
    Permission {
        /// What was refused.
        what: &'static str,
        /// The capability that allows it.
        capability: &'static str,
    },
    /// The TUN driver is absent.
    #[error("/dev/net/tun cannot be opened ({source}): load the driver with `modprobe tun`, or start the container with `--device /dev/net/tun`")]
    NoTun {
        /// What the kernel said.
        source: io::Error,
    },
    /// A device could not be made, or be attached to.
    #[error("the device `{name}` {found}")]
    Device {
        /// Its name.
        name: String,
        /// What stands in the way, as the rest of a sentence.
        found: String,
    },
    /// The kernel gives no network namespaces.
    #[error("the kernel made no network namespace ({source}): it needs CONFIG_NET_NS=y, and room in /proc/sys/user/max_net_namespaces")]
    NoNamespace {
        /// What the kernel said.
        source: io::Error,
    },
    /// A program of iproute2 is absent.
    #[error("`{program}` could not be started ({source}): install iproute2")]
    NoProgram {
        /// `ip` or `tc`.
        program: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A program of iproute2 refused.
    #[error("`{command}` failed: {stderr}")]
    Configure {
        /// The command with its input.
        command: String,
        /// What it wrote.
        stderr: String,
    },
    /// A kernel setting of the namespace could not be written.
    #[error("/proc/sys/{name} of the lab's namespace could not be set to `{value}` ({source}): /proc/sys must be writable; in a container, run it with --privileged")]
    Sysctl {
        /// Path below /proc/sys.
        name: &'static str,
        /// The value wanted.
        value: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// The case asks for what this kernel's TCP, or one path, cannot be.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The case asks for what a real path cannot be.
    #[error("{what} is {found}: the lab takes {expected}")]
    Case {
        /// Which quantity.
        what: &'static str,
        /// Its value.
        found: u64,
        /// What it may be.
        expected: &'static str,
    },
    /// More flows than this process has room for.
    #[error("{}, which need {needed} {what} at the same time: {available} are available; {mend}", asked(*copies, *rivals))]
    Flows {
        /// How many copies of the transfer.
        copies: u32,
        /// How many transfers beside it.
        rivals: u32,
        /// Of what they need too much.
        what: &'static str,
        /// How much of it.
        needed: u64,
        /// How much there is.
        available: u64,
        /// What would help.
        mend: &'static str,
    },
    /// More transfers of traffic are under way than there may be.
    #[error("`traffic.arrivals` has {under_way} transfers of one [[traffic]] under way {time_s:.3} s into the run: the lab has room for {most} at the same time; ask for no more than the path can carry, or allow more files with `ulimit -n`")]
    Arrivals {
        /// How many there would be.
        under_way: u64,
        /// How many there may be.
        most: u64,
        /// When.
        time_s: f64,
    },
    /// The kernel does not know a congestion control.
    #[error("this kernel has no congestion control `{name}` ({source}); it has: {available}. For one of its own, `modprobe tcp_{name}`")]
    NoCongestionControl {
        /// The name asked for.
        name: String,
        /// /proc/sys/net/ipv4/tcp_available_congestion_control.
        available: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// A socket runs another congestion control than the one it was given.
    #[error("the sender's socket runs `{found}` although it was given `{wanted}`: something on this host changes sockets, for example a BPF program attached to its cgroup")]
    OtherCongestionControl {
        /// What it was given.
        wanted: String,
        /// What it runs.
        found: String,
    },
    /// The start-up is not to be had.
    #[error("start-up `{startup}` cannot run: {source}")]
    Startup {
        /// Its name.
        startup: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A socket call failed.
    #[error("{what}: {source}")]
    Socket {
        /// What was being done.
        what: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
    /// A byte arrived that was not sent.
    #[error("byte {position} of the transfer arrived as {found:#04x} and was sent as {expected:#04x}: the lab or this kernel corrupts data; please report it")]
    Content {
        /// Position in the stream.
        position: u64,
        /// The byte sent.
        expected: u8,
        /// The byte received.
        found: u8,
    },
    /// The stream ended early.
    #[error("the sender closed after {received_bytes} of {size_bytes} bytes")]
    Truncated {
        /// Bytes that arrived.
        received_bytes: u64,
        /// Bytes asked for.
        size_bytes: u64,
    },
    /// Nothing arrived for too long.
    #[error("the transfer stood still for {waited_s} s after {received_bytes} of {size_bytes} bytes: the path loses too much, or the start-up has stopped sending")]
    Stalled {
        /// Bytes that arrived.
        received_bytes: u64,
        /// Bytes asked for.
        size_bytes: u64,
        /// The patience it had.
        waited_s: f64,
    },
    /// [`RunOptions::stop`](crate::RunOptions::stop) was set.
    #[error("stopped")]
    Stopped,
    /// The link thread failed.
    #[error("the emulated link failed while {what}: {source}")]
    Link {
        /// What it was doing.
        what: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
}

impl Error {
    /// The host lacks something, and the message says how to get it (exit code 3 of the command
    /// line).
    pub fn is_of_host(&self) -> bool {
        use Error::*;
        matches!(
            self,
            Permission { .. }
                | NoTun { .. }
                | NoNamespace { .. }
                | NoProgram { .. }
                | Configure { .. }
                | Sysctl { .. }
                | NoCongestionControl { .. }
        )
    }
}
/// What asks for so many flows.
fn asked(copies: u32, rivals: u32) -> String {
    match rivals {
        0 => format!("`transfer.count` asks for {copies} copies"),
        _ => format!(
            "`transfer.count` and `traffic.count` ask for {} flows",
            u64::from(copies) + u64::from(rivals)
        ),
    }
}
