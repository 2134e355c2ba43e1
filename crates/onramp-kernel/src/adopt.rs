//! Putting the connections of programs that know nothing of it on a congestion control, through a
//! cgroup.

use crate::cgroup_program;
use crate::registration::only_value;
use crate::shared::name_bytes;
use crate::{process, Error, Result};
use libbpf_rs::{Link, MapCore, Object};
use nix::libc;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const ADOPT_MAP: &str = ".rodata.adopt";
const DIRECTORY_PREFIX: &str = "onramp-exec-";

/// Where the cgroup v2 hierarchy is to be found: as the mount table says or, where it is not
/// mounted (`ip netns exec` hides it, for example), a mount of this process's own that nobody else
/// sees.
///
/// # Errors
/// [`Error::NoCgroup`] if the kernel does not have it.
pub fn cgroup2_mount() -> Result<PathBuf> {
    let file = "/proc/self/mountinfo";
    let text =
        fs::read_to_string(file).map_err(|error| Error::io(format!("read {file}"), error))?;
    // "36 35 98:0 / /sys/fs/cgroup rw,... shared:1 - cgroup2 cgroup2 rw,..."; spaces in paths stand
    // as \040.
    let mounted = text.lines().find_map(|line| {
        let (mount, kind) = line.split_once(" - ")?;
        let is_cgroup2 = kind.split_whitespace().next() == Some("cgroup2");
        is_cgroup2.then(|| {
            mount
                .split(' ')
                .nth(4)
                .map(|path| PathBuf::from(path.replace("\\040", " ")))
        })?
    });
    match mounted {
        Some(path) => Ok(path),
        None => detached_mount()
            .map(|mount| PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd()))),
    }
}

/// A cgroup v2 mount without a place in the file tree; it lasts as long as this process.
fn detached_mount() -> Result<&'static OwnedFd> {
    static MOUNT: OnceLock<Option<OwnedFd>> = OnceLock::new();
    const FSOPEN_CLOEXEC: libc::c_uint = 1;
    const FSMOUNT_CLOEXEC: libc::c_uint = 1;
    const FSCONFIG_CMD_CREATE: libc::c_uint = 6;
    let mount = MOUNT.get_or_init(|| {
        let null = std::ptr::null::<libc::c_char>();
        // SAFETY: each call gets what its manual page says; a descriptor that succeeds is owned
        // here alone.
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

/// # Safety
/// A non-negative number is a descriptor that nobody else owns.
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
    let mount = cgroup2_mount()?;
    let file = "/proc/self/cgroup";
    let text =
        fs::read_to_string(file).map_err(|error| Error::io(format!("read {file}"), error))?;
    let own = text
        .lines()
        .find_map(|line| line.strip_prefix("0::"))
        .ok_or(Error::NoCgroup)?;
    let path = mount.join(own.trim_start_matches('/'));
    // Seen from another cgroup namespace, the path may not be under the mount.
    Ok(if path.is_dir() { path } else { mount })
}

/// A cgroup for one program and its descendants, below this process's own; removed when it is
/// dropped, as far as its processes have ended. Within another [`ExecCgroup`] it is made beside
/// that one, so that the innermost choice of a start-up holds.
pub struct ExecCgroup {
    path: PathBuf,
}

impl ExecCgroup {
    /// Make one, and remove those that killed processes left behind.
    ///
    /// # Errors
    /// No cgroup v2, or it cannot be written.
    pub fn create() -> Result<ExecCgroup> {
        let own = own_cgroup()?;
        let parent = own
            .ancestors()
            .find(|path| !is_ours(path))
            .ok_or(Error::NoCgroup)?;
        sweep(parent);
        let pid = std::process::id();
        let ticks = process::start_ticks(pid).unwrap_or(0);
        let path = parent.join(format!("{DIRECTORY_PREFIX}{pid}-{ticks}"));
        fs::create_dir(&path)
            .map_err(|error| Error::io(format!("create the cgroup {}", path.display()), error))?;
        Ok(ExecCgroup { path })
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file that a process joins by writing `0` to it.
    pub fn procs(&self) -> PathBuf {
        self.path.join("cgroup.procs")
    }

    /// The processes in it now.
    pub fn processes(&self) -> Vec<i32> {
        let text = fs::read_to_string(self.procs()).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).collect()
    }
}

impl Drop for ExecCgroup {
    fn drop(&mut self) {
        // The kernel may need a moment after the last process has been reaped.
        let deadline = Instant::now() + Duration::from_secs(1);
        while fs::remove_dir(&self.path)
            .is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy)
        {
            if Instant::now() > deadline || !self.processes().is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn is_ours(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with(DIRECTORY_PREFIX))
}

/// Remove the empty cgroups of `onramp exec` processes that are gone.
fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = name
            .strip_prefix(DIRECTORY_PREFIX)
            .and_then(|owner| owner.split_once('-'));
        let Some((pid, ticks)) =
            owner.and_then(|(pid, ticks)| Some((pid.parse().ok()?, ticks.parse().ok()?)))
        else {
            continue;
        };
        if !process::is_running(pid, ticks) {
            // Where it fails, programs still run in it; they are left alone.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The two counters of a program that puts connections on a congestion control.
pub(crate) fn counts(object: &Object) -> (u64, u64) {
    let counters = object
        .maps()
        .find(|map| map.name().to_string_lossy().ends_with(".bss"));
    let value = counters.and_then(|map| only_value(&map));
    let number = |at: usize| {
        let bytes = value.as_ref().and_then(|value| value.get(at..at + 8));
        bytes.map_or(0, |bytes| {
            u64::from_ne_bytes(bytes.try_into().expect("8 bytes"))
        })
    };
    (number(0), number(8))
}

/// While it lives, every TCP connection that a cgroup's processes open or accept uses a congestion
/// control.
pub struct Adoption {
    _links: Vec<Link>,
    object: Object,
}

/// What a refusal begins with.
pub(crate) const WATCHING: &str = "watching the connections of";

impl Adoption {
    /// Attach to a cgroup's directory.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn new(cgroup: &Path, congestion_control: &str) -> Result<Adoption> {
        let (object, links) = cgroup_program::load(
            onramp_bpf::ADOPT,
            cgroup,
            WATCHING,
            |_| true,
            |map| match map.name() == ADOPT_MAP {
                true => map.set_initial_value(&name_bytes(congestion_control)),
                false => Ok(()),
            },
            cgroup_program::link,
        )?;
        Ok(Adoption {
            _links: links,
            object,
        })
    }

    /// Connections that were adopted, and connections that refused to be.
    pub fn counts(&self) -> (u64, u64) {
        counts(&self.object)
    }
}
