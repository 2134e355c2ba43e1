//! Putting the connections of a cgroup on a congestion control.

use super::attach::{link, load, WATCHING};
use crate::object::adopted_and_refused;
use crate::records::name_bytes;
use crate::Result;
use libbpf_rs::{Link, Object};
use onramp_bpf::bindings::maps;
use std::path::Path;

/// While it lives, every TCP connection that a cgroup's processes open or accept uses a congestion
/// control. The programs need no change.
pub struct Adoption {
    _links: Vec<Link>,
    object: Object,
}

impl Adoption {
    /// Attaches to a cgroup's directory.
    ///
    /// # Errors
    /// The directory cannot be opened, or the kernel's refusal.
    pub fn new(cgroup: &Path, congestion_control: &str) -> Result<Adoption> {
        let (object, links) = load(
            onramp_bpf::ADOPT,
            cgroup,
            WATCHING,
            |_| true,
            |map| match map.name() == maps::RODATA_ADOPT {
                true => map.set_initial_value(&name_bytes(congestion_control)),
                false => Ok(()),
            },
            link,
        )?;
        Ok(Adoption {
            _links: links,
            object,
        })
    }

    /// How many connections were adopted, and how many refused the congestion control.
    pub fn counts(&self) -> (u64, u64) {
        adopted_and_refused(&self.object)
    }
}
