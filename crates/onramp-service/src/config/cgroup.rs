//! Names of cgroups and of systemd units.

use onramp_kernel::policy::Cgroup;

/// Where the cgroups are mounted.
pub(super) const CGROUP_MOUNT: &str = "/sys/fs/cgroup";

/// The path of a cgroup below the root, not the root itself.
pub(super) fn cgroup(path: &str) -> Option<Cgroup> {
    if path
        .strip_prefix(CGROUP_MOUNT)
        .is_some_and(|below| below.is_empty() || below.starts_with('/'))
    {
        return None;
    }
    let path = path.strip_prefix('/')?.trim_end_matches('/');
    let is_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    let fits = path.len() < Cgroup::MAX_BYTES && path.split('/').count() <= Cgroup::MAX_DEPTH;
    (fits && path.split('/').all(is_part)).then(|| Cgroup::Path(format!("/{path}")))
}

/// Is it the name of a unit that can have processes? A template (`web@.service`) has none.
pub(super) fn is_unit(name: &str) -> bool {
    const TYPES: [&str; 4] = ["service", "slice", "scope", "socket"];
    let Some((stem, kind)) = name.rsplit_once('.') else {
        return false;
    };
    let is_valid = |char: char| char.is_ascii_alphanumeric() || ":-_.\\@".contains(char);
    let has_instance = !stem.is_empty() && !stem.ends_with('@');
    name.len() <= Cgroup::MAX_BYTES
        && TYPES.contains(&kind)
        && has_instance
        && stem.chars().all(is_valid)
}
