//! BPF programs of others that can choose the congestion control of a socket.

use crate::inspect::NAME_PREFIX;
use crate::{probe, Result};
use libbpf_rs::btf::types::Struct;
use libbpf_rs::query::{MapInfoIter, ProgInfoIter};
use libbpf_rs::{MapType, ProgramType};
use std::fmt;

/// A BPF program or a congestion control of somebody else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherProgram {
    /// What it is.
    pub kind: &'static str,
    /// Its name, as `bpftool` shows it.
    pub name: String,
    /// The id of the program, or of the map of a congestion control.
    pub id: u32,
}

impl fmt::Display for OtherProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OtherProgram { kind, name, id } = self;
        write!(f, "{kind} {name} (id {id})")
    }
}

/// The programs of others that can set options of sockets: those that watch the sockets of a cgroup
/// and those that answer setsockopt() in it, and congestion controls that are written in BPF.
///
/// # Errors
/// [`crate::Error::NotPermitted`], or [`crate::Error::NoBtf`].
pub fn other_programs() -> Result<Vec<OtherProgram>> {
    probe::check_permission()?;
    let watching = ProgInfoIter::default().filter_map(|program| {
        let kind = match program.ty {
            ProgramType::SockOps => "sockops",
            ProgramType::CgroupSockopt => "sockopt",
            _ => return None,
        };
        let name = program.name.to_string_lossy().into_owned();
        let id = program.id;
        Some(OtherProgram { kind, name, id })
    });
    let btf = probe::kernel_btf()?;
    let operations = btf.type_by_name::<Struct<'_>>("bpf_struct_ops_tcp_congestion_ops");
    let operations = operations.map(|operations| u32::from(operations.type_id()));
    let controls = MapInfoIter::default()
        .filter(|map| map.ty == MapType::StructOps)
        .filter(|map| Some(map.btf_vmlinux_value_type_id) == operations)
        .map(|map| OtherProgram {
            kind: "congestion control",
            name: map.name.to_string_lossy().into_owned(),
            id: map.id,
        });
    let all = watching.chain(controls);
    Ok(all
        .filter(|other| !other.name.starts_with(NAME_PREFIX))
        .collect())
}
