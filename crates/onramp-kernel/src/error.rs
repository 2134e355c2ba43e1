//! What can stand in the way, as facts; their sentences say what mends it.

use crate::shared::LIMIT_LEVELS;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why the kernel could not be asked to do something.
#[derive(Debug, Error)]
pub enum Error {
    /// No algorithm has this name.
    #[error("there is no start-up named `{name}`; there are: {}", onramp_core::startup_names().join(", "))]
    UnknownStartup {
        /// As given.
        name: String,
    },
    /// No packet pairs belong to this algorithm.
    #[error(
        "start-up {startup} sends no packet pairs; these do: {}",
        those_that(onramp_core::sends_pairs)
    )]
    NoPairs {
        /// The algorithm.
        startup: String,
    },
    /// A memory of paths was asked for, which this start-up does not use.
    #[error(
        "start-up {startup} uses no memory of paths; these do: {}",
        those_that(onramp_core::resumes)
    )]
    NoMemory {
        /// Its name.
        startup: String,
    },
    /// The process may not load BPF programs.
    #[error("loading BPF programs needs root (CAP_BPF and CAP_NET_ADMIN); run it with sudo")]
    NotPermitted,
    /// The kernel does not describe its types.
    #[error(
        "this kernel has no type information (BTF): /sys/kernel/btf/vmlinux does not exist; \
         boot a kernel built with CONFIG_DEBUG_INFO_BTF=y (every current distribution's is)"
    )]
    NoBtf,
    /// The kernel lacks what a BPF congestion control needs.
    #[error("this kernel ({release}) cannot run congestion controls written in BPF: {lacks}; Linux 6.1 or later is needed, with CONFIG_BPF_SYSCALL, CONFIG_BPF_JIT and CONFIG_DEBUG_INFO_BTF")]
    Unsupported {
        /// As uname -r prints it.
        release: String,
        /// What was looked for and not found.
        lacks: String,
    },
    /// The congestion avoidance to follow is not in this kernel.
    #[error("this kernel has no {avoidance} for the start-up to hand over to ({function} is missing); choose another with --avoidance, or load the module: modprobe tcp_{avoidance}")]
    NoAvoidance {
        /// Its name.
        avoidance: &'static str,
        /// The function that was looked for.
        function: &'static str,
    },
    /// A congestion avoidance that no start-up can hand over to.
    #[error("in the kernel a start-up hands over to cubic, bbr or reno, not to {avoidance}, which runs there with the start-up `none` alone")]
    UnknownAvoidance {
        /// As given.
        avoidance: String,
    },
    /// A congestion control of this name is registered already.
    #[error("a congestion control named `{name}` is registered already{}", owner.as_ref().map(|o| format!(" ({o})")).unwrap_or_default())]
    NameTaken {
        /// The name.
        name: String,
        /// Whose it is, if it is Onramp's.
        owner: Option<String>,
    },
    /// Every name that could be used is taken.
    #[error("all of {first} ... {last} are registered already: too many runs at once")]
    NoNameLeft {
        /// First name tried.
        first: String,
        /// Last name tried.
        last: String,
    },
    /// There is nothing to unload under this name.
    #[error("`{name}` is not loaded{}", loaded_hint(loaded))]
    NotLoaded {
        /// As given.
        name: String,
        /// What is loaded.
        loaded: Vec<String>,
    },
    /// It belongs to a running process.
    #[error("`{name}` belongs to process {pid} (a running `onramp exec` or `onramp lab`) and ends with it")]
    OwnedByProcess {
        /// The congestion control.
        name: String,
        /// Its owner.
        pid: u32,
    },
    /// The kernel refused a program.
    #[error("the kernel refused {what}: {cause}{}", if log.is_empty() { String::new() } else { format!("\n{log}") })]
    Refused {
        /// What was asked of it.
        what: String,
        /// The error it gave.
        cause: String,
        /// The end of the verifier's log, if there is one.
        log: String,
    },
    /// A path that is no cgroup.
    #[error("`{}` is no directory of the cgroup v2 hierarchy ({})", path.display(), mount.display())]
    NotACgroup {
        /// As given.
        path: PathBuf,
        /// Where the hierarchy is.
        mount: PathBuf,
    },
    /// More limits than the kernel's programs follow.
    #[error("`{}` lies within {} cgroups that have a limit; {} are followed", path.display(), found, LIMIT_LEVELS)]
    TooManyLimits {
        /// The cgroup.
        path: PathBuf,
        /// Limits in force for it.
        found: usize,
    },
    /// No cgroup v2 hierarchy to attach to.
    #[error("this kernel has no cgroup v2, or it may not be mounted here: a kernel with CONFIG_CGROUPS=y and CONFIG_CGROUP_BPF=y is needed, and root outside of a restricted container")]
    NoCgroup,
    /// An operating system call failed.
    #[error("cannot {what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system answered.
        source: io::Error,
    },
}

/// The names of these algorithms.
fn those_that(have_it: fn(&str) -> bool) -> String {
    let names: Vec<_> = onramp_core::startup_names()
        .iter()
        .copied()
        .filter(|name| have_it(name))
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

    pub(crate) fn unreadable(map: &str, of: &str, cause: &libbpf_rs::Error) -> Error {
        Error::Refused {
            what: format!("reading {map} of {of}"),
            cause: cause.to_string(),
            log: String::new(),
        }
    }

    /// The request was wrong, as opposed to the host lacking something.
    pub fn is_bad_request(&self) -> bool {
        matches!(
            self,
            Error::UnknownStartup { .. }
                | Error::NoPairs { .. }
                | Error::UnknownAvoidance { .. }
                | Error::NoMemory { .. }
                | Error::NotLoaded { .. }
                | Error::OwnedByProcess { .. }
                | Error::NameTaken { .. }
                | Error::NotACgroup { .. }
                | Error::TooManyLimits { .. }
        )
    }
}

/// A result whose error is [`enum@Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
