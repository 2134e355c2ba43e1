//! Why an endpoint cannot run. Each message says what to do.

use std::io;
use std::net::IpAddr;
use std::path::PathBuf;

/// Why an endpoint cannot run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The device could not be created or opened.
    #[error(transparent)]
    Host(#[from] onramp_host::Error),
    /// There is no device of this name.
    #[error("there is no device `{device}`: create it with `ip tuntap add dev {device} mode tun`")]
    Missing {
        /// The name.
        device: String,
    },
    /// The address belongs to the host.
    #[error(
        "{address} is an address of this host, on `{device}`: the kernel would keep the packets \
         for itself; choose another address"
    )]
    OwnAddress {
        /// The address.
        address: IpAddr,
        /// The device that has it.
        device: String,
    },
    /// The endpoint and the host were given the same address.
    #[error(
        "--address and --host are both {address}: the endpoint and this host need different \
         addresses"
    )]
    SameAddress {
        /// The address.
        address: IpAddr,
    },
    /// Two addresses are of different IP versions.
    #[error("{option} {found} and --address {address} are of different IP versions: use one")]
    MixedVersions {
        /// The option with the other address.
        option: &'static str,
        /// The other address.
        found: IpAddr,
        /// The address of the endpoint.
        address: IpAddr,
    },
    /// The MTU is too small for IPv6.
    #[error(
        "--mtu {mtu_bytes} is too small for IPv6, which needs 1280 bytes or more (RFC 8200): \
         choose a larger MTU, or IPv4 addresses"
    )]
    MtuTooSmall {
        /// The MTU.
        mtu_bytes: u32,
    },
    /// The MTU is larger than that of the device.
    #[error(
        "--mtu {wanted_bytes} is more than the {device_bytes} of the device `{device}`: choose a \
         smaller MTU, or enlarge it with `ip link set dev {device} mtu {wanted_bytes}`"
    )]
    MtuTooLarge {
        /// The name of the device.
        device: String,
        /// The MTU that was asked for.
        wanted_bytes: u32,
        /// The MTU of the device.
        device_bytes: u32,
    },
    /// The device is down.
    #[error("the device `{device}` is down: run `ip link set dev {device} up`")]
    Down {
        /// The name.
        device: String,
    },
    /// A system call failed.
    #[error("{what} `{device}` failed: {source}")]
    Device {
        /// The operation, for example `reading from`.
        what: &'static str,
        /// The name of the device.
        device: String,
        /// The error of the kernel.
        source: io::Error,
    },
    /// The capture file could not be written.
    #[error("cannot write the capture file {}: {source}", path.display())]
    Capture {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl Error {
    /// Whether the host lacks something. Otherwise the input is wrong.
    pub fn is_of_host(&self) -> bool {
        match self {
            Error::Host(error) => error.is_of_host(),
            Error::Down { .. } | Error::Device { .. } => true,
            Error::Missing { .. }
            | Error::OwnAddress { .. }
            | Error::SameAddress { .. }
            | Error::MixedVersions { .. }
            | Error::MtuTooSmall { .. }
            | Error::MtuTooLarge { .. }
            | Error::Capture { .. } => false,
        }
    }
}
