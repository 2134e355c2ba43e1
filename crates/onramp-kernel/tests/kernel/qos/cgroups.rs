//! Limits of nested cgroups, and options that are attached to several of them.

use super::{ask, rate, Host, MEGABYTE};
use crate::common::{connection_of, listener};
use onramp_kernel::{own_cgroup, Error, Options, QosOption, Registration};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_innermost_of_two_programs_answers() {
    let Some(host) = Host::new(MEGABYTE) else {
        return;
    };
    let inner = Registration::new(&Options::new("qos")).unwrap();
    let reservations = inner.reservations().unwrap().unwrap();
    let cgroup = Cgroup::below(&own_cgroup().unwrap(), "inner");
    reservations.set_limit(&cgroup.0, 5 * MEGABYTE).unwrap();
    let _option = QosOption::new(&cgroup.0, &reservations, None).unwrap();
    assert_eq!(
        asked_in(&cgroup, &[4 * MEGABYTE, 6 * MEGABYTE]),
        ["granted", "EPERM"]
    );
    assert_eq!(
        (
            host.limit().granted,
            reservations.limits().unwrap()[0].granted
        ),
        (0, 1)
    );
}

#[test]
fn a_reservation_counts_against_all_enclosing_cgroups() {
    let Some(host) = Host::new(4 * MEGABYTE) else {
        return;
    };
    let own = own_cgroup().unwrap();
    let outer = Cgroup::below(&own, "outer");
    let inner = Cgroup::below(&outer.0, "inner");
    let beside = Cgroup::below(&own, "beside");
    // The limit of `outer` is set last, and comes between two that exist.
    host.reservations.set_limit(&inner.0, 3 * MEGABYTE).unwrap();
    host.reservations.set_limit(&outer.0, 2 * MEGABYTE).unwrap();
    assert_eq!(
        asked_in(&inner, &[3 * MEGABYTE, 2 * MEGABYTE, 1]),
        ["EPERM", "granted", "EINVAL"]
    );
    assert_eq!(
        asked_in(&inner, &[MEGABYTE, MEGABYTE, MEGABYTE]),
        ["granted", "granted", "EBUSY"]
    );
    assert_eq!(
        asked_in(&beside, &[3 * MEGABYTE, 5 * MEGABYTE, MEGABYTE]),
        ["granted", "EPERM", "granted"]
    );
    assert_eq!(asked_in(&outer, &[MEGABYTE]), ["granted"]);
    let limits = host.reservations.limits().unwrap();
    let of = |path: &Path| {
        limits
            .iter()
            .find(|limit| limit.cgroup.as_deref() == Some(path))
            .unwrap()
            .clone()
    };
    assert_eq!(
        [of(&own).granted, of(&outer.0).granted, of(&inner.0).granted],
        [6, 4, 3]
    );
    assert!(
        limits.iter().all(|limit| limit.reserved_bytes_per_s == 0),
        "{limits:?}"
    );
    assert!(limits
        .iter()
        .all(|limit| limit.cgroup.as_deref() != Some(&beside.0)));

    let Err(error) = host.reservations.set_limit(Path::new("/tmp"), 1) else {
        panic!("/tmp is no cgroup")
    };
    assert!(
        matches!(error, Error::NotACgroup { .. }) && error.is_bad_request(),
        "{error}"
    );
}

#[test]
fn without_a_limit_nothing_can_be_reserved() {
    let Some(host) = Host::new(MEGABYTE) else {
        return;
    };
    let nowhere = Registration::new(&Options::new("qos")).unwrap();
    let reservations = nowhere.reservations().unwrap().unwrap();
    let cgroup = Cgroup::below(&own_cgroup().unwrap(), "nowhere");
    let _option = QosOption::new(&cgroup.0, &reservations, None).unwrap();
    assert_eq!(asked_in(&cgroup, &[MEGABYTE]), ["EPERM"]);
    drop(host);
}

/// A cgroup that is removed when it is dropped.
pub(super) struct Cgroup(pub(super) PathBuf);

impl Cgroup {
    pub(super) fn below(parent: &Path, name: &str) -> Cgroup {
        let path = parent.join(format!("onramp-test-{}-{name}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Cgroup(path)
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// The answers to requests for these rates, each for a connection of its own, by one process of a
/// cgroup.
pub(super) fn asked_in(cgroup: &Cgroup, rates: &[u64]) -> Vec<String> {
    let procs = cgroup.0.join("cgroup.procs");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "qos::cgroups::ask_as_another_process",
        "--nocapture",
    ]);
    command.env(
        RATES,
        rates
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(" "),
    );
    // SAFETY: the closure makes system calls only.
    unsafe { command.pre_exec(move || fs::write(&procs, "0")) };
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    text.lines()
        .filter_map(|line| line.strip_prefix("answer "))
        .map(str::to_owned)
        .collect()
}

const RATES: &str = "ONRAMP_TEST_RATES";

/// The part of other tests that runs in a process of its own.
#[test]
fn ask_as_another_process() {
    let rates = std::env::var(RATES).unwrap_or_default();
    let listener = listener();
    let mut open = Vec::new();
    for rate_bytes_per_s in rates.split_whitespace().map(|rate| rate.parse().unwrap()) {
        let (socket, client) = connection_of(&listener);
        println!();
        match ask(&socket, rate(rate_bytes_per_s)) {
            Ok(()) => println!("answer granted"),
            Err(errno) => println!("answer {errno:?}"),
        }
        open.push((socket, client));
    }
}
