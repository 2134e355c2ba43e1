//! BPF programs that watch the sockets of a cgroup's processes.

use crate::registration::with_log;
use crate::{Error, Result};
use libbpf_rs::{Link, Object, ObjectBuilder, OpenMapMut};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

/// Opens a cgroup's directory.
pub(crate) fn open(cgroup: &Path) -> Result<File> {
    File::open(cgroup)
        .map_err(|error| Error::io(format!("open the cgroup {}", cgroup.display()), error))
}

/// Loads an object's programs, those that are `wanted` by their names, and attaches them to a
/// cgroup's directory by `attach`; `set_up` sees each of its maps before. `what` begins the
/// sentence of a refusal: "watching the connections of".
pub(crate) fn load<T>(
    object: &[u8],
    cgroup: &Path,
    what: &str,
    wanted: impl Fn(&str) -> bool,
    set_up: impl Fn(&mut OpenMapMut<'_>) -> libbpf_rs::Result<()>,
    attach: impl Fn(&mut Object, i32) -> libbpf_rs::Result<T>,
) -> Result<(Object, T)> {
    let directory = open(cgroup)?;
    let (result, log) = with_log(|| {
        let mut open = ObjectBuilder::default().open_memory(object)?;
        for mut program in open.progs_mut() {
            let is_wanted = wanted(&program.name().to_string_lossy());
            program.set_autoload(is_wanted);
        }
        for mut map in open.maps_mut() {
            set_up(&mut map)?;
        }
        let mut object = open.load()?;
        let attached = attach(&mut object, directory.as_raw_fd())?;
        Ok((object, attached))
    });
    result.map_err(|error| Error::Refused {
        what: format!("{what} {}", cgroup.display()),
        cause: error.to_string(),
        log,
    })
}

/// Attaches an object's programs for as long as the links live.
pub(crate) fn link(object: &mut Object, cgroup: i32) -> libbpf_rs::Result<Vec<Link>> {
    object
        .progs_mut()
        .filter(|program| program.autoload())
        .map(|program| program.attach_cgroup(cgroup))
        .collect()
}
