//! What this kernel can do. It is asked before anything is loaded, so that an error can name what
//! is missing.

use crate::namespaces::is_in_user_namespace;
use crate::process::read_text;
use crate::{Avoidance, Error, Result};
use libbpf_rs::btf::types::{Func, FuncProto, Ptr, Struct};
pub use libbpf_rs::btf::Btf;
use libbpf_rs::btf::ReferencesType;
use std::path::Path;

/// The form of `tcp_congestion_ops`, as far as Onramp implements it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlForm {
    /// `cong_control` takes (sk, rate sample): before Linux 6.10.
    V1,
    /// It takes (sk, ack, flag, rate sample): since Linux 6.10.
    V2,
    /// As V2, and `cwnd_event_tx_start` has the place of `cwnd_event` for the start of sending:
    /// in Linux 7.3.
    V3,
}

impl ControlForm {
    /// The struct_ops map of `bpf/startup.bpf.c` for this form.
    pub fn struct_ops_map(self, avoidance: Avoidance) -> String {
        let suffix = match (avoidance, self) {
            (Avoidance::Cubic | Avoidance::Bbr, ControlForm::V3) => "_v3",
            (Avoidance::Bbr, ControlForm::V1) => "_v1",
            _ => "",
        };
        format!("onramp_{}{suffix}", avoidance.name())
    }
}

/// The file in which the kernel describes its types.
pub const KERNEL_BTF: &str = "/sys/kernel/btf/vmlinux";

/// The folder with such a file for each loaded module.
const MODULES_BTF: &str = "/sys/kernel/btf";

/// The kernel's release, as `uname -r` prints it.
pub fn kernel_release() -> String {
    nix::sys::utsname::uname().map_or_else(
        |_| "unknown".to_owned(),
        |name| name.release().to_string_lossy().into_owned(),
    )
}

/// The kernel's own description of its types.
///
/// # Errors
/// [`Error::NoBtf`], or [`Error::Unsupported`] if it cannot be read.
pub fn kernel_btf() -> Result<Btf<'static>> {
    check_btf()?;
    // It maps the file into memory, where the kernel supports it: reading it takes much longer.
    Btf::from_vmlinux().map_err(|error| Error::Unsupported {
        release: kernel_release(),
        lacks: format!("{KERNEL_BTF} cannot be read: {error}"),
    })
}

/// Does the kernel describe its types? This does not read the description.
///
/// # Errors
/// [`Error::NoBtf`] if not.
pub(crate) fn check_btf() -> Result<()> {
    match Path::new(KERNEL_BTF).exists() {
        true => Ok(()),
        false => Err(Error::NoBtf),
    }
}

/// May this process load BPF programs and register congestion controls?
///
/// # Errors
/// [`Error::NotPermitted`] or [`Error::InUserNamespace`] if not.
pub fn check_permission() -> Result<()> {
    const CAP_NET_ADMIN: u32 = 12;
    const CAP_SYS_ADMIN: u32 = 21;
    const CAP_BPF: u32 = 39;
    let status = read_text("/proc/self/status")?;
    let effective = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))
        .and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok())
        .unwrap_or(0);
    let has = |capability: u32| effective >> capability & 1 == 1;
    match has(CAP_NET_ADMIN) && (has(CAP_BPF) || has(CAP_SYS_ADMIN)) {
        false => Err(Error::NotPermitted),
        // The kernel asks for the capabilities of its first user namespace.
        true if is_in_user_namespace() => Err(Error::InUserNamespace),
        true => Ok(()),
    }
}

fn unsupported(lacks: &str) -> Error {
    Error::Unsupported {
        release: kernel_release(),
        lacks: lacks.to_owned(),
    }
}

/// The form of the hooks that this kernel calls.
///
/// # Errors
/// [`Error::Unsupported`] if this kernel cannot register BPF congestion controls.
pub fn control_form(btf: &Btf<'_>) -> Result<ControlForm> {
    btf.type_by_name::<Struct<'_>>("bpf_struct_ops_tcp_congestion_ops")
        .ok_or_else(|| {
            unsupported(
                "tcp_congestion_ops cannot be implemented in BPF \
             (struct bpf_struct_ops_tcp_congestion_ops is missing)",
            )
        })?;
    let operations = btf
        .type_by_name::<Struct<'_>>("tcp_congestion_ops")
        .ok_or_else(|| unsupported("struct tcp_congestion_ops is missing"))?;
    let member_named = |wanted: &str| {
        let mut members = operations.iter();
        members.find(|member| member.name.is_some_and(|name| name == wanted))
    };
    let member = member_named("cong_control")
        .ok_or_else(|| unsupported("struct tcp_congestion_ops has no member cong_control"))?;
    let parameters = btf
        .type_by_id::<Ptr<'_>>(member.ty)
        .and_then(|pointer| FuncProto::try_from(pointer.referenced_type()).ok())
        .map(|function| function.len())
        .ok_or_else(|| unsupported("the type of cong_control is no function pointer"))?;
    match parameters {
        2 => Ok(ControlForm::V1),
        4 if member_named("cwnd_event_tx_start").is_some() => Ok(ControlForm::V3),
        4 => Ok(ControlForm::V2),
        other => Err(unsupported(&format!(
            "cong_control takes {other} parameters; Onramp supports 2 and 4"
        ))),
    }
}

/// Does this kernel have the congestion avoidance, callable from BPF? Distributions often build one
/// as a module, whose types the kernel describes in a file of its own while it is loaded.
///
/// # Errors
/// [`Error::NoAvoidance`] if not.
pub fn check_avoidance(btf: &Btf<'_>, avoidance: Avoidance) -> Result<()> {
    let function = match avoidance {
        Avoidance::Cubic => "cubictcp_cong_avoid",
        Avoidance::Bbr => "bbr_main",
        Avoidance::Reno => "tcp_reno_cong_avoid",
    };
    let module = Path::new(MODULES_BTF).join(format!("tcp_{}", avoidance.name()));
    if btf.type_by_name::<Func<'_>>(function).is_some() || module.exists() {
        return Ok(());
    }
    Err(Error::NoAvoidance {
        avoidance: avoidance.name(),
        function,
    })
}

/// Can every user be given the right to choose a congestion control in BPF
/// (`tcp_congestion_ops.flags`)? All kernels that Onramp supports have the member.
pub fn has_flags(btf: &Btf<'_>) -> bool {
    let operations = btf.type_by_name::<Struct<'_>>("tcp_congestion_ops");
    operations.is_some_and(|operations| {
        operations
            .iter()
            .any(|member| member.name.is_some_and(|name| name == "flags"))
    })
}

/// Can BPF visit the TCP sockets of a network namespace, and change them?
///
/// # Errors
/// [`Error::CannotMove`] if not.
pub(crate) fn check_tcp_iterator(btf: &Btf<'_>) -> Result<()> {
    match btf.type_by_name::<Struct<'_>>("bpf_iter__tcp") {
        Some(_) => Ok(()),
        None => Err(Error::CannotMove {
            release: kernel_release(),
        }),
    }
}

/// Does a struct_ops registration end with the process that made it (BPF links, Linux 6.4)?
pub fn has_struct_ops_links(btf: &Btf<'_>) -> bool {
    btf.type_by_name::<Struct<'_>>("bpf_struct_ops_link")
        .is_some()
}
