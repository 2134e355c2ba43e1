//! Where the cgroup v2 hierarchy is, and what is in it.

use crate::process::read_text;
use crate::{Error, Result};
use nix::libc;
use std::collections::HashMap;
use std::fs::{self, File};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The mount point of the cgroup v2 hierarchy. If the hierarchy is not mounted (`ip netns exec`
/// hides it, for example), this process mounts it where nobody else sees it.
///
/// # Errors
/// [`Error::NoCgroup`] if the kernel does not have it.
pub fn cgroup2_mount() -> Result<PathBuf> {
    match mounted()? {
        Some((_, path)) => Ok(path),
        None => detached_path(),
    }
}

/// Which cgroup is at the first mount point of the hierarchy, and that mount point.
fn mounted() -> Result<Option<(String, PathBuf)>> {
    let text = read_text("/proc/self/mountinfo")?;
    // "36 35 98:0 / /sys/fs/cgroup rw,... shared:1 - cgroup2 cgroup2 rw,..."; a space in a path is
    // written as \040.
    Ok(text.lines().find_map(|line| {
        let (mount, kind) = line.split_once(" - ")?;
        let is_cgroup2 = kind.split_whitespace().next() == Some("cgroup2");
        let mut fields = mount.split(' ').skip(3);
        let (root, path) = (fields.next()?, fields.next()?);
        is_cgroup2.then(|| (root.to_owned(), PathBuf::from(path.replace("\\040", " "))))
    }))
}

/// The path of [`detached_mount`], for this process alone.
fn detached_path() -> Result<PathBuf> {
    let mount = detached_mount()?;
    Ok(PathBuf::from(format!(
        "/proc/self/fd/{}",
        mount.as_raw_fd()
    )))
}

/// A cgroup v2 mount without a place in the file tree. It lasts as long as this process.
fn detached_mount() -> Result<&'static OwnedFd> {
    static MOUNT: OnceLock<Option<OwnedFd>> = OnceLock::new();
    const FSOPEN_CLOEXEC: libc::c_uint = 1;
    const FSMOUNT_CLOEXEC: libc::c_uint = 1;
    const FSCONFIG_CMD_CREATE: libc::c_uint = 6;
    let mount = MOUNT.get_or_init(|| {
        let null = std::ptr::null::<libc::c_char>();
        // SAFETY: the arguments are those of the manual pages; nobody else owns a descriptor that a
        // call returns.
        unsafe {
            let context = owned(libc::syscall(
                libc::SYS_fsopen,
                c"cgroup2".as_ptr(),
                FSOPEN_CLOEXEC,
            ))?;
            let raw = context.as_raw_fd();
            if libc::syscall(libc::SYS_fsconfig, raw, FSCONFIG_CMD_CREATE, null, null, 0) != 0 {
                return None;
            }
            owned(libc::syscall(libc::SYS_fsmount, raw, FSMOUNT_CLOEXEC, 0))
        }
    });
    mount.as_ref().ok_or(Error::NoCgroup)
}

/// The descriptor that a system call returned; `None` if it returned an error.
///
/// # Safety
/// Nobody else owns the descriptor.
unsafe fn owned(result: libc::c_long) -> Option<OwnedFd> {
    let descriptor = i32::try_from(result)
        .ok()
        .filter(|&descriptor| descriptor >= 0)?;
    // SAFETY: the caller's promise.
    Some(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// This process's own cgroup in the v2 hierarchy.
///
/// # Errors
/// [`Error::NoCgroup`], or /proc cannot be read.
pub fn own_cgroup() -> Result<PathBuf> {
    let mount = match mounted()? {
        // In a cgroup namespace of its own a process may move to cgroups of that namespace only,
        // and what is mounted is one above them. A new mount has those of the namespace.
        Some((root, _)) if root.starts_with("/..") => detached_path()?,
        _ => cgroup2_mount()?,
    };
    let text = read_text("/proc/self/cgroup")?;
    let own = text
        .lines()
        .find_map(|line| line.strip_prefix("0::"))
        .ok_or(Error::NoCgroup)?;
    let path = mount.join(own.trim_start_matches('/'));
    // Without a cgroup namespace of its own a process can be in a cgroup that is not mounted here.
    Ok(if path.is_dir() { path } else { mount })
}

/// Opens a cgroup's directory.
pub(crate) fn open(cgroup: &Path) -> Result<File> {
    File::open(cgroup)
        .map_err(|error| Error::io(format!("open the cgroup {}", cgroup.display()), error))
}

/// A cgroup's id, which is the inode number of its directory.
///
/// # Errors
/// [`Error::NotACgroup`]
pub(crate) fn cgroup_id(path: &Path) -> Result<u64> {
    let mount = cgroup2_mount()?;
    let (directory, root) = (fs::metadata(path), fs::metadata(&mount));
    match (directory, root) {
        (Ok(directory), Ok(root)) if directory.is_dir() && directory.dev() == root.dev() => {
            Ok(directory.ino())
        }
        _ => Err(Error::NotACgroup {
            path: path.to_owned(),
            mount,
        }),
    }
}

/// Every cgroup, by its id.
pub(crate) fn all_cgroups() -> Result<HashMap<u64, PathBuf>> {
    let root = cgroup2_mount()?;
    let mut all = HashMap::from([(cgroup_id(&root)?, root.clone())]);
    let mut left = vec![root];
    while let Some(path) = left.pop() {
        let entries = fs::read_dir(&path).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            all.insert(entry.ino(), entry.path());
            left.push(entry.path());
        }
    }
    Ok(all)
}
