//! What can stand in an endpoint's way, and what mends it.

use std::io;
use std::net::Ipv4Addr;
use std::path::PathBuf;

/// Why an endpoint cannot run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The device could not be made or attached to.
    #[error(transparent)]
    Host(#[from] onramp_lab::Error),
    /// There is no such device.
    #[error("there is no device `{device}`: `ip tuntap add dev {device} mode tun` makes one")]
    Missing {
        /// Its name.
        device: String,
    },
    /// The address belongs to the host itself.
    #[error("{address} is an address of this host, on `{device}`: its kernel would keep the packets for itself; choose another")]
    OwnAddress {
        /// The address.
        address: Ipv4Addr,
        /// Whose it is.
        device: String,
    },
    /// The device carries no packets.
    #[error("the device `{device}` is down: `ip link set dev {device} up`")]
    Down {
        /// Its name.
        device: String,
    },
    /// A system call failed.
    #[error("{what} `{device}`: {source}")]
    Device {
        /// What was being done.
        what: &'static str,
        /// The device's name.
        device: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// The capture could not be written.
    #[error("cannot write the capture {}: {source}", path.display())]
    Capture {
        /// Its name.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// The host lacks something, and the message says how to get it.
    pub fn is_of_host(&self) -> bool {
        match self {
            Error::Host(error) => error.is_of_host(),
            Error::Down { .. } | Error::Device { .. } => true,
            Error::Missing { .. } | Error::OwnAddress { .. } | Error::Capture { .. } => false,
        }
    }
}
