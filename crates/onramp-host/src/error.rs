//! Why a host does not do what it is asked for. Each message says what to do.

use std::io;

/// Why the host refused, or what it lacks.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The process lacks a capability.
    #[error(
        "{what} needs {capability}: run as root (sudo), or give the container this capability"
    )]
    Permission {
        /// The operation that was refused.
        what: &'static str,
        /// The capability that allows it.
        capability: &'static str,
    },
    /// The TUN driver is missing.
    #[error(
        "/dev/net/tun cannot be opened ({source}): load the driver with `modprobe tun`, or \
        start the container with `--device /dev/net/tun`"
    )]
    NoTun {
        /// The error of the kernel.
        source: io::Error,
    },
    /// A device could not be created or opened.
    #[error("the device `{name}` {found}")]
    Device {
        /// Its name.
        name: String,
        /// The reason, as the rest of a sentence.
        found: String,
    },
    /// The kernel made no network namespace.
    #[error(
        "the kernel made no network namespace ({source}): it needs CONFIG_NET_NS=y, and \
         /proc/sys/user/max_net_namespaces must allow one more"
    )]
    NoNamespace {
        /// The error of the kernel.
        source: io::Error,
    },
    /// A program of iproute2 is missing.
    #[error("`{program}` could not be started ({source}): install iproute2")]
    NoProgram {
        /// `ip` or `tc`.
        program: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// A program of iproute2 failed.
    #[error("`{command}` failed: {stderr}")]
    Configure {
        /// The command with its input.
        command: String,
        /// Its error message.
        stderr: String,
    },
    /// A kernel setting of the namespace could not be written.
    #[error(
        "/proc/sys/{name} of the lab's namespace could not be set to `{value}` ({source}): \
        /proc/sys must be writable; in a container, run it with --privileged"
    )]
    Sysctl {
        /// Path below /proc/sys.
        name: String,
        /// The value that the lab needs.
        value: String,
        /// The error of the kernel.
        source: io::Error,
    },
}

impl Error {
    /// Whether the host lacks something. Otherwise the name of a device is wrong.
    pub fn is_of_host(&self) -> bool {
        !matches!(self, Error::Device { .. })
    }
}
