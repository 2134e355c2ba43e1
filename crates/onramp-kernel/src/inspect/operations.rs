//! The struct_ops maps of Onramp in this kernel: a map holds a `tcp_congestion_ops`, registered or
//! not.

use crate::object::only_bytes;
use crate::probe::Btf;
use crate::records::{name_text, Name, Plain};
use libbpf_rs::btf::types::{MemberAttr, Struct};
use libbpf_rs::query::{LinkInfoIter, LinkTypeInfo, MapInfoIter};
use libbpf_rs::{MapHandle, MapType};
use std::collections::{BTreeMap, BTreeSet};

/// A `tcp_congestion_ops` in a BPF map.
pub(super) struct Operations {
    /// Id of the map.
    pub map: u32,
    /// Id of the BTF of the object that it was loaded with. Programs and maps of one object share
    /// it, and no other object has it.
    pub object: u32,
    /// Sockets can choose it.
    pub registered: bool,
    /// Sockets and network namespaces that use it.
    pub references: u64,
    /// Id of the link that registers it, if one does.
    pub link: Option<u32>,
    /// All of the map.
    value: Vec<u8>,
}

impl Operations {
    /// The name that sockets choose, for an object of another version, whose configuration does not
    /// tell it. Its place is in the kernel's BTF.
    pub fn name(&self, btf: &Btf<'_>) -> Option<String> {
        let offset = |of: &str, member: &str| {
            let members = btf.type_by_name::<Struct<'_>>(of)?;
            let mut members = members.iter();
            let found = members.find(|found| found.name.is_some_and(|name| name == member))?;
            match found.attr {
                MemberAttr::Normal { offset } => Some(offset as usize / 8),
                MemberAttr::BitField { .. } => None,
            }
        };
        let at = offset("bpf_struct_ops_tcp_congestion_ops", "data")?
            + offset("tcp_congestion_ops", "name")?;
        Name::from_bytes(self.value.get(at..)?).map(|name| name_text(&name))
    }
}

/// Those that were loaded with one of these objects.
///
/// An object's BTF tells which map belongs to which programs. The map's members would tell it too,
/// but their offsets are in the kernel's BTF, which takes tens of milliseconds to read.
pub(super) fn operations(objects: &BTreeSet<u32>) -> Vec<Operations> {
    /// Offsets of refcnt and state in struct bpf_struct_ops_common_value, in all kernels that have
    /// struct_ops.
    const REFERENCES_OFFSET: usize = 0;
    const STATE_OFFSET: usize = 4;
    /// The state if it is registered without a link. With a link, only the link shows it.
    const STATE_IN_USE: u32 = 1;
    let links: BTreeMap<u32, u32> = LinkInfoIter::default()
        .filter_map(|link| match link.info {
            LinkTypeInfo::StructOps(of) => Some((of.map_id, link.id)),
            _ => None,
        })
        .collect();
    let number = |value: &[u8], at: usize| {
        let bytes = value.get(at..at + 4);
        bytes.map(|bytes| u32::from_ne_bytes(bytes.try_into().expect("4 bytes")))
    };
    MapInfoIter::default()
        .filter(|info| info.ty == MapType::StructOps && objects.contains(&info.btf_id))
        .filter_map(|info| {
            let value = only_bytes(&MapHandle::from_map_id(info.id).ok()?)?;
            let link = links.get(&info.id).copied();
            let registered = number(&value, STATE_OFFSET)? == STATE_IN_USE || link.is_some();
            let references = number(&value, REFERENCES_OFFSET)?;
            Some(Operations {
                map: info.id,
                object: info.btf_id,
                registered,
                // The registration itself holds one.
                references: u64::from(references).saturating_sub(u64::from(registered)),
                link,
                value,
            })
        })
        .collect()
}
