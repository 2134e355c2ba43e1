//! How much may be reserved, and how much is: the operator's limits, one for each cgroup.

use crate::cgroup::{all_cgroups, cgroup2_mount, cgroup_id};
use crate::records::Plain;
use crate::{Error, Result};
use libbpf_rs::{MapCore, MapFlags, MapHandle};
use onramp_bpf::bindings::{Limit, Usage, LIMIT_LEVELS};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The reservations of a registered start-up, and their limits.
pub struct Reservations {
    pub(super) congestion_control: String,
    pub(super) reserved: MapHandle,
    pub(super) limits: MapHandle,
    pub(super) usage: MapHandle,
}

/// A limit and its usage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LimitInForce {
    /// Path of the cgroup; `None` if the cgroup no longer exists.
    pub cgroup: Option<PathBuf>,
    /// The rate that may be reserved in the cgroup and its descendants.
    pub limit_bytes_per_s: u64,
    /// The rate that is reserved now.
    pub reserved_bytes_per_s: u64,
    /// Reservations that were granted so far.
    pub granted: u64,
    /// Reservations that were refused so far because of this limit.
    pub refused: u64,
    /// Reservations that were granted and broke so far.
    pub broken: u64,
}

impl Reservations {
    /// `None` unless all three maps are given.
    pub(crate) fn new(
        congestion_control: &str,
        [reserved, limits, usage]: [Option<MapHandle>; 3],
    ) -> Option<Reservations> {
        let congestion_control = congestion_control.to_owned();
        Some(Reservations {
            congestion_control,
            reserved: reserved?,
            limits: limits?,
            usage: usage?,
        })
    }

    /// Limits the rate that processes of a cgroup and of its descendants may reserve. Limits of
    /// enclosing cgroups hold too. The limit applies to requests from now on.
    ///
    /// # Errors
    /// [`Error::NotACgroup`], [`Error::TooManyLimits`], or the kernel's refusal.
    pub fn set_limit(&self, cgroup: &Path, bytes_per_s: u64) -> Result<()> {
        let id = cgroup_id(cgroup)?;
        let enclosing = self.limits_around(cgroup.parent())?;
        if enclosing.len() >= LIMIT_LEVELS as usize {
            return Err(Error::TooManyLimits {
                path: cgroup.to_owned(),
                found: enclosing.len(),
            });
        }
        let no_usage = Usage::default();
        match self
            .usage
            .update(&id.to_ne_bytes(), no_usage.as_bytes(), MapFlags::NO_EXIST)
        {
            Err(error) if error.kind() != libbpf_rs::ErrorKind::AlreadyExists => {
                return Err(self.refused(&error))
            }
            _ => {}
        }
        let outer = enclosing.first().copied().unwrap_or(0);
        self.write_limit(id, &Limit { bytes_per_s, outer })?;
        self.enclose(id)
    }

    /// Makes this limit the next outer one of those limits for which it is the nearest.
    fn enclose(&self, id: u64) -> Result<()> {
        let cgroups = all_cgroups()?;
        for (inner, limit) in self
            .raw_limits()?
            .into_iter()
            .filter(|(inner, _)| *inner != id)
        {
            let Some(path) = cgroups.get(&inner) else {
                self.forget(inner);
                continue;
            };
            let enclosing = self.limits_around(path.parent())?;
            if enclosing.first() == Some(&id) && limit.outer != id {
                self.write_limit(inner, &Limit { outer: id, ..limit })?;
            }
        }
        Ok(())
    }

    /// The maximum rate that a process of a cgroup can reserve. Without any limit it is 0: nobody
    /// has permitted a reservation.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn max_bytes_per_s(&self, cgroup: &Path) -> Result<u64> {
        let enclosing = self.limits_around(Some(cgroup))?;
        let limits = enclosing
            .into_iter()
            .filter_map(|id| lookup::<Limit>(&self.limits, id));
        Ok(limits.map(|limit| limit.bytes_per_s).min().unwrap_or(0))
    }

    /// All limits, the outermost first.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn limits(&self) -> Result<Vec<LimitInForce>> {
        let mut cgroups = all_cgroups()?;
        let mut all = Vec::new();
        for (id, limit) in self.raw_limits()? {
            let usage = lookup::<Usage>(&self.usage, id).unwrap_or_default();
            all.push(LimitInForce {
                cgroup: cgroups.remove(&id),
                limit_bytes_per_s: limit.bytes_per_s,
                reserved_bytes_per_s: usage.bytes_per_s,
                granted: usage.granted,
                refused: usage.refused,
                broken: usage.broken,
            });
        }
        all.sort_by(|a, b| a.cgroup.cmp(&b.cgroup));
        Ok(all)
    }

    /// Forgets the limit of a cgroup that no longer exists, unless a connection still counts
    /// against it.
    fn forget(&self, id: u64) {
        if lookup::<Usage>(&self.usage, id).is_some_and(|usage| usage.bytes_per_s == 0) {
            // Another process may have deleted either of them.
            let _ = self.limits.delete(&id.to_ne_bytes());
            let _ = self.usage.delete(&id.to_ne_bytes());
        }
    }

    fn raw_limits(&self) -> Result<Vec<(u64, Limit)>> {
        let ids = self
            .limits
            .keys()
            .filter_map(|key| Some(u64::from_ne_bytes(key.try_into().ok()?)));
        Ok(ids
            .filter_map(|id| Some((id, lookup(&self.limits, id)?)))
            .collect())
    }

    fn write_limit(&self, id: u64, limit: &Limit) -> Result<()> {
        let written = self
            .limits
            .update(&id.to_ne_bytes(), limit.as_bytes(), MapFlags::ANY);
        written.map_err(|error| self.refused(&error))
    }

    /// The ids of those among a cgroup and its ancestors that have a limit, the innermost first.
    pub(super) fn limits_around(&self, cgroup: Option<&Path>) -> Result<Vec<u64>> {
        let mount = cgroup2_mount()?;
        let around = cgroup
            .into_iter()
            .flat_map(Path::ancestors)
            .take_while(|path| path.starts_with(&mount));
        let ids = around.filter_map(|path| cgroup_id(path).ok());
        Ok(ids
            .filter(|id| lookup::<Limit>(&self.limits, *id).is_some())
            .collect())
    }

    fn refused(&self, error: &libbpf_rs::Error) -> Error {
        Error::Refused {
            what: format!("setting a limit of {}", self.congestion_control),
            cause: error.to_string(),
            log: String::new(),
        }
    }
}

fn lookup<T: Plain>(map: &MapHandle, id: u64) -> Option<T> {
    T::from_bytes(
        &map.lookup(&id.to_ne_bytes(), MapFlags::ANY)
            .ok()
            .flatten()?,
    )
}
