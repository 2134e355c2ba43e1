//! A network namespace without a name.

use crate::error::Error;
use nix::libc;
use nix::sched::{setns, unshare, CloneFlags};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::thread;

/// A network namespace. It exists as long as its descriptor, or a socket or device made in it.
pub struct Namespace {
    descriptor: File,
}

impl Namespace {
    /// Makes a namespace. The calling thread stays in its own.
    ///
    /// # Errors
    /// It is not permitted, or the kernel refused.
    pub fn new() -> Result<Namespace, Error> {
        let descriptor = on_own_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET)
                .map_err(|errno| refused("making a network namespace", errno))?;
            File::open("/proc/thread-self/ns/net").map_err(|source| Error::NoNamespace { source })
        })?;
        Ok(Namespace { descriptor })
    }

    /// The namespace of the calling thread.
    ///
    /// # Errors
    /// /proc is not mounted.
    pub fn here() -> Result<Namespace, Error> {
        let descriptor = File::open("/proc/thread-self/ns/net")
            .map_err(|source| Error::NoNamespace { source })?;
        Ok(Namespace { descriptor })
    }

    /// The number of the namespace, unique on this machine (SO_NETNS_COOKIE).
    ///
    /// # Errors
    /// The namespace cannot be entered or asked.
    pub fn cookie(&self) -> Result<u64, Error> {
        let socket = self
            .run(|| std::net::UdpSocket::bind("0.0.0.0:0"))?
            .map_err(|source| Error::NoNamespace { source })?;
        let mut cookie = 0_u64;
        let mut length = size_of::<u64>() as libc::socklen_t;
        // SAFETY: the kernel writes at most `length` bytes into an integer that outlives the call.
        let result = unsafe {
            let value = (&raw mut cookie).cast();
            libc::getsockopt(
                socket.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_NETNS_COOKIE,
                value,
                &raw mut length,
            )
        };
        match result {
            0 => Ok(cookie),
            _ => Err(Error::NoNamespace {
                source: io::Error::last_os_error(),
            }),
        }
    }

    /// Runs a closure on a thread inside the namespace. Sockets and devices made there stay in it,
    /// whichever thread uses them later.
    ///
    /// # Errors
    /// The namespace cannot be entered.
    pub fn run<T: Send>(&self, inside: impl FnOnce() -> T + Send) -> Result<T, Error> {
        on_own_thread(|| {
            setns(&self.descriptor, CloneFlags::CLONE_NEWNET)
                .map_err(|errno| refused("entering a network namespace", errno))?;
            Ok(inside())
        })
    }
}

/// Runs a closure on a new thread. A thread that enters a namespace does not leave it again.
fn on_own_thread<T: Send>(action: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| match scope.spawn(action).join() {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

fn refused(what: &'static str, errno: nix::Error) -> Error {
    match errno {
        nix::Error::EPERM => Error::Permission {
            what,
            capability: "CAP_SYS_ADMIN",
        },
        other => Error::NoNamespace {
            source: io::Error::from(other),
        },
    }
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}
