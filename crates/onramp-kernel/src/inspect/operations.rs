//! The struct_ops maps of Onramp in this kernel: a map holds a `tcp_congestion_ops`, registered or
//! not.

use crate::object::only_value;
use libbpf_rs::query::{LinkInfoIter, LinkTypeInfo, MapInfoIter};
use libbpf_rs::{MapHandle, MapType};
use std::collections::BTreeSet;

/// A `tcp_congestion_ops` in a BPF map.
pub(super) struct Operations {
    /// Id of the map.
    pub map: u32,
    /// Id of the BTF of the object that it was loaded with. Programs and maps of one object share
    /// it, and no other object has it.
    pub object: u32,
    /// Sockets can choose it.
    pub registered: bool,
}

/// Those that were loaded with one of these objects.
///
/// An object's BTF tells which map belongs to which programs. The map's members would tell it too,
/// but their offsets are in the kernel's BTF, which takes tens of milliseconds to read.
pub(super) fn operations(objects: &BTreeSet<u32>) -> Vec<Operations> {
    /// Offset of bpf_struct_ops_common_value.state, in all kernels that have struct_ops.
    const STATE_OFFSET: usize = 4;
    /// The state if it is registered without a link. With a link, only the link shows it.
    const STATE_IN_USE: u32 = 1;
    let linked: BTreeSet<u32> = LinkInfoIter::default()
        .filter_map(|link| match link.info {
            LinkTypeInfo::StructOps(link) => Some(link.map_id),
            _ => None,
        })
        .collect();
    let is_in_use = |value: &[u8]| {
        value.get(STATE_OFFSET..STATE_OFFSET + 4) == Some(&STATE_IN_USE.to_ne_bytes())
    };
    MapInfoIter::default()
        .filter(|info| info.ty == MapType::StructOps && objects.contains(&info.btf_id))
        .filter_map(|info| {
            let value = only_value(&MapHandle::from_map_id(info.id).ok()?)?;
            Some(Operations {
                map: info.id,
                object: info.btf_id,
                registered: is_in_use(&value) || linked.contains(&info.id),
            })
        })
        .collect()
}
