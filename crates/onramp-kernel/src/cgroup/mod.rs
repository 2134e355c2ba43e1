//! The cgroup v2 hierarchy, and programs that are attached to it.

mod adoption;
mod attach;
mod exec;
mod hierarchy;

pub use adoption::Adoption;
pub(crate) use attach::{link, load, WATCHING};
pub use exec::ExecCgroup;
pub(crate) use hierarchy::{all_cgroups, cgroup_id, open};
pub use hierarchy::{cgroup2_mount, own_cgroup};
