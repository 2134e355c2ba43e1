//! A TUN device: the host's kernel on one side, our descriptor on the other, one IP packet per read
//! or write.

use crate::Error;
use nix::libc;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

/// The device; closing it removes the interface.
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
    /// block. No virtual header (every packet is one packet), no NAPI (a write runs the receiving
    /// TCP before it returns).
    pub fn create(name: &str) -> Result<Tun, Error> {
        Tun::open(
            name,
            libc::IFF_TUN_EXCL,
            "exists already",
            "cannot have this name",
        )
    }

    /// The same with an interface that exists, made by `ip tuntap add`; closing it leaves it there.
    pub fn attach(name: &str) -> Result<Tun, Error> {
        if nix::net::if_::if_nametoindex(name).is_err() {
            return Err(device(name, "does not exist"));
        }
        Tun::open(
            name,
            0,
            "is in use by another process",
            "is not a TUN device (`ip tuntap add dev NAME mode tun`)",
        )
    }

    fn open(name: &str, flags: libc::c_int, busy: &str, invalid: &str) -> Result<Tun, Error> {
        if name.len() >= libc::IFNAMSIZ || name.contains('%') {
            return Err(device(
                name,
                "cannot have this name: expected at most 15 bytes without `%`",
            ));
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC)
            .open("/dev/net/tun")
            .map_err(|source| match source.kind() {
                // Some hosts let root alone open it.
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

    /// The next packet that the host sends, if there is one.
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

    /// Hands the host a packet; its TCP has dealt with it when this returns.
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
