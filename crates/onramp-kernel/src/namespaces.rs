//! The network namespaces of this host, and work inside of them.

use crate::{Error, Result};
use nix::sched::{setns, CloneFlags};
use nix::sys::socket::{getsockopt, socket, AddressFamily, SockFlag, SockType};
use nix::{getsockopt_impl, libc, sockopt_impl};
use serde::Serialize;
use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A network namespace, as a person finds it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NetworkNamespace {
    /// Inode number, as in `/proc/PID/ns/net`.
    pub inode: u64,
    /// It is that of this process.
    pub is_own: bool,
    /// Where it is mounted (`ip netns` mounts at `/run/netns/NAME`).
    pub mount: Option<PathBuf>,
    /// A process in it, or one that holds a descriptor of it.
    pub pid: Option<u32>,
}

impl fmt::Display for NetworkNamespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mount = self.mount.as_deref();
        let name = mount.and_then(|mount| mount.file_name().zip(mount.parent()));
        match (self.is_own, name, mount, self.pid) {
            (true, ..) => f.write_str("this network namespace"),
            (_, Some((name, parent)), ..) if parent.ends_with("run/netns") => {
                write!(f, "network namespace {}", name.to_string_lossy())
            }
            (_, _, Some(mount), _) => write!(f, "network namespace {}", mount.display()),
            (_, _, None, Some(pid)) => write!(f, "the network namespace of process {pid}"),
            _ => write!(f, "network namespace net:[{}]", self.inode),
        }
    }
}

/// Where to look for namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// The namespaces of processes, and those that are mounted.
    Quick,
    /// Also those that only a descriptor keeps, as those of `onramp lab`. Looks at every
    /// descriptor of every process.
    Thorough,
}

/// A namespace that can be entered.
pub(crate) struct Found {
    pub namespace: NetworkNamespace,
    file: File,
}

/// The network namespaces of this host that this process can see, its own first.
pub(crate) fn network_namespaces(search: Search) -> Result<Vec<Found>> {
    let mut all = Vec::new();
    let mut seen = HashSet::new();
    let own = "/proc/thread-self/ns/net";
    let own = File::open(own).map_err(|error| Error::io(format!("open {own}"), error))?;
    let mut add = |file: File, is_own, mount, pid| {
        let Ok(inode) = file.metadata().map(|metadata| metadata.ino()) else {
            return;
        };
        if seen.insert(inode) {
            let namespace = NetworkNamespace {
                inode,
                is_own,
                mount,
                pid,
            };
            all.push(Found { namespace, file });
        }
    };
    add(own, true, None, None);
    for mount in mounted() {
        if let Ok(file) = File::open(&mount) {
            add(file, false, Some(mount), None);
        }
    }
    let processes = processes();
    for &pid in &processes {
        // A process may have ended, or belong to somebody whom this process may not look at.
        if let Ok(file) = File::open(format!("/proc/{pid}/ns/net")) {
            add(file, false, None, Some(pid));
        }
    }
    if search == Search::Thorough {
        for pid in processes {
            for path in descriptors(pid) {
                if let Ok(file) = File::open(path) {
                    add(file, false, None, Some(pid));
                }
            }
        }
    }
    Ok(all)
}

/// The mount points of network namespaces.
fn mounted() -> Vec<PathBuf> {
    // "512 29 0:4 net:[4026532288] /run/netns/web rw shared:2 - nsfs nsfs rw"
    let text = fs::read_to_string("/proc/thread-self/mountinfo").unwrap_or_default();
    let fields = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    fields
        .filter(|fields| fields.get(3).is_some_and(|root| root.starts_with("net:[")))
        .filter_map(|fields| Some(PathBuf::from(fields.get(4)?.replace("\\040", " "))))
        .collect()
}

fn processes() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

/// The descriptors of a process that refer to network namespaces.
fn descriptors(pid: u32) -> Vec<PathBuf> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd"));
    let paths = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    paths
        .filter(|path| {
            let target = fs::read_link(path).unwrap_or_default();
            target.to_string_lossy().starts_with("net:[")
        })
        .collect()
}

/// Does some work in each namespace, one after the other. `visit` gets the namespace and its
/// cookie. An error is that of entering the namespace, or of the work.
pub(crate) fn in_each<T: Send>(
    namespaces: &[Found],
    visit: impl FnMut(&NetworkNamespace, u64) -> Result<T> + Send,
) -> Vec<(NetworkNamespace, Result<T>)> {
    // A thread of its own changes its namespace and then ends.
    std::thread::scope(|scope| {
        let all = scope.spawn(|| visit_all(namespaces, visit)).join();
        all.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn visit_all<T>(
    namespaces: &[Found],
    mut visit: impl FnMut(&NetworkNamespace, u64) -> Result<T>,
) -> Vec<(NetworkNamespace, Result<T>)> {
    let mut results = Vec::new();
    for found in namespaces {
        let result = enter(found).and_then(|cookie| visit(&found.namespace, cookie));
        results.push((found.namespace.clone(), result));
    }
    results
}

/// Moves this thread into a namespace, and returns the namespace's cookie.
fn enter(found: &Found) -> Result<u64> {
    // The own namespace needs no change, and so not the right to it.
    if !found.namespace.is_own {
        setns(&found.file, CloneFlags::CLONE_NEWNET)
            .map_err(|errno| Error::io(format!("enter {}", found.namespace), errno.into()))?;
    }
    cookie()
}

/// The cookie of this thread's network namespace. Unlike an inode number it is never used again.
pub(crate) fn cookie() -> Result<u64> {
    let failed = |error| Error::io("read the cookie of a network namespace", error);
    let socket: OwnedFd = socket(
        AddressFamily::Unix,
        SockType::Datagram,
        SockFlag::SOCK_CLOEXEC,
        None,
    )
    .map_err(|errno| failed(errno.into()))?;
    getsockopt(&socket, NetnsCookie).map_err(|errno| failed(errno.into()))
}

sockopt_impl!(
    NetnsCookie,
    GetOnly,
    libc::SOL_SOCKET,
    libc::SO_NETNS_COOKIE,
    u64
);

/// Is this process in a user namespace other than the host's? Then root here is not root there.
pub(crate) fn is_in_user_namespace() -> bool {
    /// Inode number of the first user namespace (PROC_USER_INIT_INO, since Linux 3.8).
    const FIRST: u64 = 0xefff_fffd;
    let path = Path::new("/proc/self/ns/user");
    fs::metadata(path).is_ok_and(|namespace| namespace.ino() != FIRST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(is_own: bool, mount: Option<&str>, pid: Option<u32>) -> String {
        let mount = mount.map(PathBuf::from);
        let inode = 7;
        NetworkNamespace {
            inode,
            is_own,
            mount,
            pid,
        }
        .to_string()
    }

    #[test]
    fn a_namespace_is_named_as_people_know_it() {
        assert_eq!(named(true, None, None), "this network namespace");
        assert_eq!(
            named(false, Some("/run/netns/web"), Some(3)),
            "network namespace web"
        );
        assert_eq!(
            named(false, Some("/run/docker/netns/ab"), None),
            "network namespace /run/docker/netns/ab"
        );
        assert_eq!(
            named(false, None, Some(3)),
            "the network namespace of process 3"
        );
        assert_eq!(named(false, None, None), "network namespace net:[7]");
    }

    #[test]
    fn the_own_namespace_comes_first() {
        let all = network_namespaces(Search::Quick).unwrap();
        assert!(all[0].namespace.is_own);
        let others = &all[1..];
        assert!(others.iter().all(|found| !found.namespace.is_own));
    }

    #[test]
    fn work_in_the_own_namespace_needs_no_rights() {
        let all = network_namespaces(Search::Quick).unwrap();
        let mut cookies = in_each(&all[..1], |_, cookie| Ok(cookie));
        assert_eq!(cookies.remove(0).1.unwrap(), cookie().unwrap());
    }
}
