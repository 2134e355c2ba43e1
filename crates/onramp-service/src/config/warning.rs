//! What a configuration may have, and probably does not mean.

use super::{Policy, Service};
use onramp_kernel::policy::{Cgroup, Family, Match, Prefix};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// A doubt and its place. [`Display`](std::fmt::Display) is one line: `file:line: sentence`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {doubt}")]
pub struct Warning {
    /// The file's name.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is probably not meant.
    pub doubt: Doubt,
}

/// What is probably not meant. [`Display`](std::fmt::Display) is one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum Doubt {
    /// All connections of a policy are those of an earlier policy.
    #[error(
        "policy `{policy}` never matches: `{other}` (line {other_line}) has all its connections; \
         {}",
        match is_same {
            true => "remove one of the two".to_owned(),
            false => format!("put `{policy}` before `{other}`"),
        }
    )]
    Hidden {
        policy: String,
        other: String,
        other_line: usize,
        /// Do both choose the same connections?
        is_same: bool,
    },
    /// No destination of a policy has the policy's version of IP.
    #[error(
        "policy `{policy}` never matches: `destination` has no address of its `family`; correct one"
    )]
    OtherFamily { policy: String },
    /// All connections of a policy get the start-up.
    #[error(
        "policy `{policy}` has no control group: no comparison; only a `retransmission_budget` \
         would switch its start-up off"
    )]
    NoControlGroup { policy: String },
    /// The file for node_exporter would be in a directory that does not exist.
    #[error(
        "the directory {} of `text_file` does not exist: no metrics can be written; create it",
        directory.display()
    )]
    NoDirectory { directory: PathBuf },
}

/// What is doubtful in policies, which are in the order of the file, with their lines.
pub(super) fn of_policies(policies: &[Policy]) -> Vec<(Doubt, usize)> {
    let all = policies.iter().enumerate();
    all.filter_map(|(at, policy)| {
        let doubt = never_matches(policy, &policies[..at]).or_else(|| no_control_group(policy))?;
        Some((doubt, policy.line))
    })
    .collect()
}

/// Whether the directory of the service's text file is missing.
pub(super) fn of_service(service: &Service) -> Option<Doubt> {
    let directory = service.text_file.as_ref()?.parent()?;
    (!directory.is_dir()).then(|| Doubt::NoDirectory {
        directory: directory.to_owned(),
    })
}

/// Why a policy behind others never matches, if that is certain.
fn never_matches(policy: &Policy, earlier: &[Policy]) -> Option<Doubt> {
    let name = policy.rule.name.clone();
    let matches = &policy.rule.matches;
    if addresses(matches, Family::Ipv4).is_empty() && addresses(matches, Family::Ipv6).is_empty() {
        return Some(Doubt::OtherFamily { policy: name });
    }
    let other = earlier
        .iter()
        .find(|other| has_all(&other.rule.matches, matches))?;
    Some(Doubt::Hidden {
        policy: name,
        other: other.rule.name.clone(),
        other_line: other.line,
        is_same: has_all(matches, &other.rule.matches),
    })
}

fn no_control_group(policy: &Policy) -> Option<Doubt> {
    let start = policy.rule.start.as_ref()?;
    let is_alone = start.share >= 1.0 && policy.canary.retransmission_budget.is_none();
    is_alone.then(|| Doubt::NoControlGroup {
        policy: policy.rule.name.clone(),
    })
}

/// Does `one` choose every connection that `other` chooses? `false` also where it is not certain.
fn has_all(one: &Match, other: &Match) -> bool {
    let of_family = |family| {
        let all = addresses(one, family);
        let enclosed = |prefix: &Prefix| all.iter().any(|of_one| of_one.encloses(*prefix));
        addresses(other, family).iter().all(enclosed)
    };
    let of_cgroup = |cgroup: &Cgroup| one.cgroups.iter().any(|of_one| contains(of_one, cgroup));
    let of_user = |user: &u32| one.users.contains(user);
    of_family(Family::Ipv4)
        && of_family(Family::Ipv6)
        && has_ports(&one.local_ports, &other.local_ports)
        && allows(&one.cgroups, &other.cgroups, of_cgroup)
        && allows(&one.users, &other.users, of_user)
}

/// Does the list `one` allow what the list `other` allows? An empty list allows all.
fn allows<T>(one: &[T], other: &[T], has: impl Fn(&T) -> bool) -> bool {
    one.is_empty() || (!other.is_empty() && other.iter().all(has))
}

fn has_ports(one: &[RangeInclusive<u16>], other: &[RangeInclusive<u16>]) -> bool {
    let has = |port: u16| one.iter().any(|range| range.contains(&port));
    let has_range = |range: &RangeInclusive<u16>| range.clone().all(has);
    allows(one, other, has_range)
}

/// Does a cgroup contain the other, whatever cgroups there are?
fn contains(one: &Cgroup, other: &Cgroup) -> bool {
    match (one, other) {
        (Cgroup::Path(one), Cgroup::Path(other)) => other
            .strip_prefix(one.as_str())
            .is_some_and(|below| below.is_empty() || below.starts_with('/')),
        (one, other) => one == other,
    }
}

/// The destinations of one version of IP that a policy chooses. A prefix of both versions is one
/// of each.
fn addresses(matches: &Match, family: Family) -> Vec<Prefix> {
    if matches.family.is_some_and(|only| only != family) {
        return Vec::new();
    }
    let all = Prefix::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), 0).expect("::/0");
    let ipv4 = Prefix::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0).expect("0.0.0.0/0");
    let given = match matches.destinations.as_slice() {
        [] => &[all],
        destinations => destinations,
    };
    let of_family = |prefix: &Prefix| match family {
        Family::Ipv4 if prefix.encloses(ipv4) => Some(ipv4),
        Family::Ipv4 => ipv4.encloses(*prefix).then_some(*prefix),
        Family::Ipv6 => (!ipv4.encloses(*prefix)).then_some(*prefix),
    };
    given.iter().filter_map(of_family).collect()
}
