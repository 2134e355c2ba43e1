//! The two hosts of a lab: a fresh network namespace each, with a TUN device for its only interface.
//!
//! All of it hangs on file descriptors. When they close, by return, panic or SIGKILL, the kernel takes devices
//! and namespaces away; nothing has a name outside.

mod configure;
mod namespace;
mod tun;

pub use configure::{ip, Addresses, Settings};
pub use namespace::Namespace;
pub use tun::Tun;

use crate::Error;
use onramp_scenario::{Buffer, Case, InitialWindow};

/// One end of the path.
pub struct Host {
    /// Where its sockets are made.
    pub namespace: Namespace,
    /// The packets that its kernel sends and receives.
    pub tun: Tun,
}

impl Host {
    fn new(settings: &Settings) -> Result<Host, Error> {
        let namespace = Namespace::new()?;
        let tun = namespace.run(|| {
            let tun = Tun::create(configure::DEVICE)?;
            configure::apply(settings)?;
            Ok::<_, Error>(tun)
        })??;
        Ok(Host { namespace, tun })
    }
}

/// Largest receive buffer of auto-tuning since Linux 6.16; 6 MiB before. Written down so that a run does not
/// depend on the host's kernel or settings.
const RMEM_MAX_BYTES: u64 = 33_554_432;
/// Largest send buffer of auto-tuning in every Linux since 2.6.
const WMEM_MAX_BYTES: u64 = 4_194_304;

/// The sender and the receiver of a case.
pub fn hosts_of(case: &Case, addresses: &Addresses) -> Result<(Host, Host), Error> {
    let initial_window = match case.transfer.initial_window {
        InitialWindow::Segments(segments) => Some(segments),
        InitialWindow::Host | InitialWindow::Paper => None,
    };
    let wmem_max_bytes = match case.sender.buffer {
        Buffer::LinuxDefault => WMEM_MAX_BYTES,
        Buffer::Bytes(bytes) => bytes.max(16_384),
    };
    let sender = Settings {
        mtu_bytes: case.path.mtu_bytes,
        addresses: vec![addresses.sender],
        routes: vec![(addresses.receiver, initial_window), (addresses.rival, None)],
        rmem_max_bytes: RMEM_MAX_BYTES,
        wmem_max_bytes,
    };
    let receiver = Settings {
        addresses: vec![addresses.receiver, addresses.rival],
        routes: vec![(addresses.sender, None)],
        wmem_max_bytes: WMEM_MAX_BYTES,
        ..sender.clone()
    };
    Ok((Host::new(&sender)?, Host::new(&receiver)?))
}

/// Finds out whether this process can make a host, by making one.
pub fn preflight() -> Result<(), Error> {
    let addresses = Addresses::fresh();
    let settings = Settings {
        mtu_bytes: 1500,
        addresses: vec![addresses.sender],
        routes: vec![(addresses.receiver, Some(10))],
        rmem_max_bytes: RMEM_MAX_BYTES,
        wmem_max_bytes: WMEM_MAX_BYTES,
    };
    Host::new(&settings).map(drop)
}
