//! How much may be reserved, and how much is: the operator's limits, one for each cgroup and one
//! for each user.

use crate::cgroup::{all_cgroups, cgroup2_mount, cgroup_id};
use crate::object::value;
use crate::records::Plain;
use crate::{Error, Result};
use libbpf_rs::{MapCore, MapFlags, MapHandle};
use onramp_bpf::bindings::{maps, Limit, Usage, LIMIT_LEVELS, OWNER_USER};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The reservations of a registered start-up, and their limits.
pub struct Reservations {
    pub(super) congestion_control: String,
    pub(super) reserved: MapHandle,
    pub(super) limits: MapHandle,
    pub(super) usage: MapHandle,
    pub(super) users: MapHandle,
    pub(super) penalties: MapHandle,
}

/// The names of the maps of [`Reservations`], in the order in which [`Reservations::new`] takes
/// them.
pub(crate) const MAPS: [&str; 5] = [
    maps::RESERVED,
    maps::LIMITS,
    maps::USAGE,
    maps::USERS,
    maps::BROKEN,
];

/// A user who has reserved a rate where only the host has a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct UserInForce {
    /// The user id, in the initial user namespace.
    pub uid: u32,
    /// The rate that each user may reserve; `None` without such a limit.
    pub limit_bytes_per_s: Option<u64>,
    /// The rate that the user has reserved now.
    pub reserved_bytes_per_s: u64,
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
    /// `None` unless all maps of [`MAPS`] are given.
    pub(crate) fn new(
        congestion_control: &str,
        [reserved, limits, usage, users, penalties]: [Option<MapHandle>; MAPS.len()],
    ) -> Option<Reservations> {
        let congestion_control = congestion_control.to_owned();
        Some(Reservations {
            congestion_control,
            reserved: reserved?,
            limits: limits?,
            usage: usage?,
            users: users?,
            penalties: penalties?,
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

    /// Limits the rate that each user may reserve where only the host has a limit. A cgroup with a
    /// limit of its own takes the user's place for its processes. The limit applies to requests
    /// from now on.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn set_user_limit(&self, bytes_per_s: u64) -> Result<()> {
        let limit = Limit {
            bytes_per_s,
            outer: 0,
        };
        self.write_limit(OWNER_USER, &limit)
    }

    /// The limit of each user; `None`: none was set.
    pub fn user_limit(&self) -> Option<u64> {
        lookup::<Limit>(&self.limits, OWNER_USER).map(|limit| limit.bytes_per_s)
    }

    /// The users who have reserved something, by their ids.
    pub fn users(&self) -> Vec<UserInForce> {
        let limit_bytes_per_s = self.user_limit();
        let keys = self
            .users
            .keys()
            .filter_map(|key| Some(u64::from_ne_bytes(key.try_into().ok()?)));
        // A user who has just released everything is no longer there.
        let in_force = keys.filter_map(|owner| {
            Some(UserInForce {
                uid: owner as u32,
                limit_bytes_per_s,
                reserved_bytes_per_s: lookup(&self.users, owner)?,
            })
        });
        let mut all: Vec<UserInForce> = in_force.collect();
        all.sort_by_key(|user| user.uid);
        all
    }

    /// Who owns what a process of this user reserves in a cgroup: `struct onramp_reservation`.
    pub(super) fn owner(&self, cgroup: &Path, uid: u32) -> Result<u64> {
        let host = cgroup_id(&cgroup2_mount()?)?;
        let innermost = self.limits_around(Some(cgroup))?.first().copied();
        Ok(innermost
            .filter(|id| *id != host)
            .unwrap_or(OWNER_USER | u64::from(uid)))
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
        let mut enclosing = self.limits_around(Some(cgroup))?;
        if self.owner(cgroup, 0)? & OWNER_USER != 0
            && !enclosing.is_empty()
            && self.user_limit().is_some()
        {
            enclosing.push(OWNER_USER);
        }
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

    /// The limits of cgroups.
    fn raw_limits(&self) -> Result<Vec<(u64, Limit)>> {
        let ids = self
            .limits
            .keys()
            .filter_map(|key| Some(u64::from_ne_bytes(key.try_into().ok()?)))
            .filter(|id| *id != OWNER_USER);
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
        Error::refused(
            format!("setting a limit of {}", self.congestion_control),
            error,
        )
    }
}

fn lookup<T: Plain>(map: &MapHandle, id: u64) -> Option<T> {
    value(map, &id.to_ne_bytes()).ok()?
}
