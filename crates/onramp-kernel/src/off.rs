//! Ending everything that Onramp has put into this kernel, whoever did it and with which version.

use crate::inspect::{loaded, Loaded, NAME_PREFIX};
use crate::policy;
use crate::receiver::{unload_receiver, RECEIVER_PINS};
use crate::unload::{detach_link, Connections, Ending, Unloaded};
use crate::{probe, Error, Result};
use libbpf_rs::query::{LinkInfoIter, LinkTypeInfo, ProgInfoIter};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The kernel frees programs a moment after their last use, and other commands hold them while they
/// look.
const FREED_WITHIN: Duration = Duration::from_secs(2);

/// What was ended, and what is left.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Off {
    /// Programs that were attached to cgroups, beside the policies of the service.
    pub detached: usize,
    /// The start-ups, with what became of their connections.
    pub unloaded: Vec<Unloaded>,
    /// How often all sockets were visited: until a walk found none to move, for all start-ups
    /// together.
    pub walks: usize,
    /// A sentence for each thing that is left.
    pub left: Vec<String>,
}

/// Ends everything: the policies of a service, all registrations, and the programs on cgroups. Live
/// connections move to the default of their network namespace. The service that has its pins in
/// this directory should have ended before; one that still runs can put its policies into force
/// again. The pins of a receiver are beside this directory.
///
/// What does not end does not keep the rest. [`Off::left`] has what was found afterwards.
///
/// # Errors
/// [`crate::Error::NotPermitted`], or the kernel shows nothing.
pub fn off(pins: &Path) -> Result<Off> {
    probe::check_permission()?;
    let mut off = Off::default();
    let mut failures = Vec::new();
    let mut note = |result: Result<()>| {
        failures.extend(result.err().map(|error| error.to_string()));
    };
    note(policy::detach(pins));
    let receiver = Path::new(RECEIVER_PINS).file_name().unwrap_or_default();
    note(unload_receiver(&pins.with_file_name(receiver)).map(drop));
    for link in cgroup_links() {
        match detach_link(link) {
            Ok(()) => off.detached += 1,
            Err(error) => note(Err(Error::io(format!("detach link {link}"), error))),
        }
    }
    let ending = Ending::of(loaded()?)?;
    let restored = ending.put_back_defaults();
    note(policy::unpin(pins));
    note(ending.unregister());
    let moved = match ending.move_sockets(&Connections::ToPreviousDefault) {
        Ok((moved, walks)) => {
            off.walks = walks;
            moved
        }
        Err(error) => {
            note(Err(error));
            None
        }
    };
    off.unloaded = ending.ended(restored, moved)?;
    let deadline = Instant::now() + FREED_WITHIN;
    loop {
        off.left = left(pins)?;
        if off.left.is_empty() || Instant::now() > deadline {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // A failure that left nothing was another's success.
    if !off.left.is_empty() {
        off.left.extend(failures);
    }
    Ok(off)
}

/// What Onramp still has on this host.
fn left(pins: &Path) -> Result<Vec<String>> {
    let mut left: Vec<String> = loaded()?.iter().map(describe).collect();
    let programs = programs();
    if left.is_empty() && !programs.is_empty() {
        left = holders(&programs)
            .into_iter()
            .map(|pid| {
                format!("process {pid} holds programs that nothing calls any more, until it ends")
            })
            .collect();
        if left.is_empty() {
            left.push(format!(
                "{} BPF programs, held by a pin or by sockets; `bpftool prog show` lists them",
                programs.len()
            ));
        }
    }
    if pins.symlink_metadata().is_ok() {
        left.push(format!("the directory {}", pins.display()));
    }
    Ok(left)
}

/// The processes that hold one of these programs with a descriptor.
fn holders(programs: &BTreeSet<u32>) -> BTreeSet<u32> {
    let holds = |text: String| {
        let mut ids = text
            .lines()
            .filter_map(|line| line.strip_prefix("prog_id:"));
        ids.any(|id| id.trim().parse().is_ok_and(|id| programs.contains(&id)))
    };
    let entries = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten();
    let processes = entries("/proc".into())
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())));
    processes
        .filter(|(_, process)| {
            let mut descriptors = entries(process.join("fdinfo"));
            descriptors.any(|info| fs::read_to_string(info.path()).is_ok_and(holds))
        })
        .map(|(pid, _)| pid)
        .collect()
}

fn describe(loaded: &Loaded) -> String {
    let Loaded {
        name, references, ..
    } = loaded;
    match (loaded.registered, loaded.owner_pid) {
        (true, Some(pid)) => format!("{name} is registered until process {pid} ends"),
        (true, None) => format!("{name} is registered"),
        (false, _) => format!(
            "{references} sockets or network namespaces keep {name}: a socket that is neither \
             connected nor listening keeps it until it is closed"
        ),
    }
}

/// The programs of Onramp in this kernel.
fn programs() -> BTreeSet<u32> {
    let all = ProgInfoIter::default();
    let ours = all.filter(|program| program.name.as_bytes().starts_with(NAME_PREFIX.as_bytes()));
    ours.map(|program| program.id).collect()
}

/// The links that attach them to cgroups.
fn cgroup_links() -> Vec<u32> {
    let programs = programs();
    let links = LinkInfoIter::default();
    let ours = links.filter(|link| {
        programs.contains(&link.prog_id) && matches!(link.info, LinkTypeInfo::Cgroup(_))
    });
    ours.map(|link| link.id).collect()
}
