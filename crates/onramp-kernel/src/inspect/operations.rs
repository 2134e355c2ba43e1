//! The struct_ops maps of this kernel: a map holds a `tcp_congestion_ops`, registered or not.

use crate::object::only_value;
use crate::probe;
use crate::{Error, Result};
use libbpf_rs::btf::types::{MemberAttr, Struct};
use libbpf_rs::btf::Btf;
use libbpf_rs::query::{LinkInfoIter, LinkTypeInfo, MapInfoIter};
use libbpf_rs::{MapHandle, MapType};

/// A `tcp_congestion_ops` in a BPF map.
pub(super) struct Operations {
    /// Id of the map.
    pub map: u32,
    /// Id of the program that implements `init`.
    pub init_program: u32,
    /// Sockets can choose it.
    pub registered: bool,
}

/// All of them in this kernel.
pub(super) fn operations() -> Result<Vec<Operations>> {
    /// Offset of bpf_struct_ops_common_value.state, in all kernels that have struct_ops.
    const STATE_OFFSET: usize = 4;
    /// The state if it is registered without a link. With a link, only the link shows it.
    const STATE_IN_USE: u32 = 1;
    let btf = probe::kernel_btf()?;
    let data = member_offset(&btf, "bpf_struct_ops_tcp_congestion_ops", "data")?;
    let init = data + member_offset(&btf, "tcp_congestion_ops", "init")?;
    let linked: Vec<u32> = LinkInfoIter::default()
        .filter_map(|link| match link.info {
            LinkTypeInfo::StructOps(link) => Some(link.map_id),
            _ => None,
        })
        .collect();
    let number = |value: &[u8], at: usize| {
        value
            .get(at..at + 4)
            .map(|bytes| u32::from_ne_bytes(bytes.try_into().expect("4 bytes")))
    };
    Ok(MapInfoIter::default()
        .filter(|info| info.ty == MapType::StructOps)
        .filter_map(|info| {
            let value = only_value(&MapHandle::from_map_id(info.id).ok()?)?;
            Some(Operations {
                map: info.id,
                // The kernel shows a member that is a function as the id of its program.
                init_program: number(&value, init)?,
                registered: number(&value, STATE_OFFSET)? == STATE_IN_USE
                    || linked.contains(&info.id),
            })
        })
        .collect())
}

fn member_offset(btf: &Btf<'_>, structure: &str, member: &str) -> Result<usize> {
    let found = btf
        .type_by_name::<Struct<'_>>(structure)
        .and_then(|structure| {
            let member = structure
                .iter()
                .find(|m| m.name.is_some_and(|name| name == member))?;
            match member.attr {
                MemberAttr::Normal { offset } => Some(offset as usize / 8),
                MemberAttr::BitField { .. } => None,
            }
        });
    found.ok_or_else(|| Error::Unsupported {
        release: probe::kernel_release(),
        lacks: format!("struct {structure} has no member {member}"),
    })
}
