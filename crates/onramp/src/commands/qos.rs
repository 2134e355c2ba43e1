//! `onramp qos`: the limits of reservations, and the reserved rates.

use super::{print_json, Answer};
use crate::cli::{LimitArguments, QosArguments};
use crate::failure::{Failure, DONE};
use crate::text;
use crate::text::out;
use onramp_kernel::{cgroup2_mount, Error, QosOption, Reservations};

/// The default of the rate that may be reserved on a host: 100 Mbit/s.
const DEFAULT_TOTAL_BYTES_PER_S: u64 = 12_500_000;

pub fn run(arguments: &QosArguments, json: bool) -> Answer {
    let reservations = loaded()?;
    set(&reservations, &arguments.limits)?;
    if json {
        print_json(&reservations.limits()?);
        return Ok(DONE);
    }
    show(&reservations)
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
            cgroups: limits.cgroups.clone(),
        },
    )?;
    Ok(QosOption::for_the_host(reservations)?)
}

fn set(reservations: &Reservations, limits: &LimitArguments) -> Result<(), Failure> {
    let mount = cgroup2_mount()?;
    if let Some(total) = limits.total {
        reservations.set_limit(&mount, total)?;
    }
    for (cgroup, bytes_per_s) in &limits.cgroups {
        // `join` keeps an absolute path as it is.
        reservations.set_limit(&mount.join(cgroup), *bytes_per_s)?;
    }
    Ok(())
}

pub fn show(reservations: &Reservations) -> Answer {
    let mount = cgroup2_mount()?;
    let heading = [
        "CGROUP", "LIMIT", "RESERVED", "GRANTED", "REFUSED", "BROKEN",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
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
    out(format_args!("{}", text::columns(&rows)));
    Ok(DONE)
}
