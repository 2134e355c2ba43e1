//! What the kernel writes about each BPF program that this process holds: its cost to the verifier
//! when it was loaded, and the number and the time of its calls.

use libbpf_rs::{libbpf_sys, ProgramHandle};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

/// The kernel truncates the names of programs to 15 characters.
const NAME_CHARACTERS: usize = 15;

/// One program, from the fdinfo of its descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramCost {
    /// Instructions that the verifier processed before it accepted the program (Linux 5.16 and
    /// later; otherwise 0).
    pub verified_instructions: u64,
    /// Calls while the kernel kept statistics.
    pub calls: u64,
    /// Their time in nanoseconds, which includes the reading of the clock.
    pub ns: u64,
}

/// The programs that this process holds, by name. Where a program belongs to a member of
/// `tcp_congestion_ops`, the name is the member's.
///
/// # Errors
/// `/proc/self/fdinfo` cannot be read, or the kernel does not tell the name of a program.
pub fn own_programs() -> io::Result<BTreeMap<String, ProgramCost>> {
    let mut programs = BTreeMap::new();
    for descriptor in fs::read_dir("/proc/self/fdinfo")? {
        let Ok(text) = fs::read_to_string(descriptor?.path()) else {
            continue; // closed in the meantime, as the directory's own descriptor is
        };
        let field = |name: &str| -> Option<u64> {
            text.lines().find_map(|line| {
                line.strip_prefix(name)?
                    .strip_prefix(':')?
                    .trim()
                    .parse()
                    .ok()
            })
        };
        // The descriptor of a link tells its program too, but no calls.
        if let (Some(id), Some(_)) = (field("prog_id"), field("prog_type")) {
            let cost = ProgramCost {
                verified_instructions: field("verified_insns").unwrap_or(0),
                calls: field("run_cnt").unwrap_or(0),
                ns: field("run_time_ns").unwrap_or(0),
            };
            programs.insert(name_of(id as u32)?, cost);
        }
    }
    Ok(programs)
}

fn name_of(id: u32) -> io::Result<String> {
    let program = ProgramHandle::from_prog_id(id).map_err(io::Error::other)?;
    let truncated = program.name().to_string_lossy();
    let whole = onramp_bpf::bindings::programs::ALL
        .iter()
        .find(|whole| format!("{whole:.NAME_CHARACTERS$}") == truncated);
    let whole = whole.map_or(truncated.as_ref(), |whole| whole);
    Ok(whole.strip_prefix("onramp_").unwrap_or(whole).to_owned())
}

/// Does `work`, and returns the calls of this process's programs while it lasted. The kernel keeps
/// statistics only then: they cost every BPF program of the host some time.
///
/// # Errors
/// The kernel refuses to keep statistics (this needs CAP_SYS_ADMIN), or [`own_programs`] fails.
pub fn count_calls<T>(work: impl FnOnce() -> T) -> io::Result<(BTreeMap<String, ProgramCost>, T)> {
    // SAFETY: a plain system call that returns a descriptor or an error.
    let statistics = match unsafe { libbpf_sys::bpf_enable_stats(libbpf_sys::BPF_STATS_RUN_TIME) } {
        errno if errno < 0 => return Err(io::Error::from_raw_os_error(-errno)),
        // SAFETY: the descriptor is new, and nobody else owns it.
        descriptor => unsafe { OwnedFd::from_raw_fd(descriptor) },
    };
    let before = own_programs()?;
    let result = work();
    let mut programs = own_programs()?;
    drop(statistics);
    for (name, cost) in &mut programs {
        let before = before.get(name).copied().unwrap_or_default();
        cost.calls -= before.calls;
        cost.ns -= before.ns;
    }
    Ok((programs, result))
}
