//! The directory in the BPF file system that keeps a service's programs and maps while no process
//! holds them.
//!
//! ```text
//! /sys/fs/bpf/onramp/          locked by the service that runs
//!     maps/                    the policies in force, tags, counts, the service's own state
//!     links/                   the programs' attachments: policy, mkdir, rmdir
//!     registrations/onramp-1/  a start-up: link, operations, config, defaults
//! ```

use crate::{Error, Result};
use libbpf_rs::MapHandle;
use nix::fcntl::{fcntl, FcntlArg, FdFlag, Flock, FlockArg};
use nix::sys::statfs::{statfs, BPF_FS_MAGIC};
use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The directory of the host's service.
pub const PINS: &str = "/sys/fs/bpf/onramp";

/// A directory of pins.
pub(super) struct Pins {
    directory: PathBuf,
    /// Held by the service; readers have none.
    lock: Option<Flock<File>>,
}

impl Pins {
    /// Makes the directory, or takes over what an earlier service left there. `lock` is what
    /// [`Pins::pass_lock`] of the process before gave to this one.
    ///
    /// # Errors
    /// [`Error::NoBpffs`], [`Error::ServiceRuns`] without its process, or [`Error::Io`].
    pub fn lock(directory: &Path, lock: Option<OwnedFd>) -> Result<Pins> {
        let parent = directory.parent().unwrap_or(directory);
        let is_bpffs = statfs(parent).is_ok_and(|found| found.filesystem_type() == BPF_FS_MAGIC);
        if !is_bpffs {
            return Err(Error::NoBpffs {
                path: parent.to_owned(),
            });
        }
        for part in ["", "maps", "links", "registrations"] {
            make(&directory.join(part))?;
        }
        let file = match lock {
            Some(lock) => File::from(lock),
            None => File::open(directory).map_err(|error| failed("open", directory, error))?,
        };
        set_close_on_exec(&file, true)?;
        let lock = Flock::lock(file, FlockArg::LockExclusiveNonblock)
            .map_err(|_| Error::ServiceRuns { pid: None })?;
        Ok(Pins {
            directory: directory.to_owned(),
            lock: Some(lock),
        })
    }

    /// The directory of a service that runs, or has left its pins, for reading.
    ///
    /// # Errors
    /// [`Error::NoService`]
    pub fn open(directory: &Path) -> Result<Pins> {
        match directory.is_dir() {
            true => Ok(Pins {
                directory: directory.to_owned(),
                lock: None,
            }),
            false => Err(Error::NoService),
        }
    }

    /// Lets the lock pass to the program that replaces this process.
    pub fn pass_lock(&self) -> Result<RawFd> {
        let lock = self.lock.as_ref().expect("a service holds the lock");
        set_close_on_exec(lock, false)?;
        Ok(lock.as_raw_fd())
    }

    pub fn map_path(&self, name: &str) -> PathBuf {
        self.directory.join("maps").join(name)
    }

    pub fn link_path(&self, name: &str) -> PathBuf {
        self.directory.join("links").join(name)
    }

    pub fn registrations(&self) -> PathBuf {
        self.directory.join("registrations")
    }

    pub fn map(&self, name: &str) -> Option<MapHandle> {
        MapHandle::from_pinned_path(self.map_path(name)).ok()
    }

    /// Pins a map in the place of one of an earlier service.
    pub fn pin_map(&self, name: &str, map: &mut MapHandle) -> Result<()> {
        let path = self.map_path(name);
        remove_file(&path)?;
        map.pin(&path)
            .map_err(|error| not_pinned(&path, &error.to_string()))
    }

    /// Removes everything, so that the kernel frees what nothing else uses.
    pub fn remove(self) -> Result<()> {
        for part in ["maps", "links", "registrations"] {
            remove_directory(&self.directory.join(part))?;
        }
        remove_directory(&self.directory)
    }
}

fn failed(verb: &str, path: &Path, error: io::Error) -> Error {
    Error::io(format!("{verb} {}", path.display()), error)
}

/// The kernel refused to pin something.
pub(super) fn not_pinned(path: &Path, cause: &str) -> Error {
    Error::Refused {
        what: format!("pinning {}", path.display()),
        cause: cause.to_owned(),
        log: String::new(),
    }
}

/// Makes a directory if it does not exist. Only root may enter it, whatever the umask.
pub(super) fn make(directory: &Path) -> Result<()> {
    match DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(failed("make", directory, error))
        }
        // An earlier version made it with the rights that the umask left.
        _ => fs::set_permissions(directory, Permissions::from_mode(0o700))
            .map_err(|error| failed("set the rights of", directory, error)),
    }
}

/// Removes a pin if it exists.
pub(super) fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path, error)),
        _ => Ok(()),
    }
}

/// Removes a directory with its pins, if it exists.
pub(super) fn remove_directory(directory: &Path) -> Result<()> {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => remove_directory(&path)?,
            false => remove_file(&path)?,
        }
    }
    match fs::remove_dir(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(failed("remove", directory, error))
        }
        _ => Ok(()),
    }
}

fn set_close_on_exec(file: &File, closes: bool) -> Result<()> {
    let flags = if closes {
        FdFlag::FD_CLOEXEC
    } else {
        FdFlag::empty()
    };
    fcntl(file, FcntlArg::F_SETFD(flags))
        .map(drop)
        .map_err(|errno| Error::io("change a descriptor's flags", errno.into()))
}
