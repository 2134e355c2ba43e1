//! A BPF program that watches the sockets of a cgroup's processes.

use crate::registration::with_log;
use crate::{Error, Result};
use libbpf_rs::{Link, Object, ObjectBuilder, OpenMapMut};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

/// Loads an object's one program and attaches it to a cgroup's directory; `set_up` sees each of its maps before. It lasts
/// as long as the link. `what` begins the sentence of a refusal: "watching the connections of".
pub(crate) fn attach(
    object: &[u8],
    cgroup: &Path,
    what: &str,
    set_up: impl Fn(&mut OpenMapMut<'_>) -> libbpf_rs::Result<()>,
) -> Result<(Object, Link)> {
    let directory =
        File::open(cgroup).map_err(|error| Error::io(format!("open the cgroup {}", cgroup.display()), error))?;
    let (result, log) = with_log(|| {
        let mut open = ObjectBuilder::default().open_memory(object)?;
        for mut map in open.maps_mut() {
            set_up(&mut map)?;
        }
        let object = open.load()?;
        let program = object.progs_mut().next().expect("the object has a program");
        let link = program.attach_cgroup(directory.as_raw_fd())?;
        Ok((object, link))
    });
    result.map_err(|error| Error::Refused {
        what: format!("{what} {}", cgroup.display()),
        cause: error.to_string(),
        log,
    })
}
