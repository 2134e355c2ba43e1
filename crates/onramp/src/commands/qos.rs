//! `onramp qos`: the limits of reservations, and the reserved rates.

use crate::cli::{LimitArguments, QosArguments};
use onramp_cli::failure::{Failure, DONE};
use onramp_cli::text;
use onramp_cli::{print_json, Answer};
use onramp_kernel::{
    cgroup2_mount, Error, LimitInForce, Loaded, QosOption, Reservations, UserInForce,
};
use serde::Serialize;
use std::path::Path;

/// The default of the rate that may be reserved on a host: 100 Mbit/s.
const DEFAULT_TOTAL_BYTES_PER_S: u64 = 12_500_000;

/// The share of the host's total that one user may reserve, unless the operator decides otherwise.
/// Less than a half, so that two users do not take all; not so little that a single service needs
/// the option.
const USERS_PER_TOTAL: u64 = 4;

pub fn run(arguments: &QosArguments, json: bool) -> Answer {
    let reservations = loaded()?;
    set(&reservations, &arguments.limits)?;
    if json {
        print_json(&rows(&reservations)?);
        return Ok(DONE);
    }
    show(&reservations)
}

/// A row of `onramp qos --json`: the limit of a cgroup, or of each user.
#[derive(Serialize)]
#[serde(untagged)]
enum Row {
    Cgroup(LimitInForce),
    User(UserInForce),
}

fn rows(reservations: &Reservations) -> Result<Vec<Row>, Failure> {
    let limits = reservations.limits()?.into_iter().map(Row::Cgroup);
    Ok(limits
        .chain(reservations.users().into_iter().map(Row::User))
        .collect())
}

/// The reservations of the start-up that `load qos` registered.
fn loaded() -> Result<Reservations, Failure> {
    let all = onramp_kernel::loaded()?;
    let hosts = all
        .iter()
        .filter(|loaded| loaded.registered && loaded.owner_pid.is_none());
    for loaded in hosts {
        if let Some(reservations) = loaded.reservations()? {
            return Ok(reservations);
        }
    }
    let names = all
        .into_iter()
        .filter(|loaded| loaded.registered)
        .map(|loaded| loaded.name)
        .collect();
    Err(Error::NotLoaded {
        name: "qos".to_owned(),
        loaded: names,
    }
    .into())
}

/// Sets the limits, and offers the socket option to all programs of the host.
pub fn offer(reservations: &Reservations, limits: &LimitArguments) -> Result<(), Failure> {
    let total = limits.total.or(Some(DEFAULT_TOTAL_BYTES_PER_S));
    set(
        reservations,
        &LimitArguments {
            total,
            per_user: limits.per_user,
            cgroups: limits.cgroups.clone(),
        },
    )?;
    Ok(QosOption::for_the_host(reservations)?)
}

/// Changes limits of what `load` registered before.
pub fn change(loaded: &Loaded, limits: &LimitArguments) -> Result<(), Failure> {
    match loaded.reservations()? {
        Some(reservations) => set(&reservations, limits),
        None => Ok(()),
    }
}

fn set(reservations: &Reservations, limits: &LimitArguments) -> Result<(), Failure> {
    let mount = cgroup2_mount()?;
    if let Some(total) = limits.total {
        // The limit of each user stays a quarter of the total until the operator sets another.
        let prior_total = host_limit(reservations, &mount)?;
        let is_default = reservations
            .user_limit()
            .is_none_or(|limit| prior_total.map(per_user) == Some(limit));
        reservations.set_limit(&mount, total)?;
        if is_default {
            reservations.set_user_limit(per_user(total))?;
        }
    }
    if let Some(per_user) = limits.per_user {
        reservations.set_user_limit(per_user)?;
    }
    for (cgroup, bytes_per_s) in &limits.cgroups {
        // `join` keeps an absolute path as it is.
        reservations.set_limit(&mount.join(cgroup), *bytes_per_s)?;
    }
    Ok(())
}

/// The default limit of each user.
fn per_user(total: u64) -> u64 {
    (total / USERS_PER_TOTAL).max(1)
}

fn host_limit(reservations: &Reservations, mount: &Path) -> Result<Option<u64>, Failure> {
    let limits = reservations.limits()?;
    let host = limits
        .iter()
        .find(|limit| limit.cgroup.as_deref() == Some(mount));
    Ok(host.map(|limit| limit.limit_bytes_per_s))
}

/// A row of the table for users, who have no counts.
fn user_row(who: String, limit: Option<u64>, reserved: Option<u64>) -> Vec<String> {
    let rate = |rate: Option<u64>| rate.map(text::rate).unwrap_or_default();
    let none = String::new;
    vec![who, rate(limit), rate(reserved), none(), none(), none()]
}

pub fn show(reservations: &Reservations) -> Answer {
    let mount = cgroup2_mount()?;
    let mut rows = Vec::new();
    for limit in reservations.limits()? {
        let cgroup = match &limit.cgroup {
            Some(path) if *path == mount => "(this host)".to_owned(),
            Some(path) => path
                .strip_prefix(&mount)
                .unwrap_or(path)
                .display()
                .to_string(),
            None => "(gone)".to_owned(),
        };
        rows.push(vec![
            cgroup,
            text::rate(limit.limit_bytes_per_s),
            text::rate(limit.reserved_bytes_per_s),
            limit.granted.to_string(),
            limit.refused.to_string(),
            limit.broken.to_string(),
        ]);
    }
    let each = reservations.user_limit();
    rows.extend(each.map(|limit| user_row("(each user)".to_owned(), Some(limit), None)));
    rows.extend(reservations.users().into_iter().map(|user| {
        user_row(
            format!("(user {})", user.uid),
            user.limit_bytes_per_s,
            Some(user.reserved_bytes_per_s),
        )
    }));
    text::print_table("CGROUP, LIMIT, RESERVED, GRANTED, REFUSED, BROKEN", rows);
    Ok(DONE)
}
