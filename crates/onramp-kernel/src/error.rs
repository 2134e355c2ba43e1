//! Errors: each has the facts, and its message names the cause and the mend.

use crate::Avoidance;
use onramp_bpf::bindings::LIMIT_LEVELS;
use onramp_config::units::format_size;
use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// Why a request to the kernel failed.
#[derive(Debug, Error)]
pub enum Error {
    /// No algorithm has this name.
    #[error(
        "there is no start-up named `{name}`; there are: {}",
        onramp_core::startup_names().join(", ")
    )]
    UnknownStartup {
        /// The name as given.
        name: String,
    },
    /// Packet pairs were requested, which this algorithm does not send.
    #[error(
        "start-up {startup} sends no packet pairs; these do: {}",
        startups_that(onramp_core::sends_pairs)
    )]
    NoPairs {
        /// The algorithm.
        startup: String,
    },
    /// Path memory was requested, which this algorithm does not use.
    #[error(
        "start-up {startup} uses no memory of paths; these do: {}",
        startups_that(onramp_core::resumes)
    )]
    NoMemory {
        /// The algorithm.
        startup: String,
    },
    /// An initial rate was requested, which this algorithm does not use.
    #[error(
        "start-up {startup} sends only the initial window before an ACK; these send more: {}",
        startups_that(onramp_core::sends_early)
    )]
    NoInitialRate {
        /// The algorithm.
        startup: String,
    },
    /// The kernel takes no such timer.
    #[error(
        "{} ms is out of range: this kernel takes {} ms (two ticks) to {} ms",
        milliseconds(time),
        milliseconds(range.start()),
        milliseconds(range.end())
    )]
    TimerOutOfRange {
        /// The time that was asked for.
        time: Duration,
        /// The times that this kernel takes.
        range: RangeInclusive<Duration>,
    },
    /// The process may not load BPF programs.
    #[error("loading BPF programs needs root (CAP_BPF and CAP_NET_ADMIN); run it with sudo")]
    NotPermitted,
    /// The process has its rights in a user namespace only.
    #[error(
        "this process is root in a user namespace only, and loading BPF programs needs root \
         (CAP_BPF and CAP_NET_ADMIN) of the host's first user namespace; run it with sudo outside \
         of this container"
    )]
    InUserNamespace,
    /// The kernel does not describe its types.
    #[error(
        "this kernel has no type information (BTF): /sys/kernel/btf/vmlinux does not exist; \
         boot a kernel built with CONFIG_DEBUG_INFO_BTF=y, as all current distributions build it"
    )]
    NoBtf,
    /// The kernel lacks what a BPF congestion control needs.
    #[error(
        "this kernel ({release}) cannot run congestion controls written in BPF: {lacks}; boot \
         Linux 6.1 or later with CONFIG_BPF_SYSCALL, CONFIG_BPF_JIT and CONFIG_DEBUG_INFO_BTF"
    )]
    Unsupported {
        /// The kernel's release, as uname -r prints it.
        release: String,
        /// What was looked for and not found.
        lacks: String,
    },
    /// The congestion avoidance is not in this kernel.
    #[error(
        "this kernel has no {avoidance} for the start-up to hand over to (its function {function} \
         is missing); choose another with --avoidance, or load the module: modprobe tcp_{avoidance}"
    )]
    NoAvoidance {
        /// Its name.
        avoidance: &'static str,
        /// The function that was looked for.
        function: &'static str,
    },
    /// No start-up can hand over to this congestion avoidance.
    #[error(
        "in the kernel a start-up hands over to {}, not to {avoidance}; choose one of these, or \
         run {avoidance} with the start-up `none`",
        Avoidance::ALL.iter().map(|avoidance| avoidance.name()).collect::<Vec<_>>().join(", ")
    )]
    UnknownAvoidance {
        /// The name as given.
        avoidance: String,
    },
    /// A congestion control of this name is registered already.
    #[error(
        "a congestion control named `{name}` is registered already{}",
        owner.as_ref().map(|owner| format!(" ({owner})")).unwrap_or_default()
    )]
    NameTaken {
        /// The name.
        name: String,
        /// Its owner, if it is a congestion control of Onramp.
        owner: Option<String>,
    },
    /// Every name that could be used is taken.
    #[error(
        "all names from {first} to {last} are registered already; end some of the running \
         `onramp exec` and `onramp lab`"
    )]
    NoNameLeft {
        /// The first name that was tried.
        first: String,
        /// The last name that was tried.
        last: String,
    },
    /// `load` has registered it, with other options.
    #[error(
        "`{name}` is registered already, with other options: {}; run `onramp unload {startup}` \
         first",
        differences.join(", ")
    )]
    OtherOptions {
        /// The congestion control.
        name: String,
        /// Its start-up.
        startup: String,
        /// Each option that differs, what it is and what was asked for.
        differences: Vec<String>,
    },
    /// A congestion control is not allowed as the default of this network namespace.
    #[error(
        "`{name}` may not be the default of this network namespace, because its users are \
         restricted; load it without --restricted, or allow it in the host's first network \
         namespace: sysctl net.ipv4.tcp_allowed_congestion_control"
    )]
    MayNotBeDefault {
        /// The congestion control.
        name: String,
    },
    /// This network namespace has no congestion control of this name.
    #[error(
        "this kernel has no congestion control named `{name}`; it has: {}; a module may supply \
         it: modprobe tcp_{name}",
        available.join(", ")
    )]
    NoControl {
        /// The name as given.
        name: String,
        /// The names that there are.
        available: Vec<String>,
    },
    /// The kernel cannot move live connections.
    #[error(
        "this kernel ({release}) cannot move live connections to another congestion control \
         (struct bpf_iter__tcp is missing): boot Linux 5.15 or later with CONFIG_INET, or restart \
         the programs that have the connections"
    )]
    CannotMove {
        /// The kernel's release, as uname -r prints it.
        release: String,
    },
    /// Nothing of this name is loaded.
    #[error("`{name}` is not loaded{}", loaded_hint(loaded))]
    NotLoaded {
        /// The name as given.
        name: String,
        /// The names that are loaded.
        loaded: Vec<String>,
    },
    /// The congestion control belongs to a running process.
    #[error(
        "`{name}` belongs to process {pid} (a running `onramp exec` or `onramp lab`) and ends with \
         that process"
    )]
    OwnedByProcess {
        /// The congestion control.
        name: String,
        /// Its owner.
        pid: u32,
    },
    /// The congestion control belongs to the service.
    #[error(
        "`{name}` belongs to `onramp serve` and ends with it: stop the service (systemctl stop \
         onramp), or remove the policies that need it from its configuration and reload it. To end \
         everything at once, run: onramp off"
    )]
    HeldByService {
        /// The congestion control.
        name: String,
    },
    /// Another version of Onramp made the congestion control.
    #[error(
        "`{name}` was registered by another version of Onramp; use that version, or end everything \
         of Onramp on this host: onramp off"
    )]
    OfOtherVersion {
        /// The congestion control.
        name: String,
    },
    /// Another service of this host has its policies in force.
    #[error(
        "another `onramp serve` runs on this host{}; stop it first (systemctl stop onramp)",
        pid.map(|pid| format!(" (process {pid})")).unwrap_or_default()
    )]
    ServiceRuns {
        /// Its process, if it is known.
        pid: Option<u32>,
    },
    /// The directory for pins is in no BPF file system.
    #[error(
        "`{}` is not in a BPF file system, which the service needs so that its policies survive \
         its restart; run mount -t bpf -o mode=700 bpf /sys/fs/bpf (systemd does this at boot; in \
         a container, mount the host's /sys/fs/bpf)",
        path.display()
    )]
    NoBpffs {
        /// The directory.
        path: PathBuf,
    },
    /// The kernel lifts no connection to such a window.
    #[error(
        "a window of {} is too large: net.ipv4.tcp_rmem allows {}, half of its third number; give \
         a smaller --window, or raise that number with sysctl -w",
        format_size(*window_bytes), format_size(u64::from(*max_bytes))
    )]
    WindowTooLarge {
        /// The window that was asked for.
        window_bytes: u64,
        /// The largest one.
        max_bytes: u32,
    },
    /// Somebody other than root has, or could have, put something in the place of the pins.
    #[error(
        "`{}` {fault}; Onramp neither uses nor removes it, because it may be a trap. See who made \
         it (ls -lR), remove it, and let only root write: chmod 700 /sys/fs/bpf",
        path.display()
    )]
    ForeignPins {
        /// What was found.
        path: PathBuf,
        /// What is wrong with it.
        fault: String,
    },
    /// There are more policies than a service can have.
    #[error("{found} policies are too many; a service can have {max}")]
    TooManyPolicies {
        /// Their number.
        found: usize,
        /// The limit.
        max: usize,
    },
    /// No service has its policies in force.
    #[error("no `onramp serve` runs on this host; start it with systemctl start onramp")]
    NoService,
    /// The kernel refused an operation.
    #[error(
        "the kernel refused {what}: {cause}{}",
        if log.is_empty() { String::new() } else { format!("\n{log}") }
    )]
    Refused {
        /// The operation.
        what: String,
        /// The kernel's error.
        cause: String,
        /// The end of the verifier's log, or empty.
        log: String,
    },
    /// The path is not a cgroup.
    #[error(
        "`{}` is no directory of the cgroup v2 hierarchy ({})",
        path.display(), mount.display()
    )]
    NotACgroup {
        /// The path as given.
        path: PathBuf,
        /// The mount point of the hierarchy.
        mount: PathBuf,
    },
    /// More cgroups with a limit enclose this one than the BPF programs check.
    #[error(
        "`{}` is enclosed by {found} cgroups that have a limit; at most {LIMIT_LEVELS} limits can \
         apply to a process, so set the limit on an outer cgroup",
        path.display()
    )]
    TooManyLimits {
        /// The cgroup.
        path: PathBuf,
        /// The number of enclosing limits.
        found: usize,
    },
    /// There is no cgroup v2 hierarchy to attach to.
    #[error(
        "this kernel has no cgroup v2, or this process may not mount it (in a cgroup namespace of \
         its own it has to); use a kernel with CONFIG_CGROUPS=y and CONFIG_CGROUP_BPF=y, and run \
         as root, not in a restricted container"
    )]
    NoCgroup,
    /// A system call failed.
    #[error("cannot {what}: {source}")]
    Io {
        /// The operation.
        what: String,
        /// The system's error.
        source: io::Error,
    },
}

fn milliseconds(time: &Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The names of the algorithms that can do something.
fn startups_that(can_do_it: fn(&str) -> bool) -> String {
    let names: Vec<_> = onramp_core::startup_names()
        .iter()
        .copied()
        .filter(|name| can_do_it(name))
        .collect();
    names.join(", ")
}

fn loaded_hint(loaded: &[String]) -> String {
    match loaded {
        [] => "; nothing is".to_owned(),
        names => format!("; loaded are: {}", names.join(", ")),
    }
}

impl Error {
    pub(crate) fn io(what: impl Into<String>, source: io::Error) -> Error {
        Error::Io {
            what: what.into(),
            source,
        }
    }

    pub(crate) fn refused(what: impl Into<String>, cause: impl ToString) -> Error {
        Error::Refused {
            what: what.into(),
            cause: cause.to_string(),
            log: String::new(),
        }
    }

    pub(crate) fn unreadable(map: &str, of: &str, cause: &libbpf_rs::Error) -> Error {
        Error::refused(format!("reading {map} of {of}"), cause)
    }

    /// Whether the request was wrong. Otherwise the host lacks something.
    pub fn is_bad_request(&self) -> bool {
        matches!(
            self,
            Error::UnknownStartup { .. }
                | Error::NoPairs { .. }
                | Error::UnknownAvoidance { .. }
                | Error::NoMemory { .. }
                | Error::NotLoaded { .. }
                | Error::OtherOptions { .. }
                | Error::MayNotBeDefault { .. }
                | Error::NoControl { .. }
                | Error::OwnedByProcess { .. }
                | Error::HeldByService { .. }
                | Error::OfOtherVersion { .. }
                | Error::ServiceRuns { .. }
                | Error::TooManyPolicies { .. }
                | Error::NoService
                | Error::NameTaken { .. }
                | Error::NotACgroup { .. }
                | Error::TooManyLimits { .. }
                | Error::WindowTooLarge { .. }
        )
    }
}

/// A result whose error is [`enum@Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
