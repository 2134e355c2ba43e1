//! Programs that watch the sockets of a cgroup's processes.

use super::hierarchy::open;
use crate::object::with_log;
use crate::Result;
use libbpf_rs::{Link, Object, ObjectBuilder, OpenMapMut};
use std::os::fd::AsRawFd;
use std::path::Path;

/// The task of most programs, for the sentence of a refusal.
pub(crate) const WATCHING: &str = "watching the connections of";

/// Loads those of an object's programs that `is_wanted` selects by name, and attaches them with
/// `attach`, which gets the descriptor of the cgroup's directory. `set_up` sees each map before the
/// object is loaded. `task` begins the sentence of a refusal; see [`WATCHING`].
pub(crate) fn load<T>(
    object: &[u8],
    cgroup: &Path,
    task: &str,
    is_wanted: impl Fn(&str) -> bool,
    set_up: impl Fn(&mut OpenMapMut<'_>) -> libbpf_rs::Result<()>,
    attach: impl Fn(&mut Object, i32) -> libbpf_rs::Result<T>,
) -> Result<(Object, T)> {
    let directory = open(cgroup)?;
    let loaded = with_log(|| {
        let mut open = ObjectBuilder::default().open_memory(object)?;
        for mut program in open.progs_mut() {
            let is_wanted = is_wanted(&program.name().to_string_lossy());
            program.set_autoload(is_wanted);
        }
        for mut map in open.maps_mut() {
            set_up(&mut map)?;
        }
        let mut object = open.load()?;
        let attached = attach(&mut object, directory.as_raw_fd())?;
        Ok((object, attached))
    });
    loaded.map_err(|failed| failed.refused(format!("{task} {}", cgroup.display())))
}

/// Attaches an object's programs to a cgroup for as long as the links live.
pub(crate) fn link(object: &mut Object, cgroup: i32) -> libbpf_rs::Result<Vec<Link>> {
    object
        .progs_mut()
        .filter(|program| program.autoload())
        .map(|program| program.attach_cgroup(cgroup))
        .collect()
}
