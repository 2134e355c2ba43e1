//! The sockets that use a congestion control, read by a BPF iterator (`bpf/connections.bpf.c`).

use crate::object::with_log;
use crate::records::Plain;
use crate::{Error, Result};
use libbpf_rs::{Iter, MapHandle, Object, ObjectBuilder};
use onramp_bpf::bindings::{maps, Socket};
use std::io::Read;
use std::os::fd::AsFd;

/// Reads sockets with the iterator, which is loaded when it is first needed: loading it takes some
/// ten milliseconds.
#[derive(Default)]
pub(super) struct Sockets {
    without_pairs: Option<Object>,
}

impl Sockets {
    /// The sockets that have an element in the socket-storage map of a start-up's connections, with
    /// their elements in the map of packet pairs.
    pub fn read(&mut self, connections_map: u32, pairs_map: Option<u32>) -> Result<Vec<Socket>> {
        let Ok(map) = MapHandle::from_map_id(connections_map) else {
            return Ok(Vec::new()); // The last connection closed in the meantime.
        };
        let (result, log) = with_log(|| match (pairs_map, &self.without_pairs) {
            (Some(pairs), _) => rows(&load(Some(pairs))?, &map),
            (None, Some(object)) => rows(object, &map),
            (None, None) => rows(self.without_pairs.insert(load(None)?), &map),
        });
        let bytes = result.map_err(|error| Error::Refused {
            what: "listing connections".to_owned(),
            cause: error.to_string(),
            log,
        })?;
        Ok(bytes
            .chunks_exact(size_of::<Socket>())
            .filter_map(Socket::from_bytes)
            .collect())
    }
}

/// Loads the iterator, for the sockets of one map of packet pairs.
fn load(pairs_map: Option<u32>) -> libbpf_rs::Result<Object> {
    let mut open = ObjectBuilder::default().open_memory(onramp_bpf::CONNECTIONS)?;
    if let Some(pairs) = pairs_map {
        let pairs = MapHandle::from_map_id(pairs)?;
        open.maps_mut()
            .filter(|map| map.name() == maps::PAIRS)
            .try_for_each(|mut map| map.reuse_fd(pairs.as_fd()))?;
    }
    open.load()
}

/// What the iterator writes for a map of connections.
fn rows(object: &Object, map: &MapHandle) -> libbpf_rs::Result<Vec<u8>> {
    let program = object
        .progs_mut()
        .next()
        .expect("connections.bpf.c has a program");
    let link = program.attach_iter(map.as_fd())?;
    let mut bytes = Vec::new();
    Iter::new(&link)?
        .read_to_end(&mut bytes)
        .map_err(libbpf_rs::Error::from)?;
    Ok(bytes)
}
