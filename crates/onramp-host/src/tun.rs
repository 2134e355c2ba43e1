//! A TUN device: the kernel of the host on one side, our descriptor on the other. Each read or
//! write is one IP packet.

use crate::error::Error;
use nix::libc;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

/// An open TUN device. Closing it removes an interface that [`Tun::create`] made.
pub struct Tun {
    file: File,
}

const NEEDS_PERMISSION: Error = Error::Permission {
    what: "a TUN device",
    capability: "CAP_NET_ADMIN",
};

// TUNSETIFF is declared with `int` and takes a pointer to an ifreq.
nix::ioctl_write_ptr_bad!(
    tun_set_interface,
    nix::request_code_write!(b'T', 202, 4),
    libc::ifreq
);

impl Tun {
    /// Makes an interface in the network namespace of the calling thread. Reads and writes do not
    /// block. There is no virtual header, so that every read is one packet, and no NAPI, so that
    /// the receiving TCP has run when a write returns.
    ///
    /// # Errors
    /// It is not permitted, TUN is missing, or the name is in use or invalid.
    pub fn create(name: &str) -> Result<Tun, Error> {
        Tun::open(
            name,
            libc::IFF_TUN_EXCL,
            "exists already: choose another name",
            "cannot have this name: choose another",
        )
    }

    /// Opens an interface that `ip tuntap add` made. It stays when the device is closed.
    ///
    /// # Errors
    /// It is not permitted, TUN is missing, or the interface does not exist or is in use.
    pub fn attach(name: &str) -> Result<Tun, Error> {
        if nix::net::if_::if_nametoindex(name).is_err() {
            return Err(device(name, "does not exist"));
        }
        Tun::open(
            name,
            0,
            "is in use by another process",
            "is not a TUN device: create one with `ip tuntap add dev NAME mode tun`",
        )
    }

    fn open(name: &str, flags: libc::c_int, busy: &str, invalid: &str) -> Result<Tun, Error> {
        if name.len() >= libc::IFNAMSIZ || name.contains('%') {
            return Err(device(
                name,
                "cannot have this name: a name has at most 15 bytes and no `%`",
            ));
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC)
            .open("/dev/net/tun")
            .map_err(|source| match source.kind() {
                // On some hosts only root may open it.
                io::ErrorKind::PermissionDenied => NEEDS_PERMISSION,
                _ => Error::NoTun { source },
            })?;
        // SAFETY: ifreq is plain data for which zeroes are valid.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
            *to = from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI | flags) as libc::c_short;
        // SAFETY: the descriptor is /dev/net/tun and the request a complete ifreq that outlives the
        // call.
        match unsafe { tun_set_interface(file.as_raw_fd(), &request) } {
            Ok(_) => Ok(Tun { file }),
            Err(nix::Error::EPERM) => Err(NEEDS_PERMISSION),
            Err(nix::Error::EBUSY) => Err(device(name, busy)),
            Err(nix::Error::EINVAL) => Err(device(name, invalid)),
            Err(errno) => Err(Error::NoTun {
                source: io::Error::from(errno),
            }),
        }
    }

    /// Reads the next packet that the host sends. Returns its length; `None` if there is none.
    ///
    /// # Errors
    /// The device failed.
    pub fn read(&self, into: &mut [u8]) -> io::Result<Option<usize>> {
        loop {
            match (&self.file).read(into) {
                Ok(length) => return Ok(Some(length)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
        }
    }

    /// Delivers a packet to the host. The TCP of the host has processed it when this returns.
    ///
    /// # Errors
    /// The device failed.
    pub fn write(&self, packet: &[u8]) -> io::Result<()> {
        (&self.file).write(packet).map(drop)
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

fn device(name: &str, found: &str) -> Error {
    Error::Device {
        name: name.to_owned(),
        found: found.to_owned(),
    }
}
