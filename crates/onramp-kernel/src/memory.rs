//! The paths that a registered start-up remembers (`bpf/startup/memory.h`).

use crate::object::value;
use crate::process::now_ns;
use crate::records::Plain;
use crate::{Error, Result};
use libbpf_rs::{MapCore, MapHandle};
use nix::time::ClockId;
use onramp_bpf::bindings::{maps, Path, PathEntry};
use serde::Serialize;
use std::net::{IpAddr, Ipv6Addr};

/// The path memory of one congestion control.
#[derive(Debug)]
pub struct PathsMap {
    congestion_control: String,
    map: MapHandle,
    lifetime_ns: u64,
}

/// A path and its BDP.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RememberedPath {
    /// The congestion control that remembers it.
    pub congestion_control: String,
    /// The address from which this host sends.
    pub local: IpAddr,
    /// The destination.
    pub remote: IpAddr,
    /// Inode number of its network namespace.
    pub network_namespace: u32,
    /// The BDP (payload).
    pub carried_bytes: u64,
    /// The BDP that at least two different connections have measured; 0: none.
    pub confirmed_bytes: u64,
    /// The min RTT when the BDP was measured.
    pub rtt_s: f64,
    /// Time since it was saved.
    pub age_s: f64,
    /// Time until it is forgotten.
    pub left_s: f64,
    /// A connection uses it, so others may not.
    pub in_use: bool,
}

fn address(bytes: [u8; 16]) -> IpAddr {
    IpAddr::from(Ipv6Addr::from(bytes)).to_canonical()
}

impl PathsMap {
    pub(crate) fn new(congestion_control: &str, map: MapHandle, lifetime_ns: u64) -> PathsMap {
        PathsMap {
            congestion_control: congestion_control.to_owned(),
            map,
            lifetime_ns,
        }
    }

    /// All paths whose Lifetime is not over, ordered by their addresses.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn paths(&self) -> Result<Vec<RememberedPath>> {
        // The clock of `bpf_ktime_get_boot_ns()`.
        let now_ns = now_ns(ClockId::CLOCK_BOOTTIME)?;
        let mut all = Vec::new();
        for key in self.map.keys() {
            let value = value(&self.map, &key).map_err(|error| self.unreadable(&error))?;
            let (Some(path), Some(value)) = (Path::from_bytes(&key), value) else {
                continue;
            };
            let PathEntry {
                entry,
                network_namespace,
                ..
            } = value;
            if entry.bytes == 0 || entry.is_over(now_ns, self.lifetime_ns) {
                continue;
            }
            let age_ns = now_ns.saturating_sub(entry.saved_ns);
            all.push(RememberedPath {
                congestion_control: self.congestion_control.clone(),
                local: address(path.local),
                remote: address(path.remote),
                network_namespace,
                carried_bytes: entry.bytes,
                confirmed_bytes: entry.confirmed_bytes,
                rtt_s: entry.rtt_ns as f64 / 1e9,
                age_s: age_ns as f64 / 1e9,
                left_s: self.lifetime_ns.saturating_sub(age_ns) as f64 / 1e9,
                in_use: entry.is_in_use(0, now_ns),
            });
        }
        all.sort_by_key(|path| (path.remote, path.local, path.network_namespace));
        Ok(all)
    }

    /// Forgets the paths to one destination, or all paths. Returns their number.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn forget(&self, remote: Option<IpAddr>) -> Result<usize> {
        let mut forgotten = 0;
        // Collect the keys first: deleting a key while the map is walked restarts the walk.
        for key in self.map.keys().collect::<Vec<_>>() {
            let Some(path) = Path::from_bytes(&key) else {
                continue;
            };
            if remote.is_some_and(|remote| address(path.remote) != remote) {
                continue;
            }
            match self.map.delete(&key) {
                Ok(()) => forgotten += 1,
                // A start-up has just deleted it.
                Err(error) if error.kind() == libbpf_rs::ErrorKind::NotFound => {}
                Err(error) => return Err(self.unreadable(&error)),
            }
        }
        Ok(forgotten)
    }

    fn unreadable(&self, error: &libbpf_rs::Error) -> Error {
        Error::unreadable(maps::MEMORY, &self.congestion_control, error)
    }
}
