//! The TCP option of packet pairs, on the connections of a cgroup: what the start-up `pair` needs at both ends.

use crate::inspect::loaded;
use crate::registration::with_log;
use crate::shared::PAIRS_MAP;
use crate::{Error, Result};
use libbpf_rs::{Link, MapHandle, Object, ObjectBuilder};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;

const PAIR_PROGRAM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/pair.o"));
const PAIR_CONFIG_MAP: &str = ".rodata.pair";

/// While it lives, the TCP connections that a cgroup's processes open or accept offer their peers the option, and those
/// whose peers know it exchange pairs where their start-up asks for them.
///
/// To be attached before an [`crate::Adoption`] of the same cgroup: the start-up looks for it when it starts.
pub struct PairOption {
    _link: Link,
    _object: Object,
}

impl PairOption {
    /// Attach to a cgroup's directory, for connections that use a congestion control, in these network namespaces
    /// (cookies, as SO_NETNS_COOKIE says them; none: in all). `None` if its start-up sends no pairs.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn new(cgroup: &Path, congestion_control: &str, namespaces: Option<[u64; 2]>) -> Result<Option<PairOption>> {
        let of_it = |loaded: &crate::Loaded| loaded.registered && loaded.name == congestion_control;
        let Some(map) = loaded()?.into_iter().find(of_it).and_then(|loaded| loaded.pairs_map) else {
            return Ok(None);
        };
        let directory =
            File::open(cgroup).map_err(|error| Error::io(format!("open the cgroup {}", cgroup.display()), error))?;
        let config: Vec<u8> = namespaces.unwrap_or_default().iter().flat_map(|cookie| cookie.to_ne_bytes()).collect();
        let (result, log) = with_log(|| {
            let pairs = MapHandle::from_map_id(map)?;
            let mut open = ObjectBuilder::default().open_memory(PAIR_PROGRAM)?;
            for mut map in open.maps_mut() {
                if map.name() == PAIR_CONFIG_MAP {
                    map.set_initial_value(&config)?;
                } else if map.name() == PAIRS_MAP {
                    map.reuse_fd(pairs.as_fd())?;
                }
            }
            let object = open.load()?;
            let program = object.progs_mut().next().expect("pair.bpf.c has a program");
            let link = program.attach_cgroup(directory.as_raw_fd())?;
            Ok((object, link))
        });
        let (object, link) = result.map_err(|error| Error::Refused {
            what: format!("putting packet pairs on the connections of {}", cgroup.display()),
            cause: error.to_string(),
            log,
        })?;
        Ok(Some(PairOption { _link: link, _object: object }))
    }
}
