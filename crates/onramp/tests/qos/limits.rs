//! The limits of reservations: `onramp load qos`, `onramp qos`, `onramp exec`, and their messages
//! about wrong input.

use super::programs::loaded;
use crate::common::{assert_has, machine, onramp, wait_until_free};
use std::fs;
use std::path::PathBuf;

/// A cgroup. It is removed when this value is dropped.
struct Cgroup(PathBuf);

impl Cgroup {
    fn new(name: &str) -> Cgroup {
        let path = onramp_kernel::cgroup2_mount()
            .unwrap()
            .join(format!("onramp-test-{}-{name}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Cgroup(path)
    }

    fn name(&self) -> String {
        self.0.file_name().unwrap().to_string_lossy().into_owned()
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn limits_are_set_by_load_and_changed_later() {
    let Some(_loaded) = loaded(&["--total", "20 Mbit/s"]) else {
        return;
    };
    let cgroup = Cgroup::new("limited");
    onramp(["qos", "--limit", &format!("{}=5 Mbit/s", cgroup.name())]).code(0);
    let shown = || onramp(["qos"]).code(0).stdout;
    let rows = |text: &str| {
        text.lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
    };
    let row = |limit: &str| format!("{} {limit} Mbit/s 0 bit/s 0 0 0", cgroup.name());
    let text = shown();
    assert_eq!(
        rows(&text)[1..],
        [
            "(this host) 20.0 Mbit/s 0 bit/s 0 0 0".to_owned(),
            row("5.00"),
            "(each user) 5.00 Mbit/s".to_owned()
        ]
    );
    onramp([
        "qos",
        "--total",
        "1 Gbit/s",
        "--limit",
        &format!("{}=8 kB/s", cgroup.0.display()),
    ])
    .code(0);
    let text = shown();
    assert_eq!(rows(&text)[1], "(this host) 1.00 Gbit/s 0 bit/s 0 0 0");
    assert_eq!(
        rows(&text)[2],
        format!("{} 64.0 kbit/s 0 bit/s 0 0 0", cgroup.name())
    );
    assert_eq!(rows(&text)[3], "(each user) 250 Mbit/s");
    onramp(["qos", "--per-user", "900 Mbit/s"]).code(0);
    let text = onramp(["qos", "--total", "1 Gbit/s"]).code(0).stdout;
    assert_eq!(rows(&text)[3], "(each user) 900 Mbit/s", "set by hand");
    onramp(["exec", "--qos-rate", "2 Gbit/s", "--", "true"])
        .code(2)
        .warns(&["2.00 Gbit/s", "no more than 900 Mbit/s"]);
    onramp(["exec", "--qos-rate", "2 Mbit/s", "--", "true"]).code(0);
    let again = onramp(["load", "qos"]).code(0).stdout;
    assert_has(&again, &["onramp_qos", "registered already", "900 Mbit/s"]);
}

#[test]
fn wrong_input_is_refused_and_registers_nothing() {
    let Some(_machine) = machine() else { return };
    wait_until_free("onramp_qos");
    let cases: [(&[&str], &str); 10] = [
        (
            &["load", "qos", "--limit", "nowhere=1 Mbit/s"],
            "no directory of the cgroup v2 hierarchy",
        ),
        (
            &["load", "qos", "--limit", "/tmp=1 Mbit/s"],
            "`/tmp` is no directory of the cgroup v2 hierarchy",
        ),
        (
            &["load", "qos", "--limit", "1 Mbit/s"],
            "expected a cgroup and a rate",
        ),
        (
            &["load", "qos", "--limit", "=1 Mbit/s"],
            "the limit of the host is --total",
        ),
        (
            &["load", "qos", "--limit", "/=1 Mbit/s"],
            "the limit of the host is --total",
        ),
        (&["load", "qos", "--total", "1 Mbit"], "1 Mbit"),
        (
            &["load", "paced", "--total", "1 Mbit/s"],
            "paced reserves nothing",
        ),
        (
            &[
                "exec",
                "--startup",
                "paced",
                "--qos-rate",
                "1 Mbit/s",
                "--",
                "true",
            ],
            "paced reserves nothing",
        ),
        (&["exec", "--qos-burst", "9 kB", "--", "true"], "--qos-rate"),
        (&["qos"], "`qos` is not loaded"),
    ];
    for (arguments, expected) in cases {
        onramp(arguments).code(2).warns(&[expected]);
        assert!(!onramp_kernel::registered_names()
            .unwrap()
            .iter()
            .any(|name| name.starts_with("onramp_qos")));
    }
}
