//! The packaged unit: what it must be able to write is not made read-only by another directive.

use std::path::Path;

/// The paths that a directive makes read-only or hides, from `src/core/namespace.c` of systemd 252
/// to 257. Of two directives for the same path the stricter one holds; otherwise the one with the
/// longer path. ProtectSystem=strict leaves /dev, /proc and /sys alone.
const PROTECTED: [(&str, &[&str]); 6] = [
    (
        "ProtectKernelTunables=yes",
        &["/proc/sys", "/sys", "/sys/fs/bpf", "/sys/kernel/debug"],
    ),
    ("ProtectControlGroups=yes", &["/sys/fs/cgroup"]),
    ("ProtectKernelLogs=yes", &["/proc/kmsg", "/dev/kmsg"]),
    ("ProtectKernelModules=yes", &["/usr/lib/modules"]),
    ("ProtectHome=yes", &["/home", "/root", "/run/user"]),
    ("PrivateTmp=yes", &["/tmp", "/var/tmp"]),
];

/// What the service writes: its pins, and the default congestion control.
const WRITTEN: [&str; 2] = ["/sys/fs/bpf", "/proc/sys/net/ipv4"];

/// What keeps a path from being written under this unit.
fn obstacles(unit: &str, path: &str) -> Vec<String> {
    let lines = || unit.lines().map(str::trim);
    let listed = |key: &str| {
        let values = lines().filter_map(move |line| line.strip_prefix(key)?.strip_prefix('='));
        let paths = values.flat_map(str::split_whitespace);
        paths
            .map(|path| path.trim_start_matches('-'))
            .collect::<Vec<_>>()
    };
    let mut obstacles = Vec::new();
    // The longest path that allows it, and those at least as long that forbid it.
    let encloses = |outer: &&str| Path::new(path).starts_with(outer);
    let writable = listed("ReadWritePaths").into_iter().filter(encloses);
    let Some(allowed) = writable.map(str::len).max() else {
        return vec![format!("no ReadWritePaths= has {path}")];
    };
    let mut forbid = |directive: &str, outer: &str| {
        if encloses(&outer) && outer.len() >= allowed {
            obstacles.push(format!("{directive} makes {outer} read-only"));
        }
    };
    for (directive, protected) in PROTECTED {
        if lines().any(|line| line == directive) {
            protected.iter().for_each(|outer| forbid(directive, outer));
        }
    }
    for key in ["ReadOnlyPaths", "InaccessiblePaths", "TemporaryFileSystem"] {
        for outer in listed(key) {
            forbid(key, outer);
        }
    }
    obstacles
}

fn packaged() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/onramp.service");
    std::fs::read_to_string(file).unwrap()
}

/// systemd stops at the first command that fails. A service that is not told of a wrong
/// configuration does not count it, and the alert OnrampReloadRefused cannot fire.
#[test]
fn a_reload_tells_the_service_before_it_can_fail() {
    let unit = packaged();
    let commands: Vec<&str> = unit
        .lines()
        .filter_map(|line| line.strip_prefix("ExecReload="))
        .collect();
    assert_eq!(
        commands,
        ["/bin/kill -HUP $MAINPID", "/usr/bin/onramp serve --check"]
    );
}

#[test]
fn the_packaged_unit_lets_the_service_write_its_pins_and_the_default() {
    let unit = packaged();
    for path in WRITTEN {
        assert_eq!(obstacles(&unit, path), [""; 0], "{path}");
    }
    // What kept the first release from starting on Debian 12 is found.
    let first = format!("{unit}\nProtectKernelTunables=yes\n");
    let found = obstacles(&first, "/sys/fs/bpf");
    assert_eq!(
        found,
        ["ProtectKernelTunables=yes makes /sys/fs/bpf read-only"]
    );
    assert_eq!(obstacles(&first, "/proc/sys/net/ipv4"), [""; 0]);
}
