//! The sockets that use a congestion control, read by a BPF iterator (`bpf/connections.bpf.c`).

use crate::namespaces::{in_each, network_namespaces, Search};
use crate::object::{read_iterator, with_log};
use crate::records::Plain;
use crate::{Error, Result};
use libbpf_rs::{ErrorKind, IterOpts, MapHandle, Object, ObjectBuilder};
use onramp_bpf::bindings::{maps, programs, Socket};
use std::os::fd::AsFd;

/// The operation, for an error.
const LISTING: &str = "listing connections";

/// Reads sockets with the iterator, which is loaded when it is first needed: loading it takes some
/// ten milliseconds.
#[derive(Default)]
pub(super) struct Sockets {
    without_pairs: Option<Object>,
    /// This kernel refuses iterators over the elements of a map.
    refuses_elements: bool,
}

impl Sockets {
    /// The sockets that have an element in the socket-storage map of a start-up's connections, with
    /// their elements in the map of packet pairs.
    pub fn read(&mut self, connections_map: u32, pairs_map: Option<u32>) -> Result<Vec<Socket>> {
        let Ok(map) = MapHandle::from_map_id(connections_map) else {
            return Ok(Vec::new()); // The last connection closed in the meantime.
        };
        let bytes = match self.refuses_elements {
            true => in_namespaces(&map, pairs_map)?,
            false => match with_log(|| self.elements(&map, pairs_map)) {
                Ok(bytes) => bytes,
                Err(failed) if failed.error.kind() == ErrorKind::PermissionDenied => {
                    self.refuses_elements = true;
                    in_namespaces(&map, pairs_map)?
                }
                Err(failed) => return Err(failed.refused(LISTING)),
            },
        };
        Ok(bytes
            .chunks_exact(size_of::<Socket>())
            .filter_map(Socket::from_bytes)
            .collect())
    }

    /// The rows of a map's elements: the sockets of all network namespaces.
    fn elements(&mut self, map: &MapHandle, pairs_map: Option<u32>) -> libbpf_rs::Result<Vec<u8>> {
        let rows_of = |object: &Object| read_iterator(&program(object).attach_iter(map.as_fd())?);
        match (pairs_map, &self.without_pairs) {
            (Some(_), _) => rows_of(&load(programs::LIST, None, pairs_map)?),
            (None, Some(object)) => rows_of(object),
            (None, None) => rows_of(self.without_pairs.insert(load(programs::LIST, None, None)?)),
        }
    }
}

/// The same rows from the TCP sockets of each network namespace that this process can enter.
fn in_namespaces(map: &MapHandle, pairs_map: Option<u32>) -> Result<Vec<u8>> {
    let object = with_log(|| load(programs::LIST_TCP, Some(map), pairs_map));
    let object = object.map_err(|failed| failed.refused(LISTING))?;
    let namespaces = network_namespaces(Search::Thorough)?;
    let results = in_each(&namespaces, |_, _| {
        let of_namespace =
            || read_iterator(&program(&object).attach_iter_with_opts(IterOpts::None)?);
        with_log(of_namespace).map_err(|failed| failed.refused(LISTING))
    });
    let mut all = Vec::new();
    for (namespace, result) in results {
        match result {
            Ok(rows) => all.extend(rows),
            // This process may not enter it, or it has gone.
            Err(Error::Io { .. }) if !namespace.is_own => {}
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

/// Loads one program of the iterator, for the sockets of one map of packet pairs.
fn load(
    program: &str,
    connections: Option<&MapHandle>,
    pairs_map: Option<u32>,
) -> libbpf_rs::Result<Object> {
    let mut open = ObjectBuilder::default().open_memory(onramp_bpf::CONNECTIONS)?;
    for mut other in open.progs_mut().filter(|other| other.name() != program) {
        other.set_autoload(false);
    }
    let pairs = pairs_map.map(MapHandle::from_map_id).transpose()?;
    for mut map in open.maps_mut() {
        let used = match map.name() {
            name if name == maps::PAIRS => pairs.as_ref(),
            name if name == maps::CONNS => connections,
            _ => None,
        };
        if let Some(used) = used {
            map.reuse_fd(used.as_fd())?;
        }
    }
    open.load()
}

fn program(object: &Object) -> libbpf_rs::ProgramMut<'_> {
    let mut loaded = object.progs_mut().filter(|program| program.autoload());
    loaded.next().expect("one program is loaded")
}
