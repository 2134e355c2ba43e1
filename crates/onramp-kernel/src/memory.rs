//! What a registered start-up remembers of paths, for everybody to see (`bpf/startup/memory.h`).

use crate::shared::{Plain, RawPath, RawRemembered};
use crate::{Error, Result};
use libbpf_rs::{MapCore, MapFlags, MapHandle};
use nix::time::{clock_gettime, ClockId};
use serde::Serialize;
use std::net::{IpAddr, Ipv6Addr};

/// The paths that one congestion control remembers.
#[derive(Debug)]
pub struct PathsMap {
    congestion_control: String,
    map: MapHandle,
    lifetime_ns: u64,
}

/// What is remembered of a path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RememberedPath {
    /// The congestion control that remembers it.
    pub congestion_control: String,
    /// The address that this host sends from.
    pub local: IpAddr,
    /// The destination.
    pub remote: IpAddr,
    /// Inode number of its network namespace.
    pub network_namespace: u32,
    /// What the path carried in a round trip (payload).
    pub carried_bytes: u64,
    /// The least round trip at that time.
    pub rtt_s: f64,
    /// How long ago that was saved.
    pub age_s: f64,
    /// When it will be forgotten, from now.
    pub left_s: f64,
    /// A connection has it, and others may not use it.
    pub in_use: bool,
}

impl PathsMap {
    pub(crate) fn of(congestion_control: &str, map: MapHandle, lifetime_ns: u64) -> PathsMap {
        PathsMap {
            congestion_control: congestion_control.to_owned(),
            map,
            lifetime_ns,
        }
    }

    /// All paths whose Lifetime is not over, by their addresses.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn paths(&self) -> Result<Vec<RememberedPath>> {
        let now_ns = boot_ns()?;
        let mut all = Vec::new();
        for key in self.map.keys() {
            let value = self
                .map
                .lookup(&key, MapFlags::ANY)
                .map_err(|error| self.unreadable(&error))?;
            let (Some(path), Some(value)) = (RawPath::from_bytes(&key), value) else {
                continue;
            };
            let Some(RawRemembered {
                entry,
                network_namespace,
                ..
            }) = RawRemembered::from_bytes(&value)
            else {
                continue;
            };
            if entry.bytes == 0 || entry.is_over(now_ns, self.lifetime_ns) {
                continue;
            }
            let age_ns = now_ns.saturating_sub(entry.saved_ns);
            let address = |bytes: [u8; 16]| IpAddr::from(Ipv6Addr::from(bytes)).to_canonical();
            all.push(RememberedPath {
                congestion_control: self.congestion_control.clone(),
                local: address(path.local),
                remote: address(path.remote),
                network_namespace,
                carried_bytes: entry.bytes,
                rtt_s: entry.rtt_ns as f64 / 1e9,
                age_s: age_ns as f64 / 1e9,
                left_s: self.lifetime_ns.saturating_sub(age_ns) as f64 / 1e9,
                in_use: entry.is_in_use(0, now_ns),
            });
        }
        all.sort_by_key(|path| (path.remote, path.local, path.network_namespace));
        Ok(all)
    }

    /// Forget what is remembered of the paths to a destination, or of all. How many they were.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn forget(&self, remote: Option<IpAddr>) -> Result<usize> {
        let mut forgotten = 0;
        // The keys are collected first: deleting one while they are walked begins again.
        for key in self.map.keys().collect::<Vec<_>>() {
            let Some(path) = RawPath::from_bytes(&key) else {
                continue;
            };
            if remote.is_some_and(|remote| {
                IpAddr::from(Ipv6Addr::from(path.remote)).to_canonical() != remote
            }) {
                continue;
            }
            match self.map.delete(&key) {
                Ok(()) => forgotten += 1,
                // It has just been forgotten by itself.
                Err(error) if error.kind() == libbpf_rs::ErrorKind::NotFound => {}
                Err(error) => return Err(self.unreadable(&error)),
            }
        }
        Ok(forgotten)
    }

    fn unreadable(&self, error: &libbpf_rs::Error) -> Error {
        Error::unreadable(crate::shared::MEMORY_MAP, &self.congestion_control, error)
    }
}

/// The clock of `bpf_ktime_get_boot_ns()`.
fn boot_ns() -> Result<u64> {
    let now = clock_gettime(ClockId::CLOCK_BOOTTIME)
        .map_err(|error| Error::io("read the clock", error.into()))?;
    Ok(now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64)
}
