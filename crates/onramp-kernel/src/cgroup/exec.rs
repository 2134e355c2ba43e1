//! A cgroup for one program that this process starts.

use super::hierarchy::own_cgroup;
use crate::{process, Error, Result};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A cgroup made here is named after its owner: this, its PID, `-`, and its start in clock ticks.
const DIRECTORY_PREFIX: &str = "onramp-exec-";

/// How long to try to remove a cgroup: after its last process was reaped, the kernel may need a
/// moment.
const REMOVAL_TIMEOUT: Duration = Duration::from_secs(1);

/// A cgroup for one program and its descendants, below this process's own cgroup. Dropping it
/// removes it if its processes have ended.
///
/// If this process is itself in an [`ExecCgroup`], the new one is made beside that one, not in it,
/// so that the innermost choice of a start-up holds.
pub struct ExecCgroup {
    path: PathBuf,
}

impl ExecCgroup {
    /// Makes one, and removes those that killed processes left behind.
    ///
    /// # Errors
    /// [`Error::NoCgroup`], or the hierarchy cannot be written.
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

    /// The file to which a process writes `0` to join the cgroup.
    pub fn procs(&self) -> PathBuf {
        self.path.join("cgroup.procs")
    }

    /// The PIDs of the processes in it now.
    pub fn processes(&self) -> Vec<i32> {
        let text = fs::read_to_string(self.procs()).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).collect()
    }
}

impl Drop for ExecCgroup {
    fn drop(&mut self) {
        let deadline = Instant::now() + REMOVAL_TIMEOUT;
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

/// Removes the empty cgroups of owners that have ended.
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
            // This fails while processes still run in it. They are left alone.
            let _ = fs::remove_dir(entry.path());
        }
    }
}
