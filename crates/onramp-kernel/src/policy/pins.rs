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
use nix::libc::{ELOOP, ENOENT, ENOTDIR, O_DIRECTORY, O_NOFOLLOW};
use nix::sys::stat::{major, minor};
use nix::sys::statfs::{statfs, BPF_FS_MAGIC};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The rights of others than the owner that would let them replace pins.
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// Only the owner of a file may remove or rename it, whoever may write to its directory.
const STICKY: u32 = 0o1000;

/// The directory of the host's service.
pub const PINS: &str = "/sys/fs/bpf/onramp";

/// What is in it.
const PARTS: [&str; 3] = ["maps", "links", "registrations"];

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
    /// [`Error::NoBpffs`], [`Error::ForeignPins`], [`Error::ServiceRuns`] without its process, or
    /// [`Error::Io`].
    pub fn lock(directory: &Path, lock: Option<OwnedFd>) -> Result<Pins> {
        let own = prepare(directory)?;
        for part in PARTS {
            make(&directory.join(part))?;
        }
        let file = lock.map_or(own, File::from);
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
    /// [`Error::NoService`] or [`Error::ForeignPins`].
    pub fn open(directory: &Path) -> Result<Pins> {
        match open_directory(directory)? {
            Some(_) => Ok(Pins {
                directory: directory.to_owned(),
                lock: None,
            }),
            None => Err(Error::NoService),
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
        pin(&self.map_path(name), |path| map.pin(path))
    }

    /// Removes everything, so that the kernel frees what nothing else uses.
    pub fn remove(self) -> Result<()> {
        remove_directory(&self.directory)
    }
}

/// The process that holds the lock of a service; `None`: none does.
pub(super) fn lock_owner(directory: &Path) -> Option<u32> {
    let found = open_directory(directory).ok()??.metadata().ok()?;
    // "1: FLOCK  ADVISORY  WRITE 1234 00:1f:567 0 EOF": the process, then device and inode.
    let (device, inode) = (found.dev(), found.ino());
    let place = format!("{:02x}:{:02x}:{inode}", major(device), minor(device));
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let mut locks = locks.lines().map(|line| line.split_whitespace());
    locks.find_map(|mut fields| {
        let is_lock = fields.nth(1) == Some("FLOCK");
        let pid = fields.nth(2)?.parse().ok()?;
        (is_lock && fields.next() == Some(&place)).then_some(pid)
    })
}

fn failed(verb: &str, path: &Path, error: io::Error) -> Error {
    Error::io(format!("{verb} {}", path.display()), error)
}

/// Pins something in the place of what was pinned there before.
pub(crate) fn pin(path: &Path, pin: impl FnOnce(&Path) -> libbpf_rs::Result<()>) -> Result<()> {
    remove_file(path)?;
    pin(path).map_err(|error| Error::refused(format!("pinning {}", path.display()), error))
}

/// Makes a directory of pins in a BPF file system, and opens it.
pub(crate) fn prepare(directory: &Path) -> Result<File> {
    let parent = directory.parent().unwrap_or(directory);
    let is_bpffs = statfs(parent).is_ok_and(|found| found.filesystem_type() == BPF_FS_MAGIC);
    if !is_bpffs {
        return Err(Error::NoBpffs {
            path: parent.to_owned(),
        });
    }
    check_parent(parent)?;
    make(directory)
}

/// Makes a directory if it does not exist, and opens it. Only root may enter it, whatever the
/// umask.
pub(super) fn make(directory: &Path) -> Result<File> {
    match DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(failed("make", directory, error));
        }
        _ => {}
    }
    let opened = open_directory(directory)?;
    let opened = opened.ok_or_else(|| failed("open", directory, io::ErrorKind::NotFound.into()))?;
    // An earlier version made it with the rights that the umask left.
    opened
        .set_permissions(Permissions::from_mode(0o700))
        .map_err(|error| failed("set the rights of", directory, error))?;
    Ok(opened)
}

/// Opens a directory of pins without following a link; `None` if it does not exist. Whatever is in
/// it was put there by root, because nobody else can write to it.
pub(crate) fn open_directory(directory: &Path) -> Result<Option<File>> {
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(O_DIRECTORY | O_NOFOLLOW)
        .open(directory);
    let opened = match opened {
        Ok(opened) => opened,
        Err(error) => {
            return match error.raw_os_error() {
                Some(ENOENT) => Ok(None),
                Some(ENOTDIR | ELOOP) => Err(foreign(directory, "is no directory")),
                _ => Err(failed("open", directory, error)),
            }
        }
    };
    let found = opened
        .metadata()
        .map_err(|error| failed("look at", directory, error))?;
    check_owner(directory, &found)?;
    match found.mode() & WRITABLE_BY_OTHERS {
        0 => Ok(Some(opened)),
        _ => Err(foreign(
            directory,
            "can be changed by others than its owner",
        )),
    }
}

/// Nobody but root can put another directory in the place of one that is in this one.
fn check_parent(parent: &Path) -> Result<()> {
    let found = fs::metadata(parent).map_err(|error| failed("look at", parent, error))?;
    check_owner(parent, &found)?;
    let is_writable = found.mode() & WRITABLE_BY_OTHERS != 0;
    match is_writable && found.mode() & STICKY == 0 {
        false => Ok(()),
        true => Err(foreign(parent, "can be changed by others than its owner")),
    }
}

/// Root made it, or the user as whom this process runs.
fn check_owner(path: &Path, found: &Metadata) -> Result<()> {
    let owner = found.uid();
    if owner == 0 || owner == nix::unistd::geteuid().as_raw() {
        return Ok(());
    }
    Err(foreign(path, &format!("belongs to user {owner}")))
}

fn foreign(path: &Path, fault: &str) -> Error {
    Error::ForeignPins {
        path: path.to_owned(),
        fault: fault.to_owned(),
    }
}

/// Removes a pin if it exists.
pub(super) fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path, error)),
        _ => Ok(()),
    }
}

/// Removes a directory with its pins, if it exists. It follows no link, and removes nothing that
/// root has not pinned.
pub(crate) fn remove_directory(directory: &Path) -> Result<()> {
    if open_directory(directory)?.is_none() {
        return Ok(());
    }
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let found = entry
            .metadata()
            .map_err(|error| failed("look at", &path, error))?;
        if found.is_dir() {
            remove_directory(&path)?;
        } else if found.is_file() {
            check_owner(&path, &found)?;
            remove_file(&path)?;
        } else {
            return Err(foreign(&path, "is neither a pin nor a directory"));
        }
    }
    fs::remove_dir(directory).map_err(|error| failed("remove", directory, error))
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

#[cfg(test)]
mod tests {
    use super::*;
    use nix::unistd::{geteuid, Uid};
    use std::os::unix::fs::symlink;

    /// A directory of pins, and one of somebody else with a file. Not in a BPF file system: what is
    /// tested here is the same in all.
    struct Folders {
        all: PathBuf,
        pins: PathBuf,
        other: PathBuf,
    }

    impl Folders {
        fn new(test: &str) -> Folders {
            let all = std::env::temp_dir().join(format!("onramp-{test}-{}", std::process::id()));
            let (pins, other) = (all.join("onramp"), all.join("other"));
            fs::create_dir_all(&other).unwrap();
            fs::write(other.join("file"), "precious").unwrap();
            make(&pins).unwrap();
            make(&pins.join("maps")).unwrap();
            Folders { all, pins, other }
        }

        #[track_caller]
        fn removal_is_refused(&self) {
            let error = remove_directory(&self.pins).unwrap_err();
            assert!(matches!(error, Error::ForeignPins { .. }), "{error}");
            assert_eq!(fs::read(self.other.join("file")).unwrap(), b"precious");
        }
    }

    impl Drop for Folders {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.all);
        }
    }

    #[test]
    fn pins_are_removed_with_their_directories() {
        let folders = Folders::new("removed");
        fs::write(folders.pins.join("maps/tags"), "").unwrap();
        remove_directory(&folders.pins).unwrap();
        assert!(!folders.pins.exists());
        remove_directory(&folders.pins).unwrap();
    }

    #[test]
    fn a_link_among_the_pins_is_not_followed() {
        let folders = Folders::new("link");
        symlink(&folders.other, folders.pins.join("maps/planted")).unwrap();
        folders.removal_is_refused();
    }

    #[test]
    fn a_link_in_the_place_of_the_directory_is_refused() {
        let folders = Folders::new("place");
        fs::remove_dir_all(&folders.pins).unwrap();
        symlink(&folders.other, &folders.pins).unwrap();
        assert!(matches!(
            make(&folders.pins),
            Err(Error::ForeignPins { .. })
        ));
        assert!(matches!(
            Pins::open(&folders.pins),
            Err(Error::ForeignPins { .. })
        ));
        folders.removal_is_refused();
    }

    #[test]
    fn a_directory_that_others_can_change_is_refused() {
        let folders = Folders::new("writable");
        fs::set_permissions(&folders.pins, Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(
            make(&folders.pins),
            Err(Error::ForeignPins { .. })
        ));
        folders.removal_is_refused();
        // A directory of all users, where only owners may rename, is good enough as the parent.
        fs::set_permissions(&folders.all, Permissions::from_mode(0o1777)).unwrap();
        check_parent(&folders.all).unwrap();
        fs::set_permissions(&folders.all, Permissions::from_mode(0o777)).unwrap();
        assert!(check_parent(&folders.all).is_err());
    }

    #[test]
    fn a_directory_of_another_user_is_refused() {
        if !geteuid().is_root() {
            return; // Only root can give it to somebody else.
        }
        let folders = Folders::new("owner");
        let nobody = Uid::from_raw(65534);
        nix::unistd::chown(&folders.pins, Some(nobody), None).unwrap();
        let error = make(&folders.pins).unwrap_err();
        assert!(error.to_string().contains("belongs to user 65534"));
        folders.removal_is_refused();
        assert!(folders.pins.join("maps").is_dir());
    }
}
