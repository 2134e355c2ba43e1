//! Putting the connections of a cgroup on a congestion control.

use super::attach::{link, load, WATCHING};
use crate::object::adopted_and_refused;
use crate::records::{name_chars, Plain};
use crate::{Result, Timers};
use libbpf_rs::{Link, Object};
use onramp_bpf::bindings::{maps, Adopt};
use std::path::Path;

/// While it lives, every TCP connection that a cgroup's processes open or accept uses a congestion
/// control. The programs need no change.
pub struct Adoption {
    _links: Vec<Link>,
    object: Object,
}

impl Adoption {
    /// Attaches to a cgroup's directory. `timers` are those of the congestion control; its own
    /// program can set them only after the handshake.
    ///
    /// # Errors
    /// The directory cannot be opened, or the kernel's refusal.
    pub fn new(cgroup: &Path, congestion_control: &str, timers: Timers) -> Result<Adoption> {
        let adopt = Adopt {
            congestion_control: name_chars(congestion_control),
            timers: timers.record(),
        };
        let (object, links) = load(
            onramp_bpf::ADOPT,
            cgroup,
            WATCHING,
            |_| true,
            |map| match map.name() == maps::RODATA_ADOPT {
                true => map.set_initial_value(adopt.as_bytes()),
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
